"""Items of a digest: matched from form to form, so that ids and marks stay; never thrown away."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from reader import identity
from reader.model import Incoming, Labels, ParsedDigest, ParsedItem
from reader.store.codec import pack, unpack
from reader.store.connection import Connection, to_moment
from reader.store.entries import Entries
from reader.store.labels import StoryLabels
from reader.store.merge import match, merged
from reader.store.places import Story, sorted_by
from reader.store.texts import item_body, snippet


class Items:
    """Writes items; every method stands inside a write."""

    def __init__(self, connection: Connection, entries: Entries) -> None:
        self._connection = connection
        self._entries = entries

    def save(
        self,
        digest: sqlite3.Row,
        previous: ParsedDigest | None,
        parsed: ParsedDigest,
        incoming: Incoming,
        now: datetime,
        *,
        richer: bool,
    ) -> bool:
        """Bring the items of a digest to what this form says; return whether any changed."""
        scope = str(digest["scope"])
        known = self.known(digest["id"])
        said_before = previous.items if previous is not None else ()
        before = dict(zip(match(scope, known, said_before), said_before, strict=True))
        found = match(scope, known, parsed.items)
        changed = self._vanish(known, found, before)
        current = dict(known)
        for at, (item, id_) in enumerate(zip(parsed.items, found, strict=True)):
            labels = incoming.item_labels[at] if at < len(incoming.item_labels) else Labels()
            if id_ is None:
                self.insert(digest, item, labels, now, position=at if richer else None)
                changed = True
            else:
                said = merged(current[id_], before.get(id_), item, richer=richer)
                changed |= self.update(id_, current[id_], said, labels if richer else None)
                self.settle(scope, id_, item)
                if richer:
                    self._connection.run("UPDATE items SET position = ? WHERE id = ?", (at, id_))
        return changed

    def known(self, digest: int) -> list[tuple[int, ParsedItem]]:
        """Return the items of a digest with their ids, in order."""
        rows = self._connection.rows(
            "SELECT id, parsed FROM items WHERE digest = ? ORDER BY position, id", (digest,)
        )
        return [(row["id"], unpack(ParsedItem, row["parsed"])) for row in rows]

    def _vanish(
        self,
        known: Sequence[tuple[int, ParsedItem]],
        found: Sequence[int | None],
        before: dict[int | None, ParsedItem],
    ) -> bool:
        """Mark what an edit dropped, unmark what came back."""
        changed = False
        for id_, _item in known:
            dropped = id_ not in found and id_ in before
            if dropped or id_ in found:
                changed |= bool(
                    self._connection.run(
                        "UPDATE items SET gone = ?1 WHERE id = ?2 AND gone <> ?1", (dropped, id_)
                    ).rowcount
                )
        return changed

    def insert(
        self,
        digest: sqlite3.Row,
        item: ParsedItem,
        labels: Labels,
        now: datetime,
        *,
        position: int | None,
    ) -> int:
        """Write a new item with its place, aliases and waiting marks; return its id."""
        keys = ["i:" + key for key in identity.item_keys(digest["scope"], item)]
        key = self._free_key(keys)
        if position is None:
            position = int(
                self._connection.value(
                    "SELECT coalesce(max(position), -1) + 1 FROM items WHERE digest = ?",
                    (digest["id"],),
                )
            )
        cursor = self._connection.run(
            "INSERT INTO items (key, digest, position, title, title_derived, section, url, snippet,"
            " parsed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (key, digest["id"], position, *_columns(item)),
        )
        id_ = int(cursor.lastrowid or 0)
        self._sources(id_, item)
        entry = self._entries.row(digest["entry"])
        moment = sorted_by(to_moment(entry["published"]), now)
        story = self._story(id_, digest["id"], entry["feed"], item, labels)
        self._entries.places.put(self._entries.places.next(moment), story)
        self.settle(digest["scope"], id_, item)
        self._entries.marks.copy_all(key)
        return id_

    def _free_key(self, keys: list[str]) -> str:
        """The key for a new item: one it had before it was removed, else its best that is free.

        Items of one digest may share a source, so a key that leads to another one is not free.
        """
        lead = {alias: self._leads(alias) for alias in keys}
        for key in (*filter(None, lead.values()), *keys):
            if not self._taken(key) and lead.get(key) in (None, key):
                return key
        twin = 2
        while self._taken(f"{keys[-1]}#{twin}"):
            twin += 1
        return f"{keys[-1]}#{twin}"

    def _leads(self, alias: str) -> str | None:
        key = self._connection.value("SELECT key FROM aliases WHERE alias = ?", (alias,))
        return None if key is None else str(key)

    def _taken(self, key: str) -> bool:
        return self._connection.row("SELECT 1 FROM items WHERE key = ?", (key,)) is not None

    def settle(self, scope: str, id_: int, item: ParsedItem, others: Sequence[str] = ()) -> str:
        """Let every key of this form lead to the item; return the key its marks stand under."""
        own = str(self._connection.value("SELECT key FROM items WHERE id = ?", (id_,)))
        keys = [own, *("i:" + each for each in identity.item_keys(scope, item)), *others]
        self._entries.alias(keys, own)
        return own

    def update(
        self, id_: int, current: ParsedItem, said: ParsedItem, labels: Labels | None
    ) -> bool:
        """Let an item say this; None leaves our labels; return whether it says something else."""
        place = self._entries.places.find("item", id_)
        if place is None:
            return False
        before = self._entries.places.labels(place)
        after = StoryLabels(site=said.layers, ours=before.ours if labels is None else labels)
        if said == current and before == after:
            return False
        self._connection.run(
            "UPDATE items SET title = ?, title_derived = ?, section = ?, url = ?, snippet = ?,"
            " parsed = ? WHERE id = ?",
            (*_columns(said), id_),
        )
        self._sources(id_, said)
        row = self._connection.rows("SELECT digest, feed FROM stories WHERE place = ?", (place,))[0]
        old = self._story(id_, row["digest"], row["feed"], current, before.ours)
        new = self._story(id_, row["digest"], row["feed"], said, after.ours)
        self._entries.places.update(place, old, new)
        return said != current

    def _sources(self, id_: int, item: ParsedItem) -> None:
        self._connection.run("DELETE FROM sources WHERE item = ?", (id_,))
        self._connection.run_many(
            "INSERT INTO sources (item, n, title, url, source_key) VALUES (?, ?, ?, ?, ?)",
            [
                (
                    id_,
                    n,
                    source.title,
                    source.url,
                    identity.source_key(source.url) if source.url else None,
                )
                for n, source in enumerate(item.sources)
            ],
        )

    def _story(
        self, id_: int, digest: int, feed: int | None, item: ParsedItem, labels: Labels
    ) -> Story:
        return Story(
            kind="item",
            ref=id_,
            feed=feed,
            digest=digest,
            labels=StoryLabels(site=item.layers, ours=labels),
            score=item.score,
            title=item.title,
            body=item_body(item),
        )

    def move(self, digest: int, moment: datetime) -> None:
        """Take all items of a digest to another date, in their order."""
        places = self._entries.places
        for id_, item in self.known(digest):
            place = places.find("item", id_)
            if place is not None:
                labels = places.labels(place).ours
                story = self._story(id_, digest, None, item, labels)
                places.move(place, story, places.next(moment))

    def remove(self, digest: int) -> None:
        """Take all items of a digest out of the store; their marks stay under their keys."""
        for id_, item in self.known(digest):
            place = self._entries.places.find("item", id_)
            if place is None:
                continue
            key = self._connection.value("SELECT key FROM items WHERE id = ?", (id_,))
            tags = self._entries.marks.tags_of(key)
            self._entries.places.take(place, self._story(id_, digest, None, item, Labels()), tags)


def _columns(item: ParsedItem) -> tuple[object, ...]:
    url = next((source.url for source in item.sources if source.url), None)
    text = item.summary or item.reported_result or item.why or item.body
    return (
        item.title,
        item.title_derived,
        item.section,
        url,
        snippet(text),
        pack(item),
    )
