"""The Feeds view says why a source is as it is, since when, and what to do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from reader.gui.window import Window
from reader.model import Fetch, Health
from reader.store import Store
from reader.sync import health


def test_a_source_that_is_gone_says_what_to_do(window: Window, qtbot: QtBot) -> None:
    now = datetime.now(UTC)
    with Store.open(window.desk.path) as store:
        feed = store.feeds.add("https://gone.example.org/feed", "Gone Notes")
        following = now + timedelta(days=7)
        store.feeds.record(feed.id, Fetch(now, Health.GONE, "It is gone.", next_check=following))
        store.facts.set(health.moved_fact(feed), "https://before.example.org/feed")
    window.go("feeds")
    qtbot.waitUntil(lambda: feed.id in window.feeds.found, timeout=20_000)
    window.feeds.table.select(feed.id)

    def said() -> str:
        labels = window.feeds.inspector.findChildren(QLabel)
        return " ".join(each.text() for each in labels).replace("\u200b", "")

    qtbot.waitUntil(lambda: "It is gone." in said(), timeout=20_000)
    for words in ("Unsubscribe, or subscribe", "https://before.example.org/feed"):
        assert words in said()
