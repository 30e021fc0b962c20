"""Report → Page: every sentence and number as it will stand, before any markup."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from reader.model import Artefact, Claim, Leg, Needs, Run, VerdictKind
from reader.report.fingerprint import Fact, facts, fingerprint
from reader.report.gather import Finding, Recorded, Report, Subject
from reader.report.history import History, history
from reader.report.plots import Intervals, Resources, intervals, resources
from reader.report.words import (
    Say,
    amount,
    clock,
    in_language,
    kind_word,
    lasted,
    sentence,
    speaker,
    state_word,
    status_word,
    unit_of,
    verdict_word,
)

MAX_ROWS, MAX_COLUMNS, MAX_LIST = 60, 10, 6


@dataclass(frozen=True, slots=True)
class Grid:
    """The raw rows behind a claim; `left_out` of them are not shown."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class ClaimPart:
    """One claim and what this machine says of it."""

    verdict: VerdictKind
    word: str
    kind: str
    title: str
    reason: str
    method: str
    expected: str
    numbers: tuple[tuple[str, str], ...]  # name, value with its unit
    cases: Grid | None
    run: str
    never_on_gpu: bool
    stale: bool
    elsewhere: tuple[str, str] | None  # what a machine needs, and the command to type there
    intervals: Intervals | None = None
    resources: Resources | None = None
    history: History | None = None  # where several runs of it speak of the claim


@dataclass(frozen=True, slots=True)
class RunPart:
    """One run: its fingerprint, how to repeat it, and what it kept."""

    id: str
    title: str
    when: str
    status: str
    fingerprint: str
    facts: tuple[Fact, ...]
    control: str
    stale: tuple[str, ...]
    notices: tuple[str, ...]
    repeat: str
    ran: tuple[str, ...]
    artefacts: tuple[Artefact, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One story, or one check run by itself."""

    title: str
    url: str | None
    about: tuple[str, ...]
    claims: tuple[ClaimPart, ...]
    runs: tuple[RunPart, ...]
    empty: str


@dataclass(frozen=True, slots=True)
class Page:
    """A whole report in one language."""

    language: str
    title: str
    made: str
    counts: tuple[tuple[VerdictKind, str, int], ...]
    parts: tuple[Part, ...]
    empty: str


def page(report: Report, tongue: str) -> Page:
    """Return what a report says in a language."""
    _ = speaker(tongue)
    parts = tuple(_part(each, tongue, _) for each in report.subjects)
    titles = {
        "run": _("Verification report"),
        "item": _("Verification report"),
        "queue": _("Verification report: the queue"),
    }
    found = Counter(claim.verdict for part in parts for claim in part.claims)
    return Page(
        language=tongue,
        title=titles[report.scope],
        made=clock(report.made),
        counts=tuple((v, verdict_word(v, _), found[v]) for v in VerdictKind if found[v]),
        parts=parts,
        empty="" if parts else _("The queue is empty."),
    )


def _part(subject: Subject, tongue: str, _: Say) -> Part:
    story, queue = subject.story, subject.queue
    about = [story.id if story is not None else ""]
    if queue is not None:
        about += [
            state_word(queue.state, stale=queue.stale, _=_),
            _("due {day}").format(day=queue.due.isoformat()) if queue.due else "",
            " ".join(f"#{each}" for each in queue.tags),
            queue.note or "",
        ]
    first = subject.runs[0] if subject.runs else None
    return Part(
        title=story.title if story is not None else _check_title(first, tongue),
        url=story.url if story is not None else None,
        about=tuple(each for each in about if each),
        claims=tuple(_claim(each, subject, tongue, _) for each in subject.findings),
        runs=tuple(_run(each, tongue, _) for each in subject.runs),
        empty=_nothing(subject, _),
    )


def _nothing(subject: Subject, _: Say) -> str:
    if subject.findings:
        return ""
    if not subject.runs:
        return _("Nothing has been run for it yet.")
    return _("No run of it came to a verdict.")


def _check_title(recorded: Recorded | None, tongue: str) -> str:
    if recorded is None:
        return ""
    check = recorded.check
    return in_language(check.title, tongue) if check is not None else recorded.run.check


def _claim(finding: Finding, subject: Subject, tongue: str, _: Say) -> ClaimPart:
    verdict, recorded, claim = finding.verdict, finding.recorded, finding.claim
    return ClaimPart(
        verdict=verdict.verdict,
        word=verdict_word(verdict.verdict, _),
        kind=kind_word(verdict.kind, tongue),
        title=in_language(claim.text, tongue) if claim is not None else verdict.claim,
        reason=sentence(verdict.reason, recorded.check, tongue),
        method=in_language(claim.method, tongue) if claim is not None else "",
        expected=in_language(verdict.expected, tongue),
        numbers=tuple(
            (name, amount(value, unit_of(name, recorded.check), tongue))
            for name, value in verdict.measured.items()
            if verdict.verdict is not VerdictKind.COULD_NOT_RUN
        ),
        cases=_cases(recorded.run.legs, verdict.claim, tongue),
        run=recorded.run.id,
        never_on_gpu=claim is not None and claim.never_on_gpu,
        stale=bool(recorded.run.stale),
        elsewhere=_elsewhere(recorded.run, claim, _)
        if verdict.verdict is VerdictKind.COULD_NOT_RUN
        else None,
        intervals=intervals(recorded.run, verdict),
        resources=resources(recorded.run, verdict.claim),
        history=_history(finding, subject),
    )


def _history(finding: Finding, subject: Subject) -> History | None:
    check = finding.recorded.run.check
    runs = [each.run for each in subject.runs if each.run.check == check]
    found = history(runs, finding.verdict.claim) if len(runs) > 1 else ()
    return found[0] if found and len(found[0].points) > 1 else None


def _cases(legs: Sequence[Leg], claim: str, tongue: str) -> Grid | None:
    rows: list[dict[str, Any]] = []
    for leg in legs:
        for case in leg.cases:
            if case.get("claim") == claim:
                values = {name: value for name, value in case.items() if name != "claim"}
                rows.append({"leg": leg.name, **values} if len(legs) > 1 else values)
    if not rows:
        return None
    heads = tuple(dict.fromkeys(str(name) for row in rows for name in row))[:MAX_COLUMNS]
    shown = rows[:MAX_ROWS]
    return Grid(
        heads=heads,
        rows=tuple(tuple(_cell(row.get(head), tongue) for head in heads) for row in shown),
        left_out=len(rows) - len(shown),
    )


def _cell(value: Any, tongue: str) -> str:
    """Return a value of a row; of many numbers their middle, what they lie between, how many."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_cell(each, tongue)}" for name, each in value.items())
    many = isinstance(value, list) and len(value) > MAX_LIST
    if many and all(isinstance(each, int | float) for each in value):
        middle, least, most = (
            amount(float(f"{each:.4g}"), "", tongue)
            for each in (median(value), min(value), max(value))
        )
        return f"{middle} [{least}, {most}] × {len(value)}"
    return amount(value, "", tongue)


def _elsewhere(run: Run, claim: Claim | None, _: Say) -> tuple[str, str]:
    needs = needs_text(claim.needs, _) if claim is not None else ""
    return needs, command(run, here=False)


def needs_text(needs: Needs, _: Say) -> str:
    """Return what a claim needs of a machine in one phrase; empty for nothing special."""
    said = []
    if needs.gpus:
        gpu = _("{n} NVIDIA GPUs") if needs.gpus > 1 else _("an NVIDIA GPU")
        said.append(gpu.format(n=needs.gpus))
    if needs.compute_capability:
        said.append(_("compute capability ≥ {cc}").format(cc=needs.compute_capability))
    if needs.toolkit is not None:
        said.append(
            _("CUDA ≥ {version}").format(version=needs.toolkit)
            if needs.toolkit
            else _("a CUDA toolkit")
        )
    said += needs.tools
    return ", ".join(said)


def command(run: Run, *, here: bool) -> str:
    """Return the command that runs it again; `here` with this machine's ids and paths."""
    words = ["readproof", "check", "run", run.check]
    if here and run.item:
        words += ["--item", run.item]
    for target in dict.fromkeys(each for leg in run.legs for each in _targets(leg)):
        words += ["--arch", target]
    roots = dict.fromkeys(str(each) for each in (_root(leg) for leg in run.legs) if each)
    for root in roots if here else ():
        words += ["--cuda", root]
    return " ".join(shlex.quote(each) for each in words)


def _targets(leg: Leg) -> Iterable[str]:
    return [each for each in leg.target.replace(",", " ").split() if each.startswith("sm_")]


def _root(leg: Leg) -> Any:
    return leg.toolkit.get("root") if leg.toolkit else None


def _run(recorded: Recorded, tongue: str, _: Say) -> RunPart:
    run, check = recorded.run, recorded.check
    when = clock(run.started)
    if run.finished is not None:
        when += " · " + lasted((run.finished - run.started).total_seconds(), _)
    return RunPart(
        id=run.id,
        title=_check_title(recorded, tongue),
        when=when,
        status=status_word(run.status, _),
        fingerprint=fingerprint(run),
        facts=facts(run, _),
        control=in_language(check.control_text, tongue) if check is not None else "",
        stale=tuple(sentence(each, check, tongue) for each in run.stale),
        notices=tuple(each for leg in run.legs for each in _notices(leg, recorded, tongue, _)),
        repeat=command(run, here=True),
        ran=tuple(each for leg in run.legs for each in _ran(leg)),
        artefacts=run.artefacts,
    )


def _notices(leg: Leg, recorded: Recorded, tongue: str, _: Say) -> Iterator[str]:
    if leg.environment.get("simulated"):
        yield _("The GPU's part was given, not measured: a test of the check itself.")
    if leg.fault is not None:
        yield f"{leg.name}: {sentence(leg.fault, recorded.check, tongue)}"
    yield from (str(each) for each in leg.environment.get("notices") or ())


def _ran(leg: Leg) -> Iterator[str]:
    """Yield the leg's own command, then what its script started."""
    started = leg.environment.get("commands") or ()
    commands = [leg.command, *(each.get("argv") or () for each in started)]
    for words in commands:
        if words:
            yield " ".join(shlex.quote(str(word)) for word in words)
