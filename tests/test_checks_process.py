"""One leg as a real process: watched, bounded, killed with all it started, and never believed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from reader.checks import process
from reader.checks.process import remove_abandoned, run_leg
from reader.model import RunProgress, Toolkit
from tests.checks_here import plan


def code(leg: Any) -> str | None:
    return None if leg.fault is None else str(leg.fault.code)


def scripted(tmp_path: Path, body: str) -> Any:
    """Return the plan of a leg whose script is `body`."""
    one = plan("confirms")
    folder = tmp_path / "confirms"
    folder.mkdir()
    (folder / "check.toml").write_bytes((one.check.folder / "check.toml").read_bytes())
    (folder / "check.py").write_text(textwrap.dedent(body), encoding="utf-8")
    from reader.checks import manifest

    return replace(one, check=manifest.load(folder))


def test_a_leg_that_ends_well() -> None:
    kept: dict[str, bytes] = {}
    heard: list[RunProgress] = []
    leg = run_leg(
        plan("confirms"),
        keep=lambda name, path: kept.update({name: path.read_bytes()}),
        progress=heard.append,
    )
    assert leg.fault is None
    assert leg.exit_status == 0
    assert leg.measured["sums"] == 100
    assert leg.obstacles["fast"]["code"] == "gpu_missing"
    assert "echo said hello" in leg.log
    assert kept["sums.txt"].startswith(b"0\n")
    assert json.loads(kept["result.json"])["measured"]["sums"] == 100
    assert {"control", "measure"} <= {each.step for each in heard}
    assert any(each.line for each in heard)
    assert leg.environment["packages"]["evens"] == "1.2.0"


def test_the_log_comes_while_it_runs_and_cancel_ends_it() -> None:
    lines: list[str] = []

    def watch(progress: RunProgress) -> None:
        if progress.line:
            lines.append(progress.line)

    # Cancelled by its own words: had the log come only at the end, this leg would time out.
    leg = run_leg(
        plan("hangs", seconds=60),
        progress=watch,
        cancelled=lambda: any("now it hangs" in line for line in lines),
    )
    assert code(leg) == "cancelled"
    assert leg.measured["sums"] == 7  # what was measured before is kept
    assert leg.cases


def test_a_time_limit_ends_it() -> None:
    assert code(run_leg(plan("hangs", seconds=1))) == "timed_out"


def test_everything_it_started_ends_with_it() -> None:
    leg = run_leg(plan("forks"))
    children = [int(number) for number in re.findall(r"grandchild (\d+)", leg.log)]
    assert len(children) == 2
    assert not [pid for pid in children if psutil.pid_exists(pid) and _alive(pid)]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of it")
def test_a_leg_ends_with_an_app_that_is_killed_outright() -> None:
    body = """
        from reader.checks.process import run_leg
        from tests.checks_here import plan
        run_leg(plan("hangs", seconds=120), progress=lambda p: print(p.line, flush=True))
    """
    app = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(body)],
        cwd=Path(__file__).parents[1],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert app.stdout is not None
    assert any("hangs" in line for line in app.stdout)
    legs = psutil.Process(app.pid).children()
    app.kill()
    app.wait(10)
    app.stdout.close()
    _gone, left = psutil.wait_procs(legs, timeout=10)
    remove_abandoned()  # as the next run would
    assert legs
    assert not left


def _alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_crash_says_why() -> None:
    leg = run_leg(plan("crashes"))
    assert code(leg) == "crashed"
    assert leg.fault is not None
    assert "the adder broke" in str(dict(leg.fault.params)["said"])


def test_memory_is_bounded() -> None:
    assert code(run_leg(plan("memory"))) == "memory_limit"


def test_the_disk_is_bounded() -> None:
    assert code(run_leg(plan("disk"))) == "disk_limit"


def test_a_result_that_names_a_verdict_is_a_lie() -> None:
    leg = run_leg(plan("lies"))
    assert code(leg) == "result_lies"
    assert leg.measured == {}


WRITE = """
    import json, os, pathlib
    parameters = json.load(open(os.environ["READPROOF_PARAMETERS"]))
    target = pathlib.Path(parameters["result"])
    whole = {"schema": 1, "check": parameters["check"], "hash": parameters["hash"],
             "measured": {"planted_found": 1, "sums": 1, "odd_sums": 0}, "cases": [],
             "control_done": True}
"""
RESULTS = [
    ("pass", "result_missing"),
    ("target.write_text('{')", "result_malformed"),
    ("target.write_text('[]')", "result_malformed"),
    ("target.write_text('')", "result_malformed"),
    ("target.write_bytes(b'\\xff\\xfe{}')", "result_malformed"),
    ("target.write_text(json.dumps(whole | {'schema': 2}))", "result_schema"),
    ("target.write_text(json.dumps(whole | {'check': 'other'}))", "result_of_another"),
    ("whole['measured']['sums'] = float('nan'); target.write_text(json.dumps(whole))",
     "result_not_finite"),
    ("whole['measured']['sums'] = float('inf'); target.write_text(json.dumps(whole))",
     "result_not_finite"),
    ("whole['measured']['never_declared'] = 1; target.write_text(json.dumps(whole))",
     "measurement_unknown"),
    ("whole['confirmed'] = True; target.write_text(json.dumps(whole))", "result_lies"),
    ("target.write_text('[' * 100000)", "result_malformed"),
    ("target.write_text(json.dumps(whole | {'cases': ['x' * 40_000_000]}))", "result_too_large"),
    ("os.symlink('/etc/hostname', target)", "result_no_file"),
    ("os.mkfifo(target)", "result_no_file"),
    ("target.mkdir()", "result_no_file"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "expected"), RESULTS, ids=[row[1] + row[0][:20] for row in RESULTS]
)
def test_a_bad_result_file_is_never_believed(tmp_path: Path, line: str, expected: str) -> None:
    leg = run_leg(scripted(tmp_path, WRITE + "    " + line + "\n"))
    assert code(leg) == expected
    assert leg.measured == {}


def test_the_environment_is_the_checks_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("TRITON_CACHE_DIR", "/somewhere/cache")
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    leg = run_leg(scripted(tmp_path, "import os\nprint(sorted(os.environ.items()))\n"))
    assert "hunter2" not in leg.log
    assert "/somewhere" not in leg.log
    assert "('CUDA_VISIBLE_DEVICES', '0')" in leg.log


def test_nothing_is_left_in_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    leg = run_leg(scripted(tmp_path, "import pathlib\nprint(pathlib.Path.cwd())\n"))
    assert str(temporary) in leg.log
    assert not list(temporary.iterdir())


def test_a_python_that_is_not_there_is_said(tmp_path: Path) -> None:
    one = plan("confirms")
    gone = replace(one, interpreter=replace(one.interpreter, path=str(tmp_path / "python")))
    assert code(run_leg(gone)) == "not_started"


def test_simulated_device_results_reach_the_gpu_code(tmp_path: Path) -> None:
    results = tmp_path / "device.json"
    results.write_text(json.dumps({"speedup": 2.5}))
    leg = run_leg(plan("confirms", device_results=results))
    assert leg.measured["speedup"] == 2.5


@pytest.mark.parametrize(
    ("origin", "tool", "kept"),
    [("system", "", False), ("asked", "", True), ("system", "/cuda/bin/ptxas", True)],
    ids=["merely there", "asked for", "used"],
)
def test_a_toolkit_is_of_the_record_where_it_had_a_part(origin: str, tool: str, kept: bool) -> None:
    kit = Toolkit(Path("/cuda"), "13.0", "13.0.88", (("ptxas", "/cuda/bin/ptxas"),), origin)
    given = plan("confirms", toolkit=kit)
    found = {"tools": {"ptxas": {"path": tool, "version": ""}} if tool else {}, "commands": []}
    assert (process._toolkit_used(given, found) is not None) is kept
