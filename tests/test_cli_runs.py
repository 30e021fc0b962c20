"""Runs on the command line: history, one run, two told apart, and reports from the store."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from reader.checks import judge, manifest
from reader.model import Leg, RunStatus
from reader.store import Store
from tests.command import AT, command, furnished

FOLDER = Path(__file__).parent / "data" / "checks" / "confirms"
RUN = {
    *("run", "check", "check_hash", "item", "status", "started", "finished", "machine", "legs"),
    *("verdicts", "artefacts"),
}
LEG = {"environment", "toolkit", "target", "measured", "log"}
VERDICT = {"claim", "kind", "verdict", "reason", "measured", "expected"}
MACHINE = {"system": "Linux", "cpu": "Example", "cores": 2, "memory_mb": 2048, "gpus": []}


def leg(odd: int = 0) -> Leg:
    """Return one leg's result as a script may leave it."""
    return Leg(
        name="main",
        environment={"path": "/opt/python", "version": "3.11.7", "packages": {"evens": "1.2.0"}},
        toolkit=None,
        target="sm_80, sm_90",
        measured={"odd_sums": odd, "sums": 12, "planted_found": 1, "milliseconds": 2.5},
        cases=({"claim": "even", "name": "2 + 4", "sum": 6},),
        log="one line \x1b[31mred\x1b[0m",
        command=("/opt/python", "check.py"),
        exit_status=0,
        seconds=1.5,
    )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return a store with two runs of a check that does not ship: one confirms, one refutes."""
    path = furnished(tmp_path / "s.db")
    check = manifest.load(FOLDER)
    kept = tmp_path / "sums.txt"
    kept.write_text("2 + 4 = 6\n")
    with Store.open(path) as opened:
        for n, odd in enumerate((0, 3)):
            run = opened.runs.start(check, "i1", MACHINE, AT + timedelta(hours=n))
            opened.runs.keep(run, "sums.txt", kept)
            measured = leg(odd)
            opened.runs.finish(
                run,
                status=RunStatus.FINISHED,
                legs=[measured],
                verdicts=judge.judge(check, [measured]),
                at=AT + timedelta(hours=n, seconds=2),
            )
    return path


def test_runs_have_every_field_and_the_words_of_the_check_that_ran(store: Path) -> None:
    runs = command("runs", "--json", store=store).json
    assert [each["run"] for each in runs] == ["r2", "r1"]
    for each in runs:
        assert set(each) >= RUN
        assert set(each["legs"][0]) >= LEG
        assert all(set(verdict) >= VERDICT for verdict in each["verdicts"])
        assert set(each["artefacts"][0]) >= {"name", "path", "sha256"}
        assert Path(each["artefacts"][0]["path"]).read_text() == "2 + 4 = 6\n"
        assert command("run", "show", each["run"], "--json", store=store).json == each
        assert command("show", each["run"], "--json", store=store).json == each
    first = runs[1]["verdicts"][0]
    assert (first["claim"], first["verdict"]) == ("even", "confirmed")
    assert first["text"] == "Sums of even numbers are even"
    assert "All 12 sums are even" in first["reason"]
    assert first["expected"] == "No odd sum"
    assert runs[1]["units"]["milliseconds"] == "ms"
    chinese = command("--lang", "zh", "run", "show", "r1", "--json", store=store).json
    assert "12 个和全是偶数" in chinese["verdicts"][0]["reason"]


def test_a_run_as_text(store: Path) -> None:
    called = command("run", "show", "r2", store=store)
    assert called.code == 0
    assert "✗ Refuted  Sums of even numbers are even" in called.out
    assert "– Could not run  Faster on a GPU" in called.out
    assert "expected: No odd sum" in called.out
    assert "\x1b" not in called.out


def test_judging_again_keeps_the_verdicts_of_the_same_rules(store: Path) -> None:
    before = command("run", "show", "r2", "--json", store=store).json
    assert command("run", "judge", "r2", "--json", store=store).json == before


def test_runs_of_one_check_or_item(store: Path) -> None:
    assert len(command("runs", "--check", "confirms", "--json", store=store).json) == 2
    assert command("runs", "--check", "other", "--json", store=store).json == []
    assert len(command("runs", "--item", "i1", "--json", store=store).json) == 2
    assert command("runs", "--item", "i2", "--json", store=store).json == []


def test_two_runs_told_apart(store: Path) -> None:
    document = command("run", "diff", "r1", "r2", "--json", store=store).json
    changed = {(each["part"], each["name"]) for each in document["changes"]}
    assert changed == {("results", "odd_sums"), ("verdicts", "even")}
    assert "odd_sums" in command("run", "diff", "r1", "r2", store=store).out
    assert command("run", "diff", "r1", "r1", "--json", store=store).json["changes"] == []
    assert command("run", "diff", "r1", store=store).code == 2


def test_the_queue_takes_its_outcome_from_runs(store: Path) -> None:
    (added,) = command("queue", "add", "i1", "--json", store=store).json
    assert added["state"] == "refuted"
    assert added["runs"] == ["r1", "r2"] or added["runs"] == ["r2", "r1"]
    assert added["claims"] == 2
    assert added["decided"] == 1
    report = json.loads(command("report", "--queue", "--format", "json", store=store).out)
    (subject,) = report["subjects"]
    assert subject["queue"]["state"] == "refuted"
    assert [each["verdict"] for each in subject["verdicts"]] == ["refuted", "could_not_run"]


@pytest.mark.parametrize("words", [("--item", "i1"), ("--run", "r1"), ("--queue",), ()])
def test_reports_from_the_store(store: Path, words: tuple[str, ...]) -> None:
    command("queue", "add", "i1", store=store)
    html = command("report", *words, "--format", "html", store=store).out
    assert "Sums of even numbers are even" in html
    assert "readproof check run confirms" in html
    assert "\x1b" not in html
    assert "2.5 ms" in command("report", *words, store=store).out.replace("  ", " ")


def test_a_run_merged_from_elsewhere_cannot_write_outside(store: Path, tmp_path: Path) -> None:
    from reader.report import check_of

    class Elsewhere:
        def content(self, _run: str) -> dict[str, bytes]:
            return {"../../outside.txt": b"x", "check.toml": b""}

    class Holder:
        runs = Elsewhere()

    with Store.open(store) as opened:
        run = opened.runs.get("r1")
    for name in ("confirms", "../confirms", str(tmp_path / "absolute")):
        assert check_of(Holder(), replace(run, check=name), ()) is None  # type: ignore[arg-type]
    assert not (tmp_path / "absolute").exists()
