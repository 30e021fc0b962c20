"""The main story with keys alone: start, read, filter, mark, run, verdict, report."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from reader.gui.window import Window
from reader.model import Query, QueueState, RunStatus, StoryKind
from reader.store import Store
from tests.gui.conftest import WAIT_MS, Opener, press


def test_keys_lead_from_start_to_report(opener: Opener, qtbot: QtBot, place: Path) -> None:
    window = opener(welcomed=False)
    window.go("start")
    qtbot.waitUntil(lambda: window.start._model.rowCount() == 1, timeout=WAIT_MS)
    press("Enter")
    qtbot.waitUntil(lambda: window.list.model.count() == 3, timeout=WAIT_MS)
    assert window.view.key.startswith("digest:")

    press("g u")
    qtbot.waitUntil(lambda: window.list.model.count() == 6, timeout=WAIT_MS)
    press("/")
    for letter in "evens":
        press(letter)
    qtbot.waitUntil(lambda: window.list.model.count() == 2, timeout=WAIT_MS)
    press("Esc")
    # What was opened meanwhile may have been read, and is unread no more.
    qtbot.waitUntil(lambda: window.list.model.count() >= 5, timeout=WAIT_MS)

    select(window, qtbot, "Evens 1.2.0")
    qtbot.waitUntil(lambda: window.verify.offer is not None, timeout=WAIT_MS)
    press("v")
    qtbot.waitUntil(lambda: _queued(place) == 1, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.bench is not None, timeout=WAIT_MS)
    press("r")
    qtbot.waitUntil(lambda: _verdicts(place) > 0, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.reading.tab == "verify", timeout=WAIT_MS)

    press("g r")
    qtbot.waitUntil(lambda: window.runs.view.judged is not None, timeout=WAIT_MS)
    press("Enter")
    assert window.runs.left.currentIndex() == 1
    press("j")
    target = place / "report.html"
    press("x")
    chooser = window.findChild(QFileDialog)
    assert chooser is not None
    chooser.fileSelected.emit(str(target))
    chooser.reject()
    qtbot.waitUntil(target.exists, timeout=WAIT_MS)
    assert "Sums of even numbers are even" in target.read_text(encoding="utf-8")


def select(window: Window, qtbot: QtBot, title: str) -> None:
    """Go down to the story of this title and wait until it is shown."""

    def here() -> bool:
        return window.list.current is not None and window.list.current.title == title

    for _step in range(window.list.model.count()):
        # A row that has not come yet has no title to know it by.
        qtbot.waitUntil(lambda: window.list.current is not None, timeout=WAIT_MS)
        if here():
            break
        press("j")
        QApplication.processEvents()
    qtbot.waitUntil(here, timeout=WAIT_MS)
    qtbot.waitUntil(
        lambda: (
            window.reading.opened is not None
            and window.list.current is not None
            and window.reading.opened.story.id == window.list.current.id
        ),
        timeout=WAIT_MS,
    )


def _queued(place: Path) -> int:
    with Store.open(place / "readproof.db") as store:
        return len(store.queue.all(QueueState.QUEUED))


def _verdicts(place: Path) -> int:
    with Store.open(place / "readproof.db") as store:
        runs = [each for each in store.runs.all() if each.status is RunStatus.FINISHED]
        return sum(len(each.verdicts) for each in runs)


def test_every_mark_is_shown_at_once_and_undone(window: Window, qtbot: QtBot, place: Path) -> None:
    row = window.list.current
    assert row is not None
    press("s")
    assert window.list.current is not None
    assert window.list.current.marks.starred
    qtbot.waitUntil(lambda: _starred(place) == 1, timeout=WAIT_MS)
    press("z")
    qtbot.waitUntil(lambda: _starred(place) == 0, timeout=WAIT_MS)
    press("v")
    qtbot.waitUntil(lambda: _queued(place) == 1, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(window.acts._undo) == 1, timeout=WAIT_MS)
    press("z")
    qtbot.waitUntil(lambda: _queued(place) == 0, timeout=WAIT_MS)


def _starred(place: Path) -> int:
    from reader.model import Query

    with Store.open(place / "readproof.db") as store:
        return store.library.counts(Query(starred=True, limit=None)).total


def test_leaving_a_story_reads_it_and_m_takes_that_back(
    window: Window, qtbot: QtBot, place: Path
) -> None:
    first = window.list.current
    assert first is not None
    press("j")
    qtbot.waitUntil(lambda: _is_read(place, first.id), timeout=WAIT_MS)
    press("k")
    qtbot.waitUntil(lambda: window.list.current_id == first.id, timeout=WAIT_MS)
    press("m")
    qtbot.waitUntil(lambda: not _is_read(place, first.id), timeout=WAIT_MS)
    press("j")
    qtbot.wait(600)
    assert not _is_read(place, first.id)


def _is_read(place: Path, id_: str) -> bool:
    with Store.open(place / "readproof.db") as store:
        return store.library.rows([id_])[0].marks.read


def test_filters_combine_and_each_can_be_taken_away(window: Window, qtbot: QtBot) -> None:
    press("g u")
    qtbot.waitUntil(lambda: window.list.model.count() == 6, timeout=WAIT_MS)
    press("Alt+5")
    qtbot.waitUntil(lambda: window.list.model.count() == 3, timeout=WAIT_MS)
    press("Alt+7")
    qtbot.waitUntil(lambda: window.list._stack.currentIndex() == 1, timeout=WAIT_MS)
    chips = [name for name, _rest in window.list.filters.chips()]
    assert len(chips) == 2
    assert window.list.listing.loosened == (2, 3)
    press("Esc")
    # What was shown a moment has been read by now and is unread no more.
    qtbot.waitUntil(lambda: window.list.model.count() >= 4, timeout=WAIT_MS)
    assert window.list.filters.chips() == []


def test_leaving_the_search_field_stops_no_run(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def stop() -> bool:
        asked.append("stop")
        return True

    monkeypatch.setattr(window.jobs, "cancel_run", stop)
    press("g u")
    qtbot.waitUntil(lambda: window.list.model.count() == 6, timeout=WAIT_MS)
    press("/")
    press("e")
    press("Esc")
    assert window.list.filters.chips() == []
    assert asked == []
    press("Esc")
    assert asked == ["stop"]


def test_space_pages_then_goes_to_the_next_unread_and_ends(window: Window, qtbot: QtBot) -> None:
    press("g t")
    qtbot.waitUntil(lambda: window.list.model.count() > 0, timeout=WAIT_MS)
    first = window.list.current_id
    qtbot.waitUntil(lambda: window.reading.opened is not None, timeout=WAIT_MS)
    press("Space")
    assert window.list.current_id != first
    for _step in range(10):
        press("Space")
        qtbot.wait(20)
    assert "Done for today" in window.status.text.text()


def _feeds(place: Path) -> list[str]:
    with Store.open(place / "readproof.db") as store:
        return [each.id for each in store.feeds.all()]


def test_unsubscribing_is_undone_with_all_that_the_feed_brought(
    opener: Opener, qtbot: QtBot, place: Path
) -> None:
    window = opener()
    window.go("feeds")
    qtbot.waitUntil(lambda: window.feeds.current is not None, timeout=WAIT_MS)
    feed = window.feeds.current
    assert feed is not None
    window.acts.unsubscribe(feed)
    qtbot.waitUntil(lambda: window.feeds.current is None, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.shelf is not None and window.shelf.feeds == (), timeout=WAIT_MS)
    press("z")
    qtbot.waitUntil(lambda: window.feeds.current == feed, timeout=WAIT_MS)
    assert _feeds(place) == [feed.id]
    with Store.open(place / "readproof.db") as store:
        assert len(store.library.ids(Query(kinds=(StoryKind.ENTRY,), feed=feed.id))) == 3


def test_closing_lets_an_unsubscribed_feed_go(opener: Opener, qtbot: QtBot, place: Path) -> None:
    window = opener()
    window.go("feeds")
    qtbot.waitUntil(lambda: window.feeds.current is not None, timeout=WAIT_MS)
    assert window.feeds.current is not None
    window.acts.unsubscribe(window.feeds.current)
    window.close()
    assert _feeds(place) == []


def test_what_has_gone_for_good_is_no_longer_undone(
    opener: Opener, qtbot: QtBot, place: Path
) -> None:
    window = opener()
    window.go("feeds")
    qtbot.waitUntil(lambda: window.feeds.current is not None, timeout=WAIT_MS)
    assert window.feeds.current is not None
    window.acts.unsubscribe(window.feeds.current)
    window.leaving.finish()
    qtbot.waitUntil(lambda: _feeds(place) == [], timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "for good" in window.status.text.text(), timeout=WAIT_MS)
    press("z")
    assert window.status.text.text() == "There is nothing to undo."


def test_a_change_of_priority_is_undone(opener: Opener, qtbot: QtBot, place: Path) -> None:
    window = opener()
    with Store.open(place / "readproof.db") as store:
        entry = store.queue.add("i1")
    window.go("queue")
    qtbot.waitUntil(lambda: window.queue.current is not None, timeout=WAIT_MS)

    def priority() -> int:
        with Store.open(place / "readproof.db") as store:
            return store.queue.get(entry.id).priority

    window.acts.prioritise([entry.id], 1)
    qtbot.waitUntil(lambda: priority() == 1, timeout=WAIT_MS)
    press("z")
    qtbot.waitUntil(lambda: priority() == 0, timeout=WAIT_MS)
