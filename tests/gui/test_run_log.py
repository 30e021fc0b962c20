"""The log of a run: warnings apart, folded, followed; made once and used for every run."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractSlider, QApplication
from pytestqt.qtbot import QtBot

from reader.gui.run_log import MOST_LINES, LogPanel, is_warning
from reader.gui.theme import Look
from reader.gui.window import Window
from tests.gui.conftest import WAIT_MS, press


@pytest.fixture
def panel(qtbot: QtBot) -> LogPanel:
    Look("light").apply()
    made = LogPanel()
    qtbot.addWidget(made)
    made.resize(700, 220)
    made.show()
    made.start()
    return made


def text(panel: LogPanel) -> str:
    return panel.log.toPlainText()


@pytest.mark.parametrize(
    ("line", "loud"),
    [
        ("ptxas warning : Registers spilled", True),
        ("error: no kernel image", True),
        ("Traceback (most recent call last):", True),
        ("ValueError: not a tile", True),
        ("警告 3.8.0 sm_120 寄存器溢出", True),
        ("compiled 12 of 48 without stalls", False),
        ("terrorised warnock forwarning", False),
        ("", False),
    ],
)
def test_lines_that_warn_are_told_from_the_rest(line: str, loud: bool) -> None:
    assert is_warning(line) is loud


def test_warnings_only_shows_those_and_comes_back(panel: LogPanel, qtbot: QtBot) -> None:
    assert not panel.warnings.isEnabled()
    for n in range(50):
        panel.add(f"line {n}" if n % 10 else f"warning: {n}")
    qtbot.waitUntil(lambda: len(text(panel).splitlines()) == 50, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: panel.lines.text() == "50 lines", timeout=WAIT_MS)
    assert panel.warnings.text() == "Warnings only 5"
    panel.warnings.click()
    qtbot.waitUntil(lambda: len(text(panel).splitlines()) == 5, timeout=WAIT_MS)
    panel.add("line 51")
    panel.add("error: late")
    qtbot.waitUntil(lambda: text(panel).endswith("error: late"), timeout=WAIT_MS)
    assert "line 51" not in text(panel)
    panel.warnings.click()
    qtbot.waitUntil(lambda: len(text(panel).splitlines()) == 52, timeout=WAIT_MS)
    panel.copy.click()
    assert QGuiApplication.clipboard().text().splitlines()[-2:] == ["line 51", "error: late"]


def test_it_folds_to_its_head_and_out_again(panel: LogPanel) -> None:
    high = panel.height()
    panel.fold_tool.click()
    assert not panel.log.isVisible()
    assert panel.maximumHeight() < high
    assert panel.fold_tool.accessibleName() == "Unfold the log"
    panel.fold_tool.click()
    assert panel.log.isVisible()


def test_it_follows_its_end_until_it_is_scrolled(panel: LogPanel, qtbot: QtBot) -> None:
    bar = panel.log.verticalScrollBar()
    for n in range(300):
        panel.add(f"line {n}")
    qtbot.waitUntil(lambda: text(panel).endswith("line 299"), timeout=WAIT_MS)
    assert bar.value() == bar.maximum()
    bar.triggerAction(QAbstractSlider.SliderAction.SliderToMinimum)
    assert not panel.following.isChecked()
    panel.add("line 300")
    qtbot.waitUntil(lambda: text(panel).endswith("line 300"), timeout=WAIT_MS)
    assert bar.value() == bar.minimum()
    panel.following.click()
    assert bar.value() == bar.maximum()


def test_a_flood_keeps_the_newest_lines_and_counts_all(panel: LogPanel, qtbot: QtBot) -> None:
    for n in range(MOST_LINES + 500):
        panel.add(f"line {n}")
    last = f"line {MOST_LINES + 499}"
    qtbot.waitUntil(lambda: text(panel).endswith(last), timeout=WAIT_MS)
    assert panel.log.blockCount() <= MOST_LINES
    qtbot.waitUntil(lambda: "20,500" in panel.lines.text(), timeout=WAIT_MS)


def test_every_run_is_shown_by_the_same_page_with_a_new_log(window: Window, qtbot: QtBot) -> None:
    window.go("unread")
    qtbot.waitUntil(lambda: window.list.title.text() == "Unread", timeout=WAIT_MS)

    def titles() -> list[str]:
        rows = [window.list.model.row_at(n) for n in range(window.list.model.rowCount())]
        return [row.title if row else "" for row in rows]

    qtbot.waitUntil(lambda: "Evens 1.2.0" in titles(), timeout=WAIT_MS)
    window.list.select(titles().index("Evens 1.2.0"))
    qtbot.waitUntil(lambda: window.verify.offer is not None, timeout=WAIT_MS)
    for _turn in range(2):
        with qtbot.waitSignal(window.jobs.run_ended, timeout=WAIT_MS):
            press("r")
            running = window.proofs.view
            assert running is not None
            qtbot.waitUntil(lambda: window.reading.tab == "verify", timeout=WAIT_MS)
        qtbot.waitUntil(lambda: window.proofs.verdict is not None, timeout=WAIT_MS)
        qtbot.waitUntil(
            lambda: window.proofs.verdict is not None and window.proofs.verdict.isVisible(),
            timeout=WAIT_MS,
        )
        assert window.proofs.view is None
    assert running is window.proofs._running
    shown = [each for each in QApplication.topLevelWidgets() if each.isVisible()]
    assert shown == [window]
