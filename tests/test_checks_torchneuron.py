"""torchneuron-backend without PyTorch: judgement, and machines with and without a Trainium."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from reader.checks import harness, judge
from reader.model import VerdictKind
from tests.checks_here import a_leg
from tests.test_checks_scripts import handed, load, modules, parameters, verdicts

__all__ = ["handed"]  # a fixture

NAME = "torchneuron-backend"
CONFIRMED = VerdictKind.CONFIRMED
REFUTED = VerdictKind.REFUTED
NOT_APPLICABLE = VerdictKind.NOT_APPLICABLE
COULD_NOT_RUN = VerdictKind.COULD_NOT_RUN
# What two processes printed on a machine with two cores.
GOOD = {
    "before": "RuntimeError", "registered": True, "seconds": 0.0003, "kept": True, "returned": 4,
    "calls": {"empty_strided": 2, "_copy_from": 6, "add.Tensor": 1, "mm": 1, "mul.Tensor": 1},
    "missing": "NotImplementedError", "again": "RuntimeError", "accelerator": "readproof",
}  # fmt: skip
FAULTY = GOOD | {"returned": 3}


def reported(tmp_path: Path, planted: dict[str, Any], found: dict[str, Any]) -> Any:
    """Return the verdicts of what the two processes printed."""
    with modules(NAME, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(NAME, folder, tmp_path))
        script.report(check, planted, found)
        check.finish()
    return verdicts(NAME, tmp_path, {"torch_version": "2.13.0"})


@pytest.mark.parametrize(
    ("planted", "found", "expected"),
    [
        (FAULTY, GOOD, (CONFIRMED, CONFIRMED, CONFIRMED)),
        (FAULTY, GOOD | {"returned": 3, "again": "", "accelerator": ""}, (REFUTED,) * 3),
        (FAULTY, {"before": "RuntimeError", "registered": False, "said": "no"}, (REFUTED,) * 3),
        (GOOD, GOOD, (VerdictKind.INCONCLUSIVE,) * 3),  # the fault was not seen
        (FAULTY | {"missing": ""}, GOOD, (VerdictKind.INCONCLUSIVE,) * 3),
    ],
)
def test_the_round_trip_is_judged(
    planted: dict[str, Any],
    found: dict[str, Any],
    expected: tuple[VerdictKind, ...],
    tmp_path: Path,
) -> None:
    judged = reported(tmp_path, planted, found)
    assert tuple(judged[each] for each in ("round_trip", "accelerator", "rename_once")) == expected


def test_results_computed_elsewhere_do_not_confirm(tmp_path: Path) -> None:
    judged = reported(tmp_path, FAULTY, GOOD | {"calls": {"_copy_from": 6}})
    assert judged["round_trip"] is VerdictKind.INCONCLUSIVE


@pytest.mark.parametrize(
    ("devices", "version", "result", "expected"),
    [
        (0, "", None, (NOT_APPLICABLE, NOT_APPLICABLE)),
        (2, "", None, (NOT_APPLICABLE, NOT_APPLICABLE)),
        (2, "1.0", None, (REFUTED, NOT_APPLICABLE)),
        (0, "2.14.1+cpu", None, (CONFIRMED, NOT_APPLICABLE)),
        (2, "2.14.0", {"device": "neuron", "returned": True}, (CONFIRMED, CONFIRMED)),
        (2, "2.14.0", {"device": "neuron", "returned": False}, (CONFIRMED, REFUTED)),
        (2, "2.14.0", {"device": "cpu", "returned": True}, (CONFIRMED, REFUTED)),
        (2, "2.14.0", None, (CONFIRMED, COULD_NOT_RUN)),
    ],
)
def test_a_trainium_is_one_with_its_package(
    devices: int,
    version: str,
    result: dict[str, Any] | None,
    expected: tuple[VerdictKind, ...],
    tmp_path: Path,
    handed: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handed({"neuron": result})
    for number in range(devices):
        (tmp_path / "dev").mkdir(exist_ok=True)
        (tmp_path / "dev" / f"neuron{number}").touch()
    with modules(NAME, tmp_path) as folder:
        script = importlib.import_module("check")

        def version_of(name: str) -> str:
            if not version:
                raise script.metadata.PackageNotFoundError(name)
            return version

        monkeypatch.setattr(script.metadata, "version", version_of)
        monkeypatch.setattr(script, "importing", lambda _check: "")
        check = harness.Check(parameters(NAME, folder, tmp_path))
        script.trainium(check, tmp_path)
        check.finish()
    found = json.loads((tmp_path / "result.json").read_text())
    leg = a_leg(
        found["measured"] | {"unknown_refused": 1, "missing_refused": 1, "faulty_returned": 3},
        obstacles=found["obstacles"],
    )
    kinds = {each.claim: each.verdict for each in judge.judge(load(NAME), [leg])}
    assert (kinds["genuine"], kinds["trainium"]) == expected


def test_versions_are_read_and_documents_too(tmp_path: Path) -> None:
    with modules(NAME, tmp_path) as folder:
        script = importlib.import_module("check")
        assert [script.release(each) for each in ("2.14.0", "2.13.0+cpu", "x", "1.0")] == [
            (2, 14), (2, 13), (), (1, 0),
        ]  # fmt: skip
        check = harness.Check(parameters(NAME, folder, tmp_path))
        (folder / "good.py").write_text('print("noise")\nprint(\'{"a": 1}\')\n')
        (folder / "bad.py").write_text('raise SystemExit("no torch here")\n')
        assert script.process(check, "good.py") == {"a": 1}
        assert script.process(check, "bad.py") == "no torch here"
