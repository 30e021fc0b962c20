"""Incoming entries into the store: found again, sanitised, merged, indexed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice

from reader import identity
from reader.model import Incoming, Saved
from reader.store.connection import Connection
from reader.store.digests import Digests
from reader.store.entries import Entries
from reader.store.incoming import Prepared
from reader.store.listing import number

BATCH = 200  # entries a transaction: a writer that waits for us waits for no more


class Saving:
    """Takes in what a feed or a file brought."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._entries = Entries(connection)
        self._digests = Digests(connection, self._entries)

    def save(self, feed: str | None, incoming: Sequence[Incoming], now: datetime) -> Saved:
        """Save entries; `now` stands in for dates that are missing or lie in the future."""
        return summed(outcome for outcome in self.each(feed, incoming, now))

    def each(
        self, feed: str | None, incoming: Sequence[Incoming], now: datetime
    ) -> list[tuple[str, str]]:
        """Save entries; return the id and what became of it (new, updated, unchanged) for each."""
        feed_id = None if feed is None else number(feed)
        feed_key = ""
        if feed_id is not None:
            feed_key = self._connection.value("SELECT key FROM feeds WHERE id = ?", (feed_id,))
        repeated = identity.repeated_guids(each.entry for each in incoming)
        outcomes: list[tuple[str, str]] = []
        waiting = iter(incoming)
        while batch := list(islice(waiting, BATCH)):
            prepared = [self._prepare(each, feed_key or "", repeated) for each in batch]
            with self._connection.write():
                outcomes += [self._one(feed_id, each, now) for each in prepared]
        return outcomes

    def _prepare(self, incoming: Incoming, feed_key: str, repeated: frozenset[str]) -> Prepared:
        keys = identity.entry_keys(feed_key, incoming.entry, repeated_guids=repeated)
        if incoming.digest is not None and not incoming.entry.guid and not incoming.entry.url:
            # Nothing but a title is left, and quiet days all have the same one.
            keys = ("digest|" + identity.digest_key(incoming.digest),)
        prepared = Prepared(incoming, tuple("e:" + key for key in keys))
        self._entries.warm(prepared)
        return prepared

    def _one(self, feed: int | None, prepared: Prepared, now: datetime) -> tuple[str, str]:
        if prepared.incoming.digest is None:
            entry, outcome = self._entries.save(feed, prepared, now)
        else:
            entry, outcome = self._digests.save(feed, prepared, now)
        return f"e{entry}", outcome


def summed(outcomes: Iterable[tuple[str, str]]) -> Saved:
    """Return outcomes by kind; an entry that came twice counts by the most that happened."""
    ranks = ("unchanged", "updated", "new")
    most: dict[str, int] = {}
    for id_, outcome in outcomes:
        most[id_] = max(most.get(id_, 0), ranks.index(outcome))
    unchanged, updated, new = (
        tuple(id_ for id_, rank in most.items() if rank == wanted) for wanted in range(3)
    )
    return Saved(new=new, updated=updated, unchanged=unchanged)
