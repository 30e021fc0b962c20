"""Work goes in, exactly one answer comes out, on the thread that delivers."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

import pytest

from reader.errors import Interrupted
from reader.tasks import Task, Tasks, each, heaps


class Loop:
    """A main thread's queue, as a window has one."""

    def __init__(self) -> None:
        self.waiting: queue.Queue[Callable[[], None]] = queue.Queue()

    def deliver(self, callback: Callable[[], None]) -> None:
        self.waiting.put(callback)

    def turn(self) -> None:
        self.waiting.get(timeout=20)()


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def tasks(loop: Loop) -> Iterator[Tasks]:
    pool = Tasks(2, loop.deliver)
    yield pool
    pool.close()


def test_work_runs_elsewhere_and_answers_here(tasks: Tasks, loop: Loop) -> None:
    seen: list[int] = []
    answers: list[tuple[str, int]] = []

    def work(_task: Task[str]) -> str:
        seen.append(threading.get_ident())
        return "done"

    tasks.submit(work, done=lambda text: answers.append((text, threading.get_ident())))
    loop.turn()
    assert seen != [threading.get_ident()]
    assert answers == [("done", threading.get_ident())]


def test_a_failure_is_an_answer(tasks: Tasks, loop: Loop) -> None:
    faults: list[BaseException] = []

    def work(_task: Task[None]) -> None:
        raise ValueError("no")

    tasks.submit(work, done=lambda _none: pytest.fail("not done"), failed=faults.append)
    loop.turn()
    assert [str(fault) for fault in faults] == ["no"]
    assert loop.waiting.empty()


def test_progress_comes_before_the_answer(tasks: Tasks, loop: Loop) -> None:
    heard: list[object] = []

    def work(task: Task[str]) -> str:
        task.report(1)
        task.report(2)
        return "end"

    tasks.submit(work, done=heard.append, progress=heard.append)
    for _ in range(3):
        loop.turn()
    assert heard == [1, 2, "end"]


def test_cancelled_work_stops_at_its_next_look(tasks: Tasks, loop: Loop) -> None:
    started, gate = threading.Event(), threading.Event()
    faults: list[BaseException] = []

    def work(task: Task[None]) -> None:
        started.set()
        gate.wait(20)
        task.check()

    task = tasks.submit(work, failed=faults.append, name="a sync")
    assert started.wait(20)
    task.cancel()
    gate.set()
    loop.turn()
    assert isinstance(faults[0], Interrupted)
    assert task.wait(20)
    assert tasks.running == []


def test_closing_cancels_and_waits(loop: Loop) -> None:
    pool = Tasks(1, loop.deliver)
    started = threading.Event()

    def work(task: Task[None]) -> None:
        started.set()
        while not task.cancelled:
            threading.Event().wait(0.01)

    task = pool.submit(work)
    assert started.wait(20)
    pool.close()
    assert task.finished


def test_work_that_rests_is_woken_by_closing(loop: Loop) -> None:
    pool = Tasks(1, loop.deliver)
    started = threading.Event()
    stopped: list[bool] = []

    def work(task: Task[None]) -> None:
        stopped.append(task.rest(0.0))
        started.set()
        stopped.append(task.rest(3600.0))

    pool.submit(work)
    assert started.wait(20)
    pool.close()
    assert stopped == [False, True]


def test_work_never_begun_does_not_stay_running(loop: Loop) -> None:
    """What was still waiting when the pool closed is over too."""
    pool = Tasks(1, loop.deliver)
    gate = threading.Event()

    def first(task: Task[None]) -> None:
        while not task.cancelled:
            gate.wait(0.01)

    pool.submit(first)
    second = pool.submit(lambda _task: None)
    pool.close()
    assert second.finished
    assert pool.running == []


def test_inline_runs_at_once() -> None:
    answers: list[int] = []
    Tasks(inline=True).submit(lambda _task: threading.get_ident(), done=answers.append)
    assert answers == [threading.get_ident()]


def test_one_never_stops_the_others() -> None:
    def work(number: int) -> int:
        if number == 3:
            raise ValueError("three")
        return number * 2

    found = dict(each(work, range(6), workers=3))
    assert isinstance(found.pop(3), ValueError)
    assert found == {0: 0, 1: 2, 2: 4, 4: 8, 5: 10}


def test_cancelling_starts_nothing_further() -> None:
    begun: list[int] = []

    def whole(task: Task[None]) -> None:
        def work(number: int) -> None:
            begun.append(number)
            task.cancel()

        for _ in each(work, range(50), workers=1, task=task):
            pass

    faults: list[BaseException] = []
    Tasks(inline=True).submit(whole, failed=faults.append)
    assert isinstance(faults[0], Interrupted)
    assert len(begun) < 50


def test_at_most_so_many_at_once() -> None:
    now: list[int] = []
    most: list[int] = []
    lock = threading.Lock()

    def work(number: int) -> None:
        with lock:
            now.append(number)
            most.append(len(now))
        threading.Event().wait(0.005)
        with lock:
            now.remove(number)

    list(each(work, range(20), workers=3))
    assert max(most) <= 3


def test_work_never_runs_far_ahead_of_its_consumer() -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        return number

    seen = 0
    for heap in heaps(work, range(40), workers=3):
        seen += len(heap)
        assert len(begun) <= seen + 6
    assert seen == 40


def test_one_lane_never_takes_anothers_turn() -> None:
    other_done = threading.Event()

    def work(argument: str) -> str:
        if argument == "quick":
            other_done.set()
        else:
            assert other_done.wait(60)
        return argument

    arguments = [*(f"slow {n}" for n in range(9)), "quick"]
    found = [
        argument
        for heap in heaps(work, arguments, workers=3, lane=lambda one: one.partition(" ")[0])
        for argument, result in heap
        if argument == result
    ]
    assert sorted(found) == sorted(arguments)


def test_what_is_slow_gives_its_place_to_others() -> None:
    others_done = threading.Barrier(4)

    def work(argument: str) -> str:
        others_done.wait(60)  # three slow ones end when a fourth has had its turn
        return argument

    arguments = [*(f"slow {n}" for n in range(3)), "quick"]
    found = [
        result for heap in heaps(work, arguments, workers=1, patience=0.0) for _a, result in heap
    ]
    assert sorted(map(str, found)) == sorted(arguments)


def test_of_one_lane_so_many_are_under_way() -> None:
    lock, under_way, most = threading.Lock(), [0], [0]

    def work(_argument: int) -> None:
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        threading.Event().wait(0.002)
        with lock:
            under_way[0] -= 1

    done = [one for heap in heaps(work, range(30), workers=6, lane=lambda _n: 1) for one in heap]
    assert len(done) == 30
    assert most[0] <= 2
