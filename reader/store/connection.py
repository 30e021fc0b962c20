"""One SQLite connection: how it is opened, how it writes, and what its errors mean."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reader.errors import StoreError
from reader.language import _
from reader.store.index import Index

if TYPE_CHECKING:
    import sqlite_utils

BUSY_SECONDS = 10
ROOM_BESIDE = 64 << 10  # bytes that the files beside a store in use need at least


class Connection:
    """The one way to the database file; it belongs to the thread that opened it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.index = Index()
        self.remembered: dict[tuple[str, str], int] = {}  # ids of labels, until the write ends
        with self.named_errors():
            self.raw = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self.raw.close()
                raise

    def _prepare(self) -> None:
        self.raw.row_factory = sqlite3.Row
        self.raw.execute("PRAGMA foreign_keys = ON")
        self.raw.execute("PRAGMA synchronous = NORMAL")
        self.raw.execute("PRAGMA temp_store = MEMORY")
        self.raw.execute("PRAGMA cache_size = -6144")
        # A write of a thousand entries is five of the usual thousand pages: each would be copied
        # into the file while the next is already rewriting them.
        self.raw.execute("PRAGMA wal_autocheckpoint = 4000")

    def beside_readers(self) -> None:
        """Let readers never wait for a writer; it marks the file, so it has to be a store."""
        self.value("PRAGMA journal_mode = WAL")

    @cached_property
    def database(self) -> sqlite_utils.Database:
        """The same connection for sqlite-utils; imported late, for it costs a tenth of a second."""
        from sqlite_utils import Database

        return Database(self.raw, execute_plugins=False, recursive_triggers=False)

    def close(self) -> None:
        """Close the file; what was not committed is gone."""
        self.raw.close()

    @contextmanager
    def write(self) -> Generator[None, None, None]:
        """Everything inside is written whole or not at all; inside another write it joins it."""
        with self.named_errors():
            if self.raw.in_transaction:
                yield
                return
            self.raw.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.index.flush(self.raw)
                self.raw.execute("COMMIT")
            except BaseException:
                if self.raw.in_transaction:
                    self.raw.execute("ROLLBACK")
                raise
            finally:
                self.index.clear()
                self.remembered.clear()

    @contextmanager
    def snapshot(self) -> Generator[None, None, None]:
        """Every read inside sees the same moment, whatever others write meanwhile."""
        with self.named_errors():
            if self.raw.in_transaction:
                yield
                return
            self.raw.execute("BEGIN")
            try:
                yield
            finally:
                if self.raw.in_transaction:
                    self.raw.execute("ROLLBACK")

    def run(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute one statement."""
        try:
            return self.raw.execute(sql, values)
        except sqlite3.Error as error:
            raise named(error, self.path) from None

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute one statement for each row."""
        try:
            self.raw.executemany(sql, rows)
        except sqlite3.Error as error:
            raise named(error, self.path) from None

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return all rows of a query."""
        try:
            return self.raw.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise named(error, self.path) from None

    def row(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Row | None:
        """Return the first row of a query, or None."""
        try:
            found: sqlite3.Row | None = self.raw.execute(sql, values).fetchone()
        except sqlite3.Error as error:
            raise named(error, self.path) from None
        return found

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first column of the first row, or None."""
        found = self.row(sql, values)
        return None if found is None else found[0]

    @contextmanager
    def named_errors(self) -> Generator[None, None, None]:
        """Turn what SQLite says of the world into a sentence with what to do."""
        try:
            yield
        except sqlite3.Error as error:
            raise named(error, self.path) from None


def named(error: sqlite3.Error, path: Path) -> Exception:
    """Return a StoreError for what is the world's fault, the error itself for a bug of ours."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_IOERR and _full(path):
        code = sqlite3.SQLITE_FULL  # SQLite says so only of the database, not of what lies beside
    sentences = {
        sqlite3.SQLITE_FULL: _("{path}: the disk is full. Free some space and try again."),
        sqlite3.SQLITE_BUSY: _(
            "{path}: another process has been writing for {seconds} seconds. Try again."
        ),
        sqlite3.SQLITE_READONLY: _(
            "{path} cannot be written. Check the permissions of file and folder, "
            "or name another store with --store."
        ),
        sqlite3.SQLITE_CANTOPEN: _(
            "{path} cannot be opened. Check that its folder exists, and the permissions of both, "
            "or name another store with --store."
        ),
        sqlite3.SQLITE_PERM: _("{path}: no permission. Check who owns the file."),
        sqlite3.SQLITE_IOERR: _(
            "{path}: the disk failed to read or write ({detail}). Check the disk; "
            "nothing half-written was kept."
        ),
        sqlite3.SQLITE_NOTADB: _(
            "{path} is not a Readproof store. Name another file with --store."
        ),
        sqlite3.SQLITE_CORRUPT: _(
            "{path} is damaged ({detail}). Bring back a backup with: readproof restore FILE"
        ),
    }
    sentence = sentences.get(code)
    if sentence is None:
        return error
    return StoreError(sentence.format(path=path, seconds=BUSY_SECONDS, detail=error))


def _full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < ROOM_BESIDE
    except OSError:
        return False


def now() -> datetime:
    """Return this moment, aware, in UTC."""
    return datetime.now(UTC)


def to_seconds(moment: datetime | None) -> int | None:
    """Return whole seconds since 1970, as the store keeps instants."""
    return None if moment is None else int(moment.timestamp())


def to_moment(seconds: int | None) -> datetime | None:
    """Return the instant `to_seconds` kept."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def to_micros(moment: datetime) -> int:
    """Return microseconds since 1970, as marks and runs keep their times."""
    return round(moment.timestamp() * 1_000_000)


def from_micros(micros: int | None) -> datetime | None:
    """Return the instant `to_micros` kept."""
    return None if micros is None else datetime.fromtimestamp(micros / 1_000_000, UTC)
