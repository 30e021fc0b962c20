"""From a loopback server through the real store: health, history, imports, subscriptions."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from reader import opml, sync
from reader.errors import Interrupted, NotUnderstood, SourceError, StoreError, Usage
from reader.fetch import Fetcher
from reader.model import (
    Digest,
    Entry,
    Feed,
    FeedKind,
    Fetch,
    Form,
    Health,
    ParsedEntry,
    ParsedFeed,
    Query,
    StoryKind,
)
from reader.settings import resource
from reader.store import Store, export_data
from reader.sync import schedule
from reader.sync.bodies import as_html
from reader.sync.images import media_type
from reader.sync.results import FeedResult, SyncResult
from reader.sync.subscribing import certain_kind
from reader.sync.topics import on_topic
from reader.tasks import Task
from tests import cases
from tests.feed_server import Answer, Asked, FeedServer, serving
from tests.shared import need_shared

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
SITE = "https://blog.example.org/feed"
ITEM = "<item><title>{0}</title><guid>https://blog.example.org/{0}</guid>{1}</item>"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
DAILY = """\
---
layout: post
categories: [ai-compiler, daily]
title: "AI 编译日报 {date}"
date: {date}
generation_mode: "deepseek"
window_since: "{before}T08:00:00+08:00"
cutoff_at: "{date}T08:00:00+08:00"
---

## 今日概览

今天有一条新消息。

## 重点变化

### 1. 平铺器支持嵌套循环

平铺器现在能处理三层循环，示例内核少用了一次搬运。

**为什么重要：** 少一次搬运就少一次等待。

**涉及层级：** `tensor_ir`、`optimization`

**来源：** [原始来源 1](https://github.com/example/tiler/releases/tag/v{date})

**事件评分：** 71.5/100

## 数据与生成说明

- 采集窗口：{before} 08:00 至 {date} 08:00
- 生成模式：deepseek
"""


def _daily(date: str) -> str:
    before = (datetime.fromisoformat(date) - timedelta(days=1)).date().isoformat()
    return DAILY.format(date=date, before=before)


def _rss(*items: str, title: str = "Kernel Notes") -> bytes:
    channel = f"<channel><title>{title}</title>{''.join(items)}</channel>"
    return f"<rss version='2.0'>{channel}</rss>".encode()


class World:
    """A server, a store, and a clock that is turned by hand."""

    def __init__(self, server: FeedServer, path: Path) -> None:
        self.server, self.path, self.now = server, path, NOW

    def fetcher(self) -> Fetcher:
        return Fetcher(
            transport=self.server.transport(), now=lambda: self.now, sleep=lambda _seconds: None
        )

    def add(self, url: str = SITE, kind: FeedKind = FeedKind.FEED, **more: bool) -> Feed:
        with Store.open(self.path) as store:
            return store.feeds.add(url, "", kind, **more)

    def feed(self, id_: str) -> Feed:
        with Store.open(self.path) as store:
            return store.feeds.get(id_)

    def sync(self, **more: Any) -> SyncResult:
        with self.fetcher() as fetcher:
            return sync.sync(self.path, force=True, fetcher=fetcher, now=lambda: self.now, **more)

    def one(self) -> FeedResult:
        return self.sync().feeds[0]

    def titles(self, kind: StoryKind = StoryKind.ENTRY) -> list[str]:
        with Store.open(self.path) as store:
            return [row.title for row in store.library.page(Query(kinds=(kind,), limit=None))]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with serving() as server:
        yield World(server, tmp_path / "store.db")


# ── one feed ───────────────────────────────────────────────────────────────────────────────────


def test_a_feed_comes_in_and_then_is_unchanged(world: World) -> None:
    world.server.answers[SITE] = Answer(
        _rss(ITEM.format("a", ""), ITEM.format("b", "")), headers={"ETag": '"1"'}
    )
    feed = world.add()
    result = world.sync()
    assert (result.new, result.updated, result.failed) == (2, 0, 0)
    stored = world.feed(feed.id)
    assert (stored.title, stored.health, stored.entries) == ("Kernel Notes", Health.OK, 2)
    assert stored.etag == '"1"'
    for _each in range(2):
        assert world.one().outcome is Health.UNCHANGED
        assert world.server.asked[-1].headers["If-None-Match"] == '"1"'


def test_only_what_is_due_is_asked(world: World) -> None:
    world.server.answers[SITE] = Answer(_rss(ITEM.format("a", "")))
    world.add()
    with world.fetcher() as fetcher:
        for minutes, asked in ((0, 1), (10, 1), (40, 2)):
            world.now = NOW + timedelta(minutes=minutes)
            sync.sync(world.path, fetcher=fetcher, now=lambda: world.now)
            assert len(world.server.asked) == asked


def test_health_tells_apart(world: World) -> None:
    ok = _rss(ITEM.format("a", ""))
    world.server.answers |= {
        SITE: Answer(ok),
        "https://empty.example.org/": Answer(_rss()),
        "https://gone.example.org/": Answer(status=410),
        "https://down.example.org/": Answer(status=500),
        "https://page.example.org/": Answer(b"<!doctype html><title>Captcha</title>"),
        "https://rss.arxiv.org/atom/cs.PL": Answer(
            b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>oai:arXiv.org:2602.00001v1</id>"
            b"<title>GPU compilers</title><published>2026-02-20T00:00:00Z</published>"
            b"</entry></feed>"
        ),
        "https://rss.arxiv.org/atom/cs.AR": Answer(
            b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>oai:arXiv.org:2602.00001v1</id>"
            b"<title>GPU compilers</title></entry></feed>"
        ),
    }
    for url in list(world.server.answers):
        world.add(url, FeedKind.ARXIV if "arxiv" in url else FeedKind.FEED)
    outcomes = {one.url: one.outcome for one in world.sync().feeds}
    again = {one.url: one for one in world.sync().feeds}
    assert outcomes[SITE] is Health.OK
    assert outcomes["https://empty.example.org/"] is Health.QUIET
    assert outcomes["https://gone.example.org/"] is Health.GONE
    assert outcomes["https://down.example.org/"] is Health.FAILED
    assert "“Captcha”" in (again["https://page.example.org/"].error or "")
    arxiv = {again[url].outcome for url in again if "arxiv" in url}
    assert arxiv == {Health.STALE, Health.DUPLICATES}


def test_failures_back_off_and_one_success_forgives(world: World) -> None:
    feed = world.add()
    waits = []
    for _each in range(4):
        world.one()
        following = world.feed(feed.id).next_check
        assert following is not None
        waits.append((following - world.now).total_seconds() / 60)
        world.now += timedelta(hours=1)
    for wait, least in zip(waits, (5, 10, 20, 40), strict=True):
        assert least <= wait <= least * (1 + schedule.JITTER)
    assert world.feed(feed.id).failing_since == NOW
    world.server.answers[SITE] = Answer(_rss(ITEM.format("a", "")))
    assert world.one().outcome is Health.OK
    assert world.feed(feed.id).failing_since is None


def test_what_the_server_says_is_obeyed(world: World) -> None:
    feed = world.add()
    world.server.answers[SITE] = Answer(status=503, headers={"Retry-After": "7200"})
    world.one()
    assert world.feed(feed.id).next_check == NOW + timedelta(hours=2)
    world.server.answers[SITE] = Answer(
        _rss(ITEM.format("a", "")), headers={"Cache-Control": "max-age=21600"}
    )
    world.one()
    assert world.feed(feed.id).next_check == NOW + timedelta(hours=6)


def test_one_bad_feed_never_stops_the_others(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from reader.sync import receive

    def broken(entry: ParsedEntry, *args: Any, **more: Any) -> Any:
        if entry.title == "trap":
            raise ZeroDivisionError("a bug of ours")
        return whole(entry, *args, **more)

    whole = sync.incoming
    monkeypatch.setattr(receive, "incoming", broken)
    for n, title in enumerate(("a", "trap", "c")):
        url = f"https://h{n}.example.org/"
        world.server.answers[url] = Answer(_rss(ITEM.format(title, "")))
        world.add(url)
    result = world.sync()
    assert [one.outcome for one in result.feeds] == [Health.OK, Health.FAILED, Health.OK]
    assert "bug of ours" in (result.feeds[1].error or "")
    assert sorted(world.titles()) == ["a", "c"]


def test_cancelling_keeps_what_was_saved(world: World) -> None:
    for n in range(30):
        url = f"https://h{n}.example.org/"
        world.server.answers[url] = Answer(_rss(ITEM.format(f"t{n}", "")))
        world.add(url)
    task: Task[Any] = Task("sync", lambda callback: callback(), None)
    with pytest.raises(Interrupted):
        world.sync(task=task, progress=lambda _step: task.cancel())
    assert 1 <= len(world.titles()) < 30
    assert world.sync().failed == 0
    assert len(world.titles()) == 30


def test_two_syncs_at_once_are_one_too_many(world: World) -> None:
    with Store.open(world.path) as store, store.lease("sync"), pytest.raises(StoreError):
        world.sync()


def test_progress_names_every_feed(world: World) -> None:
    world.server.answers[SITE] = Answer(_rss(title="Named"))
    world.add()
    seen: list[sync.SyncProgress] = []
    world.sync(progress=seen.append)
    assert [(one.done, one.total, one.title) for one in seen] == [(1, 1, "Named")]


def test_the_topic_filter_keeps_kernels_and_compilers(world: World) -> None:
    world.server.answers[SITE] = Answer(
        _rss(
            ITEM.format("Fusing GEMM kernels", ""),
            ITEM.format("Poetry", "<description>of the sea</description>"),
            ITEM.format("张量编译器", ""),
        )
    )
    world.add(topic_filter=True)
    assert world.one().new == 2
    assert not on_topic(ParsedEntry("A kernel density estimate of bird songs"))
    assert on_topic(ParsedEntry("x", content_html="<p>a Triton kernel</p>"))


def test_pictures_are_kept(world: World) -> None:
    base = "https://pics.example.org/"
    tags = "".join(f'&lt;img src="{base}{n}"&gt;' for n in ("a", "b", "c"))
    world.server.answers |= {
        SITE: Answer(_rss(ITEM.format("a", f"<description>{tags}</description>"))),
        base + "a": Answer(PNG, headers={"Content-Type": "text/html"}),
        base + "b": Answer(b"<html>not a picture", headers={"Content-Type": "image/png"}),
    }
    world.add()
    world.sync()
    with Store.open(world.path) as store:
        assert store.images.get(base + "a") == ("image/png", PNG)
        assert store.images.get(base + "b") is None
        assert store.feeds.kept().images_missing == 2


class _NoNetwork(httpx.BaseTransport):
    """Lets one host through; every other is out of reach."""

    def __init__(self, server: FeedServer) -> None:
        self._inner, self.tried = server.transport(), list[str]()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.host == "blog.example.org":
            return self._inner.handle_request(request)
        self.tried.append(str(request.url))
        raise httpx.ConnectError("no such host")

    def close(self) -> None:
        self._inner.close()


def test_pictures_of_a_host_out_of_reach_stay_for_later(world: World) -> None:
    tags = "".join(f'&lt;img src="https://far.example.org/{n}"&gt;' for n in range(60))
    world.server.answers[SITE] = Answer(
        _rss(ITEM.format("a", f"<description>{tags}</description>"))
    )
    world.add()
    network = _NoNetwork(world.server)
    for _each in range(2):
        with Fetcher(transport=network) as fetcher:
            sync.sync(world.path, force=True, fetcher=fetcher, now=lambda: world.now)
            assert fetcher.get(SITE).status == 200
    assert len(network.tried) < 40
    with Store.open(world.path) as store:
        assert len(store.images.missing(100)) == 60


def test_pictures_by_their_first_bytes() -> None:
    assert media_type(b"GIF89a...") == "image/gif"
    assert media_type(b"RIFF\0\0\0\0WEBPVP8 ") == "image/webp"
    assert media_type(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert media_type(b"<?xml version='1.0'?><svg/>") == "image/svg+xml"
    assert media_type(b"<html><svg/></html>") is None
    assert media_type(b"") is None


# ── the cases over HTTP ────────────────────────────────────────────────────────────────────────


def _case(name: str) -> tuple[Path, dict[str, Any]]:
    folder = cases.CASES / name
    return folder, json.loads((folder / "http.json").read_text("utf-8"))


def _answer(folder: Path, said: dict[str, Any]) -> Answer:
    body = (folder / said["body"]).read_bytes() if "body" in said else b""
    headers = dict(said.get("headers", {}))
    if "location" in said:
        headers["Location"] = said["location"]
    return Answer(body or said.get("body_text", "").encode(), said["status"], headers)


@pytest.mark.parametrize("run", _case("42-http-redirects")[1]["runs"], ids=lambda run: run["name"])
def test_case_redirects(world: World, run: dict[str, Any]) -> None:
    folder = cases.CASES / "42-http-redirects"
    world.server.answers |= {url: _answer(folder, said) for url, said in run["map"].items()}
    feed, expect = world.add(run["start"]), run["expect"]
    outcome = world.one()
    if expect.get("error"):
        assert outcome.outcome is Health.FAILED
    else:
        assert outcome.new == expect["entries"]
    stored = world.feed(feed.id).url
    assert stored == expect.get("stored_url", expect.get("recommended", stored))
    assert len(world.server.asked) <= expect.get("max_requests", 25)


@pytest.mark.parametrize("run", _case("45-html-instead-of-feed")[1]["runs"])
def test_case_no_feed(world: World, run: dict[str, Any]) -> None:
    before = _rss(*(ITEM.format(each, "") for each in "abc"))
    world.server.answers[SITE] = Answer(before)
    feed = world.add()
    world.sync()
    world.server.answers[SITE] = _answer(cases.CASES / "45-html-instead-of-feed", run)
    outcome = world.one()
    assert (outcome.outcome, bool(outcome.error)) == (Health.FAILED, True)
    stored = world.feed(feed.id)
    assert stored.entries == 3
    assert stored.next_check is not None


def test_case_retry_after_deletes_nothing(world: World) -> None:
    world.server.answers[SITE] = Answer(_rss(ITEM.format("a", "")))
    feed = world.add()
    world.sync()
    for said in _case("43-http-retry-after")[1]["cases"]:
        headers = {"Retry-After": said["retry_after"]} if said["retry_after"] else {}
        world.server.answers[SITE] = Answer(status=said["status"], headers=headers)
        assert world.one().outcome is Health.FAILED
    assert (
        world.feed(feed.id).entries == cases.expected("43-http-retry-after")["entries_deleted"] + 1
    )


@pytest.mark.parametrize(
    "name", ["04-date-missing-keeps-order", "33-github-rolling-release", "35-only-updated-changes"]
)
def test_case_sequence(world: World, name: str) -> None:
    folder, expect = cases.CASES / name, cases.expected(name)
    world.add()
    for n, file in enumerate(expect["sequence"]):
        world.server.answers[SITE] = Answer((folder / file).read_bytes())
        outcome = world.one()
        if n == 0 and expect.get("mark_read_after_first"):
            with Store.open(world.path) as store:
                ids = store.library.ids(Query(kinds=(StoryKind.ENTRY,)))
                store.marks.set(ids, read=True)
    after = expect["after_second"]
    with Store.open(world.path) as store:
        rows = store.library.page(Query(kinds=(StoryKind.ENTRY,), limit=None))
        assert [row.title for row in rows] == after.get("display_order", [r.title for r in rows])
        assert len(rows) == after.get("total", len(rows))
        assert outcome.new == after.get("new", outcome.new)
        assert outcome.updated == after.get("updated", outcome.updated)
        if "recommended_unread" in after:
            assert sum(not row.marks.read for row in rows) == after["recommended_unread"]
        if "nightly_updated" in after:
            nightly = store.library.get(next(r.id for r in rows if r.title == "Nightly"))
            assert isinstance(nightly, Entry)
            assert nightly.updated == cases.instant(after["nightly_updated"])
            assert nightly.content_text.strip() == after["nightly_content_text"]


def test_case_future_date_does_not_stick_to_the_top(world: World) -> None:
    expect = cases.expected("05-date-future-outlier")
    world.now = cases.instant(expect["fetched_at"]) or NOW
    folder = cases.CASES / expect["case"]
    world.server.answers[SITE] = Answer((folder / "input.xml").read_bytes())
    world.add()
    world.sync()
    world.now += timedelta(days=1)
    later = ITEM.format("later", "<pubDate>Tue, 03 Mar 2026 03:00:00 GMT</pubDate>")
    world.server.answers[SITE] = Answer(_rss(later))
    world.sync()
    assert world.titles()[0] == "later"


# ── the digest site ────────────────────────────────────────────────────────────────────────────

HOST = "https://maker.github.io/feed.xml"
LISTING = "https://api.github.com/repos/maker/maker.github.io/contents/_posts"
RAW = "https://raw.example.org/"


def _with_history(world: World, days: int) -> None:
    listed = []
    for n in range(days):
        date = (datetime(2026, 1, 1) + timedelta(days=n)).date().isoformat()  # noqa: DTZ001
        name = f"{date}-ai-compiler-daily.md"
        page = f"https://github.com/maker/maker.github.io/blob/main/_posts/{name}"
        listed.append({"name": name, "sha": f"s{n}", "download_url": RAW + name, "html_url": page})
        world.server.answers[RAW + name] = Answer(_daily(date).encode())
    world.server.answers[LISTING] = Answer(json.dumps(listed).encode(), headers={"ETag": '"l"'})
    world.server.answers[HOST] = Answer(_rss(title="Daily"))


def test_a_digest_sites_history_comes_in_parts_newest_first(world: World) -> None:
    _with_history(world, 40)
    world.add(HOST, FeedKind.DIGEST_SITE)
    assert world.one().new == 30
    titles = world.titles(StoryKind.DIGEST)
    assert titles[0].endswith("2026-02-09")
    assert world.one().new == 10
    before = len(world.server.asked)
    assert world.one().new == 0
    assert world.server.urls()[before:].count(LISTING) == 1
    assert not any(url.startswith(RAW) for url in world.server.urls()[before:])
    assert len(world.titles(StoryKind.DIGEST)) == 40
    assert len(world.titles(StoryKind.ITEM)) == 40


def test_a_history_that_fails_never_fails_the_feed(world: World) -> None:
    world.server.answers[HOST] = Answer(_rss(ITEM.format("post", ""), title="Daily"))
    world.server.answers[LISTING] = Answer(status=403)
    world.add(HOST, FeedKind.DIGEST_SITE)
    assert world.one().outcome is Health.OK
    world.server.answers[LISTING] = Answer(b"{}")
    assert world.one().outcome is Health.UNCHANGED


def test_a_post_of_the_feed_and_its_file_are_one_digest(world: World) -> None:
    _with_history(world, 1)
    content = (
        as_html(_daily("2026-01-01"), Form.MARKDOWN).replace("<", "&lt;").replace("&q", "&amp;q")
    )
    world.server.answers[HOST] = Answer(
        _rss(
            "<item><title>AI 编译日报 2026-01-01</title><link>https://maker.github.io/1</link>"
            "<pubDate>Thu, 01 Jan 2026 08:30:00 +0800</pubDate>"
            f"<description>{content}</description></item>",
            ITEM.format("ordinary", "<description>just a post</description>"),
        )
    )
    world.add(HOST, FeedKind.DIGEST_SITE)
    world.sync()
    assert len(world.titles(StoryKind.DIGEST)) == 1
    assert world.titles(StoryKind.ITEM) == ["平铺器支持嵌套循环"]
    assert "ordinary" in world.titles()


# ── folders and files ──────────────────────────────────────────────────────────────────────────


def test_a_folder_is_a_feed(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "2026-01-01-ai-compiler-daily.md").write_text(_daily("2026-01-01"), "utf-8")
    (folder / "deep" / "feed.xml").write_bytes(_rss(ITEM.format("from a feed", "")))
    (folder / ".hidden.md").write_text("# hidden", "utf-8")
    (folder / "empty.txt").write_text("", "utf-8")
    [feed] = sync.subscribe(world.path, str(folder))
    assert feed.kind is FeedKind.FOLDER
    outcome = world.one()
    assert (outcome.new, outcome.outcome) == (2, Health.OK)
    assert "empty.txt" in (outcome.error or "")
    assert world.one().outcome is Health.UNCHANGED


def test_every_kind_of_file_is_read(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.md").write_text(_daily("2026-01-01"), "utf-8")
    (folder / "b.txt").write_text("Only a note\n\nabout kernels", "utf-8")
    (folder / "c.html").write_text(
        "<!doctype html><html><head><title>T</title></head><body><nav>menu</nav><article><h1>An "
        "article</h1><p>text</p></article></body></html>",
        "utf-8",
    )
    (folder / "d.xml").write_bytes(_rss(ITEM.format("posted", "")))
    (folder / "e.opml").write_bytes(b"<opml><outline xmlUrl='http://10.0.0.1/feed'/></opml>")
    (folder / "f.json").write_text('{"version": "x", "items": [{"id": 1, "title": "j"}]}', "utf-8")
    result = sync.import_paths(world.path, [folder])
    assert result.refused == ()
    assert (result.digests, result.items, result.entries, result.feeds) == (1, 1, 4, 1)
    assert {"Only a note", "An article", "posted", "j"} <= set(world.titles())
    with Store.open(world.path) as store:
        assert store.feeds.all()[0].private


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "utf-32"])
def test_encodings_of_files(world: World, tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "2026-01-01-ai-compiler-daily.md"
    file.write_bytes(_daily("2026-01-01").encode(encoding))
    assert sync.import_paths(world.path, [file]).digests == 1


def test_what_is_refused_says_why_and_stops_nothing(world: World, tmp_path: Path) -> None:
    bad: dict[str, bytes] = {
        "picture.png": PNG,
        "page.mhtml": b"MIME-Version: 1.0",
        "noname": b"x",
        "empty.md": b"",
        "blank.txt": b" \n\n",
        "binary.md": bytes(range(256)) * 20,
        "zeros.txt": bytes(1000),
        "huge.md": b"# a\n" * (13 << 20),
        "broken.opml": b"<opml><outline></opml>",
        "broken.zip": b"PK\x03\x04 not a zip",
        "page.json": b"[]",
        "other.xml": b"<urlset/>",
    }
    paths = []
    for name, body in bad.items():
        paths.append(tmp_path / name)
        paths[-1].write_bytes(body)
    good = tmp_path / "good.md"
    good.write_text("# Good\n\ntext", "utf-8")
    paths += [tmp_path / "missing.md", good]
    result = sync.import_paths(world.path, paths)
    assert len(result.refused) == len(bad) + 1
    assert all("\n" not in why and len(why) > 15 for _path, why in result.refused)
    assert result.entries == 1
    assert world.titles() == ["Good"]


def test_a_list_that_is_broken_is_refused_whole(world: World, tmp_path: Path) -> None:
    file = tmp_path / "list.opml"
    file.write_bytes(
        b"<opml><outline xmlUrl='https://a.example.org/'/><outline text='R & D'/></opml>"
    )
    result = sync.import_paths(world.path, [file])
    assert (result.feeds, len(result.refused)) == (0, 1)


def test_a_data_file_merges(world: World, tmp_path: Path) -> None:
    other, file = tmp_path / "other.db", tmp_path / "mine.zip"
    with Store.open(other) as store:
        store.feeds.add("https://a.example.org/")
        export_data(store, file)
    assert zipfile.is_zipfile(file)
    assert sync.import_paths(world.path, [file]).feeds == 1
    assert sync.import_paths(world.path, [file]).feeds == 0


def test_importing_can_be_stopped(world: World, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# a\n\nb", "utf-8")
    task: Task[Any] = Task("import", lambda callback: callback(), None)
    task.cancel()
    with pytest.raises(Interrupted):
        sync.import_paths(world.path, [file], task=task)


# ── subscribing ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("words", "address", "kind"),
    [
        ("cs.PL", "https://rss.arxiv.org/atom/cs.PL", FeedKind.ARXIV),
        ("arxiv:cs.PL+cs.AR", "https://rss.arxiv.org/atom/cs.PL+cs.AR", FeedKind.ARXIV),
        ("https://arxiv.org/list/cs.LG/recent", "https://rss.arxiv.org/atom/cs.LG", FeedKind.ARXIV),
        ("http://rss.arxiv.org/rss/cs.DC", "https://rss.arxiv.org/atom/cs.DC", FeedKind.ARXIV),
        (
            "http://export.arxiv.org/api/query?search_query=all:tiling",
            "https://export.arxiv.org/api/query?search_query=all:tiling",
            FeedKind.ARXIV,
        ),
        (
            "https://github.com/triton-lang/triton",
            "https://github.com/triton-lang/triton/releases.atom",
            FeedKind.GITHUB_RELEASES,
        ),
        (
            "github.com/apache/tvm/releases/",
            "https://github.com/apache/tvm/releases.atom",
            FeedKind.GITHUB_RELEASES,
        ),
        (
            "https://github.com/llvm/llvm-project/commits/main",
            "https://github.com/llvm/llvm-project/commits/main.atom",
            FeedKind.GITHUB_COMMITS,
        ),
        (
            "https://limaomao821.github.io",
            "https://limaomao821.github.io/feed.xml",
            FeedKind.DIGEST_SITE,
        ),
        (
            "https://github.com/Limaomao821/limaomao821.github.io",
            "https://limaomao821.github.io/feed.xml",
            FeedKind.DIGEST_SITE,
        ),
    ],
)
def test_what_is_certain_from_the_address(
    world: World, words: str, address: str, kind: FeedKind
) -> None:
    with Fetcher(transport=world.server.transport()) as fetcher:
        [feed] = sync.subscribe(world.path, words, fetcher=fetcher)
    assert (feed.url, feed.kind) == (address, kind)
    assert world.server.asked == []


def test_a_feed_a_page_and_a_site_of_digests(world: World) -> None:
    page = (
        "<html><head><link rel='alternate' type='application/rss+xml' href='/comments/feed'>"
        "<link rel='alternate' type='application/rss+xml' href='/feed'></head></html>"
    )
    world.server.answers |= {
        "https://blog.example.org/": Answer(page.encode()),
        SITE: Answer(_rss(title="Found")),
        "https://none.example.org/": Answer(b"<html><title>No feed</title></html>"),
    }
    with world.fetcher() as fetcher:
        [feed] = sync.subscribe(world.path, "blog.example.org/", fetcher=fetcher)
        assert (feed.url, feed.title, feed.kind) == (SITE, "Found", FeedKind.FEED)
        assert sync.subscribe(world.path, f"feed:{SITE}", fetcher=fetcher) == [feed]
        with pytest.raises(NotUnderstood, match="names no feed"):
            sync.subscribe(world.path, "https://none.example.org/", fetcher=fetcher)
        with pytest.raises(SourceError, match="404"):
            sync.subscribe(world.path, "https://down.example.org/", fetcher=fetcher)
        with pytest.raises(Usage):
            sync.subscribe(world.path, "not an address", fetcher=fetcher)
        with pytest.raises(Usage):
            sync.subscribe(world.path, "/no/such/folder", fetcher=fetcher)


def test_the_bundled_sources_are_those_that_are_known(world: World) -> None:
    allowed = {
        "https://limaomao821.github.io/feed.xml", "https://developer.nvidia.com/blog/feed/",
        "https://pytorch.org/feed/", "https://blog.llvm.org/index.xml",
    }  # fmt: skip
    names = "triton-lang/triton apache/tvm iree-org/iree pytorch/pytorch pytorch/helion"
    names += " tile-ai/tilelang llvm/llvm-project NVIDIA/cutile-python"
    allowed |= {f"https://github.com/{each}/releases.atom" for each in names.split()}
    allowed |= {f"https://rss.arxiv.org/atom/cs.{each}" for each in ("PL", "LG", "DC", "AR")}
    feeds = sync.subscribe_bundled(world.path)
    assert {feed.url for feed in feeds} == allowed
    assert not any(feed.private for feed in feeds)
    for feed in feeds:
        assert feed.topic_filter is (feed.kind is FeedKind.ARXIV)
        certain = certain_kind(feed.url)
        assert certain is None or certain == (feed.url, feed.kind)
    assert len(opml.read(resource("sources.opml").read_bytes())) == len(feeds)


def test_the_starter_comes_once_and_only_into_an_empty_store(tmp_path: Path) -> None:
    if not any(each.name.endswith(".md") for each in resource("starter", "en").iterdir()):
        pytest.skip("the starter digest is not written yet")
    with Store.open(tmp_path / "new.db") as store:
        sync.starter(store)
        count = len(store.library.ids(Query()))
        assert count == 13
        sync.starter(store)
        assert len(store.library.ids(Query())) == count
    with Store.open(tmp_path / "used.db") as store:
        store.feeds.add("https://a.example.org/")
        sync.starter(store)
        assert store.library.ids(Query()) == []


# ── pure ───────────────────────────────────────────────────────────────────────────────────────


def test_back_off_grows_to_half_a_day() -> None:
    failed = [Fetch(NOW, Health.FAILED)] * 20
    assert schedule.after_failure(failed, NOW, None) == NOW + timedelta(hours=12)
    forgiven = [*failed, Fetch(NOW, Health.OK)]
    assert schedule.after_failure(forgiven, NOW, None) == NOW + timedelta(minutes=5)


def test_a_daily_source_falls_behind() -> None:
    feed = Feed("f1", SITE, "", FeedKind.ARXIV)
    old = ParsedFeed("", "atom", entries=(ParsedEntry("a", published=NOW - timedelta(days=6)),))
    assert schedule.is_stale(feed, old, NOW)
    assert not schedule.is_stale(feed, old, NOW - timedelta(days=2))
    assert not schedule.is_stale(Feed("f1", SITE, ""), old, NOW)


def test_an_untitled_entry_is_called_by_its_first_line() -> None:
    made = sync.incoming(ParsedEntry("", content_html="<p>First line.</p><p>x</p>"), divide=False)
    assert made.entry.title == "First line."


def test_the_recorded_pages_of_arxiv_are_a_hundred_papers(world: World) -> None:
    folder = need_shared("corpus", "arxiv-api")
    for n, file in enumerate(sorted(folder.glob("q_testing_*"))):
        url = f"https://export.arxiv.org/api/query?page={n}"
        world.server.answers[url] = Answer(file.read_bytes())
        world.add(url, FeedKind.ARXIV)
    world.sync()
    assert len(world.titles()) == 100


def test_the_digests_at_hand_come_in(world: World) -> None:
    paths = [need_shared("digests"), need_shared("seeds")]
    result = sync.import_paths(world.path, paths)
    assert result.refused == ()
    assert result.digests == 13
    with Store.open(world.path) as store:
        digests = store.library.ids(Query(kinds=(StoryKind.DIGEST,)))
        assert all(isinstance(store.library.get(each), Digest) for each in digests)


def test_the_server_sees_who_asks(world: World) -> None:
    def told(asked: Asked) -> Answer:
        assert asked.headers["User-Agent"].startswith("Readproof/")
        return Answer(_rss())

    world.server.answers[SITE] = told
    world.add()
    assert world.one().outcome is Health.QUIET


def test_a_sync_labels_anew_what_older_rules_labelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With new rules the next sync labels what is kept, once; the site's layers stay."""
    from reader import classify, sync
    from reader.model import Labels, Query

    path = tmp_path / "s.db"
    with Store.open(path) as store:
        sync.starter(store)
        before = store.library.page(Query(limit=None))
    asked: list[str] = []

    def labels(title: str, text: str, *, url: str | None = None) -> Labels:
        asked.append(title)
        return Labels(hardware=("tpu",), hardware_all=("tpu", "google"))

    monkeypatch.setattr(classify, "labels", labels)
    monkeypatch.setattr(classify, "RULES_VERSION", classify.RULES_VERSION + 1)
    for _ in range(2):
        sync.sync(path)
    with Store.open(path) as store:
        after = store.library.page(Query(hardware=("google",), limit=None))
    assert [row.id for row in after] == [row.id for row in before]
    assert [row.layers for row in after] == [row.layers for row in before]
    assert len(asked) == len(set(asked)) == len(before) + 3


def test_a_copied_digest_is_kept_under_its_own_title(tmp_path: Path) -> None:
    """The first line of a copied page is the way back to the site, not what it is called."""
    from reader.model import Query, StoryKind
    from reader.sync import import_paths

    text = (
        "← 返回博客主页\n\n阅读 12\n\n寄存器的一天\n\n今日概览\n\n一件事。\n\n重点变化\n\n"
        "1. 寄存器变少\n\nsm_90 上少了两个寄存器。\n\n"
        "涉及层级： kernel_codegen\n\n事件评分： 70.5/100\n\n"
        "数据与生成说明\n\n• 采集窗口：2026-11-03T08:00:00+08:00 至 2026-11-04T08:00:00+08:00\n"
    )
    (tmp_path / "copied.txt").write_text(text, encoding="utf-8")
    import_paths(tmp_path / "s.db", [tmp_path / "copied.txt"])
    with Store.open(tmp_path / "s.db") as store:
        (row,) = store.library.page(Query(kinds=(StoryKind.DIGEST,)))
        assert row.title == "寄存器的一天"
