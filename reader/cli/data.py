"""What comes in and goes out as files: import, export, backup, restore."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from reader.cli import voice
from reader.cli.options import json_option
from reader.cli.session import Session, interruptible, pass_session
from reader.errors import Expected
from reader.language import _
from reader.report import written

FILE = click.Path(path_type=Path, readable=False)  # what cannot be read is said file by file


@click.command(
    "import",
    help=_(
        "Read digests and posts (.md, .html, .txt, .xml), folders, OPML, or a data file of "
        "export data, which merges."
    ),
)
@click.argument("paths", nargs=-1, required=True, type=FILE, metavar="PATH...")
@json_option
@pass_session
def import_(session: Session, paths: tuple[Path, ...], as_json: bool) -> int:
    """Import files; one that is refused does not stop the others (exit 1 where all were)."""
    from reader import sync

    with session.store():
        pass  # a store that cannot be used is said once, before any file
    bar = voice.Progress()

    def show(progress: Any) -> None:
        bar.show(progress.done, progress.total, str(getattr(progress, "title", "")))

    try:
        with interruptible("import", show) as task:
            result = sync.import_paths(
                session.store_path,
                list(paths),
                task=task,
                progress=show,
                config=session.config_path,
            )
    finally:
        bar.clear()
    for notice in result.notices:
        voice.note(notice)
    for path, why in result.refused:
        voice.note(why if path in why else f"{path}: {why}")
    counts = {
        name: _count(getattr(result, name)) for name in ("digests", "entries", "items", "feeds")
    }
    if as_json:
        refused = [{"path": str(path), "why": str(why)} for path, why in result.refused]
        voice.document({**counts, "notices": list(result.notices), "refused": refused})
    else:
        voice.say(
            _("{digests} digests, {items} items, {entries} posts, {feeds} feeds").format(**counts)
        )
    return 1 if result.refused and not any(counts.values()) else 0


def _count(value: Any) -> int:
    return value if isinstance(value, int) else len(value)


@click.group(help=_("Write subscriptions (opml) or everything that is yours (data) to a file."))
def export() -> None:
    """Group the exports."""


@export.command("opml", help=_("Write the subscriptions as OPML."))
@click.argument("file", type=FILE, metavar="FILE")
@pass_session
def export_opml(session: Session, file: Path) -> None:
    """Write every feed's address and title."""
    from reader import opml

    with session.store() as store:
        content = opml.write(store.feeds.all())
    written.write(file, content.decode("utf-8"))
    voice.note(_("Written: {path}").format(path=file))


@export.command(
    "data", help=_("Write marks, tags, notes, queue and runs: your own work, one file.")
)
@click.argument("file", type=FILE, metavar="FILE")
@pass_session
def export_data(session: Session, file: Path) -> None:
    """Write what `import` merges on another machine."""
    from reader.store import export_data as write

    with session.store() as store:
        _writing(file, lambda: write(store, file))


@click.command(help=_("Copy the whole store to a file, also while the window is open."))
@click.argument("file", type=FILE, metavar="FILE")
@pass_session
def backup(session: Session, file: Path) -> None:
    """Copy the store."""
    with session.store() as store:
        _writing(file, lambda: store.backup(file))


@click.command(help=_("Put a backup in the store's place."))
@click.argument("file", type=FILE, metavar="FILE")
@pass_session
def restore(session: Session, file: Path) -> None:
    """Take a backup as the store; what stood there is kept beside it."""
    from reader.store import restore as put_back

    if not file.is_file():
        raise Expected(_("{path}: there is no such file").format(path=file))
    before = put_back(session.store_path, file)
    voice.note(_("Restored: {path}").format(path=session.store_path))
    if before is not None:
        voice.note(_("What stood there before is kept: {path}").format(path=before))


def _writing(file: Path, write: Callable[[], Any]) -> None:
    try:
        write()
    except OSError as error:
        raise Expected(
            _("{path} cannot be written: {why}").format(path=file, why=error.strerror or error)
        ) from error
    voice.note(_("Written: {path}").format(path=file))


COMMANDS = (import_, export, backup, restore)
