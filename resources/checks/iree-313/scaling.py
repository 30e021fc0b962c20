"""The compile time of ScheduleConcurrency over the number of dispatches, as a fitted exponent."""

from __future__ import annotations

import math
import re
import statistics
from typing import TYPE_CHECKING

from wheels import Broken, Iree, dice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from readproof_harness import Check

SIZES = (64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096)
STRAIGHT = (4096, 8192, 16384, 32768)  # a chain leaves nothing to choose: it grows slower
LONGEST = 1.2  # seconds of one run above which no larger size is tried
LEAST = 0.002  # seconds below which a time is mostly the clock
FITTED = 6  # the largest sizes: what matters is how it goes on
ROUNDS = 5
BOTH = 256  # the size that both versions are timed at
RESAMPLES = 1000
PIPELINE = "--pass-pipeline=builtin.module(util.func(iree-stream-schedule-concurrency))"
TRANSIENT = "!stream.resource<transient>"


def program(count: int, *, chain: bool) -> str:
    """Return a region of `count` dispatches: all of one value, or each of the one before."""
    kind = f"{TRANSIENT}{{%c4}}"
    lines = [f"    %s0 = stream.async.splat %v : i32 -> {kind}"]
    for i in range(1, count + 1):
        used = i - 1 if chain else 0
        lines.append(
            f"    %s{i} = stream.async.dispatch @ex::@d[%c1](%s{used}[%c0 to %c4 for %c4])"
            f" : ({kind}) -> {kind}"
        )
    body = "\n".join(lines)
    return f"""util.func public @f(%v: i32) -> {TRANSIENT} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r, %t = stream.async.execute with() -> {kind} {{
{body}
    stream.yield %s{count} : {kind}
  }} => !stream.timepoint
  %w = stream.timepoint.await %t => %r : {kind}
  util.return %w : {TRANSIENT}
}}
"""


def fitted(times: Mapping[int, Sequence[float]]) -> float:
    """Return the slope of log(quickest time) over log(size) by least squares.

    The work is the same at every run and other programs only add to it: the quickest is nearest.
    """
    points = [(math.log(n), math.log(min(each))) for n, each in times.items()]
    middle = statistics.fmean(x for x, _y in points)
    wide = sum((x - middle) ** 2 for x, _y in points)
    return sum((x - middle) * y for x, y in points) / wide


def exponent(times: Mapping[int, Sequence[float]], seed: int = 0) -> tuple[float, float, float]:
    """Return the fitted exponent and its 95 % bootstrap interval over the rounds of each size.

    A fit of few points hides how well a power law fits at all, so the sizes are resampled too:
    each time one of them is left out.
    """
    draw = dice(seed)
    slopes = []
    for _ in range(RESAMPLES):
        left_out = draw.choice(list(times))
        sample = {n: draw.choices(each, k=len(each)) for n, each in times.items() if n != left_out}
        slopes.append(fitted(sample))
    slopes.sort()
    low, high = slopes[int(0.025 * RESAMPLES)], slopes[int(0.975 * RESAMPLES)]
    return fitted(times), low, high


def seconds(said: str) -> float | None:
    """Return the wall time of the pass from MLIR's report, None where there is none."""
    found = re.search(r"(\d+\.\d+)\s+\(\s*[\d.]+%\)\s+ScheduleConcurrency", said)
    return float(found.group(1)) if found else None


def usable(times: Mapping[int, Sequence[float]]) -> dict[int, list[float]]:
    """Return the largest sizes whose times the clock can tell."""
    good = {n: list(each) for n, each in times.items() if statistics.median(each) >= LEAST}
    return {n: good[n] for n in sorted(good)[-FITTED:]}


def measure(check: Check, iree: Iree) -> None:
    """Time the pass at growing sizes, in rounds of shuffled order."""
    _planted(check)
    try:
        times = _rounds(check, iree, _sizes(check, iree))
        straight = {
            n: [_timed(check, iree, n, chain=True) for _ in range(ROUNDS)] for n in STRAIGHT
        }
    except Broken as broken:
        for claim in ("scaling", "scaling_quadratic"):
            check.obstacle(claim, "tool_failed", tool=broken.tool, said=broken.said)
        return
    for n, each in times.items():
        check.case("scaling", f"N={n}", seconds=statistics.median(each), samples=each)
    check.measure("chain_exponent", round(fitted(straight), 2))
    points = usable(times)
    if len(points) < FITTED:
        for claim in ("scaling", "scaling_quadratic"):
            check.obstacle(claim, "not_supported", tool="iree-opt", said="too quick to fit")
        return
    value, low, high = exponent(points, check.seed)
    check.measure("exponent", round(value, 2))
    check.measure("exponent_low", round(low, 2))
    check.measure("exponent_high", round(high, 2))
    check.measure("fitted_from", min(points))
    check.measure("fitted_to", max(points))
    check.measure("seconds_256", statistics.median(times[BOTH]))


def _planted(check: Check) -> None:
    """Have the fit find exponents that were planted with the noise of this machine's size."""
    noise = dice(7)
    worst = 0.0
    for planted in (1.0, 2.0, 3.0):
        times = {
            n: [1e-8 * n**planted * noise.lognormvariate(0, 0.1) for _ in range(ROUNDS)]
            for n in SIZES[-FITTED:]
        }
        worst = max(worst, abs(fitted(times) - planted))
    check.measure("planted_off", round(worst, 3))


def _sizes(check: Check, iree: Iree) -> list[int]:
    """Return the sizes to time: up to the first that takes too long, and it."""
    sizes: list[int] = []
    for n in SIZES:
        check.step("measure", len(sizes), len(SIZES), "scaling")
        sizes.append(n)
        if _timed(check, iree, n, chain=False) > LONGEST and len(sizes) >= FITTED:
            break
    return sizes


def _rounds(check: Check, iree: Iree, sizes: list[int]) -> dict[int, list[float]]:
    times: dict[int, list[float]] = {n: [] for n in sizes}
    order = dice(check.seed)
    for turn in range(ROUNDS):
        check.step("measure", turn, ROUNDS, "scaling")
        for n in order.sample(sizes, len(sizes)):
            times[n].append(_timed(check, iree, n, chain=False))
    return times


def _timed(check: Check, iree: Iree, count: int, *, chain: bool) -> float:
    source = check.scratch / f"{'chain' if chain else 'fan'}.{count}.mlir"
    if not source.exists():
        source.write_text(program(count, chain=chain), encoding="utf-8")
    ended = iree.run("iree-opt", PIPELINE, "--mlir-timing", str(source), "-o", "/dev/null")
    found = seconds(ended.stderr)
    if ended.returncode or found is None:
        raise Broken("iree-opt", ended)
    return max(found, 0.0001)
