"""What the page of a quick look shows, read from the store on a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reader.gui import words
from reader.gui.workbench import Bench, offers
from reader.language import _, language
from reader.model import Check, Digest, DigestKind, Item, QueueState, Row, Run

if TYPE_CHECKING:
    from reader.store import Store


MOST_FIGURES = 4


@dataclass(frozen=True, slots=True)
class Told:
    """What this machine has to say of an item: one state, and lines below it."""

    state: str = ""  # empty: not marked, never run
    word: str = ""
    lines: tuple[str, ...] = ()
    counts: tuple[tuple[str, str], ...] = ()  # further verdicts: state, text
    figures: tuple[tuple[str, str], ...] = ()  # measured here: name, value with its unit
    measured: str = ""  # by which run, when

    @property
    def spoken(self) -> str:
        """The state as a screen reader says it."""
        counts = (text for _state, text in self.counts)
        parts = (self.word or _("not marked"), *counts, *self.lines)
        return ". ".join(each for each in parts if each)


@dataclass(frozen=True, slots=True)
class Quick:
    """A quick-look digest with all that its page shows."""

    digest: Digest
    items: tuple[Item, ...]
    told: tuple[Told, ...]  # one an item
    feed: str = ""
    rows: tuple[Row, ...] = ()  # the same items as the list of stories holds them


def load(store: Store, key: str, bench: Bench | None) -> Quick | None:
    """Read the digest of a view where it is a quick look, else nothing; on a worker."""
    kind, _colon, id_ = key.partition(":")
    digest = store.library.get(id_) if kind == "digest" else None
    if not isinstance(digest, Digest) or digest.parsed.kind is not DigestKind.QUICK_LOOK:
        return None
    items = tuple(store.library.items(digest.id))
    feed = next((each.title for each in store.feeds.all() if each.id == digest.feed), "")
    queued = {each.item: each.state for each in store.queue.all()}
    told = tuple(_told(store, bench, each, queued.get(each.id)) for each in items)
    rows = tuple(store.library.rows([each.id for each in items]))
    return Quick(digest, items, told, feed, rows)


def _told(store: Store, bench: Bench | None, item: Item, queued: QueueState | None) -> Told:
    run = next((each for each in store.runs.all(item=item.id) if each.verdicts), None)
    if run is not None and queued is not QueueState.RUNNING:
        return of_run(bench, run)
    lines: tuple[str, ...] = ()
    if bench is not None:
        offer = next(iter(offers(store, bench, item)), None)
        lines = (_("no bundled check fits"),)
        if offer is not None:
            text = _("{here} of {n} claims here")
            lines = (text.format(here=offer.here, n=len(offer.check.claims)),)
    state = queued.value if queued is not None else ""
    return Told(state, words.state_name(state) if state else "", lines)


def of_run(bench: Bench | None, run: Run) -> Told:
    """Return what a run that was judged says of its item."""
    from collections import Counter

    from reader.checks import reasons
    from reader.runner import with_staleness

    check = None
    if bench is not None:
        check = next((each for each in bench.checks if each.name == run.check), None)
        run = with_staleness(
            [run], bench.checks, bench.machine, bench.toolkits, bench.interpreters
        )[0]
    found = Counter(each.verdict for each in run.verdicts)
    counts = [
        (each.value, f"{found[each]} {words.verdict_name(each)}")
        for each in sorted(found, key=lambda each: _URGENT.index(each.value))
    ]
    when = words.day(run.finished or run.started)
    if run.stale:
        said = reasons.render(run.stale[0], check, language())
        return Told("stale", words.state_name("stale"), (said,), tuple(counts))
    (first, word), *rest = counts
    at = f"{when} · {run.id}"
    return Told(first, word, (at,), tuple(rest), _figures(check, run), at)


def _figures(check: Check | None, run: Run) -> tuple[tuple[str, str], ...]:
    """Return the first few numbers that the check's claims show, each once."""
    from reader.checks import reasons

    if check is None:
        return ()
    claims, units = {each.id: each for each in check.claims}, dict(check.measures)
    found: dict[str, str] = {}
    for verdict in run.verdicts:
        for name in claims[verdict.claim].shows if verdict.claim in claims else ():
            value = verdict.measured.get(name)
            if value is not None and not isinstance(value, bool):
                found.setdefault(name, reasons.number(value, units.get(name, "")))
    return tuple(found.items())[:MOST_FIGURES]


_URGENT = ("refuted", "inconclusive", "confirmed", "could_not_run", "not_applicable")
