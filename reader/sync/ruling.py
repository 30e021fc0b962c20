"""What the user's rules do with what has just come in; every application can be taken back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reader import rules, settings
from reader.errors import Expected, Usage
from reader.language import _
from reader.model import (
    Digest,
    Entry,
    Item,
    Marks,
    Query,
    QueueEntry,
    QueueState,
    Saved,
    StoryKind,
)
from reader.rules import Action, Rule, written
from reader.store.listing import number

if TYPE_CHECKING:
    from reader.store import Store

APPLIED = "rules applied"  # the fact that remembers what may be taken back
KEPT = 50  # applications
DAYS = 30


@dataclass(frozen=True, slots=True)
class Applied:
    """One rule's work at one time, as it can be taken back."""

    id: str
    rule: str
    at: datetime
    changes: tuple[tuple[str, str, str | None, str | None, int], ...]  # as store.marks.Change
    queued: tuple[str, ...] = ()  # ids of queue entries
    stories: int = 0


class Ruling:
    """The rules at work in one sync or import."""

    def __init__(self, store: Store, own: Sequence[Rule], now: datetime) -> None:
        self._store, self._now = store, now
        self._rules = [each for each in own if each.on]
        self._feeds: dict[str, tuple[str, str]] | None = None
        self._matched: dict[str, list[str]] = {}  # ids, by rule
        self._last = store.library.last_item()  # what is behind it is new

    def saved(self, saved: Saved) -> None:
        """Look at what a save brought: new stories, and new items of digests that were there."""
        if not self._rules:
            return
        before, self._last = self._last, self._store.library.last_item()
        new = [
            item.id
            for entry in saved.updated
            for item in self._items(self._store.library.get(entry))
            if number(item.id) > before
        ]
        self.see([*saved.new, *new])

    def see(self, ids: Iterable[str]) -> None:
        """Look at stories; what the user has marked already is left alone."""
        for story in self._stories(ids):
            if story.marks != Marks():
                continue
            subject = rules.subject_of(story, self.feeds)
            for rule in self._rules:
                if rules.fires(rule, subject):
                    self._matched.setdefault(rule.name, []).append(story.id)

    def apply(self) -> list[Applied]:
        """Mark what was seen; return what was done, rule by rule."""
        if not self._matched:
            return []
        before = applied(self._store)
        last = max((number(each.id) for each in before), default=0)
        fired = [rule for rule in self._rules if rule.name in self._matched]
        done = [
            self._apply(rule, self._matched[rule.name], f"a{n}")
            for n, rule in enumerate(fired, last + 1)
        ]
        self._matched.clear()
        _remember(self._store, [*before, *done])
        return done

    @property
    def feeds(self) -> dict[str, tuple[str, str]]:
        """Title and address of every feed, by id."""
        if self._feeds is None:
            self._feeds = {each.id: (each.title, each.url) for each in self._store.feeds.all()}
        return self._feeds

    def _stories(self, ids: Iterable[str]) -> Iterator[Item | Entry]:
        for id_ in ids:
            story = self._store.library.get(id_)
            items = self._items(story)
            if items or isinstance(story, Digest):
                yield from items
            else:
                yield story

    def _items(self, story: Item | Entry | Digest) -> list[Item]:
        """Return the items of a digest, or of an entry that is one."""
        digest = story.id if isinstance(story, Digest) else None
        if isinstance(story, Entry):
            digest = story.digest
        return [] if digest is None else self._store.library.items(digest)

    def _apply(self, rule: Rule, ids: list[str], id_: str) -> Applied:
        marks = self._store.marks
        undo = marks.set(
            ids,
            read=True if Action.READ in rule.then else None,
            starred=True if Action.STAR in rule.then else None,
            add_tags=rule.tags,
        )
        changes = undo.changes
        if Action.MUTE in rule.then:
            # Whoever muted a story first is the one who can take that back.
            loud = [row.id for row in self._store.library.rows(ids) if not row.marks.muted]
            changes += marks.set(loud, muted=rule.name).changes
        queued = []
        if Action.QUEUE in rule.then:
            there = {each.item for each in self._store.queue.all()}
            queued = [self._store.queue.add(each).id for each in ids if each not in there]
        return Applied(
            id_, rule.name, self._now, tuple(map(astuple, changes)), tuple(queued), len(ids)
        )


def own_rules(config: Path | None) -> tuple[tuple[Rule, ...], str]:
    """Return the user's rules, and what is wrong with their file: a sync goes on without them."""
    file = written.place(config or settings.default_config())
    try:
        return written.load(file), ""
    except Expected as error:
        return (), _("The rules were not applied. {why}").format(why=error)


def matching(store: Store, rule: Rule, now: datetime, days: int = DAYS) -> list[Item | Entry]:
    """Return what a rule would have been about in the last days, newest first; changes nothing."""
    ruling = Ruling(store, (), now)
    found = []
    for id_ in (*_recent(store, now, days), *_recent(store, now, days, muted=True)):
        story = store.library.get(id_)
        if not isinstance(story, Digest) and rules.fires(
            rule, rules.subject_of(story, ruling.feeds)
        ):
            found.append(story)
    return found


def apply_to_past(store: Store, rule: Rule, now: datetime, days: int = DAYS) -> list[Applied]:
    """Apply one rule to the last days, on the user's word; what he has marked is left alone."""
    ruling = Ruling(store, (Rule(rule.name, rule.when, rule.unless, rule.then, rule.tags),), now)
    with store.together():
        ruling.see(_recent(store, now, days))
        return ruling.apply()


def _recent(store: Store, now: datetime, days: int, *, muted: bool = False) -> list[str]:
    kinds, since = (StoryKind.ITEM, StoryKind.ENTRY), now - timedelta(days=days)
    return store.library.ids(Query(kinds=kinds, since=since, muted=muted, limit=None))


def applied(store: Store) -> list[Applied]:
    """Return what rules have done lately, oldest first."""
    try:
        rows = json.loads(store.facts.get(APPLIED) or "[]")
        return [
            Applied(
                row["id"],
                row["rule"],
                datetime.fromisoformat(row["at"]),
                tuple((key, mark, old, new, at) for key, mark, old, new, at in row["changes"]),
                tuple(row["queued"]),
                int(row["stories"]),
            )
            for row in rows
        ]
    except (ValueError, KeyError, TypeError):
        return []


def undo(store: Store, id_: str | None = None) -> Applied:
    """Take an application back, the last one where none is named; later marks of the user stay.

    Raises Usage where there is none.
    """
    from reader.store.marks import Change, Undo

    done = applied(store)
    one = next((each for each in reversed(done) if id_ in (None, each.id, each.rule)), None)
    if one is None:
        raise Usage(_("No rule has done anything that could be taken back."))
    with store.together():
        store.marks.undo(Undo(tuple(Change(*each) for each in one.changes)))
        untouched = {each.id for each in store.queue.all() if _as_queued(each)}
        for each in one.queued:
            if each in untouched:
                store.queue.remove(each)
        _remember(store, [each for each in done if each is not one])
    return one


def _as_queued(entry: QueueEntry) -> bool:
    """Tell whether an entry stands as a rule put it there: no run, nothing chosen since."""
    own = entry.due, entry.priority, entry.check
    return entry.state is QueueState.QUEUED and not entry.runs and own == (None, 0, None)


def _remember(store: Store, done: Sequence[Applied]) -> None:
    rows = [
        {
            "id": each.id,
            "rule": each.rule,
            "at": each.at.isoformat(),
            "changes": each.changes,
            "queued": each.queued,
            "stories": each.stories,
        }
        for each in done[-KEPT:]
    ]
    store.facts.set(APPLIED, json.dumps(rows, ensure_ascii=False))
