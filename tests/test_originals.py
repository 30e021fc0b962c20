"""Digest and original side by side: whole texts and sources are fetched, kept and found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from reader import classify, sync
from reader.errors import NotUnderstood
from reader.fetch import Fetcher
from reader.model import Entry, FeedKind, Item, Query, Source, StoryKind
from reader.store import Store
from reader.store.whole import is_teaser
from reader.sync import fulltext, originals
from reader.sync.visits import STRIKES
from tests import web_pages
from tests.command import command
from tests.feed_server import Answer, Asked, FeedServer, serving
from tests.stories import NOW, arriving, digest, item, opened, post
from tests.web_pages import CODE, PARAGRAPH

BLOG = "https://blog.example.org/kernel"
PAPER = "https://arxiv.org/abs/2610.00001v2"
RELEASE = "https://github.com/example/tiler/releases/tag/v2.0"
COMMIT = "https://github.com/example/tiler/commit/c349ce5"
PULL = "https://github.com/example/tiler/pull/123"
DOI = "https://doi.org/10.1145/3600006.3613165"
ALL = Query(kinds=tuple(StoryKind), limit=None)
ENTRY = (
    "<entry><id>http://arxiv.org/abs/{0}v2</id><title>{1}</title><summary>On $O(n)$.</summary>"
    "<updated>2026-10-02T00:00:00Z</updated><published>2026-10-01T00:00:00Z</published>"
    "<link href='http://arxiv.org/abs/{0}v2' rel='alternate'/></entry>"
)


@pytest.fixture
def server() -> Iterator[FeedServer]:
    with serving() as found:
        yield found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path) as found:
        yield found


def door(server: FeedServer) -> Fetcher:
    return Fetcher(transport=server.transport(), sleep=lambda _seconds: None)


def entry(store: Store, id_: str) -> Entry:
    found = store.library.get(id_)
    assert isinstance(found, Entry)
    return found


def one(store: Store, id_: str) -> Item:
    found = store.library.get(id_)
    assert isinstance(found, Item)
    return found


def found(store: Store, words: str) -> list[str]:
    return store.library.ids(replace(ALL, text=words))


# ── whole texts ────────────────────────────────────────────────────────────────────────────────


def teaser(
    store: Store,
    server: FeedServer,
    content: str = "<p>Warp specialisation moves the loads… Read more</p>",
) -> str:
    """Subscribe to a feed of beginnings, with the page behind its one post."""
    server.answers[BLOG] = Answer(web_pages.wordpress().encode())
    feed = store.feeds.add("https://blog.example.org/feed.xml", "Kernel blog").id
    beginning = post("A kernel post", url=BLOG, content_html=content)
    (id_,) = store.library.save(feed, [beginning], NOW).new
    return id_


def test_a_teaser_is_fetched_whole_beside_the_feeds_own_text(
    store: Store, server: FeedServer
) -> None:
    id_ = teaser(store, server)
    store.marks.set([id_], read=True, starred=True)
    assert found(store, "wgmma") == []
    with door(server) as fetcher:
        assert fulltext.fetch(store, fetcher, [id_]) == [id_]
        assert fulltext.fetch(store, fetcher, [id_]) == []
    whole, own = store.whole.get(id_), entry(store, id_)
    assert whole is not None
    assert whole.content_text.count(PARAGRAPH) == 4
    assert CODE in whole.content_text
    assert "<script" not in whole.content_html
    assert own.content_text == "Warp specialisation moves the loads… Read more"
    assert (own.marks.read, own.marks.starred, own.versions) == (True, True, 1)
    assert found(store, "wgmma") == [id_]
    assert found(store, "specialisation") == [id_]
    assert "https://blog.example.org/img/plot.png" in store.images.missing(9)
    assert own.labels.hardware  # sm_90a stands on the page alone
    assert store.check() == []


def test_an_update_of_the_feed_leaves_the_whole_text(store: Store, server: FeedServer) -> None:
    id_ = teaser(store, server)
    feed = entry(store, id_).feed
    with door(server) as fetcher:
        fulltext.fetch(store, fetcher, [id_])
    edited = post(
        "A kernel post, corrected",
        guid="A kernel post",
        url=BLOG,
        content_html="<p>New beginning…</p>",
    )
    assert store.library.save(feed, [edited], NOW).updated == (id_,)
    assert store.whole.get(id_) is not None
    assert found(store, "wgmma") == [id_]
    assert found(store, "beginning") == [id_]
    assert "sm_90a" in entry(store, id_).labels.hardware  # still those of the whole text
    store.library.relabel(classify.labels)
    assert "sm_90a" in entry(store, id_).labels.hardware
    assert "https://blog.example.org/img/plot.png" in store.images.missing(9)
    store.feeds.remove(feed or "")
    assert found(store, "wgmma") == []
    assert store.check() == []


def test_a_page_that_says_no_more_is_refused(store: Store, server: FeedServer) -> None:
    id_ = teaser(store, server, content=f"<p>{PARAGRAPH * 9}</p>")
    server.answers[BLOG] = Answer(b"<html><body><p>Please accept cookies first.</p></body>")
    with door(server) as fetcher, pytest.raises(NotUnderstood, match="no more"):
        fulltext.fetch(store, fetcher, [id_])
    assert store.whole.get(id_) is None


def test_a_page_that_changes_keeps_what_it_said(store: Store, server: FeedServer) -> None:
    id_ = teaser(store, server)
    with door(server) as fetcher:
        fulltext.fetch(store, fetcher, [id_])
        server.answers[BLOG] = Answer(web_pages.wordpress().replace("87", "85").encode())
        assert fulltext.fetch(store, fetcher, [id_]) == [id_]
    first, second = store.whole.all(id_)
    assert ("87" in first.content_text, "85" in second.content_text) == (True, True)


def test_only_feeds_set_so_are_fetched_whole_at_sync(store: Store, server: FeedServer) -> None:
    id_ = teaser(store, server)
    quiet = store.feeds.add("https://other.example.org/feed.xml").id
    store.library.save(quiet, [post("Other", url="https://other.example.org/1")], NOW)
    releases = store.feeds.add(
        "https://github.com/example/tiler/releases.atom", kind=FeedKind.GITHUB_RELEASES
    ).id
    store.library.save(releases, [post("v2", url=RELEASE, content_html="<p>x</p>")], NOW)
    with door(server) as fetcher:
        assert fulltext.fetch_wanting(store, fetcher) == 0
        feed = entry(store, id_).feed or ""
        for each in (feed, releases):
            store.whole.set(each, on=True)
        assert store.whole.is_set(feed)
        assert fulltext.fetch_wanting(store, fetcher) == 1
        assert fulltext.fetch_wanting(store, fetcher) == 0
    assert server.urls() == [BLOG]


def test_a_page_that_fails_stops_nothing_and_is_given_up(store: Store, server: FeedServer) -> None:
    id_ = teaser(store, server)
    feed = entry(store, id_).feed or ""
    store.whole.set(feed, on=True)
    store.library.save(feed, [post("Broken", url="https://blog.example.org/broken")], NOW)
    with door(server) as fetcher:
        assert fulltext.fetch_wanting(store, fetcher) == 1
        for _each in range(5):
            assert fulltext.fetch_wanting(store, fetcher) == 0
    assert server.urls().count("https://blog.example.org/broken") == 3


def test_a_page_inside_is_fetched_for_a_feed_the_user_named(
    store: Store, server: FeedServer
) -> None:
    """Over the real door: the same page is refused to a public feed."""
    page = f"{server.address}kernel.html"
    server.answers[page] = Answer(web_pages.hugo().encode())
    for private, kept in ((False, False), (True, True)):
        url = f"{server.address}{private}.xml" if private else "https://far.example.org/feed"
        feed = store.feeds.add(url, private=private).id
        beginning = post(f"Post {private}", url=page, content_html="<p>It…</p>")
        (id_,) = store.library.save(feed, [beginning], NOW).new
        store.whole.set(feed, on=True)
        with Fetcher() as fetcher:
            fulltext.fetch_wanting(store, fetcher)
        assert (store.whole.get(id_) is not None) is kept


@pytest.mark.parametrize(
    ("text", "teasing"),
    [
        ("Short.", True),
        ("word " * 400 + "[…]", True),
        ("word " * 400 + "Continue reading →", True),
        ("字" * 1600 + "阅读全文", True),
        ("word " * 400 + "The post A kernel appeared first on Blog.", False),
        ("word " * 400 + "and that is all.", False),
        ("word " * 2000 + "…", False),
    ],
)
def test_what_looks_like_a_teaser(text: str, teasing: bool) -> None:
    assert is_teaser(text) is teasing


def test_what_was_given_up_is_tried_again_after_days_and_not_for_ever(
    store: Store, server: FeedServer
) -> None:
    id_ = teaser(store, server)
    store.whole.set(entry(store, id_).feed or "", on=True)
    server.answers[BLOG] = Answer(b"gone", 404)
    days = [0, 0, 0, 0, 1, 4, 5, 8, 12, 16, 20, 24, 28, 32, 40]
    asked = []
    with door(server) as fetcher:
        for day in days:
            later = NOW + timedelta(days=day)
            fulltext.fetch_wanting(store, fetcher, now=partial(_moment, later))
            asked.append(len(server.asked))
    assert asked == [1, 2, 3, 3, 3, 4, 4, 5, 6, 7, 8, 8, 8, 8, 8]


def _moment(moment: datetime) -> datetime:
    return moment


def test_a_broken_host_is_left_alone_for_this_sync(store: Store, server: FeedServer) -> None:
    id_ = teaser(store, server)
    feed = entry(store, id_).feed or ""
    store.whole.set(feed, on=True)
    urls = [f"https://broken.example.org/{n}" for n in range(30)]
    server.answers |= {url: Answer(b"<p>", cut=500) for url in urls}
    store.library.save(feed, [post(url, url=url) for url in urls], NOW)
    with door(server) as fetcher:
        assert fulltext.fetch_wanting(store, fetcher) == 1
    assert len(server.asked) <= 1 + STRIKES + fulltext.WORKERS
    assert len(store.whole.wanting(99)) == 30  # and asked again at the next


# ── originals ──────────────────────────────────────────────────────────────────────────────────


RELEASED = {
    "tag_name": "v2.0",
    "name": "Tiler 2.0",
    "author": {"login": "ada"},
    "published_at": "2026-10-01T10:00:00Z",
    "body": "x",
    "body_html": "<p>Adds <code>vector&lt;T&gt;</code></p>",
}
COMMITTED = {
    "sha": "c349ce5" + "0" * 33,
    "commit": {
        "message": "Keep vector<T>\n\nA reason\nin lines.",
        "author": {"name": "Ada", "date": "2026-09-30T10:00:00Z"},
    },
    "files": [{"filename": "a.cu", "patch": "@@ -1 +1 @@\n-k<<<1>>>();\n+k<<<2>>>();"}],
}
PULLED = {
    "number": 123,
    "title": "Guard devices",
    "state": "closed",
    "user": {"login": "bob"},
    "created_at": "2026-09-29T10:00:00Z",
    "labels": [{"name": "codegen"}],
    "pull_request": {"merged_at": "2026-09-30T10:00:00Z"},
    "body": "Sets *every* guard.",
}
ATOM = (
    "<feed xmlns='http://www.w3.org/2005/Atom'><title>arXiv</title><id>x</id>"
    "<updated>2026-10-02T00:00:00Z</updated>{0}</feed>"
)
QUERY = "https://export.arxiv.org/api/query?max_results={0}&id_list={1}"


def sources(server: FeedServer) -> None:
    """Answer as GitHub, arXiv, a publisher and a blog do."""
    api = "https://api.github.com/repos/example/tiler"
    for rest, said in (
        ("releases/tags/v2.0", RELEASED),
        ("commits/c349ce5", COMMITTED),
        ("issues/123", PULLED),
    ):
        server.answers[f"{api}/{rest}"] = Answer(json.dumps(said).encode())
    papers = ENTRY.format("2610.00001", "A paper") + ENTRY.format("2610.00002", "Another")
    query = QUERY.format(2, "2610.00001,2610.00002")
    server.answers[query] = Answer(ATOM.format(papers).encode())
    server.answers[BLOG] = Answer(web_pages.jekyll().encode())
    moved = "https://publisher.example.org/p"
    server.answers[DOI] = Answer(status=302, headers={"Location": moved})
    server.answers[moved] = Answer(web_pages.sphinx().encode())


def missing(store: Store, *numbers: int) -> dict[str, str | None]:
    """Return the sources that items lack, with why each could not be had."""
    found = (each for n in numbers for each in store.originals.missing(f"i{n}"))
    return {each.url: each.why for each in found}


def digest_of(store: Store, *urls: str) -> None:
    parsed = digest(
        *(
            item(f"Story {n}", summary=f"{n} " * 20, sources=(Source(f"source {n}", url),))
            for n, url in enumerate(urls)
        ),
    )
    store.library.save(None, [arriving(parsed)], NOW)


def test_every_kind_of_source_is_fetched_and_joined(store: Store, server: FeedServer) -> None:
    urls = (
        RELEASE,
        COMMIT,
        PULL,
        PAPER,
        "https://arxiv.org/pdf/2610.00002",
        DOI,
        f"{BLOG}?utm_source=x",
    )
    sources(server)
    server.answers[f"{BLOG}?utm_source=x"] = server.answers[BLOG]
    digest_of(store, *urls)
    assert list(missing(store, *range(1, 8))) == list(urls)
    with door(server) as fetcher:
        outcome = originals.fetch_missing(store, fetcher, now=lambda: NOW)
    assert outcome == dict.fromkeys(urls)
    kept = [one(store, f"i{n}").sources[0].entry_id for n in range(1, 8)]
    assert None not in kept
    said = [entry(store, id_ or "") for id_ in kept]
    assert [each.title for each in said] == [
        "Tiler 2.0",
        "Keep vector<T>",
        "Guard devices",
        "A paper",
        "Another",
        "A kernel post",
        "A kernel post",
    ]
    assert said[0].content_text == "Adds vector<T>"
    assert "A reason\nin lines." in said[1].content_text
    assert "+k<<<2>>>();" in said[1].content_text
    assert said[2].content_text.startswith("#123 · merged · codegen")
    assert (said[2].authors, said[5].url) == (("bob",), DOI)
    assert all(each.marks.read for each in said)
    assert store.library.ids(replace(ALL, since=NOW - timedelta(days=2))) == []
    assert store.originals.wanting(9) == []
    assert sum(urlsplit(url).hostname == "export.arxiv.org" for url in server.urls()) == 1
    assert store.check() == []


def test_a_feed_that_brings_an_original_later_has_the_same_entry(
    store: Store, server: FeedServer
) -> None:
    sources(server)
    digest_of(store, RELEASE)
    with door(server) as fetcher:
        originals.fetch_missing(store, fetcher)
    feed = store.feeds.add("https://github.com/example/tiler/releases.atom").id
    release = post("Tiler 2.0", guid="tag:github.com,2008:Repository/1/v2.0", url=RELEASE)
    saved = store.library.save(feed, [release], NOW)
    assert (saved.new, saved.updated) == ((), (one(store, "i1").sources[0].entry_id,))


def test_without_the_api_a_commit_and_a_release_come_another_way(
    store: Store, server: FeedServer
) -> None:
    patch = (
        "From c349ce5000 Mon Sep 17 00:00:00 2001\nFrom: Ada <ada@example.org>\n"
        "Date: Wed, 30 Sep 2026 10:00:00 +0000\nSubject: [PATCH] Keep vector<T> in every\n"
        " kernel\n\nA reason.\n---\n a.cu | 2 +-\n\n@@ -1 +1 @@\n+k<<<2>>>();\n"
    )
    limit = Answer(b"rate limit", 403, headers={"x-ratelimit-remaining": "0"})
    api = "https://api.github.com/repos/example/tiler"
    server.answers |= {
        f"{api}/commits/c349ce5": limit,
        f"{api}/releases/tags/v2.0": limit,
        f"{COMMIT}.patch": Answer(patch.encode()),
        RELEASE: Answer(web_pages.plain_blocks().encode()),
    }
    digest_of(store, COMMIT, RELEASE)
    with door(server) as fetcher:
        assert originals.fetch_missing(store, fetcher) == {RELEASE: None, COMMIT: None}
    commit = entry(store, one(store, "i1").sources[0].entry_id or "")
    assert (commit.title, commit.authors) == ("Keep vector<T> in every kernel", ("Ada",))
    assert "A reason." in commit.content_text
    assert "+k<<<2>>>();" in commit.content_text
    assert CODE in entry(store, one(store, "i2").sources[0].entry_id or "").content_text


def test_a_source_that_cannot_be_had_says_why_and_is_given_up(
    store: Store, server: FeedServer
) -> None:
    lost, pdf, inside = "https://blog.example.org/lost", f"{BLOG}.pdf", "http://127.0.0.1:9/x"
    server.answers[pdf] = Answer(b"%PDF-1.7", headers={"Content-Type": "application/pdf"})
    digest_of(store, lost, pdf, PAPER)
    query = QUERY.format(1, "2610.00001")
    server.answers[query] = Answer(ATOM.format("").encode())
    with door(server) as fetcher:
        for _each in range(4):
            outcome = originals.fetch_missing(store, fetcher)
    assert outcome == {}
    why = {url: said or "" for url, said in missing(store, 1, 2, 3).items()}
    assert "404" in why[lost]
    assert "download" in why[pdf]
    assert "not there" in why[PAPER]
    assert len(server.asked) == 9
    digest_of(store, inside)
    with Fetcher() as fetcher:
        (said,) = originals.fetch_missing(store, fetcher).values()
    assert said is not None
    assert store.library.ids(replace(ALL, kinds=(StoryKind.ENTRY,))) == []


def test_a_hostile_answer_is_a_sentence(store: Store, server: FeedServer) -> None:
    digest_of(store, RELEASE, COMMIT, PULL)
    api = "https://api.github.com/repos/example/tiler"
    server.answers |= {
        f"{api}/releases/tags/v2.0": Answer(b'{"tag_name": 7}'),
        f"{api}/commits/c349ce5": Answer(b"[1, 2]"),
        f"{api}/issues/123": Answer(b'{"number": 1, "title": null, "body": ["x"]}'),
    }
    with door(server) as fetcher:
        outcome = originals.fetch_missing(store, fetcher)
    assert set(outcome) == {RELEASE, COMMIT, PULL}
    assert store.check() == []


def test_at_sync_the_sources_come_where_it_is_set(tmp_path: Path, server: FeedServer) -> None:
    sources(server)
    path = tmp_path / "store" / "readproof.db"
    with opened(tmp_path) as store:
        digest_of(store, RELEASE, BLOG)
        store.feeds.add("https://quiet.example.org/feed")
    body = b"<rss version='2.0'><channel><title>q</title></channel></rss>"
    server.answers["https://quiet.example.org/feed"] = Answer(body)
    for on, left in ((False, 2), (True, 0)):
        with opened(tmp_path) as store:
            store.originals.set(on=on)
        with door(server) as fetcher:
            sync.sync(path, force=True, fetcher=fetcher, now=lambda: NOW)
        with opened(tmp_path) as store:
            assert len(store.originals.wanting(9)) == left


def test_the_token_goes_to_github_alone(store: Store, server: FeedServer) -> None:
    seen: dict[str, str | None] = {}

    def answer(asked: Asked) -> Answer:
        held = {name.lower(): value for name, value in asked.headers.items()}
        seen[urlsplit(asked.url).hostname or ""] = held.get("authorization")
        return Answer(b"no", 403)

    for url in ("https://api.github.com/repos/example/tiler/releases/tags/v2.0", RELEASE, BLOG):
        server.answers[url] = answer
    digest_of(store, RELEASE, BLOG)
    with door(server) as fetcher:
        originals.fetch_missing(store, fetcher, token="secret")
    assert seen == {"api.github.com": "Bearer secret", "github.com": None, "blog.example.org": None}


# ── the command line ───────────────────────────────────────────────────────────────────────────


def test_the_command_line_shows_and_fetches(tmp_path: Path, server: FeedServer) -> None:
    path = tmp_path / "store" / "readproof.db"
    lost = "https://blog.example.invalid/x"
    with opened(tmp_path) as store:
        digest_of(store, lost)
        feed = store.feeds.add(f"{server.address}feed.xml", "Kernel blog", private=True).id
        (id_,) = store.library.save(
            feed, [post("notes", content_html="<p>old words stand here</p><pre>a\n  b</pre>")], NOW
        ).new
        store.library.save(
            feed, [post("notes", content_html="<p>new words stand here</p><pre>a\n  c</pre>")], NOW
        )
        (other,) = store.library.save(
            None,
            [post("notes, again", guid="x", url="http://blog.example.org/notes?utm_source=planet")],
            NOW,
        ).new
    shown = command("show", "i1", store=path)
    assert "not kept yet: readproof fetch i1" in shown.out
    assert command("show", "i1", "--json", store=path).json["missing"] == [
        {"url": lost, "why": None}
    ]
    failed = command("fetch", "i1", store=path)
    assert failed.code == 1
    assert lost in failed.err
    assert command("show", "i1", "--json", store=path).json["missing"][0]["why"]
    page = command("show", id_, store=path).out
    assert f"also in notes, again: readproof show {other}" in page
    assert f"readproof show {id_} --changes" in page
    assert "    a\n      c\n" in page
    said = command("show", id_, "--changes", store=path).out
    assert "[-old-]{+new+} words stand here" in said
    assert "    -   b\n    +   c\n" in said
    document = command("show", id_, "--json", store=path).json
    assert document["also_in"] == [other]
    assert len(document["changed"]) == 1
    versions = command("show", id_, "--changes", "--json", store=path).json
    assert [each["content_text"].split("\n")[0] for each in versions] == [
        "new words stand here",
        "old words stand here",
    ]
    assert command("fetch", feed, "--always", store=path).code == 0
    assert command("fetch", "sources", "--always", store=path).code == 0
    with opened(tmp_path) as store:
        assert store.whole.is_set(feed)
        assert store.originals.is_set()


def test_that_a_feed_is_fetched_whole_travels(tmp_path: Path) -> None:
    with opened(tmp_path, "one") as here, opened(tmp_path, "other") as there:
        feed = here.feeds.add("https://blog.example.org/feed.xml").id
        here.whole.set(feed, on=True)
        here.export_data(tmp_path / "data.zip")
        there.import_data(tmp_path / "data.zip")
        assert there.whole.is_set(there.feeds.all()[0].id)
