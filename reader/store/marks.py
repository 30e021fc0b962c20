"""The user's marks: one row a mark, under the story's key, with the time it was last changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reader.errors import Usage
from reader.language import _
from reader.sanitise import clean_text
from reader.store.connection import Connection, now, to_micros
from reader.store.labels import LabelRows
from reader.store.listing import kind_of, number

READ, STARRED, NOTE, MUTED, TAG = "read", "starred", "note", "muted", "tag:"
QUEUE, DUE, PRIORITY, CHECK = "queue", "due", "priority", "check"
QUEUED, DROPPED = "queued", "dropped"
ON = "1"
READ_MUTED = 2  # in the column `read` of stories: neither unread nor shown in lists
KNOWN = (READ, STARRED, NOTE, MUTED, QUEUE, DUE, PRIORITY, CHECK)


@dataclass(frozen=True, slots=True)
class Change:
    """One mark before and after; None is "not set"."""

    key: str
    mark: str
    before: str | None
    after: str | None
    at: int = 0  # when it became so, in microseconds


@dataclass(frozen=True, slots=True)
class Undo:
    """What one action changed, so that it can be taken back."""

    changes: tuple[Change, ...] = ()


class Marks:
    """Sets marks and takes them back."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._labels = LabelRows(connection)

    def set(
        self,
        ids: Sequence[str],
        *,
        read: bool | None = None,
        starred: bool | None = None,
        add_tags: Iterable[str] = (),
        remove_tags: Iterable[str] = (),
        note: str | None = None,
        muted: str | None = None,
    ) -> Undo:
        """Set marks of stories; None leaves a mark as it is, an empty note removes it.

        `muted` is who says so, the name of a rule; empty: no longer.
        Raises Usage for an id that is no story of the store; then nothing is changed.
        """
        wanted: dict[str, str | None] = {}
        for mark, value in ((READ, read), (STARRED, starred)):
            if value is not None:
                wanted[mark] = ON if value else None
        wanted.update({TAG + tag: None for tag in map(clean_text, remove_tags) if tag})
        wanted.update({TAG + tag: ON for tag in map(clean_text, add_tags) if tag})
        if note is not None:
            wanted[NOTE] = note.strip() or None
        if muted is not None:
            wanted[MUTED] = clean_text(muted) or None
        with self._connection.write():
            return self.change((key, wanted) for key in self.keys(ids))

    def undo(self, undo: Undo) -> Undo:
        """Take an action back where nothing has changed the mark since; return the way forth."""
        with self._connection.write():
            done = [
                self._put(each.key, each.mark, each.before)
                for each in undo.changes
                if self._changed(each.key, each.mark) == (each.after, each.at)
            ]
        return Undo(tuple(each for each in done if each is not None))

    def _changed(self, key: str, mark: str) -> tuple[str | None, int]:
        row = self._connection.row(
            "SELECT value, changed_at FROM marks WHERE key = ? AND mark = ?", (key, mark)
        )
        return (row["value"], row["changed_at"]) if row else (None, 0)

    def keys(self, ids: Iterable[str]) -> list[str]:
        """Return the keys that marks of these stories stand under, each once.

        Raises Usage for an id that the store does not hold.
        """
        return list(dict.fromkeys(self.key(id_) for id_ in ids))

    def key(self, id_: str) -> str:
        """Return the key that marks of this story stand under.

        Raises Usage for an id that the store does not hold.
        """
        sql = {
            "item": "SELECT key FROM items WHERE id = ?",
            "entry": "SELECT key FROM entries WHERE id = ?",
            "digest": "SELECT key FROM entries JOIN digests ON entry = entries.id"
            " WHERE digests.id = ?",
        }
        kind = kind_of(id_)
        found = self._connection.value(sql[kind.value], (number(id_),)) if kind else None
        if found is None:
            raise Usage(_("{id} is not in the store.").format(id=clean_text(id_)))
        return str(found)

    def get(self, key: str, mark: str) -> str | None:
        """Return the value of one mark, None where it is not set."""
        value = self._connection.value(
            "SELECT value FROM marks WHERE key = ? AND mark = ?", (key, mark)
        )
        return None if value is None else str(value)

    def of(self, keys: Iterable[str]) -> dict[str, dict[str, str]]:
        """Return all marks that are set, by key."""
        found: dict[str, dict[str, str]] = {}
        for key in keys:
            rows = self._connection.rows(
                "SELECT mark, value FROM marks WHERE key = ? AND value IS NOT NULL", (key,)
            )
            found[key] = {row["mark"]: row["value"] for row in rows}
        return found

    def tags_of(self, key: str) -> list[str]:
        """Return the tags that stand under a key, by name."""
        marks = self.of([key])[key]
        return sorted(mark.removeprefix(TAG) for mark in marks if mark.startswith(TAG))

    def change(self, wanted: Iterable[tuple[str, dict[str, str | None]]]) -> Undo:
        """Set these marks under these keys now; inside a write."""
        done = [
            self._put(key, mark, value) for key, marks in wanted for mark, value in marks.items()
        ]
        return Undo(tuple(each for each in done if each is not None))

    def _put(self, key: str, mark: str, value: str | None) -> Change | None:
        before, changed = self._changed(key, mark)
        if before == value:
            return None
        # A clock that was set back must not let an older mark win.
        at = max(to_micros(now()), changed + 1)
        self._connection.run(
            "INSERT OR REPLACE INTO marks (key, mark, value, changed_at) VALUES (?, ?, ?, ?)",
            (key, mark, value, at),
        )
        self.copy(key, mark, value)
        return Change(key, mark, before, value, at)

    def merge(self, key: str, mark: str, value: str | None, changed_at: int) -> bool:
        """Take over a mark of another store where it is later; return whether it was."""
        row = self._connection.row(
            "SELECT value, changed_at FROM marks WHERE key = ? AND mark = ?", (key, mark)
        )
        # At the same microsecond the greater value wins, so that the order of merges is nothing.
        if row and (row["changed_at"], row["value"] or "") >= (changed_at, value or ""):
            return False
        self._connection.run(
            "INSERT OR REPLACE INTO marks (key, mark, value, changed_at) VALUES (?, ?, ?, ?)",
            (key, mark, value, changed_at),
        )
        self.copy(key, mark, value)
        return True

    def copy(self, key: str, mark: str, value: str | None) -> None:
        """Bring the copies that filters use to what a mark says."""
        column = {READ: "read", MUTED: "read", STARRED: "starred", QUEUE: "queued"}.get(mark)
        if column is None and not mark.startswith(TAG):
            return
        place = self.place(key)
        if place is None:
            return
        if column is None:
            self._labels.tag(place, mark.removeprefix(TAG), on=value is not None)
        else:
            on = int(value == QUEUED if mark == QUEUE else value is not None)
            if column == "read":
                on = READ_MUTED if self.get(key, MUTED) else int(self.get(key, READ) is not None)
            self._connection.run(f"UPDATE stories SET {column} = ? WHERE place = ?", (on, place))

    def place(self, key: str) -> int | None:
        """Return where the story of a key stands, None where the store does not hold it now."""
        found = self._connection.value(
            "SELECT place FROM stories JOIN items ON kind = 'item' AND ref = items.id"
            " WHERE key = ?1 UNION ALL SELECT place FROM stories JOIN entries ON kind = 'entry'"
            " AND ref = entries.id WHERE key = ?1"
            " UNION ALL SELECT place FROM stories JOIN digests ON kind = 'digest'"
            " AND ref = digests.id JOIN entries ON entry = entries.id WHERE key = ?1",
            (key,),
        )
        return None if found is None else int(found)

    def story(self, key: str) -> tuple[str, str] | None:
        """Return id and title of the story of a key, None where the store does not hold it."""
        row = self._connection.row(
            "SELECT 'i' || id, title FROM items WHERE key = ?1 UNION ALL"
            " SELECT coalesce('d' || digests.id, 'e' || entries.id), title"
            " FROM entries LEFT JOIN digests ON entry = entries.id WHERE key = ?1",
            (key,),
        )
        return None if row is None else (row[0], row[1])

    def copy_all(self, key: str) -> None:
        """Give a story that has just come, or come back, the marks that stand under its key."""
        for row in self._connection.rows("SELECT mark, value FROM marks WHERE key = ?", (key,)):
            self.copy(key, row["mark"], row["value"])

    def rekey(self, old: str, new: str) -> None:
        """Let everything of the user's that stands under one key stand under another."""
        if old == new:
            return
        for row in self._connection.rows("SELECT * FROM marks WHERE key = ?", (old,)):
            self.merge(new, row["mark"], row["value"], row["changed_at"])
        self._connection.run("DELETE FROM marks WHERE key = ?", (old,))
        self._connection.run("UPDATE OR IGNORE queue SET key = ? WHERE key = ?", (new, old))
        self._connection.run("DELETE FROM queue WHERE key = ?", (old,))
        self._connection.run("UPDATE runs SET story = ? WHERE story = ?", (new, old))

    def tags(self) -> dict[str, int]:
        """Return every tag in use with how many stories carry it, by name."""
        rows = self._connection.rows(
            "SELECT mark, count(*) AS stories FROM marks WHERE mark >= 'tag:' AND mark < 'tag;'"
            " AND mark NOT IN ('read', 'starred') AND value IS NOT NULL GROUP BY mark ORDER BY mark"
        )
        return {row["mark"].removeprefix(TAG): row["stories"] for row in rows}
