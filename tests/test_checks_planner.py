"""mlir-static-memory-planner without MLIR: programs, plans as MLIR prints them, our checker."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reader.checks import judge
from reader.checks.environment import install_key
from reader.model import VerdictKind
from tests.checks_here import a_leg
from tests.test_checks_scripts import load, modules

NAME = "mlir-static-memory-planner"
CONFIRMED, REFUTED = VerdictKind.CONFIRMED, VerdictKind.REFUTED
# What iree-opt of IREE 3.13.0 gave.
MEASURED: dict[str, Any] = {
    "planner": "iree-opt 24.0.0git", "programs": 25, "buffers": 486, "plans": 50, "arenas": 50,
    "arenas_freed": 0, "planted": 25, "planted_found": 25, "decoys_found": 0, "overlaps": 0,
    "misplaced": 0, "best_fit_worse": 0, "trivial_bytes": 690285, "best_fit_bytes": 530833,
    "trivial_ratio": 1.491, "best_fit_ratio": 1.077, "flows": 6, "flows_planned": 6, "branches": 2,
    "branches_planned": 0, "branches_said": "unstructured", "guards": 4, "guards_kept": 2,
    "guards_lost": "scf.if", "arena_needed": 230, "arena_given": 16, "fitting_planned": True,
    "small_noticed": False, "trivial_exponent": 1.05, "trivial_exponent_low": 0.97,
    "trivial_exponent_high": 1.09, "best_fit_exponent": 1.92, "best_fit_exponent_low": 1.86,
    "best_fit_exponent_high": 1.97,
}  # fmt: skip
PLAN = """module {
  func.func @program() {
    %alloc = memref.alloc() alignment = 64 : memref<630xi8>
    %c0 = arith.constant 0 : index
    %view = memref.view %alloc[%c0][] : memref<630xi8> to memref<100xf32>
    %c400 = arith.constant 400 : index
    %view_0 = memref.view %alloc[%c400][] : memref<630xi8> to memref<50xf32>
    return
  }
}
"""


def found(**changed: Any) -> dict[str, VerdictKind]:
    verdicts = judge.judge(load(NAME), [a_leg(MEASURED | changed)])
    return {each.claim: each.verdict for each in verdicts}


def test_what_was_measured_is_judged_so() -> None:
    verdicts = found()
    refuted = {claim for claim, kind in verdicts.items() if kind is REFUTED}
    assert refuted == {"arena_freed", "branches", "guard", "arena_fits"}
    assert {kind for claim, kind in verdicts.items() if claim not in refuted} == {CONFIRMED}


@pytest.mark.parametrize(
    ("changed", "claim"),
    [
        ({"arenas": 49}, "one_arena"),
        ({"overlaps": 1}, "no_overlap"),
        ({"misplaced": 1}, "no_overlap"),
        ({"best_fit_bytes": 690285}, "best_fit_saves"),
        ({"flows_planned": 5}, "aliases"),
        ({"trivial_exponent_low": 1.8, "trivial_exponent_high": 2.1}, "linear"),
    ],
)
def test_other_figures_refute(changed: dict[str, Any], claim: str) -> None:
    assert found(**changed)[claim] is REFUTED


def test_a_checker_that_misses_a_planted_overlap_decides_nothing() -> None:
    assert set(found(planted_found=24).values()) == {VerdictKind.INCONCLUSIVE}


def test_one_environment_serves_iree_and_the_planner() -> None:
    planner, iree = load(NAME), load("iree-313")
    new = iree.sides[1].packages
    assert install_key(new, iree.folder) == install_key(planner.packages, planner.folder)


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Any]:
    with modules(NAME, tmp_path):
        yield importlib.import_module


def test_the_checker_sees_overlaps_and_only_those(script: Any) -> None:
    programs = script("programs")
    first, beside = programs.Buffer(8, "i8", 0, 0, 2), programs.Buffer(2, "f32", 16, 1, 3)
    later = programs.Buffer(8, "i8", 0, 2, 4)
    assert programs.overlaps([first, beside, later], [0, 8, 0]) == 0
    assert programs.overlaps([first, beside, later], [0, 7, 0]) == 2
    assert programs.peak([first, beside, later]) == 16
    plan = programs.Plan(16, 64, (0, 8), (first.kind, beside.kind), 0, freed=False)
    assert programs.misplaced([first, beside], plan) == 1  # 8 is no multiple of 16
    assert script("check").decoys() == 0


def test_every_program_is_whole_and_its_spoiled_plan_is_noticed(script: Any) -> None:
    programs = script("programs")
    assert programs.generated(3) == programs.generated(3) != programs.generated(4)
    for seed in range(25):
        buffers = programs.generated(seed)
        offsets = [sum(each.size for each in buffers[:n]) for n in range(len(buffers))]
        assert programs.overlaps(buffers, offsets) == 0
        assert programs.overlaps(buffers, programs.spoiled(buffers, offsets)) > 0
        text = programs.written(buffers, lambda kind, align: f"memref.alloc() : {kind} // {align}")
        assert text.count("memref.alloc") == text.count("memref.dealloc") == len(buffers)


def test_a_plan_is_read_as_mlir_prints_it(script: Any) -> None:
    programs = script("programs")
    plan = programs.read(PLAN)
    assert (plan.arena, plan.arena_align, plan.offsets) == (630, 64, (0, 400))
    assert (plan.kinds, plan.left) == (("memref<100xf32>", "memref<50xf32>"), 0)
    assert not plan.freed
    buffers = [programs.Buffer(100, "f32", 64, 0, 2), programs.Buffer(50, "f32", 0, 1, 3)]
    assert programs.whole(plan, buffers)
    assert not programs.whole(plan, buffers[:1])
    more = PLAN.replace("    return", "    memref.dealloc %alloc : memref<630xi8>\n    return")
    assert programs.read(more).freed
    other = PLAN.replace("    return", "    %x = memref.alloc() : memref<1xi8>\n    return")
    assert programs.read(other).left == 1
    assert programs.read("module {}") is None


@pytest.mark.parametrize("own", ["has it", "has it not", "is not there"])
def test_the_users_mlir_opt_is_taken_where_it_runs_the_pass(
    script: Any, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planner = script("planner")
    where = None if own == "is not there" else "/opt/bin/mlir-opt"
    monkeypatch.setattr(planner.shutil, "which", lambda _name: where)
    monkeypatch.setattr(planner, "_of_the_wheels", lambda: "/wheels/iree-opt")

    def run(words: list[str], **_more: Any) -> Any:
        if "--version" in words:
            return SimpleNamespace(stdout="  LLVM version 23.1.0", returncode=0)
        knows = words[0].endswith("iree-opt") or own == "has it"
        old = "{alignment" in _more["text_in"]  # LLVM 24 refuses what 23 wanted
        good = knows and old == (words[0] == where)
        said = "" if good else "error: no such pass"
        text = "memref.view" if good else ""
        return SimpleNamespace(returncode=int(not good), stdout=text, stderr=said)

    check = SimpleNamespace(run=run, tool=lambda *_words: None)
    chosen = planner.Planner(check)
    assert chosen.own is (own == "has it")
    aligned = chosen.alloc("memref<8xi8>", 64)
    assert ("{alignment = 64 : i64}" in aligned) is chosen.own
    assert chosen.alloc("memref<8xi8>") == "memref.alloc() : memref<8xi8>"


def test_the_fit_finds_the_power(script: Any) -> None:
    growth = script("growth")
    for power in (1, 2):
        times = {n: [1e-7 * n**power * x for x in (1.0, 1.05, 1.1)] for n in (10, 20, 40, 80)}
        value, low, high = growth.exponent(times)
        assert low <= value <= high
        assert abs(value - power) < 0.05
    assert growth.seconds("  0.0111 ( 46.9%)    StaticMemoryPlannerAnalysisPass") == 0.0111
