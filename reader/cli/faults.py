"""How a call ends: an exit code, and one line on stderr that says what to do."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import click

from reader.cli import voice
from reader.cli.plain import one_line
from reader.errors import ReadproofError
from reader.language import _

EXPECTED, WRONG_USAGE, BUG, INTERRUPTED = 1, 2, 3, 130


def guarded(work: Callable[[], int | None], *, verbose: bool = False) -> int:
    """Run `work` and return its exit code; no exception escapes, no trace is shown."""
    try:
        code = work() or 0
        sys.stdout.flush()
    except BrokenPipeError:
        _close_stdout()
        return 0
    except BaseException as error:
        code = _report(error, verbose=verbose)
        _settle_stdout()
    return code


def _settle_stdout() -> None:
    """Leave nothing for the interpreter to write at its end: what fails there decides the code."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        _close_stdout()


def _report(error: BaseException, *, verbose: bool) -> int:
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else EXPECTED
    if isinstance(error, KeyboardInterrupt | click.Abort):
        voice.note(_("Interrupted."))
        return INTERRUPTED
    if isinstance(error, click.ClickException):
        return _wrong_usage(error)
    if verbose:
        voice.note(*"".join(traceback.format_exception(error)).splitlines())
    if isinstance(error, ReadproofError):
        if error.exit_code == INTERRUPTED:
            voice.note(str(error) or _("Interrupted."))
        else:
            _one_line(str(error) or type(error).__name__)
        return error.exit_code
    known = _of_the_world(error)
    if known is not None:
        _one_line(known)
        return EXPECTED
    _one_line(_log(error))
    return BUG


def _one_line(text: str) -> None:
    voice.note(voice.paint("readproof: ", "dim", sys.stderr) + one_line(text))


def _wrong_usage(error: click.ClickException) -> int:
    text = error.format_message()
    context = getattr(error, "ctx", None)
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and context is not None:
        voice.note(*context.get_help().splitlines())
        return WRONG_USAGE
    if isinstance(error, click.UsageError) and context is not None:
        text += "  " + _("See: {command} --help").format(command=context.command_path)
    _one_line(text)
    return error.exit_code if isinstance(error, click.UsageError) else EXPECTED


def _of_the_world(error: BaseException) -> str | None:
    """Return the sentence for a fault of disk, rights or memory; None: it is a bug."""
    if isinstance(error, MemoryError):
        return _("There is not enough memory for this.")
    if not isinstance(error, OSError):
        return None
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _("The disk is full: free some space and try again. ({error})").format(error=error)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return _("{path} cannot be written or read: {why}. Check the permissions.").format(
            path=error.filename, why=error.strerror
        )
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return None


def _log(error: BaseException) -> str:
    """Write the trace to a log file and return the line that names it."""
    trace = "".join(traceback.format_exception(error))
    what = f"{type(error).__name__}: {error}"
    try:
        path = _log_file()
        with path.open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(f"{datetime.now(UTC).isoformat()} {sys.argv!r}\n{trace}\n")
    except OSError:
        voice.note(*trace.splitlines())
        return _("This is a bug of Readproof's: {what}").format(what=what)
    return _("This is a bug of Readproof's: {what}. The whole story is in {path}").format(
        what=what, path=path
    )


def _log_file() -> Path:
    import platformdirs

    own = Path(platformdirs.user_log_dir("readproof", appauthor=False))
    for folder in (own, Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / "readproof.log").open("a", encoding="utf-8"):
                return folder / "readproof.log"
        except OSError:
            continue
    raise OSError(errno.EACCES, os.strerror(errno.EACCES))


def _close_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's last flush stays quiet too."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
