"""In the window: a source fetched with one key and read abreast, a page whole, an edit's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reader.gui.window import Window
from reader.model import Query, Source
from reader.store import Store
from tests import web_pages
from tests.feed_server import Answer, FeedServer, serving
from tests.gui.conftest import WAIT_MS, Opener, press
from tests.stories import NOW, arriving, digest, item, post
from tests.test_sync_images import picture
from tests.web_pages import CODE

Furnish = Callable[[Callable[[Store], object]], None]


@pytest.fixture
def server() -> Iterator[FeedServer]:
    with serving() as found:
        yield found


@pytest.fixture
def furnish(place: Path) -> Furnish:
    def fill(work: Callable[[Store], object]) -> None:
        with Store.open(place / "readproof.db") as store:
            work(store)

    return fill


def opened(window: Window, qtbot: QtBot, id_: str) -> None:
    """Show a story and wait until its page stands."""
    window.command("today")
    show = getattr(window, "show_story", None) or window.stories.show_story
    show(id_)
    qtbot.waitUntil(
        lambda: window.reading.opened is not None and window.reading.opened.story.id == id_,
        timeout=WAIT_MS,
    )
    window.reading.browser.setFocus()


def said(window: Window) -> str:
    return window.reading.browser.toPlainText()


def test_an_edit_shows_what_changed(opener: Opener, qtbot: QtBot, furnish: Furnish) -> None:
    def fill(store: Store) -> None:
        code = "<pre>for (;;) {{\n    {0}\n}}</pre>"
        for words, line, hours in (("93 registers", "a();", 0), ("87 registers", "b();", 2)):
            text = f"<p>It takes {words} on sm_80.</p>{code.format(line)}"
            edit = post("Tiles and queues", content_html=text)
            store.library.save("f1", [edit], NOW + timedelta(hours=hours))

    furnish(fill)
    window = opener()
    opened(window, qtbot, "e3")
    assert "Changed on" in said(window)
    window.reading.browser.followed.emit("changes:")
    assert window.reading.tab == "changes"
    assert "It takes 9387 registers on sm_80." in said(window)
    lines = said(window).split("\n")
    assert "-     a();" in lines
    assert "+     b();" in lines
    assert "      a();" not in lines
    window.reading.show_tab("digest")
    press("h")
    assert window.reading.tab == "changes"
    html = window.reading.browser.toHtml()
    assert "line-through" in html
    assert "underline" in html


def test_a_teaser_is_fetched_whole_with_one_key(
    opener: Opener,
    qtbot: QtBot,
    server: FeedServer,
    furnish: Furnish,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "https://pages.example.org/kernel"
    server.answers[url] = Answer(web_pages.hugo().encode())
    _through(server, monkeypatch)
    beginning = post("A kernel post", url=url, content_html="<p>It…</p>")
    furnish(lambda store: store.library.save("f1", [beginning], NOW))
    window = opener()
    opened(window, qtbot, "e5")
    assert "Fetch the whole text" in said(window)
    press("f")
    qtbot.waitUntil(lambda: CODE.split("\n")[0] in said(window), timeout=WAIT_MS)
    assert "The whole page, fetched" in said(window)
    window.reading.browser.followed.emit("text:own")
    assert "It…" in said(window)
    assert CODE.split("\n")[0] not in said(window)
    window.reading.browser.followed.emit("text:whole")
    assert CODE.split("\n")[0] in said(window)


def test_a_missing_source_is_fetched_and_read_abreast(
    opener: Opener,
    qtbot: QtBot,
    server: FeedServer,
    furnish: Furnish,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "https://pages.example.org/kernel"
    server.answers[url] = Answer(web_pages.jekyll().encode())
    _through(server, monkeypatch)
    lost = item("A story of a page", sources=(Source("the page", url),))
    coming = arriving(digest(lost, cutoff_at=NOW, title="Another day"))
    furnish(lambda store: store.library.save(None, [coming], NOW))
    window = opener()
    with Store.open(window.desk.path) as store:
        found = [row.id for row in store.library.page(Query(text="page"))]
    opened(window, qtbot, found[0])
    assert "Fetch it now" in said(window)
    press("w")
    assert not window.reading.texts.two
    press("f")
    qtbot.waitUntil(lambda: "original kept offline" in said(window), timeout=WAIT_MS)
    press("w")
    texts = window.reading.texts
    assert texts.two
    assert "A story of a page" in window.reading.title.text()
    assert CODE.split("\n")[0] in texts.second.toPlainText()
    assert "A kernel post" in texts.second.toPlainText()
    window.reading.show_tab("source")
    assert not texts.two
    assert CODE.split("\n")[0] in said(window)
    window.reading.show_tab("digest")
    assert texts.two
    press("w")
    assert not texts.two
    QApplication.processEvents()


def _through(server: FeedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Send what the window fetches to the loopback server."""
    from reader import fetch

    real = fetch.Fetcher

    def made(**asked: object) -> fetch.Fetcher:
        return real(transport=server.transport(), sleep=lambda _seconds: None)

    monkeypatch.setattr(fetch, "Fetcher", made)


def test_what_comes_with_every_sync_is_set_by_a_command(
    opener: Opener, qtbot: QtBot, furnish: Furnish
) -> None:
    window = opener()
    opened(window, qtbot, "e3")

    def held() -> tuple[bool, bool]:
        with Store.open(window.desk.path) as store:
            return store.whole.is_set("f1"), store.originals.is_set()

    for on in (True, False):
        window.command("whole_always")
        window.command("sources_always")
        qtbot.waitUntil(partial(_is, held, (on, on)), timeout=WAIT_MS)


def _is(held: Callable[[], object], wanted: object) -> bool:
    return held() == wanted


def test_a_picture_that_is_not_kept_says_what_it_shows(
    opener: Opener, qtbot: QtBot, furnish: Furnish
) -> None:
    kept, lost = "https://e.example.org/kept.png", "https://e.example.org/lost.png?a=1&amp;b=2"
    text = f'<p>See <img src="{kept}" alt="k"> and <img src="{lost}" alt="a plot of <b>"></p>'

    def fill(store: Store) -> None:
        store.library.save("f1", [post("Tiles and queues", content_html=text)], NOW)
        store.images.save(kept, "image/png", picture())

    furnish(fill)
    window = opener()
    opened(window, qtbot, "e3")
    assert "[a plot of <b>]" in said(window)
    assert "[k]" not in said(window)
    html = window.reading.browser.toHtml()
    assert kept in html
    assert 'href="https://e.example.org/lost.png?a=1&amp;b=2"' in html
