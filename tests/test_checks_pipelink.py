"""pipelink-lto without CUDA: what it reads off the tools' words, its judgement, its GPU part."""

from __future__ import annotations

import importlib
import math
from array import array
from pathlib import Path
from typing import Any

import pytest

from reader.checks import harness, judge
from reader.model import VerdictKind
from tests.checks_here import a_leg
from tests.test_checks_scripts import handed, load, modules, parameters, verdicts

__all__ = ["handed"]  # a fixture

NAME = "pipelink-lto"
CONFIRMED = VerdictKind.CONFIRMED
REFUTED = VerdictKind.REFUTED
INCONCLUSIVE = VerdictKind.INCONCLUSIVE
COULD_NOT_RUN = VerdictKind.COULD_NOT_RUN
LISTING = """
.text.normed:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 CALL.REL.NOINC `(.L_x_1) ;
        /*0020*/                   STL.64 [R1+0x8], R2 ;
        /*0030*/                   EXIT ;
        /*0040*/                   NOP;
.text._Z3dotPKfS0_i:
        /*0000*/                   RET.ABS.NODEC R20 0x0 ;
"""
USAGE = """
 Function normed:
  REG:24 STACK:32 SHARED:0 LOCAL:0 CONSTANT[0]:552
 Function _Z3dotPKfS0_i:
  REG:18 STACK:UNKNOWN SHARED:0
"""
CONTROL = {
    "repeated_same": 3, "planted_same": 0, "planted_calls": 12, "whole_same": 6, "kernels": 6,
    "whole_ratio": 1.0,
}  # fmt: skip
# What a machine with two cores gave for sm_90 and sm_100.
FOUND = CONTROL | {
    "packaged_version": "13.5", "jit_version": "13.5", "linkers_same": 6,
    "whole_calls": 4, "whole_local": 0, "whole_stack": 0, "whole_registers": 164,
    "lto_calls": 4, "lto_local": 0, "lto_stack": 0, "lto_registers": 164, "lto_same": 6,
    "lto_ratio": 1.0, "plain_calls": 55, "plain_local": 6, "plain_stack": 128,
    "plain_registers": 342, "ftz_kernels": 3, "ftz_same": 0, "ftz_ratio": 1.104,
    "ftz_told_same": 3, "ftz_nvlink_same": 0, "mixed_refused": True, "mixed_said": "do not match",
    "mixed_jit_taken": True, "toolkit_version": "13.0", "toolkit_kernels": 6,
    "toolkit_linker": "nvlink", "toolkit_same": 6, "toolkit_same_backend": 6, "toolkit_ratio": 1.0,
}  # fmt: skip


def found(**changed: Any) -> dict[str, VerdictKind]:
    return {each.claim: each.verdict for each in judge.judge(load(NAME), [a_leg(FOUND | changed)])}


def test_what_was_measured_is_judged_so() -> None:
    judged = found()
    assert {claim for claim, kind in judged.items() if kind is REFUTED} == {"flags_kept"}
    assert {claim for claim, kind in judged.items() if kind is COULD_NOT_RUN} == {
        "gpu_correct", "gpu_latency",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "changed"),
    [
        ("lto_equal", {"lto_ratio": 1.003}),
        ("lto_equal", {"lto_calls": 5}),
        ("plain_apart", {"plain_calls": 4}),
        ("fallback", {"linkers_same": 5}),
        ("mixed_refused", {"mixed_refused": False}),
        ("toolkit_equal", {"toolkit_ratio": 1.02}),
    ],
)
def test_other_figures_refute(claim: str, changed: dict[str, Any]) -> None:
    assert found(**changed)[claim] is REFUTED


def test_a_control_that_sees_nothing_decides_nothing() -> None:
    assert set(found(planted_same=3).values()) == {INCONCLUSIVE}


def test_sass_is_read_function_by_function(tmp_path: Path) -> None:
    with modules(NAME, tmp_path):
        read = importlib.import_module("sass").kernels(LISTING, USAGE)
    kernel = read["normed"]
    assert (len(kernel.code), kernel.calls, kernel.local) == (4, 1, 1)
    assert (kernel.registers, kernel.stack) == (24, 32)
    assert set(read) == {"normed"}


def test_a_cubin_without_the_kernels_is_a_failed_tool(tmp_path: Path) -> None:
    """Else an empty link would count as one without calls."""
    with modules(NAME, tmp_path) as folder:
        toolchain = importlib.import_module("toolchain")
        check = harness.Check(parameters(NAME, folder, tmp_path))
        tools = toolchain.Toolchain(check, tmp_path, tmp_path, "here")
        with pytest.raises(toolchain.ToolError):
            tools.run("nvcc", "--version")
        tools.run = lambda tool, *_words: LISTING if tool == "nvdisasm" else USAGE
        with pytest.raises(toolchain.ToolError, match="normed"):
            tools.read(tmp_path / "x.cubin")


def test_references_are_those_of_the_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with modules(NAME, tmp_path):
        gpu = importlib.import_module("gpu")
        monkeypatch.setattr(gpu, "ROWS", gpu.CHECKED)
        ones = array("f", [1.0] * (gpu.ROWS * gpu.WIDTH * gpu.LANES))
        weights = array("f", [0.5] * (gpu.LANES * gpu.WIDTH))
        silu = 4 / (1 + math.exp(-4))
        gated = gpu.reference("gated", [ones, weights, weights])
        assert gated[0] == pytest.approx(silu * 0.125 * 4 * math.exp(-0.125))
        attended = gpu.reference("attended", [ones, weights, weights])
        assert attended[:2] == pytest.approx([0.5 / 32] * 2)
        assert gpu.reference("normed", [ones, weights])[0] == pytest.approx(
            gpu.silu(0.5 / math.sqrt(1 + 1e-6))
        )
        assert [len(gpu.inputs(name, 1)) for name in gpu.KERNELS] == [3, 3, 2]
        assert gpu.wrong(array("f", [1.0, 2.0]), [1.0, 2.1]) == 1


@pytest.mark.parametrize(
    ("wrong", "factor", "expected"),
    [
        (0, 1.0, (CONFIRMED, CONFIRMED)),
        (0, 1.05, (CONFIRMED, REFUTED)),
        (3, 1.0, (REFUTED, COULD_NOT_RUN)),
    ],
)
def test_on_a_gpu(
    wrong: int, factor: float, expected: tuple[VerdictKind, ...], tmp_path: Path, handed: Any
) -> None:
    times = [1e-5 * (1 + 1e-5 * (n * 7 % 11)) for n in range(60)]
    arms = {"baseline": times, "again": times[::-1], "candidate": [factor * each for each in times]}
    names = ("gated", "attended", "normed")
    handed(
        {"compared": {"elements": 9, "wrong": wrong}} | {f"times_{name}": arms for name in names}
    )
    with modules(NAME, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(NAME, folder, tmp_path))
        script.measure_on_gpu(check, {"whole": "", "linked": ""})
        check.finish()
    judged = verdicts(NAME, tmp_path, FOUND)
    assert (judged["gpu_correct"], judged["gpu_latency"]) == expected
