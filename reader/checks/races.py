"""The times of a race, as a leg keeps them → ratio, interval, noise, and what that says; pure.

A race is a case of a leg with three equally long lists of times: baseline, the baseline again
(the A/A control), candidate. What is made of it stands beside the measurements as `race_ratio`,
`race_low`, `race_high`, `race_noise` and so on, so that conditions and sentences may name it;
that of a race of the control's stands under the race's own name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reader.checks.timing import CONFIDENCE, LEAST_ROUNDS, Comparison, Said, compare
from reader.model import Claim, Leg, Race, Reason, VerdictKind

CONTROL = "control"  # the claim that the control's races are recorded under
VALUES = ("ratio", "low", "high", "noise", "rounds", "warm_up", "outliers", "needed", "apart")
OF_A_CLAIM = (*(f"race_{each}" for each in VALUES), "race_name")
SHOWN = ("race_name", *(f"race_{each}" for each in VALUES[:-1]))  # beside the verdict
_ARMS = ("candidate", "baseline", "again")
# A GPU that ran too hot or was braked by its power supply was not the machine it is
# (NVML: hardware slowdown, software thermal, hardware thermal, power brake).
_BRAKED = 0x08 | 0x20 | 0x40 | 0x80
MOST_BLOCK = 1_000  # rounds that belong together
MOST_NEEDED = 1_000_000  # rounds; beyond, none would settle it in practice


@dataclass(frozen=True, slots=True)
class Raced:
    """One race: what its times say, and for a claim what follows."""

    name: str
    comparison: Comparison
    verdict: VerdictKind = VerdictKind.INCONCLUSIVE
    needed: int | None = None  # rounds that would settle it
    braked: bool = False

    def values(self, prefix: str, threshold: float) -> dict[str, Any]:
        """Return its numbers by name."""
        found = self.comparison
        values: dict[str, Any] = {
            "ratio": found.ratio,
            "low": found.low,
            "high": found.high,
            "noise": found.noise,
            "rounds": found.rounds,
            "warm_up": found.warm_up,
            "outliers": len(found.outliers),
            "needed": self.needed,
            "apart": int(found.says(threshold) in (Said.FASTER, Said.SLOWER)),
        }
        return {f"{prefix}_{name}": value for name, value in values.items() if value is not None}


def races(claim: str, leg: Leg) -> list[Mapping[str, Any]]:
    """Return the claim's cases that are races, whole ones only."""
    return [
        case
        for case in leg.cases
        if case.get("claim") == claim
        and case.get("race") is True
        and all(isinstance(case.get(arm), list) for arm in _ARMS)
    ]


def of_claim(claim: Claim, leg: Leg) -> Raced | None:
    """Return the race that decides the claim in this leg, None where none was run.

    Of several any that refutes does, else any that is open; each is asked the more surely the
    more there are, so that together they are wrong as seldom as one.
    """
    if claim.race is None:
        return None
    rows = races(claim.id, leg)
    found = [one for row in rows if (one := _decided(row, claim.race, len(rows))) is not None]
    if not found or len(found) < len(rows):
        return None
    order = (VerdictKind.REFUTED, VerdictKind.INCONCLUSIVE, VerdictKind.CONFIRMED)
    return min(found, key=lambda one: (order.index(one.verdict), -one.comparison.ratio))


def measured(claim: Claim, leg: Leg) -> dict[str, Any]:
    """Return a leg's measurements with those of the claim's race beside them."""
    raced = of_claim(claim, leg)
    if raced is None or claim.race is None:
        return dict(leg.measured)
    values = raced.values("race", claim.race.threshold)
    if raced.name != "race":
        values["race_name"] = raced.name
    return leg.measured | values


def of_control(leg: Leg, threshold: float) -> dict[str, Any]:
    """Return the numbers of the control's races by their names."""
    values: dict[str, Any] = {}
    for row in races(CONTROL, leg):
        compared = _compared(row, 1)
        name = str(row.get("name"))
        if compared is not None and name.isidentifier():
            values |= Raced(name, compared).values(name, threshold)
    return values


def reason(raced: Raced) -> Reason:
    """Return what a race that decides by itself says, in numbers."""
    codes = {VerdictKind.CONFIRMED: "race_confirmed", VerdictKind.REFUTED: "race_refuted"}
    code = codes.get(raced.verdict, "race_open" if raced.needed else "race_too_noisy")
    found = raced.comparison
    numbers = (
        ("ratio", round(found.ratio, 4)),
        ("low", round(found.low, 4)),
        ("high", round(found.high, 4)),
        ("noise", f"{100 * math.expm1(found.noise):.2g}"),
        ("rounds", found.rounds),
        ("needed", raced.needed),
    )
    return Reason("race_braked" if raced.braked else code, numbers)


def _decided(row: Mapping[str, Any], race: Race, among: int) -> Raced | None:
    compared = _compared(row, among)
    if compared is None:
        return None
    braked = any(_braked(row.get(when)) for when in ("before", "after"))
    verdict, needed = decide(compared, race)
    if braked:
        verdict, needed = VerdictKind.INCONCLUSIVE, None
    return Raced(str(row.get("name")), compared, verdict, needed, braked)


def _compared(row: Mapping[str, Any], among: int) -> Comparison | None:
    block = row.get("block")
    block = block if type(block) is int and 0 < block <= MOST_BLOCK else None
    sure = 1 - (1 - CONFIDENCE) / among
    try:
        return compare(*(row[arm] for arm in _ARMS), confidence=sure, block=block)
    except (ValueError, TypeError, KeyError):
        return None  # what a script hands over may be anything


def decide(found: Comparison, race: Race) -> tuple[VerdictKind, int | None]:
    """Return the verdict, and for one that is open the rounds that would settle it."""
    if race.expects == "slower":
        turned = replace(
            found,
            ratio=1 / found.ratio,
            low=1 / found.high,
            high=1 / found.low,
            noise_low=1 / found.noise_high,
            noise_high=1 / found.noise_low,
        )
        return decide(turned, replace(race, expects="faster"))
    said = found.says(race.threshold)
    if race.expects in ("same", "different"):
        apart = said in (Said.FASTER, Said.SLOWER)
        won = apart is (race.expects == "different")
        verdict = VerdictKind.CONFIRMED if won else VerdictKind.REFUTED
        if said is Said.UNSETTLED:
            verdict = VerdictKind.INCONCLUSIVE
    else:
        verdict = _faster(found, said, race)
    if verdict is not VerdictKind.INCONCLUSIVE:
        return verdict, None
    return verdict, _needed(found, race)


def _faster(found: Comparison, said: Said, race: Race) -> VerdictKind:
    if said in (Said.SLOWER, Said.SAME):
        return VerdictKind.REFUTED
    if race.by == 1.0 or found.rounds < LEAST_ROUNDS:
        return VerdictKind.CONFIRMED if said is Said.FASTER else VerdictKind.INCONCLUSIVE
    # As fast as claimed, but for what makes no difference in practice.
    edge = race.threshold - math.log(race.by)
    if math.log(found.low) - found.noise > edge:
        return VerdictKind.REFUTED
    if said is Said.FASTER and math.log(found.high) + found.noise < edge:
        return VerdictKind.CONFIRMED
    return VerdictKind.INCONCLUSIVE


def _needed(found: Comparison, race: Race) -> int | None:
    if race.by == 1.0:
        needed = found.rounds_needed(race.threshold)
    else:
        room = abs(math.log(found.ratio) + math.log(race.by) - race.threshold)
        half = (math.log(found.high) - math.log(found.low)) / 2
        needed = math.ceil(found.rounds * ((half + found.noise) / room) ** 2) if room else None
    if needed is None or needed > MOST_NEEDED:
        return None
    return max(needed, found.rounds + 1)


def _braked(state: Any) -> bool:
    gpus = state.get("gpus") if isinstance(state, dict) else None
    for gpu in gpus if isinstance(gpus, list) else ():
        try:
            if int(str(gpu["throttle"]), 16) & _BRAKED:
                return True
        except (KeyError, TypeError, ValueError):
            continue
    return False


def names(stems: Sequence[str]) -> tuple[str, ...]:
    """Return the names under which the control's races may be asked for."""
    return tuple(f"{stem}_{value}" for stem in stems for value in VALUES)
