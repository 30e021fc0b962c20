"""Recorded times of one program against itself, and what is made of them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from reader.checks.timing import least

FILE = Path(__file__).parent / "data" / "timings" / "aa.json"
Run = list[list[float]]  # candidate, baseline, baseline again; a time for each round


def recorded() -> list[Run]:
    """Return the recorded runs: nothing in them differs but the machine's mood."""
    runs = json.loads(FILE.read_text("utf-8"))["runs"]
    return [[least(arm) for arm in zip(*run, strict=True)] for run in runs]


def planted(run: Run, factor: float) -> Run:
    """Return a run whose candidate takes so many times as long."""
    candidate, baseline, again = run
    return [[each * factor for each in candidate], baseline, again]


def resampled(runs: Sequence[Run], dice: random.Random) -> Run:
    """Return a run made of a recorded one: begun elsewhere, stretches repeated, arms swapped."""
    run = dice.choice(runs)
    n, places = len(run[0]), list[int]()
    while len(places) < n:
        start = dice.randrange(n)
        places += [(start + step) % n for step in range(dice.randint(1, 8))]
    arms = [[arm[at] for at in places[:n]] for arm in run]
    dice.shuffle(arms)
    return arms
