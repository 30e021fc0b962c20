"""What goes with a feed, and what stays because the user has marked it."""

from __future__ import annotations

from reader.store.connection import Connection
from reader.store.entries import Entries
from reader.store.items import Items

# Keys that something of the user's hangs on; "read" alone does not keep an entry.
_MARKED = """
    SELECT key FROM marks WHERE mark <> 'read' AND value IS NOT NULL
    UNION SELECT story FROM runs WHERE story IS NOT NULL
"""
_BATCH = 500


class Purge:
    """Takes entries out of the store, never one that the user has marked."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._entries = Entries(connection)
        self._items = Items(connection, self._entries)

    def feed(self, feed: int) -> int:
        """Remove a feed with its unmarked entries; return how many entries stay."""
        gone = self._connection.rows(
            f"""
            SELECT id FROM entries WHERE feed = ?1 AND key NOT IN ({_MARKED})
                AND id NOT IN (
                    SELECT entry FROM digests JOIN items ON items.digest = digests.id
                    WHERE items.key IN ({_MARKED})
                )
            """,
            (feed,),
        )
        for at in range(0, len(gone), _BATCH):
            with self._connection.write():
                for row in gone[at : at + _BATCH]:
                    self._entry(row["id"])
        with self._connection.write():
            kept = self._connection.value("SELECT count(*) FROM entries WHERE feed = ?", (feed,))
            self._connection.run("UPDATE stories SET feed = NULL WHERE feed = ?", (feed,))
            self._connection.run("DELETE FROM facts WHERE name LIKE ?", (f"% of f{feed}",))
            self._connection.run("DELETE FROM feeds WHERE id = ?", (feed,))
            self._connection.run("DELETE FROM images WHERE url NOT IN (SELECT url FROM image_uses)")
        return int(kept)

    def _entry(self, entry: int) -> None:
        digest = self._entries.digest(entry)
        if digest is not None:
            self._items.remove(digest)
        self._entries.remove(entry)
