"""machine-baseline for real: figures that a machine can have, and a compiler that fails."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

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
