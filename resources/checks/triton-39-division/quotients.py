"""Quotients to divide, and how far a result is off, in units of its last place; pure."""

from __future__ import annotations

import math
import random
from array import array
from typing import Any

LEAST, MOST = -126, 126  # exponents of the denominators for which the bound is promised
N = 16384


def operands(seed: int, n: int = N) -> tuple[array[Any], array[Any]]:
    """Return numerators and denominators over all exponents; each quotient is a normal number."""
    rng = random.Random(seed)  # noqa: S311 — inputs, no secrets
    over, under = array("f"), array("f")
    while len(over) < n:
        low = rng.randint(LEAST, MOST)
        # The ends of the range belong to it, and are where it would break.
        y = math.ldexp(rng.choice((1.0, rng.uniform(1, 2))), low)
        x = math.ldexp(rng.uniform(1, 2), rng.randint(max(-126, low - 120), min(126, low + 120)))
        pair = array("f", (rng.choice((-1, 1)) * x, min(y, 2.0**MOST)))
        over.append(pair[0])
        under.append(pair[1])
    return over, under


def ulps(got: float, over: float, under: float) -> float:
    """Return how far `got` is from over/under, in units in the last place of float32."""
    if not math.isfinite(got):
        return math.inf
    exact = over / under  # in float64: 2⁻²⁹ of such a unit at most off
    return abs(got - exact) / math.ldexp(1.0, max(math.frexp(exact)[1] - 24, -149))


def worst(results: array[Any], over: array[Any], under: array[Any]) -> float:
    """Return the largest error of all, in units in the last place."""
    return max(ulps(*each) for each in zip(results, over, under, strict=True))
