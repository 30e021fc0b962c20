"""Stories of another store into this one: nothing is lost, and it matters not who takes in whom.

Where both hold a text, the richer form wins, then the one that came later, then the greater; the
loser fills gaps, and its text is kept as a Revision.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from reader.model import Incoming, ParsedDigest, ParsedEntry, ParsedItem
from reader.sanitise.plain import clean_record
from reader.store.codec import pack, unpack
from reader.store.connection import Connection, to_moment, to_seconds
from reader.store.digests import Digests
from reader.store.entries import Entries
from reader.store.incoming import Prepared
from reader.store.items import Items
from reader.store.merge import match, merged, richness
from reader.store.travel import OldText, SeenForm, Travelled

T = TypeVar("T", int, tuple[str, str])


class Unite:
    """Takes in stories of another store; every method stands inside a write."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._entries = Entries(connection)
        self._digests = Digests(connection, self._entries)
        self._items = Items(connection, self._entries)

    def take(self, story: Travelled, feed: int | None) -> dict[str, str]:
        """Take a story in; return the keys it has there with those that its marks have here."""
        digest = None if story.digest is None else clean_record(story.digest)
        incoming = Incoming(story.entry, story.labels, digest, notices=story.notices)
        prepared = Prepared(incoming, tuple(dict.fromkeys((story.key, *story.aliases))))
        if digest is None:
            known, row = self._entries.find(prepared), None
        else:
            prepared, known, row = self._digests.identify(prepared, digest)
        entry = known if row is None else int(row["entry"])
        if entry is None:
            return self._new(story, prepared, feed)
        if known not in (None, entry):
            self._entries.absorb(known or 0, entry)
        key = str(self._entries.row(entry)["key"])
        self._entries.alias(prepared.keys, key)
        self._entries.claim(entry, feed)
        if digest is not None and row is None:
            self._begin(entry, feed, prepared, digest, story.seen)
        else:
            self._text(entry, prepared, story.seen, self._lead(row, story))
        return {story.key: key} | self._rest(entry, story, prepared)

    def _new(self, story: Travelled, prepared: Prepared, feed: int | None) -> dict[str, str]:
        if prepared.incoming.digest is None:
            entry, _outcome = self._entries.save(feed, prepared, story.seen)
        else:
            entry = self._begin(None, feed, prepared, prepared.incoming.digest, story.seen)
        key = str(self._entries.row(entry)["key"])
        return {story.key: key} | self._rest(entry, story, prepared)

    def _begin(
        self,
        entry: int | None,
        feed: int | None,
        prepared: Prepared,
        digest: ParsedDigest,
        seen: datetime,
    ) -> int:
        """Make a digest whose forms and items are still to come."""
        begun, _outcome = self._digests.begin(entry, feed, prepared, digest, seen)
        self._connection.run(
            "DELETE FROM digest_forms WHERE digest = ?", (self._digests.row(begun)["id"],)
        )
        return begun

    def _rest(self, entry: int, story: Travelled, prepared: Prepared) -> dict[str, str]:
        for old in story.revisions:
            self._older(entry, old)
        if prepared.incoming.digest is None:
            return {}
        return self._digest(entry, story, prepared.incoming.digest)

    def _text(self, entry: int, prepared: Prepared, seen: datetime, lead: int) -> None:
        """The winner's text is shown, of equals the later; the loser fills gaps and is kept."""
        here = self._entries.row(entry)
        same = here["text_hash"] == prepared.text_hash
        if lead == 0 and not same:
            later = (here["seen"], here["text_hash"]) < (to_seconds(seen), prepared.text_hash)
            lead = 1 if later else -1
        if same:
            earliest = min(here["seen"], to_seconds(seen) or 0)
            self._connection.run("UPDATE entries SET seen = ? WHERE id = ?", (earliest, entry))
        elif lead > 0:
            self._entries.rewrite(entry, prepared, seen)
        else:
            self._older(entry, OldText(prepared.title, prepared.html, seen))
        published = _pick(here["published"], to_seconds(prepared.incoming.entry.published), lead)
        url, source = _pick(
            (here["url"], here["source_key"] or "") if here["url"] else None,
            (prepared.url, prepared.source_key or "") if prepared.url else None,
            lead,
        ) or (None, "")
        self._connection.run(
            "UPDATE entries SET published = ?, url = ?, source_key = ? WHERE id = ?",
            (published, url, source or None, entry),
        )
        self._entries.follow_date(entry, here["published"], seen)

    def _older(self, entry: int, old: OldText) -> None:
        said = Prepared(Incoming(ParsedEntry(title=old.title, content_html=old.content_html)), ())
        if said.text_hash == self._entries.row(entry)["text_hash"]:
            return
        self._connection.run(
            "INSERT INTO revisions (entry, text_hash, seen, updated, title, content_html)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET seen = min(seen, excluded.seen)",
            (
                entry,
                said.text_hash,
                to_seconds(old.seen),
                to_seconds(old.updated),
                said.title,
                said.html,
            ),
        )

    def _forms(self, digest: int) -> list[SeenForm]:
        rows = self._connection.rows(
            "SELECT seen, parsed FROM digest_forms WHERE digest = ?", (digest,)
        )
        return [
            SeenForm(to_moment(row["seen"]) or _never(), unpack(ParsedDigest, row["parsed"]))
            for row in rows
        ]

    def _lead(self, row: sqlite3.Row | None, story: Travelled) -> int:
        """Return 1 where the other store's digest is richer or later than ours, -1 for poorer."""
        if row is None:
            return 0
        mine, theirs = _weight(self._forms(row["id"])), _weight(story.forms)
        return (theirs > mine) - (theirs < mine)

    def _digest(self, entry: int, story: Travelled, said: ParsedDigest) -> dict[str, str]:
        row = self._digests.row(entry)
        lead = self._lead(row, story)
        here, said = unpack(ParsedDigest, row["parsed"]), replace(said, items=())
        both = merged(here, None, said, richer=_wins(here, said, lead))
        self._digests.rewrite(row["id"], both)
        held = {each.parsed.form: each for each in self._forms(row["id"])}
        for form in story.forms:
            parsed, mine = clean_record(form.parsed), held.get(form.parsed.form)
            if mine is None or _later(mine, form):
                self._digests.keep_form(row["id"], parsed, form.seen)
        if both.cutoff_at is not None:
            before = self._entries.row(entry)["published"]
            self._connection.run(
                "UPDATE entries SET published = ? WHERE id = ?",
                (to_seconds(both.cutoff_at), entry),
            )
            self._digests.move(entry, before, story.seen)
        return self._take_items(row, story, lead)

    def _take_items(self, row: sqlite3.Row, story: Travelled, lead: int) -> dict[str, str]:
        known = self._items.known(row["id"])
        current = dict(known)
        arriving = [clean_record(item.parsed) for item in story.items]
        keys: dict[str, str] = {}
        found = match(row["scope"], known, arriving)
        for at, (item, parsed, here) in enumerate(zip(story.items, arriving, found, strict=True)):
            id_, gone = here, item.gone if lead > 0 or (lead == 0 and not item.gone) else None
            if id_ is None:
                id_ = self._items.insert(row, parsed, item.labels, story.seen, position=at)
                gone = item.gone
            else:
                richer = _wins(current[id_], parsed, lead)
                said = merged(current[id_], None, parsed, richer=richer)
                self._items.update(id_, current[id_], said, item.labels if richer else None)
            keys[item.key] = self._items.settle(row["scope"], id_, parsed, item.aliases)
            if gone is not None:
                self._connection.run("UPDATE items SET gone = ? WHERE id = ?", (gone, id_))
        return keys


def _wins(mine: ParsedDigest | ParsedItem, theirs: ParsedDigest | ParsedItem, lead: int) -> bool:
    """Whether theirs wins: by the lead, of equals the greater."""
    return lead > 0 or (lead == 0 and pack(theirs) >= pack(mine))


def _pick(mine: T | None, theirs: T | None, lead: int) -> T | None:
    """Return the winner's, where it has one, else the loser's; of equals the lesser."""
    if mine is None or theirs is None:
        return theirs if mine is None else mine
    if lead == 0:
        return min(mine, theirs)
    return theirs if lead > 0 else mine


def _weight(forms: tuple[SeenForm, ...] | list[SeenForm]) -> tuple[int, float, str]:
    """What decides between two stores' digests: richness, then when it came, then its text."""
    return max(
        ((richness(form.parsed.form), form.seen.timestamp(), pack(form.parsed)) for form in forms),
        default=(-1, 0.0, ""),
    )


def _later(mine: SeenForm, other: SeenForm) -> bool:
    return (mine.seen, pack(mine.parsed)) < (other.seen, pack(other.parsed))


def _never() -> datetime:
    raise LookupError("a form without its time")
