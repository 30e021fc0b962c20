"""A claim over runs: when its verdict flipped, and what it stood on had changed by then; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reader.language import _
from reader.model import Check, Leg, Reason, Run, VerdictKind
from reader.report.words import Say, in_language, sentence, verdict_word

Standing = dict[tuple[str, str], str]  # (what, which) → its value


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a verdict stands on that is not what it was: `what` says of which kind."""

    what: str  # check, judge, system, cpu, driver, gpu, python, package, tool, toolkit, …
    name: str  # which package or tool, with the leg where there are several
    before: str | None  # None: it was not there
    after: str | None


@dataclass(frozen=True, slots=True)
class Point:
    """One verdict of a claim; `changes` are those since the verdict that it is compared with."""

    run: str
    at: datetime
    verdict: VerdictKind
    reason: Reason
    flipped: bool  # against the last run that decided the claim
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Period:
    """Runs one after another that gave the same verdict; begins with `points[0]`."""

    verdict: VerdictKind
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class History:
    """All that was found about one claim, oldest first."""

    claim: str
    points: tuple[Point, ...]

    @property
    def flips(self) -> tuple[Point, ...]:
        """The points at which the verdict became another."""
        return tuple(each for each in self.points if each.flipped)

    @property
    def periods(self) -> tuple[Period, ...]:
        """The points, those of one verdict that follow one another together."""
        groups: list[list[Point]] = []
        for point in self.points:
            if not groups or groups[-1][-1].verdict is not point.verdict:
                groups.append([])
            groups[-1].append(point)
        return tuple(Period(group[0].verdict, tuple(group)) for group in groups)


def history(runs: Sequence[Run], claim: str | None = None) -> tuple[History, ...]:
    """Return the history of each claim of the runs of one check, or of one claim.

    A run that could not decide flips nothing: the next is compared with the last that did.
    """
    points: dict[str, list[Point]] = {}
    decided: dict[str, tuple[VerdictKind, Standing]] = {}
    for run in sorted(runs, key=lambda each: each.started):
        stands = standing(run)
        for verdict in run.verdicts:
            if claim not in (None, verdict.claim):
                continue
            before = decided.get(verdict.claim)
            could = verdict.verdict is not VerdictKind.COULD_NOT_RUN
            flipped = could and before is not None and before[0] is not verdict.verdict
            changes = changed(before[1], stands) if before is not None else ()
            point = Point(run.id, run.started, verdict.verdict, verdict.reason, flipped, changes)
            points.setdefault(verdict.claim, []).append(point)
            if could:
                decided[verdict.claim] = (verdict.verdict, stands)
    return tuple(History(name, tuple(each)) for name, each in points.items())


def standing(run: Run) -> Standing:
    """Return what the verdicts of a run stand on: check, judge, machine and versions."""
    machine = run.machine
    gpus = machine.get("gpus") or ()
    found: Standing = {
        ("check", ""): run.check_hash[:12],
        ("judge", ""): ", ".join(sorted({str(each.judge) for each in run.verdicts})),
        ("system", ""): str(machine.get("system") or ""),
        ("cpu", ""): str(machine.get("cpu") or ""),
        ("driver", ""): str(machine.get("driver") or ""),
        ("gpu", ""): ", ".join(str(each.get("name")) for each in gpus),
    }
    for leg in run.legs:
        found |= _of_leg(leg, "" if len(run.legs) == 1 else f"{leg.name} ")
    return {key: value for key, value in found.items() if value}


def _of_leg(leg: Leg, prefix: str) -> Standing:
    environment, toolkit = leg.environment, leg.toolkit or {}
    found: Standing = {
        ("python", prefix.strip()): str(environment.get("version") or ""),
        ("toolkit", prefix.strip()): str(toolkit.get("release") or toolkit.get("version") or ""),
        ("target", prefix.strip()): leg.target,
    }
    for name, version in _mapping(environment.get("packages")).items():
        found["package", f"{prefix}{name}"] = str(version)
    for name, tool in _mapping(environment.get("tools")).items():
        found["tool", f"{prefix}{name}"] = str(_mapping(tool).get("version") or "")
    for name, value in _mapping(environment.get("parameters")).items():
        given = _mapping(value)
        kept = str(given.get("value") or "")
        if given.get("sha256"):
            kept = f"{kept} {str(given['sha256'])[:12]}"
        found["parameter", f"{prefix}{name}"] = kept
    for name, value in _mapping(environment.get("overrides")).items():
        found["variable", f"{prefix}{name}"] = str(value)
    if environment.get("simulated"):
        found["simulated", prefix.strip()] = "1"
    return found


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def changed(before: Standing, after: Standing) -> tuple[Change, ...]:
    """Return what differs between what two runs stood on."""
    return tuple(
        Change(what, name, before.get((what, name)), after.get((what, name)))
        for what, name in dict.fromkeys([*before, *after])
        if before.get((what, name)) != after.get((what, name))
    )


def change_sentence(change: Change, _: Say = _) -> str:
    """Return a change as one reads it: the package triton: 3.8.0 → 3.9.0."""
    words = {
        "check": _("the check"),
        "judge": _("the judge's rules"),
        "system": _("the system"),
        "cpu": _("the processor"),
        "driver": _("the driver"),
        "gpu": _("the GPUs"),
        "python": _("Python"),
        "toolkit": _("the CUDA toolkit"),
        "target": _("the targets"),
        "package": _("the package"),
        "tool": _("the tool"),
        "parameter": _("the parameter"),
        "variable": _("the variable"),
        "simulated": _("simulated results"),
    }
    what = f"{words.get(change.what, change.what)} {change.name}".strip()
    before, after = change.before or _("none"), change.after or _("none")
    return f"{what}: {before} → {after}"


def changes_sentence(point: Point, _: Say = _) -> str:
    """Return what had changed when a verdict flipped; that nothing had is worth a sentence."""
    if not point.changes:
        return _("nothing on record had changed: look for noise, or for what the check leaves open")
    return "; ".join(change_sentence(each, _) for each in point.changes)


def history_document(
    found: Sequence[History], check: Check | None, tongue: str
) -> list[dict[str, Any]]:
    """Return histories as the command line's JSON has them."""
    texts = {each.id: in_language(each.text, tongue) for each in check.claims} if check else {}
    return [
        {
            "claim": each.claim,
            "text": texts.get(each.claim),
            "flips": len(each.flips),
            "points": [
                {
                    "run": point.run,
                    "at": point.at.isoformat(),
                    "verdict": point.verdict.value,
                    "reason": sentence(point.reason, check, tongue),
                    "flipped": point.flipped,
                    "changes": [
                        {"what": c.what, "name": c.name, "before": c.before, "after": c.after}
                        for c in point.changes
                    ],
                }
                for point in each.points
            ],
        }
        for each in found
    ]


def history_lines(found: History, check: Check | None, tongue: str) -> list[str]:
    """Return a claim's history as lines: one a period, under it what had changed at a flip."""
    texts = {each.id: in_language(each.text, tongue) for each in check.claims} if check else {}
    lines = [texts.get(found.claim, found.claim)]
    for period in found.periods:
        first, last = period.points[0], period.points[-1]
        days = dict.fromkeys(each.at.astimezone().strftime("%Y-%m-%d") for each in (first, last))
        runs = dict.fromkeys((first.run, last.run))
        word = verdict_word(period.verdict)
        lines.append(f"  {word}  {' … '.join(days)}  {' … '.join(runs)} ({len(period.points)})")
        if first.flipped:
            lines.append(f"    {changes_sentence(first)}")
    return lines
