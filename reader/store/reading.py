"""One story whole: rows of several tables as an Item, Entry or Digest."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, fields, replace
from datetime import datetime

from reader.errors import Usage
from reader.language import _
from reader.model import (
    Digest,
    Entry,
    Item,
    Labels,
    Marks,
    ParsedDigest,
    ParsedItem,
    QueueState,
    Source,
    StoryKind,
)
from reader.sanitise import clean_text, text_of_clean
from reader.store import marks
from reader.store.codec import unpack
from reader.store.connection import Connection, to_moment
from reader.store.labels import parse_combination
from reader.store.listing import kind_of, number
from reader.store.outcomes import Outcomes

# Fields of an Item that stand in its row's text as they were read.
_SHARED = {each.name for each in fields(ParsedItem)} & {each.name for each in fields(Item)}
_AS_PARSED = _SHARED - {"title", "title_derived", "sources"}


@dataclass(frozen=True, slots=True)
class Revision:
    """What an entry said until `until` (None: it says so now)."""

    title: str
    content_html: str
    content_text: str
    updated: datetime | None
    until: datetime | None


class Reading:
    """Reads stories; every method stands inside a snapshot."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._marks = marks.Marks(connection)
        self._outcomes = Outcomes(connection)

    def get(self, id_: str) -> Item | Entry | Digest:
        """Return one story; raises Usage where there is none of that id."""
        kind = kind_of(id_)
        found: Item | Entry | Digest | None = None
        if kind is StoryKind.ITEM:
            found = next(iter(self._items("items.id = ?", number(id_))), None)
        elif kind is StoryKind.ENTRY:
            found = self._entry(number(id_))
        elif kind is StoryKind.DIGEST:
            found = self._digest(number(id_))
        if found is None:
            raise Usage(_("{id} is not in the store.").format(id=clean_text(id_)))
        return found

    def items(self, digest: int) -> list[Item]:
        """Return the items of a digest in its order."""
        return self._items("items.digest = ?", digest)

    def _items(self, condition: str, value: int) -> list[Item]:
        rows = self._connection.rows(
            f"""
            SELECT items.*, entries.feed, entries.published, entries.url AS digest_url, labels
            FROM items JOIN digests ON digests.id = items.digest
            JOIN entries ON entries.id = digests.entry
            LEFT JOIN stories ON stories.kind = 'item' AND stories.ref = items.id
            LEFT JOIN combinations ON combinations.id = combination
            WHERE {condition} ORDER BY gone, position, items.id
            """,
            (value,),
        )
        return [self._item(row) for row in rows]

    def _item(self, row: sqlite3.Row) -> Item:
        parsed = unpack(ParsedItem, row["parsed"])
        same = {name: getattr(parsed, name) for name in _AS_PARSED}
        return Item(
            id=f"i{row['id']}",
            digest=f"d{row['digest']}",
            title=row["title"],
            title_derived=bool(row["title_derived"]),
            feed=_feed(row["feed"]),
            published=to_moment(row["published"]),
            url=row["url"] or row["digest_url"],
            labels=_ours(row["labels"]),
            sources=self._sources(row["id"]),
            marks=self._marked(row["key"]),
            gone=bool(row["gone"]),
            **same,
        )

    def _sources(self, item: int) -> tuple[Source, ...]:
        rows = self._connection.rows(
            "SELECT title, url, (SELECT min(id) FROM entries"
            " WHERE entries.source_key = sources.source_key) AS entry"
            " FROM sources WHERE item = ? ORDER BY n",
            (item,),
        )
        return tuple(
            Source(row["title"], row["url"], None if row["entry"] is None else f"e{row['entry']}")
            for row in rows
        )

    def _entry(self, entry: int) -> Entry | None:
        row = self._connection.row(
            """
            SELECT entries.*, digests.id AS digest, labels,
                (SELECT count(*) FROM revisions
                    WHERE entry = entries.id AND text_hash <> entries.text_hash) AS older
            FROM entries LEFT JOIN digests ON digests.entry = entries.id
            LEFT JOIN stories ON (stories.kind, stories.ref) =
                (CASE WHEN digests.id THEN 'digest' ELSE 'entry' END,
                    coalesce(digests.id, entries.id))
            LEFT JOIN combinations ON combinations.id = combination
            WHERE entries.id = ?
            """,
            (entry,),
        )
        if row is None:
            return None
        return Entry(
            id=f"e{row['id']}",
            title=row["title"],
            feed=_feed(row["feed"]),
            published=to_moment(row["published"]),
            updated=to_moment(row["updated"]),
            url=row["url"],
            authors=unpack(tuple[str, ...], row["authors"]),
            content_text=row["content_text"],
            content_html=row["content_html"],
            versions=row["older"] + 1,
            labels=_ours(row["labels"]),
            marks=self._marked(row["key"]),
            notices=unpack(tuple[str, ...], row["notices"]),
            digest=None if row["digest"] is None else f"d{row['digest']}",
            categories=unpack(tuple[str, ...], row["categories"]),
        )

    def _digest(self, digest: int) -> Digest | None:
        row = self._connection.row(
            "SELECT digests.id, entry, parsed, key, feed, published, url"
            " FROM digests JOIN entries ON entries.id = entry WHERE digests.id = ?",
            (digest,),
        )
        if row is None:
            return None
        items = self._connection.rows(
            "SELECT id FROM items WHERE digest = ? ORDER BY gone, position, id", (digest,)
        )
        return Digest(
            id=f"d{row['id']}",
            entry=f"e{row['entry']}",
            parsed=replace(unpack(ParsedDigest, row["parsed"]), items=()),
            items=tuple(f"i{item['id']}" for item in items),
            feed=_feed(row["feed"]),
            published=to_moment(row["published"]),
            url=row["url"],
            marks=self._marked(row["key"]),
        )

    def _marked(self, key: str) -> Marks:
        return told(self._marks.of([key])[key], self._outcomes.states([key]).get(key))

    def revisions(self, entry: int) -> list[Revision]:
        """Return every text an entry has had, the present one last."""
        rows = self._connection.rows(
            "SELECT title, content_html, updated, seen FROM revisions WHERE entry = ?1 AND"
            " text_hash <> (SELECT text_hash FROM entries WHERE id = ?1) ORDER BY seen",
            (entry,),
        )
        now = self._connection.rows(
            "SELECT title, content_html, updated, NULL AS seen FROM entries WHERE id = ?", (entry,)
        )
        return [
            Revision(
                title=row["title"],
                content_html=row["content_html"],
                content_text=text_of_clean(row["content_html"]),
                updated=to_moment(row["updated"]),
                until=to_moment(row["seen"]),
            )
            for row in (*rows, *now)
        ]


def told(held: dict[str, str], state: QueueState | None) -> Marks:
    """Return the marks that stand under a key as a noun."""
    return Marks(
        read=marks.READ in held,
        starred=marks.STARRED in held,
        tags=tuple(sorted(m.removeprefix(marks.TAG) for m in held if m.startswith(marks.TAG))),
        note=held.get(marks.NOTE),
        queue_state=state,
        muted=held.get(marks.MUTED),
    )


def _feed(number_: int | None) -> str | None:
    return None if number_ is None else f"f{number_}"


def _ours(combination: str | None) -> Labels:
    return Labels() if combination is None else parse_combination(combination).ours
