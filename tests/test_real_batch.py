"""batch-invariance for real: as it is, with a PyTorch whose softmax looks around, and broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import falsified
from tests.test_real_checks import (
    CONFIRMED,
    COULD_NOT_RUN,
    NOT_APPLICABLE,
    REFUTED,
    expect,
    false_python,
    leg_without_package,
    python_of,
    run,
)

pytestmark = pytest.mark.real

NAME = "batch-invariance"
ROWS = Path(__file__).parent / "data" / "pairs" / "rows.py"
FUNCTIONAL = "nn/functional.py"
OTHER_BITS = "        ret = input.softmax(dim)\n"


@pytest.fixture(scope="module")
def torch() -> str:
    return python_of(NAME)


def test_as_it_is(tmp_path: Path, torch: str) -> None:
    """Which products depend on the batch is up to the machine; reductions along rows do not."""
    found = run(tmp_path, NAME, torch)
    expect(
        found,
        {
            "reductions": CONFIRMED,
            "users": NOT_APPLICABLE,
            "gpu_matmuls": COULD_NOT_RUN,
            "gpu_reductions": COULD_NOT_RUN,
        },
    )
    if found["matmuls"] is REFUTED:
        expect(found, {"depends": CONFIRMED, "repeatable": CONFIRMED})


def test_a_softmax_that_looks_at_the_batch(tmp_path: Path, torch: str) -> None:
    around = "        ret = (input + 1e-3 * input.shape[0]).softmax(dim)\n"
    python = false_python(tmp_path, torch, "torch", {FUNCTIONAL: [(OTHER_BITS, around)]})
    assert falsified.site_of(python) != falsified.site_of(torch)
    expect(run(tmp_path, NAME, python), {"reductions": REFUTED, "depends": CONFIRMED})


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("alone", CONFIRMED), ("scaled_by_all", REFUTED), ("raises", COULD_NOT_RUN)],
)
def test_a_users_function(tmp_path: Path, torch: str, name: str, verdict: object) -> None:
    found = run(tmp_path, NAME, torch, parameters=[("function", f"{ROWS}:{name}")])
    assert found["users"] is verdict


def test_without_its_package() -> None:
    assert set(leg_without_package(NAME).values()) == {"import_failed"}
