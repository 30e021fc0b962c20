"""Processes of our own: what is done there, what it costs when it breaks, and that it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from reader import language
from reader.errors import NotUnderstood, SourceError
from reader.language import _
from reader.workers import Workers


def where(_given: object = None) -> int:
    return os.getpid()


def refuses(words: str) -> None:
    raise SourceError(words)


def speaks() -> str:
    return _("There is no network.")


def breaks() -> None:
    os._exit(3)


def never_ends() -> None:
    while True:
        pass


def takes_memory() -> int:
    return len(bytearray(2 << 30))


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    workers = Workers(abreast=1, at_hand=0, seconds=1)
    yield workers
    workers.close()


def test_little_is_done_at_hand_and_the_rest_elsewhere() -> None:
    workers = Workers(abreast=1, at_hand=100)
    try:
        assert workers.call(where, size=60) == os.getpid()
        assert workers.call(where, size=60) != os.getpid()
        assert workers.call(where, size=40) == os.getpid()
    finally:
        workers.close()


def test_one_process_serves_many_calls(workers: Workers) -> None:
    assert len({workers.call(where, b"x" * 200_000, size=1) for _n in range(3)}) == 1


def test_errors_come_back_as_if_raised_here(workers: Workers) -> None:
    with pytest.raises(SourceError, match="no such feed"):
        workers.call(refuses, "no such feed", size=1)


def test_the_language_is_the_callers(workers: Workers) -> None:
    language.set_language("zh")
    try:
        assert workers.call(speaks, size=1) == _("There is no network.") != "There is no network."
    finally:
        language.set_language("en")
    assert workers.call(speaks, size=1) == "There is no network."


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are the system's")
@pytest.mark.parametrize("work", [breaks, never_ends])
def test_what_breaks_a_process_costs_its_own_call_only(workers: Workers, work: object) -> None:
    before = workers.call(where, size=1)
    with pytest.raises(NotUnderstood):
        workers.call(work, size=1)  # type: ignore[arg-type]
    assert workers.call(where, size=1) not in (before, os.getpid())


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are the system's")
def test_memory_has_an_end(workers: Workers) -> None:
    with pytest.raises(NotUnderstood):
        workers.call(takes_memory, size=1)


def test_where_none_can_be_started_the_work_is_done_at_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert Workers(at_hand=0).call(where, size=1) == os.getpid()


@pytest.mark.skipif(sys.platform == "win32", reason="kills by a signal")
def test_they_end_with_a_caller_that_is_killed() -> None:
    script = (
        "import sys; from tests.test_workers import where; from reader.workers import Workers\n"
        "print(Workers(at_hand=0).call(where, size=1), flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[1],
    ) as caller:
        assert caller.stdout is not None
        theirs = psutil.Process(int(caller.stdout.readline()))
        os.kill(caller.pid, signal.SIGKILL)
        assert psutil.wait_procs([theirs], timeout=60)[1] == []
