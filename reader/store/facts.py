"""Small facts a store remembers about itself, by name."""

from __future__ import annotations

from reader.store.connection import Connection


class Facts:
    """Names and values of one store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, name: str) -> str | None:
        """Return a fact, None where it was never set."""
        value = self._connection.value("SELECT value FROM facts WHERE name = ?", (name,))
        return None if value is None else str(value)

    def set(self, name: str, value: str) -> None:
        """Remember a fact in the place of what it was."""
        with self._connection.write():
            self._connection.run(
                "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (name, value)
            )
