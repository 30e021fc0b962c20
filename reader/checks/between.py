"""Times that two legs took, each in its own process → how often the one goes into the other; pure.

Two versions of a package cannot race in one process. So each leg times its own beside a measure of
the moment (work that is the same in both), and hands over the quotients, one for each round. What
is made of them stands beside the measurements as `NAME_ratio`, `NAME_low` and `NAME_high`: the
first leg's over the second's.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, TypeGuard

from reader.checks.timing import CONFIDENCE, LEAST_ROUNDS, RESAMPLES
from reader.model import Leg


def ratios(legs: Sequence[Leg]) -> dict[str, float]:
    """Return ratio and interval of all times that exactly two legs handed over by one name."""
    if len(legs) != 2:
        return {}
    first, second = map(_samples, legs)
    found: dict[str, float] = {}
    for name in first.keys() & second.keys():
        ratio, low, high = ratio_of(first[name], second[name])
        found |= {f"{name}_ratio": ratio, f"{name}_low": low, f"{name}_high": high}
    return found


def ratio_of(
    over: Sequence[float], under: Sequence[float], *, seed: int = 0
) -> tuple[float, float, float]:
    """Return the ratio of medians and its bootstrap interval, from blocks of rounds of either."""
    dice = random.Random(seed)  # noqa: S311 — resampling, no secrets
    drawn = sorted(
        median(_drawn(over, dice)) / median(_drawn(under, dice)) for _draw in range(RESAMPLES)
    )
    cut = int((1 - CONFIDENCE) / 2 * len(drawn))
    value = median(over) / median(under)
    return round(value, 3), round(drawn[cut], 3), round(drawn[-1 - cut], 3)


def _drawn(times: Sequence[float], dice: random.Random) -> list[float]:
    n = len(times)
    block = max(1, round(n ** (1 / 3)))
    starts = dice.choices(range(n), k=math.ceil(n / block))
    return [times[(start + step) % n] for start in starts for step in range(block)][:n]


def _samples(leg: Leg) -> Mapping[str, list[float]]:
    """Return a leg's times by name; too few of them tell nothing, and odd ones are none."""
    found = {}
    for case in leg.cases:
        name, times = case.get("name"), case.get("samples")
        if case.get("beside") is True and isinstance(name, str) and _are_times(times):
            found[name] = [float(each) for each in times]
    return found


def _are_times(times: Any) -> TypeGuard[list[float]]:
    return (
        isinstance(times, list)
        and len(times) >= LEAST_ROUNDS
        and all(isinstance(each, (int, float)) and 0 < each < math.inf for each in times)
    )
