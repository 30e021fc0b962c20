"""Backup, restore and the health of the file."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from reader.errors import StoreError
from reader.language import _
from reader.store import migrations
from reader.store.connection import Connection, named, now

_FILES = """
    CREATE TABLE artefact_files (
        run TEXT NOT NULL, file TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run, file)
    ) WITHOUT ROWID
"""


_OF_THE_STORE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_BUSY)


def check(connection: Connection) -> list[str]:
    """Return what is wrong with the file, nothing for a sound one; reads all of it."""
    found: list[str] = []
    for look in (_pages, _search):
        try:
            with connection.snapshot():
                found += look(connection)
        except StoreError as error:
            found.append(str(error))
    return found


def _pages(connection: Connection) -> list[str]:
    whole = [row[0] for row in connection.rows("PRAGMA integrity_check") if row[0] != "ok"]
    return whole + [" ".join(map(str, row)) for row in connection.rows("PRAGMA foreign_key_check")]


def _search(connection: Connection) -> list[str]:
    connection.run("INSERT INTO search (search) VALUES ('integrity-check')")
    stories = connection.value("SELECT count(*) FROM stories")
    indexed = connection.value("SELECT count(*) FROM search_docsize")
    if stories == indexed:
        return []
    sentence = _("search: {indexed} of {stories} stories are indexed")
    return [sentence.format(indexed=indexed, stories=stories)]


def missing_artefacts(connection: Connection, folder: Path) -> list[str]:
    """Return the kept files that are no longer where they were put."""
    rows = connection.rows("SELECT uid, file FROM artefacts JOIN runs ON run = runs.id")
    paths = [folder / row["uid"] / row["file"] for row in rows]
    return [
        _("{path} is missing; the verdict stands, the file is lost").format(path=path)
        for path in paths
        if not path.is_file()
    ]


def backup(connection: Connection, file: Path, runs: Path) -> None:
    """Write the whole store, kept files of Runs included, to one file, checked before it counts.

    Raises StoreError when it cannot be written; what stood there before is then untouched.
    """
    temporary = file.with_name(f".{file.name}.{os.getpid()}.new")
    plain_target(file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)
        with closing(sqlite3.connect(temporary)) as copy:
            connection.raw.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            _take_files(copy, runs)
        _sound(temporary)
        temporary.replace(file)
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, sqlite3.Error) and _code(error) in _OF_THE_STORE:
            raise named(error, connection.path) from error
        raise StoreError(
            _("No backup could be written to {path}: {detail}.").format(
                path=file, detail=error.strerror if isinstance(error, OSError) else error
            )
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def plain_target(file: Path) -> None:
    """Raise StoreError where something else than a plain file stands: it would be replaced."""
    if file.exists() and not file.is_file():
        raise StoreError(
            _("{path} is a folder or a device. Name a file to write to.").format(path=file)
        )


def _take_files(copy: sqlite3.Connection, runs: Path) -> None:
    copy.execute(_FILES)
    rows = copy.execute("SELECT uid, file FROM artefacts JOIN runs ON run = runs.id").fetchall()
    for uid, name in rows:
        path = runs / uid / name
        if path.is_file():
            copy.execute(
                "INSERT OR IGNORE INTO artefact_files VALUES (?, ?, ?)",
                (uid, name, path.read_bytes()),
            )
    copy.commit()


def _sound(file: Path) -> None:
    """Raise StoreError unless the file is a store that this version can open."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            mark = opened.execute("PRAGMA application_id").fetchone()[0]
            number = opened.execute("PRAGMA user_version").fetchone()[0]
            faults = opened.execute("PRAGMA integrity_check").fetchall()
    except sqlite3.Error as error:
        raise StoreError(
            _("{path} is not a backup of Readproof ({detail}).").format(path=file, detail=error)
        ) from error
    if mark != migrations.APPLICATION_ID:
        raise StoreError(_("{path} is not a backup of Readproof.").format(path=file))
    if number > migrations.newest():
        raise StoreError(
            _("{path} was written by a newer version of Readproof. Upgrade it first.").format(
                path=file
            )
        )
    if faults != [("ok",)]:
        raise StoreError(_("{path} is damaged: {detail}").format(path=file, detail=faults[0][0]))


def restore(path: Path, file: Path) -> Path | None:
    """Put a backup in the place of the store; return where the store that stood there lies now.

    Close every Store on `path` before. Raises StoreError for a file that is damaged, newer or no
    backup; then nothing is changed.
    """
    if not file.is_file():
        raise StoreError(_("There is no file {path}.").format(path=file))
    _sound(file)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)
        with (
            closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(temporary)) as copy,
        ):
            source.backup(copy)
            _give_files(copy, path.parent / "runs")
        aside = _set_aside(path, now())
        temporary.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            _("{path} could not be restored: {detail}. The store is as it was.").format(
                path=path, detail=error
            )
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return aside


def _give_files(copy: sqlite3.Connection, runs: Path) -> None:
    """Write the kept files of Runs that are not there, then drop them from the copy."""
    has = copy.execute("SELECT 1 FROM sqlite_master WHERE name = 'artefact_files'").fetchone()
    if has is None:
        return
    rows = copy.execute(
        "SELECT artefact_files.run, artefact_files.file, body, sha256 FROM artefact_files"
        " JOIN runs ON uid = artefact_files.run"
        " JOIN artefacts ON artefacts.run = runs.id AND artefacts.file = artefact_files.file"
    )
    for uid, name, body, sha256 in rows:
        if not plain_name(uid) or not plain_name(name):
            continue
        target = runs / uid / name
        if not target.exists() and hashlib.sha256(body).hexdigest() == sha256:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(body)
    copy.execute("DROP TABLE artefact_files")
    copy.commit()
    copy.execute("VACUUM")


def plain_name(name: str) -> bool:
    """Whether a foreign file's word for a name is one name in one folder."""
    return bool(name) and name == Path(name).name and "\\" not in name and name not in (".", "..")


def _set_aside(path: Path, moment: datetime) -> Path | None:
    """Move the store and its journal away; a last checkpoint first, so that one file is all."""
    if not path.exists():
        return None
    aside = path.with_name(f"{path.stem}-{moment:%Y%m%d-%H%M%S-%f}{path.suffix}")
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as old:
        old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for suffix in ("-wal", "-shm"):
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.replace(aside.with_name(aside.name + suffix))
    path.replace(aside)
    return aside
