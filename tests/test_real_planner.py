"""mlir-static-memory-planner in its real environment: as it is, with a false pass, and broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from reader.model import VerdictKind
from tests import falsified
from tests.test_real_checks import (
    CONFIRMED,
    COULD_NOT_RUN,
    REFUTED,
    expect,
    leg_without_package,
    python_of,
    run,
)
from tests.test_real_iree import PLACES, with_tools

pytestmark = pytest.mark.real

INCONCLUSIVE = VerdictKind.INCONCLUSIVE
PLANNER = "mlir-static-memory-planner"


@pytest.fixture(scope="module")
def wheels() -> str:
    return python_of(PLANNER)


def test_planner_as_it_is(tmp_path: Path, wheels: str) -> None:
    found = run(tmp_path, PLANNER, wheels)
    # a machine that does much else leaves the exponent open, and never refutes it
    assert found.pop("linear") in (CONFIRMED, INCONCLUSIVE)
    assert found == {
        "one_arena": CONFIRMED,
        "no_overlap": CONFIRMED,
        "best_fit_saves": CONFIRMED,
        "arena_freed": REFUTED,
        "aliases": CONFIRMED,
        "branches": REFUTED,
        "guard": REFUTED,
        "arena_fits": REFUTED,
    }


ALL_AT_ZERO = "'s/arith.constant [0-9]* : index/arith.constant 0 : index/'"
UNPLANNED = """case "$*" in *--version*|*--mlir-timing*) exec {real} "$@";; esac
cat > "$$.mlir"; grep -q @probe "$$.mlir" && exec {real} "$@" < "$$.mlir"
exec {real} --allow-unregistered-dialect < "$$.mlir" """
REFUSING = """case "$*" in *=arg*) cat > "$$.mlir"
  grep -q "<16xi8>" "$$.mlir" && {{ echo "error: too small" >&2; exit 1; }}
  exec {real} "$@" < "$$.mlir";; esac
exec {real} "$@" """


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        (f'{{real}} "$@" | sed {ALL_AT_ZERO}', {"no_overlap": REFUTED, "aliases": REFUTED}),
        (
            'exec {real} "$(echo "$1")" $(shift; echo "$@" | sed s/best-fit/trivial/)',
            {"best_fit_saves": REFUTED, "no_overlap": CONFIRMED},
        ),
        (UNPLANNED, {"one_arena": REFUTED, "aliases": REFUTED}),
        (REFUSING, {"arena_fits": CONFIRMED, "one_arena": CONFIRMED}),
    ],
    ids=["all at zero", "no best fit", "plans nothing", "refuses small arenas"],
)
def test_planner_that_does_otherwise(
    tmp_path: Path, wheels: str, script: str, wanted: dict[str, object]
) -> None:
    python = with_tools(tmp_path, wheels, {"iree-opt": script})
    found = run(tmp_path, PLANNER, python)
    assert {claim: found[claim] for claim in wanted} == wanted


@pytest.mark.parametrize("has_it", [True, False])
def test_planner_of_the_users_own(
    tmp_path: Path, wheels: str, has_it: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """His mlir-opt is measured where it runs the pass: here one that plans without best-fit."""
    real = falsified.site_of(wheels) / "iree" / PLACES["iree-opt"] / "iree-opt"
    trivial = f'exec {real} "$1" $(shift; echo "$@" | sed s/best-fit/trivial/)'
    program = tmp_path / "bin" / "mlir-opt"
    program.parent.mkdir()
    script = trivial if has_it else "echo 'not a registered pass' >&2; exit 1"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    wanted = REFUTED if has_it else CONFIRMED
    expect(run(tmp_path, PLANNER, wheels), {"best_fit_saves": wanted})


@pytest.mark.parametrize("script", ["exit 1", "kill -9 $$"])
def test_planner_that_fails(tmp_path: Path, wheels: str, script: str) -> None:
    python = with_tools(tmp_path, wheels, {"iree-opt": script})
    assert set(run(tmp_path, PLANNER, python).values()) == {COULD_NOT_RUN}


def test_planner_without_its_package(tmp_path: Path) -> None:
    assert set(leg_without_package(PLANNER).values()) == {"tool_failed"}
