"""The one door to processes of our own: pure work on foreign bytes, away from the caller's process.

A process has an interpreter lock of its own, so that a window draws while feeds are read; and what
a hostile document costs (a crash, memory, a loop without end) it costs there.
"""

from __future__ import annotations

import logging
import math
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, TypeVar

from reader import language
from reader.errors import NotUnderstood
from reader.language import _
from reader.tasks import Gate

T = TypeVar("T")
_LOG = logging.getLogger(__name__)
ABREAST = 2  # the caller has work of its own, which waits for the disk now and then
AT_HAND = 1 << 18  # bytes done by the caller itself: to start a process costs as much
SECONDS = 60  # of the processor, for one call
MEMORY = 1 << 30  # bytes of a process


class Workers:
    """Some processes that are started when there is enough to do, and end with their owner."""

    def __init__(
        self, abreast: int = ABREAST, at_hand: int = AT_HAND, seconds: float = SECONDS
    ) -> None:
        self._gate, self._seconds = Gate(abreast), seconds
        # Windows hands no pipe over so plainly, and has neither of the limits.
        self._left: float = math.inf if sys.platform == "win32" else at_hand
        self._idle: deque[_Process] = deque()

    def call(self, work: Callable[..., T], *arguments: Any, size: int) -> T:
        """Return `work(*arguments)`, from any thread; `size` is how many bytes it is about.

        `work` is a function of a module; arguments, result and errors travel pickled. Raises
        what it raises, and NotUnderstood where the process broke down over it.
        """
        with self._gate:
            process = self._process(size)
            if process is None:
                return work(*arguments)
            try:
                good, result = process.ask(language.language(), self._seconds, work, arguments)
            except BaseException:
                process.end()
                raise
            self._idle.append(process)
        if not good:
            raise result
        answered: T = result
        return answered

    def _process(self, size: int) -> _Process | None:
        """Return a process that is free, None where the caller does the work itself."""
        if self._left >= size:
            self._left -= size
            return None
        with suppress(IndexError):
            return self._idle.pop()
        try:
            return _Process()
        except OSError as error:
            _LOG.warning("no process beside could be started: %s", error)
            self._left = math.inf
            return None

    def close(self) -> None:
        """End the processes."""
        while self._idle:
            self._idle.pop().end()


class _Process:
    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        paths = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
        with theirs:
            # Not multiprocessing's own way: that would run the caller's main module again.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "reader.workers", str(theirs.fileno())],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        try:
            self._pipe.recv()
        except (OSError, EOFError) as error:
            self.end()
            raise OSError("it ended before it began") from error

    def ask(self, *question: Any) -> tuple[bool, Any]:
        """Hand a question over and wait for its answer."""
        try:
            self._pipe.send(question)
            answer: tuple[bool, Any] = self._pipe.recv()
        except (OSError, EOFError) as error:
            raise NotUnderstood(
                _("The document took more time or memory than any should, or broke its reader.")
            ) from error
        return answer

    def end(self) -> None:
        """Let it end now."""
        self._process.kill()
        self._process.wait()
        self._pipe.close()


def _serve(questions: Connection) -> None:
    """Answer until there is nobody to ask: the end of the caller ends its pipe, and this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller decides what Ctrl-C ends
    if sys.platform.startswith("linux"):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        questions.send("ready")
        while True:
            spoken, seconds, work, arguments = questions.recv()
            language.set_language(spoken)
            questions.send(_answer(seconds, work, arguments))


def _answer(
    seconds: float, work: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[bool, Any]:
    _limit(seconds)
    try:
        return True, work(*arguments)
    except MemoryError:
        os._exit(1)  # what is left may be in pieces
    except Exception as error:  # the caller's, as if it had done the work itself
        return False, error
    finally:
        _limit(0)


def _limit(seconds: float) -> None:
    """Let the system end this process when a call takes longer, even inside a library's C."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
