"""Whole texts: what the page of an entry says beyond its feed, kept beside the feed's own text."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from reader.errors import Usage
from reader.language import _
from reader.model import FeedKind, Labels
from reader.sanitise import clean_html, clean_text, images, text_of_clean
from reader.store.connection import Connection, to_seconds
from reader.store.images import same_host
from reader.store.labels import StoryLabels
from reader.store.listing import number

# What these give is whole: release notes, a commit's message, an abstract, a file.
WHOLE_KINDS = (
    FeedKind.GITHUB_RELEASES,
    FeedKind.GITHUB_COMMITS,
    FeedKind.ARXIV,
    FeedKind.FOLDER,
    FeedKind.DIGEST_SITE,
)
MOST_TRIES = 3  # one after the other; then one every few days
LAST_TRIES = 8  # and then no more
PATIENCE = timedelta(days=3)
GIVEN_UP = (
    f"SELECT key FROM refused WHERE tries >= {LAST_TRIES}"
    f" OR (tries >= {MOST_TRIES} AND tried > {{since}})"
)
LINES = 300  # characters: no post is as short
SHORT = 1_500  # characters: what a feed gives of a longer post is looked at for how it ends
LONG = 6_000  # characters: no teaser is as long
_CUT = re.compile(
    r"(?:\[?(?:…|\.\.\.)\]?|read (?:more|on|the (?:full|rest|whole)[\w\s]{0,20})|continue reading"
    r"|(?:full|whole) (?:post|article|story)|more"
    r"|阅读(?:全文|更多|原文)|查看(?:全文|更多)|全文链接)\W{0,6}$",
    re.IGNORECASE,
)
_FILED = re.compile(
    r"\n*The post .{1,300} (?:appeared first on|first appeared on) .{1,200}$", re.DOTALL
)


def is_cut(text: str) -> bool:
    """Tell whether a text says of itself that there is more, or is a line or two only."""
    said = _FILED.sub("", text).strip()
    return len(said) < LINES or (len(said) < LONG and _CUT.search(said[-120:]) is not None)


def is_teaser(text: str) -> bool:
    """Tell whether a text may be the beginning of a post: short, or cut."""
    return len(_FILED.sub("", text).strip()) < SHORT or is_cut(text)


@dataclass(frozen=True, slots=True)
class Whole:
    """The whole text of an entry as its page gave it at `seen`."""

    entry: str
    url: str
    seen: datetime
    content_html: str
    content_text: str


@dataclass(frozen=True, slots=True)
class Beginning:
    """An entry whose whole text may be wanted, with what its feed says of it."""

    entry: str
    title: str
    url: str
    content_text: str
    private: bool = False  # its host is one the user named himself


class WholeTexts:
    """The whole texts of one store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, entry_id: str) -> Whole | None:
        """Return the whole text of an entry, None where none was fetched."""
        row = self._connection.row(
            "SELECT * FROM whole_texts WHERE entry = ? ORDER BY seen DESC, id DESC LIMIT 1",
            (number(entry_id),),
        )
        return None if row is None else _whole(row)

    def all(self, entry_id: str) -> list[Whole]:
        """Return every whole text an entry has had, the present one last."""
        rows = self._connection.rows(
            "SELECT * FROM whole_texts WHERE entry = ? ORDER BY seen, id", (number(entry_id),)
        )
        return [_whole(row) for row in rows]

    def beginning(self, entry_id: str) -> Beginning:
        """Return what the feed says of an entry; raises Usage for one that has no page."""
        row = self._connection.row(
            "SELECT entries.id, entries.title, entries.url, content_text,"
            " CASE WHEN private THEN feeds.url END AS own FROM entries"
            " LEFT JOIN feeds ON feeds.id = entries.feed WHERE entries.id = ?",
            (number(entry_id),),
        )
        if row is None:
            raise Usage(_("{id} is not in the store.").format(id=clean_text(entry_id)))
        if row["url"] is None:
            raise Usage(_("{id} names no page to fetch.").format(id=entry_id))
        return _beginning(row)

    def wanting(
        self, limit: int, feed_id: str | None = None, now: datetime | None = None
    ) -> list[Beginning]:
        """Return entries without whole text, newest first; their texts may well be whole already.

        Those of one feed, or those of every feed that is set so. With `now`, what was refused
        some days ago is wanted again.
        """
        kinds = ", ".join(f"'{kind.value}'" for kind in WHOLE_KINDS)
        rows = self._connection.rows(
            f"""
            SELECT entries.id, entries.title, entries.url, content_text,
                CASE WHEN private THEN feeds.url END AS own
            FROM entries JOIN feeds ON feeds.id = entries.feed
            WHERE entries.url IS NOT NULL AND feeds.kind NOT IN ({kinds})
                AND (feeds.id = ?1 OR (?1 IS NULL AND feeds.whole_text))
                AND entries.id NOT IN (SELECT entry FROM digests)
                AND entries.id NOT IN (
                    SELECT entry FROM whole_texts WHERE feed_hash = entries.text_hash)
                AND entries.key NOT IN ({GIVEN_UP.format(since="?3")})
            ORDER BY entries.id DESC LIMIT ?2
            """,
            (None if feed_id is None else number(feed_id), limit, since(now)),
        )
        return [_beginning(row) for row in rows]

    def save(self, entry_id: str, url: str, html: str, labels: Labels, now: datetime) -> bool:
        """Keep the whole text of an entry, cleaned; return whether it says anything new.

        It is searched from now on, its pictures are fetched, and our labels are those of `labels`,
        which were made of it. Marks and the feed's own text stay as they are.
        """
        from reader.store.entries import Entries

        cleaned = clean_html(html, url)
        text = text_of_clean(cleaned)
        hashed = hashlib.sha256(cleaned.encode()).digest()[:16]
        with self._connection.write():
            entries, entry = Entries(self._connection), number(entry_id)
            row = entries.row(entry)
            old, place = entries.story(row, StoryLabels()), entries.place(entry)
            known = self._connection.row(
                "SELECT id FROM whole_texts WHERE entry = ? AND text_hash = ?", (entry, hashed)
            )
            current = self.get(entry_id)
            self._connection.run(
                "INSERT INTO whole_texts"
                " (entry, seen, feed_hash, text_hash, url, content_text, content_html)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (entry, text_hash)"
                " DO UPDATE SET feed_hash = excluded.feed_hash",
                (entry, to_seconds(now), row["text_hash"], hashed, clean_text(url), text, cleaned),
            )
            self._use_images(entry, images(cleaned))
            if place is not None:
                new = entries.story(row, StoryLabels(ours=labels))
                entries.places.update(place, old, new)
            self._connection.run("DELETE FROM refused WHERE key = ?", (row["key"],))
        return known is None or current is None

    def _use_images(self, entry: int, urls: Iterable[str]) -> None:
        rows = [(url,) for url in urls]
        self._connection.run_many("INSERT OR IGNORE INTO images (url) VALUES (?)", rows)
        self._connection.run_many(
            "INSERT OR IGNORE INTO image_uses (url, entry) VALUES (?, ?)",
            [(url, entry) for (url,) in rows],
        )

    def failed(self, entry_id: str, why: str, now: datetime) -> None:
        """Remember that the page of an entry could not be had."""
        key = self._connection.value("SELECT key FROM entries WHERE id = ?", (number(entry_id),))
        if key is not None:
            refuse(self._connection, key, why, now)

    def set(self, feed_id: str, *, on: bool) -> None:
        """Fetch the whole text of a feed's entries at every sync, or no longer."""
        with self._connection.write():
            self._connection.run(
                "UPDATE feeds SET whole_text = ? WHERE id = ?", (on, number(feed_id))
            )

    def is_set(self, feed_id: str) -> bool:
        """Whether the whole text of a feed's entries is fetched at every sync."""
        return bool(
            self._connection.value("SELECT whole_text FROM feeds WHERE id = ?", (number(feed_id),))
        )


def _beginning(row: sqlite3.Row) -> Beginning:
    private = same_host(row["url"], row["own"] or "")
    return Beginning(f"e{row['id']}", row["title"], row["url"], row["content_text"], private)


def _whole(row: sqlite3.Row) -> Whole:
    return Whole(
        f"e{row['entry']}",
        row["url"],
        datetime.fromtimestamp(row["seen"], UTC),
        row["content_html"],
        row["content_text"],
    )


def since(now: datetime | None) -> int:
    """Return from when on a refusal still counts; without `now`, each does."""
    return 0 if now is None else to_seconds(now - PATIENCE) or 0


def refuse(connection: Connection, key: str, why: str, now: datetime) -> None:
    """Remember under a key that something could not be had, and why."""
    with connection.write():
        connection.run(
            "INSERT INTO refused (key, tries, tried, why) VALUES (?1, 1, ?2, ?3)"
            " ON CONFLICT (key) DO UPDATE SET tries = tries + 1, tried = ?2, why = ?3",
            (key, to_seconds(now), clean_text(why)),
        )
