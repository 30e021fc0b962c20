"""The one door to threads: work goes in, results come back on the thread that delivers them."""

from __future__ import annotations

import logging
import math
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from typing import Any, Generic, TypeVar

from reader.errors import Interrupted

T = TypeVar("T")
A = TypeVar("A")
_log = logging.getLogger(__name__)
_ARENA_MAX = -8  # as <malloc.h> numbers it
SLOW = 24  # that may wait for their servers beside the workers
AHEAD = 2  # results that may wait beside what is being worked on
Deliver = Callable[[Callable[[], None]], None]


class Task(Generic[T]):
    """One piece of work under way; given to the work itself, and to whoever submitted it."""

    def __init__(self, name: str, deliver: Deliver, progress: Callable[[Any], None] | None) -> None:
        self.name = name
        self._deliver = deliver
        self._progress = progress
        self._cancelled = threading.Event()
        self._finished = threading.Event()

    def cancel(self) -> None:
        """Ask the work to stop; it does at its next `check()` or `cancelled` look."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether someone asked the work to stop."""
        return self._cancelled.is_set()

    @property
    def finished(self) -> bool:
        """Whether the work has ended and its result was handed to the deliverer."""
        return self._finished.is_set()

    def check(self) -> None:
        """Raise Interrupted when someone asked the work to stop."""
        if self.cancelled:
            raise Interrupted(self.name)

    def rest(self, seconds: float) -> bool:
        """Let the work pause, but no longer than until it is asked to stop; say whether it was."""
        return self._cancelled.wait(seconds)

    def report(self, progress: Any) -> None:
        """Hand progress to the submitter, on the thread that delivers."""
        if self._progress is not None:
            callback = self._progress
            self._deliver(lambda: callback(progress))

    def wait(self, seconds: float | None = None) -> bool:
        """Block until the work has ended; for closing down and tests only."""
        return self._finished.wait(seconds)


def _call_now(callback: Callable[[], None]) -> None:
    callback()


class Tasks:
    """A pool of worker threads whose callbacks all run where `deliver` takes them.

    `deliver(callback)` must arrange for `callback()` to run on the main thread; by default it
    runs at once, on the worker. With `inline=True` work runs at once on the caller's thread.
    """

    def __init__(
        self, workers: int = 4, deliver: Deliver = _call_now, *, inline: bool = False
    ) -> None:
        self._deliver = deliver
        self._inline = inline
        self._pool = None if inline else ThreadPoolExecutor(workers, thread_name_prefix="task")
        self._open: set[Task[Any]] = set()

    def submit(
        self,
        work: Callable[[Task[T]], T],
        *,
        done: Callable[[T], None] | None = None,
        failed: Callable[[BaseException], None] | None = None,
        progress: Callable[[Any], None] | None = None,
        name: str = "",
    ) -> Task[T]:
        """Run `work(task)` on a worker; exactly one of `done` and `failed` is called after it."""
        task: Task[T] = Task(name, self._deliver, progress)
        self._open.add(task)
        if self._pool is None:
            self._run(task, work, done, failed)
        else:
            future = self._pool.submit(self._run, task, work, done, failed)
            # What is still waiting when the pool closes never runs: it has ended all the same.
            future.add_done_callback(lambda ended: self._end(task) if ended.cancelled() else None)
        return task

    def _run(
        self,
        task: Task[T],
        work: Callable[[Task[T]], T],
        done: Callable[[T], None] | None,
        failed: Callable[[BaseException], None] | None,
    ) -> None:
        callback: Callable[[], None] | None = None
        try:
            result = work(task)
        except BaseException as error:
            if failed is not None:
                callback = partial(failed, error)
            elif not isinstance(error, Interrupted):
                _log.exception("%s failed and nobody listens", task.name or "work")
        else:
            if done is not None:
                callback = partial(done, result)
        self._open.discard(task)
        if callback is not None:
            self._deliver(callback)
        task._finished.set()

    def _end(self, task: Task[Any]) -> None:
        self._open.discard(task)
        task._finished.set()

    @property
    def running(self) -> list[Task[Any]]:
        """The work that has not ended yet."""
        return list(self._open)

    def close(self) -> None:
        """Cancel everything and wait for it to end."""
        for task in list(self._open):
            task.cancel()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


@cache
def share_heap() -> None:
    """Let threads allocate from two heaps of glibc's and not from one each, which holds the memory
    of what passed through all of them: a seventh of a first sync's peak."""
    if sys.platform.startswith("linux"):
        import ctypes

        with suppress(OSError, AttributeError):  # another C library has no such heaps
            ctypes.CDLL(None).mallopt(_ARENA_MAX, 2)


class Gate:
    """Lets so many threads through at once: for work that the processor bounds, and memory."""

    def __init__(self, most: int) -> None:
        self._places = threading.BoundedSemaphore(most)

    def __enter__(self) -> None:
        self._places.acquire()

    def __exit__(self, *error: object) -> None:
        self._places.release()


def each(
    work: Callable[[A], T], arguments: Iterable[A], *, workers: int, task: Task[Any] | None = None
) -> Iterator[tuple[A, T | BaseException]]:
    """Run `work` on every argument over `workers` threads; yield results as they come.

    An exception is yielded in the place of the result, so that one never stops the others.
    When `task` is cancelled nothing further is started, and Interrupted is raised.
    """
    for heap in heaps(work, arguments, workers=workers, task=task):
        yield from heap


class _Turns(Generic[A]):
    """Arguments in their order, but of one lane never more than so many at once."""

    def __init__(
        self, arguments: Iterable[A], lane: Callable[[A], object] | None, abreast: int
    ) -> None:
        self._rest, self._lane, self._abreast = iter(arguments), lane, abreast
        self._postponed: deque[A] = deque()
        self._under_way: Counter[object] = Counter()

    def take(self, many: int) -> list[A]:
        """Return the next whose lanes are free, at most so many."""
        taken: list[A] = []
        passed: deque[A] = deque()
        while len(taken) < many and self._postponed:
            self._try(self._postponed.popleft(), taken, passed)
        self._postponed.extendleft(reversed(passed))
        while len(taken) < many:
            found = list(islice(self._rest, 1))
            if not found:
                break
            self._try(found[0], taken, self._postponed)
        return taken

    def _try(self, argument: A, taken: list[A], passed: deque[A]) -> None:
        lane = None if self._lane is None else self._lane(argument)
        if self._lane is not None and self._under_way[lane] >= self._abreast:
            passed.append(argument)
            return
        self._under_way[lane] += 1
        taken.append(argument)

    def ended(self, argument: A) -> None:
        """Let the next of its lane go."""
        if self._lane is not None:
            self._under_way[self._lane(argument)] -= 1


class _Seats:
    """So many work at once; who takes too long keeps working and gives the seat away."""

    def __init__(self, most: int) -> None:
        self._free = threading.Semaphore(most)
        self._since: dict[object, float] = {}  # when each that has a seat took it
        self._standing: set[object] = set()

    def seated(self, work: Callable[[A], T], argument: A) -> T:
        """Do the work as soon as a seat is free."""
        self._free.acquire()
        me = object()
        self._since[me] = time.monotonic()
        try:
            return work(argument)
        finally:
            # Whoever takes it out of the table gives the seat back, and only that one.
            if self._since.pop(me, None) is not None:
                self._free.release()
            self._standing.discard(me)

    def cleared(self, patience: float) -> int:
        """Take their seats from those that took too long; return how many work without one."""
        late = time.monotonic() - patience
        for each, since in list(self._since.items()):
            if since <= late and len(self._standing) < SLOW:
                self._standing.add(each)
                if self._since.pop(each, None) is None:
                    self._standing.discard(each)  # it has ended meanwhile
                else:
                    self._free.release()
        return len(self._standing)


def heaps(
    work: Callable[[A], T],
    arguments: Iterable[A],
    *,
    workers: int,
    task: Task[Any] | None = None,
    lane: Callable[[A], object] | None = None,
    abreast: int = 2,
    patience: float = math.inf,
) -> Iterator[list[tuple[A, T | BaseException]]]:
    """Do what `each` does, but yield all results at once that have come meanwhile.

    Of one `lane` at most `abreast` are under way, so that one slow server holds up its own only;
    and what has taken more than `patience` seconds gives its place to another (some may), so that
    many slow servers do not hold up the rest.

    Work never runs further ahead of its consumer than what the workers hold and a little, so
    that results do not pile up.
    """
    turns, seats = _Turns(arguments, lane, abreast), _Seats(workers)
    share_heap()
    with ThreadPoolExecutor(workers + SLOW, thread_name_prefix="each") as pool:
        waiting: dict[Future[T], A] = {}
        try:
            while True:
                slow = seats.cleared(patience)
                for argument in turns.take(workers + AHEAD + slow - len(waiting)):
                    waiting[pool.submit(seats.seated, work, argument)] = argument
                if not waiting:
                    return
                ended, _ = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
                if ended:
                    heap = []
                    for future in ended:
                        error = future.exception()
                        result = future.result() if error is None else error
                        heap.append((waiting.pop(future), result))
                        turns.ended(heap[-1][0])
                    del future, result  # the consumer alone holds what came
                    yield heap
                    del heap
                if task is not None:
                    task.check()
        finally:
            for future in waiting:
                future.cancel()
