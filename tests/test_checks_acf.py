"""ptxas-acf without its packages: ptxas as scripts, and how figures are judged."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from reader.checks import harness, judge
from reader.model import VerdictKind
from tests.checks_here import a_leg
from tests.test_checks_scripts import load, modules, parameters

NAME = "ptxas-acf"
CONFIRMED = VerdictKind.CONFIRMED
REFUTED = VerdictKind.REFUTED
COULD_NOT_RUN = VerdictKind.COULD_NOT_RUN
# A ptxas of some release: --help names the option where it has it; a file that begins with its
# release lowers the spills, any other is refused (or taken, by one that does not look).
PTXAS = """#!/bin/sh
case "$*" in
*--version*) echo "Cuda compilation tools, release {release}, V{release}.1"; exit 0;;
*--help*) echo "{help}"; exit 0;;
*--apply-controls*)
    for last; do :; done
    if [ "{looks}" = yes ] && ! grep -qs "^{release}" "$last"; then
        echo "ptxas fatal   : Invalid compiler controls file" >&2; exit 255
    fi
    spills=4;;
*) spills=380;;
esac
echo "ptxas info : $spills bytes spill stores, 0 bytes spill loads" >&2
echo "ptxas info : Used 32 registers, used 0 barriers" >&2
"""


def ptxas(folder: Path, release: str, *, option: bool, looks: bool = True) -> Path:
    file = folder / f"ptxas-{release}"
    help_ = "--apply-controls" if option else "--arch"
    file.write_text(
        PTXAS.format(release=release, help=help_, looks="yes" if looks else "no"), encoding="utf-8"
    )
    file.chmod(0o755)
    return file


def measured(
    tmp_path: Path, able: dict[str, tuple[bool, bool]], acf: str = ""
) -> dict[str, VerdictKind]:
    """Run everything but Helion and CompileIQ with these ptxas: release → (option, looks)."""
    chosen = {}
    if acf:
        (tmp_path / "own.acf").write_text(acf, encoding="utf-8")
        chosen["acf"] = str(tmp_path / "own.acf")
    with modules(NAME, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(NAME, folder, tmp_path, chosen=chosen))
        found = [
            script.Ptxas(check, ptxas(tmp_path, release, option=option, looks=looks))
            for release, (option, looks) in able.items()
        ]
        with_option = [each for each in found if each.has_option]
        script.control(check, found)
        script.versions(check, found)
        script.canary(check, with_option)
        script.own_file(check, with_option, None)
        check.finish()
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    leg = a_leg(result["measured"], obstacles=result["obstacles"])
    return {each.claim: each.verdict for each in judge.judge(load(NAME), [leg])}


GOOD = {"12.9": (False, True), "13.0": (False, True), "13.4": (True, True), "13.5": (True, True)}


def test_as_they_are(tmp_path: Path) -> None:
    judged = measured(tmp_path, GOOD, "13.4 and controls")
    assert {claim: judged[claim] for claim in ("option_since", "canary", "version_lock")} == {
        "option_since": CONFIRMED,
        "canary": CONFIRMED,
        "version_lock": CONFIRMED,
    }
    assert judged["elsewhere"] is CONFIRMED
    assert judged["helion_carries"] is COULD_NOT_RUN


@pytest.mark.parametrize(
    ("able", "claim"),
    [
        (GOOD | {"13.0": (True, True)}, "option_since"),
        (GOOD | {"13.5": (False, True)}, "option_since"),
        (GOOD | {"13.4": (True, False)}, "canary"),
        (GOOD | {"13.4": (True, False), "13.5": (True, False)}, "version_lock"),
    ],
)
def test_other_tools_refute(able: dict[str, tuple[bool, bool]], claim: str, tmp_path: Path) -> None:
    assert measured(tmp_path, able, "13.4 and controls")[claim] is REFUTED


def test_without_a_file_or_an_option_nothing_is_refuted(tmp_path: Path) -> None:
    judged = measured(tmp_path, {"12.9": (False, True)})
    assert REFUTED not in judged.values()
    assert judged["canary"] is COULD_NOT_RUN
    assert judged["version_lock"] is COULD_NOT_RUN


def test_a_ptxas_that_fails_at_everything_does_not_pass_for_one_that_refuses(
    tmp_path: Path,
) -> None:
    with modules(NAME, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(NAME, folder, tmp_path))
        broken = ptxas(tmp_path, "13.5", option=True)
        text = broken.read_text(encoding="utf-8").replace("*) spills=380;;", "*) exit 1;;")
        broken.write_text(text, encoding="utf-8")
        found = [script.Ptxas(check, broken)]
        script.control(check, found)
        script.canary(check, found)
        check.finish()
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert result["obstacles"]["canary"]["code"] == "tool_failed"
    assert result["measured"]["spilling"] == 0


FOUND = {
    "assemblers": 4, "spilling": 4, "helion_cases": 2, "helion_carried": 2, "helion_plain": 0,
    "helion_files": "a", "helion_parsed": True, "search_before": 836, "search_after": 788,
    "search_candidates": 96, "search_taken": 90, "search_space": "13.3",
    "acf_tried": 1, "acf_taken": 1, "acf_taken_by": "13.5", "acf_spills_before": 836,
    "acf_spills_after": 788, "acf_registers_before": 32, "acf_registers_after": 32,
}  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "changed", "verdict"),
    [
        ("helion_carries", {}, CONFIRMED),
        ("helion_carries", {"helion_carried": 1}, REFUTED),
        ("helion_carries", {"helion_plain": 1}, REFUTED),
        ("spills", {}, CONFIRMED),
        ("spills", {"search_after": 836}, VerdictKind.INCONCLUSIVE),
        ("spills", {"search_taken": 0, "search_after": 836}, REFUTED),
        ("version_lock", {}, VerdictKind.NOT_APPLICABLE),
        ("elsewhere", {"acf_registers_after": 40}, REFUTED),
        ("elsewhere", {"spilling": 3}, VerdictKind.INCONCLUSIVE),
    ],
)
def test_figures_are_judged_so(claim: str, changed: dict[str, Any], verdict: VerdictKind) -> None:
    judged = judge.judge(load(NAME), [a_leg(FOUND | changed)])
    assert {each.claim: each.verdict for each in judged}[claim] is verdict


def test_a_script_that_ends_without_a_document_says_why(tmp_path: Path) -> None:
    with modules(NAME, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(NAME, folder, tmp_path))
        (folder / "bad.py").write_text("import no_such_package\n", encoding="utf-8")
        assert "no_such_package" in script.document(check, "bad.py")
