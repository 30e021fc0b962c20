"""Entries whose source took them away: they stay, and say so."""

from __future__ import annotations

from collections.abc import Iterable

from reader import identity
from reader.model import ParsedEntry
from reader.store.codec import pack, unpack
from reader.store.connection import Connection
from reader.store.listing import number


def mark_absent(connection: Connection, feed: str, guids: Iterable[str], notice: str) -> int:
    """Let a feed's entries of these GUIDs say that they are gone; return how many did not yet.

    One that comes again is rewritten by what it says then, and the notice goes.
    """
    marked = 0
    with connection.write():
        key = connection.value("SELECT key FROM feeds WHERE id = ?", (number(feed),)) or ""
        for guid in guids:
            for alias in identity.entry_keys(key, ParsedEntry("", guid=guid)):
                marked += _mark(connection, f"e:{alias}", notice)
    return marked


def _mark(connection: Connection, key: str, notice: str) -> int:
    row = connection.row(
        "SELECT id, notices FROM entries WHERE key = coalesce("
        "(SELECT key FROM aliases WHERE alias = ?1), ?1)",
        (key,),
    )
    if row is None:
        return 0
    said = unpack(tuple[str, ...], row["notices"])
    if notice in said:
        return 0
    connection.run(
        "UPDATE entries SET notices = ?, raw_hash = x'' WHERE id = ?",
        (pack((*said, notice)), row["id"]),
    )
    return 1
