"""A digest site's history: all of it, in parts, newest first, stopped and gone on with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from reader import sync
from reader.fetch import Fetcher
from reader.model import Feed, FeedKind, Query, StoryKind
from reader.store import Store
from reader.sync import FeedResult
from reader.sync.history import History, Post
from tests.feed_server import Answer, FeedServer, serving
from tests.test_sync import HOST, LISTING, _daily, _rss

NOW = datetime(2026, 11, 3, 8, tzinfo=UTC)
TREE = "https://api.github.com/repos/maker/maker.github.io/git/trees/HEAD:_posts"
RAW = "https://raw.githubusercontent.com/maker/maker.github.io/HEAD/_posts/"


class World:
    def __init__(self, server: FeedServer, path: Path) -> None:
        self.server, self.path = server, path
        server.answers[HOST] = Answer(_rss(title="Daily"), headers={"ETag": '"h"'})

    def add(self) -> Feed:
        with Store.open(self.path) as store:
            return store.feeds.add(HOST, "", FeedKind.DIGEST_SITE)

    def publish(self, first: date, days: int, *, listed: int | None = None) -> None:
        """Publish a post of each day; a listing names no more than `listed`."""
        names = [f"{first + timedelta(days=n)}-ai-compiler-daily.md" for n in range(days)]
        files = [{"name": name, "sha": name, "download_url": RAW + name} for name in names]
        tree = {"tree": [{"path": name, "sha": name, "type": "blob"} for name in names]}
        body = json.dumps(files[:listed]).encode()
        self.server.answers[LISTING] = Answer(body, headers={"ETag": f'"{days}"'})
        self.server.answers[TREE] = Answer(json.dumps(tree).encode())
        for name in names:
            self.server.answers[RAW + name] = Answer(_daily(name[:10]).encode())

    def one(self) -> FeedResult:
        with Fetcher(transport=self.server.transport(), sleep=lambda _seconds: None) as fetcher:
            return sync.sync(self.path, force=True, fetcher=fetcher, now=lambda: NOW).feeds[0]

    def days(self) -> list[str]:
        with Store.open(self.path) as store:
            rows = store.library.page(Query(kinds=(StoryKind.DIGEST,), limit=None))
        return [row.title[-10:] for row in rows]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with serving() as server:
        yield World(server, tmp_path / "store.db")


def test_the_listing_is_asked_for_once_however_long_the_history(world: World) -> None:
    world.publish(date(2026, 1, 1), 70)
    feed = world.add()
    for new in (30, 30, 10):
        assert world.one().new == new
        with Store.open(world.path) as store:
            soon = store.feeds.get(feed.id).next_check
        assert soon is not None
        # While something waits it goes on soon, in the background.
        assert (soon - NOW <= timedelta(minutes=2)) is (new == 30 and len(world.days()) < 70)
    assert world.server.urls().count(LISTING) == 1
    assert world.days() == sorted(world.days(), reverse=True)
    assert world.one().new == 0
    assert world.server.urls().count(LISTING) == 2


def test_it_is_paused_and_goes_on_where_it_was(world: World) -> None:
    world.publish(date(2026, 1, 1), 40)
    feed = world.add()
    world.one()
    with Store.open(world.path) as store:
        store.feeds.describe(feed.id, wanted=replace(feed.wanted, history=False))
    asked = len(world.server.asked)
    assert world.one().new == 0
    assert world.server.urls()[asked:] == [HOST]
    with Store.open(world.path) as store:
        store.feeds.describe(feed.id, wanted=replace(feed.wanted, history=True))
    assert world.one().new == 10
    assert len(world.days()) == 40


def test_more_posts_than_a_listing_names_come_by_the_tree(world: World) -> None:
    world.publish(date(2023, 1, 1), 1_100, listed=1_000)
    world.add()
    world.one()
    assert world.days()[0] == "2026-01-04"
    with Store.open(world.path) as store:
        known = History.load(store.facts.get("history of f1"))
    assert len(known.waiting) == 1_070


def test_a_post_that_cannot_be_had_waits_behind_the_others_and_not_for_ever(
    world: World,
) -> None:
    world.publish(date(2026, 1, 1), 35)
    broken = f"{RAW}2026-02-04-ai-compiler-daily.md"
    good = world.server.answers[broken]
    world.server.answers[broken] = Answer(status=503)
    world.add()
    assert (world.one().new, world.one().new) == (29, 5)
    world.server.answers[broken] = good
    assert world.one().new == 1
    world.server.answers[broken] = Answer(status=404)
    world.publish(date(2026, 1, 1), 36)
    late = f"{RAW}2026-02-05-ai-compiler-daily.md"
    world.server.answers[late] = Answer(status=404)
    for _again in range(8):
        world.one()
    assert world.server.urls().count(late) == 5


def test_an_edited_post_is_an_update(world: World) -> None:
    world.publish(date(2026, 1, 1), 2)
    world.add()
    world.one()
    name = "2026-01-02-ai-compiler-daily.md"
    files = [{"name": name, "sha": "edited", "download_url": RAW + name}]
    world.server.answers[LISTING] = Answer(json.dumps(files).encode(), headers={"ETag": '"e"'})
    text = _daily("2026-01-02").replace("少一次等待", "少一次同步")
    world.server.answers[RAW + name] = Answer(text.encode())
    result = world.one()
    assert (result.new, result.updated) == (0, 1)


def test_what_an_older_version_remembered_is_understood() -> None:
    assert History.load('{"etag": "a", "taken": {"x": "1"}, "whole": true}').etag == "a"
    assert History.load('{"etag": "a", "taken": {"x": "1"}, "whole": false}').etag is None
    assert History.load("[1]") == History()
    known = History("e", (("x", "1"),), (Post("y", "2", "u"),))
    assert History.load(known.dump()) == known
