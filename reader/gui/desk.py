"""The way from the window to the store: every read and write goes to a worker and comes back."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from reader.errors import Interrupted, ReadproofError
from reader.tasks import Task, Tasks

if TYPE_CHECKING:
    from reader.store import Store

T = TypeVar("T")
LOOK_SECONDS = 0.4  # a change made elsewhere shows within a second
WORKERS = 8


class Courier(QObject):
    """Carries callbacks of workers to the thread it lives on."""

    _sent = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._sent.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def deliver(self, callback: Callable[[], None]) -> None:
        """Run `callback` on this object's thread, soon."""
        # The window may have gone while a worker was still at work.
        with contextlib.suppress(RuntimeError):
            self._sent.emit(callback)

    def _run(self, callback: Callable[[], None]) -> None:
        callback()


def _heard(callback: Callable[..., object] | None) -> bool:
    """Say whether there is still who takes an answer: a dialog may have been closed meanwhile."""
    while isinstance(callback, partial):
        callback = callback.func
    owner = getattr(callback, "__self__", None)
    return callback is not None and (not isinstance(owner, QObject) or isValid(owner))


@dataclass(slots=True)
class _Write:
    """A write that waits for its turn."""

    work: Callable[[], object]
    start: Callable[[], object] = field(default=lambda: None)
    begun: bool = False


@dataclass(slots=True, eq=False)
class _Question:
    """A question that is under way."""

    about: object
    store: Store | None = None
    stale: bool = False

    def give_up(self) -> None:
        """Break it off: nobody wants the answer any more."""
        self.stale = True
        store = self.store
        if store is not None:
            # It may be closing at this very moment.
            with contextlib.suppress(Exception):
                store.interrupt()


class Desk(QObject):
    """Asks the store through workers; says when another process has written to it."""

    changed = Signal()  # the store has other content than a moment ago
    failed = Signal(str)  # one finished sentence
    written = Signal()  # every write that was asked for has ended

    def __init__(self, store_path: Path, tasks: Tasks | None = None) -> None:
        super().__init__()
        self.path = store_path
        self.courier = Courier()
        self.tasks = tasks or Tasks(WORKERS, deliver=self.courier.deliver)
        self._latest: dict[str, int] = {}
        self._asked: dict[str, _Question] = {}
        self._next: dict[str, Callable[[], None]] = {}
        self._closed = False
        self._writes: deque[_Write] = deque()

    def watch(self) -> None:
        """Look for writes of other processes from now on."""
        self.run(self._look_on, progress=lambda _version: self._changed(), name="look")

    def _changed(self) -> None:
        if not self._closed:
            self.changed.emit()

    def ask(
        self,
        work: Callable[[Store], T],
        done: Callable[[T], object] | None = None,
        *,
        key: str = "",
        about: object = None,
        failed: Callable[[BaseException], object] | None = None,
    ) -> None:
        """Run `work(store)` on a worker.

        With a `key` one question of it is under way at a time, and of those that wait only the
        newest is asked. An older answer is delivered only where a newer question is `about` the
        same; a question about something else is broken off.
        """
        question = _Question(about)

        def opened(_task: Task[T]) -> T:
            from reader.store import Store

            with Store.open(self.path) as store:
                question.store = store
                try:
                    if question.stale:
                        raise Interrupted(key)
                    return work(store)
                finally:
                    question.store = None

        if not key:
            self.run(opened, done, failed=failed)
            return

        def ended() -> bool:
            """Let the next question have its turn; say whether this answer is wanted."""
            if self._asked.get(key) is question:
                del self._asked[key]
            follower = self._next.pop(key, None)
            if follower is not None:
                follower()
            return not question.stale

        def finished(result: T) -> None:
            if ended() and done is not None and _heard(done):
                done(result)

        def broken(error: BaseException) -> None:
            if not ended() or isinstance(error, Interrupted):
                return
            (failed or self._complain)(error)

        def start() -> None:
            self._asked[key] = question
            self.run(opened, finished, failed=broken, name=key)

        before = self._asked.get(key)
        if before is None:
            start()
            return
        if about is None or before.about != about:
            before.give_up()
        self._next[key] = start

    def write(self, work: Callable[[Store], T], done: Callable[[T], object] | None = None) -> None:
        """Do a write of the store in its turn, then let every view look again."""

        def opened() -> T:
            from reader.store import Store

            with Store.open(self.path) as store:
                return work(store)

        def finished(result: T) -> None:
            if done is not None and _heard(done):
                done(result)
            self.changed.emit()

        self.keep(opened, finished)

    def keep(self, work: Callable[[], T], done: Callable[[T], object] | None = None) -> None:
        """Run a write on a worker after those before it; closing waits until all are done."""
        write = _Write(work)

        def begin(_task: Task[T]) -> T:
            write.begun = True
            return work()

        def finished(result: T) -> None:
            self._next_write()
            if done is not None and _heard(done):
                done(result)

        def failed(error: BaseException) -> None:
            self._next_write()
            self._complain(error)

        write.start = lambda: self.run(begin, finished, failed=failed, name="write")
        self._writes.append(write)
        if len(self._writes) == 1:
            write.start()

    def _next_write(self) -> None:
        self._writes.popleft()
        if self._writes:
            self._writes[0].start()
        else:
            self.written.emit()

    def run(
        self,
        work: Callable[[Task[T]], T],
        done: Callable[[T], object] | None = None,
        *,
        key: str = "",
        failed: Callable[[BaseException], object] | None = None,
        progress: Callable[[Any], None] | None = None,
        name: str = "",
    ) -> Task[T]:
        """Run any work on a worker; with a `key` only the newest result is delivered.

        Failures become one sentence unless `failed` takes them.
        """
        turn = self._latest[key] = self._latest.get(key, 0) + 1

        def current() -> bool:
            return not self._closed and (not key or self._latest[key] == turn)

        def finish(result: T) -> None:
            if done is not None and current() and _heard(done):
                done(result)

        def fail(error: BaseException) -> None:
            if not current():
                return
            if failed is not None:
                failed(error)
            elif not isinstance(error, Interrupted):
                self._complain(error)

        return self.tasks.submit(work, done=finish, failed=fail, progress=progress, name=name)

    def _complain(self, error: BaseException) -> None:
        if isinstance(error, ReadproofError):
            self.failed.emit(str(error))
            return
        import traceback

        traceback.print_exception(error)
        self.failed.emit(f"{type(error).__name__}: {error}")

    def _look_on(self, task: Task[None]) -> None:
        """Report whenever another connection has written; ends when the desk closes."""
        from reader.store import Store

        with Store.open(self.path) as store:
            seen = store.data_version()
            while not task.rest(LOOK_SECONDS):  # closing does not wait for the next look
                version = store.data_version()
                if version != seen:
                    seen = version
                    task.report(version)

    def close(self) -> None:
        """Stop looking, cancel what is under way, wait for it, and do what was still to be written.

        No worker is left for the writes that waited, so they run here: the window has gone.
        """
        if self._closed:
            return
        self._closed = True
        self.tasks.close()
        for write in self._writes:
            if not write.begun:
                try:
                    write.work()
                except Exception as error:
                    self._complain(error)
        self._writes.clear()
