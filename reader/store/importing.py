"""A data file merged into a store: the later mark wins, Runs unite, twice is once."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from reader.errors import StoreError
from reader.language import _
from reader.model import FeedKind, Leg, RunStatus, Verdict, Wanted
from reader.sanitise import clean_text
from reader.sanitise.plain import clean_plain
from reader.store import marks
from reader.store.codec import pack, revive, unpack
from reader.store.connection import Connection
from reader.store.exporting import FORMAT, SCHEMA
from reader.store.processes import alive
from reader.store.safety import plain_name
from reader.store.travel import Merged, Travelled
from reader.store.unite import Unite

MOST_MEMBERS = 200_000
MOST_BYTES = 4 << 30  # of all members, unpacked
MOST_RATIO = 500  # unpacked over packed, once it is much
MOST_LINE = 64 << 20  # bytes of one line of JSON
_MUCH = 64 << 20
_MEMBER = re.compile(
    r"manifest\.json|(?:feeds|stories|aliases|marks|queue|runs)\.jsonl"
    r"|checks/[0-9A-Za-z]{1,128}/[^/\\\0]+(?:/[^/\\\0]+)*|artefacts/[0-9a-f]{32}/[^/\\\0]+"
)
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LATEST = 1 << 53
_RANKS = [
    RunStatus.RUNNING,
    RunStatus.INTERRUPTED,
    RunStatus.CANCELLED,
    RunStatus.FAILED,
    RunStatus.FINISHED,
]


class Import:
    """Merges one data file; all of it or nothing."""

    def __init__(self, connection: Connection, runs: Path) -> None:
        self._connection = connection
        self._runs = runs
        self._marks = marks.Marks(connection)
        self._keys: dict[str, str] = {}  # theirs → ours

    def read(self, file: Path) -> Merged:
        """Merge a file; raises StoreError for one that is damaged, newer, hostile or none."""
        try:
            with zipfile.ZipFile(file) as archive:
                _vet(archive, file)
                with self._connection.write():
                    return self._merge(archive)
        except StoreError:
            raise
        except FileNotFoundError as error:
            raise StoreError(_("There is no file {path}.").format(path=file)) from error
        except OSError as error:
            raise StoreError(
                _("{path} could not be read: {detail}.").format(path=file, detail=error)
            ) from error
        except (
            *(
                zipfile.BadZipFile,
                zlib.error,
                EOFError,
                NotImplementedError,
                RecursionError,
                RuntimeError,
            ),
            *(ValueError, KeyError, TypeError, LookupError, AttributeError, OverflowError),
        ) as error:
            raise StoreError(
                _("{path} is no data file of Readproof, or damaged ({detail}).").format(
                    path=file, detail=clean_text(f"{type(error).__name__}: {error}")[:200]
                )
            ) from error

    def _merge(self, archive: zipfile.ZipFile) -> Merged:
        feeds = sum(self._feed(line) for line in _lines(archive, "feeds"))
        stories = 0
        unite = Unite(self._connection)
        for line in _lines(archive, "stories"):
            story: Travelled = revive(Travelled, line)
            self._keys |= unite.take(story, self._feed_id(story.feed))
            stories += 1
        self._aliases(archive)
        changed = sum(self._mark(line) for line in _lines(archive, "marks"))
        queued = sum(self._queue(line) for line in _lines(archive, "queue"))
        self._checks(archive)
        runs = sum(self._run(archive, line) for line in _lines(archive, "runs"))
        return Merged(feeds, stories, changed, queued, runs)

    def _feed(self, line: dict[str, Any]) -> bool:
        kind = FeedKind(line["kind"])
        url = clean_plain(str(line["url"])).strip()
        web = url.lower().startswith(("http://", "https://"))
        if not web and kind is not FeedKind.FOLDER:
            raise ValueError("feed address")
        return bool(
            self._connection.run(
                "INSERT OR IGNORE INTO feeds (key, url, title, kind, private, topic_filter,"
                " language, wanted, whole_text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    str(line["key"]),
                    url,
                    clean_text(str(line["title"])),
                    kind.value,
                    bool(line["private"]),
                    bool(line["topic_filter"]),
                    None if line["language"] is None else clean_text(str(line["language"])),
                    _wanted(line.get("wanted")),
                    bool(line.get("whole_text")),
                ),
            ).rowcount
        )

    def _feed_id(self, key: str | None) -> int | None:
        found = self._connection.value("SELECT id FROM feeds WHERE key = ?", (key,))
        return None if found is None else int(found)

    def _aliases(self, archive: zipfile.ZipFile) -> None:
        """Where a key of theirs leads to a story of ours by another of its names, it is that."""
        theirs: dict[str, list[str]] = {}
        for line in _lines(archive, "aliases"):
            theirs.setdefault(str(line["key"]), []).append(str(line["alias"]))
        for key, names in theirs.items():
            if key not in self._keys:
                led = (self._leads(name) for name in (key, *names))
                self._keys[key] = next((ours for ours in led if ours is not None), key)
            self._connection.run_many(
                "INSERT OR IGNORE INTO aliases (alias, key) VALUES (?, ?)",
                [(name, self._keys[key]) for name in (key, *names)],
            )

    def _leads(self, alias: str) -> str | None:
        key = self._connection.value("SELECT key FROM aliases WHERE alias = ?", (alias,))
        return None if key is None else str(key)

    def _ours(self, key: str) -> str:
        if key not in self._keys:
            self._keys[key] = self._leads(key) or key
        return self._keys[key]

    def _mark(self, line: dict[str, Any]) -> bool:
        mark, value, at = line["mark"], line["value"], line["changed_at"]
        if type(at) is not int or not 0 <= at < _LATEST:
            raise ValueError("time of a mark")
        return self._marks.merge(self._ours(str(line["key"])), *_valid_mark(mark, value), at)

    def _queue(self, line: dict[str, Any]) -> bool:
        key, added = self._ours(str(line["key"])), int(line["added"])
        new = self._connection.run(
            "INSERT OR IGNORE INTO queue (key, added) VALUES (?, ?)", (key, added)
        ).rowcount
        self._connection.run("UPDATE queue SET added = min(added, ?) WHERE key = ?", (added, key))
        return bool(new)

    def _checks(self, archive: zipfile.ZipFile) -> None:
        for name in archive.namelist():
            if name.startswith("checks/"):
                _folder, check, file = name.split("/", 2)
                self._connection.run(
                    "INSERT OR IGNORE INTO check_files (hash, name, body) VALUES (?, ?, ?)",
                    (check, file, archive.read(name)),
                )

    def _run(self, archive: zipfile.ZipFile, line: dict[str, Any]) -> bool:
        uid, status = str(line["uid"]), RunStatus(line["status"])
        if not re.fullmatch("[0-9a-f]{32}", uid):
            raise ValueError("run")
        unpack(tuple[Leg, ...], line["legs"])
        here = self._connection.row("SELECT * FROM runs WHERE uid = ?", (uid,))
        if here is None:
            story = None if line["story"] is None else self._ours(str(line["story"]))
            self._connection.run(
                "INSERT INTO runs (uid, check_name, check_hash, story, status, started, machine)"
                " VALUES (?, ?, ?, ?, ?, ?, '{}')",
                (uid, line["check"], line["hash"], story, "running", int(line["started"])),
            )
        busy = here is not None and alive(here["pid"], here["pid_started"])
        before = RunStatus.RUNNING if here is None else RunStatus(here["status"])
        if not busy and (here is None or _RANKS.index(status) > _RANKS.index(before)):
            unpack(dict[str, Any], line["machine"])
            self._connection.run(
                "UPDATE runs SET status = ?, finished = ?, machine = ?, legs = ? WHERE uid = ?",
                (status.value, line["finished"], line["machine"], line["legs"], uid),
            )
        self._judgements(uid, line["judgements"])
        for artefact in line["artefacts"]:
            self._artefact(archive, uid, artefact)
        return here is None

    def _judgements(self, uid: str, judgements: list[dict[str, Any]]) -> None:
        for each in judgements:
            unpack(tuple[Verdict, ...], each["verdicts"])
            self._connection.run(
                "INSERT INTO judgements (run, at, verdicts)"
                " SELECT id, ?, ? FROM runs WHERE uid = ? ON CONFLICT (run, at)"
                " DO UPDATE SET verdicts = max(verdicts, excluded.verdicts)",
                (int(each["at"]), each["verdicts"], uid),
            )

    def _artefact(self, archive: zipfile.ZipFile, uid: str, artefact: dict[str, Any]) -> None:
        """Record a kept file; its bytes come only with the fingerprint that was recorded."""
        name, sha256 = str(artefact["file"]), str(artefact["sha256"])
        member = f"artefacts/{uid}/{name}"
        if not plain_name(name):
            raise ValueError("artefact")
        self._connection.run(
            "INSERT OR IGNORE INTO artefacts (run, name, file, sha256, bytes)"
            " SELECT id, ?, ?, ?, ? FROM runs WHERE uid = ?",
            (clean_text(str(artefact["name"])), name, sha256, int(artefact["bytes"]), uid),
        )
        target = self._runs / uid / name
        if member not in archive.namelist() or target.exists():
            return
        body = archive.read(member)
        if hashlib.sha256(body).hexdigest() != sha256:
            raise ValueError(f"fingerprint of {name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)


def _wanted(said: Any) -> str:
    """Return what is wanted of a feed as the store keeps it; nothing where it was never said."""
    return pack(unpack(Wanted, said)) if isinstance(said, str) and said else ""


def _vet(archive: zipfile.ZipFile, file: Path) -> None:
    """Raise StoreError for a file that is not ours, newer, or made to do harm."""
    members = archive.infolist()
    names = [member.filename for member in members]
    size = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    foreign = [name for name in names if not _MEMBER.fullmatch(name) or ".." in name.split("/")]
    foreign += [m.filename for m in members if m.compress_type not in _PACKINGS]
    bomb = size > MOST_BYTES or (size > _MUCH and size > packed * MOST_RATIO)
    if foreign or bomb or len(names) > MOST_MEMBERS or len(set(names)) != len(names):
        raise StoreError(
            _("{path} is not what `export data` writes; nothing was taken from it.").format(
                path=file
            )
        )
    manifest = json.loads(archive.read("manifest.json"))
    if manifest.get("format") != FORMAT:
        raise ValueError("manifest")
    if manifest["schema"] > SCHEMA:
        raise StoreError(
            _("{path} was written by a newer version of Readproof. Upgrade it first.").format(
                path=file
            )
        )


def _lines(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    with archive.open(f"{name}.jsonl") as member:
        while line := member.readline(MOST_LINE):
            if not line.endswith(b"\n"):
                raise ValueError("line")
            record = json.loads(line)
            if not isinstance(record, dict):
                raise ValueError("line")
            yield record


def _valid_mark(mark: Any, value: Any) -> tuple[str, str | None]:
    """Return a mark as it may stand in the store; raises ValueError for what is none."""
    if not isinstance(mark, str) or not isinstance(value, str | None):
        raise ValueError("mark")
    if mark.startswith(marks.TAG):
        mark = marks.TAG + clean_text(mark.removeprefix(marks.TAG))
    elif mark not in marks.KNOWN:
        raise ValueError("mark")
    if value is not None and mark == marks.DUE:
        date.fromisoformat(value)
    if value is not None and mark == marks.PRIORITY:
        value = str(int(value))
    if value is not None and mark == marks.QUEUE and value not in (marks.QUEUED, marks.DROPPED):
        raise ValueError("queue")
    return mark, None if value is None else clean_plain(value)
