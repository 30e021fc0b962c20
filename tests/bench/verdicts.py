"""Bench of verdicts on times: how often they are wrong, and how often a planted 5 % is found.

    python -m tests.bench.verdicts [DRAWS] [RUNS]

Draws from recorded A/A runs, then real A/A runs on this machine now; prints each share with its
95 % interval (Clopper and Pearson's, exact).
"""

from __future__ import annotations

import hashlib
import math
import random
import sys
import time
from collections import Counter

from reader.checks.timing import Said, compare, least
from tests.timings import Run, planted, recorded, resampled

THRESHOLD = 0.02
ROUNDS, REPEATS = 40, 5
WRONG = (Said.FASTER, Said.SLOWER)


def work() -> int:
    """Something that takes a millisecond or two."""
    block, found = b"x" * 65_536, 0
    for _each in range(12):
        found ^= hashlib.sha1(block, usedforsecurity=False).digest()[0]
    return found + sum(each * each for each in range(4_000))


def measured(dice: random.Random) -> Run:
    """Time it against itself, now."""
    arms: list[list[list[float]]] = [[], [], []]
    for _round in range(ROUNDS):
        order = [0, 1, 2] * REPEATS
        dice.shuffle(order)
        for arm in arms:
            arm.append([])
        for which in order:
            begun = time.perf_counter()
            work()
            arms[which][-1].append(time.perf_counter() - begun)
    return [least(arm) for arm in arms]


def limits(hits: int, of: int) -> tuple[float, float]:
    """Return the exact 95 % interval of a share."""

    def at_most(p: float, most: int) -> float:
        """The chance of no more than so many hits, each as likely as p."""
        logs = (
            math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1)
            + k * math.log(p) + (of - k) * math.log1p(-p)
            for k in range(most + 1)
        )  # fmt: skip
        return sum(map(math.exp, logs))

    def where(most: int, chance: float) -> float:
        low, high = 1e-12, 1 - 1e-12
        for _step in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if at_most(middle, most) > chance else (low, middle)
        return high

    return where(hits - 1, 0.975) if hits else 0.0, where(hits, 0.025) if hits < of else 1.0


def told(name: str, said: list[Said], counted: tuple[Said, ...]) -> None:
    """Print one line."""
    hits, by = sum(each in counted for each in said), Counter(each.value for each in said)
    low, high = limits(hits, len(said))
    share = f"{hits}/{len(said)} = {hits / len(said):.2%} ({low:.2%} to {high:.2%})"
    print(f"{name:40}{share:42}{dict(by)}")


def main() -> None:
    """Print the table."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    real = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    dice, runs = random.Random(7), recorded()
    drawn = [resampled(runs, dice) for _draw in range(draws)]
    same = [compare(*run, seed=n).says(THRESHOLD) for n, run in enumerate(drawn)]
    told("A/A, drawn from recorded runs: wrong", same, WRONG)
    slow = [compare(*planted(run, 1.05), seed=n).says(THRESHOLD) for n, run in enumerate(drawn)]
    told("planted +5 %, drawn: found", slow, (Said.SLOWER,))
    told("planted +5 %, drawn: wrong", slow, (Said.FASTER, Said.SAME))
    now = [measured(dice) for _run in range(real)]
    told("A/A, real runs now: wrong", [compare(*run).says(THRESHOLD) for run in now], WRONG)
    told(
        "planted +5 %, real runs now: found",
        [compare(*planted(run, 1.05)).says(THRESHOLD) for run in now],
        (Said.SLOWER,),
    )


if __name__ == "__main__":
    main()
