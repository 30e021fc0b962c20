"""Times of a candidate beside its baseline → what they say, and how sure. Pure.

Every round times three things in shuffled order: the candidate, the baseline, and the baseline
again. The third is the A/A control: what it differs from the second by is the machine's noise, and
nothing smaller is ever believed. Rounds are resampled in blocks, for a noisy machine is noisy for a
while; only ratios within a round count, so that slow drift (clocks, heat, neighbours) cancels.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

CONFIDENCE = 0.99
RESAMPLES = 2_000
LEAST_ROUNDS = 12  # fewer tell nothing at that confidence
MOST_WARM_UP = 1 / 3  # of all rounds
FAR = 5.0  # deviations from the median at which a round is shown as an outlier


class Said(StrEnum):
    """What a comparison says of the candidate at a threshold."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"  # the difference, if any, is below the threshold
    UNSETTLED = "unsettled"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Candidate over baseline: a ratio of times, below 1 where the candidate is faster."""

    ratio: float
    low: float
    high: float
    noise_low: float  # the same interval of baseline over baseline
    noise_high: float
    rounds: int  # that counted
    warm_up: int  # leading rounds that were left out
    outliers: tuple[int, ...] = ()  # rounds far from the rest; they count all the same

    @property
    def noise(self) -> float:
        """How far the baseline may be from itself: 0.03 for three parts in a hundred."""
        return max(abs(math.log(self.noise_low)), abs(math.log(self.noise_high)))

    def says(self, threshold: float = 0.0) -> Said:
        """Return what is certain at a practical threshold (0.02: two parts in a hundred).

        A difference counts only beyond both the threshold and the machine's own noise.
        """
        if self.rounds < LEAST_ROUNDS:
            return Said.UNSETTLED
        least, low, high = max(threshold, self.noise), math.log(self.low), math.log(self.high)
        if high < -least:
            return Said.FASTER
        if low > least:
            return Said.SLOWER
        if -threshold < low and high < threshold and self.noise < threshold:
            return Said.SAME
        return Said.UNSETTLED

    def rounds_needed(self, threshold: float = 0.0) -> int | None:
        """Return about how many rounds would settle what is unsettled; None where none would.

        Intervals shrink with the root of the rounds.
        """
        effect = abs(math.log(self.ratio))
        half = (math.log(self.high) - math.log(self.low)) / 2
        # Decided one way or the other when interval and noise fit between effect and threshold.
        room = abs(effect - threshold)
        if room == 0 or self.rounds == 0:
            return None
        wide = max(half, half + self.noise - threshold)
        return max(LEAST_ROUNDS, math.ceil(self.rounds * (wide / room) ** 2))


def least(repeats: Iterable[Sequence[float]]) -> list[float]:
    """Return each round's time: the least of its repeats, for what disturbs only ever adds."""
    return [min(each) for each in repeats]


def compare(
    candidate: Sequence[float],
    baseline: Sequence[float],
    again: Sequence[float],
    *,
    seed: int = 0,
    confidence: float = CONFIDENCE,
    block: int | None = None,
) -> Comparison:
    """Return how a candidate's times stand to its baseline's, all of one length, in rounds' order.

    Medians of ratios within a round, with a bootstrap interval over blocks of rounds: of `block`
    rounds where it is known how many belong together, as those of one copy of a program. Raises
    ValueError for times that are no positive numbers or of unequal length.
    """
    if not len(candidate) == len(baseline) == len(again):
        raise ValueError("every round times all three")
    if any(not (0 < each < math.inf) for times in (candidate, baseline, again) for each in times):
        raise ValueError("a time is a positive number")
    skipped = max(map(warm_up, (candidate, baseline, again)))
    rows = list(zip(candidate[skipped:], baseline[skipped:], again[skipped:], strict=True))
    if not rows:
        return Comparison(1.0, 1e-9, 1e9, 1e-9, 1e9, 0, skipped)
    # The baseline was timed twice, so it is known better than the candidate.
    effects = [math.log(c) - (math.log(b) + math.log(a)) / 2 for c, b, a in rows]
    noises = [math.log(b) - math.log(a) for _c, b, a in rows]
    (low, high), (noise_low, noise_high) = _intervals(
        effects, noises, seed, confidence, block or max(1, round(len(rows) ** (1 / 3)))
    )
    return Comparison(
        math.exp(median(effects)),
        math.exp(low),
        math.exp(high),
        math.exp(noise_low),
        math.exp(noise_high),
        len(rows),
        skipped,
        tuple(skipped + at for at in _far(effects)),
    )


def warm_up(times: Sequence[float]) -> int:
    """Return how many leading times belong to warming up: slower than the later half ever is."""
    later = sorted(times[len(times) // 2 :])
    if len(later) < LEAST_ROUNDS // 2:
        return 0
    usual = later[int(0.95 * (len(later) - 1))]
    most = int(len(times) * MOST_WARM_UP)
    for at, each in enumerate(times[:most]):
        if each <= usual:
            return at
    return most


def _intervals(
    effects: Sequence[float], noises: Sequence[float], seed: int, confidence: float, block: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return bootstrap intervals of both medians, by the same draws of blocks of rounds."""
    dice, n = random.Random(seed), len(effects)
    starts = range(n)
    drawn_effects, drawn_noises = [], []
    for _draw in range(RESAMPLES):
        places = [
            (start + step) % n
            for start in dice.choices(starts, k=math.ceil(n / block))
            for step in range(block)
        ][:n]
        drawn_effects.append(median([effects[at] for at in places]))
        drawn_noises.append(median([noises[at] for at in places]))
    return _middle(drawn_effects, confidence), _middle(drawn_noises, confidence)


def _middle(drawn: list[float], confidence: float) -> tuple[float, float]:
    drawn.sort()
    cut = int((1 - confidence) / 2 * len(drawn))
    return drawn[cut], drawn[-1 - cut]


def _far(effects: Sequence[float]) -> list[int]:
    """Return where values are far from the rest, by the median of deviations."""
    usual = median(effects)
    spread = median(abs(each - usual) for each in effects) * 1.4826
    return [at for at, each in enumerate(effects) if abs(each - usual) > FAR * spread > 0]
