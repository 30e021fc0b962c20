"""Originals: the sources that items name, which of them are kept, and where else a story stands."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from reader import identity
from reader.store.connection import Connection, to_moment
from reader.store.facts import Facts
from reader.store.labels import StoryLabels
from reader.store.listing import number
from reader.store.whole import MOST_TRIES, refuse

_AT_SYNC = "sources at sync"


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

    def wanting(self, limit: int) -> list[Missing]:
        """Return the sources of all items that can be fetched and are not kept, newest first."""
        rows = self._connection.rows(
            f"""
            SELECT sources.title, sources.url, NULL AS why, telling.published,
                max(item) FROM sources {_NAMED}
            WHERE sources.url IS NOT NULL AND NOT EXISTS
                (SELECT 1 FROM entries WHERE entries.source_key = sources.source_key)
                AND sources.source_key NOT IN
                    (SELECT key FROM refused WHERE tries >= {MOST_TRIES})
            GROUP BY sources.source_key ORDER BY max(item) DESC LIMIT ?
            """,
            (limit,),
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
        """Return the other entries that tell the same story: they share its address."""
        rows = self._connection.rows(
            """
            SELECT entries.id, entries.title, coalesce(feeds.title, '') AS feed, published
            FROM entries LEFT JOIN feeds ON feeds.id = entries.feed
            WHERE source_key = (SELECT source_key FROM entries WHERE id = ?1) AND entries.id <> ?1
            ORDER BY published, entries.id
            """,
            (number(entry_id),),
        )
        return [
            Elsewhere(f"e{row['id']}", row["title"], row["feed"], to_moment(row["published"]))
            for row in rows
        ]


def _missing(row: sqlite3.Row) -> Missing:
    return Missing(row["title"], row["url"], row["why"], to_moment(row["published"]))
