"""The same race on a GPU, by PyTorch's events: cold L2, clocks of the device, streams watched."""

from __future__ import annotations

import time
from typing import Any

import pairs
from examine import examine, poor

FLUSH_OVER_L2 = 4
UNSEEN = 1.5  # so many times what the events say has passed when all streams rest
LAUNCH_SECONDS = 200e-6  # what the host may wait besides
ROUNDS, REPEATS = 40, 5


def default() -> pairs.Pair:
    """Return PyTorch's own softmax against one written out in single operations, in float16."""
    import torch

    def candidate(x: Any) -> Any:
        return torch.softmax(x, dim=-1)

    def baseline(x: Any) -> Any:
        raised = torch.exp(x - x.max(dim=-1, keepdim=True).values)
        return raised / raised.sum(dim=-1, keepdim=True)

    def inputs(seed: int) -> list[Any]:
        dice = torch.Generator(device="cuda").manual_seed(seed)
        shape = (4096, 4096)
        return [torch.randn(shape, generator=dice, device="cuda", dtype=torch.float16)]

    def reference(x: Any) -> Any:
        return torch.softmax(x.double(), dim=-1)

    return pairs.Pair(candidate, baseline, inputs, reference, "torch.softmax / exp, sum, divide")


class Clock:
    """Times one call by events, with the L2 cache overwritten before it."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        size = torch.cuda.get_device_properties(0).L2_cache_size
        self._flush = torch.empty(FLUSH_OVER_L2 * size, dtype=torch.int8, device="cuda")
        self.worst = 0.0  # the most that had passed, over what the events say

    def __call__(self, call: Any, *given: Any) -> float:
        """Return seconds on the device."""
        cuda = self._torch.cuda
        begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        self._flush.zero_()
        cuda.synchronize()
        begin.record()
        call(*given)
        end.record()
        end.synchronize()
        seen = time.perf_counter()
        cuda.synchronize()  # all streams, not only the one with the events
        left = time.perf_counter() - seen
        took = float(begin.elapsed_time(end)) / 1000
        if left > LAUNCH_SECONDS:
            self.worst = max(self.worst, (took + left) / max(took, 1e-9))
        return took


def measured(check: Any) -> dict[str, Any]:
    """Run it all on the device and return plain numbers, as a test may hand them in."""
    import torch

    pair = pairs.chosen(check) if check.chosen else default()
    given = pair.inputs(1)
    if not any(getattr(each, "is_cuda", False) for each in given):
        raise pairs.NoPair("not_supported", what="input that does not lie on the GPU")
    with torch.no_grad():
        found = examine(pair.candidate, pair.inputs, pair.reference)
        told: dict[str, Any] = {
            "pair": pair.name,
            "compared": found.compared,
            "wrong": found.wrong,
            "poor": poor(given),
            "tricks": dict(found.tricks),
            "torch": str(torch.__version__),
            "cuda": str(torch.version.cuda),
        }
        if found.refused or told["poor"]:
            return told
        told["before"] = check.state()
        clock = Clock(torch)
        told["times"] = race(check, pair, clock)
        told["after"] = check.state()
        told["unseen"] = clock.worst
        late = examine(pair.candidate, lambda n: pair.inputs(n + 500), pair.reference)
        told["wrong"] += late.wrong
        told["compared"] += late.compared
    if clock.worst > UNSEEN:
        told["tricks"]["other_stream"] = f"{clock.worst:.1f} times as long until all streams rest"
    return told


def race(check: Any, pair: pairs.Pair, clock: Any) -> dict[str, list[list[float]]]:
    """Return the times of shuffled rounds: baseline, again, candidate."""
    import random

    dice, give, sample = random.Random(check.seed), pair.fresh(1), 0
    arms = {"baseline": pair.baseline, "again": pair.baseline, "candidate": pair.candidate}
    for call in arms.values():
        for _warm in range(3):
            clock(call, *give(sample))
    times: dict[str, list[list[float]]] = {name: [] for name in arms}
    for _round in range(ROUNDS):
        order = list(arms) * REPEATS
        dice.shuffle(order)
        for kept in times.values():
            kept.append([])
        for name in order:
            given, sample = give(sample), sample + 1
            times[name][-1].append(clock(arms[name], *given))
    return times
