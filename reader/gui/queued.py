"""What stands in the queue, read on a worker; by how urgent it is, and narrowed by filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from reader.gui import words
from reader.gui.rows import AnyRow, HeadRow, LineRow
from reader.gui.workbench import Bench, Offer, offers
from reader.language import _, language
from reader.model import Item, QueueEntry, QueueState, Run

if TYPE_CHECKING:
    from reader.store import Store

SOON = timedelta(days=7)
SETTLED = (
    QueueState.CONFIRMED,
    QueueState.REFUTED,
    QueueState.INCONCLUSIVE,
    QueueState.NOT_APPLICABLE,
    QueueState.DROPPED,
)


@dataclass(frozen=True, slots=True)
class Queued:
    """A queue entry with all that its row and inspector show."""

    entry: QueueEntry
    item: Item | None
    offer: Offer | None
    run: Run | None
    next: str  # what comes next, in a sentence

    @property
    def state(self) -> str:
        """The name of glyph and colour."""
        if self.entry.state is QueueState.RUNNING:
            return "running"
        return "stale" if self.entry.stale or self._stale else self.entry.state.value

    @property
    def _stale(self) -> bool:
        return self.run is not None and bool(self.run.stale)


def queued(store: Store, bench: Bench | None) -> list[Queued]:
    """Read the queue; on a worker."""
    from reader.runner import with_staleness

    found = []
    for entry in store.queue.all():
        story = store.library.get(entry.item)
        item = story if isinstance(story, Item) else None
        fitting = offers(store, bench, item) if bench is not None and item is not None else []
        chosen = next((each for each in fitting if each.check.name == entry.check), None)
        offer = chosen or (fitting[0] if fitting else None)
        run = store.runs.get(entry.runs[0]) if entry.runs else None
        if run is not None and bench is not None:
            run = with_staleness(
                [run], bench.checks, bench.machine, bench.toolkits, bench.interpreters
            )[0]
        found.append(Queued(entry, item, offer, run, _next(entry, item, offer, run)))
    return found


def _next(entry: QueueEntry, item: Item | None, offer: Offer | None, run: Run | None) -> str:
    from reader.checks import reasons

    if run is not None and run.stale:
        check = offer.check if offer else None
        return reasons.render(run.stale[0], check, language())
    if run is not None and run.verdicts:
        verdict = next(
            (each for each in run.verdicts if each.verdict.value == entry.state.value),
            run.verdicts[0],
        )
        return reasons.render(verdict.reason, offer.check if offer else None, language())
    if offer is not None:
        text = _("{check}: {here} of {n} claims can be settled here")
        title = words.text_of(offer.check.title)
        return text.format(check=title, here=offer.here, n=len(offer.check.claims))
    if item is not None and item.first_step:
        return item.first_step
    return _("No bundled check fits it yet.")


def grouped(found: Sequence[Queued], today: date) -> list[AnyRow]:
    """Return the rows under their headings, most urgent first."""
    groups: dict[str, list[Queued]] = {
        _("Running"): [],
        _("Due this week"): [],
        _("Stale: something on this machine changed"): [],
        _("In the queue"): [],
        _("Waiting for a machine that can"): [],
        _("Settled"): [],
    }
    running, due, stale, open_, waiting, settled = groups
    for each in found:
        entry = each.entry
        if each.state == "running":
            groups[running].append(each)
        elif each.state == "stale":
            groups[stale].append(each)
        elif entry.state in SETTLED:
            groups[settled].append(each)
        elif entry.due is not None and entry.due <= today + SOON:
            groups[due].append(each)
        elif entry.state is QueueState.WAITING:
            groups[waiting].append(each)
        else:
            groups[open_].append(each)
    rows: list[AnyRow] = []
    for title, inside in groups.items():
        if inside:
            rows.append(HeadRow(title, len(inside)))
            rows += [_row(each, today) for each in inside]
    return rows


def _row(each: Queued, today: date) -> LineRow:
    entry = each.entry
    settled = entry.state in SETTLED
    due, late = words.due_of(entry.due, today)
    return LineRow(
        entry.id,
        each.state,
        words.state_name(each.state if each.state != "waiting" else "could_not_run"),
        entry.title,
        each.next,
        "  ".join(f"#{tag}" for tag in entry.tags),
        due if entry.due or not settled else "",
        late=late and not settled,
        settled=settled and each.state != "stale",
    )


OVERDUE, THIS_WEEK, DATED, UNDATED = "overdue", "week", "dated", "undated"


@dataclass(frozen=True, slots=True)
class QueueFilters:
    """Everything that combines by "and" over the queue."""

    text: str = ""
    settled: bool | None = None  # None: open and settled
    fits: bool = False  # a check of it has something to show on this machine
    tags: tuple[str, ...] = ()
    due: str = ""

    @property
    def narrow(self) -> bool:
        """Whether anything is left out."""
        return self != QueueFilters()

    def keep(self, found: Sequence[Queued], today: date) -> list[Queued]:
        """Return what these filters leave."""
        return [each for each in found if self._keeps(each, today)]

    def _keeps(self, each: Queued, today: date) -> bool:
        entry = each.entry
        settled = entry.state in SETTLED and each.state != "stale"
        if self.settled is not None and settled is not self.settled:
            return False
        if self.fits and not (each.offer is not None and each.offer.here):
            return False
        if not set(self.tags) <= set(entry.tags) or not _due(self.due, entry.due, today):
            return False
        said = " ".join((entry.title, each.next, entry.note or "", *entry.tags)).casefold()
        return all(word in said for word in self.text.casefold().split())

    def ways_out(self) -> list[tuple[str, QueueFilters]]:
        """Return each filter by name, with what remains when it is taken away."""
        found: list[tuple[str, QueueFilters]] = []
        if self.settled is not None:
            name = _("Settled") if self.settled else _("Still open")
            found.append((name, replace(self, settled=None)))
        if self.fits:
            found.append((_("Fits this machine"), replace(self, fits=False)))
        for tag in self.tags:
            rest = tuple(each for each in self.tags if each != tag)
            found.append((f"#{tag}", replace(self, tags=rest)))
        if self.due:
            found.append((due_names()[self.due], replace(self, due="")))
        if self.text:
            found.append((f"“{self.text}”", replace(self, text="")))
        return found


def due_names() -> dict[str, str]:
    """Return the choices of the filter by due date."""
    return {
        OVERDUE: _("Overdue"),
        THIS_WEEK: _("Due this week"),
        DATED: _("With a date"),
        UNDATED: _("Without a date"),
    }


def _due(wanted: str, due: date | None, today: date) -> bool:
    tests: dict[str, Callable[[date], bool]] = {
        OVERDUE: lambda day: day < today,
        THIS_WEEK: lambda day: day <= today + SOON,
        DATED: lambda _day: True,
    }
    if wanted == UNDATED:
        return due is None
    return not wanted or (due is not None and tests[wanted](due))
