"""What is new in Triton 3.9, in real environments: as it is, with a false Triton, and broken.

A false Triton is the installed one with a few lines changed; the checks stay as they are.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from reader.model import VerdictKind
from tests.records import pythons_of
from tests.test_real_checks import (
    CONFIRMED,
    COULD_NOT_RUN,
    REFUTED,
    emitting,
    expect,
    false_python,
    leg_without_package,
    run,
)

pytestmark = pytest.mark.real

# ── triton-39-division ─────────────────────────────────────────────────────────────────────────

DIVISION = "triton-39-division"
SEMANTIC = "language/semantic.py"


@pytest.fixture(scope="module")
def with_numpy() -> tuple[str, ...]:
    return tuple(pythons_of(DIVISION))


def test_division_as_it_is(tmp_path: Path, with_numpy: tuple[str, ...]) -> None:
    assert run(tmp_path, DIVISION, with_numpy) == {
        "approx_new": CONFIRMED,
        "only_when_asked": CONFIRMED,
        "default_same": CONFIRMED,
        "not_with_rounding": CONFIRMED,
        "interpreter_error": CONFIRMED,
        "gpu_error": COULD_NOT_RUN,
        "gpu_plain_error": COULD_NOT_RUN,
    }


def test_division_that_ignores_what_was_asked(tmp_path: Path, with_numpy: tuple[str, ...]) -> None:
    """The new option is taken and does nothing, and what it rules out is let pass."""
    changes = {
        SEMANTIC: [
            ("        if approx:\n", "        if False:\n"),
            ("if ieee_rounding and approx:", "if False:"),
        ]
    }
    python = false_python(tmp_path, with_numpy[1], "triton", changes)
    expect(
        run(tmp_path, DIVISION, (with_numpy[0], python), archs=["sm_90"]),
        {"approx_new": REFUTED, "not_with_rounding": REFUTED, "only_when_asked": CONFIRMED},
    )


def test_division_that_always_approximates(tmp_path: Path, with_numpy: tuple[str, ...]) -> None:
    changes = emitting('ret = ret.replace("div.full.f32", "div.approx.f32")')
    changes["runtime/interpreter.py"] = [
        ("create_approx_divf = lambda self, lhs, rhs: self.binary_op(lhs, rhs, np.divide)",
         "create_approx_divf = lambda self, lhs, rhs: self.binary_op("
         "lhs, rhs, lambda a, b: np.divide(a, b) * np.float32(1 + 2**-21))"),
    ]  # fmt: skip
    python = false_python(tmp_path, with_numpy[1], "triton", changes)
    expect(
        run(tmp_path, DIVISION, (with_numpy[0], python), archs=["sm_90"]),
        {
            "only_when_asked": REFUTED,
            "default_same": REFUTED,
            "interpreter_error": REFUTED,
            "approx_new": CONFIRMED,
        },
    )


def test_division_where_one_triton_does_not_compile(
    tmp_path: Path, with_numpy: tuple[str, ...]
) -> None:
    broken = emitting('raise RuntimeError("no back end")')
    python = false_python(tmp_path, with_numpy[1], "triton", broken)
    found = run(tmp_path, DIVISION, (with_numpy[0], python), archs=["sm_90"])
    assert REFUTED not in found.values()
    assert found["approx_new"] is found["default_same"] is COULD_NOT_RUN


def test_division_without_its_package(tmp_path: Path) -> None:
    assert set(leg_without_package(DIVISION).values()) == {"import_failed"}


# ── triton-39-batched-dot ──────────────────────────────────────────────────────────────────────

DOT = "triton-39-batched-dot"
# One kernel alone, so that those of the control stay as they are.
TWICE = (
    r'ret = re.sub(r"(\n[^\n]*mma\.sync[^\n]*)", r"\1\1", ret) if ".entry batched" in ret else ret'
)


@pytest.fixture(scope="module")
def tritons() -> tuple[str, ...]:
    return tuple(pythons_of(DOT))


def test_dot_as_it_is(tmp_path: Path, tritons: tuple[str, ...]) -> None:
    assert run(tmp_path, DOT, tritons) == {
        "ideal": CONFIRMED,
        "every_target": CONFIRMED,
        "every_type": CONFIRMED,
        "no_stack": CONFIRMED,
        "gpu_right": COULD_NOT_RUN,
        "gpu_faster": COULD_NOT_RUN,
        "gpu_forty": COULD_NOT_RUN,
    }


def test_dot_of_a_new_triton_that_does_it_twice(tmp_path: Path, tritons: tuple[str, ...]) -> None:
    python = false_python(tmp_path, tritons[1], "triton", emitting(TWICE))
    expect(
        run(tmp_path, DOT, (tritons[0], python), archs=["sm_80"]),
        {"ideal": REFUTED, "every_target": REFUTED, "every_type": REFUTED, "no_stack": CONFIRMED},
    )


def test_dot_where_one_triton_does_not_compile(tmp_path: Path, tritons: tuple[str, ...]) -> None:
    broken = emitting('raise RuntimeError("no back end")')
    python = false_python(tmp_path, tritons[1], "triton", broken)
    found = run(tmp_path, DOT, (tritons[0], python), archs=["sm_80"])
    assert set(found.values()) == {COULD_NOT_RUN}


def test_dot_without_its_package(tmp_path: Path) -> None:
    assert set(leg_without_package(DOT).values()) == {"import_failed"}


# ── triton-39-e8m0 ─────────────────────────────────────────────────────────────────────────────

E8M0 = "triton-39-e8m0"
INTERPRETER = "runtime/interpreter.py"


def test_e8m0_as_it_is(tmp_path: Path, with_numpy: tuple[str, ...]) -> None:
    assert run(tmp_path, E8M0, with_numpy) == {
        "all_right": CONFIRMED,
        "ends_corrected": CONFIRMED,
        "middle_same": CONFIRMED,
    }


@pytest.mark.parametrize(
    ("old", "new", "middle"),
    [
        ("bits = np.maximum(bits, 0x00400000)", "pass", CONFIRMED),
        ("scale = _interpreter.fma_fp32(scale, np.zeros_like(scale), scale)", "pass", CONFIRMED),
        ("bits = scale.view(np.uint8).astype(np.int32) << 23",
         "bits = (scale.view(np.uint8).astype(np.int32) ^ 1) << 23", REFUTED),
    ],
    ids=["zero", "NaN", "all"],
)  # fmt: skip
def test_e8m0_that_is_not_corrected(
    tmp_path: Path, with_numpy: tuple[str, ...], old: str, new: str, middle: VerdictKind
) -> None:
    python = false_python(tmp_path, with_numpy[1], "triton", {INTERPRETER: [(old, new)]})
    expect(
        run(tmp_path, E8M0, (with_numpy[0], python)),
        {"all_right": REFUTED, "ends_corrected": REFUTED, "middle_same": middle},
    )


def test_e8m0_that_was_right_before(tmp_path: Path, with_numpy: tuple[str, ...]) -> None:
    old = "    scale = scale << 23"
    right = "    zero = scale == 0; nan = scale == 255; scale = scale << 23"
    right += "; scale = np.where(zero, 0x00400000, np.where(nan, 0x7FC00000, scale))"
    right += ".astype(np.uint32)"
    python = false_python(tmp_path, with_numpy[0], "triton", {INTERPRETER: [(old, right)]})
    expect(
        run(tmp_path, E8M0, (python, with_numpy[1])),
        {"all_right": CONFIRMED, "ends_corrected": REFUTED, "middle_same": CONFIRMED},
    )


def test_e8m0_where_the_interpreter_fails(tmp_path: Path, with_numpy: tuple[str, ...]) -> None:
    changes = {INTERPRETER: [("def create_dot_scaled(", "def create_no_dot_scaled(")]}
    python = false_python(tmp_path, with_numpy[1], "triton", changes)
    assert set(run(tmp_path, E8M0, (with_numpy[0], python)).values()) == {COULD_NOT_RUN}


def test_e8m0_without_its_package(tmp_path: Path) -> None:
    assert set(leg_without_package(E8M0).values()) == {"import_failed"}


# ── triton-39-nested-loops ─────────────────────────────────────────────────────────────────────

LOOPS = "triton-39-nested-loops"
FRONT = "        return ast_to_ttir(self.fn, self, context=context,"


def test_loops_as_they_are(tmp_path: Path, tritons: tuple[str, ...]) -> None:
    assert run(tmp_path, LOOPS, tritons) == {
        "front_end": CONFIRMED,
        "whole_compile": REFUTED,
        "growth": CONFIRMED,
    }


def test_loops_of_a_new_triton_whose_time_doubles_with_each(
    tmp_path: Path, tritons: tuple[str, ...]
) -> None:
    """The new front end does its work again and again, twice as often for every loop more."""
    again = (
        '        for _again in range(2 ** self.fn.src.count("for ") // 6):\n'
        "            ast_to_ttir(self.fn, self, context=context, options=options,"
        " codegen_fns=codegen_fns, module_map=module_map)\n"
    )
    changes = {"compiler/compiler.py": [(FRONT, again + FRONT)]}
    python = false_python(tmp_path, tritons[1], "triton", changes)
    expect(run(tmp_path, LOOPS, (tritons[0], python)), {"front_end": REFUTED, "growth": REFUTED})


def test_loops_where_one_triton_does_not_compile(tmp_path: Path, tritons: tuple[str, ...]) -> None:
    broken = emitting('raise RuntimeError("no back end")')
    python = false_python(tmp_path, tritons[1], "triton", broken)
    assert set(run(tmp_path, LOOPS, (tritons[0], python)).values()) == {COULD_NOT_RUN}


def test_loops_without_their_package(tmp_path: Path) -> None:
    assert set(leg_without_package(LOOPS).values()) == {"import_failed"}
