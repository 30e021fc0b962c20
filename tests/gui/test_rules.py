"""Rules in the window: begun from a story, tried, kept in the file, turned off, taken back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reader.gui.rules import Rules
from reader.gui.window import Window
from reader.rules import Action, written
from reader.store import Store
from reader.sync import ruling
from tests.gui.conftest import WAIT_MS, press


def _shown(window: Window, qtbot: QtBot) -> Rules:
    qtbot.waitUntil(lambda: window.findChild(Rules) is not None, timeout=WAIT_MS)
    shown = window.findChild(Rules)
    assert isinstance(shown, Rules)
    return shown


def test_a_rule_from_a_story_to_undo(
    window: Window, qtbot: QtBot, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reader.gui.rules.DAYS", 3650)
    press("g u")
    qtbot.waitUntil(lambda: window.list.model.count() == 6, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.reading.opened is not None, timeout=WAIT_MS)
    window.command("rule_like")
    shown = _shown(window, qtbot)
    qtbot.waitUntil(lambda: shown.tried.text() != "", timeout=WAIT_MS)
    for line in shown.when.values():
        line.clear()
    QTest.keyClicks(shown.when["title"], "evens")
    qtbot.waitUntil(lambda: "Evens" in shown.titles.text(), timeout=WAIT_MS)
    shown.keep.click()
    assert "name" in shown.said.text()  # it has none yet
    shown.name.setText("Evens")
    shown.acts[Action.STAR].setChecked(True)
    shown.tags.setText("even, 偶数")
    shown.keep.click()
    file = written.place(window.config)
    qtbot.waitUntil(file.exists, timeout=WAIT_MS)
    (kept,) = written.load(file)
    assert (kept.when, kept.tags) == ({"title": ("evens",)}, ("even", "偶数"))

    with Store.open(place / "readproof.db") as store:
        (done,) = ruling.apply_to_past(store, kept, datetime.now(UTC), days=3650)
        assert done.stories > 0
    shown._undo()
    qtbot.waitUntil(lambda: "Evens" in shown.said.text(), timeout=WAIT_MS)
    with Store.open(place / "readproof.db") as store:
        assert ruling.applied(store) == []
        assert store.library.tags() == {}

    shown.on.setChecked(False)
    shown.keep.click()
    qtbot.waitUntil(lambda: not written.load(file)[0].on, timeout=WAIT_MS)
    shown.reject()


def test_a_file_that_cannot_be_read_is_not_written_over(window: Window, qtbot: QtBot) -> None:
    file = written.place(window.config)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[[rules]\n", encoding="utf-8")
    window.command("rules")
    shown = _shown(window, qtbot)
    qtbot.waitUntil(lambda: "rules.toml" in shown.said.text(), timeout=WAIT_MS)
    assert not shown.keep.isEnabled()
    shown.reject()
    assert file.read_text(encoding="utf-8") == "[[rules]\n"
