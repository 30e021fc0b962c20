"""The queue, run: queue run."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from reader.cli import voice
from reader.cli.check import known_checks, perform
from reader.cli.options import json_option
from reader.cli.queue import queue
from reader.cli.session import Session, pass_session
from reader.errors import Usage
from reader.language import _
from reader.model import Run

if TYPE_CHECKING:
    from reader.runner import RunOptions
    from reader.runner.overnight import Done, Wanted

_SECONDS = {"h": 3600, "m": 60, "s": 1}
_MB = {"gb": 1000, "g": 1000, "mb": 1, "m": 1, "tb": 1_000_000}


def read_time(text: str) -> float:
    """Return seconds of 2h, 90m, 1h30m; raises Usage."""
    parts = re.findall(r"(\d+(?:\.\d+)?)([hms])", text.strip().lower())
    if not parts or "".join(f"{n}{unit}" for n, unit in parts) != text.strip().lower():
        raise Usage(_("{text} is no time; write 2h, 90m or 1h30m").format(text=text))
    return sum(float(n) * _SECONDS[unit] for n, unit in parts)


def read_size(text: str) -> int:
    """Return megabytes of 10GB, 500MB; raises Usage."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([gmt]b?)", text.strip().lower())
    if found is None or found[2] not in _MB:
        raise Usage(_("{text} is no size; write 10GB or 500MB").format(text=text))
    return int(float(found[1]) * _MB[found[2]])


@queue.command(
    "run",
    help=_("Run what waits, most urgent first, one check at a time, inside a budget."),
)
@click.option(
    "--budget",
    default="2h",
    metavar="TIME",
    help=_("How long it may take in all: 2h, 90m. [2h]"),
)
@click.option(
    "--disk",
    default="10GB",
    metavar="SIZE",
    help=_("How much disk environments and evidence may take: 10GB. [10GB]"),
)
@click.option("--dry-run", is_flag=True, help=_("Only say what would run."))
@json_option
@pass_session
def run(session: Session, budget: str, disk: str, dry_run: bool, as_json: bool) -> int:
    """Run the queue; environments are built without asking, as far as the budget goes."""
    from reader.runner import overnight

    allowed = overnight.Budget(read_time(budget), read_size(disk))
    checks = known_checks(session)
    with session.store(starter=True) as store:
        plan = overnight.wanted(store, checks)
    if dry_run:
        _say_plan(plan, as_json)
        return 0
    began, done = datetime.now(UTC), list[overnight.Done]()

    def one(each: Wanted, options: RunOptions) -> Run:
        voice.note(f"{each.check.name} · {each.title}")
        return perform(session, each.check, each.item, ask=False, seconds=options.seconds)

    stopped = False
    for result in overnight.through(plan, allowed, run=one, clock=time.monotonic):
        done.append(result)
        overnight.keep(session.store_path, began, done, whole=False)
        if not as_json:
            voice.say(line_of(result))
    stopped = len(done) < len(plan)
    overnight.keep(session.store_path, began, done, whole=not stopped)
    if as_json:
        voice.document([asdict(each) for each in done])
    elif not plan:
        voice.note(_("Nothing waits in the queue that a check fits."))
    return 130 if stopped else 0


def _say_plan(plan: Sequence[Wanted], as_json: bool) -> None:
    if as_json:
        voice.document([{"queue": w.entry, "item": w.item, "check": w.check.name} for w in plan])
        return
    for each in plan:
        voice.say(f"{each.entry}  {each.check.name}  {each.title}")


def line_of(done: Done) -> str:
    """Return what came of one check on a line."""
    from reader.report.words import counted

    said = {
        "time": _("not run: the time left does not hold it"),
        "disk": _("not run: the disk budget does not hold its environment"),
        "failed": _("not run: {why}").format(why=done.said),
    }.get(done.why) or counted(done.verdicts)
    return f"{done.run or '–'}  {done.check}  {said}"


COMMANDS: tuple[click.Command, ...] = ()  # it belongs to the group of the queue
