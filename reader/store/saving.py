"""Incoming entries into the store: found again, sanitised, merged, indexed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice

from reader import identity
from reader.model import Incoming, Saved
from reader.store.arrivals import Known, NewEntries
from reader.store.connection import Connection
from reader.store.digests import Digests
from reader.store.entries import NEW, UNCHANGED, Entries
from reader.store.incoming import Prepared
from reader.store.kin import Kin
from reader.store.listing import number

BATCH = 200  # entries a transaction: a writer that waits for us waits for no more


class Saving:
    """Takes in what a feed or a file brought."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._entries = Entries(connection)
        self._digests = Digests(connection, self._entries)
        self._new = NewEntries(connection)
        self._kin = Kin(connection)

    def each(
        self,
        feed: str | None,
        incoming: Sequence[Incoming | Prepared],
        now: datetime,
        repeated: frozenset[str] | None = None,
    ) -> list[tuple[str, str]]:
        """Save entries; return the id and what became of it (new, updated, unchanged) for each.

        `now` stands in for dates that are missing or lie in the future; `repeated` are the GUIDs
        and links that tell nothing apart in the document, found here where it came whole.
        """
        feed_id = None if feed is None else number(feed)
        feed_key = ""
        if feed_id is not None:
            feed_key = self._connection.value("SELECT key FROM feeds WHERE id = ?", (feed_id,))
        arriving = [Prepared(each) if isinstance(each, Incoming) else each for each in incoming]
        if repeated is None:
            repeated = identity.repeated_guids(each.incoming.entry for each in arriving)
        outcomes: list[tuple[str, str]] = []
        waiting = iter(arriving)
        while batch := list(islice(waiting, BATCH)):
            for each in batch:
                each.keys = _keys(each.incoming, feed_key or "", repeated)
            self._warm(batch)
            with self._connection.write():
                outcomes += self._write(feed_id, batch, now)
        return outcomes

    def _warm(self, batch: Sequence[Prepared]) -> None:
        """Do the slow cleaning before the write begins, where something has changed."""
        known = Known(self._connection, batch)
        for each in batch:
            if known.is_new(each) or (known.same(each) is None and self._entries.changes(each)):
                _ = each.columns

    def _write(
        self, feed: int | None, batch: Sequence[Prepared], now: datetime
    ) -> list[tuple[str, str]]:
        """Write a batch in its order: runs of what is new at once, the rest one by one."""
        known = Known(self._connection, batch)
        plain = [each for each in batch if each.incoming.digest is None]
        changed = (each for each in plain if not known.is_new(each) and known.same(each) is None)
        if self._kin.part(list(changed)):
            known = Known(self._connection, batch)
        if self._kin.join(feed, [each for each in plain if known.is_new(each)]):
            known = Known(self._connection, batch)
        outcomes: list[tuple[str, str]] = []
        new: list[Prepared] = []

        def write_new() -> None:
            ids = self._new.insert(feed, new, now)
            outcomes.extend((f"e{id_}", NEW) for id_ in ids)
            new.clear()

        for each in batch:
            if each.incoming.digest is None and known.is_new(each):
                new.append(each)
                known.take(each)
                continue
            write_new()
            same = None if each.incoming.digest is not None else known.same(each)
            if same is None:
                outcomes.append(self._one(feed, each, now))
                known.take(each)
            else:
                outcomes.append((f"e{same}", UNCHANGED))
        write_new()
        return outcomes

    def _one(self, feed: int | None, prepared: Prepared, now: datetime) -> tuple[str, str]:
        if prepared.incoming.digest is None:
            entry, outcome = self._entries.save(feed, prepared, now)
        else:
            entry, outcome = self._digests.save(feed, prepared, now)
        return f"e{entry}", outcome


def _keys(incoming: Incoming, feed_key: str, repeated: frozenset[str]) -> tuple[str, ...]:
    keys = identity.entry_keys(feed_key, incoming.entry, repeated_guids=repeated)
    if incoming.digest is not None and not incoming.entry.guid and not incoming.entry.url:
        # Nothing but a title is left, and quiet days all have the same one.
        keys = ("digest|" + identity.digest_key(incoming.digest),)
    return tuple("e:" + key for key in keys)


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
