"""Numbered, append-only migrations, each whole or not at all; a shipped one never changes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from reader.errors import StoreError
from reader.language import _
from reader.store.connection import Connection

FOLDER = Path(__file__).parent
APPLICATION_ID = 0x52445046  # "RDPF", so that a file says whose it is


def files() -> list[Path]:
    """Return the migrations in order; the first four characters are the number."""
    return sorted(FOLDER.glob("[0-9][0-9][0-9][0-9]_*.sql"))


def newest() -> int:
    """Return the schema number of this version of the app."""
    return int(files()[-1].name[:4])


def migrate(connection: Connection) -> None:
    """Bring the file to the newest schema.

    Raises StoreError when the file is of a newer version or of another program.
    """
    at = version(connection)
    if at > newest():
        raise StoreError(
            _(
                "{path} was written by a newer version of Readproof (schema {theirs}, "
                "this one knows {ours}). Upgrade Readproof; the store is untouched."
            ).format(path=connection.path, theirs=at, ours=newest())
        )
    connection.beside_readers()
    if at == newest():
        return
    for file in files():
        apply(connection, int(file.name[:4]), file.read_text(encoding="utf-8"))


def version(connection: Connection) -> int:
    """Return the schema number of the file, 0 for a new one."""
    at = int(connection.value("PRAGMA user_version"))
    mark = int(connection.value("PRAGMA application_id"))
    foreign = mark not in (0, APPLICATION_ID) or (mark == 0 and _has_tables(connection))
    if foreign:
        raise StoreError(
            _("{path} is a database of another program. Name another file with --store.").format(
                path=connection.path
            )
        )
    return at


def _has_tables(connection: Connection) -> bool:
    return bool(connection.value("SELECT count(*) FROM sqlite_master"))


def apply(connection: Connection, number: int, script: str) -> None:
    """Run one migration unless the file has it; another process may have been quicker."""
    with connection.write():
        if int(connection.value("PRAGMA user_version")) >= number:
            return
        for statement in statements(script):
            connection.run(statement)
        if connection.rows("PRAGMA foreign_key_check"):
            raise sqlite3.IntegrityError(f"migration {number} breaks foreign keys")
        connection.run(f"PRAGMA user_version = {number}")
        connection.run(f"PRAGMA application_id = {APPLICATION_ID}")


def statements(script: str) -> list[str]:
    """Split a script where SQLite itself sees a statement end."""
    found, part = [], ""
    for line in script.splitlines(keepends=True):
        part += line
        if sqlite3.complete_statement(part):
            found.append(part)
            part = ""
    return found
