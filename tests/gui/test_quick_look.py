"""The page of a quick look, on the starter's own, by keys alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reader import language, sync
from reader.gui import views
from reader.gui.jobs import Job
from reader.gui.quick_look import facts, text
from reader.gui.quick_look.cells import COLUMNS, QuickModel
from reader.gui.quick_look.facts import Quick, Told
from reader.gui.quick_look.page import QuickLook
from reader.gui.window import Window
from reader.model import (
    Evidence,
    Reason,
    Reference,
    Run,
    RunStatus,
    Source,
    Text,
    Verdict,
    VerdictKind,
)
from reader.store import Store
from tests.gui.conftest import WAIT_MS, Opener, press


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder whose store holds the starter's digests."""
    language.set_language("en")
    with Store.open(tmp_path / "readproof.db") as store:
        sync.starter(store)
    return tmp_path


def digests(place: Path) -> tuple[list[str], str]:
    with Store.open(place / "readproof.db") as store:
        found = store.library.ids(views.query_of("digests"))
        return found, next(each for each in found if facts.load(store, f"digest:{each}", None))


def kept(place: Path) -> Quick:
    """Return the starter's quick look."""
    with Store.open(place / "readproof.db") as store:
        found = facts.load(store, f"digest:{digests(place)[1]}", None)
    assert found is not None
    return found


@pytest.fixture
def window(opener: Opener, qtbot: QtBot) -> Window:
    """Return a window that knows its machine and shows the digests."""
    window = opener()
    qtbot.waitUntil(lambda: window.bench is not None, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.list.current is not None, timeout=WAIT_MS)
    press("g d")
    qtbot.waitUntil(lambda: window.list.model.ids()[0].startswith("d"), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.list.current is not None, timeout=WAIT_MS)
    return window


def entered(window: Window, qtbot: QtBot, place: Path) -> QuickLook:
    """Open the quick look from the list of digests."""
    found, quick = digests(place)
    for _step in range(found.index(quick)):
        press("j")
    qtbot.waitUntil(lambda: window.list.current_id == quick, timeout=WAIT_MS)
    press("Enter")
    return shown(window, qtbot)


def shown(window: Window, qtbot: QtBot) -> QuickLook:
    qtbot.waitUntil(lambda: window.stories.quick_shown is not None, timeout=WAIT_MS)
    page = window.stories.quick_shown
    assert page is not None
    return page


def titles(page: QuickLook) -> list[str]:
    return [each.title.split(":")[0] for each in page.model.items]


def test_enter_on_a_quick_look_opens_its_page_with_a_row_an_item(
    window: Window, qtbot: QtBot, place: Path
) -> None:
    page = entered(window, qtbot, place)
    assert page.title.text().startswith("Quick look, August 30")
    assert page.overview.text().startswith("Three commits")
    assert titles(page) == [
        "Triton sched4reg",
        "TVM TIRx tirx.required_block_size",
        "TVM CUDADeviceGuard",
    ]
    first = [page.model.index(0, each).data() for each in range(len(COLUMNS))]
    assert "different PTX" in first[1]
    assert "occupancy" in first[2]
    assert first[3].startswith("Compile one kernel")
    assert first[4].startswith("Any time after")
    assert QApplication.focusWidget() is page.table
    assert page.current_id == page.model.items[0].id


def test_j_and_k_move_the_row_and_the_text_below_follows(
    window: Window, qtbot: QtBot, place: Path
) -> None:
    page = entered(window, qtbot, place)
    assert "c349ce5" in page.text.toPlainText()
    press("j j")
    assert "66efb012" in page.text.toPlainText()
    assert page.current is not None
    qtbot.waitUntil(lambda: window.list.current_id == page.current_id, timeout=WAIT_MS)
    press("k")
    assert "0d9c9384" in page.text.toPlainText()
    QTest.keyClick(page.table, Qt.Key.Key_Up)
    assert "c349ce5" in page.text.toPlainText()
    press("k")
    assert page.table.currentIndex().row() == 0


def test_steps_empty_sections_and_references_stand_beside_it(
    window: Window, qtbot: QtBot, place: Path
) -> None:
    page = entered(window, qtbot, place)
    text = page.aside.toPlainText()
    assert "Verify by the shape of your system" in text
    assert "A TVM service with several GPUs: write the current device" in text
    assert "Recommender systems" in page.left_empty.text()
    assert page.references.text() == "3 references"
    assert "[3] TVM commit 66efb012" in text


def test_enter_reads_the_row_in_panes_with_its_checks_and_back_returns(
    window: Window, qtbot: QtBot, place: Path
) -> None:
    page = entered(window, qtbot, place)
    press("j")
    wanted = page.current_id
    press("Enter")
    assert window.stories.quick_shown is None
    qtbot.waitUntil(
        lambda: window.reading.opened is not None and window.reading.opened.story.id == wanted,
        timeout=WAIT_MS,
    )
    qtbot.waitUntil(lambda: window.verify.offer is not None, timeout=WAIT_MS)
    assert window.reading.isVisible()
    assert window.verify.isVisible()
    press("Backspace")
    page = shown(window, qtbot)
    assert page.current_id == wanted
    assert QApplication.focusWidget() is page.table
    press("Backspace")
    qtbot.waitUntil(lambda: window.view.key == "digests", timeout=WAIT_MS)
    assert window.stories.quick_shown is None
    assert QApplication.focusWidget() is window.list.table


def test_v_marks_the_row_z_takes_it_back_and_capital_v_marks_all(
    window: Window, qtbot: QtBot, place: Path
) -> None:
    page = entered(window, qtbot, place)
    press("j")

    def states() -> list[str]:
        return [each.state for each in page.model.told]

    press("v")
    qtbot.waitUntil(lambda: states() == ["", "queued", ""], timeout=WAIT_MS)
    assert page.table.currentIndex().row() == 1
    press("z")
    qtbot.waitUntil(lambda: states() == ["", "", ""], timeout=WAIT_MS)
    press("V")
    qtbot.waitUntil(lambda: states() == ["queued"] * 3, timeout=WAIT_MS)
    assert "Queued" in page.model.index(2, len(COLUMNS) - 1).data()


def test_r_runs_the_check_of_the_row(
    window: Window, qtbot: QtBot, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = entered(window, qtbot, place)
    press("j j")
    started: list[Job] = []
    monkeypatch.setattr(window.jobs, "run", started.append)
    press("r")
    qtbot.waitUntil(lambda: started != [], timeout=WAIT_MS)
    assert [(each.item, each.offer.check.name) for each in started] == [
        (page.current_id, "tvm-device-guard")
    ]
    page.show_running(page.current_id)
    assert "Running" in page.model.index(2, len(COLUMNS) - 1).data()
    page.show_running(None)
    assert "Running" not in page.model.index(2, len(COLUMNS) - 1).data()


def test_brackets_go_to_the_digests_beside(window: Window, qtbot: QtBot, place: Path) -> None:
    page = entered(window, qtbot, place)
    found, quick = digests(place)
    here = found.index(quick)
    back, forth = ("]", "[") if here else ("[", "]")
    press(back)
    qtbot.waitUntil(lambda: window.stories.quick_shown is None, timeout=WAIT_MS)
    assert window.view.key != f"digest:{quick}"
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.list.table, timeout=WAIT_MS)
    press(forth)
    assert shown(window, qtbot) is page
    assert QApplication.focusWidget() is page.table


def test_the_start_page_opens_it_too(window: Window, qtbot: QtBot, place: Path) -> None:
    _found, quick = digests(place)
    window.start.read.emit(quick)
    assert shown(window, qtbot).shown is not None


def test_a_link_to_one_of_its_items_opens_it_in_panes(
    window: Window, qtbot: QtBot, place: Path
) -> None:
    page = entered(window, qtbot, place)
    last = page.model.items[2].id
    press("g q")
    assert window.stories.quick_shown is None
    window.stories.follow(f"story:{last}")
    qtbot.waitUntil(lambda: window.list.current_id == last, timeout=WAIT_MS)
    assert window.stories.quick_shown is None
    press("Backspace")
    assert shown(window, qtbot).current_id == last


def test_search_and_notes_leave_for_the_panes(window: Window, qtbot: QtBot, place: Path) -> None:
    entered(window, qtbot, place)
    press("/")
    assert QApplication.focusWidget() is window.list.search
    assert window.list.search.isVisible()


def test_narrow_the_columns_stack_and_nothing_is_cut(
    window: Window, qtbot: QtBot, place: Path
) -> None:
    page = entered(window, qtbot, place)
    press("j")
    assert not page.model.stacked
    window.resize(800, 700)
    qtbot.waitUntil(lambda: page.model.stacked, timeout=WAIT_MS)
    assert page.model.columnCount() == 1
    assert page.table.currentIndex().row() == 1
    assert page.table.height() >= sum(page.table.rowHeight(each) for each in range(3))
    spoken = page.model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "First step: Compile one kernel" in spoken
    assert page.area.horizontalScrollBar().maximum() == 0
    window.resize(1440, 866)
    qtbot.waitUntil(lambda: not page.model.stacked, timeout=WAIT_MS)
    assert page.table.currentIndex().row() == 1


@pytest.mark.parametrize("spoken", ["en", "zh"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_survives_zoom_colours_and_language(
    opener: Opener, qtbot: QtBot, place: Path, spoken: str, theme: str
) -> None:
    window = opener(spoken, theme=theme)
    qtbot.waitUntil(lambda: window.bench is not None, timeout=WAIT_MS)
    _found, quick = digests(place)
    window.show_view(views.view(f"digest:{quick}"))
    before = shown(window, qtbot)
    high = before.table.rowHeight(0)
    press("j")
    wanted = before.current_id
    window.command("bigger")
    qtbot.waitUntil(lambda: window.stories.quick_shown not in (None, before), timeout=WAIT_MS)
    page = shown(window, qtbot)
    assert page.current_id == wanted
    assert page.table.rowHeight(0) >= high
    window.command("normal")


def test_missing_cells_stay_empty_and_all_is_named(place: Path) -> None:
    quick = kept(place)
    bare = replace(
        quick.items[0],
        reported_result=None,
        scenario=None,
        first_step=None,
        action_window=None,
        group=None,
        happened_at=None,
    )
    model = QuickModel()
    model.show([bare], quick.told[:1])
    for column, name in enumerate(COLUMNS):
        lines = model.index(0, column).data(QuickModel.LINES)
        if name in ("scenario", "step", "window"):
            assert lines == []
            assert model.index(0, column).data(Qt.ItemDataRole.AccessibleTextRole) == ""
    squares = model.index(0, 1).data(QuickModel.LINES)
    assert [each.draw for each in squares] == ["evidence"]
    spoken = model.index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Reported result: Evidence: codegen, property"


def test_a_run_shows_every_verdict_with_its_glyph_and_a_change_makes_it_stale() -> None:
    at = datetime(2026, 12, 1, tzinfo=UTC)
    kinds = (VerdictKind.CONFIRMED, VerdictKind.COULD_NOT_RUN, VerdictKind.REFUTED)
    verdicts = tuple(
        Verdict(f"c{n}", Evidence.CODEGEN, each, Reason("x"), {}, Text("", ""), 1)
        for n, each in enumerate(kinds)
    )
    run = Run("r1", "some", "h", "i1", RunStatus.FINISHED, at, at, {}, verdicts=verdicts)
    told = facts.of_run(None, run)
    assert (told.state, told.word) == ("refuted", "1 Refuted")
    assert [state for state, _text in told.counts] == ["confirmed", "could_not_run"]
    assert "1 Confirmed" in told.spoken
    changed = Reason("stale_check")
    stale = facts.of_run(None, replace(run, stale=(changed,)))
    assert (stale.state, stale.word) == ("stale", "Stale")
    assert [state for state, _text in stale.counts] == ["refuted", "confirmed", "could_not_run"]


def test_a_reference_leads_to_its_kept_original(place: Path) -> None:
    quick = kept(place)
    url = "https://example.org/a"
    item = replace(quick.items[0], sources=(Source("A", url, "e7"),))
    parsed = replace(
        quick.digest.parsed,
        references=(Reference(1, "<A>", url, "example.org"), Reference(2, "B", None, None)),
    )
    page = text.aside(replace(quick, items=(item,), digest=replace(quick.digest, parsed=parsed)))
    assert '[1] <a href="story:e7">&lt;A&gt;</a>' in page
    assert "[2] B</p>" in page


def test_other_digests_keep_their_panes(window: Window, qtbot: QtBot, place: Path) -> None:
    found, quick = digests(place)
    other = next(each for each in found if each != quick)
    window.show_view(views.view(f"digest:{other}"))
    qtbot.waitUntil(lambda: (window.list.current_id or "").startswith("i"), timeout=WAIT_MS)
    assert window.stories.quick_shown is None


def test_what_was_measured_here_stands_under_the_chosen_item(place: Path) -> None:
    from reader.checks import manifest

    (check,) = (each for each in manifest.load_all()[0] if each.name == "triton-sched4reg")
    at = datetime(2026, 12, 1, tzinfo=UTC)
    claim = next(each for each in check.claims if len(each.shows) >= 2)
    measured = dict.fromkeys(claim.shows, 7)
    verdict = Verdict(
        claim.id, claim.kind, VerdictKind.CONFIRMED, Reason("x"), measured, Text("", ""), 1
    )
    run = Run("r9", check.name, "h", "i1", RunStatus.FINISHED, at, at, {}, verdicts=(verdict,))
    figures = facts._figures(check, run)
    assert [name for name, _value in figures] == list(claim.shows[: facts.MOST_FIGURES])
    told = Told("confirmed", "1 Confirmed", figures=figures, measured="1 Dec · r9")
    page = text.chosen(kept(place).items[0], told)
    assert "Measured here" in page
    assert "1 Dec · r9" in page
    for name, value in figures:
        assert name.replace("_", " ") in page
        assert value in page
    assert "Measured here" not in text.chosen(kept(place).items[0], Told())
