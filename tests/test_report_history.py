"""The history of a claim: when it flipped, against what it is compared, and what had changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reader.checks import judge, manifest
from reader.cli.runs import as_before
from reader.model import Leg, Reason, Run, RunStatus
from reader.report import history as told
from reader.report.history import Change, history
from reader.store import Store
from tests.checks_here import FOLDER, a_leg
from tests.command import command, furnished
from tests.test_cli_machine import own

AT = datetime(2026, 10, 1, 12, tzinfo=UTC)
CHECK = manifest.load(FOLDER / "confirms")
GOOD = {"odd_sums": 0, "sums": 12, "planted_found": 1, "milliseconds": 2.5}
BAD = GOOD | {"odd_sums": 3}
MACHINE: dict[str, Any] = {
    "system": "Linux",
    "cpu": "a CPU",
    "gpus": [],
    "driver": None,
    "load": 0.3,
}


def leg(measured: dict[str, Any], version: str = "1.2.0", **others: Any) -> Leg:
    packages = {"path": "/p", "version": "3.11.7", "packages": {"evens": version}}
    return a_leg(measured, environment=packages, **others)


def a_run(number: int, one: Leg, **others: Any) -> Run:
    given: dict[str, Any] = {
        "id": f"r{number}", "check": CHECK.name, "check_hash": "a" * 64, "item": None,
        "status": RunStatus.FINISHED, "started": AT + timedelta(days=number), "finished": None,
        "machine": MACHINE, "legs": (one,), "verdicts": judge.judge(CHECK, [one]),
    }  # fmt: skip
    return Run(**(given | others))


def the_one(runs: Sequence[Run]) -> told.History:
    (found,) = history(runs, "even")
    return found


def test_a_flip_names_what_had_changed() -> None:
    found = the_one([a_run(2, leg(BAD, "1.3.0")), a_run(1, leg(GOOD)), a_run(0, leg(GOOD))])
    assert [point.run for point in found.points] == ["r0", "r1", "r2"]
    assert [period.verdict.value for period in found.periods] == ["confirmed", "refuted"]
    (flip,) = found.flips
    assert (flip.run, flip.changes) == ("r2", (Change("package", "evens", "1.2.0", "1.3.0"),))
    assert told.change_sentence(flip.changes[0]).endswith("evens: 1.2.0 → 1.3.0")


def test_a_run_that_could_not_decide_flips_nothing() -> None:
    broken = leg(GOOD, "1.3.0", fault=Reason("crashed"))
    found = the_one([a_run(0, leg(GOOD)), a_run(1, broken), a_run(2, leg(BAD, "1.4.0"))])
    assert [point.flipped for point in found.points] == [False, False, True]
    assert found.points[2].changes == (Change("package", "evens", "1.2.0", "1.4.0"),)
    same = the_one([a_run(0, leg(GOOD)), a_run(1, broken), a_run(2, leg(GOOD))])
    assert not same.flips


def test_a_flip_without_a_change_says_so() -> None:
    (flip,) = the_one([a_run(0, leg(GOOD)), a_run(1, leg(BAD))]).flips
    assert flip.changes == ()
    assert "nothing on record had changed" in told.changes_sentence(flip)


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        ({}, {"check_hash": "b" * 64}, "check"),
        ({}, {"machine": MACHINE | {"cpu": "another"}}, "cpu"),
        ({}, {"machine": MACHINE | {"driver": "600.1"}}, "driver"),
        ({}, {"machine": MACHINE | {"gpus": [{"name": "H200"}]}}, "gpu"),
        ({}, {"machine": MACHINE | {"load": 9.0}}, None),
        ({}, {"legs": (leg(GOOD, toolkit={"release": "13.0.88"}),)}, "toolkit"),
        ({}, {"legs": (leg(GOOD, target="sm_120"),)}, "target"),
    ],
)
def test_what_a_verdict_stands_on(
    first: dict[str, Any], second: dict[str, Any], what: str | None
) -> None:
    one, other = a_run(0, leg(GOOD), **first), a_run(1, leg(GOOD), **second)
    found = told.changed(told.standing(one), told.standing(other))
    assert [each.what for each in found] == ([] if what is None else [what])


def test_tools_parameters_and_legs_are_told_apart() -> None:
    environment = {
        "version": "3.11.7", "tools": {"ptxas": {"path": "/p", "version": "13.0"}},
        "parameters": {"candidate": {"value": "f.py:f", "sha256": "c" * 64}},
        "overrides": {"NVIDIA_TF32_OVERRIDE": "1"}, "simulated": True,
    }  # fmt: skip
    legs = tuple(a_leg({}, name=name, environment=environment) for name in ("old", "new"))
    found = told.standing(a_run(0, leg(GOOD), legs=legs))
    assert found["tool", "old ptxas"] == "13.0"
    assert found["parameter", "new candidate"] == f"f.py:f {'c' * 12}"
    assert found["variable", "new NVIDIA_TF32_OVERRIDE"] == "1"
    assert found["simulated", "old"] == "1"
    assert told.history([]) == ()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = furnished(tmp_path / "s.db")
    with Store.open(path) as opened:
        for n, one in enumerate((leg(GOOD), leg(GOOD), leg(BAD, "1.3.0"))):
            at = AT + timedelta(hours=n)
            run = opened.runs.start(CHECK, None, MACHINE, at)
            verdicts = judge.judge(CHECK, [one])
            opened.runs.finish(run, status=RunStatus.FINISHED, legs=[one], verdicts=verdicts, at=at)
    return path


def test_the_command_line_tells_it(store: Path) -> None:
    said = command("run", "history", "confirms", store=store)
    assert "r1 … r2 (2)" in said.out
    assert "evens: 1.2.0 → 1.3.0" in said.out
    found = command("run", "history", "confirms", "--claim", "even", "--json", store=store).json
    assert [point["flipped"] for point in found[0]["points"]] == [False, False, True]
    assert found[0]["flips"] == 1
    assert command("run", "history", "nothing", "--json", store=store).json == []
    assert "not been run" in command("run", "history", "nothing", store=store).err


def test_a_run_is_repeated_as_it_was(tmp_path: Path) -> None:
    one = leg(GOOD, target="sm_120")
    one.environment["parameters"] = {"candidate": {"value": "f.py:f"}}
    assert as_before(a_run(0, one), CHECK) == (["sm_120"], ["candidate=f.py:f"])
    plain = leg(GOOD, target=" ".join(CHECK.archs))
    assert as_before(a_run(0, plain), CHECK) == ([], [])


def test_a_stale_run_is_run_again_by_one_command(store: Path, tmp_path: Path) -> None:
    config = own(tmp_path, "confirms")
    again = command(*config, "run", "again", "r3", "--yes", "--json", store=store).json
    assert (again["run"], again["check"], again["status"]) == ("r4", "confirms", "finished")
    assert again["legs"][0]["target"] == "sm_90"  # that of r3
