"""iree-313 without IREE: what it reads off the tools' words, and how it judges figures."""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from typing import Any

import pytest

from reader.checks import judge
from reader.model import VerdictKind
from tests.checks_here import a_leg
from tests.test_checks_scripts import load, modules

NAME = "iree-313"
CONFIRMED = VerdictKind.CONFIRMED
REFUTED = VerdictKind.REFUTED
CONTROL = {
    "mma_planted": 64, "mma_decoys": 0, "mma_comments": 0, "unknown_refused": True,
    "unknown_rows": 0, "plain_integer": 0, "planted_off": 0.05, "chain_exponent": 1.2,
}  # fmt: skip
# What both versions gave on a machine with two cores.
OLD = CONTROL | {
    "no_target": "sm_90, sm_100", "targets": 3, "ptx_enough": 0, "ptx_versions": "sm_89 7.8",
    "fp8_targets": 2, "fp8_compiled": 0, "fp8_all_compiled": 0, "fp8_mma": "0",
    "fp8_refused": "sm_89: no", "plugin_option": "unknown", "plugin_missing": "unknown",
    "plugin_variable": "ignored", "plugin_ways": 0, "unknown_accepted": True,
    "statistics_rows": 0, "statistics_row": "–", "qdq_accepted": False, "granularities": 2,
    "granularities_kept": 0, "qdq_kept": 0, "qdq_integer": 0,
    "exponent": 2.97, "exponent_low": 2.9, "exponent_high": 3.1, "fitted_from": 64,
    "fitted_to": 384, "seconds_256": 0.54,
}  # fmt: skip
NEW = OLD | {
    "ptx_enough": 3, "ptx_versions": "sm_89 8.4", "fp8_compiled": 2, "fp8_all_compiled": 2,
    "fp8_mma": "sm_89 64", "sass_targets": 2, "sass_equal": 2, "sass_qmma": "sm_89 64",
    "plugin_option": "opened", "plugin_missing": "not found", "plugin_variable": "opened",
    "plugin_ways": 2, "statistics_rows": 1, "statistics_row": "BM_add", "qdq_accepted": True,
    "qdq_kept": 3, "granularities_kept": 2, "qdq_integer": 1, "qdq_integer_off": 0,
    "qdq_error_integer": 3e-16, "qdq_error_float": 1e-7, "exponent": 1.97,
    "exponent_low": 1.82, "exponent_high": 2.05, "fitted_from": 768, "fitted_to": 4096,
    "seconds_256": 0.0043,
}  # fmt: skip


def found(old: dict[str, Any], new: dict[str, Any]) -> dict[str, VerdictKind]:
    legs = [a_leg(old, name="3.12"), a_leg(new, name="3.13")]
    return {each.claim: each.verdict for each in judge.judge(load(NAME), legs)}


def test_what_was_measured_is_judged_so() -> None:
    verdicts = found(OLD, NEW)
    refuted = {claim for claim, kind in verdicts.items() if kind is REFUTED}
    assert refuted == {"fp8_everywhere", "scaling_quadratic"}
    assert {kind for claim, kind in verdicts.items() if claim not in refuted} == {CONFIRMED}


def test_two_of_a_kind_refute_what_is_said_to_be_new() -> None:
    for same in (OLD, NEW):
        verdicts = found(same, same)
        for claim in ("ptx_version", "fp8", "plugin", "statistics", "qdq", "scaling"):
            assert verdicts[claim] is REFUTED, claim


@pytest.mark.parametrize(
    ("name", "value"), [("mma_comments", 1), ("unknown_refused", False), ("planted_off", 0.4)]
)
def test_a_control_that_fails_decides_nothing(name: str, value: float) -> None:
    verdicts = found(OLD | {name: value}, NEW)
    for claim in ("fp8", "plugin", "statistics", "qdq", "scaling", "scaling_quadratic"):
        assert verdicts[claim] is VerdictKind.INCONCLUSIVE, claim


def test_exponents_that_overlap_are_left_open() -> None:
    assert found(OLD, NEW | {"chain_exponent": 2.1})["scaling"] is VerdictKind.INCONCLUSIVE
    noisy = NEW | {"exponent_low": 1.5, "exponent_high": 2.95}
    assert found(OLD, noisy)["scaling"] is VerdictKind.INCONCLUSIVE


@pytest.fixture
def script(tmp_path: Path) -> Any:
    with modules(NAME, tmp_path):
        yield importlib.import_module


PTX = """.version 8.4
.target sm_89
\t@%p1 mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1}, {%r1};
\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1};
\t// mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
"""


def test_ptx_and_errors_are_read(script: Any) -> None:
    wheels = script("wheels")
    assert (wheels.mma(PTX), wheels.mma(PTX, "e4m3")) == (2, 1)
    assert wheels.Compiled("sm_89", PTX, "").ptx_version == 8.4
    said = "mm.mlir:5:8: error: missing GPU target in #hal\nnote: more"
    assert wheels.first_error(said) == "missing GPU target in #hal"
    assert wheels.Compiled("sm_90", "", wheels.first_error(said)).no_target
    assert wheels.first_error("LLVM ERROR: PTX version 7.6\n").endswith("PTX version 7.6")
    assert not wheels.first_error("")


def test_a_plugin_counts_only_when_its_library_was_opened(script: Any) -> None:
    outcome = script("options").outcome
    assert outcome(1, "iree-compile: Unknown command line argument '--x'.") == "unknown"
    assert outcome(0, "") == "ignored"
    assert outcome(1, "could not load plugin library '/nowhere'") == "not found"
    assert outcome(1, "defines no iree_get_compiler_plugin_info; declare it") == "opened"
    assert outcome(139, "") == "failed"


def test_rows_of_dispatches_are_told_from_others(script: Any) -> None:
    said = (
        "BM_add/process_time/real_time  0.027 ms  0.029 ms  4114 items_per_second=36k/s\n"
        "BM_add/add_dispatch_0_elementwise   0.000 ms  0.000 ms  4114 calls=1 percent=100\n"
    )
    assert len(script("options").rows(said)) == 2
    assert len(script("options").dispatches(said)) == 1


def test_integer_contractions_are_told_from_float_ones(script: Any) -> None:
    quantised = script("quantised")
    body = "^bb0(%in: {0}, %in_1: {0}, %out: {1}):\n %1 = arith.mul{2} %0\n %2 = arith.add{2} %1\n"
    body += " linalg.yield %2"
    assert quantised.integer(body.format("i8", "i32", "i")) == 1
    assert quantised.integer(body.format("f32", "f32", "f")) == 0
    assert quantised.kept("%3 = iree_linalg_ext.quantize_affine <x>\n%4 = linalg.matmul") == 1
    assert quantised.numbers("result[0]\n2x2xf32=[1.5 -2][3e-05 4]") == [1.5, -2.0, 3e-05, 4.0]
    one, rest = quantised.reference([0.05] + [0.0] * 511, [50] * 256)[:2], 0.05 * 50 * 0.02
    assert one == pytest.approx([rest, rest])


def test_the_fit_finds_the_power_and_how_sure_it_is(script: Any) -> None:
    scaling, draw = script("scaling"), random.Random(1)
    for power in (1, 2, 3):
        times = {
            n: [1e-7 * n**power * draw.lognormvariate(0, 0.1) for _ in range(5)]
            for n in (64, 96, 128, 192, 256, 384)
        }
        value, low, high = scaling.exponent(times)
        assert low <= value <= high
        assert low < power < high
        assert high - low < 1
    row = "    0.4567 ( 99.4%)    ScheduleConcurrencyPass\n    0.4600 (100.0%)  Total"
    assert scaling.seconds(row) == 0.4567
    assert scaling.seconds("error") is None
    assert list(scaling.usable({n: [n / 1e5] for n in scaling.SIZES})) == list(scaling.SIZES[-6:])


def test_a_program_has_the_dispatches_asked_for(script: Any) -> None:
    fan, chain = (script("scaling").program(5, chain=each) for each in (False, True))
    assert fan.count("stream.async.dispatch") == chain.count("stream.async.dispatch") == 5
    assert fan.count("(%s0[") == 5
    assert chain.count("(%s0[") == 1
