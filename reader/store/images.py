"""Pictures of articles, kept so that they can be read without a network."""

from __future__ import annotations

from reader.store.connection import Connection

MOST_TRIES = 3


class Images:
    """The pictures of one store, by address."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def missing(self, limit: int) -> list[str]:
        """Return addresses that are still to be fetched, least tried first."""
        rows = self._connection.rows(
            "SELECT url FROM images WHERE body IS NULL AND tries < ? ORDER BY tries, url LIMIT ?",
            (MOST_TRIES, limit),
        )
        return [row["url"] for row in rows]

    def save(self, url: str, type: str, body: bytes) -> None:  # noqa: A002
        """Keep a picture; `type` is its media type."""
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

    def get(self, url: str) -> tuple[str, bytes] | None:
        """Return media type and bytes of a picture, None where it is not kept."""
        row = self._connection.row(
            "SELECT type, body FROM images WHERE url = ? AND body IS NOT NULL", (url,)
        )
        return None if row is None else (row["type"], row["body"])
