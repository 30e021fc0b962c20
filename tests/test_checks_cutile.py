"""cutile-codegen without cuTile: what it reads off SASS, how it judges, its GPU part."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reader.checks import harness, judge
from reader.model import VerdictKind
from tests.checks_here import a_leg
from tests.test_checks_scripts import handed, load, modules, parameters

__all__ = ["handed"]  # a fixture

NAME = "cutile-codegen"
CONFIRMED = VerdictKind.CONFIRMED
REFUTED = VerdictKind.REFUTED
COULD_NOT_RUN = VerdictKind.COULD_NOT_RUN
CONTROL = {"plain_tensor": 0, "decoys_found": 0}
LISTING = """
.L_x_HGMMA:
        /*0040*/              @!UP0 UTMALDG.2D [UR8], [UR4] ;
        /*0050*/                   HGMMA.64x64x16.F32 R24, gdesc[UR4], R24 ;  // HMMA
        /*0060*/               @P1 STL.64 [R1], R2 ;
        /*0070*/                   UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8] ;
"""
# What a machine with two cores gave for matmul 64.
GOOD = {
    "sm_80": {"HMMA": 160, "LDGSTS": 40},
    "sm_89": {"HMMA": 160, "LDGSTS": 40},
    "sm_90": {"HGMMA": 8, "UTMALDG": 2},
    "sm_100": {"UTCHMMA": 4, "UTMALDG": 2},
    "sm_120": {"HMMA": 64, "UTMALDG": 2},
}


def test_opcodes_are_read_without_predicates_and_modifiers(tmp_path: Path) -> None:
    with modules(NAME, tmp_path):
        read = importlib.import_module("opcodes")
        found = read.opcodes(LISTING)
        assert found == {"UTMALDG": 1, "HGMMA": 1, "STL": 1, "UTCHMMA": 1}
        assert read.told(found) == "1 HGMMA, 1 UTCHMMA, 1 UTMALDG"
        assert not read.tensor_right(found, "sm_90")  # one of another architecture stands there


@pytest.mark.parametrize(
    ("arch", "counts", "refuted"),
    [
        ("sm_90", GOOD["sm_90"], set()),
        ("sm_90", {"HMMA": 64, "UTMALDG": 2}, {"tensor_cores"}),
        ("sm_100", {"HGMMA": 4, "UTMALDG": 2}, {"tensor_cores"}),
        ("sm_120", {"HMMA": 64, "LDGSTS": 8}, {"copies"}),
        ("sm_80", {"HMMA": 64}, {"copies"}),
        ("sm_80", {"HMMA": 64, "LDGSTS": 8, "STL": 2}, {"no_local"}),
    ],
)
def test_counts_are_judged_so(
    arch: str, counts: dict[str, int], refuted: set[str], tmp_path: Path
) -> None:
    kinds = {name: GOOD | {arch: counts} for name in ("matmul_64", "matmul_128", "chunk_state")}
    with modules(NAME, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(NAME, folder, tmp_path))
        found = {(name, each): Counter(kinds[name][each]) for name in kinds for each in GOOD}
        script.report(check, found)
        check.finish()
    done = judged(tmp_path)
    assert {claim for claim, kind in done.items() if kind is REFUTED} == refuted
    assert done["compiles"] is CONFIRMED


def judged(tmp_path: Path) -> dict[str, VerdictKind]:
    """Return the verdicts of the result file beside a control that behaved."""
    found = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    leg = a_leg(found["measured"] | CONTROL, obstacles=found["obstacles"])
    return {each.claim: each.verdict for each in judge.judge(load(NAME), [leg])}


class Fails:
    """A compiler that takes nothing."""

    def cubin(self, name: str, arch: str) -> bytes:
        raise RuntimeError(f"no {arch} for {name}")


def test_a_compiler_that_fails_refutes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with modules(NAME, tmp_path) as folder:
        script = importlib.import_module("check")
        monkeypatch.setattr(script, "disassembler", lambda: "nvdisasm")
        check = harness.Check(parameters(NAME, folder, tmp_path))
        assert not script.control(check, Fails(), ["sm_90"])
        check.finish()
    assert set(judged(tmp_path).values()) == {COULD_NOT_RUN}


@pytest.mark.parametrize(("result", "verdict"), [
    ({"elements": 16384, "wrong": 0}, CONFIRMED),
    ({"elements": 16384, "wrong": 3}, REFUTED),
    (None, COULD_NOT_RUN),
])  # fmt: skip
def test_on_a_gpu(result: Any, verdict: VerdictKind, tmp_path: Path, handed: Any) -> None:
    handed({"compared": result})
    with modules(NAME, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(NAME, folder, tmp_path))
        script.on_gpu(check)
        check.finish()
    assert judged(tmp_path)["gpu_correct"] is verdict


def test_the_reference_is_a_product(tmp_path: Path) -> None:
    with modules(NAME, tmp_path):
        gpu = importlib.import_module("gpu")
        assert gpu.product([1, 2, 3, 4], [5, 6, 7, 8], 2) == [19, 22, 43, 50]
        assert gpu.wrong([1.0, 5.0, float("nan")], [1.0, 4.0, 1.0]) == 2
