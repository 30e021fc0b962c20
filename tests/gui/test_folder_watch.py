"""A folder that is subscribed to: what is saved there comes in while the window is open."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reader.gui import folder_watch
from reader.gui.window import Window
from reader.model import Query, StoryKind
from reader.store import Store
from reader.sync import subscribe
from tests.gui.conftest import WAIT_MS, Opener


def titles(window: Window) -> list[str]:
    with Store.open(window.desk.path) as store:
        return [row.title for row in store.library.page(Query(kinds=(StoryKind.ENTRY,)))]


def test_a_file_that_is_saved_changed_and_deleted_is_noticed(
    opener: Opener, qtbot: QtBot, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_watch, "SETTLE_MS", 30)
    folder = tmp_path / "posts" / "deep"
    folder.mkdir(parents=True)
    subscribe(place / "readproof.db", str(folder.parent))
    window = opener()
    qtbot.waitUntil(lambda: str(folder) in window.folders.watched, timeout=WAIT_MS)
    (folder / "one.md").write_text("# Tiles one\n\nOn sm_90.")
    qtbot.waitUntil(lambda: "Tiles one" in titles(window), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: str(folder / "one.md") in window.folders.watched, timeout=WAIT_MS)
    (folder / "one.md").write_text("# Tiles two\n\nOn sm_100, and longer.")
    qtbot.waitUntil(lambda: "Tiles two" in titles(window), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not window.jobs.syncing, timeout=WAIT_MS)
    (folder / "one.md").unlink()

    def kept() -> bool:
        with Store.open(window.desk.path) as store:
            rows = store.library.page(Query(kinds=(StoryKind.ENTRY,)))
            (found,) = [row for row in rows if row.title == "Tiles two"]
            return bool(getattr(store.library.get(found.id), "notices", ()))

    qtbot.waitUntil(kept, timeout=WAIT_MS)
