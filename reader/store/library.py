"""The library: saving what comes in, and every way of reading it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from reader.model import (
    Counts,
    Digest,
    Entry,
    Evidence,
    Incoming,
    Item,
    Labels,
    Layer,
    Order,
    Query,
    Row,
    Saved,
)
from reader.store import listing
from reader.store.connection import Connection
from reader.store.incoming import Prepared
from reader.store.listing import LETTERS, compiled, kind_of, number
from reader.store.marks import Marks
from reader.store.reading import Reading, Revision
from reader.store.rows import Rows


class Labeller(Protocol):
    """What gives a text our labels: `classify.labels`."""

    def __call__(self, title: str, text: str, *, url: str | None = None) -> Labels:
        """Return the labels of a text."""


class Library:
    """The stories of one store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._reading = Reading(connection)
        self._rows = Rows(connection)
        self._known: dict[int, tuple[set[Layer], set[str], Evidence]] = {}  # combinations, by id

    def save(
        self,
        feed_id: str | None,
        incoming: Sequence[Incoming | Prepared],
        now: datetime,
        *,
        repeated: frozenset[str] | None = None,
    ) -> Saved:
        """Save what a feed (or, for None, the user) brought; the same again changes nothing.

        Where only a part of a document is handed in, `repeated` are `identity.repeated_guids`
        of all of it.
        """
        from reader.store.saving import Saving, summed

        return summed(Saving(self._connection).each(feed_id, incoming, now, repeated))

    def mark_absent(self, feed_id: str, guids: Sequence[str], notice: str) -> int:
        """Let entries say that their source took them away; they and their marks stay."""
        from reader.store.absent import mark_absent

        return mark_absent(self._connection, feed_id, guids, notice)

    def fingerprints(self, feed_id: str, most: int = 2_000) -> frozenset[bytes]:
        """Return `identity.fingerprint` of the entries that a feed brought last."""
        rows = self._connection.run(
            "SELECT raw_hash FROM entries WHERE feed = ? ORDER BY id DESC LIMIT ?",
            (number(feed_id), most),
        )
        return frozenset(hash_ for (hash_,) in rows)

    def get(self, id_: str) -> Item | Entry | Digest:
        """Return one story whole; raises Usage where there is none of that id."""
        with self._connection.snapshot():
            return self._reading.get(id_)

    def last_item(self) -> int:
        """Return the number of the item that came last, 0 where none ever did."""
        sql = "SELECT seq FROM sqlite_sequence WHERE name = 'items'"
        return int(self._connection.value(sql) or 0)

    def items(self, digest_id: str) -> list[Item]:
        """Return the items of a digest in its order, those that vanished from it last."""
        with self._connection.snapshot():
            return self._reading.items(number(digest_id))

    def revisions(self, entry_id: str) -> list[Revision]:
        """Return every text an entry has had, the present one last."""
        with self._connection.snapshot():
            return self._reading.revisions(number(entry_id))

    def original(self, url: str) -> str | None:
        """Return the id of the entry that is the original behind an address, if it is kept."""
        from reader import identity

        found = self._connection.value(
            "SELECT min(id) FROM entries WHERE source_key = ?", (identity.source_key(url),)
        )
        return None if found is None else f"e{found}"

    def rows(self, ids: Sequence[str]) -> list[Row]:
        """Return the list rows of stories, in the order asked; those that are gone are left out."""
        with self._connection.snapshot():
            return self._rows.of(ids)

    def page(self, query: Query) -> list[Row]:
        """Return one page of a list; `cursor(last row's id, query)` leads to the next."""
        with self._connection.snapshot():
            return self._rows.of(self._ids(query, query.limit))

    def ids(self, query: Query) -> list[str]:
        """Return the ids of the whole list in order; the query's limit and cursor do not count."""
        with self._connection.snapshot():
            return self._ids(replace(query, after=None), None)

    def _ids(self, query: Query, limit: int | None) -> list[str]:
        if query.order is Order.RANK and query.text.strip():
            found = self._ranked(query)[: limit if limit is not None else None]
            return [id_ for _rank, _place, id_ in found]
        plan = compiled(self._connection, query)
        listing.after(plan, query)
        rows = self._connection.run(
            f"SELECT s.kind, s.ref FROM {plan.source} WHERE {plan.where}"
            f" ORDER BY {plan.order} LIMIT ?",
            (*plan.values, -1 if limit is None else limit),
        )
        return [f"{LETTERS[kind]}{ref}" for kind, ref in rows]

    def _ranked(self, query: Query) -> list[tuple[float, int, str]]:
        plan = compiled(self._connection, query)
        rows = self._connection.run(
            f"SELECT {plan.rank}, {plan.place}, s.kind, s.ref FROM {plan.source}"
            f" WHERE {plan.where}",
            plan.values,
        )
        found = sorted((rank, -place, f"{LETTERS[kind]}{ref}") for rank, place, kind, ref in rows)
        if query.after is not None:
            rank, place = query.after
            found = [each for each in found if (each[0], each[1]) > (rank, -place)]
        return [(rank, -minus, id_) for rank, minus, id_ in found]

    def cursor(self, id_: str, query: Query) -> tuple[float, int] | None:
        """Return what `Query.after` wants to go on after this story; None where it is gone."""
        kind = kind_of(id_)
        row = self._connection.row(
            "SELECT place, score FROM stories WHERE kind = ? AND ref = ?",
            (kind.value if kind else "", number(id_)),
        )
        if row is None:
            return None
        if query.order is Order.RANK and query.text.strip():
            ranks = {each[2]: each[0] for each in self._ranked(replace(query, after=None))}
            return (ranks[id_], row["place"]) if id_ in ranks else None
        return (row["score"] if query.order is Order.SCORE else 0.0, row["place"])

    def counts(self, query: Query) -> Counts:
        """Return how many stories a query finds, and how many each further filter would leave.

        Kinds of evidence stand beside one another ("any of these"), so each is counted as if
        no other were chosen. Counting a million takes part of a second: not on a window's thread.
        """
        with self._connection.snapshot():
            layers: dict[Layer, int] = dict.fromkeys(Layer, 0)
            hardware: Counter[str] = Counter()
            evidence: dict[Evidence, int] = dict.fromkeys(Evidence, 0)
            total = unread = 0
            for shown, nodes, kind, stories, new in self._combinations(query):
                total, unread = total + stories, unread + new
                evidence[kind] += stories
                for layer in shown:
                    layers[layer] += stories
                for node in nodes:
                    hardware[node] += stories
            if query.evidence:
                evidence = dict.fromkeys(Evidence, 0)
                for _shown, _nodes, kind, stories, _new in self._combinations(
                    listing.without_evidence(query)
                ):
                    evidence[kind] += stories
        return Counts(total, unread, layers, dict(hardware), evidence)

    def _combinations(
        self, query: Query
    ) -> Iterator[tuple[set[Layer], set[str], Evidence, int, int]]:
        """Yield layers, hardware, evidence, stories and unread of each combination found."""
        order = Order.DATE if query.order is Order.SCORE else query.order
        plan = compiled(self._connection, replace(query, after=None, order=order))
        rows = self._connection.rows(
            "SELECT s.combination, count(*) AS stories, sum(s.read = 0) AS unread"
            f" FROM {plan.source} WHERE {plan.where} GROUP BY s.combination",
            plan.values,
        )
        wanted = {row["combination"] for row in rows} - self._known.keys()
        if wanted:
            texts = self._connection.run(
                "SELECT id, labels FROM combinations WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(wanted)),),
            )
            self._known |= {id_: _names(text) for id_, text in texts}
        for row in rows:
            yield *self._known[row["combination"]], row["stories"], row["unread"]

    def tags(self) -> dict[str, int]:
        """Return every tag in use with how many stories carry it."""
        return Marks(self._connection).tags()

    def relabel(self, labeller: Labeller, version: int | None = None) -> int:
        """Give every story our labels anew; return how many changed. Theirs never change.

        With the `version` of the rules, nothing is done when the store has been labelled by it.
        """
        from reader.store.relabel import relabel

        return relabel(self._connection, labeller, version)


def _names(text: str) -> tuple[set[Layer], set[str], Evidence]:
    """Return what is counted of a combination; `parse_combination` would be slow for thousands."""
    held = json.loads(text)
    ours = held.get("ours", {})
    layers = held.get("site") or ours.get("layers", ())
    kind = Evidence(ours.get("evidence", Evidence.NONE))
    return (
        {Layer(name) for name in layers},
        set(ours.get("hardware_all") or ours.get("hardware", ())),
        kind,
    )
