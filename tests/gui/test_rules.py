"""Rules in the window: begun from a story, tried, kept in the file, turned off, taken back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reader.gui.rules import Rules, _split, like
from reader.gui.window import Window
from reader.model import Entry, Labels, Marks
from reader.rules import Action, Rule, fires, subject_of, written
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


def test_the_first_rule_is_shown_with_what_it_would_have_been_about(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reader.gui.rules.DAYS", 3650)
    file = written.place(window.config)
    rule = Rule("Evens", {"title": ("evens",)}, {}, frozenset({Action.STAR}), on=False)
    written.save(file, [rule])
    window.command("rules")
    shown = _shown(window, qtbot)
    qtbot.waitUntil(lambda: shown.name.text() == "Evens", timeout=WAIT_MS)
    assert not shown.on.isChecked()
    qtbot.waitUntil(lambda: "Evens 1.2.0" in shown.titles.text(), timeout=WAIT_MS)
    file.write_text("# by hand\n", encoding="utf-8")
    shown.on.setChecked(True)
    with qtbot.waitSignal(window.desk.failed, timeout=WAIT_MS) as failed:
        shown.keep.click()
    assert "meanwhile" in failed.args[0]
    assert file.read_text(encoding="utf-8") == "# by hand\n"
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


def test_a_feed_with_a_comma_in_its_name_is_one_word() -> None:
    entry = Entry("e1", "T", "f1", None, None, None, (), "", "", 1, Labels(), Marks())
    begun = like(entry, "Compilers, kernels")
    typed = _split(", ".join(begun.when["feed"]))
    rule = Rule("r", {"feed": typed})
    assert fires(rule, subject_of(entry, {"f1": ("Compilers, kernels", "https://example.org/")}))
    assert not fires(rule, subject_of(entry, {"f1": ("Compilers", "https://example.org/")}))
