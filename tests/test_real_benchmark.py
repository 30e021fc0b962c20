"""kernel-benchmark for real: its own pair, the same against itself, slower ones, wrong ones."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reader.model import VerdictKind
from tests.test_real_checks import CONFIRMED, COULD_NOT_RUN, REFUTED, expect, run

pytestmark = pytest.mark.real

NAME = "kernel-benchmark"
PAIRS = Path(__file__).parent / "data" / "pairs" / "sums.py"


def race(tmp_path: Path, candidate: str, baseline: str = "plain") -> dict[str, VerdictKind]:
    """Return the verdicts of two functions of a user's file."""
    chosen = (("candidate", f"{PAIRS}:{candidate}"), ("baseline", f"{PAIRS}:{baseline}"))
    return run(tmp_path, NAME, sys.executable, parameters=chosen)


def test_its_own_pair(tmp_path: Path) -> None:
    found = run(tmp_path, NAME, sys.executable)
    expect(found, {"correct": CONFIRMED, "honest": CONFIRMED, "faster": CONFIRMED})
    assert found["gpu_faster"] is COULD_NOT_RUN


def test_the_same_against_itself_is_not_faster(tmp_path: Path) -> None:
    found = race(tmp_path, "again")
    assert found["correct"] is CONFIRMED
    assert found["faster"] is not CONFIRMED


def test_a_fifth_more_work_is_not_faster_and_without_it_is(tmp_path: Path) -> None:
    assert race(tmp_path, "fifth_more")["faster"] is REFUTED
    assert race(tmp_path, "plain", "fifth_more")["faster"] is CONFIRMED


def test_a_wrong_kernel_is_refused(tmp_path: Path) -> None:
    expect(race(tmp_path, "half"), {"correct": REFUTED, "faster": COULD_NOT_RUN})


def test_a_compiler_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "false")
    found = run(tmp_path, NAME, sys.executable)
    expect(found, {"correct": COULD_NOT_RUN, "honest": COULD_NOT_RUN, "faster": COULD_NOT_RUN})
