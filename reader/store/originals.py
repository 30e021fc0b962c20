"""Originals: the sources that items name, which of them are kept, and where else a story stands."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from reader import identity
from reader.store.connection import Connection, to_moment
from reader.store.facts import Facts
from reader.store.labels import StoryLabels
from reader.store.listing import number
from reader.store.search import expression
from reader.store.whole import GIVEN_UP, refuse, since

LEAST_TITLE = 12  # letters: a shorter title is had by many
BEGINNING = 200  # letters of two texts that are compared
NEAR = 5 * 86_400  # seconds between two tellings of a story
_AT_SYNC = "sources at sync"
_ELSEWHERE = """
SELECT entries.id, entries.title, coalesce(feeds.title, '') AS feed, published, content_text
FROM entries LEFT JOIN feeds ON feeds.id = entries.feed
"""


@dataclass(frozen=True, slots=True)
class Missing:
    """A source that an item names and the store does not hold; `why` it could not be had."""

    title: str
    url: str
    why: str | None = None
    named: datetime | None = None  # when its digest was published


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Another entry that tells the same story."""

    entry: str
    title: str
    feed: str  # its title, empty where it came by no feed
    published: datetime | None


_NAMED = """
    JOIN items ON items.id = sources.item JOIN digests ON digests.id = items.digest
    JOIN entries AS telling ON telling.id = digests.entry
"""


class Originals:
    """The originals of one store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def missing(self, item_id: str) -> list[Missing]:
        """Return the sources of an item that can be fetched and are not kept."""
        rows = self._connection.rows(
            f"""
            SELECT sources.title, sources.url, why, telling.published FROM sources {_NAMED}
            LEFT JOIN refused ON refused.key = sources.source_key
            WHERE item = ? AND sources.url IS NOT NULL AND NOT EXISTS
                (SELECT 1 FROM entries WHERE entries.source_key = sources.source_key)
            ORDER BY n
            """,
            (number(item_id),),
        )
        return list({row["url"]: _missing(row) for row in rows}.values())

    def wanting(self, limit: int, now: datetime | None = None) -> list[Missing]:
        """Return the sources of all items that can be fetched and are not kept, newest first.

        With `now`, what was refused some days ago is wanted again.
        """
        rows = self._connection.rows(
            f"""
            SELECT sources.title, sources.url, NULL AS why, telling.published,
                max(item) FROM sources {_NAMED}
            WHERE sources.url IS NOT NULL AND NOT EXISTS
                (SELECT 1 FROM entries WHERE entries.source_key = sources.source_key)
                AND sources.source_key NOT IN ({GIVEN_UP.format(since="?2")})
            GROUP BY sources.source_key ORDER BY max(item) DESC LIMIT ?1
            """,
            (limit, since(now)),
        )
        return [_missing(row) for row in rows]

    def settle(self, entry_id: str, beside: datetime | None) -> None:
        """Let an original that has just come stand with what names it: read, and at its date.

        It is part of its item and not one more story to get through; where it has no date of its
        own it would lead every list.
        """
        from reader.store.entries import Entries

        with self._connection.write():
            entries, entry = Entries(self._connection), number(entry_id)
            row, place = entries.row(entry), entries.place(entry)
            if row["published"] is None and beside is not None and place is not None:
                story = entries.story(row, StoryLabels())
                entries.places.move(place, story, entries.places.next(beside))
            entries.marks.set([entry_id], read=True)

    def failed(self, url: str, why: str, now: datetime) -> None:
        """Remember that a source could not be had."""
        refuse(self._connection, identity.source_key(url), why, now)

    def set(self, *, on: bool) -> None:
        """Fetch the sources of items at every sync, or no longer."""
        Facts(self._connection).set(_AT_SYNC, "1" if on else "")

    def is_set(self) -> bool:
        """Whether the sources of items are fetched at every sync."""
        return bool(Facts(self._connection).get(_AT_SYNC))

    def elsewhere(self, entry_id: str) -> list[Elsewhere]:
        """Return the other entries that tell the same story.

        They share its address, or its title and how their texts begin, in another feed at about
        the same time: a planet's link may lead over a counter's address.
        """
        own = self._connection.row("SELECT * FROM entries WHERE id = ?", (number(entry_id),))
        if own is None:
            return []
        rows = self._connection.rows(
            f"{_ELSEWHERE} WHERE source_key = ? AND entries.id <> ?", (own["source_key"], own["id"])
        )
        found = {row["id"]: row for row in (*rows, *self._same_words(own))}
        return [
            Elsewhere(f"e{row['id']}", row["title"], row["feed"], to_moment(row["published"]))
            for row in sorted(found.values(), key=lambda row: (row["published"] or 0, row["id"]))
        ]

    def _same_words(self, own: sqlite3.Row) -> Iterator[sqlite3.Row]:
        title = identity.normalised_title(own["title"])
        asked = expression('"' + own["title"].replace('"', " ") + '"')
        when = own["published"]
        if len(title) < LEAST_TITLE or asked is None or when is None:
            return
        rows = self._connection.rows(
            f"""{_ELSEWHERE} WHERE entries.id IN (
                    SELECT ref FROM stories WHERE +kind = 'entry' AND place IN (
                        SELECT rowid FROM search WHERE search MATCH ? LIMIT 50))
                AND published BETWEEN ? AND ? AND entries.feed IS NOT ? AND entries.id <> ?
            """,
            (f"title : ({asked})", when - NEAR, when + NEAR, own["feed"], own["id"]),
        )
        for row in rows:
            same = identity.normalised_title(row["title"]) == title
            if same and _begins_alike(own["content_text"], row["content_text"]):
                yield row


def _begins_alike(one: str, other: str) -> bool:
    """Whether the shorter of two texts, or a good part of its beginning, begins the other."""
    letters = [
        "".join(c for c in text[: BEGINNING * 3] if c.isalnum()).casefold() for text in (one, other)
    ]
    part = min(BEGINNING, *(len(each) for each in letters))
    return part >= LEAST_TITLE and letters[0][:part] == letters[1][:part]


def _missing(row: sqlite3.Row) -> Missing:
    return Missing(row["title"], row["url"], row["why"], to_moment(row["published"]))
