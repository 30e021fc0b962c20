"""Time this leg's Triton on loops in loops: its front end by itself, and the whole compile."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable

from compiling import Compiler
from readproof_harness import Check

CLAIMS = ("front_end", "whole_compile", "growth")
DEPTHS = (4, 5, 6, 7, 8)
DEEPEST, CONTROL = 8, 6  # loops
ROUNDS, REPEATS, WARM_UP = 16, 2, 1


def main() -> None:
    """Measure what this leg's Triton does, and say what kept it from the rest."""
    with Check() as check:
        arch = int("".join(c for c in check.archs[0] if c.isdigit()))
        try:
            compiler = Compiler(check.scratch / "cache", arch)
        except Exception as error:
            obstacles(check, "import_failed", error, package="triton")
            return
        check.package("triton", compiler.version)
        try:
            built = compiler.first_ir(DEEPEST)[1]
            check.artefact(f"nest{DEEPEST}.ttir", built)
            check.measure("loops", DEEPEST)
            check.measure("loops_built", built.count("scf.for"))
            before = check.state()
            kept = rounds(check, compiler)
        except Exception as error:
            obstacles(check, "tool_failed", error, tool="triton.compile")
            return
        report(check, kept)
        check.case("front_end", "machine", before=before, after=check.state())


def obstacles(check: Check, code: str, error: Exception, **which: str) -> None:
    """Say of every claim why it could not be measured."""
    said = f"{type(error).__name__}: {error}"
    check.log(said[:2000])
    for claim in CLAIMS:
        check.obstacle(claim, code, said=said[-300:], **which)


def rounds(check: Check, compiler: Compiler) -> dict[str, list[float]]:
    """Time everything once a round, in shuffled order; of repeats the least counts."""
    timed: dict[str, Callable[[], float]] = {
        "yard": compiler.yard,
        "whole": lambda: compiler.whole(DEEPEST),
        "again": lambda: compiler.front(CONTROL),
        "twice": lambda: compiler.front(CONTROL, 2),
        **{f"depth_{depth}": _front(compiler, depth) for depth in DEPTHS},
    }
    dice = random.Random(check.seed)  # noqa: S311 — a mere order
    kept: dict[str, list[float]] = {name: [] for name in timed}
    for number in range(WARM_UP + ROUNDS):
        check.step("measure", number, WARM_UP + ROUNDS, "front_end")
        order = [*timed] * REPEATS
        dice.shuffle(order)
        took: dict[str, list[float]] = {name: [] for name in timed}
        for name in order:
            took[name].append(timed[name]())
        if number >= WARM_UP:  # the first compiles load what later ones find
            for name, times in took.items():
                kept[name].append(min(times))
    return kept


def _front(compiler: Compiler, depth: int) -> Callable[[], float]:
    return lambda: compiler.front(depth)


def report(check: Check, kept: dict[str, list[float]]) -> None:
    """Report the control, the times over the yard's, and the growth with each level."""
    # The least of all rounds: whether the clock tells one from two is no matter of the moment.
    once, again = min(kept[f"depth_{CONTROL}"]), min(kept["again"])
    check.measure("again_ratio", round(again / once, 3))
    check.measure("twice_ratio", round(min(kept["twice"]) / again, 3))
    check.measure("yard_ms", _ms(kept["yard"]))
    check.control_done()
    for name, claim, times in (
        ("front", "front_end", kept[f"depth_{DEEPEST}"]),
        ("front_6", "front_end", kept["depth_6"]),
        ("front_4", "front_end", kept["depth_4"]),
        ("whole", "whole_compile", kept["whole"]),
    ):
        over = [time / yard for time, yard in zip(times, kept["yard"], strict=True)]
        check.beside(claim, name, over)
    check.measure("front_ms", _ms(kept[f"depth_{DEEPEST}"]))
    check.measure("whole_ms", _ms(kept["whole"]))
    growths = [growth([kept[f"depth_{depth}"][n] for depth in DEPTHS]) for n in range(ROUNDS)]
    middle, low, high = interval(growths)
    check.measure("growth", round(middle, 3))
    check.measure("growth_low", round(low, 3))
    check.measure("growth_high", round(high, 3))
    for depth in DEPTHS:
        check.case("growth", f"depth {depth}", milliseconds=_ms(kept[f"depth_{depth}"]))


def _ms(seconds: list[float]) -> float:
    return round(1000 * statistics.median(seconds), 2)


def growth(times: list[float]) -> float:
    """Return by how much a level more multiplies the time: a straight line through logarithms."""
    logs = [math.log(each) for each in times]
    at = [depth - statistics.mean(DEPTHS) for depth in DEPTHS]
    slope = sum(x * y for x, y in zip(at, logs, strict=True)) / sum(x * x for x in at)
    return math.exp(slope)


def interval(samples: list[float]) -> tuple[float, float, float]:
    """Return the median and its interval at 99 %, by order of the samples alone."""
    ordered, n = sorted(samples), len(samples)
    away = math.ceil(2.576 * math.sqrt(n) / 2)
    low, high = max(0, n // 2 - away), min(n - 1, n // 2 + away)
    return statistics.median(ordered), ordered[low], ordered[high]


if __name__ == "__main__":
    main()
