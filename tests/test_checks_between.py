"""Times of two legs, one process each: their ratio with an interval, and what may name it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from reader.checks import between
from reader.model import Leg
from tests.checks_here import a_leg


def times(middle: float, spread: float, seed: int, rounds: int = 16) -> list[float]:
    dice = random.Random(seed)
    return [middle * dice.lognormvariate(0, spread) for _round in range(rounds)]


def leg(name: str, samples: Any, **others: Any) -> Leg:
    case = {"claim": "c", "name": "front", "beside": True, "samples": samples} | others
    return a_leg({}, name=name, cases=(case,))


@pytest.mark.parametrize("ratio", [1.0, 1.9, 10.0])
def test_the_interval_holds_the_ratio(ratio: float) -> None:
    within = 0
    for seed in range(10):
        found = between.ratio_of(times(ratio, 0.1, seed), times(1.0, 0.1, 1000 + seed))
        value, low, high = found
        assert low <= value <= high
        within += low <= ratio <= high
    assert within >= 9


def test_two_legs_give_a_ratio_of_the_first_over_the_second() -> None:
    legs = [leg("old", times(8.0, 0.05, 1)), leg("new", times(1.0, 0.05, 2))]
    found = between.ratios(legs)
    assert found.keys() == {"front_ratio", "front_low", "front_high"}
    assert 7 < found["front_low"] < found["front_ratio"] < found["front_high"] < 9
    assert between.ratios(legs) == found


@pytest.mark.parametrize("odd", [[1.0] * 3, [1.0] * 15 + [0.0], [1.0] * 15 + ["1"], "fast", None])
def test_what_is_no_list_of_times_gives_nothing(odd: Any) -> None:
    good = leg("new", times(1.0, 0.1, 2))
    assert between.ratios([leg("old", odd), good]) == {}
    assert between.ratios([good]) == {}
    assert between.ratios([good, leg("old", times(1, 0.1, 1), beside=False)]) == {}
    assert between.ratios([good, good, good]) == {}
