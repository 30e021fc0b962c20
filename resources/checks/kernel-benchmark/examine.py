"""Is a kernel right, and does it do its work each time? Its results are compared, never its code.

The tricks are those by which kernels have looked fast without being so: a result kept from an
earlier call, work skipped for input seen before, one output handed out again and again or laid
over the input, work left to a thread or stream that the clock does not see.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from values import address, bound, error, flat, overwrite, variety

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Kernel = Callable[..., Any]
    Inputs = Callable[[int], Sequence[Any]]
    Reference = Callable[..., Any]

SEEDS = (1, 2, 3)
LEAST_VARIETY = 0.01  # float16 and whole numbers repeat themselves, zeros do nothing else
SKIPS = 0.5  # a repeated call that takes less than this part of a fresh one has skipped work
LEAST_SECONDS = 20e-6  # below, the clock says too little of a single call


class Examined:
    """What was found: cases compared, those that were wrong, and tricks by name."""

    def __init__(self) -> None:
        self.compared = 0
        self.wrong = 0
        self.worst = 0.0  # the largest error, as a part of what is allowed
        self.tricks: dict[str, str] = {}

    @property
    def refused(self) -> str:
        """Why its times say nothing; empty where they may be believed."""
        said = [f"{self.wrong} of {self.compared} results are wrong"] if self.wrong else []
        return "; ".join(said + [f"{name}: {why}" for name, why in self.tricks.items()])


def examine(kernel: Kernel, inputs: Inputs, reference: Reference) -> Examined:
    """Compare a kernel's results with the reference's, and look for tricks."""
    found = Examined()
    for seed in SEEDS:
        compare(found, kernel, inputs(seed), reference)
    aliasing(found, kernel, inputs)
    if not found.wrong:
        stale(found, kernel, inputs, reference)
        deferred(found, kernel, inputs)
        skipping(found, kernel, inputs)
    return found


def compare(found: Examined, kernel: Kernel, given: Sequence[Any], reference: Reference) -> None:
    """Count one more result, and whether it is wrong; the input has to stay as it was."""
    before = [flat(each) for each in given]
    want = flat(reference(*given))
    result = kernel(*given)
    allowed = bound(result)
    off = error(result, want)
    found.compared += 1
    found.wrong += off > allowed
    found.worst = max(found.worst, off / allowed if allowed else float(off > 0) * 1e9)
    found.worst = min(found.worst, 1e9)
    if [flat(each) for each in given] != before:
        found.tricks["changed_input"] = "the input is another after the call"


def aliasing(found: Examined, kernel: Kernel, inputs: Inputs) -> None:
    """Look whether outputs lie over the input or over each other."""
    one, other = inputs(SEEDS[0]), inputs(SEEDS[1])
    first = kernel(*one)
    kept = flat(first)
    second = kernel(*other)
    places = {place for place in map(address, (*one, *other)) if place is not None}
    if address(first) in places or address(second) in places:
        found.tricks["output_over_input"] = "the output lies where the input lies"
    if flat(first) != kept:
        found.tricks["shared_output"] = "a second call changed the result of the first"


def stale(found: Examined, kernel: Kernel, inputs: Inputs, reference: Reference) -> None:
    """Put other numbers into the same memory: the result has to follow."""
    given, other = inputs(SEEDS[0]), inputs(SEEDS[1])
    kernel(*given)
    for mine, new in zip(given, other):
        if not overwrite(mine, new):
            return
    result = kernel(*given)
    if error(result, flat(reference(*other))) > bound(result):
        found.tricks["cached_result"] = "other numbers in the same memory gave the old result"


def deferred(found: Examined, kernel: Kernel, inputs: Inputs) -> None:
    """Look whether work goes on after the call has come back."""
    given = inputs(SEEDS[2])
    before = set(threading.enumerate())
    kernel(*given)
    if set(threading.enumerate()) - before:
        found.tricks["deferred_work"] = "a thread was still at work when the call came back"


def skipping(found: Examined, kernel: Kernel, inputs: Inputs) -> None:
    """Time input that is new each time beside the same input over and over."""
    fresh, again = [], []
    same = inputs(100)
    kernel(*same)
    for seed in range(101, 108):
        fresh.append(_took(kernel, inputs(seed)))
        again.append(_took(kernel, same))
    if min(fresh) > LEAST_SECONDS and min(again) < SKIPS * min(fresh):
        share = f"{min(again) / min(fresh):.2g}"
        found.tricks["skipped_work"] = f"input seen before takes {share} of the time of new input"


def poor(given: Sequence[Any]) -> bool:
    """Whether the input is too uniform to measure anything with: zeros, or one constant."""
    return max(map(variety, given), default=0.0) < LEAST_VARIETY


def _took(kernel: Kernel, given: Sequence[Any]) -> float:
    began = time.perf_counter()
    kernel(*given)
    return time.perf_counter() - began
