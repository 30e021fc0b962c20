"""Raw results → verdicts, and machine → what can be shown here; pure: no clock, no files.

The order in which a claim is decided, first match wins:
no usable result → could_not_run · the negative control misbehaved → inconclusive ·
`applies` does not hold → not_applicable · an obstacle → could_not_run ·
the control was not run to its end → inconclusive · a measurement is missing → could_not_run ·
any `refute` holds → refuted · the claim's race is lost → refuted · all `confirm` hold and the race
is won → confirmed · else inconclusive.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from packaging.version import InvalidVersion, Version

from reader.checks import between, conditions, races
from reader.checks.conditions import Condition, Mismatch, Missing
from reader.checks.races import Raced
from reader.model import (
    Check,
    Claim,
    Leg,
    Machine,
    Needs,
    Preflight,
    Reason,
    Toolkit,
    Verdict,
    VerdictKind,
)

JUDGE_VERSION = 1

Decision = tuple[VerdictKind, Reason]

# A program of this name on PATH may belong to a toolkit that does not work.
_TOOLKIT_ONLY = ("nvcc", "ptxas", "nvlink", "fatbinary")

# With several legs the first of these that any leg gives is the claim's.
_STRONGEST = (
    VerdictKind.REFUTED,
    VerdictKind.INCONCLUSIVE,
    VerdictKind.CONFIRMED,
    VerdictKind.COULD_NOT_RUN,
    VerdictKind.NOT_APPLICABLE,
)


def judge(check: Check, legs: Sequence[Leg]) -> tuple[Verdict, ...]:
    """Return one verdict for each claim of the check, in the manifest's order."""
    beside = between.ratios(legs)
    return tuple(_verdict(check, claim, legs, beside) for claim in check.claims)


def _verdict(check: Check, claim: Claim, legs: Sequence[Leg], beside: dict[str, float]) -> Verdict:
    legs = [replace(leg, measured=races.measured(claim, leg)) for leg in legs]
    measured = _together(legs) | beside
    kind, reason, values = _over_legs(check, claim, legs, measured)
    wanted = _shown(claim)
    shown = {n: v for n, v in measured.items() if conditions.measurement(n) in wanted}
    params = {n: v for n, v in values.items() if conditions.measurement(n) in wanted}
    params.update(reason.params)
    return Verdict(
        claim=claim.id,
        kind=claim.kind,
        verdict=kind,
        reason=Reason(reason.code, (("claim", claim.id), *params.items())),
        measured=shown,
        expected=claim.expected,
        judge=JUDGE_VERSION,
    )


def _together(legs: Sequence[Leg]) -> dict[str, Any]:
    """Return one leg's measurements by name, several legs' by `leg.name`."""
    if len(legs) == 1:
        return dict(legs[0].measured)
    return {f"{leg.name}.{name}": value for leg in legs for name, value in leg.measured.items()}


def _over_legs(
    check: Check, claim: Claim, legs: Sequence[Leg], together: dict[str, Any]
) -> tuple[VerdictKind, Reason, Mapping[str, Any]]:
    """Judge all legs at once where conditions compare them, else each, and the strongest wins."""
    if not legs:
        return VerdictKind.COULD_NOT_RUN, Reason("no_leg"), {}
    if len(legs) == 1:
        return *_decide(check, claim, legs[0], together), together
    texts = (*claim.applies, *claim.confirm, *claim.refute)
    if any(conditions.parse(text).qualified for text in texts):
        named = {n.rsplit(".", 1)[0] for t in texts for n in conditions.parse(t).names if "." in n}
        for leg in [each for each in legs if each.name in named]:
            early = _before_measuring(check, claim, leg, together)
            if early is not None:
                return early[0], _of_leg(early[1], leg), together
        return *_measured(claim, None, together), together
    decided = [(leg, *_decide(check, claim, leg, leg.measured)) for leg in legs]
    leg, kind, reason = min(decided, key=lambda each: _STRONGEST.index(each[1]))
    others = [[each[0].name, each[1].value] for each in decided if each[0] is not leg]
    told = Reason(reason.code, (*reason.params, ("other_legs", others)))
    return kind, _of_leg(told, leg), leg.measured


def _of_leg(reason: Reason, leg: Leg) -> Reason:
    return Reason(reason.code, (*reason.params, ("leg", leg.name)))


def _decide(check: Check, claim: Claim, leg: Leg, measured: Mapping[str, Any]) -> Decision:
    early = _before_measuring(check, claim, leg, measured)
    return early if early is not None else _measured(claim, races.of_claim(claim, leg), measured)


def _before_measuring(
    check: Check, claim: Claim, leg: Leg, measured: Mapping[str, Any]
) -> Decision | None:
    """Return what keeps a claim from being decided by its measurements."""
    if leg.fault is not None:
        return VerdictKind.COULD_NOT_RUN, leg.fault
    control, broken = _control(check, leg)
    if broken is not None:
        return VerdictKind.INCONCLUSIVE, broken
    for text in claim.applies:
        condition = conditions.parse(text)
        if all(measured.get(name) is not None for name in condition.names) and not _holds(
            condition, measured
        ):
            return VerdictKind.NOT_APPLICABLE, _because("not_applicable", condition)
    obstacle = leg.obstacles.get(claim.id)
    if obstacle is not None:
        return VerdictKind.COULD_NOT_RUN, Reason(
            str(obstacle["code"]), tuple(obstacle.get("params", {}).items())
        )
    return None if control is None else (VerdictKind.INCONCLUSIVE, control)


def _control(check: Check, leg: Leg) -> tuple[Reason | None, Reason | None]:
    """Return (why the control says nothing, why it says that the check is broken)."""
    missing = None
    measured = leg.measured | races.of_control(leg, check.control_threshold)
    for text in check.control:
        condition = conditions.parse(text)
        try:
            if not conditions.holds(condition, measured):
                return None, _because("control_failed", condition, measured)
        except (Missing, Mismatch) as error:
            missing = missing or Reason("control_missing", (("measurement", str(error)),))
    if missing is None and (not leg.control_done or not check.control):
        missing = Reason("control_missing", (("measurement", ""),))
    return missing, None


def _measured(claim: Claim, raced: Raced | None, measured: Mapping[str, Any]) -> Decision:
    if claim.race is not None and raced is None:
        return VerdictKind.COULD_NOT_RUN, Reason(
            "measurement_missing", (("measurement", "race_ratio"),)
        )
    try:
        refuting = [c for c in _parsed(claim.refute) if conditions.holds(c, measured)]
        failing = [c for c in _parsed(claim.confirm) if not conditions.holds(c, measured)]
        for condition in _parsed(claim.applies):
            conditions.holds(condition, measured)  # only whether it can be told
    except Missing as error:
        return VerdictKind.COULD_NOT_RUN, Reason(
            "measurement_missing", (("measurement", str(error)),)
        )
    except Mismatch as error:
        return VerdictKind.COULD_NOT_RUN, Reason(
            "measurement_mismatch", (("measurement", str(error)),)
        )
    if refuting:
        return VerdictKind.REFUTED, _because("refuted", refuting[0], measured)
    if raced is not None and raced.verdict is VerdictKind.REFUTED:
        return VerdictKind.REFUTED, races.reason(raced)
    if failing:
        return VerdictKind.INCONCLUSIVE, _because("undecided", failing[0], measured)
    if raced is not None:
        return raced.verdict, races.reason(raced)
    return VerdictKind.CONFIRMED, Reason("confirmed", (("condition", ", ".join(claim.confirm)),))


def _parsed(texts: Sequence[str]) -> list[Condition]:
    return [conditions.parse(text) for text in texts]


def _holds(condition: Condition, measured: Mapping[str, Any]) -> bool:
    try:
        return conditions.holds(condition, measured)
    except Mismatch:
        return True  # decided later, as a mismatch


def _because(code: str, condition: Condition, measured: Mapping[str, Any] | None = None) -> Reason:
    values = tuple((n, (measured or {})[n]) for n in condition.names if n in (measured or {}))
    return Reason(code, (("condition", str(condition)), *values))


def _shown(claim: Claim) -> set[str]:
    """Return the names of what stands beside the verdict: shown, and what decided it."""
    names = set(claim.shows) | (set(races.SHOWN) if claim.race is not None else set())
    for text in (*claim.applies, *claim.confirm, *claim.refute):
        names.update(conditions.measurement(name) for name in conditions.parse(text).names)
    for _kind, text_pair in claim.because:
        braced = _braced(text_pair.en) | _braced(text_pair.zh)
        names.update(conditions.measurement(name) for name in braced)
    return names


def _braced(template: str) -> set[str]:
    return {name for _t, name, _s, _c in string.Formatter().parse(template) if name}


def preflight(
    check: Check, machine: Machine, toolkits: Sequence[Toolkit], tools: Sequence[str] = ()
) -> tuple[Preflight, ...]:
    """Say per claim whether it can be shown here, and if not what is missing.

    `tools` are names of programs known to stand on PATH, beside those of the toolkits.
    """
    return tuple(
        Preflight(claim.id, why is None, why)
        for claim in check.claims
        for why in [unmet(claim.needs, machine, toolkits, tools)]
    )


def unmet(
    needs: Needs, machine: Machine, toolkits: Sequence[Toolkit], tools: Sequence[str] = ()
) -> Reason | None:
    """Return the first need that this machine does not meet."""
    if needs.gpus > len(machine.gpus):
        why = machine.no_gpu_reason or ""
        return Reason(
            "gpu_missing", (("needed", needs.gpus), ("found", len(machine.gpus)), ("why", why))
        )
    if needs.compute_capability:
        able = [
            g for g in machine.gpus if _at_least(g.compute_capability, needs.compute_capability)
        ]
        if len(able) < max(1, needs.gpus):
            found = ", ".join(g.compute_capability for g in machine.gpus)
            return Reason(
                "capability_missing", (("needed", needs.compute_capability), ("found", found))
            )
    fitting = toolkits
    if needs.toolkit is not None:
        fitting = [t for t in toolkits if _at_least(t.version, needs.toolkit or "0")]
        if not fitting:
            found = ", ".join(t.version for t in toolkits)
            return Reason("toolkit_missing", (("needed", needs.toolkit), ("found", found)))
    for tool in needs.tools:
        on_path = tool in tools and tool not in _TOOLKIT_ONLY
        if not on_path and not any(tool in dict(t.tools) for t in fitting):
            return Reason("tool_missing", (("tool", tool),))
    return None


def _at_least(found: str, needed: str) -> bool:
    try:
        return Version(found) >= Version(needed)
    except InvalidVersion:
        return False
