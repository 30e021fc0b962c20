"""Adding a source in the window: pasted, looked into, subscribed to, by the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reader.gui.add_source import AddSource
from reader.gui.window import Window
from reader.model import Feed
from reader.store import Store
from tests.feed_server import Answer, FeedServer, serving
from tests.gui.conftest import WAIT_MS

FEED = (
    b"<rss version='2.0'><channel><title>Loop</title>"
    + b"".join(
        b"<item><guid>%d</guid><title>sm_90 kernels unroll %d</title>"
        b"<pubDate>Mon, %02d Nov 2026 08:00:00 GMT</pubDate></item>" % (n, n, n)
        for n in range(1, 8)
    )
    + b"</channel></rss>"
)
PAGE = (
    b"<html><head><link rel='alternate' type='application/rss+xml' href='/one.xml' title='One'>"
    b"<link rel='alternate' type='application/rss+xml' href='/two.xml' title='Two'></head></html>"
)


@pytest.fixture
def server() -> Iterator[FeedServer]:
    with serving() as feeds:
        for name, body in (("one.xml", FEED), ("two.xml", FEED), ("", PAGE)):
            feeds.answers[feeds.address + name] = Answer(body)
        yield feeds


@pytest.fixture
def asked(window: Window, qtbot: QtBot) -> Callable[[], AddSource]:
    def opened() -> AddSource:
        window.deeds.do("add")
        qtbot.waitUntil(lambda: window.findChild(AddSource) is not None, timeout=WAIT_MS)
        found = window.findChild(AddSource)
        assert found is not None
        qtbot.waitUntil(found.isVisible, timeout=WAIT_MS)
        return found

    return opened


def enter(dialog: AddSource) -> None:
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)


def feeds(window: Window) -> list[Feed]:
    with Store.open(window.desk.path) as store:
        return store.feeds.all()


def test_enter_looks_and_enter_again_subscribes(
    window: Window, qtbot: QtBot, server: FeedServer, asked: Callable[[], AddSource]
) -> None:
    before = len(feeds(window))
    dialog = asked()
    QTest.keyClicks(dialog.field, f"{server.address}one.xml")
    enter(dialog)
    qtbot.waitUntil(lambda: dialog.samples.count() == 5, timeout=WAIT_MS)
    assert "sm_90 kernels unroll 7" in dialog.samples.item(0).text()
    assert "Hopper" in dialog.samples.item(0).text() or "sm_90" in dialog.samples.item(0).text()
    assert "Loop" in dialog.said.text()
    assert len(feeds(window)) == before
    enter(dialog)
    qtbot.waitUntil(lambda: len(feeds(window)) == before + 1, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: feeds(window)[-1].entries == 7, timeout=WAIT_MS)


def test_of_several_the_arrows_choose(
    window: Window, qtbot: QtBot, server: FeedServer, asked: Callable[[], AddSource]
) -> None:
    dialog = asked()
    QTest.keyClicks(dialog.field, server.address)
    enter(dialog)
    qtbot.waitUntil(lambda: dialog.finds.count() == 2, timeout=WAIT_MS)
    QTest.keyClick(dialog, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: "two.xml" in dialog.said.text(), timeout=WAIT_MS)
    enter(dialog)
    qtbot.waitUntil(lambda: feeds(window)[-1].url.endswith("two.xml"), timeout=WAIT_MS)


def test_what_cannot_be_found_is_said_and_the_words_stay(
    window: Window, qtbot: QtBot, server: FeedServer, asked: Callable[[], AddSource]
) -> None:
    dialog = asked()
    QTest.keyClicks(dialog.field, "no address at all")
    enter(dialog)
    qtbot.waitUntil(lambda: "no address" in dialog.said.text(), timeout=WAIT_MS)
    assert dialog.isVisible()
    dialog.field.clear()
    QTest.keyClicks(dialog.field, f"{server.address}one.xml")
    enter(dialog)
    qtbot.waitUntil(lambda: dialog.samples.count() == 5, timeout=WAIT_MS)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(AddSource) is None, timeout=WAIT_MS)


def test_an_address_in_the_clipboard_stands_in_the_field(
    qtbot: QtBot, asked: Callable[[], AddSource]
) -> None:
    QApplication.clipboard().setText("https://github.com/triton-lang/triton")
    dialog = asked()
    assert dialog.field.text() == "https://github.com/triton-lang/triton"
    dialog.reject()
    QApplication.clipboard().setText("just words")
    qtbot.wait(50)
    assert asked().field.text() == ""


def test_topics_narrow_what_is_shown_and_go_along(
    window: Window, qtbot: QtBot, server: FeedServer, asked: Callable[[], AddSource]
) -> None:
    dialog = asked()
    QTest.keyClicks(dialog.field, f"{server.address}one.xml")
    enter(dialog)
    qtbot.waitUntil(lambda: dialog.samples.count() == 5, timeout=WAIT_MS)
    assert dialog.topics is not None
    dialog.topics.setFocus()
    QTest.keyClicks(dialog.topics, "unroll 3")
    QTest.keyClick(dialog.topics, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.samples.count() == 1, timeout=WAIT_MS)
    enter(dialog)
    qtbot.waitUntil(lambda: feeds(window)[-1].wanted.topics == ("unroll 3",), timeout=WAIT_MS)
    assert feeds(window)[-1].topic_filter


def test_what_comes_of_a_feed_is_changed_in_the_same_place(
    window: Window, qtbot: QtBot, server: FeedServer
) -> None:
    with Store.open(window.desk.path) as store:
        feed = store.feeds.add(f"{server.address}one.xml", "Loop", private=True)
    window.go("feeds")
    qtbot.waitUntil(lambda: feed.id in window.feeds.found, timeout=WAIT_MS)
    dialog = AddSource(window, window.desk, lambda _ids: None, feed.url)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.samples.count() == 5, timeout=WAIT_MS)
    assert "subscribed" in dialog.said.text()
    assert dialog.topics is not None
    dialog.topics.setFocus()
    QTest.keyClicks(dialog.topics, "unroll 3")
    QTest.keyClick(dialog.topics, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.samples.count() == 1, timeout=WAIT_MS)
    enter(dialog)
    qtbot.waitUntil(lambda: feeds(window)[-1].wanted.topics == ("unroll 3",), timeout=WAIT_MS)
    assert [each.id for each in feeds(window)].count(feed.id) == 1
