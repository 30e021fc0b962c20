"""The pass's own time over the number of buffers, as a fitted exponent."""

from __future__ import annotations

import math
import random
import re
import statistics
from typing import TYPE_CHECKING

from flows import all_alive
from planner import Broken, Planner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from readproof_harness import Check

SIZES = {
    "trivial": (6000, 9000, 12000, 18000, 24000),
    "best-fit": (1000, 1500, 2000, 3000, 4000),
}
ROUNDS = 9
RESAMPLES = 1000


def fitted(times: Mapping[int, Sequence[float]]) -> float:
    """Return the slope of log(quickest time) over log(size) by least squares.

    The work is the same at every run and other programs only add to it: the quickest is nearest.
    """
    points = [(math.log(n), math.log(min(each))) for n, each in times.items()]
    middle = statistics.fmean(x for x, _y in points)
    wide = sum((x - middle) ** 2 for x, _y in points)
    return sum((x - middle) * y for x, y in points) / wide


def exponent(times: Mapping[int, Sequence[float]], seed: int = 0) -> tuple[float, float, float]:
    """Return the exponent and its 95 % interval by resampling rounds and leaving out a size."""
    draw = random.Random(seed)  # noqa: S311 - resampling wants to be repeatable
    slopes = []
    for _ in range(RESAMPLES):
        out = draw.choice(list(times))
        slopes.append(
            fitted({n: draw.choices(each, k=len(each)) for n, each in times.items() if n != out})
        )
    slopes.sort()
    return fitted(times), slopes[int(0.025 * RESAMPLES)], slopes[int(0.975 * RESAMPLES)]


def seconds(said: str) -> float | None:
    """Return the wall time of the pass from MLIR's report, None where there is none."""
    found = re.search(r"(\d+\.\d+)\s+\(\s*[\d.]+%\)\s+StaticMemoryPlanner", said)
    return float(found.group(1)) if found else None


def measure(check: Check, planner: Planner) -> None:
    """Time both algorithms in rounds of shuffled order."""
    draw = random.Random(check.seed)  # noqa: S311 - a mere order
    pairs = [(algorithm, n) for algorithm, sizes in SIZES.items() for n in sizes]
    times: dict[tuple[str, int], list[float]] = {pair: [] for pair in pairs}
    texts = {n: all_alive(n) for _algorithm, n in pairs}
    for turn in range(ROUNDS):
        check.step("measure", turn, ROUNDS, "linear")
        for algorithm, n in draw.sample(pairs, len(pairs)):
            ended = planner.run(texts[n], algorithm, timing=True)
            found = seconds(ended.stderr)
            if ended.returncode or found is None:
                raise Broken(ended.stderr[-300:])
            times[algorithm, n].append(max(found, 0.0001))
    for algorithm, sizes in SIZES.items():
        value, low, high = exponent({n: times[algorithm, n] for n in sizes}, check.seed)
        name = algorithm.replace("-", "_")
        check.measure(f"{name}_exponent", round(value, 2))
        check.measure(f"{name}_exponent_low", round(low, 2))
        check.measure(f"{name}_exponent_high", round(high, 2))
        for n in sizes:
            check.case("linear", f"{algorithm} N={n}", samples=times[algorithm, n])
