"""The search index's rows of one write: kept back, and written in the order of their places."""

from __future__ import annotations

import sqlite3
from operator import itemgetter

from reader.store import search

_ADD = "INSERT INTO search (rowid, title, body) VALUES (?, ?, ?)"
_TAKE = "INSERT INTO search (search, rowid, title, body) VALUES ('delete', ?, ?, ?)"


class Index:
    """What a write adds to and takes from the index.

    FTS5 closes a segment whenever a rowid is smaller than the one before, and merging segments
    is most of what indexing costs: in order it takes a third of the time.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[int, str, str, str]] = []  # place, statement, title, body

    def add(self, place: int, title: str, body: str) -> None:
        """Write a search row when the write ends."""
        self.add_ready(place, search.indexed(title), search.indexed(body))

    def add_ready(self, place: int, title: str, body: str) -> None:
        """Do the same with what is `search.indexed` already."""
        self._waiting.append((place, _ADD, title, body))

    def take(self, place: int, title: str, body: str) -> None:
        """Remove a search row; an index without content wants its old text back."""
        self._waiting.append((place, _TAKE, search.indexed(title), search.indexed(body)))

    def flush(self, raw: sqlite3.Connection) -> None:
        """Write what is waiting; of one place, what was said first comes first."""
        waiting, self._waiting = sorted(self._waiting, key=itemgetter(0)), []
        for place, statement, title, body in waiting:
            raw.execute(statement, (place, title, body))

    def clear(self) -> None:
        """Forget what is waiting: the write it belonged to never happened."""
        self._waiting = []
