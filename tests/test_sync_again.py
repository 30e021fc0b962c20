"""The same feed again and again: what is known costs nothing, what is new is told from it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reader import workers
from reader.model import Entry, Health, Query, StoryKind
from reader.parse import read_feed
from reader.store import Store
from reader.sync import engine, receive
from tests.command import calling, command
from tests.feed_server import Answer, Asked, serving
from tests.refusals import DAILY
from tests.test_sync import SITE, World, _rss

ITEM = "<item><guid>{guid}</guid><title>{title}</title><description>{text}</description></item>"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with serving() as server:
        yield World(server, tmp_path / "store.db")


def post(n: int, text: str = "", guid: str = "") -> str:
    return ITEM.format(guid=guid or f"post-{n}", title=f"Tile {n}", text=text or f"words {n}")


def entries(world: World) -> list[Entry]:
    with Store.open(world.path) as store:
        rows = store.library.page(Query(kinds=(StoryKind.ENTRY,), limit=None))
        found = [store.library.get(row.id) for row in rows]
    return [each for each in found if isinstance(each, Entry)]


def test_only_what_is_new_is_cleaned_and_labelled(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.add()
    world.server.answers[SITE] = Answer(_rss(*map(post, range(5))))
    assert world.one().new == 5
    labelled = []
    whole = receive.incoming

    def watched(entry: Any, *args: Any, **more: Any) -> Any:
        labelled.append(entry.title)
        return whole(entry, *args, **more)

    monkeypatch.setattr(receive, "incoming", watched)
    result = world.one()
    assert (result.outcome, result.unchanged, labelled) == (Health.UNCHANGED, 5, [])
    world.server.answers[SITE] = Answer(_rss(post(3, "other words"), *map(post, (5, 4, 2))))
    result = world.one()
    assert (result.new, result.updated, result.unchanged) == (1, 1, 2)
    assert labelled == ["Tile 3", "Tile 5"]


def test_a_changed_guid_is_remembered_though_the_text_is_the_same(world: World) -> None:
    world.add()
    for guid, text in (("a-1", "one"), ("b-1", "one"), ("b-1", "two")):
        link = "<link>https://kernels.example.org/1</link>"
        item = post(1, text, guid).replace("</guid>", f"</guid>{link}")
        world.server.answers[SITE] = Answer(_rss(item))
        world.one()
    (entry,) = entries(world)
    assert "two" in entry.content_text
    assert entry.versions == 2


def test_a_guid_that_all_share_stays_worthless_when_but_one_is_new(world: World) -> None:
    world.add()
    world.server.answers[SITE] = Answer(_rss(*(post(n, guid="same") for n in range(3))))
    assert world.one().new == 3
    world.server.answers[SITE] = Answer(_rss(*(post(n, guid="same") for n in range(4))))
    result = world.one()
    assert (result.new, result.updated, result.unchanged) == (1, 0, 3)
    assert len(entries(world)) == 4


def test_the_same_post_twice_in_a_document_is_one(world: World) -> None:
    world.add()
    world.server.answers[SITE] = Answer(_rss(post(1), post(2), post(1), post(3)))
    assert world.one().new == 3
    assert [each.title for each in entries(world)].count("Tile 1") == 1


def test_what_came_back_keeps_its_marks(world: World) -> None:
    feed = world.add()
    world.server.answers[SITE] = Answer(_rss(post(1), post(2)))
    world.one()
    with Store.open(world.path) as store:
        (kept,) = [each.id for each in entries(world) if each.title == "Tile 1"]
        store.marks.set([kept], read=True)
        store.feeds.remove(feed.id)
    assert entries(world) == []
    world.add()
    world.one()
    assert {each.title: each.marks.read for each in entries(world)} == {
        "Tile 1": True,
        "Tile 2": False,
    }


def test_thousands_of_entries_are_written_in_portions(world: World) -> None:
    world.add()
    world.server.answers[SITE] = Answer(_rss(*map(post, range(3_000))))
    assert world.one().new == 3_000
    assert world.one().unchanged == 3_000
    with Store.open(world.path) as store:
        assert store.check() == []
        assert len(store.library.ids(Query(kinds=(StoryKind.ENTRY,), text="words"))) == 3_000
        assert len(store.library.ids(Query(kinds=(StoryKind.ENTRY,), text="2999"))) == 1


def test_a_sync_beside_an_import(tmp_path: Path) -> None:
    """Two processes write at once: both end well, nothing is lost or doubled."""
    store, posts = tmp_path / "s.db", tmp_path / "posts"
    posts.mkdir()
    for n in range(4, 29):
        (posts / f"{n}.md").write_text(DAILY.format(n=n), encoding="utf-8")
    with serving() as server:

        def answer(asked: Asked) -> Answer:
            n = int(asked.url.rpartition("/")[2])
            body = _rss(*(post(m, guid=f"{n}-{m}") for m in range(40)), title=f"Feed {n}")
            return Answer(body.replace(b"Tile", b"Feed %d tile" % n))

        addresses = [f"{server.address}{n}" for n in range(8)]
        for address in addresses:
            server.answers[address] = answer
        assert command("add", *addresses, "--kind", "feed", store=store).code == 0
        importing = calling("import", posts, store=store)
        syncing = calling("sync", "--force", store=store)
        for process in (importing, syncing):
            said = process.communicate(timeout=300)[1].decode()
            assert process.returncode == 0, said
    with Store.open(store) as opened:
        assert opened.check() == []
        found = opened.library.page(Query(kinds=tuple(StoryKind), limit=None))
    titles = [row.title for row in found]
    assert len(titles) == len(set(titles)) == 8 * 40 + 2 * 25


def test_many_are_fetched_but_few_parsed_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    now: set[object] = set()
    most: list[int] = []
    whole = read_feed

    def watched(*args: Any, **more: Any) -> Any:
        mine = object()
        now.add(mine)
        most.append(len(now))
        try:
            return whole(*args, **more)
        finally:
            now.remove(mine)

    monkeypatch.setattr(receive, "read_feed", watched)
    for n in range(20):
        url = f"https://h{n}.example.org/"
        world.server.answers[url] = Answer(_rss(*(post(m, guid=f"{n}-{m}") for m in range(20))))
        world.add(url)
    assert world.sync().new == 400
    assert max(most) <= workers.ABREAST
    assert len(most) == 20


def test_what_is_read_in_processes_is_what_is_read_at_hand(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plain = _rss(*(post(n, guid=f"g{n}") for n in range(30)))
    same = "<item><title>Same</title><description>text {n} &lt;T&gt;</description></item>"
    nameless = _rss(*(same.format(n=n) for n in range(5)))
    for name, body in (("plain", plain), ("nameless", nameless), ("page", b"<html><p>no feed")):
        url = f"https://{name}.example.org/"
        world.server.answers[url] = Answer(body)
        world.add(url)
    at_hand, before = world.sync(), _told(world)
    world.path = tmp_path / "apart.db"
    for name in ("plain", "nameless", "page"):
        world.add(f"https://{name}.example.org/")
    monkeypatch.setattr(engine, "Workers", partial(workers.Workers, at_hand=0))
    apart = world.sync()
    assert _told(world) == before
    assert len(before) == 35
    assert [(one.outcome, one.error) for one in apart.feeds] == [
        (one.outcome, one.error) for one in at_hand.feeds
    ]


def _told(world: World) -> list[tuple[object, ...]]:
    found = [(one.title, one.content_html, one.content_text, one.labels) for one in entries(world)]
    return sorted(found, key=str)


def test_half_a_document_takes_nothing_from_what_is_kept(world: World) -> None:
    world.add()
    whole = _rss(*(post(n, text=f"words {n} " * 40, guid=f"g{n}") for n in range(4)))
    world.server.answers[SITE] = Answer(whole)
    assert world.sync().new == 4
    before = _told(world)
    for share in (0.3, 0.5, 0.62, 0.8, 0.97):
        world.server.answers[SITE] = Answer(whole[: int(len(whole) * share)])
        result = world.sync()
        assert (result.new, result.updated) == (0, 0), share
        assert _told(world) == before
    world.server.answers[SITE] = Answer(whole)
    assert world.sync().unchanged == 4
