"""The queue: stories marked for validation; what becomes of them is derived from Runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import date

from reader.errors import Usage
from reader.language import _
from reader.model import QueueEntry, QueueState
from reader.sanitise import clean_text
from reader.store import marks
from reader.store.connection import Connection, from_micros, now, to_micros
from reader.store.listing import number
from reader.store.marks import CHECK, DROPPED, DUE, NOTE, PRIORITY, QUEUE, QUEUED, TAG, Undo
from reader.store.outcomes import Outcomes


class Queue:
    """The queue of one store; its tags and note are the story's own."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._marks = marks.Marks(connection)
        self._outcomes = Outcomes(connection)

    def add(
        self, id_: str, *, due: date | None = None, priority: int = 0, check: str | None = None
    ) -> QueueEntry:
        """Mark a story for validation; one that is there already gets what is named here.

        Raises Usage for an id that is no story of the store.
        """
        wanted: dict[str, str | None] = {QUEUE: QUEUED}
        if due is not None:
            wanted[DUE] = due.isoformat()
        if priority:
            wanted[PRIORITY] = str(priority)
        if check is not None:
            wanted[CHECK] = check
        with self._connection.write():
            key = self._marks.key(id_)
            self._connection.run(
                "INSERT OR IGNORE INTO queue (key, added) VALUES (?, ?)", (key, to_micros(now()))
            )
            self._marks.change([(key, wanted)])
            queued = self._connection.value("SELECT id FROM queue WHERE key = ?", (key,))
        return self.get(f"q{queued}")

    def get(self, id_: str) -> QueueEntry:
        """Return one queue entry; raises Usage where there is none of that id."""
        with self._connection.snapshot():
            row = self._connection.row("SELECT * FROM queue WHERE id = ?", (_number(id_),))
            entry = None if row is None else self._entry(row)
        if entry is None:
            raise Usage(_("{id} is not in the queue.").format(id=clean_text(id_)))
        return entry

    def all(self, state: QueueState | None = None) -> list[QueueEntry]:
        """Return the queue: most urgent first, then by due date, then as added."""
        with self._connection.snapshot():
            rows = self._connection.rows("SELECT * FROM queue ORDER BY added, id")
            entries = [entry for row in rows if (entry := self._entry(row)) is not None]
        if state is not None:
            entries = [entry for entry in entries if entry.state is state]
        return sorted(entries, key=lambda entry: (-entry.priority, entry.due or date.max))

    def update(
        self,
        id_: str,
        *,
        due: date | None = None,
        no_due: bool = False,
        priority: int | None = None,
        check: str | None = None,
        add_tags: Iterable[str] = (),
        remove_tags: Iterable[str] = (),
        note: str | None = None,
    ) -> QueueEntry:
        """Change what is named; None leaves it, `no_due` and an empty check or note remove it."""
        entry = self.get(id_)
        wanted: dict[str, str | None] = {}
        if due is not None or no_due:
            wanted[DUE] = None if due is None else due.isoformat()
        if priority is not None:
            wanted[PRIORITY] = str(priority) if priority else None
        if check is not None:
            wanted[CHECK] = check or None
        with self._connection.write():
            self._marks.change([(self._key(id_), wanted)])
            self._marks.set([entry.item], add_tags=add_tags, remove_tags=remove_tags, note=note)
        return self.get(id_)

    def drop(self, id_: str) -> Undo:
        """Set a queue entry aside; it stays in the list as dropped."""
        return self._set(id_, DROPPED)

    def restore(self, id_: str) -> Undo:
        """Bring a dropped queue entry back."""
        return self._set(id_, QUEUED)

    def remove(self, id_: str) -> Undo:
        """Take a queue entry out of the list; its Runs stay."""
        return self._set(id_, None)

    def _set(self, id_: str, value: str | None) -> Undo:
        self.get(id_)
        with self._connection.write():
            return self._marks.change([(self._key(id_), {QUEUE: value})])

    def _key(self, id_: str) -> str:
        return str(self._connection.value("SELECT key FROM queue WHERE id = ?", (_number(id_),)))

    def _entry(self, row: sqlite3.Row) -> QueueEntry | None:
        key = row["key"]
        outcome, story = self._outcomes.of(key), self._marks.story(key)
        if outcome is None or story is None:
            return None
        held = self._marks.of([key])[key]
        return QueueEntry(
            id=f"q{row['id']}",
            item=story[0],
            title=story[1],
            state=outcome.state,
            due=date.fromisoformat(held[DUE]) if DUE in held else None,
            priority=int(held.get(PRIORITY, 0)),
            tags=tuple(sorted(mark.removeprefix(TAG) for mark in held if mark.startswith(TAG))),
            note=held.get(NOTE),
            check=held.get(CHECK),
            runs=outcome.runs,
            decided=outcome.decided,
            claims=outcome.claims,
            added=from_micros(row["added"]),
        )


def _number(id_: str) -> int:
    return number(id_) if id_.startswith("q") else 0
