"""The history: runs, run show, run diff, run history, run again."""

from __future__ import annotations

from collections import Counter
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reader.cli import voice
from reader.cli.check import known_check, known_checks
from reader.cli.options import json_option
from reader.cli.plain import wrap
from reader.cli.session import Session, pass_session
from reader.cli.surroundings import freshness
from reader.language import _, language
from reader.model import Check, Leg, Run, RunStatus, VerdictKind
from reader.report import check_of
from reader.report.difference import difference
from reader.report.record import run_document
from reader.report.words import (
    amount,
    clock,
    in_language,
    sentence,
    status_word,
    unit_of,
    verdict_word,
)

if TYPE_CHECKING:
    from reader.store import Store


@click.command(help=_("List the runs, newest first."))
@click.option("--check", help=_("Only runs of this check."))
@click.option("--item", metavar="ID", help=_("Only runs for this item."))
@json_option
@pass_session
def runs(session: Session, check: str | None, item: str | None, as_json: bool) -> None:
    """List what has been run."""
    known = known_checks(session)
    fresh = freshness(session, known)
    with session.store() as store:
        found = [fresh(each) for each in store.runs.all(check=check, item=item)]
        if as_json:
            checks = [check_of(store, each, known) for each in found]
            documents = map(run_document, found, checks, repeat(language()))
            voice.document(list(documents))
            return
    if not found:
        voice.note(_("Nothing has been run yet. See: readproof check list"))
    rows = [
        (
            each.id,
            each.started.astimezone().strftime("%Y-%m-%d %H:%M"),
            each.item or "",
            status_word(each.status),
            _counts(each),
            each.check,
        )
        for each in found
    ]
    heads = ("id", _("started"), _("item"), _("status"), _("verdicts"), _("check"))
    voice.listing(rows, heads)


def _counts(run: Run) -> str:
    found = Counter(each.verdict for each in run.verdicts)
    return " ".join(f"{voice.glyph(verdict)}{n}" for verdict, n in found.items())


@click.group(help=_("One run: show it, or tell two apart."))
def run() -> None:
    """Group the commands about one run."""


@run.command("show", help=_("Show one run whole."))
@click.argument("id", metavar="ID")
@json_option
@pass_session
def show(session: Session, id: str, as_json: bool) -> None:  # noqa: A002
    """Show a run with its verdicts, measurements and kept files."""
    with session.store() as store:
        show_run(session, store, id, as_json)


def show_run(session: Session, store: Store, identity: str, as_json: bool) -> None:
    """Print a run of the store in the words of the check that ran."""
    known = known_checks(session)
    record = freshness(session, known)(store.runs.get(identity))
    check = check_of(store, record, known)
    if as_json:
        voice.document(run_document(record, check, language()))
    else:
        print_run(record, check)


def print_run(record: Run, check: Check | None) -> None:
    """Print a run as text: one claim after another, then where the evidence lies."""
    tongue = language()
    title = in_language(check.title, tongue) if check is not None else record.check
    voice.say(voice.paint(f"{record.id}  {title}", "bold"))
    voice.say(voice.paint(f"{clock(record.started)} · {status_word(record.status)}", "dim"))
    cells = min(100, voice.columns())
    for reason in record.stale:
        voice.say(voice.paint(f"{voice.glyph('stale')} {sentence(reason, check)}", "stale"))
    for leg in record.legs:
        if len(record.legs) > 1:
            voice.say(_leg_line(leg, check))
        if leg.fault is not None:
            voice.say(f"{leg.name}: {sentence(leg.fault, check)}")
    for verdict in record.verdicts:
        claims = check.claims if check is not None else ()
        claim = next((each for each in claims if each.id == verdict.claim), None)
        word = f"{voice.glyph(verdict.verdict)} {verdict_word(verdict.verdict)}"
        text = in_language(claim.text, tongue) if claim is not None else verdict.claim
        voice.say("", f"{voice.paint(word, verdict.verdict)}  {text}")
        voice.say(*wrap(sentence(verdict.reason, check), cells, "  "))
        expected = in_language(verdict.expected, tongue)
        if expected:
            voice.say(*wrap(_("expected: {text}").format(text=expected), cells, "  "))
        measured = ", ".join(
            f"{name} {amount(value, unit_of(name, check))}"
            for name, value in verdict.measured.items()
        )
        if measured and verdict.verdict is not VerdictKind.COULD_NOT_RUN:
            voice.say(*wrap(_("measured: {text}").format(text=measured), cells, "  "))
    if record.artefacts:
        folder = str(Path(record.artefacts[0].path).parent)
        voice.say(
            "", _("Kept: {n} files in {folder}").format(n=len(record.artefacts), folder=folder)
        )


def _leg_line(leg: Leg, check: Check | None) -> str:
    """Return what one of several legs ran on: its pinned packages, its toolkit, its time."""
    sides = {side.name: side.packages for side in check.sides} if check is not None else {}
    pinned = sides[leg.name].requires if leg.name in sides else ()
    parts = [*(each.replace("==", " ") for each in pinned)]
    parts.append(f"Python {leg.environment.get('version')}")
    if leg.toolkit:
        parts.append(f"CUDA {leg.toolkit.get('release')} {leg.toolkit.get('root')}")
    return voice.paint(f"{leg.name}: {', '.join(parts)} · {leg.seconds:.1f} s", "dim")


@run.command("diff", help=_("Tell two runs apart: machine, versions, results."))
@click.argument("first", metavar="ID")
@click.argument("second", metavar="ID")
@json_option
@pass_session
def diff(session: Session, first: str, second: str, as_json: bool) -> None:
    """Name what changed from one run to another."""
    with session.store() as store:
        one, other = store.runs.get(first), store.runs.get(second)
    changes = difference(one, other)
    if as_json:
        voice.document({"first": one.id, "second": other.id, "changes": changes})
        return
    if not changes:
        voice.note(_("The two runs do not differ."))
    rows = [
        (each["part"], each["name"], amount(each["first"]), amount(each["second"]))
        for each in changes
    ]
    voice.listing(rows, (_("part"), _("what"), one.id, other.id))


@run.command("history", help=_("A check's claims over all its runs: what flipped, and why."))
@click.argument("check", metavar="CHECK")
@click.option("--claim", metavar="ID", help=_("Only this claim."))
@json_option
@pass_session
def claim_history(session: Session, check: str, claim: str | None, as_json: bool) -> None:
    """Say of each claim when its verdict became another, and what had changed by then."""
    from reader.report.history import history, history_document, history_lines

    with session.store() as store:
        runs_of_it = store.runs.all(check=check)
        known = known_checks(session)
        one = check_of(store, runs_of_it[0], known) if runs_of_it else None
    found = history(runs_of_it, claim)
    if as_json:
        voice.document(history_document(found, one, language()))
        return
    if not found:
        voice.note(_("{check} has not been run yet, or has no such claim.").format(check=check))
    for each in found:
        head, *lines = history_lines(each, one, language())
        voice.say("", *wrap(head, min(100, voice.columns()), ""))
        voice.say(*lines)


@run.command("again", help=_("Run a run's check again, for the same item, targets and parameters."))
@click.argument("id", metavar="ID")
@click.option("--yes", is_flag=True, help=_("Build its environment without asking."))
@json_option
@pass_session
def again(session: Session, id: str, yes: bool, as_json: bool) -> int:  # noqa: A002
    """Repeat a run with today's machine, versions and check."""
    from reader.cli.check import perform

    with session.store() as store:
        before = store.runs.get(id)
    one = known_check(session, before.check)
    archs, params = as_before(before, one)
    record = perform(session, one, before.item, ask=not yes, archs=archs, params=params)
    if as_json:
        voice.document(run_document(record, one, language()))
    else:
        print_run(record, one)
    return 130 if record.status in (RunStatus.CANCELLED, RunStatus.INTERRUPTED) else 0


def as_before(before: Run, check: Check) -> tuple[list[str], list[str]]:
    """Return the targets and parameters of a run where they are not the check's own."""
    legs = before.legs[:1]
    targets = [target for leg in legs for target in leg.target.split()]
    given = [pair for leg in legs for pair in leg.environment.get("parameters", {}).items()]
    archs = [] if tuple(targets) == check.archs else targets
    return archs, [f"{name}={value['value']}" for name, value in given]


@run.command("judge", help=_("Judge a run's raw results again, by today's rules."))
@click.argument("id", metavar="ID")
@json_option
@pass_session
def judge(session: Session, id: str, as_json: bool) -> None:  # noqa: A002
    """Judge again; what was judged before stays on record."""
    from reader import runner

    with session.store() as store:
        runner.judge_again(store, id)
        show_run(session, store, id, as_json)


COMMANDS = (runs, run)
