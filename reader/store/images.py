"""Pictures of articles, kept so that they can be read without a network."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from reader.store.connection import Connection

MOST_TRIES = 3
MOST_OF_ONE = 80  # pictures of one entry: a page with more is a gallery, or made to do harm


@dataclass(frozen=True, slots=True)
class Wanted:
    """A picture that is still to be fetched; `private`: its host is one the user named himself."""

    url: str
    private: bool = False


class Images:
    """The pictures of one store, by address."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def missing(self, limit: int) -> list[str]:
        """Return addresses that are still to be fetched: least tried, then newest first."""
        return [each.url for each in self.wanted(limit)]

    def wanted(self, limit: int) -> list[Wanted]:
        """Return what is still to be fetched: least tried, then newest first.

        Of each entry so many that no article takes the others' turn.
        """
        rows = self._connection.rows(
            f"""
            WITH uses AS (
                SELECT image_uses.url, image_uses.entry, tries, row_number() OVER (
                    PARTITION BY image_uses.entry ORDER BY image_uses.url) AS place
                FROM images JOIN image_uses ON image_uses.url = images.url
                WHERE body IS NULL AND tries < {MOST_TRIES}
            )
            SELECT uses.url, group_concat(CASE WHEN feeds.private THEN feeds.url END, ' ') AS own
            FROM uses JOIN entries ON entries.id = uses.entry
            LEFT JOIN feeds ON feeds.id = entries.feed
            WHERE place <= {MOST_OF_ONE}
            GROUP BY uses.url ORDER BY tries, max(uses.entry) DESC, uses.url LIMIT ?
            """,
            (limit,),
        )
        return [Wanted(row["url"], same_host(row["url"], row["own"] or "")) for row in rows]

    def save(self, url: str, type: str, body: bytes) -> None:  # noqa: A002
        """Keep a picture; `type` is its media type. Without bytes it is one nobody is to see."""
        with self._connection.write():
            self._connection.run(
                "INSERT INTO images (url, type, body) VALUES (?1, ?2, ?3) ON CONFLICT (url)"
                " DO UPDATE SET type = ?2, body = ?3, error = NULL",
                (url, type, body),
            )

    def failed(self, url: str, why: str) -> None:
        """Remember that a picture could not be had; it is tried a few times more."""
        with self._connection.write():
            self._connection.run(
                "UPDATE images SET tries = tries + 1, error = ? WHERE url = ?", (why, url)
            )

    def kept(self, urls: Iterable[str]) -> frozenset[str]:
        """Return those of these addresses whose picture can be shown."""
        rows = self._connection.rows(
            "SELECT url FROM images WHERE length(body) > 0"
            " AND url IN (SELECT value FROM json_each(?))",
            (json.dumps(list(urls)),),
        )
        return frozenset(row["url"] for row in rows)

    def get(self, url: str) -> tuple[str, bytes] | None:
        """Return media type and bytes of a picture, None where it is not kept."""
        row = self._connection.row(
            "SELECT type, body FROM images WHERE url = ? AND length(body) > 0", (url,)
        )
        return None if row is None else (row["type"], row["body"])


def same_host(url: str, feeds: str) -> bool:
    """Whether one of these feeds lives where an address leads."""
    try:
        host = urlsplit(url).netloc
        return bool(host) and host in {urlsplit(each).netloc for each in feeds.split()}
    except ValueError:
        return False
