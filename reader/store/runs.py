"""Runs: what was executed, on which machine, what it gave, what it kept, and how it was judged."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from reader.errors import StoreError, Usage
from reader.language import _
from reader.model import Artefact, Check, Leg, Run, RunStatus, Verdict
from reader.sanitise import clean_text
from reader.store.codec import pack, unpack
from reader.store.connection import Connection, from_micros, now, to_micros
from reader.store.listing import number
from reader.store.marks import Marks
from reader.store.processes import alive, myself

MOST_LOG = 1 << 20  # characters of a Leg's log that are kept: the first and the last half of this
MOST_CASES = 10_000  # of a Leg
MOST_CHECK_FILE = 4 << 20  # bytes of one file of a check


class Runs:
    """The Runs of one store; artefacts lie as files in `runs/` beside it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._marks = Marks(connection)
        self.folder = connection.path.parent / "runs"

    def start(self, check: Check, item: str | None, machine: dict[str, Any], at: datetime) -> str:
        """Record that this process begins a Run; it counts as interrupted once the process dies.

        Keeps the check's files as they are now. Raises Usage for an item the store has not.
        """
        pid, started = myself()
        with self._connection.write():
            story = None if item is None else self._marks.key(item)
            self._keep_check(check)
            cursor = self._connection.run(
                "INSERT INTO runs (uid, check_name, check_hash, story, status, started, machine,"
                " pid, pid_started) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    uuid.uuid4().hex,
                    check.name,
                    check.hash,
                    story,
                    RunStatus.RUNNING.value,
                    to_micros(at),
                    pack(machine),
                    pid,
                    started,
                ),
            )
        return f"r{cursor.lastrowid}"

    def _keep_check(self, check: Check) -> None:
        files = sorted(path for path in check.folder.rglob("*") if path.is_file())
        for path in files:
            name = path.relative_to(check.folder).as_posix()
            if "__pycache__" in name or path.stat().st_size > MOST_CHECK_FILE:
                continue
            self._connection.run(
                "INSERT OR IGNORE INTO check_files (hash, name, body) VALUES (?, ?, ?)",
                (check.hash, name, path.read_bytes()),
            )

    def finish(
        self,
        run_id: str,
        *,
        status: RunStatus,
        legs: Sequence[Leg],
        verdicts: Sequence[Verdict],
        at: datetime | None = None,
        machine: dict[str, Any] | None = None,
    ) -> Run:
        """Record how a Run ended; over-long logs lose their middle and say so."""
        kept = [_capped(leg) for leg in legs]
        with self._connection.write():
            row = self._row(run_id)
            ended = to_micros(at or now())
            self._connection.run(
                "UPDATE runs SET status = ?, legs = ?, finished = ?, pid = NULL,"
                " pid_started = NULL, machine = coalesce(?, machine) WHERE id = ?",
                (
                    status.value,
                    pack(kept),
                    ended,
                    None if machine is None else pack(machine),
                    row["id"],
                ),
            )
            if verdicts:
                self._judge(row["id"], ended, verdicts)
        return self.get(run_id)

    def _judge(self, run: int, at: int, verdicts: Sequence[Verdict]) -> None:
        latest = self._connection.value("SELECT max(at) FROM judgements WHERE run = ?", (run,))
        self._connection.run(
            "INSERT INTO judgements (run, at, verdicts) VALUES (?, ?, ?)",
            (run, max(at, (latest or 0) + 1), pack(tuple(verdicts))),
        )

    def judged_again(self, run_id: str, verdicts: Sequence[Verdict]) -> Run:
        """Let these verdicts hold from now on; what was judged before stays on record."""
        with self._connection.write():
            self._judge(self._row(run_id)["id"], to_micros(now()), verdicts)
        return self.get(run_id)

    def keep(self, run_id: str, name: str, source: Path) -> Artefact:
        """Copy a file into the Run's folder and record its SHA-256; the same name replaces it.

        Raises StoreError when it cannot be copied.
        """
        row = self._row(run_id)
        folder = self.folder / row["uid"]
        target = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:12]}-{_file_name(name)}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            temporary = target.with_name(target.name + ".new")
            shutil.copyfile(source, temporary)
            temporary.replace(target)
            digest, size = _fingerprint(target)
        except OSError as error:
            raise StoreError(
                _("{name} could not be kept in {folder}: {detail}. Is there space?").format(
                    name=name, folder=folder, detail=error.strerror
                )
            ) from error
        with self._connection.write():
            self._connection.run(
                "INSERT OR REPLACE INTO artefacts (run, name, file, sha256, bytes)"
                " VALUES (?, ?, ?, ?, ?)",
                (row["id"], name, target.name, digest, size),
            )
        return Artefact(name, str(target), digest, size)

    def get(self, run_id: str) -> Run:
        """Return one Run; raises Usage where there is none of that id."""
        with self._connection.snapshot():
            return self._run(self._row(run_id))

    def all(self, check: str | None = None, item: str | None = None) -> list[Run]:
        """Return Runs, newest first, of a check or about an item where one is named."""
        with self._connection.snapshot():
            story = None if item is None else self._marks.key(item)
            rows = self._connection.rows(
                "SELECT * FROM runs WHERE (?1 IS NULL OR check_name = ?1)"
                " AND (?2 IS NULL OR story = ?2) ORDER BY started DESC, uid",
                (check, story),
            )
            return [self._run(row) for row in rows]

    def content(self, run_id: str) -> dict[str, bytes]:
        """Return the files of the check as they were when it ran, by name."""
        rows = self._connection.rows(
            "SELECT name, body FROM check_files WHERE hash = ? ORDER BY name",
            (self._row(run_id)["check_hash"],),
        )
        return {row["name"]: row["body"] for row in rows}

    def judgements(self, run_id: str) -> list[tuple[datetime, tuple[Verdict, ...]]]:
        """Return every judgement of a Run, oldest first; the last one holds."""
        rows = self._connection.rows(
            "SELECT at, verdicts FROM judgements WHERE run = ? ORDER BY at",
            (self._row(run_id)["id"],),
        )
        return [
            (from_micros(row["at"]) or now(), unpack(tuple[Verdict, ...], row["verdicts"]))
            for row in rows
        ]

    def reap(self) -> list[str]:
        """Mark Runs whose process is gone as interrupted; return their ids."""
        with self._connection.write():
            rows = self._connection.rows(
                "SELECT id, pid, pid_started FROM runs WHERE status = ?", (RunStatus.RUNNING.value,)
            )
            dead = [row["id"] for row in rows if not alive(row["pid"], row["pid_started"])]
            self._connection.run_many(
                "UPDATE runs SET status = ?, finished = ?, pid = NULL, pid_started = NULL"
                " WHERE id = ?",
                [(RunStatus.INTERRUPTED.value, to_micros(now()), id_) for id_ in dead],
            )
        return [f"r{id_}" for id_ in dead]

    def _row(self, run_id: str) -> sqlite3.Row:
        wanted = number(run_id) if run_id.startswith("r") else 0
        row = self._connection.row("SELECT * FROM runs WHERE id = ?", (wanted,))
        if row is None:
            raise Usage(_("There is no run {id}.").format(id=clean_text(run_id)))
        return row

    def _run(self, row: sqlite3.Row) -> Run:
        verdicts = self._connection.value(
            "SELECT verdicts FROM judgements WHERE run = ? ORDER BY at DESC LIMIT 1", (row["id"],)
        )
        artefacts = self._connection.rows(
            "SELECT * FROM artefacts WHERE run = ? ORDER BY name", (row["id"],)
        )
        story = None if row["story"] is None else self._marks.story(row["story"])
        finished = None if row["finished"] is None else from_micros(row["finished"])
        return Run(
            id=f"r{row['id']}",
            check=row["check_name"],
            check_hash=row["check_hash"],
            item=None if story is None else story[0],
            status=RunStatus(row["status"]),
            started=from_micros(row["started"]) or now(),
            finished=finished,
            machine=unpack(dict[str, Any], row["machine"]),
            legs=unpack(tuple[Leg, ...], row["legs"]),
            verdicts=() if verdicts is None else unpack(tuple[Verdict, ...], verdicts),
            artefacts=tuple(
                Artefact(
                    each["name"],
                    str(self.folder / row["uid"] / each["file"]),
                    each["sha256"],
                    each["bytes"],
                )
                for each in artefacts
            ),
        )


def _file_name(name: str) -> str:
    kept = "".join(c if c.isalnum() or c in "._-" else "_" for c in Path(name).name)
    return kept[-80:].lstrip(".") or "file"


def _fingerprint(path: Path) -> tuple[str, int]:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return digest, path.stat().st_size


def _capped(leg: Leg) -> Leg:
    log, cases = leg.log, leg.cases
    if len(log) > MOST_LOG:
        half = MOST_LOG // 2
        left_out = len(log) - 2 * half
        note = _("… {count} characters left out …").format(count=left_out)
        log = f"{log[:half]}\n{note}\n{log[-half:]}"
    return replace(leg, log=log, cases=cases[:MOST_CASES])
