"""A Run from a check to its record, against a real store and real processes."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reader import runner
from reader.checks import reasons
from reader.errors import CheckError, EnvironmentFault, Interrupted, ToolkitError, Usage
from reader.model import (
    Interpreter,
    Leg,
    Query,
    Run,
    RunProgress,
    RunStatus,
    Toolkit,
    VerdictKind,
)
from reader.runner import RunOptions, run_check, staleness
from reader.store import Store
from reader.tasks import Task, Tasks
from tests.checks_here import FOLDER, MACHINE, small
from tests.command import furnished

V = VerdictKind


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small checks are the user's own; here they are trusted."""
    from reader.checks import manifest

    for folder in FOLDER.iterdir():
        manifest.trust(manifest.load(folder, bundled=False))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "data" / "s.db"


def run(store: Path, name: str, **others: Any) -> Run:
    given = {key: others.pop(key) for key in ("task", "progress", "item") if key in others}
    options = RunOptions(python=sys.executable, check_folders=(str(FOLDER),), **others)
    return run_check(store, name, options=options, **given)


def test_a_run_is_kept_whole(store: Path) -> None:
    heard: list[RunProgress] = []
    done = run(store, "confirms", progress=heard.append)
    assert done.status is RunStatus.FINISHED
    assert [each.verdict for each in done.verdicts] == [V.CONFIRMED, V.COULD_NOT_RUN]
    assert heard[-1].step == "judge"
    with Store.open(store) as opened:
        kept = opened.runs.get(done.id)
        assert kept == done
        assert (
            opened.runs.content(done.id)["check.py"] == (FOLDER / "confirms/check.py").read_bytes()
        )
    by_name = {artefact.name: artefact for artefact in done.artefacts}
    assert {"result.json", "sums.txt", "log.txt"} <= by_name.keys()
    for artefact in done.artefacts:
        assert hashlib.sha256(Path(artefact.path).read_bytes()).hexdigest() == artefact.sha256


def test_the_record_tells_what_it_ran_on(store: Path) -> None:
    done = run(store, "confirms", seed=7)
    (leg,) = done.legs
    assert done.check_hash == small("confirms").hash
    assert done.finished is not None
    assert done.finished >= done.started
    assert done.machine["cpu"]
    assert done.machine["cores"] >= 1
    assert "load" in done.machine["after"]
    assert leg.environment["path"] == sys.executable
    assert leg.environment["version"] == ".".join(map(str, sys.version_info[:3]))
    assert leg.exit_status == 0
    assert leg.command[0] == sys.executable
    assert "sm_80" in leg.target
    assert "adder" in json.dumps(leg.environment)
    assert json.dumps(leg.environment).count("7") >= 1


@pytest.mark.parametrize(
    ("name", "code"), [("crashes", "crashed"), ("lies", "result_lies"), ("hangs", "timed_out")]
)
def test_a_run_that_could_not_run_refutes_nothing(store: Path, name: str, code: str) -> None:
    done = run(store, name)
    assert done.status is RunStatus.FAILED
    assert {each.verdict for each in done.verdicts} == {V.COULD_NOT_RUN}
    assert {each.reason.code for each in done.verdicts} == {code}


def test_cancelled_keeps_what_was_measured(store: Path) -> None:
    ended: list[Run] = []

    def work(task: Task[Run]) -> Run:
        def watch(progress: RunProgress) -> None:
            if progress.line and "now it hangs" in progress.line:
                task.cancel()

        return run(store, "hangs", task=task, progress=watch, seconds=60)

    Tasks(inline=True).submit(work, done=ended.append)
    assert ended[0].status is RunStatus.CANCELLED
    assert ended[0].legs[0].measured["sums"] == 7
    assert {each.verdict for each in ended[0].verdicts} == {V.COULD_NOT_RUN}


def test_ctrl_c_inside_a_leg_keeps_what_was_measured(store: Path) -> None:
    def watch(progress: RunProgress) -> None:
        if progress.line and "now it hangs" in progress.line:
            raise KeyboardInterrupt  # where a signal handler would raise it

    done = run(store, "hangs", progress=watch, seconds=60, stopped=RunStatus.INTERRUPTED)
    assert done.status is RunStatus.INTERRUPTED
    assert done.legs[0].measured["sums"] == 7
    assert {each.reason.code for each in done.verdicts} == {"interrupted"}


def an_item(store: Path) -> str:
    """Put one item into the store and return its id."""
    with Store.open(furnished(store)) as opened:
        return opened.library.ids(Query())[0]


@pytest.mark.parametrize(
    ("options", "error", "code"),
    [
        ({"python": "/nowhere/python"}, EnvironmentFault, "environment_failed"),
        ({"cuda": "/nowhere/cuda", "python": sys.executable}, ToolkitError, "toolkit_failed"),
    ],
)
def test_what_an_item_asked_for_in_vain_is_a_run_with_its_reason(
    store: Path, options: dict[str, Any], error: type[CheckError], code: str
) -> None:
    item = an_item(store)
    given = RunOptions(check_folders=(str(FOLDER),), **options)
    with pytest.raises(error):
        run_check(store, "confirms", options=given)  # for nobody: nothing to keep
    with pytest.raises(error) as caught:
        run_check(store, "confirms", item=item, options=given)
    with Store.open(store) as opened:
        (kept,) = opened.runs.all(item=item)
    assert kept.status is RunStatus.FAILED
    assert {each.verdict for each in kept.verdicts} == {V.COULD_NOT_RUN}
    said = reasons.render(kept.verdicts[0].reason, small("confirms"), "en")
    assert str(caught.value) in said
    assert kept.verdicts[0].reason.code == code


def test_a_killed_process_leaves_an_interrupted_run(store: Path) -> None:
    code = (
        "import sys, pathlib, tests.test_runner as t\n"
        "def said(progress):\n"
        "    if progress.line and 'now it hangs' in progress.line: print('on', flush=True)\n"
        "t.run(pathlib.Path(sys.argv[1]), 'hangs', progress=said, seconds=60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(store)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[1],
        env=dict(os.environ),
    )
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"on\n"
        with Store.open(store) as opened:
            assert [each.status for each in opened.runs.all()] == [RunStatus.RUNNING]
            assert opened.runs.reap() in (0, [], ())
            process.send_signal(signal.SIGKILL)
            process.wait()
            opened.runs.reap()
            assert [each.status for each in opened.runs.all()] == [RunStatus.INTERRUPTED]


def test_an_untrusted_check_never_runs(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "confirms"
    folder.mkdir(parents=True)
    for name in ("check.toml", "check.py"):
        (folder / name).write_bytes((FOLDER / "confirms" / name).read_bytes() + b"\n# changed\n")
    options = RunOptions(python=sys.executable, check_folders=(str(tmp_path / "mine"),))
    with pytest.raises(CheckError, match="trust"):
        run_check(store, "confirms", options=options)
    assert not store.exists()


def test_an_unknown_check_names_those_there_are(store: Path) -> None:
    with pytest.raises(Usage, match="tvm-device-guard"):
        run(store, "no-such-check")


def test_an_environment_is_asked_for_with_its_size(store: Path) -> None:
    with pytest.raises(runner.EnvironmentNeeded) as caught:
        run_check(store, "triton-sched4reg", options=RunOptions(check_folders=()))
    assert caught.value.size_mb > 500
    assert "50 Mbit/s" in str(caught.value)
    assert "triton==3.9.0" in str(caught.value)


def test_judged_again_from_what_was_kept(store: Path) -> None:
    done = run(store, "confirms")
    with Store.open(store) as opened:
        again = runner.judge_again(opened, done.id)
    assert again.verdicts == done.verdicts


def test_the_queue_gives_its_most_urgent_entry(store: Path) -> None:
    from reader import sync

    with Store.open(store) as opened:
        sync.starter(opened)
        from reader.checks import manifest
        from reader.model import Query

        rows = opened.library.page(Query(limit=None))
        guard = next(row for row in rows if "CUDADeviceGuard" in row.title)
        other = next(row for row in rows if "PipeLink" in row.title)
        opened.queue.add(other.id)
        checks = [each for each in manifest.load_all()[0] if each.name == "tvm-device-guard"]
        assert runner.next_queued(opened, checks) is None
        opened.queue.add(guard.id)
        found = runner.next_queued(opened, checks)
        assert found is not None
        assert found[1].name == "tvm-device-guard"


LEG = Leg("main", {"path": "/p", "version": "3.11", "packages": {"triton": "3.9.0", "seen": "1"},
                    "reported": ["seen"]},
          {"root": "/cuda", "release": "13.0.88"}, "sm_90", {}, (), "", (), 0, 1.0)  # fmt: skip
KIT = Toolkit(Path("/cuda"), "13.0", "13.0.88", (), "path")
PY = Interpreter("/p", "3.11", "path", (("triton", "3.9.0"),))


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({}, []),
        ({"check_hash": "other"}, ["stale_check"]),
        ({"check_hash": None}, ["stale_check"]),
        ({"now": replace(MACHINE, driver="600.1")}, ["stale_driver"]),
        ({"toolkits": [replace(KIT, release="13.4.1")]}, ["stale_toolkit"]),
        ({"now": replace(MACHINE, cpu="another CPU")}, ["stale_cpu"]),
        ({"pythons": [replace(PY, version="3.12")]}, ["stale_package"]),
        ({"toolkits": []}, ["stale_toolkit"]),
        ({"pythons": [replace(PY, packages=(("triton", "3.9.1"),))]}, ["stale_package"]),
        ({"pythons": [replace(PY, packages=())]}, ["stale_package"]),
        ({"pythons": []}, []),
    ],
)
def test_what_makes_a_verdict_stale(store: Path, changes: dict[str, Any], codes: list[str]) -> None:
    done = run(store, "confirms")
    done = replace(done, legs=(LEG,), machine={"driver": None, "gpus": [], "cpu": "a CPU"})
    given: dict[str, Any] = {
        "check_hash": done.check_hash, "now": MACHINE, "toolkits": [KIT], "pythons": [PY],
    }  # fmt: skip
    reasons = staleness(done, **(given | changes))
    assert [reason.code for reason in reasons] == codes


@pytest.mark.parametrize("stop", [KeyboardInterrupt, Interrupted], ids=["Ctrl-C", "cancelled"])
@pytest.mark.parametrize("item", [None, "an item"])
def test_a_stop_while_the_environment_is_built_is_a_run(
    store: Path, item: str | None, stop: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    from reader.checks import environment

    def build(*_words: Any, **_more: Any) -> Interpreter:
        raise stop

    monkeypatch.setattr(environment, "build", build)
    monkeypatch.setattr(environment, "satisfying", lambda _packages: None)
    options = RunOptions(build=True, check_folders=(str(FOLDER),), stopped=RunStatus.INTERRUPTED)
    about = an_item(store) if item else None
    with pytest.raises(Interrupted) as said:
        run_check(store, "confirms", item=about, options=options)
    with Store.open(store) as opened:
        (kept,) = opened.runs.all()
    assert kept.id in str(said.value)
    assert (kept.status, kept.item) == (RunStatus.INTERRUPTED, about)
    assert {each.reason.code for each in kept.verdicts} == {"interrupted_building"}
    assert {each.verdict for each in kept.verdicts} == {V.COULD_NOT_RUN}
