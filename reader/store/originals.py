"""Originals: the sources that items name, which of them are kept, and where else a story stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from reader import identity
from reader.store.connection import Connection, to_moment
from reader.store.facts import Facts
from reader.store.listing import number
from reader.store.whole import MOST_TRIES, refuse

_AT_SYNC = "sources at sync"


@dataclass(frozen=True, slots=True)
class Missing:
    """A source that an item names and the store does not hold; `why` it could not be had."""

    title: str
    url: str
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Another entry that tells the same story."""

    entry: str
    title: str
    feed: str  # its title, empty where it came by no feed
    published: datetime | None


class Originals:
    """The originals of one store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def missing(self, item_id: str) -> list[Missing]:
        """Return the sources of an item that can be fetched and are not kept."""
        rows = self._connection.rows(
            "SELECT title, url, why FROM sources LEFT JOIN refused ON key = source_key"
            " WHERE item = ? AND url IS NOT NULL AND NOT EXISTS"
            " (SELECT 1 FROM entries WHERE entries.source_key = sources.source_key) ORDER BY n",
            (number(item_id),),
        )
        found = {row["url"]: Missing(row["title"], row["url"], row["why"]) for row in rows}
        return list(found.values())

    def wanting(self, limit: int) -> list[Missing]:
        """Return the sources of all items that can be fetched and are not kept, newest first."""
        rows = self._connection.rows(
            f"""
            SELECT title, url, max(item) FROM sources
            WHERE url IS NOT NULL AND NOT EXISTS
                (SELECT 1 FROM entries WHERE entries.source_key = sources.source_key)
                AND source_key NOT IN (SELECT key FROM refused WHERE tries >= {MOST_TRIES})
            GROUP BY source_key ORDER BY max(item) DESC LIMIT ?
            """,
            (limit,),
        )
        return [Missing(row["title"], row["url"]) for row in rows]

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
