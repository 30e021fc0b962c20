"""What the user's rules do with what has just come in; every application can be taken back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reader import rules, settings
from reader.errors import Expected, Usage
from reader.language import _
from reader.model import Digest, Entry, Item, Marks, Query, StoryKind
from reader.rules import Action, Rule, written

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
    changes: tuple[tuple[str, str, str | None, str | None], ...]  # key, mark, before, after
    queued: tuple[str, ...] = ()  # ids of queue entries
    stories: int = 0


class Ruling:
    """The rules at work in one sync or import."""

    def __init__(self, store: Store, own: Sequence[Rule], now: datetime) -> None:
        self._store, self._now = store, now
        self._rules = [each for each in own if each.on]
        self._feeds: dict[str, tuple[str, str]] | None = None
        self._matched: dict[str, list[str]] = {}  # ids, by rule

    def see(self, ids: Iterable[str]) -> None:
        """Look at stories that are new; what the user has marked already is left alone."""
        if not self._rules:
            return
        for story in self._stories(ids):
            if story.marks != Marks():
                continue
            subject = rules.subject_of(story, self.feeds)
            for rule in self._rules:
                if rules.fires(rule, subject):
                    self._matched.setdefault(rule.name, []).append(story.id)

    def apply(self) -> list[Applied]:
        """Mark what was seen; return what was done, rule by rule."""
        done = [
            self._apply(rule, self._matched[rule.name])
            for rule in self._rules
            if rule.name in self._matched
        ]
        self._matched.clear()
        if done:
            _remember(self._store, [*applied(self._store), *done])
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
            if isinstance(story, Entry) and story.digest is not None:
                yield from self._store.library.items(story.digest)
            elif isinstance(story, Digest):
                yield from self._store.library.items(story.id)
            else:
                yield story

    def _apply(self, rule: Rule, ids: list[str]) -> Applied:
        undo = self._store.marks.set(
            ids,
            read=True if Action.READ in rule.then else None,
            starred=True if Action.STAR in rule.then else None,
            add_tags=rule.tags,
            muted=rule.name if Action.MUTE in rule.then else None,
        )
        queued = []
        if Action.QUEUE in rule.then:
            queued = [self._store.queue.add(each).id for each in ids]
        last = applied(self._store)
        number = max((int(each.id[1:]) for each in last), default=0) + 1
        return Applied(
            f"a{number}",
            rule.name,
            self._now,
            tuple((each.key, each.mark, each.before, each.after) for each in undo.changes),
            tuple(queued),
            len(ids),
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
    for id_ in _recent(store, now, days):
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


def _recent(store: Store, now: datetime, days: int) -> list[str]:
    kinds = (StoryKind.ITEM, StoryKind.ENTRY)
    return store.library.ids(Query(kinds=kinds, since=now - timedelta(days=days), limit=None))


def applied(store: Store) -> list[Applied]:
    """Return what rules have done lately, oldest first."""
    try:
        rows = json.loads(store.facts.get(APPLIED) or "[]")
        return [
            Applied(
                row["id"],
                row["rule"],
                datetime.fromisoformat(row["at"]),
                tuple((key, mark, before, after) for key, mark, before, after in row["changes"]),
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
        waiting = {each.id for each in store.queue.all() if not each.claims}
        for each in one.queued:
            if each in waiting:
                store.queue.remove(each)
        _remember(store, [each for each in done if each is not one])
    return one


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
