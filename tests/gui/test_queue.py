"""The queue narrowed: open or settled, what fits this machine, tags, due dates, words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialogButtonBox, QListWidget
from pytestqt.qtbot import QtBot

from reader.gui.dialogs import Ask
from reader.gui.queue import QueuePage
from reader.gui.queued import DATED, OVERDUE, THIS_WEEK, UNDATED, QueueFilters
from reader.gui.window import Window
from reader.store import Store
from tests.gui.conftest import WAIT_MS, press

TODAY = date(2027, 1, 4)


@pytest.fixture
def page(window: Window, qtbot: QtBot, place: Path) -> QueuePage:
    """Return the queue of three stories: one late, one due soon, one without a date."""
    now = date.today()  # noqa: DTZ011  (a day as the user sees it)
    with Store.open(place / "readproof.db") as store:
        store.queue.add("i1", due=now - timedelta(days=2))
        store.queue.add("i2", due=now + timedelta(days=3))
        store.queue.add("i3")
        store.marks.set(["i1", "i3"], add_tags=["gemm"])
        store.marks.set(["i3"], add_tags=["serving"])
    window.go("queue")
    qtbot.waitUntil(lambda: len(window.queue.found) == 3, timeout=WAIT_MS)
    return window.queue


def titles(page: QueuePage) -> set[str]:
    return {each.entry.title for each in page.shown()}


LATE, SOON, FREE = "A scheduler for small kernels", "Evens 1.2.0", "Warp queues on AMD"


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        (QueueFilters(), {LATE, SOON, FREE}),
        (QueueFilters(text="evens"), {SOON}),
        (QueueFilters(text="GEMM warp"), {FREE}),
        (QueueFilters(settled=False), {LATE, SOON, FREE}),
        (QueueFilters(settled=True), set()),
        (QueueFilters(fits=True), {SOON}),
        (QueueFilters(tags=("gemm",)), {LATE, FREE}),
        (QueueFilters(tags=("gemm", "serving")), {FREE}),
        (QueueFilters(due=OVERDUE), {LATE}),
        (QueueFilters(due=THIS_WEEK), {LATE, SOON}),
        (QueueFilters(due=DATED), {LATE, SOON}),
        (QueueFilters(due=UNDATED), {FREE}),
        (QueueFilters(due=THIS_WEEK, fits=True, text="1.2.0"), {SOON}),
    ],
)
def test_filters_combine(page: QueuePage, filters: QueueFilters, left: set[str]) -> None:
    page.change(filters)
    assert titles(page) == left
    assert page.table.isVisible() is bool(left)
    assert page.empty.isVisible() is not bool(left)


def test_each_filter_can_be_taken_away(page: QueuePage) -> None:
    filters = QueueFilters("x", settled=True, fits=True, tags=("a", "b"), due=OVERDUE)
    ways = filters.ways_out()
    assert len(ways) == 6
    assert len({rest for _name, rest in ways}) == 6
    for _name, rest in ways:
        assert len(rest.ways_out()) == 5


def test_slash_searches_the_queue_and_esc_shows_it_whole_again(
    page: QueuePage, window: Window, qtbot: QtBot
) -> None:
    press("/")
    for letter in "evens":
        press(letter)
    assert titles(page) == {SOON}
    assert page.count.text() == "1 of 3"
    press("Esc")
    assert titles(page) == {LATE, SOON, FREE}
    assert page.table.hasFocus()
    page.change(QueueFilters(settled=True))
    qtbot.waitUntil(page.empty.isVisible, timeout=WAIT_MS)
    window.focus_list()
    press("Esc")
    assert page.table.isVisible()


def test_menus_say_how_many_each_choice_leaves(page: QueuePage) -> None:
    for button, texts in (
        (page.bar.settled, ["Open and settled\t3", "Still open\t3", "Settled\t0"]),
        (page.bar.tags, ["#gemm\t2", "#serving\t1"]),
        (
            page.bar.due,
            [
                "Any date\t3",
                "Overdue\t1",
                "Due this week\t2",
                "With a date\t2",
                "Without a date\t1",
            ],
        ),
    ):
        button.menu().aboutToShow.emit()
        assert [each.text() for each in button.menu().actions()] == texts
    page.bar.tags.menu().actions()[1].trigger()
    assert titles(page) == {FREE}
    assert page.bar.tags.text().strip() == "#serving"


def _choose(window: Window, place: int) -> None:
    asked = window.findChild(Ask)
    assert asked is not None
    listed = asked.findChild(QListWidget)
    box = asked.findChild(QDialogButtonBox)
    assert listed is not None
    assert box is not None
    listed.setCurrentRow(place)
    box.button(QDialogButtonBox.StandardButton.Ok).click()


def test_the_state_that_is_chosen_is_the_one_that_is_set(
    page: QueuePage, window: Window, qtbot: QtBot, place: Path
) -> None:
    def stored() -> Sequence[tuple[int, str]]:
        with Store.open(place / "readproof.db") as store:
            return [(each.priority, each.state.value) for each in store.queue.all()]

    before = stored()
    press("e")
    _choose(window, 2)
    qtbot.waitUntil(lambda: 1 in [priority for priority, _state in stored()], timeout=WAIT_MS)
    assert [state for _priority, state in stored()] == [state for _priority, state in before]
    window.command("undo")
    qtbot.waitUntil(lambda: stored() == before, timeout=WAIT_MS)


def test_what_is_selected_stays_so_when_the_queue_is_read_again(
    page: QueuePage, window: Window, qtbot: QtBot
) -> None:
    page.table.selectAll()
    chosen = set(page.table.chosen_ids())
    assert len(chosen) == 3
    page.load(window.bench)
    qtbot.wait(200)
    assert set(page.table.chosen_ids()) == chosen
