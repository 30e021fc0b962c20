"""What is new in Triton 3.9, without Triton: what the scripts read, and how it is judged."""

from __future__ import annotations

import importlib
import math
import random
from array import array
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reader.checks import harness, judge
from reader.model import VerdictKind
from tests.checks_here import a_leg
from tests.test_checks_scripts import handed, load, modules, on_simulated_driver, parameters

__all__ = ["handed"]  # a fixture

CONFIRMED = VerdictKind.CONFIRMED
REFUTED = VerdictKind.REFUTED
NOT_APPLICABLE = VerdictKind.NOT_APPLICABLE
COULD_NOT_RUN = VerdictKind.COULD_NOT_RUN


def judged(name: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, VerdictKind]:
    """Judge both legs' measurements."""
    legs = [a_leg(old, name="3.8"), a_leg(new, name="3.9")]
    return {each.claim: each.verdict for each in judge.judge(load(name), legs)}


def refuted(found: dict[str, VerdictKind]) -> set[str]:
    return {claim for claim, kind in found.items() if kind is REFUTED}


# ── triton-39-division ─────────────────────────────────────────────────────────────────────────

DIVISION = "triton-39-division"
OLD_DIVISION: dict[str, Any] = {
    "planted": 4, "planted_found": 4, "decoys_found": 0, "planted_ulps": 3.2, "exact_ulps": 0.499,
    "approx_present": False, "targets": 4, "approx_compiled": 0, "approx_instructions": 0,
    "others": 24, "others_approximate": 0, "plain_opcodes": "slash: div.full.f32",
    "slash_opcode": "div.full.f32", "rounded_opcode": "div.rn.f32", "quotients": 16384,
    "interpreter_slash_ulps": 0.5, "gpu_plain_ulps": 1.4,
}  # fmt: skip
NEW_DIVISION = OLD_DIVISION | {
    "approx_present": True, "approx_compiled": 4, "approx_instructions": 4, "ruled_out": 2,
    "ruled_out_refused": 2, "interpreter_ulps": 0.5, "gpu_ulps": 1.6,
}  # fmt: skip
PTX_DIVISIONS = [
    ("\tdiv.approx.f32 \t%r1, %r2, %r3;", ("div.approx.f32",), True),
    ("{ div.approx.f32 %r1, %r2, %r3; }", ("div.approx.f32",), True),
    ("@!%p1 div.approx.ftz.f32 %r1, %r2, %r3;", ("div.approx.ftz.f32",), True),
    ("mov.b32 %r1, %r2; rcp.approx.f32 %r1, %r2;", ("rcp.approx.f32",), True),
    ("div.full.f32 %r1, %r2;\ndiv.rn.f64 %r1, %r2;", ("div.full.f32", "div.rn.f64"), False),
    ("// div.approx.f32 %r1;\n/* div.approx.f32 %r1; */", (), False),
    ('.file 1 "div.py"\nex2.approx.f32 %r1, %r2;\ndiv.s32 %r1, %r2, %r3;', (), False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "opcodes", "approximates"), PTX_DIVISIONS)
def test_division_reads_ptx(
    text: str, opcodes: tuple[str, ...], approximates: bool, tmp_path: Path
) -> None:
    with modules(DIVISION, tmp_path):
        compiling = importlib.import_module("compiling")
        assert compiling.divisions(text) == opcodes
        assert compiling.approximate(opcodes) is approximates


def test_division_measures_errors_in_last_places(tmp_path: Path) -> None:
    with modules(DIVISION, tmp_path):
        quotients = importlib.import_module("quotients")
    over, under = quotients.operands(1, 4096)
    assert min(map(abs, under)) >= 2.0**-126
    assert max(map(abs, under)) == 2.0**126  # the ends belong to the range
    exact = array("f", (x / y for x, y in zip(over, under, strict=True)))
    assert all(2.0**-126 <= abs(each) < math.inf for each in exact)
    assert 0.4 < quotients.worst(exact, over, under) <= 0.5
    assert quotients.ulps(1 + 2.0**-22, 1.0, 1.0) == 2
    assert quotients.ulps(1 - 2.0**-24, 1.0, 1.0) == 0.5
    assert quotients.ulps(math.nan, 1.0, 1.0) == math.inf
    assert quotients.operands(1, 64) == quotients.operands(1, 64) != quotients.operands(2, 64)


def test_division_as_measured() -> None:
    assert set(judged(DIVISION, OLD_DIVISION, NEW_DIVISION).values()) == {CONFIRMED}


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ({}, {"approx_instructions": 3}, {"approx_new"}),
        ({"approx_compiled": 4}, {}, {"approx_new"}),
        ({}, {"others_approximate": 1}, {"only_when_asked"}),
        ({}, {"plain_opcodes": "slash: div.rn.f32"}, {"default_same"}),
        ({}, {"ruled_out_refused": 1}, {"not_with_rounding"}),
        ({}, {"interpreter_ulps": 2.1}, {"interpreter_error"}),
        ({}, {"gpu_ulps": 2.4, "gpu_plain_ulps": 1e9}, {"gpu_error", "gpu_plain_error"}),
    ],
)
def test_division_that_is_otherwise(
    old: dict[str, Any], new: dict[str, Any], wanted: set[str]
) -> None:
    assert refuted(judged(DIVISION, OLD_DIVISION | old, NEW_DIVISION | new)) == wanted


def test_division_where_both_are_old() -> None:
    found = judged(DIVISION, OLD_DIVISION, OLD_DIVISION)
    assert refuted(found) == {"approx_new"}
    assert found["not_with_rounding"] is found["gpu_error"] is NOT_APPLICABLE


@pytest.mark.parametrize("blind", [{"planted_found": 3}, {"planted_ulps": 1.0}])
def test_division_with_a_control_that_fails(blind: dict[str, Any]) -> None:
    found = judged(DIVISION, OLD_DIVISION, NEW_DIVISION | blind)
    assert not refuted(found)
    assert found["only_when_asked"] is VerdictKind.INCONCLUSIVE


@pytest.mark.parametrize(("ulps", "wanted"), [(1.5, CONFIRMED), (math.inf, REFUTED)])
def test_division_on_handed_gpu_results(
    tmp_path: Path,
    handed: Any,
    ulps: float,
    wanted: VerdictKind,
) -> None:
    handed({"gpu_ulps": min(ulps, 1e300), "gpu_plain_ulps": min(ulps, 1e300)})
    with modules(DIVISION, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(DIVISION, folder, tmp_path))
        compiler = SimpleNamespace(build=lambda *_all: None, has_approx=lambda: True)
        script.on_gpu(check, compiler)
        measured = check._result["measured"]
    found = judged(DIVISION, OLD_DIVISION, NEW_DIVISION | measured)
    assert (found["gpu_error"], found["gpu_plain_error"]) == (wanted, wanted)


ON_DRIVER = """
import json
from types import SimpleNamespace
import gpu
built = SimpleNamespace(cubin=b"cubin", shared=0, threads=128)
print(json.dumps(gpu.error(built, "approximate", 7)))
"""


@pytest.mark.parametrize("fault", [False, True])
def test_division_driver_code(tmp_path: Path, fault: bool) -> None:
    error = on_simulated_driver(DIVISION, ON_DRIVER, tmp_path, fault)
    assert error > 1e6 if fault else error == pytest.approx(0.5, abs=0.01)


# ── triton-39-batched-dot ──────────────────────────────────────────────────────────────────────

DOT = "triton-39-batched-dot"
OLD_DOT: dict[str, Any] = {
    "decoys_found": 0, "plain_ratio": 1.0, "planted_ratio": 2.0, "shapes": 12, "at_ideal": 3,
    "worst": 16.0, "worst_shape": "1×128×128×32", "stack": 5160, "stack_shapes": 1, "targets": 6,
    "targets_at_ideal": 0, "targets_worst": 4.0, "types": 4, "types_at_ideal": 0,
    "types_worst": 4.0, "gpu_elements": 32768, "gpu_wrong": 0, "gpu_us": 440.0,
    "gpu_us_low": 430.0, "gpu_us_high": 450.0, "gpu_us_forty": 16200.0,
}  # fmt: skip
NEW_DOT = OLD_DOT | {
    "at_ideal": 12, "worst": 1.0, "stack": 0, "stack_shapes": 0, "targets_at_ideal": 6,
    "targets_worst": 1.0, "types_at_ideal": 4, "types_worst": 1.0, "gpu_us": 11.0,
    "gpu_us_low": 10.9, "gpu_us_high": 11.1, "gpu_us_forty": 399.6,
}  # fmt: skip


def test_dot_counts_the_work_of_a_warp(tmp_path: Path) -> None:
    with modules(DOT, tmp_path):
        compiling = importlib.import_module("compiling")
        script = importlib.import_module("check")
    one = "\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1}, {%r2};\n"
    text = 2 * one + one.replace("k16", "k8").replace("\t", "@%p1 ") + script.DECOYS
    assert compiling.instructions(text) == [(16, 8, 16), (16, 8, 16), (16, 8, 8)]
    shape = compiling.Shape(2, 16, 16, 16, 4)
    assert compiling.over_ideal(one, shape) == 1
    assert compiling.over_ideal(4 * one, shape) == 4
    assert compiling.over_ideal(script.DECOYS, shape) == 0
    assert len({each.name for each in script.SHAPES}) == len(script.SHAPES) == 12


def test_dot_as_measured() -> None:
    assert set(judged(DOT, OLD_DOT, NEW_DOT).values()) == {CONFIRMED}


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ({}, {"at_ideal": 11}, {"ideal"}),
        ({"at_ideal": 12}, {}, {"ideal"}),
        ({}, {"targets_at_ideal": 5, "types_at_ideal": 3}, {"every_target", "every_type"}),
        ({"stack": 0}, {}, {"no_stack"}),
        ({}, {"gpu_wrong": 3}, {"gpu_right"}),
        ({"gpu_us_low": 5.0, "gpu_us_high": 5.1}, {}, {"gpu_faster", "gpu_forty"}),
    ],
)
def test_dot_that_is_otherwise(old: dict[str, Any], new: dict[str, Any], wanted: set[str]) -> None:
    assert refuted(judged(DOT, OLD_DOT | old, NEW_DOT | new)) == wanted


def test_dot_that_falls_short_of_forty_is_left_open() -> None:
    found = judged(DOT, OLD_DOT | {"gpu_us_low": 200.0, "gpu_us_high": 210.0}, NEW_DOT)
    assert (found["gpu_faster"], found["gpu_forty"]) == (CONFIRMED, VerdictKind.INCONCLUSIVE)
    same = judged(DOT, OLD_DOT | {"gpu_us_low": 10.8, "gpu_us_high": 11.0}, NEW_DOT)
    assert same["gpu_faster"] is VerdictKind.INCONCLUSIVE


@pytest.mark.parametrize("blind", [{"planted_ratio": 1.0}, {"decoys_found": 1}])
def test_dot_with_a_control_that_fails(blind: dict[str, Any]) -> None:
    found = judged(DOT, OLD_DOT, NEW_DOT | blind)
    assert set(found.values()) == {VerdictKind.INCONCLUSIVE}


def test_dot_on_handed_gpu_results(tmp_path: Path, handed: Any) -> None:
    handed({"widest": {"elements": 9, "wrong": 0, "microseconds": [10.0, 11.0, 12.0] * 20}})
    with modules(DOT, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(DOT, folder, tmp_path))
        script.on_gpu(check, SimpleNamespace(build=lambda *_all: None))
    measured = check._result["measured"]
    assert (measured["gpu_us"], measured["gpu_us_forty"]) == (11.0, 432.0)
    assert measured["gpu_us_low"] <= 11.0 <= measured["gpu_us_high"]
    found = judged(DOT, OLD_DOT, NEW_DOT | measured)
    assert (found["gpu_right"], found["gpu_faster"], found["gpu_forty"]) == (
        CONFIRMED, CONFIRMED, VerdictKind.INCONCLUSIVE,
    )  # fmt: skip


ON_DRIVER_DOT = """
import json
from types import SimpleNamespace
import gpu
from compiling import Shape
gpu.BLOCKS = 8
built = SimpleNamespace(cubin=b"cubin", shared=65536, threads=128)
print(json.dumps(gpu.measured(built, Shape(1, 16, 16, 16, 4), 7)))
"""


@pytest.mark.parametrize("fault", [False, True])
def test_dot_driver_code(tmp_path: Path, fault: bool) -> None:
    found = on_simulated_driver(DOT, ON_DRIVER_DOT, tmp_path, fault)
    assert (found["elements"], found["wrong"]) == (512, 512 if fault else 0)
    assert len(found["microseconds"]) == 60


# ── triton-39-e8m0 ─────────────────────────────────────────────────────────────────────────────

E8M0 = "triton-39-e8m0"
OLD_E8M0: dict[str, Any] = {
    "right_found": 0, "planted_found": 2, "shifted_found": 256, "doubled_found": 254, "ways": 8,
    "decoded": 2048, "wrong": 16, "wrong_encodings": "0x00, 0xFF", "middle_wrong": 0,
    "wrong_00": 8, "wrong_ff": 8, "value_00": "0.0", "value_ff": "inf",
}  # fmt: skip
NEW_E8M0 = OLD_E8M0 | {
    "doubled_found": 255, "wrong": 0, "wrong_encodings": "–", "wrong_00": 0, "wrong_ff": 0,
    "value_00": "2^-127", "value_ff": "nan",
}  # fmt: skip


def test_e8m0_is_compared_bit_by_bit(tmp_path: Path) -> None:
    with modules(E8M0, tmp_path):
        decoding = importlib.import_module("decoding")
    right = [decoding.defined(each) for each in decoding.ENCODINGS]
    assert (right[0], right[127], right[254]) == (2.0**-127, 1.0, 2.0**127)
    assert decoding.wrong(right) == []
    assert decoding.wrong([0.0, *right[1:255], math.inf]) == [0, 255]
    assert decoding.wrong([*right[:7], math.nextafter(right[7], 1), *right[8:]]) == [7]
    assert [decoding.told(each) for each in (0.0, math.inf, math.nan, 2.0**-127, 3.0)] == [
        "0.0", "inf", "nan", "2^-127", "3",
    ]  # fmt: skip


def test_e8m0_as_measured() -> None:
    assert set(judged(E8M0, OLD_E8M0, NEW_E8M0).values()) == {CONFIRMED}


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ({}, {"wrong": 8, "wrong_00": 8}, {"all_right", "ends_corrected"}),
        ({"wrong_ff": 0}, {}, {"ends_corrected"}),
        ({}, {"wrong": 1, "middle_wrong": 1}, {"all_right", "middle_same"}),
        ({"middle_wrong": 1}, {}, {"middle_same"}),
    ],
)
def test_e8m0_that_is_otherwise(old: dict[str, Any], new: dict[str, Any], wanted: set[str]) -> None:
    assert refuted(judged(E8M0, OLD_E8M0 | old, NEW_E8M0 | new)) == wanted


@pytest.mark.parametrize("blind", [{"planted_found": 0}, {"doubled_found": 0}])
def test_e8m0_with_a_control_that_fails(blind: dict[str, Any]) -> None:
    found = judged(E8M0, OLD_E8M0, NEW_E8M0 | blind)
    assert set(found.values()) == {VerdictKind.INCONCLUSIVE}


def test_checks_of_triton_39_share_their_environments() -> None:
    from reader.checks.environment import install_key

    def keys(name: str) -> list[str]:
        check = load(name)
        return [install_key(side.packages, check.folder) for side in check.sides]

    assert keys(E8M0) == keys(DIVISION)
    assert keys(DOT) == keys("triton-39-atomics")


# ── triton-39-nested-loops ─────────────────────────────────────────────────────────────────────

LOOPS = "triton-39-nested-loops"
OLD_LOOPS: dict[str, Any] = {
    "loops": 8, "loops_built": 8, "again_ratio": 1.0, "twice_ratio": 1.99, "yard_ms": 7.4,
    "front_ms": 53.8, "whole_ms": 111.2, "growth": 1.9, "growth_low": 1.89, "growth_high": 1.96,
}  # fmt: skip
NEW_LOOPS = OLD_LOOPS | {
    "front_ms": 5.1, "whole_ms": 67.2, "growth": 1.23, "growth_low": 1.19, "growth_high": 1.3,
}  # fmt: skip
WHAT_TIMES = ("front", "front_6", "front_4", "whole")


def looped(
    old: tuple[float, ...], new: tuple[float, ...], more: dict[str, Any] | None = None
) -> dict[str, VerdictKind]:
    """Judge legs with such middles of their times (front end at 8, 6 and 4 loops, and whole)."""
    legs = []
    for name, middles, measured in (("3.8", old, OLD_LOOPS), ("3.9", new, NEW_LOOPS)):
        dice = random.Random(name)
        cases = tuple(
            {
                "claim": "front_end", "name": what, "beside": True,
                "samples": [middle * dice.lognormvariate(0, 0.08) for _round in range(16)],
            }
            for what, middle in zip(WHAT_TIMES, middles, strict=True)
        )  # fmt: skip
        legs.append(a_leg(measured | (more or {} if name == "3.9" else {}), name=name, cases=cases))
    return {each.claim: each.verdict for each in judge.judge(load(LOOPS), legs)}


AS_TIMED = (53.8, 16.0, 5.2, 111.0), (5.1, 3.4, 2.0, 67.0)


def test_loops_as_measured() -> None:
    wanted = {"front_end": CONFIRMED, "whole_compile": REFUTED, "growth": CONFIRMED}
    assert looped(*AS_TIMED) == wanted


@pytest.mark.parametrize(
    ("front", "whole", "more", "wanted"),
    [
        (2.0, 1.0, {}, (REFUTED, REFUTED, CONFIRMED)),
        (5.0, 1.0, {}, (VerdictKind.INCONCLUSIVE, REFUTED, CONFIRMED)),
        (30.0, 9.0, {}, (CONFIRMED, CONFIRMED, CONFIRMED)),
        (9.0, 1.0, {"growth_low": 1.97, "growth_high": 2.1}, (CONFIRMED, REFUTED, REFUTED)),
    ],
)
def test_loops_that_are_otherwise(
    front: float, whole: float, more: dict[str, Any], wanted: tuple[VerdictKind, ...]
) -> None:
    found = looped((front, front, front, whole), (1.0, 1.0, 1.0, 1.0), more)
    assert tuple(found.values()) == wanted


@pytest.mark.parametrize("blind", [{"twice_ratio": 1.0}, {"loops_built": 1}, {"again_ratio": 1.6}])
def test_loops_with_a_control_that_fails(blind: dict[str, Any]) -> None:
    assert set(looped(*AS_TIMED, blind).values()) == {VerdictKind.INCONCLUSIVE}


def test_loops_without_times_in_one_leg() -> None:
    legs = [a_leg(OLD_LOOPS, name="3.8"), a_leg(NEW_LOOPS, name="3.9")]
    found = {each.claim: each.verdict for each in judge.judge(load(LOOPS), legs)}
    assert (found["front_end"], found["growth"]) == (COULD_NOT_RUN, CONFIRMED)


def test_loops_times_come_of_rounds_in_any_order(tmp_path: Path) -> None:
    """A stand-in for the compiler that takes known times: what is reported follows from them."""
    with modules(LOOPS, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(LOOPS, folder, tmp_path))
        compiler = SimpleNamespace(
            yard=lambda: 0.01,
            whole=lambda _depth: 0.2,
            front=lambda depth, times=1: times * 0.001 * 2**depth,
        )
        kept = script.rounds(check, compiler)
        script.report(check, kept)
    measured = check._result["measured"]
    assert (measured["again_ratio"], measured["twice_ratio"]) == (1.0, 2.0)
    assert (measured["front_ms"], measured["growth"], measured["yard_ms"]) == (256.0, 2.0, 10.0)
    samples = {row["name"]: row["samples"] for row in check._result["cases"] if "samples" in row}
    assert {name: {round(each, 6) for each in times} for name, times in samples.items()} == {
        "front": {25.6}, "front_6": {6.4}, "front_4": {1.6}, "whole": {20.0},
    }  # fmt: skip
    assert all(len(times) == script.ROUNDS for times in samples.values())
