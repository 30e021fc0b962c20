"""The way from the window to the store: writes in their order, none lost, none twice."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reader import settings
from reader.gui.desk import Desk
from reader.gui.memory import Memory
from tests.gui.conftest import WAIT_MS, Opener


def test_writes_run_one_after_another_in_their_order(qtbot: QtBot, place: Path) -> None:
    desk = Desk(place / "readproof.db")
    order: list[int] = []
    at_work = threading.Semaphore(1)

    def work(n: int) -> int:
        assert at_work.acquire(blocking=False)
        order.append(n)
        at_work.release()
        return n

    answers: list[int] = []
    with qtbot.waitSignal(desk.written, timeout=WAIT_MS):
        for n in range(20):
            desk.keep(partial(work, n), answers.append)
    assert order == answers == list(range(20))
    desk.close()


def test_closing_loses_no_write_and_does_none_twice(qapp: QApplication, place: Path) -> None:
    desk = Desk(place / "readproof.db")
    began, leave = threading.Event(), threading.Event()
    done: list[str] = []

    def first() -> None:
        began.set()
        leave.wait(WAIT_MS / 1000)
        done.append("first")

    desk.keep(first)
    desk.keep(lambda: done.append("second"))
    desk.keep(lambda: done.append("third"))
    assert began.wait(WAIT_MS / 1000)
    leave.set()
    desk.close()
    desk.close()
    qapp.processEvents()
    assert done == ["first", "second", "third"]


def test_a_failed_write_stops_none_behind_it(qtbot: QtBot, place: Path) -> None:
    desk = Desk(place / "readproof.db")
    said: list[str] = []
    done: list[str] = []
    desk.failed.connect(said.append)
    with qtbot.waitSignal(desk.written, timeout=WAIT_MS):
        desk.write(lambda store: store.queue.remove("q99"))
        desk.keep(lambda: done.append("behind"))
    assert len(said) == 1
    assert done == ["behind"]
    desk.close()


def test_what_is_marked_in_the_last_moment_is_kept(
    opener: Opener, qtbot: QtBot, place: Path
) -> None:
    window = opener()
    qtbot.waitUntil(lambda: window.list.current is not None, timeout=WAIT_MS)
    row = window.list.current
    assert row is not None
    window.command("star")
    window.command("read")
    window.command("dark")
    window.close()
    from reader.store import Store

    with Store.open(place / "readproof.db") as store:
        marks = store.library.get(row.id).marks
    assert (marks.starred, marks.read) == (True, True)
    assert settings.load(place / "settings.toml").theme == "dark"
    assert Memory.load(place / "settings.toml").geometry


@pytest.mark.parametrize("kind", ["settings", "memory"])
def test_two_that_write_at_once_leave_one_whole_file(tmp_path: Path, kind: str) -> None:
    config = tmp_path / "settings.toml"
    start = threading.Barrier(4)
    failed: list[BaseException] = []

    def write(n: int) -> None:
        start.wait()
        try:
            for _turn in range(20):
                if kind == "settings":
                    settings.save(config, settings.Settings(cuda=f"/opt/{n}"))
                else:
                    Memory(geometry=f"{n}").save(config)
        except OSError as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failed == []
    if kind == "settings":
        assert settings.load(config).cuda in {f"/opt/{n}" for n in range(4)}
    else:
        assert Memory.load(config).geometry in {"0", "1", "2", "3"}
    assert not list(tmp_path.glob("*.new"))
