"""Store → Report: which runs speak of which story, and the newest verdict of each claim."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reader.errors import Expected, Usage
from reader.language import _
from reader.model import (
    Check,
    Claim,
    Entry,
    Item,
    QueueEntry,
    QueueState,
    Run,
    Verdict,
    VerdictKind,
)

if TYPE_CHECKING:
    from reader.store import Store


@dataclass(frozen=True, slots=True)
class Recorded:
    """A Run with the check it ran; None where that check is not known here any more."""

    run: Run
    check: Check | None


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict that counts for one claim, with the run that gave it."""

    verdict: Verdict
    recorded: Recorded

    @property
    def claim(self) -> Claim | None:
        """The claim in the manifest's words, where the check is known."""
        check = self.recorded.check
        claims = check.claims if check is not None else ()
        return next((each for each in claims if each.id == self.verdict.claim), None)


@dataclass(frozen=True, slots=True)
class Subject:
    """One story (or none, for a check run by itself) and its runs, newest first."""

    story: Item | Entry | None
    queue: QueueEntry | None
    runs: tuple[Recorded, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The newest verdict of each claim; one that shows nothing displaces none that does."""
        found: dict[tuple[str, str], Finding] = {}
        for recorded in self.runs:
            for verdict in recorded.run.verdicts:
                key = recorded.run.check, verdict.claim
                before = found.get(key)
                if before is None or (_open(before.verdict) and not _open(verdict)):
                    found[key] = Finding(verdict, recorded)
        return tuple(found.values())


_SHOWN = (VerdictKind.CONFIRMED, VerdictKind.REFUTED, VerdictKind.INCONCLUSIVE)


def _open(verdict: Verdict) -> bool:
    return verdict.verdict not in _SHOWN


@dataclass(frozen=True, slots=True)
class Report:
    """What is reported: a run, a story with all its runs, or the whole queue."""

    scope: str  # run, item, queue
    subjects: tuple[Subject, ...]
    made: datetime


def report(
    store: Store,
    *,
    item: str | None = None,
    run: str | None = None,
    queue: bool = False,
    made: datetime | None = None,
    checks: Sequence[Check] | None = None,
    fresh: Callable[[Run], Run] = lambda run: run,
) -> Report:
    """Gather the report on one run, one item or entry (`item`), or the queue (decided first).

    `checks` are those whose words are used (the bundled ones by default). Raises StoreError for
    an id that the store does not hold. `fresh` says of a run what has changed since.
    """
    known = bundled() if checks is None else checks
    moment = made or datetime.now(UTC)
    if run is not None:
        record = fresh(store.runs.get(run))
        subject = _subject(store, record.item, [record], known)
        return Report("run", (subject,), moment)
    if item is not None:
        return Report("item", (_of_story(store, item, known, fresh),), moment)
    if not queue:
        raise ValueError("a report is of a run, an item or the queue")
    entries = [each for each in store.queue.all() if each.state is not QueueState.DROPPED]
    subjects = [_of_story(store, each.item, known, fresh) for each in entries]
    subjects.sort(key=lambda each: not each.findings)
    return Report("queue", tuple(subjects), moment)


def bundled() -> Sequence[Check]:
    """Return the checks that ship with the app."""
    from reader.checks import manifest

    return manifest.load_all()[0]


def check_of(store: Store, run: Run, known: Sequence[Check]) -> Check | None:
    """Return the check as it was when it ran, else as it is now, else None."""
    from reader.checks import manifest

    now = next((each for each in known if each.name == run.check), None)
    if now is not None and now.hash == run.check_hash:
        return now
    with tempfile.TemporaryDirectory() as scratch:
        try:
            folder = _inside(Path(scratch), run.check)
            for name, content in store.runs.content(run.id).items():
                place = _inside(folder, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            return manifest.load(folder, bundled=False)
        except (Expected, OSError, ValueError):
            return now


def _inside(folder: Path, name: str) -> Path:
    """Return a place below `folder`; a run merged from elsewhere may name any other."""
    place = Path(os.path.normpath(folder / name))
    if place == folder or not place.is_relative_to(folder):
        raise ValueError(name)
    return place


def _of_story(
    store: Store, story: str, known: Sequence[Check], fresh: Callable[[Run], Run]
) -> Subject:
    return _subject(store, story, [fresh(each) for each in store.runs.all(item=story)], known)


def _subject(
    store: Store, story: str | None, runs: Sequence[Run], known: Sequence[Check]
) -> Subject:
    thing = store.library.get(story) if story is not None else None
    if thing is not None and not isinstance(thing, Item | Entry):
        raise Usage(_("Runs speak of items and entries; {id} is neither.").format(id=story))
    entries = store.queue.all() if story is not None else []
    newest = sorted(runs, key=lambda each: each.started, reverse=True)
    return Subject(
        story=thing,
        queue=next((each for each in entries if each.item == story), None),
        runs=tuple(Recorded(each, check_of(store, each, known)) for each in newest),
    )
