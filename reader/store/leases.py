"""Leases: work that only one process may do at a time; a dead process holds none."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from reader.errors import StoreError
from reader.language import _
from reader.store.connection import Connection, from_micros, now, to_micros
from reader.store.processes import alive, myself


@dataclass(frozen=True, slots=True)
class Lease:
    """Who does a piece of work, and since when."""

    name: str
    pid: int
    taken: datetime


class Leases:
    """The leases of one store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self) -> list[Lease]:
        """Return what is under way; leases of dead processes do not count."""
        rows = self._connection.rows("SELECT * FROM leases ORDER BY name")
        return [
            Lease(row["name"], row["pid"], from_micros(row["taken"]) or now())
            for row in rows
            if alive(row["pid"], row["pid_started"])
        ]

    @contextmanager
    def hold(self, name: str) -> Generator[None, None, None]:
        """Hold a lease; raises StoreError while a living process holds it."""
        pid, started = myself()
        with self._connection.write():
            holder = next((each for each in self.all() if each.name == name), None)
            if holder is not None:
                raise StoreError(
                    _(
                        "Another Readproof (process {pid}) is at this already: {name}. "
                        "Wait until it is done."
                    ).format(pid=holder.pid, name=name)
                )
            self._connection.run(
                "INSERT OR REPLACE INTO leases (name, pid, pid_started, taken) VALUES (?, ?, ?, ?)",
                (name, pid, started, to_micros(now())),
            )
        try:
            yield
        finally:
            with self._connection.write():
                self._connection.run("DELETE FROM leases WHERE name = ? AND pid = ?", (name, pid))
