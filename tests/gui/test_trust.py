"""A check of one's own that changed: the window shows its code and runs it only when trusted."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QDialogButtonBox, QPlainTextEdit
from pytestqt.qtbot import QtBot

from reader.checks import manifest
from reader.gui.dialogs import Ask
from reader.gui.trust import read
from reader.gui.window import Window
from tests.gui.conftest import WAIT_MS, press
from tests.gui.test_story import select


def test_what_changed_is_shown_and_runs_once_it_is_trusted(
    window: Window, qtbot: QtBot, place: Path
) -> None:
    own = place / "checks" / "confirms"
    (own / "check.py").write_text((own / "check.py").read_text() + "# edited\u202e\n")
    assert not manifest.trusted(manifest.load(own, bundled=False))
    select(window, qtbot, "Evens 1.2.0")
    press("R")  # all that fits it
    qtbot.waitUntil(lambda: window.findChild(Ask) is not None, timeout=WAIT_MS)
    asked = window.findChild(Ask)
    assert asked is not None
    code = asked.findChild(QPlainTextEdit)
    assert code is not None
    assert "# edited\\u202e" in code.toPlainText()
    box = asked.findChild(QDialogButtonBox)
    assert box is not None
    assert box.button(QDialogButtonBox.StandardButton.Cancel).isDefault()
    box.accepted.emit()
    qtbot.waitUntil(lambda: window.proofs.verdict is not None, timeout=WAIT_MS)
    assert manifest.trusted(manifest.load(own, bundled=False))


def test_it_is_known_that_it_was_trusted_before(place: Path) -> None:
    own = place / "checks" / "confirms"
    assert read(own).before
    assert "── check.toml" in read(own).code
