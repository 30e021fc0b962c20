"""Digests: found again in whatever form they come, and merged from all of them."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, time

from reader import identity
from reader.model import ParsedDigest
from reader.sanitise.plain import clean_record
from reader.store.codec import pack, unpack
from reader.store.connection import Connection, to_moment, to_seconds
from reader.store.entries import NEW, UNCHANGED, UPDATED, Entries
from reader.store.incoming import Prepared
from reader.store.items import Items
from reader.store.labels import StoryLabels
from reader.store.merge import merged, richness
from reader.store.places import sorted_by


class Digests:
    """Writes digests; every method stands inside a write."""

    def __init__(self, connection: Connection, entries: Entries) -> None:
        self._connection = connection
        self._entries = entries
        self._items = Items(connection, entries)

    def save(self, feed: int | None, prepared: Prepared, now: datetime) -> tuple[int, str]:
        """Save an entry that divides into items; return the entry's id and what became of it."""
        parsed = clean_record(prepared.incoming.digest or _missing())
        prepared, known, row = self.identify(prepared, parsed)
        if row is None:
            entry, outcome = self.begin(known, feed, prepared, parsed, now)
            self._items.save(self.row(entry), None, parsed, prepared.incoming, now, richer=True)
            return entry, outcome
        entry = int(row["entry"])
        if known not in (None, entry):
            self._entries.absorb(known or 0, entry)
        self._entries.alias(prepared.keys, self._entries.row(entry)["key"])
        self._entries.claim(entry, feed)
        return entry, self._again(row, prepared, parsed, now)

    def identify(
        self, prepared: Prepared, parsed: ParsedDigest
    ) -> tuple[Prepared, int | None, sqlite3.Row | None]:
        """Return the entry and the digest that this is, where they stand, and what to save."""
        known = self._entries.find(prepared)
        if known is not None and self._other_day(known, parsed):
            # A file of the same name (`daily.html`), saved anew each day.
            prepared = Prepared(prepared.incoming, ("e:digest|" + identity.digest_key(parsed),))
            known = self._entries.find(prepared)
        return prepared, known, self._find(known, parsed)

    def row(self, entry: int) -> sqlite3.Row:
        """Return the digest's row of an entry that is known to have one."""
        row = self._connection.row("SELECT * FROM digests WHERE entry = ?", (entry,))
        if row is None:
            raise LookupError(f"digest of entry {entry}")
        return row

    def _other_day(self, entry: int, parsed: ParsedDigest) -> bool:
        """Whether an entry holds the digest of another day than this one."""
        row = self._connection.row("SELECT parsed FROM digests WHERE entry = ?", (entry,))
        if row is None:
            return False
        days = [
            said.cutoff_at.date() if said.cutoff_at else said.date
            for said in (unpack(ParsedDigest, row["parsed"]), parsed)
        ]
        return None not in days and days[0] != days[1]

    def _find(self, entry: int | None, parsed: ParsedDigest) -> sqlite3.Row | None:
        """Return the same digest, by its entry, else by its key; no site fits any."""
        own = self._connection.row("SELECT * FROM digests WHERE entry = ?", (entry,))
        if own is not None:
            return own
        site = parsed.site or ""
        found = self._connection.rows(
            "SELECT * FROM digests WHERE digest_key = ?1"
            " AND (site = ?2 OR site = '' OR ?2 = '') ORDER BY site <> ?2, id",
            (identity.digest_key(parsed), site),
        )
        if len(found) > 1 and not site:  # of two sites' digests the one that says the same
            titles = [unpack(ParsedDigest, row["parsed"]).title for row in found]
            if parsed.title in titles:
                return found[titles.index(parsed.title)]
        return found[0] if found else None

    def begin(
        self,
        known: int | None,
        feed: int | None,
        prepared: Prepared,
        parsed: ParsedDigest,
        now: datetime,
    ) -> tuple[int, str]:
        """Make a digest of a new entry, or of one that was not understood before."""
        entry = self._entries.insert(feed, prepared, now) if known is None else known
        before = self._entries.row(entry)
        place = None if known is None else self._entries.place(known)
        if known is not None:
            self._entries.claim(entry, feed)
            self._entries.rewrite(entry, prepared, now)
        self._insert(entry, parsed)
        self.keep_form(self.row(entry)["id"], parsed, now)
        self._date(entry, parsed, prepared)
        row = self._entries.row(entry)
        story = self._entries.story(row, StoryLabels(ours=prepared.incoming.labels))
        if place is None:
            moment = sorted_by(to_moment(row["published"]), now)
            self._entries.places.put(self._entries.places.next(moment), story)
            self._entries.marks.copy_all(row["key"])
        else:
            place = self._entries.places.find("entry", entry) or place
            self._entries.places.update(place, story, story)
            self.move(entry, before["published"], now)
        return entry, NEW if known is None else UPDATED

    def _insert(self, entry: int, parsed: ParsedDigest) -> None:
        key, site = identity.digest_key(parsed), parsed.site or ""
        taken = self._connection.value("SELECT count(*) FROM digests WHERE digest_key = ?", (key,))
        scope = f"{key}@{site or entry}" if taken else key
        self._connection.run(
            "INSERT INTO digests (entry, digest_key, scope, site, parsed) VALUES (?, ?, ?, ?, ?)",
            (entry, key, scope, site, pack(replace(parsed, items=()))),
        )

    def _again(
        self, row: sqlite3.Row, prepared: Prepared, parsed: ParsedDigest, now: datetime
    ) -> str:
        """Merge a digest that the store has, in this form or another."""
        forms = {
            each["form"]: unpack(ParsedDigest, each["parsed"])
            for each in self._connection.rows(
                "SELECT form, parsed FROM digest_forms WHERE digest = ?", (row["id"],)
            )
        }
        previous = forms.get(parsed.form.value)
        richer = all(richness(parsed.form) >= richness(form.form) for form in forms.values())
        entry, outcome = int(row["entry"]), UNCHANGED
        published = self._entries.row(entry)["published"]
        if richer:
            outcome = self._entries.rewrite(entry, prepared, now)
        if previous == parsed:
            return outcome
        self.keep_form(row["id"], parsed, now)
        current = unpack(ParsedDigest, row["parsed"])
        now_said = merged(current, previous, replace(parsed, items=()), richer=richer)
        self.rewrite(row["id"], now_said)
        self._date(entry, now_said, prepared)
        self.move(entry, published, now)
        changed = self._items.save(
            self.row(entry), previous, parsed, prepared.incoming, now, richer=richer
        )
        return UPDATED if changed or now_said != current else outcome

    def rewrite(self, digest: int, said: ParsedDigest) -> None:
        """Let a digest say this, its items apart."""
        self._connection.run(
            "UPDATE digests SET parsed = ?, site = ?, digest_key = ? WHERE id = ?",
            (pack(said), said.site or "", identity.digest_key(said), digest),
        )

    def keep_form(self, digest: int, parsed: ParsedDigest, seen: datetime) -> None:
        """Record a digest as one form gives it."""
        self._connection.run(
            "INSERT OR REPLACE INTO digest_forms (digest, form, seen, parsed) VALUES (?, ?, ?, ?)",
            (digest, parsed.form.value, to_seconds(seen), pack(parsed)),
        )

    def _date(self, entry: int, parsed: ParsedDigest, prepared: Prepared) -> None:
        """Give the entry the digest's own date and, where it has none, the address that came."""
        own = parsed.cutoff_at or prepared.incoming.entry.published
        if own is None and parsed.date is not None:
            own = datetime.combine(parsed.date, time(), UTC)
        self._connection.run(
            "UPDATE entries SET published = CASE WHEN ?1 THEN ?2 ELSE coalesce(published, ?2) END,"
            " url = coalesce(url, ?3), source_key = coalesce(source_key, ?4) WHERE id = ?5",
            (
                parsed.cutoff_at is not None,
                to_seconds(own),
                prepared.url,
                prepared.source_key,
                entry,
            ),
        )

    def move(self, entry: int, published: int | None, now: datetime) -> None:
        """Take the digest and its items to where its date belongs, once that is known."""
        row = self._entries.row(entry)
        if row["published"] in (None, published):
            return
        moment = sorted_by(to_moment(row["published"]), now)
        places = self._entries.places
        place = self._entries.place(entry)
        if place is not None:
            places.move(place, self._entries.story(row, StoryLabels()), places.next(moment))
        self._items.move(self.row(entry)["id"], moment)


def _missing() -> ParsedDigest:
    raise LookupError("an entry without digest was saved as one")
