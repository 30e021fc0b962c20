"""List rows: the short columns of many stories at once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from reader.model import FeedKind, Marks, Row, StoryKind
from reader.store import marks
from reader.store.connection import Connection, to_moment
from reader.store.labels import parse_combination
from reader.store.listing import LETTERS, kind_of, number
from reader.store.outcomes import Outcomes
from reader.store.reading import told

_SHARED = """
    stories.kind, stories.ref, stories.score, stories.digest, labels,
    feeds.id AS feed, coalesce(feeds.title, '') AS feed_title, feeds.kind AS feed_kind
"""
_JOINED = """
    JOIN combinations ON combinations.id = combination
    LEFT JOIN feeds ON feeds.id = stories.feed
    WHERE stories.kind = ? AND ref IN (SELECT value FROM json_each(?))
"""
_FROM = {
    StoryKind.ITEM: f"""
        SELECT {_SHARED}, items.key, items.title, title_derived, items.snippet, section,
            published, coalesce(items.url, entries.url) AS url
        FROM stories JOIN items ON items.id = ref
        JOIN digests ON digests.id = items.digest JOIN entries ON entries.id = digests.entry
        {_JOINED}""",
    StoryKind.ENTRY: f"""
        SELECT {_SHARED}, entries.key, entries.title, 0 AS title_derived, snippet, '' AS section,
            published, entries.url
        FROM stories JOIN entries ON entries.id = ref {_JOINED}""",
    StoryKind.DIGEST: f"""
        SELECT {_SHARED}, entries.key, entries.title, 0 AS title_derived, snippet, '' AS section,
            published, entries.url
        FROM stories JOIN digests ON digests.id = ref JOIN entries ON entries.id = digests.entry
        {_JOINED}""",
}


class Rows:
    """Reads list rows; every method stands inside a snapshot."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._marks = marks.Marks(connection)
        self._outcomes = Outcomes(connection)

    def of(self, ids: Sequence[str]) -> list[Row]:
        """Return the rows of stories in the order asked; those that are gone are left out."""
        found: dict[str, sqlite3.Row] = {}
        for kind, sql in _FROM.items():
            numbers = [number(id_) for id_ in ids if kind_of(id_) is kind]
            if numbers:
                for row in self._connection.rows(sql, (kind.value, json.dumps(numbers))):
                    found[f"{LETTERS[row['kind']]}{row['ref']}"] = row
        keys = [row["key"] for row in found.values()]
        held, states = self._marks.of(keys), self._outcomes.states(keys)
        return [
            _row(id_, found[id_], told(held[found[id_]["key"]], states.get(found[id_]["key"])))
            for id_ in ids
            if id_ in found
        ]


def _row(id_: str, row: sqlite3.Row, marked: Marks) -> Row:
    labels = parse_combination(row["labels"])
    return Row(
        id=id_,
        kind=StoryKind(row["kind"]),
        title=row["title"],
        title_derived=bool(row["title_derived"]),
        snippet=row["snippet"],
        published=to_moment(row["published"]),
        score=None if row["score"] < 0 else row["score"],
        layers=labels.shown,
        layers_ours=not labels.site,
        hardware=labels.ours.hardware,
        evidence=labels.ours.evidence,
        feed=None if row["feed"] is None else f"f{row['feed']}",
        feed_title=row["feed_title"],
        feed_kind=None if row["feed_kind"] is None else FeedKind(row["feed_kind"]),
        digest=None if row["digest"] is None else f"d{row['digest']}",
        section=row["section"],
        url=row["url"],
        marks=marked,
    )
