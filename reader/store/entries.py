"""Entries: the rows of posts, their revisions, pictures and place in the lists."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime

from reader.model import Labels
from reader.sanitise import images
from reader.store.codec import unpack
from reader.store.connection import Connection, to_moment, to_seconds
from reader.store.incoming import Prepared
from reader.store.labels import StoryLabels
from reader.store.marks import Marks
from reader.store.places import Places, Story, sorted_by
from reader.store.texts import entry_body
from reader.store.whole import WholeTexts

NEW, UPDATED, UNCHANGED = "new", "updated", "unchanged"


class Entries:
    """Writes entries; every method but `changes` stands inside a write."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.places = Places(connection)
        self.marks = Marks(connection)

    def changes(self, prepared: Prepared) -> bool:
        """Whether an entry says anything anew."""
        row = self._row(self.find(prepared))
        return row is None or row["raw_hash"] != prepared.raw_hash

    def _row(self, entry: int | None) -> sqlite3.Row | None:
        return self._connection.row("SELECT * FROM entries WHERE id = ?", (entry,))

    def row(self, entry: int) -> sqlite3.Row:
        """Return the row of an entry that is known to exist."""
        found = self._row(entry)
        if found is None:
            raise LookupError(f"entry {entry}")
        return found

    def find(self, prepared: Prepared) -> int | None:
        """Return the entry that this is, by its first key, else by another and its title.

        A second key alone proves little: some feeds link every post to the same page.
        """
        for at, key in enumerate(prepared.keys):
            row = self._connection.row(
                "SELECT id, title FROM entries WHERE key = coalesce("
                "(SELECT key FROM aliases WHERE alias = ?1), ?1)",
                (key,),
            )
            if row is not None and (at == 0 or row["title"] == prepared.title):
                return int(row["id"])
        return None

    def save(self, feed: int | None, prepared: Prepared, now: datetime) -> tuple[int, str]:
        """Save a plain entry; return its id and what became of it."""
        entry = self.find(prepared)
        if entry is None:
            entry = self.insert(feed, prepared, now)
            row = self.row(entry)
            moment = sorted_by(prepared.incoming.entry.published, now)
            story = self.story(row, StoryLabels(ours=prepared.incoming.labels))
            self.places.put(self.places.next(moment), story)
            self.marks.copy_all(row["key"])
            return entry, NEW
        self.alias(prepared.keys, self.row(entry)["key"])
        self.claim(entry, feed)
        return entry, self.rewrite(entry, prepared, now)

    def insert(self, feed: int | None, prepared: Prepared, now: datetime) -> int:
        """Write a new entry's row, without its place; return its id."""
        columns = dict(prepared.columns)
        columns |= {"key": self._free_key(prepared), "feed": feed, "seen": to_seconds(now)}
        cursor = self._connection.run(
            f"INSERT INTO entries ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
            tuple(columns.values()),
        )
        entry = int(cursor.lastrowid or 0)
        self.alias(prepared.keys, str(columns["key"]))
        self._use_images(entry, prepared)
        return entry

    def _free_key(self, prepared: Prepared) -> str:
        """The key for a new entry: the one it had before it was removed, else its own."""
        for alias in prepared.keys:
            key = self._connection.value("SELECT key FROM aliases WHERE alias = ?", (alias,))
            taken = self._connection.row("SELECT 1 FROM entries WHERE key = ?", (key,))
            if key is not None and taken is None:
                return str(key)
        return prepared.keys[0]

    def alias(self, aliases: Iterable[str], key: str) -> None:
        """Let keys lead to the one that marks stand under, where they lead nowhere yet."""
        self._connection.run_many(
            "INSERT OR IGNORE INTO aliases (alias, key) VALUES (?, ?)",
            [(alias, key) for alias in aliases],
        )

    def claim(self, entry: int, feed: int | None) -> None:
        """An entry that came by file, or whose feed was removed, belongs to the feed it is in."""
        if feed is None:
            return
        changed = self._connection.run(
            "UPDATE entries SET feed = ? WHERE id = ? AND feed IS NULL", (feed, entry)
        ).rowcount
        if changed:
            self._connection.run(
                "UPDATE stories SET feed = ?1 WHERE kind = 'entry' AND ref = ?2"
                " OR digest = (SELECT id FROM digests WHERE entry = ?2)",
                (feed, entry),
            )

    def rewrite(self, entry: int, prepared: Prepared, now: datetime) -> str:
        """Bring an entry to what it says now, keeping what it said as a Revision."""
        before = self.row(entry)
        if before["raw_hash"] == prepared.raw_hash:
            return UNCHANGED
        columns = dict(prepared.columns)
        for gap in ("published", "url", "source_key"):
            columns[gap] = columns[gap] or before[gap]
        if before["published"] is not None:
            columns["published"] = before["published"]
        changed = before["text_hash"] != prepared.text_hash
        if changed:
            columns["seen"] = to_seconds(now)
            self._keep_revision(before, now)
        self._connection.run(
            f"UPDATE entries SET {', '.join(f'{name} = ?' for name in columns)} WHERE id = ?",
            (*columns.values(), entry),
        )
        if changed:
            self._use_images(entry, prepared)
        self._follow(before, self.row(entry), prepared.incoming.labels, now)
        return UPDATED if changed else UNCHANGED

    def _keep_revision(self, before: sqlite3.Row, now: datetime) -> None:
        self._connection.run(
            "INSERT OR REPLACE INTO revisions"
            " (entry, text_hash, seen, updated, title, content_html) VALUES (?, ?, ?, ?, ?, ?)",
            (
                before["id"],
                before["text_hash"],
                to_seconds(now),
                before["updated"],
                before["title"],
                before["content_html"],
            ),
        )

    def _follow(
        self, before: sqlite3.Row, after: sqlite3.Row, labels: Labels, now: datetime
    ) -> None:
        """Bring the entry's story (or its digest's) to what the entry says now."""
        place = self.place(after["id"])
        if place is None:
            return
        if WholeTexts(self._connection).get(f"e{after['id']}") is not None:
            labels = self.places.labels(place).ours  # made of more than the feed says
        old, new = self.story(before, StoryLabels()), self.story(after, StoryLabels(ours=labels))
        self.places.update(place, old, new)
        if before["published"] is None:
            self.follow_date(after["id"], None, now)

    def follow_date(self, entry: int, before: int | None, now: datetime) -> None:
        """Take an entry's own story to where its date belongs, where that has changed."""
        row, place = self.row(entry), self.place(entry)
        if place is not None and row["published"] not in (None, before):
            moment = sorted_by(to_moment(row["published"]), now)
            story = self.story(row, StoryLabels())
            self.places.move(place, story, self.places.next(moment))

    def digest(self, entry: int) -> int | None:
        """Return the digest an entry divides into, if it does."""
        found = self._connection.value("SELECT id FROM digests WHERE entry = ?", (entry,))
        return None if found is None else int(found)

    def place(self, entry: int) -> int | None:
        """Return where an entry stands in the lists: a digest stands there in its entry's stead."""
        digest = self.digest(entry)
        if digest is not None:
            place = self.places.find("digest", digest)
            if place is not None:
                return place
        return self.places.find("entry", entry)

    def story(self, row: sqlite3.Row, labels: StoryLabels) -> Story:
        """Return the story of an entry's row; its whole text is searched too."""
        digest = self.digest(row["id"])
        whole = WholeTexts(self._connection).get(f"e{row['id']}")
        text = row["content_text"] + ("" if whole is None else f"\n\n{whole.content_text}")
        return Story(
            kind="entry" if digest is None else "digest",
            ref=row["id"] if digest is None else digest,
            feed=row["feed"],
            digest=digest,
            labels=labels,
            score=None,
            title=row["title"],
            body=entry_body(text, unpack(tuple[str, ...], row["authors"])),
        )

    def _use_images(self, entry: int, prepared: Prepared) -> None:
        self._connection.run("DELETE FROM image_uses WHERE entry = ?", (entry,))
        whole = WholeTexts(self._connection).get(f"e{entry}")
        beside = images(whole.content_html) if whole is not None else []
        urls = [(url,) for url in dict.fromkeys((*prepared.images, *beside))]
        self._connection.run_many("INSERT OR IGNORE INTO images (url) VALUES (?)", urls)
        self._connection.run_many(
            "INSERT OR IGNORE INTO image_uses (url, entry) VALUES (?, ?)",
            [(url, entry) for (url,) in urls],
        )

    def absorb(self, plain: int, into: int) -> None:
        """Two entries turn out to be one: the user's marks go over, the plain one goes."""
        old, new = self.row(plain)["key"], self.row(into)["key"]
        self._connection.run("UPDATE aliases SET key = ? WHERE key = ?", (new, old))
        self.remove(plain)
        self.marks.rekey(old, new)

    def remove(self, entry: int) -> None:
        """Take an entry out of the store, its items first; marks stay under their keys."""
        row = self.row(entry)
        place = self.place(entry)
        if place is not None:
            self.places.take(place, self.story(row, StoryLabels()), self.marks.tags_of(row["key"]))
        self._connection.run("DELETE FROM entries WHERE id = ?", (entry,))
