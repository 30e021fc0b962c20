"""What most entries of a sync are: never seen, or the same again; told and written by the batch."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime

from reader.store.connection import Connection, to_seconds
from reader.store.incoming import Prepared
from reader.store.labels import LabelRows, StoryLabels
from reader.store.places import Places, sorted_by

_KNOWN = """
SELECT value AS name, entries.id, entries.raw_hash, entries.feed FROM json_each(?)
LEFT JOIN aliases ON alias = value LEFT JOIN entries ON entries.key = coalesce(aliases.key, value)
WHERE aliases.alias IS NOT NULL OR entries.id IS NOT NULL
UNION ALL SELECT value, NULL, NULL, NULL FROM json_each(?1)
WHERE value IN (SELECT key FROM marks)
"""


class Known:
    """What a store knows of the keys of a batch, at this moment."""

    def __init__(self, connection: Connection, batch: Sequence[Prepared]) -> None:
        names = json.dumps([key for each in batch for key in each.keys])
        self._rows: dict[str, sqlite3.Row] = {
            row["name"]: row for row in connection.rows(_KNOWN, (names,))
        }
        self._taken: set[str] = set()

    def is_new(self, prepared: Prepared) -> bool:
        """Whether no key of an entry leads anywhere, nor is another's of this batch."""
        return not any(key in self._rows or key in self._taken for key in prepared.keys)

    def same(self, prepared: Prepared) -> int | None:
        """Return the entry whose every word came again, in a feed already; None for no such."""
        rows = [self._rows.get(key) for key in prepared.keys]
        row = rows[0]
        if row is None or row["feed"] is None or row["raw_hash"] != prepared.raw_hash:
            return None
        if any(each is None or each["id"] != row["id"] for each in rows):
            return None
        return None if self._taken.intersection(prepared.keys) else int(row["id"])

    def take(self, prepared: Prepared) -> None:
        """Remember that an entry of this batch has these keys now."""
        self._taken.update(prepared.keys)


class NewEntries:
    """Writes plain entries that nothing is known of, many at a time; stands inside a write."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._places = Places(connection)
        self._labels = LabelRows(connection)

    def insert(self, feed: int | None, batch: Sequence[Prepared], now: datetime) -> list[int]:
        """Write entries with all that hangs on them; return their ids, in the same order."""
        if not batch:
            return []
        first = 1 + (
            self._connection.value("SELECT seq FROM sqlite_sequence WHERE name = 'entries'") or 0
        )
        ids = list(range(first, first + len(batch)))
        self._rows(feed, batch, ids, now)
        self._keys(batch)
        self._images(batch, ids)
        self._stories(feed, batch, ids, now)
        return ids

    def _rows(
        self, feed: int | None, batch: Sequence[Prepared], ids: list[int], now: datetime
    ) -> None:
        names = ("id", "key", "feed", "seen", *batch[0].columns)
        seen = to_seconds(now)
        self._connection.run_many(
            f"INSERT INTO entries ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
            [
                (id_, each.keys[0], feed, seen, *each.columns.values())
                for id_, each in zip(ids, batch, strict=True)
            ],
        )

    def _keys(self, batch: Sequence[Prepared]) -> None:
        self._connection.run_many(
            "INSERT OR IGNORE INTO aliases (alias, key) VALUES (?, ?)",
            [(key, each.keys[0]) for each in batch for key in each.keys],
        )

    def _images(self, batch: Sequence[Prepared], ids: list[int]) -> None:
        uses = [(url, id_) for id_, each in zip(ids, batch, strict=True) for url in each.images]
        self._connection.run_many(
            "INSERT OR IGNORE INTO images (url) VALUES (?)", [(url,) for url, _id in uses]
        )
        self._connection.run_many(
            "INSERT OR IGNORE INTO image_uses (url, entry) VALUES (?, ?)", uses
        )

    def _stories(
        self, feed: int | None, batch: Sequence[Prepared], ids: list[int], now: datetime
    ) -> None:
        labels = [StoryLabels(ours=each.incoming.labels) for each in batch]
        places = self._free([sorted_by(each.incoming.entry.published, now) for each in batch])
        self._connection.run_many(
            "INSERT INTO stories (place, kind, ref, feed, combination)"
            " VALUES (?, 'entry', ?, ?, ?)",
            [
                (place, id_, feed, self._labels.combination(theirs))
                for place, id_, theirs in zip(places, ids, labels, strict=True)
            ],
        )
        self._labels.put_all(zip(places, labels, strict=True))
        for place, each in zip(places, batch, strict=True):
            self._connection.index.add_ready(place, *each.indexed)

    def _free(self, moments: Sequence[datetime]) -> list[int]:
        """Return free places at these seconds; of one second, the first that came stands last."""
        found: list[int] = []
        last: dict[int, int] = {}  # by second, the place given last
        for moment in moments:
            second = int(moment.timestamp())
            if second not in last:
                last[second] = self._places.next(moment)
            else:
                # Half a million places of a second lie below its first.
                last[second] -= 1
            found.append(last[second])
        return found
