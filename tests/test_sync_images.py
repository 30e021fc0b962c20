"""Pictures from a hostile server: whole articles offline, and nothing that harms or counts."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from reader.fetch import Fetcher
from reader.store import Store
from reader.sync import images, pictures
from reader.sync.images import WORKERS
from reader.sync.results import silent
from reader.sync.visits import STRIKES
from tests.feed_server import Answer, FeedServer, serving
from tests.stories import NOW, opened, post

BASE = "https://pics.example.org/"


@pytest.fixture
def server() -> Iterator[FeedServer]:
    with serving() as found:
        yield found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path) as found:
        yield found


def picture(kind: str = "PNG", size: tuple[int, int] = (40, 30)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(out, kind)
    return out.getvalue()


def article(store: Store, *urls: str, name: str = "post", feed: str | None = None) -> str:
    text = "".join(f'<p>Text</p><img src="{url}" alt="a plot">' for url in urls)
    return store.library.save(feed, [post(name, content_html=text)], NOW).new[0]


def fetch(store: Store, server: FeedServer) -> None:
    with Fetcher(transport=server.transport(), sleep=lambda _seconds: None) as fetcher:
        images.fetch_missing(store, fetcher, None, silent)


def kept(store: Store, *urls: str) -> list[str | None]:
    found = (store.images.get(url) for url in urls)
    return [each[0] if each else None for each in found]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_kind_and_size_are_the_files_own(kind: str) -> None:
    body = picture(kind, (123, 45))
    name = pictures.media_type(body)
    assert name == f"image/{kind.lower()}"
    assert pictures.size(body, name) == (123, 45)
    for cut in range(0, 60, 3):  # never raises, whatever is left of it
        part = body[:cut]
        if (left := pictures.media_type(part)) is not None:
            pictures.size(part, left)


def test_what_is_no_picture_is_not_kept_whatever_it_is_called(
    store: Store, server: FeedServer
) -> None:
    answers = {
        "good.png": Answer(picture(), headers={"Content-Type": "text/html"}),
        "page.png": Answer(b"<html><svg/></html>", headers={"Content-Type": "image/png"}),
        "script.js": Answer(b"alert(1)", headers={"Content-Type": "image/gif"}),
        "empty.png": Answer(b""),
        "cut.png": Answer(picture()[:40], cut=500),
        "lost.png": Answer(b"no", 404),
        "great.png": Answer(b"\x89PNG\r\n\x1a\n" + bytes(6 << 20)),
        "zipped.png": Answer(b"\x89PNG\r\n\x1a\n" + bytes(50 << 20), gzip=True),
    }
    server.answers |= {BASE + name: answer for name, answer in answers.items()}
    article(store, *(BASE + name for name in answers))
    for _each in range(4):
        fetch(store, server)
    assert kept(store, *(BASE + name for name in answers)) == ["image/png", *[None] * 7]
    assert len(server.asked) == 1 + 7 * 3  # and given up after three tries
    assert store.feeds.kept().images == 1


def bomb(width: int, height: int) -> bytes:
    """A small file of a picture that fills gigabytes."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(width // 8 + 1) * 100, 9)
    start = b"\x89PNG\r\n\x1a\n"
    return start + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_a_picture_that_would_fill_the_memory_is_not_kept(store: Store, server: FeedServer) -> None:
    urls = [f"{BASE}{n}" for n in ("wide", "tall", "both", "whole")]
    bodies = [bomb(2_000_000, 1_000), bomb(1_000, 2_000_000), bomb(60_000, 60_000), bomb(800, 600)]
    for url, body in zip(urls, bodies, strict=True):
        server.answers[url] = Answer(body)
    article(store, *urls)
    fetch(store, server)
    assert kept(store, *urls) == [None, None, None, "image/png"]


def test_counters_are_not_asked_and_not_missed(store: Store, server: FeedServer) -> None:
    known = [
        "https://pixel.wp.com/b.gif?v=noscript",
        "https://feeds.feedburner.com/~r/blog/~4/abc",
        "https://www.google-analytics.com/collect?v=1",
        "https://blog.example.org/pixel.gif?id=77",
    ]
    small = f"{BASE}seen"
    shown = f"{BASE}trackingpaper.png"
    server.answers |= {
        small: Answer(picture("GIF", (1, 1))),
        shown: Answer(picture()),
    }
    article(store, *known, small, shown)
    fetch(store, server)
    fetch(store, server)
    assert sorted(server.urls()) == [small, shown]
    assert kept(store, *known, small, shown) == [*[None] * 5, "image/png"]
    assert store.feeds.kept().images_missing == 0


SVG = (
    "<svg xmlns='http://www.w3.org/2000/svg' onload='x()'><script>x()</script>"
    "<style>@import url(http://evil.example.org/a.css); .a {{ fill: url(#g) }}</style>"
    "<image href='file:///etc/hostname'/><image xlink:href=\"http://evil.example.org/p\"/>"
    "<use href='#g'/><image href='data:image/png;base64,AAAA'/>"
    "<foreignObject><iframe src='x'/></foreignObject><a href='javascript:x()'><text>ok</text></a>"
    "<rect fill='url(http://evil.example.org/f)' onclick = \"x()\"/>{0}</svg>"
)


def test_a_drawing_shows_itself_alone(store: Store, server: FeedServer) -> None:
    entity = "<!DOCTYPE svg [<!ENTITY a 'aaaa'>]>" + SVG.format("&a;")
    server.answers |= {
        f"{BASE}a.svg": Answer(SVG.format("").encode()),
        f"{BASE}b.svg": Answer(f"<?xml version='1.0'?>{entity}".encode()),
        f"{BASE}c.svg": Answer(SVG.format("<g>" * 200_000).encode()),
    }
    article(store, *(f"{BASE}{name}.svg" for name in "abc"))
    fetch(store, server)
    assert kept(store, f"{BASE}b.svg", f"{BASE}c.svg") == [None, None]
    found = store.images.get(f"{BASE}a.svg")
    assert found is not None
    drawn = found[1].decode()
    for bad in ("evil", "script", "x()", "file:", "iframe", "javascript", "@import"):
        assert bad not in drawn
    for good in ("<use href='#g'/>", "data:image/png;base64,AAAA", "<text>ok</text>", "url(#g)"):
        assert good in drawn


def test_a_broken_host_is_left_alone(store: Store, server: FeedServer) -> None:
    broken = [f"https://broken.example.org/{n}" for n in range(40)]
    for url in broken:
        server.answers[url] = Answer(picture()[:40], cut=500)
    server.answers[f"{BASE}good"] = Answer(picture())
    article(store, *broken, f"{BASE}good")
    fetch(store, server)
    assert kept(store, f"{BASE}good") == ["image/png"]
    assert len([url for url in server.urls() if "broken" in url]) <= STRIKES + WORKERS
    assert len(store.images.missing(100)) == 40  # they are asked again at the next sync


def test_a_host_that_drips_costs_its_seconds_and_no_more(
    store: Store, server: FeedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "SECONDS", 0.3)
    feed = store.feeds.add(f"{server.address}feed.xml", private=True).id
    slow = [f"{server.address}{n}" for n in range(40)]
    for url in slow:
        server.answers[url] = Answer(picture(), drip=0.2)
    article(store, *slow, feed=feed)
    with Fetcher() as fetcher:
        images.fetch_missing(store, fetcher, None, silent)
    assert len(server.asked) <= STRIKES + WORKERS
    assert kept(store, *slow) == [None] * 40


def test_an_article_of_many_pictures_takes_no_other_articles_turn(
    store: Store, server: FeedServer
) -> None:
    article(store, f"{BASE}mine", name="mine")
    article(store, *(f"https://a.example.org/{n}" for n in range(3_000)), name="flood")
    wanted = store.images.missing(images.MOST)
    assert f"{BASE}mine" in wanted
    assert len(wanted) == 81


def test_the_bytes_of_a_sync_are_bounded(
    store: Store, server: FeedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "MOST_TOGETHER", 5_000)
    monkeypatch.setattr(images, "WORKERS", 1)
    urls = [f"{BASE}{n}" for n in range(9)]
    for url in urls:
        server.answers[url] = Answer(picture("BMP", (30, 30)))
    article(store, *urls)
    for times in (2, 4, 6):
        fetch(store, server)
        assert sum(each is not None for each in kept(store, *urls)) == times


def test_an_address_inside_is_only_for_feeds_the_user_named(
    store: Store, server: FeedServer
) -> None:
    """Over the real door: a public post may not reach into this machine, an own feed's post may."""
    server.answers[f"{server.address}p.png"] = Answer(picture())
    article(store, f"{server.address}p.png", name="public")
    with Fetcher() as fetcher:
        images.fetch_missing(store, fetcher, None, silent)
    assert server.asked == []
    assert kept(store, f"{server.address}p.png") == [None]
    own = store.feeds.add(f"{server.address}feed.xml", private=True).id
    article(store, f"{server.address}p.png", name="own", feed=own)
    with Fetcher() as fetcher:
        images.fetch_missing(store, fetcher, None, silent)
    assert kept(store, f"{server.address}p.png") == ["image/png"]
