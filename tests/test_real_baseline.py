"""machine-baseline for real: figures that a machine can have, and a compiler that fails."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from packaging.version import Version

from reader.checks import interpreters
from tests.test_real_checks import CONFIRMED, COULD_NOT_RUN, REFUTED, expect, run

pytestmark = pytest.mark.real

NAME = "machine-baseline"


def test_as_it_is(tmp_path: Path) -> None:
    found = run(tmp_path, NAME, sys.executable)
    expect(found, {"figures": CONFIRMED, "compute": CONFIRMED, "gpu_figures": COULD_NOT_RUN})
    assert found["steady"] is not REFUTED


def test_a_compiler_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "false")
    expect(run(tmp_path, NAME, sys.executable), {"figures": CONFIRMED, "compute": COULD_NOT_RUN})


def test_the_harness_in_every_python_of_this_machine(tmp_path: Path) -> None:
    """What a script may use is one file that works from Python 3.9 on, a race included."""
    tried = []
    for each in interpreters.interpreters():
        if Version(each.version) >= Version("3.9"):
            expect(run(tmp_path, NAME, each.path), {"figures": CONFIRMED, "compute": CONFIRMED})
            tried.append(each.version)
    print("tried in", ", ".join(tried))
    assert tried
