"""Our labels anew when their rules have changed; the site's own never change."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING

from reader.model import Labels, ParsedItem
from reader.store.codec import unpack
from reader.store.connection import Connection
from reader.store.labels import StoryLabels
from reader.store.places import Places
from reader.store.texts import item_text

if TYPE_CHECKING:
    from reader.store.library import Labeller

_BATCH = 500  # stories a transaction, so that nobody waits long
_VERSION = "labels"


def relabel(connection: Connection, labeller: Labeller, version: int | None) -> int:
    """Label every story anew; return how many changed."""
    if version is not None and _version(connection) == version:
        return 0
    changed = _walk(connection, "items", lambda row: _item(labeller, row))
    changed += _walk(connection, "entries", lambda row: _entry(labeller, row))
    if version is not None:
        with connection.write():
            connection.run(
                "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)",
                (_VERSION, str(version)),
            )
    return changed


def _version(connection: Connection) -> int | None:
    found = connection.value("SELECT value FROM facts WHERE name = ?", (_VERSION,))
    return None if found is None else int(found)


_READ = {
    "items": "SELECT 'item' AS kind, id, id AS story, url, parsed FROM items"
    " WHERE id > ? ORDER BY id LIMIT ?",
    "entries": "SELECT CASE WHEN digests.id IS NULL THEN 'entry' ELSE 'digest' END AS kind,"
    " entries.id, coalesce(digests.id, entries.id) AS story, url, title, coalesce("
    "(SELECT content_text FROM whole_texts WHERE entry = entries.id ORDER BY seen DESC LIMIT 1),"
    " content_text) AS content_text"
    " FROM entries LEFT JOIN digests ON entry = entries.id"
    " WHERE entries.id > ? ORDER BY entries.id LIMIT ?",
}


def _walk(connection: Connection, table: str, label: Callable[[sqlite3.Row], Labels]) -> int:
    """Label the rows of a table; reading and labelling happen before each write begins."""
    places, last, changed = Places(connection), 0, 0
    while rows := connection.rows(_READ[table], (last, _BATCH)):
        found = [(row["kind"], row["story"], label(row)) for row in rows]
        with connection.write():
            for kind, story, labels in found:
                place = places.find(kind, story)
                if place is not None:
                    site = places.labels(place).site
                    changed += places.relabel(place, StoryLabels(site=site, ours=labels))
        last = rows[-1]["id"]
    return changed


def _item(labeller: Labeller, row: sqlite3.Row) -> Labels:
    item = unpack(ParsedItem, row["parsed"])
    return labeller(item.title, item_text(item), url=row["url"])


def _entry(labeller: Labeller, row: sqlite3.Row) -> Labels:
    return labeller(row["title"], row["content_text"], url=row["url"])
