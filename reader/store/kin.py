"""Entries that no key leads to and that the store has all the same, taken up instead of doubled."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence

from reader.identity import normalised_title
from reader.store.connection import Connection, to_seconds
from reader.store.incoming import Prepared

_LEFT = """
SELECT source_key, min(id) AS entry, min(key) AS key, count(*) AS entries FROM entries
WHERE feed IS NULL AND source_key IN (SELECT value FROM json_each(?))
    AND id NOT IN (SELECT entry FROM digests)
GROUP BY source_key
"""

_TITLED = """
SELECT key, title, published, text_hash FROM entries
WHERE feed = ? AND title IN (SELECT value FROM json_each(?))
"""


_HELD = """
SELECT title, source_key, published FROM entries
WHERE key = coalesce((SELECT key FROM aliases WHERE alias = ?1), ?1)
"""
DAY = 86_400


class Kin:
    """Gives arriving entries the keys of those that they are; stands inside a write."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def join(self, feed: int | None, new: Sequence[Prepared]) -> bool:
        """Let the keys of entries that look new lead to what they are; return whether any does."""
        if feed is None or not new:
            return False
        found = [*self._left(new), *self._by_title(feed, new)]
        self._connection.run_many(
            "INSERT OR IGNORE INTO aliases (alias, key) VALUES (?, ?)",
            [(alias, key) for prepared, key in found for alias in prepared.keys],
        )
        return bool(found)

    def part(self, known: Sequence[Prepared]) -> bool:
        """Take the GUID from entries that have it from another post; return whether any does.

        An edit changes the title, a move the address, a new date the date: where a post comes
        with none of the three as it was, its feed uses one GUID for all.
        """
        parted = False
        for each in known:
            if "|id:" not in each.keys[0] or len(each.keys) < 2:
                continue
            row = self._connection.row(_HELD, (each.keys[0],))
            if row is not None and _nothing_left(each, row):
                each.keys, parted = each.keys[1:], True
        return parted

    def _left(self, new: Sequence[Prepared]) -> Iterator[tuple[Prepared, str]]:
        """Yield what came without a feed: an original that was fetched, or what stayed of a feed.

        Some feeds link every post to the same page, so that an address alone proves nothing.
        """
        addresses = Counter(each.source_key for each in new if each.source_key)
        rows = self._connection.rows(_LEFT, (json.dumps(list(addresses)),))
        left = {row["source_key"]: row["key"] for row in rows if row["entries"] == 1}
        for each in new:
            source = each.source_key
            if source is not None and source in left and addresses[source] == 1:
                yield each, left[source]

    def _by_title(self, feed: int, new: Sequence[Prepared]) -> Iterator[tuple[Prepared, str]]:
        """Yield what had a GUID or an address before other posts came with the same one.

        Only now do they tell nothing apart, so that title and date (and text) have to.
        """
        asked = [each for each in new if "|title:" in each.keys[0]]
        if not asked:
            return
        known: dict[tuple[str, int | None], list[sqlite3.Row]] = {}
        titles = json.dumps(list({each.title for each in asked}))
        for row in self._connection.rows(_TITLED, (feed, titles)):
            known.setdefault((row["title"], row["published"]), []).append(row)
        for each in asked:
            rows = known.get((each.title, to_seconds(each.incoming.entry.published)), [])
            same = [row for row in rows if row["text_hash"] == each.text_hash]
            if len(same) == 1 or (len(rows) == 1 and not _by_text(each)):
                yield each, (same or rows)[0]["key"]


def _nothing_left(arriving: Prepared, row: sqlite3.Row) -> bool:
    published = to_seconds(arriving.incoming.entry.published)
    if None in (published, row["published"], arriving.source_key, row["source_key"]):
        return False
    return (
        abs((published or 0) - row["published"]) > DAY
        and arriving.source_key != row["source_key"]
        and normalised_title(arriving.title) != normalised_title(row["title"])
    )


def _by_text(prepared: Prepared) -> bool:
    """Whether not even title and date tell it apart in its document."""
    return prepared.keys[0].rpartition("|title:")[2].count("|") > 1
