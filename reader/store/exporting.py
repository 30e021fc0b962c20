"""Everything of the user's written as one file.

A zip with `manifest.json`, a member of JSON lines for each table, and the kept files of Runs.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from reader.errors import StoreError
from reader.language import _
from reader.model import Labels, ParsedDigest, ParsedEntry, ParsedItem, RunStatus
from reader.store.codec import plain, unpack
from reader.store.connection import Connection, now, to_moment
from reader.store.labels import parse_combination
from reader.store.safety import plain_target
from reader.store.travel import OldText, SeenForm, Travelled, TravelledItem

FORMAT, SCHEMA = "readproof data", 1
_MARKED = """
    SELECT key FROM marks WHERE mark <> 'read' AND value IS NOT NULL
    UNION SELECT key FROM queue UNION SELECT story FROM runs WHERE story IS NOT NULL
"""
# A digest travels even when it was only read: its items' keys depend on the form they came in.
_STORIES = f"""
    SELECT id FROM entries WHERE key IN ({_MARKED}) OR id IN (
        SELECT entry FROM digests JOIN items ON items.digest = digests.id
        WHERE items.key IN ({_MARKED} UNION SELECT key FROM marks)
    ) ORDER BY id
"""


class Export:
    """Writes the file."""

    def __init__(self, connection: Connection, runs: Path) -> None:
        self._connection = connection
        self._runs = runs

    def write(self, file: Path) -> None:
        """Write the file, whole or not at all; raises StoreError when it cannot be written."""
        temporary = file.with_name(f".{file.name}.{os.getpid()}.new")
        plain_target(file)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with (
                self._connection.snapshot(),
                zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive,
            ):
                self._members(archive)
            temporary.replace(file)
        except OSError as error:
            raise StoreError(
                _("{path} could not be written: {detail}.").format(path=file, detail=error.strerror)
            ) from error
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)

    def _members(self, archive: zipfile.ZipFile) -> None:
        manifest = {"format": FORMAT, "schema": SCHEMA, "made": now().isoformat()}
        archive.writestr("manifest.json", json.dumps(manifest))
        for name, lines in (
            (
                "feeds",
                self._table(
                    "feeds",
                    "key, url, title, kind, private, topic_filter, language, wanted, whole_text",
                ),
            ),
            ("stories", (plain(self._story(row["id"])) for row in self._connection.run(_STORIES))),
            ("aliases", self._table("aliases WHERE key IN (SELECT key FROM marks)", "alias, key")),
            ("marks", self._table("marks", "key, mark, value, changed_at")),
            ("queue", self._table("queue", "key, added")),
            ("runs", self._run_lines()),
        ):
            with archive.open(f"{name}.jsonl", "w") as member:
                for line in lines:
                    member.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        self._files(archive)

    def _table(self, table: str, columns: str) -> Iterator[dict[str, Any]]:
        return (dict(row) for row in self._connection.run(f"SELECT {columns} FROM {table}"))

    def _run_lines(self) -> Iterator[dict[str, Any]]:
        for row in self._connection.run("SELECT * FROM runs ORDER BY id"):
            judgements = self._table(f"judgements WHERE run = {int(row['id'])}", "at, verdicts")
            artefacts = self._table(
                f"artefacts WHERE run = {int(row['id'])}", "name, file, sha256, bytes"
            )
            yield {
                "uid": row["uid"],
                "check": row["check_name"],
                "hash": row["check_hash"],
                "story": row["story"],
                "status": row["status"] if row["pid"] is None else RunStatus.INTERRUPTED.value,
                "started": row["started"],
                "finished": row["finished"],
                "machine": row["machine"],
                "legs": row["legs"],
                "judgements": list(judgements),
                "artefacts": list(artefacts),
            }

    def _files(self, archive: zipfile.ZipFile) -> None:
        for row in self._connection.run("SELECT hash, name, body FROM check_files"):
            archive.writestr(f"checks/{row['hash']}/{row['name']}", row["body"])
        for row in self._connection.run("SELECT uid, file FROM artefacts JOIN runs ON run = id"):
            path = self._runs / row["uid"] / row["file"]
            if path.is_file():
                archive.write(path, f"artefacts/{row['uid']}/{row['file']}")

    def _aliases(self, key: str) -> tuple[str, ...]:
        rows = self._connection.rows("SELECT alias FROM aliases WHERE key = ?", (key,))
        return tuple(row["alias"] for row in rows if row["alias"] != key)

    def _story(self, entry: int) -> Travelled:
        row = self._connection.rows(
            "SELECT entries.*, feeds.key AS feed_key FROM entries"
            " LEFT JOIN feeds ON feeds.id = feed WHERE entries.id = ?",
            (entry,),
        )[0]
        said = ParsedEntry(
            title=row["title"],
            url=row["url"],
            authors=unpack(tuple[str, ...], row["authors"]),
            published=to_moment(row["published"]),
            updated=to_moment(row["updated"]),
            content_html=row["content_html"],
            categories=unpack(tuple[str, ...], row["categories"]),
            enclosures=unpack(tuple[str, ...], row["enclosures"]),
        )
        digest = self._connection.row("SELECT * FROM digests WHERE entry = ?", (entry,))
        story = Travelled(
            key=row["key"],
            aliases=self._aliases(row["key"]),
            entry=said,
            seen=to_moment(row["seen"]) or now(),
            notices=unpack(tuple[str, ...], row["notices"]),
            feed=row["feed_key"],
            revisions=self._revisions(entry),
            labels=self._labels("entry", entry)
            if digest is None
            else self._labels("digest", digest["id"]),
        )
        return story if digest is None else self._with_digest(story, digest)

    def _labels(self, kind: str, ref: int) -> Labels:
        text = self._connection.value(
            "SELECT labels FROM stories JOIN combinations ON combination = combinations.id"
            " WHERE kind = ? AND ref = ?",
            (kind, ref),
        )
        return Labels() if text is None else parse_combination(text).ours

    def _revisions(self, entry: int) -> tuple[OldText, ...]:
        rows = self._connection.rows("SELECT * FROM revisions WHERE entry = ?", (entry,))
        return tuple(
            OldText(
                title=row["title"],
                content_html=row["content_html"],
                seen=to_moment(row["seen"]) or now(),
                updated=to_moment(row["updated"]),
            )
            for row in rows
        )

    def _with_digest(self, story: Travelled, digest: sqlite3.Row) -> Travelled:
        forms = self._connection.rows(
            "SELECT seen, parsed FROM digest_forms WHERE digest = ?", (digest["id"],)
        )
        items = self._connection.rows(
            "SELECT id, key, gone, parsed FROM items WHERE digest = ? ORDER BY position, id",
            (digest["id"],),
        )
        return replace(
            story,
            digest=unpack(ParsedDigest, digest["parsed"]),
            forms=tuple(
                SeenForm(to_moment(row["seen"]) or now(), unpack(ParsedDigest, row["parsed"]))
                for row in forms
            ),
            items=tuple(
                TravelledItem(
                    key=row["key"],
                    aliases=self._aliases(row["key"]),
                    parsed=unpack(ParsedItem, row["parsed"]),
                    labels=self._labels("item", row["id"]),
                    gone=bool(row["gone"]),
                )
                for row in items
            ),
        )
