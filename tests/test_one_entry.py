"""One entry once, whatever its feed does: through GUIDs, titles, dates, addresses and moves.

Every case is read from XML and saved as a sync does, marked by the user, and read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from reader.model import Entry, Fetch, Health, Query, StoryKind
from reader.parse import read_feed
from reader.store import Store
from reader.sync import incoming
from tests.stories import NOW, opened

ALL = Query(kinds=(StoryKind.ENTRY,), limit=None)
BLOG = "https://blog.example.org/feed.xml"


@dataclass(frozen=True)
class Post:
    """One item of a feed as its XML says it."""

    title: str = "Tiles"
    guid: str | None = None
    link: str | None = "https://blog.example.org/tiles"
    date: str | None = "Mon, 05 Oct 2026 08:00:00 GMT"
    text: str = "A tile of registers."


def rss(*posts: Post) -> bytes:
    parts = []
    for each in posts:
        guid = f"<guid isPermaLink='false'>{each.guid}</guid>" if each.guid is not None else ""
        link = f"<link>{each.link}</link>" if each.link else ""
        date = f"<pubDate>{each.date}</pubDate>" if each.date else ""
        said = f"<title>{each.title}</title><description>{each.text}</description>"
        parts.append(f"<item>{said}{guid}{link}{date}</item>")
    return f"<rss version='2.0'><channel><title>B</title>{''.join(parts)}</channel></rss>".encode()


def save(store: Store, feed: str, *posts: Post, hours: int = 0) -> tuple[int, int]:
    """Save a document; return how many entries were new and how many updated."""
    parsed = read_feed(rss(*posts), url=BLOG)
    taken = [incoming(each, divide=False) for each in parsed.entries]
    saved = store.library.save(feed, taken, NOW + timedelta(hours=hours))
    return len(saved.new), len(saved.updated)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path) as found:
        yield found


@pytest.fixture
def feed(store: Store) -> str:
    return store.feeds.add(BLOG, "Kernel blog").id


def entries(store: Store) -> list[Entry]:
    found = (store.library.get(id_) for id_ in store.library.ids(ALL))
    return [each for each in found if isinstance(each, Entry)]


P = "https://blog.example.org/p/1"
SAME = [
    ("scheme of the GUID", Post(guid=P), Post(guid=P.replace("https", "http"))),
    ("fragment of the GUID", Post(guid=P, link=P), Post(guid=f"{P}#edited-2", link=P)),
    ("case of the GUID", Post(guid="Tiles-A"), Post(guid="tiles-a")),
    ("case of the GUID's host", Post(guid=P), Post(guid=P.replace("blog.ex", "Blog.Ex"))),
    ("slash behind the GUID", Post(guid=P), Post(guid=f"{P}/")),
    ("tracking in the link", Post(), Post(link="https://blog.example.org/tiles?utm_source=rss")),
    ("www in the GUID", Post(guid=P), Post(guid=P.replace("blog.", "www.blog."))),
    ("a GUID that came later", Post(), Post(guid="new-id")),
    ("a GUID that went", Post(guid="old-id"), Post()),
    ("another GUID and the same link", Post(guid="old"), Post(guid="new")),
    ("scheme of the link", Post(), Post(link="http://blog.example.org/tiles")),
    ("an edited title", Post(guid="1"), Post(title="Tiles, again", guid="1")),
    ("an edited title without GUID", Post(), Post(title="Tiles, again")),
    ("an edited title without GUID or date", Post(date=None), Post(title="New", date=None)),
    ("another date", Post(guid="1"), Post(guid="1", date="Tue, 06 Oct 2026 08:00:00 GMT")),
    ("another date without GUID", Post(), Post(date="Tue, 06 Oct 2026 08:00:00 GMT")),
    ("a date that went", Post(guid="1"), Post(guid="1", date=None)),
    ("neither GUID nor link", Post(link=None), Post(link=None)),
    ("neither, and the text edited", Post(link=None), Post(link=None, text="A better tile.")),
    ("another link and the same GUID", Post(guid="1"), Post(guid="1", link=f"{P}/moved")),
    ("blanks around the GUID", Post(guid="id"), Post(guid=" id ")),
]


@pytest.mark.parametrize(("first", "second"), [c[1:] for c in SAME], ids=[c[0] for c in SAME])
def test_it_is_the_same_entry(store: Store, feed: str, first: Post, second: Post) -> None:
    assert save(store, feed, first) == (1, 0)
    (before,) = entries(store)
    store.marks.set([before.id], read=True, starred=True, add_tags=["mine"], note="look")
    new, _updated = save(store, feed, second, hours=1)
    assert new == 0
    assert save(store, feed, second, hours=2) == (0, 0)
    assert save(store, feed, first, hours=3)[0] == 0  # and back again
    (after,) = entries(store)
    assert (after.id, after.published) == (before.id, before.published)
    assert after.marks == before.marks.__class__(True, True, ("mine",), "look")
    assert store.check() == []


APART = [
    ("one GUID for all", [Post(n, "same", f"{P}{n}") for n in "abc"]),
    ("one GUID and one link for all", [Post(n, "same", P) for n in "abc"]),
    ("one link for all", [Post(n, n, P) for n in "abc"]),
    ("no GUID and one link for all", [Post(n, None, P) for n in "abc"]),
    ("GUIDs that differ by a fragment", [Post(n, f"{P}#{n}", f"{P}#{n}") for n in "abc"]),
    ("nothing but titles", [Post(n, None, None, None) for n in "abc"]),
    ("nothing but texts", [Post("Untitled", None, None, None, text=n * 9) for n in "abc"]),
    ("empty GUIDs", [Post(n, "", f"{P}{n}") for n in "abc"]),
]


@pytest.mark.parametrize("posts", [c[1] for c in APART], ids=[c[0] for c in APART])
def test_they_stay_apart(store: Store, feed: str, posts: list[Post]) -> None:
    assert save(store, feed, *posts) == (3, 0)
    assert save(store, feed, *posts, hours=1) == (0, 0)
    assert save(store, feed, *posts[::-1], hours=2) == (0, 0)
    assert len(entries(store)) == 3


@pytest.mark.parametrize("posts", [c[1] for c in APART], ids=[c[0] for c in APART])
def test_they_stay_apart_as_they_roll_through_the_feed(
    store: Store, feed: str, posts: list[Post]
) -> None:
    """A feed shows its last two posts: each document alone may not tell that a GUID repeats."""
    one, two, three = posts
    assert save(store, feed, one) == (1, 0)
    assert save(store, feed, two, one, hours=1)[0] == 1
    assert save(store, feed, three, two, hours=2)[0] == 1
    assert {each.title for each in entries(store)} == {each.title for each in posts}
    assert len(entries(store)) == 3


def test_one_guid_for_all_and_one_post_at_a_time(store: Store, feed: str) -> None:
    posts = [
        Post(f"Post {n}", "same", f"{P}{n}", f"0{n} Oct 2026 08:00:00 GMT", f"Text {n}")
        for n in (1, 3, 5)
    ]
    for hours, each in enumerate((*posts, *posts)):
        assert save(store, feed, each, hours=hours) == ((1, 0) if hours < 3 else (0, 0))
    assert [each.content_text for each in entries(store)] == ["Text 5", "Text 3", "Text 1"]
    assert all(each.versions == 1 for each in entries(store))
    edited = Post("Post 5, corrected", "same", f"{P}5", "05 Oct 2026 08:00:00 GMT", "Better")
    assert save(store, feed, edited, hours=9) == (0, 1)
    assert len(entries(store)) == 3
    assert store.check() == []


def test_a_feed_that_dates_everything_anew_brings_nothing_new(store: Store, feed: str) -> None:
    posts = [Post(n, n, f"{P}{n}") for n in "abc"]
    save(store, feed, *posts)
    store.marks.set([each.id for each in entries(store)], read=True)
    before = [(each.id, each.published) for each in entries(store)]
    for day in (6, 7):
        dated = [Post(n, n, f"{P}{n}", f"0{day} Oct 2026 08:00:00 GMT") for n in "abc"]
        assert save(store, feed, *dated, hours=day * 24) == (0, 0)
    assert [(each.id, each.published) for each in entries(store)] == before
    assert all(each.marks.read for each in entries(store))
    assert all(each.versions == 1 for each in entries(store))


def test_an_update_keeps_marks_and_text_and_is_not_unread(store: Store, feed: str) -> None:
    save(store, feed, Post(guid="1"))
    (id_,) = store.library.ids(ALL)
    store.marks.set([id_], read=True)
    assert save(store, feed, Post(guid="1", text="A tile of shared memory."), hours=2) == (0, 1)
    (found,) = entries(store)
    assert found.marks.read
    assert [each.content_text for each in store.library.revisions(id_)] == [
        "A tile of registers.",
        "A tile of shared memory.",
    ]
    # The first text again: both stay, and what it says now stands last.
    assert save(store, feed, Post(guid="1"), hours=4) == (0, 1)
    texts = [each.content_text for each in store.library.revisions(id_)]
    assert texts[-1] == "A tile of registers."
    assert "A tile of shared memory." in texts
    assert store.library.ids(Query(kinds=ALL.kinds, unread=True)) == []


def test_a_feed_that_moves_keeps_its_entries(store: Store, feed: str) -> None:
    save(store, feed, Post(guid="1"))
    moved = "https://notes.example.net/atom.xml"
    store.feeds.record(feed, Fetch(NOW, Health.OK, url=moved))
    assert store.feeds.get(feed).url == moved
    assert save(store, feed, Post(guid="1"), hours=1) == (0, 0)
    assert store.feeds.add(moved).id == feed  # and subscribing to its new address is no second


def test_a_feed_subscribed_again_elsewhere_takes_up_what_was_kept(store: Store, feed: str) -> None:
    """The old feed died and was removed; what the user starred of it is not told twice."""
    save(store, feed, Post(guid="old-1"), Post("Other", "old-2", f"{P}other"))
    kept = next(each.id for each in entries(store) if each.title == "Tiles")
    store.marks.set([kept], starred=True)
    assert store.feeds.remove(feed) == 1
    again = store.feeds.add("https://notes.example.net/atom.xml").id
    assert save(store, again, Post(guid="new-1"), Post("Other", "new-2", f"{P}other")) == (1, 0)
    found = store.library.get(kept)
    assert isinstance(found, Entry)
    assert (found.feed, found.marks.starred, len(entries(store))) == (again, True, 2)


def test_the_same_story_from_two_feeds_is_joined_and_both_are_readable(
    store: Store, feed: str
) -> None:
    planet = store.feeds.add("https://planet.example.net/rss", "Planet").id
    save(store, feed, Post(guid="1"))
    carried = "https://blog.example.org/tiles?utm_source=planet#top"
    save(store, planet, Post("Blog: Tiles", "tag:planet,1", carried, text="A tile… more"))
    one, other = sorted(store.library.ids(ALL))
    store.marks.set([one], read=True)
    assert [each.entry for each in store.originals.elsewhere(one)] == [other]
    assert [each.feed for each in store.originals.elsewhere(other)] == ["Kernel blog"]
    both = {each.id: each for each in entries(store)}
    assert (both[one].content_text, both[other].content_text) == (
        "A tile of registers.",
        "A tile… more",
    )
    assert (both[one].marks.read, both[other].marks.read) == (True, False)
    assert store.library.original("https://blog.example.org/tiles") == one


def test_a_story_behind_another_address_is_found_by_its_words(store: Store, feed: str) -> None:
    planet = store.feeds.add("https://planet.example.net/rss", "Planet").id
    text = "Warp specialisation moves the loads of a tile into a producer warp."
    title = "Register tiles on Hopper"
    save(store, feed, Post(title, "1", text=f"{text} And then the rest of it, whole."))
    counted = "https://count.example.net/r/77"
    save(store, planet, Post(title, "p1", counted, text=f"{text} […]"))
    other = "Mon, 05 Oct 2026 09:00:00 GMT"
    save(store, planet, Post(title, "p2", f"{P}x", other, text="Quite another text under it."))
    save(store, planet, Post(title, "p3", f"{P}y", "Mon, 02 Nov 2026 09:00:00 GMT", text=text))
    save(store, planet, Post("Release", "p4", f"{P}z", text=text))
    found = store.originals.elsewhere("e1")
    assert [(each.entry, each.feed) for each in found] == [("e2", "Planet")]
    assert [each.entry for each in store.originals.elsewhere("e2")] == ["e1"]
    assert store.originals.elsewhere("e5") == []


@pytest.mark.parametrize(
    "title", ['a "quoted" AND (odd) title*', "寄存器与共享内存的分配方法", "\u202e"]
)
def test_any_title_can_be_looked_for(store: Store, feed: str, title: str) -> None:
    save(store, feed, Post(title, "1", text=title * 9))
    planet = store.feeds.add("https://planet.example.net/rss", "Planet").id
    save(store, planet, Post(title, "2", f"{P}other", text=title * 9))
    found = [each.entry for each in store.originals.elsewhere("e1")]
    assert found == (["e2"] if len(title) > 5 else [])
