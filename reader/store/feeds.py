"""Feeds: subscriptions, what came of each attempt, and what is kept of them."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta

from reader.errors import Usage
from reader.language import _
from reader.model import Feed, FeedKind, Fetch, Health, Wanted
from reader.sanitise import clean_text
from reader.sanitise.plain import clean_plain
from reader.store.codec import pack, unpack
from reader.store.connection import Connection, now, to_moment, to_seconds
from reader.store.listing import number


@dataclass(frozen=True, slots=True)
class Kept:
    """What can be read without a network."""

    sources: int  # feeds
    sources_ok: int  # of them, those whose last fetch worked
    images: int
    images_missing: int
    last_sync: datetime | None


_COLUMNS = """
    feeds.*,
    (SELECT count(*) FROM entries WHERE entries.feed = feeds.id) AS entries,
    (SELECT count(*) FROM stories WHERE stories.feed = feeds.id AND read = 0
        AND kind <> 'item') AS unread
"""
_FAULTY = (Health.FAILED, Health.GONE)


class Feeds:
    """The subscriptions of one store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(
        self,
        url: str,
        title: str = "",
        kind: FeedKind = FeedKind.FEED,
        *,
        private: bool = False,
        topic_filter: bool = False,
    ) -> Feed:
        """Subscribe; an address that is subscribed already gives the Feed that stands."""
        from reader import identity

        url = identity.without_login(clean_plain(url).strip())  # a secret never stands here
        key = identity.feed_key(url)
        with self._connection.write():
            for row in self._connection.rows("SELECT id, key, url FROM feeds"):
                if key in (row["key"], identity.feed_key(row["url"])):
                    return self.get(f"f{row['id']}")
            cursor = self._connection.run(
                "INSERT INTO feeds (key, url, title, kind, private, topic_filter)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (key, url, clean_text(title), kind.value, private, topic_filter),
            )
        return self.get(f"f{cursor.lastrowid}")

    def get(self, id_: str) -> Feed:
        """Return one Feed; raises Usage where there is none of that id."""
        row = self._connection.row(
            f"SELECT {_COLUMNS} FROM feeds WHERE id = ?",
            (number(id_) if id_.startswith("f") else 0,),
        )
        if row is None:
            raise Usage(_("There is no feed {id}.").format(id=clean_text(id_)))
        return _feed(row)

    def all(self) -> list[Feed]:
        """Return every Feed, in the order they were added."""
        rows = self._connection.rows(f"SELECT {_COLUMNS} FROM feeds ORDER BY id")
        return [_feed(row) for row in rows]

    def due(self, moment: datetime) -> list[Feed]:
        """Return the Feeds that were never fetched or whose next check has come."""
        rows = self._connection.rows(
            f"SELECT {_COLUMNS} FROM feeds WHERE next_check IS NULL OR next_check <= ? ORDER BY id",
            (to_seconds(moment),),
        )
        return [_feed(row) for row in rows]

    def describe(
        self,
        id_: str,
        *,
        title: str | None = None,
        kind: FeedKind | None = None,
        language: str | None = None,
        topic_filter: bool | None = None,
        private: bool | None = None,
        wanted: Wanted | None = None,
    ) -> Feed:
        """Change what a Feed is called and how it is read; None leaves it."""
        changes = {
            "title": None if title is None else clean_text(title),
            "kind": None if kind is None else kind.value,
            "language": language,
            "topic_filter": topic_filter,
            "private": private,
            "wanted": None if wanted is None else pack(wanted),
        }
        told: dict[str, object] = {
            name: value for name, value in changes.items() if value is not None
        }
        feed = self.get(id_)
        if (wanted not in (None, feed.wanted)) or topic_filter not in (None, feed.topic_filter):
            told |= {"etag": None, "last_modified": None}  # all of it is looked at again
        if told:
            with self._connection.write():
                self._connection.database.table("feeds").update(number(feed.id), told)
        return self.get(id_)

    def record(self, id_: str, fetch: Fetch) -> None:
        """Keep what came of one attempt, and what it says of the Feed from now on."""
        from reader import identity

        feed, at = self.get(id_), to_seconds(fetch.at)
        changes: dict[str, object] = {
            "last_checked": at,
            "next_check": to_seconds(fetch.next_check),
            "health": fetch.outcome.value,
            "error": None if fetch.error is None else clean_text(fetch.error),
        }
        if fetch.outcome in _FAULTY:
            changes["failing_since"] = to_seconds(feed.failing_since) or at
        else:
            changes["failing_since"] = None
            changes |= {"etag": fetch.etag, "last_modified": fetch.last_modified}
        if fetch.new or fetch.updated:
            changes["last_changed"] = at
        if fetch.url:
            changes["url"] = identity.without_login(fetch.url)
        with self._connection.write():
            database = self._connection.database
            database.table("feeds").update(number(id_), changes)
            self._connection.run(
                "INSERT OR REPLACE INTO fetches (feed, at, outcome, error, new, updated, seconds)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    number(id_),
                    at,
                    fetch.outcome.value,
                    changes["error"],
                    fetch.new,
                    fetch.updated,
                    fetch.seconds,
                ),
            )

    def history(self, id_: str, days: int = 14) -> list[Fetch]:
        """Return the attempts of the last `days`, oldest first."""
        rows = self._connection.rows(
            "SELECT * FROM fetches WHERE feed = ? AND at >= ? ORDER BY at",
            (number(id_), to_seconds(now() - timedelta(days=days))),
        )
        return [
            Fetch(
                at=to_moment(row["at"]) or now(),
                outcome=Health(row["outcome"]),
                error=row["error"],
                new=row["new"],
                updated=row["updated"],
                seconds=row["seconds"],
            )
            for row in rows
        ]

    def remove(self, id_: str) -> int:
        """Unsubscribe; return how many entries stay because the user has marked them.

        An entry stays when it or one of its items is starred, tagged, noted, queued or has Runs.
        """
        from reader.store.purge import Purge

        feed = self.get(id_)
        return Purge(self._connection).feed(number(feed.id))

    def kept(self) -> Kept:
        """Return what can be read without a network."""
        with self._connection.snapshot():
            feeds = self._connection.rows("SELECT health, last_checked FROM feeds")
            images = self._connection.rows(
                "SELECT count(*), count(body) FROM images WHERE url IN (SELECT url FROM image_uses)"
            )[0]
        fetched = [row for row in feeds if row["health"] is not None]
        good = [row for row in fetched if Health(row["health"]) not in _FAULTY]
        last = max((row["last_checked"] for row in fetched), default=None)
        return Kept(
            sources=len(feeds),
            sources_ok=len(good),
            images=images[1],
            images_missing=images[0] - images[1],
            last_sync=to_moment(last),
        )


def _feed(row: sqlite3.Row) -> Feed:
    return Feed(
        id=f"f{row['id']}",
        url=row["url"],
        title=row["title"],
        kind=FeedKind(row["kind"]),
        last_checked=to_moment(row["last_checked"]),
        last_changed=to_moment(row["last_changed"]),
        next_check=to_moment(row["next_check"]),
        health=None if row["health"] is None else Health(row["health"]),
        error=row["error"],
        entries=row["entries"],
        unread=row["unread"],
        etag=row["etag"],
        last_modified=row["last_modified"],
        private=bool(row["private"]),
        topic_filter=bool(row["topic_filter"]),
        language=row["language"],
        failing_since=to_moment(row["failing_since"]),
        wanted=unpack(Wanted, row["wanted"]) if row["wanted"] else Wanted(),
    )
