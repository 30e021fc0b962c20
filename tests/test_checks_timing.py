"""Verdicts on times: never of noise, of a real difference where the noise allows."""

from __future__ import annotations

import random

import pytest

from reader.checks.timing import LEAST_ROUNDS, Comparison, Said, compare, warm_up
from tests.timings import planted, recorded, resampled

THRESHOLD = 0.02


def rounds(n: int, seed: int = 1, spread: float = 0.01) -> list[list[float]]:
    dice = random.Random(seed)
    return [[100 * (1 + dice.gauss(0, spread)) for _round in range(n)] for _arm in range(3)]


def test_recorded_runs_of_the_same_program_are_never_told_apart() -> None:
    said = [compare(*run).says(THRESHOLD) for run in recorded()]
    assert len(said) == 30
    assert not {Said.FASTER, Said.SLOWER}.intersection(said)


def test_a_planted_difference_is_found_in_recorded_runs() -> None:
    for factor, expected in ((1.05, Said.SLOWER), (1 / 1.05, Said.FASTER)):
        said = [compare(*planted(run, factor)).says(THRESHOLD) for run in recorded()]
        assert said.count(expected) >= 27
        assert set(said) <= {expected, Said.UNSETTLED}


def test_resampled_runs_are_never_told_apart() -> None:
    dice, runs = random.Random(3), recorded()
    said = [compare(*resampled(runs, dice)).says(THRESHOLD) for _draw in range(20)]
    assert not {Said.FASTER, Said.SLOWER}.intersection(said)


def test_a_difference_below_the_threshold_is_none() -> None:
    candidate, baseline, again = rounds(60, spread=0.004)
    found = compare([each * 1.01 for each in candidate], baseline, again)
    assert found.says(0.05) is Said.SAME
    assert found.says() is Said.SLOWER


def test_a_difference_below_the_noise_is_unsettled_and_says_what_would_settle_it() -> None:
    candidate, baseline, again = rounds(20, spread=0.2)
    found = compare([each * 1.04 for each in candidate], baseline, again)
    assert found.says(THRESHOLD) is Said.UNSETTLED
    needed = found.rounds_needed(THRESHOLD)
    assert needed is not None
    assert needed > found.rounds


def test_drift_that_hits_all_alike_cancels() -> None:
    candidate, baseline, again = rounds(60)
    slower = [1 + at / 20 for at in range(60)]  # four times as slow at the end
    drifting = [[a * b for a, b in zip(arm, slower, strict=True)] for arm in (baseline, again)]
    found = compare([a * b * 1.05 for a, b in zip(candidate, slower, strict=True)], *drifting)
    assert found.says(THRESHOLD) is Said.SLOWER
    assert found.ratio == pytest.approx(1.05, abs=0.01)


def test_one_arm_that_is_noisier_is_not_believed() -> None:
    """A baseline that differs from itself by a tenth leaves a difference of a twentieth open."""
    candidate, baseline, again = rounds(40)
    found = compare([each * 1.05 for each in candidate], baseline, [1.1 * each for each in again])
    assert found.noise > 0.09
    assert found.says(THRESHOLD) is Said.UNSETTLED


def test_warming_up_is_left_out_and_counted() -> None:
    candidate, baseline, again = rounds(40)
    cold = [300.0, 250.0, 180.0]
    found = compare(cold + candidate, cold + baseline, cold + again)
    assert found.warm_up >= 3
    assert found.rounds == 43 - found.warm_up
    assert warm_up([1.0] * 30) == 0
    assert warm_up([]) == 0
    assert warm_up([9.0, 1.0]) == 0


def test_outliers_are_shown_and_count() -> None:
    candidate, baseline, again = rounds(40)
    candidate[20] *= 50
    found = compare(candidate, baseline, again)
    assert 20 in found.outliers
    assert found.rounds + found.warm_up == 40


def test_too_few_rounds_settle_nothing() -> None:
    few = LEAST_ROUNDS - 1
    found = compare([2.0] * few, [1.0] * few, [1.0] * few)
    assert found.says() is Said.UNSETTLED
    enough = LEAST_ROUNDS
    assert compare([2.0] * enough, [1.0] * enough, [1.0] * enough).says() is Said.SLOWER


def test_the_same_times_say_the_same_again() -> None:
    arms = rounds(30)
    assert compare(*arms) == compare(*arms)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_times_that_are_none(bad: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        compare([1.0, bad], [1.0, 1.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="all three"):
        compare([1.0], [1.0, 1.0], [1.0, 1.0])


def test_nothing_settles_a_difference_that_is_the_threshold() -> None:
    assert Comparison(1.0, 0.99, 1.01, 0.99, 1.01, 40, 0).rounds_needed(0.0) is None


def test_rounds_that_belong_together_are_drawn_together() -> None:
    """A copy that lies badly in memory is slow in all of its rounds: many rounds, little known."""
    candidate, baseline, again = rounds(96)
    for start in (0, 12, 36, 60, 84, 24):
        candidate[start : start + 12] = [each * 1.08 for each in candidate[start : start + 12]]
    told = compare(candidate, baseline, again).says(THRESHOLD)
    assert told is Said.SLOWER  # as if each round had been a copy of its own
    assert compare(candidate, baseline, again, block=12).says(THRESHOLD) is Said.UNSETTLED
