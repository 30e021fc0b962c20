"""The way from the window to the store: writes in their order, none lost, none twice."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from reader import settings
from reader.gui.desk import Desk
from reader.gui.ids import Ids
from reader.gui.memory import Memory
from reader.store import Store
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


def test_an_answer_that_comes_after_its_dialog_is_dropped(qtbot: QtBot, place: Path) -> None:
    desk, shown, heard = Desk(place / "readproof.db"), QLabel(), QLabel()
    gate = threading.Event()
    desk.keep(lambda: gate.wait(WAIT_MS / 1000), shown.setEnabled)
    desk.write(lambda _store: "kept", partial(shown.setProperty, "said"))
    desk.run(lambda _task: "run", shown.setText)
    delete(shown)
    with qtbot.waitSignal(desk.written, timeout=WAIT_MS):
        gate.set()
    desk.ask(lambda _store: "heard", heard.setText)
    qtbot.waitUntil(lambda: heard.text() == "heard", timeout=WAIT_MS)
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


def test_of_questions_that_wait_only_the_newest_is_asked(qtbot: QtBot, place: Path) -> None:
    desk = Desk(place / "readproof.db")
    leave = threading.Event()
    asked: list[int] = []
    answers: list[int] = []

    def work(n: int, _store: Store) -> int:
        asked.append(n)
        leave.wait(WAIT_MS / 1000)
        return n

    for n in range(6):
        desk.ask(partial(work, n), answers.append, key="list", about="unread")
    qtbot.waitUntil(lambda: asked == [0], timeout=WAIT_MS)
    leave.set()
    qtbot.waitUntil(lambda: answers == [0, 5], timeout=WAIT_MS)  # the same: an old answer serves
    assert asked == [0, 5]
    desk.close()


def test_a_question_about_something_else_breaks_the_older_off(qtbot: QtBot, place: Path) -> None:
    desk = Desk(place / "readproof.db")
    began = threading.Event()
    said: list[str] = []
    answers: list[object] = []
    desk.failed.connect(said.append)

    def forever(store: Store) -> int:
        began.set()
        sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
        return int(store._connection.value(sql))

    desk.ask(forever, answers.append, key="list", about="unread")
    assert began.wait(WAIT_MS / 1000)
    qtbot.wait(50)
    desk.ask(lambda _store: "starred", answers.append, key="list", about="starred")
    qtbot.waitUntil(lambda: answers == ["starred"], timeout=WAIT_MS)
    assert said == []
    desk.close()


def test_ids_are_a_sequence_in_an_array() -> None:
    names = ["e3", "i17", "d2", "e123456789"]
    ids = Ids.of(names)
    assert list(ids) == names
    assert ids == names
    assert ids == Ids.of(names)
    assert ids != Ids.of(names[:-1])
    assert (ids[1], list(ids[1:3]), len(ids)) == ("i17", ["i17", "d2"], 4)
    assert "d2" in ids
    assert "d3" not in ids
    assert Ids.of(ids) is ids
