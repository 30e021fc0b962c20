"""A Query as SQL: which rows drive it, what they are tested for, and how they are sorted.

The rarest thing asked for drives: the words of a search, else the rarest label or tag, else
the index of stories that fits. Everything runs along `place`, so that a page never sorts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from reader.model import Order, Query, StoryKind
from reader.store import search
from reader.store.connection import Connection, to_seconds
from reader.store.labels import EVIDENCE, HARDWARE, LAYER, TAG, LabelRows

SEQUENCE_BITS = 20
MOST_RANKED = 2_000  # hits that are ranked, the newest; ranking all of a million costs a second
FEW = 20_000  # stories that may be sorted at once
_NOTHING = "0"
_KINDS = {"i": StoryKind.ITEM, "e": StoryKind.ENTRY, "d": StoryKind.DIGEST}
LETTERS = {kind.value: letter for letter, kind in _KINDS.items()}


@dataclass(slots=True)
class Listing:
    """SQL in parts: FROM, conditions with their values, and the columns it is sorted along."""

    source: str = "stories AS s"
    place: str = "s.place"
    conditions: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    order: str = ""
    rank: str = "0"

    def need(self, condition: str, *values: Any) -> None:
        """Add a condition."""
        self.conditions.append(condition)
        self.values += values

    @property
    def where(self) -> str:
        """The conditions as one clause."""
        return " AND ".join(self.conditions) or "1"


def compiled(connection: Connection, query: Query) -> Listing:
    """Return the listing for a query; the limit is the caller's to add."""
    listing = Listing()
    labels = _labels(connection, query)
    driver = None
    if None in labels:
        listing.need(_NOTHING)
    expression = _expression(connection, query, listing)
    rows = LabelRows(connection)
    if expression is not None:
        listing.source = "search CROSS JOIN stories AS s ON s.place = search.rowid"
        listing.place = "search.rowid"
        listing.need("search MATCH ?", expression)
    elif labels and None not in labels:
        driver = _driver(rows, [each for each in labels if each], query.order)
    if driver is not None:
        listing.source = "labelled AS d CROSS JOIN stories AS s ON s.place = d.place"
        listing.place = "d.place"
        listing.need("d.label = ?", driver)
    elif expression is None and query.order is Order.SCORE:
        listing.source = "stories AS s INDEXED BY stories_score"
    for label in labels:
        if label != driver:
            listing.need(f"{_has(listing)} label = ?)", label)
    _filters(connection, listing, query)
    _sort(listing, query, expression)
    return listing


def _labels(connection: Connection, query: Query) -> list[int | None]:
    rows = LabelRows(connection)
    named = [
        *((LAYER, layer.value) for layer in query.layers),
        *((HARDWARE, node) for node in query.hardware),
        *((TAG, tag) for tag in query.tags),
    ]
    if len(query.evidence) == 1:
        named.append((EVIDENCE, query.evidence[0].value))
    return [rows.find(family, name) for family, name in dict.fromkeys(named)]


def _driver(rows: LabelRows, labels: list[int], order: Order) -> int | None:
    """The rarest label; None where all are so common that the score's own index is quicker."""
    counted = sorted((rows.few(label, FEW), label) for label in labels)
    if order is Order.SCORE and counted[0][0] >= FEW:
        return None
    return counted[0][1]


def _has(listing: Listing) -> str:
    return f"EXISTS (SELECT 1 FROM labelled WHERE place = {listing.place} AND"


def _expression(connection: Connection, query: Query, listing: Listing) -> str | None:
    """The search; words that are found nowhere are tried as beginnings of words."""
    if not query.text.strip():
        return None
    exact = search.expression(query.text)
    if exact is None:
        listing.need(_NOTHING)
        return None
    found = connection.row("SELECT 1 FROM search WHERE search MATCH ? LIMIT 1", (exact,))
    return exact if found else search.expression(query.text, loose=True)


def _filters(connection: Connection, listing: Listing, query: Query) -> None:
    kinds = [kind.value for kind in dict.fromkeys(query.kinds)]
    if len(kinds) == 1:
        listing.need("s.kind = ?", kinds[0])
    elif len(kinds) < len(StoryKind):
        # The plus keeps SQLite from walking an index of kinds and sorting what it finds.
        listing.need(f"+s.kind IN ({', '.join('?' * len(kinds))})", *kinds)
    if len(query.evidence) > 1:
        ids = [LabelRows(connection).find(EVIDENCE, each.value) for each in query.evidence]
        marks = ", ".join("?" * len(ids))
        listing.need(f"{_has(listing)} label IN ({marks}))", *ids)
    if query.min_score is not None:
        listing.need("s.score >= ?", query.min_score)
    if query.since is not None:
        listing.need(f"{listing.place} >= ?", (to_seconds(query.since) or 0) << SEQUENCE_BITS)
    if query.until is not None:
        listing.need(f"{listing.place} < ?", (to_seconds(query.until) or 0) << SEQUENCE_BITS)
    for wanted, column in ((query.starred, "starred"), (query.queued, "queued")):
        if wanted:
            listing.need(f"s.{column} = 1")
    if query.unread:
        listing.need("s.read = 0")
    elif query.muted:
        listing.need("s.read = 2")
    elif query.digest is None:  # a digest is shown whole
        listing.need("+s.read < 2")
    for wanted_id, column in ((query.feed, "feed"), (query.digest, "digest")):
        if wanted_id is not None:
            listing.need(f"s.{column} = ?", number(wanted_id))


def _sort(listing: Listing, query: Query, expression: str | None) -> None:
    place = listing.place
    listing.order = f"{place} DESC"
    if query.order is Order.SCORE:
        listing.rank = "s.score"
        listing.order = f"s.score DESC, {place} DESC"
    elif query.order is Order.RANK and expression is not None:
        listing.rank = "bm25(search, 6.0, 1.0)"
        listing.order = f"{listing.rank}, {place} DESC"
        listing.need(
            "search.rowid >= coalesce((SELECT rowid FROM search WHERE search MATCH ?"
            f" ORDER BY rowid DESC LIMIT 1 OFFSET {MOST_RANKED - 1}), -9e18)",
            expression,
        )


def after(listing: Listing, query: Query) -> None:
    """Let the listing begin after the query's cursor."""
    if query.after is None:
        return
    rank, place = query.after
    if query.order is Order.SCORE:
        listing.need(f"(s.score, {listing.place}) < (?, ?)", rank, place)
    elif listing.rank != "0":
        listing.need(
            f"({listing.rank} > ? OR ({listing.rank} = ? AND {listing.place} < ?))",
            *(rank, rank, place),
        )
    else:
        listing.need(f"{listing.place} < ?", place)


def without_evidence(query: Query) -> Query:
    """The same query with any kind of evidence, for counting what each kind would leave."""
    return replace(query, evidence=())


def number(id_: str) -> int:
    """Return the number in an id such as i34; 0, which nothing has, for what is none."""
    digits = id_[1:]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else 0


def kind_of(id_: str) -> StoryKind | None:
    """Return what an id such as i34 stands for, None for what is no story's."""
    return _KINDS.get(id_[:1])
