"""The queue run in order, one check at a time, inside a budget of time and disk.

What came of it stands beside the store, written after every run: a night that is cut short still
says in the morning how far it came.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reader.checks import environment, manifest, matching
from reader.errors import Expected
from reader.model import Check, Item, QueueState, Run, RunStatus
from reader.runner.options import RunOptions
from reader.store import Store

FILE = "overnight.json"
USUAL = 60.0  # seconds, for a check that has never run here
LEAST = 10.0  # seconds; what is left below is no time for a run
TIME, DISK, FAILED = "time", "disk", "failed"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a night may take."""

    seconds: float
    disk_mb: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """A check to run for a queue entry, and what it is expected to take."""

    entry: str
    item: str
    title: str
    check: Check
    seconds: float = USUAL


@dataclass(frozen=True, slots=True)
class Need:
    """What has to be built before: megabytes and seconds."""

    mb: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one: a run with its verdicts by number, or why there was none."""

    entry: str
    item: str
    title: str
    check: str
    run: str | None = None
    verdicts: dict[str, int] = field(default_factory=dict)
    why: str = ""  # time, disk, failed
    said: str = ""  # what failed, in a sentence


def wanted(store: Store, checks: Sequence[Check]) -> list[Wanted]:
    """Return what waits for its first run, most urgent first: the check chosen, else all that fit.

    A check of the user's own that is not trusted is left out: nobody is there to ask.
    """
    allowed = [check for check in checks if manifest.trusted(check)]
    found: dict[tuple[str, str], Wanted] = {}
    for entry in store.queue.all(QueueState.QUEUED):
        chosen = [check for check in allowed if check.name == entry.check]
        if not entry.check:
            story = store.library.get(entry.item)
            fitting = matching.fitting(allowed, story) if isinstance(story, Item) else []
            chosen = [match.check for match in fitting]
        for check in chosen:
            took = _took(store.runs.all(check.name))
            each = Wanted(entry.id, entry.item, entry.title, check, took)
            found.setdefault((entry.item, check.name), each)
    return list(found.values())


def _took(runs: Sequence[Run]) -> float:
    times = [
        (run.finished - run.started).total_seconds()
        for run in runs
        if run.finished is not None and run.status is RunStatus.FINISHED
    ]
    return times[0] if times else USUAL


def need(check: Check) -> Need:
    """Return what has to be built before a check runs."""
    pairs = zip(environment.wanted(check), environment.ready(check), strict=True)
    missing = [packages for packages, ready in pairs if ready is None]
    if not missing:
        return Need()
    takes = environment.build_time(missing, check.folder)
    return Need(sum(packages.size_mb for packages in missing), takes.seconds)


def through(
    plan: Sequence[Wanted],
    budget: Budget,
    *,
    run: Callable[[Wanted, RunOptions], Run],
    clock: Callable[[], float],
    needs: Callable[[Check], Need] = need,
) -> Iterator[Done]:
    """Run one after the other; what the budget does not hold is left out, lighter ones go on.

    A run that is stopped by the user ends the night.
    """
    ends, disk = clock() + budget.seconds, budget.disk_mb
    for each in plan:
        before = needs(each.check)
        left = ends - clock() - before.seconds
        names = (each.entry, each.item, each.title, each.check.name)
        if left < max(LEAST, each.seconds):
            yield Done(*names, why=TIME)
            continue
        if before.mb > disk:
            yield Done(*names, why=DISK)
            continue
        limit = int(min(each.check.limits.seconds, max(LEAST, left)))
        try:
            record = run(each, RunOptions(build=True, seconds=limit))
        except Expected as error:
            yield Done(*names, why=FAILED, said=str(error))
            continue
        disk -= before.mb + sum(kept.bytes for kept in record.artefacts) // 1_000_000
        yield Done(*names, run=record.id, verdicts=_counted(record))
        if record.status in (RunStatus.CANCELLED, RunStatus.INTERRUPTED):
            return


def _counted(run: Run) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in run.verdicts:
        counts[each.verdict.value] = counts.get(each.verdict.value, 0) + 1
    return counts


def keep(store_path: Path, began: datetime, done: Sequence[Done], *, whole: bool) -> None:
    """Write how far the night has come beside the store."""
    record = {
        "began": began.isoformat(),
        "ended": datetime.now(UTC).isoformat(),
        "whole": whole,
        "done": [asdict(each) for each in done],
    }
    target = store_path.parent / FILE
    fresh = target.with_suffix(".new")
    fresh.write_text(json.dumps(record, ensure_ascii=False, indent=1), encoding="utf-8")
    fresh.replace(target)


def last(store_path: Path) -> dict[str, Any] | None:
    """Return what was kept of the last night; None where there is none that reads."""
    try:
        record = json.loads((store_path.parent / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None
