"""Runs: the record of what was executed, and leases that end with their process."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from reader.errors import StoreError, Usage
from reader.model import Evidence, Leg, Reason, RunStatus, Text, Verdict, VerdictKind
from reader.store import Store, restore
from reader.store.processes import alive, myself
from reader.store.runs import MOST_LOG
from tests.checks_for_store import a_check
from tests.stories import NOW, arriving, opened, rich

LEG = Leg(
    name="3.9",
    environment={"python": "3.11.7", "packages": {"triton": "3.9.0"}},
    toolkit={"root": "/opt/cuda", "version": "13.0"},
    target="sm_90",
    measured={"spills": 0, "ptx": "abc", "ok": True},
    cases=({"claim": "spills", "name": "matmul", "registers": 168},),
    log="compiled\n",
    command=("python", "check.py"),
    exit_status=0,
    seconds=1.5,
)
FAULT = Leg(
    "3.8",
    {},
    None,
    "sm_90",
    {},
    (),
    "",
    ("python",),
    None,
    0.0,
    Reason("timeout", (("seconds", 300),)),
)


def verdict(kind: VerdictKind, judge: int = 1) -> Verdict:
    reason = Reason("measured", (("spills", 0),))
    return Verdict(
        "spills", Evidence.CODEGEN, kind, reason, {"spills": 0}, Text("零", "none"), judge
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterable[Store]:
    with opened(tmp_path) as opened_store:
        opened_store.library.save(None, [arriving(rich())], NOW)
        yield opened_store


def test_a_run_is_kept_whole(store: Store, tmp_path: Path) -> None:
    check = a_check(tmp_path)
    id_ = store.runs.start(check, "i1", {"cpu": "x86", "gpus": []}, NOW)
    assert store.runs.get(id_).status is RunStatus.RUNNING
    done = store.runs.finish(
        id_,
        status=RunStatus.FINISHED,
        legs=[LEG, FAULT],
        verdicts=[verdict(VerdictKind.CONFIRMED)],
        at=NOW + timedelta(seconds=3),
    )
    assert done == store.runs.get(id_)
    assert (done.check, done.check_hash, done.item) == (check.name, check.hash, "i1")
    assert (done.started, done.finished) == (NOW, NOW + timedelta(seconds=3))
    assert done.machine == {"cpu": "x86", "gpus": []}
    assert done.legs[0] == LEG
    assert done.legs[1].fault is not None
    assert done.legs[1].fault.code == "timeout"
    assert done.verdicts == (verdict(VerdictKind.CONFIRMED),)
    assert store.runs.content(id_) == {
        "check.toml": b'schema = 1\nname = "planted-leak"\n',
        "kernels/a.cu": b"__global__ void k() {}\n",
    }


def test_a_check_that_changed_later_leaves_the_record_alone(store: Store, tmp_path: Path) -> None:
    check = a_check(tmp_path)
    id_ = store.runs.start(check, None, {}, NOW)
    (check.folder / "check.toml").write_text("changed")
    store.runs.start(check, None, {}, NOW)
    assert store.runs.content(id_)["check.toml"].startswith(b"schema")


def test_artefacts_lie_beside_the_store(store: Store, tmp_path: Path) -> None:
    id_ = store.runs.start(a_check(tmp_path), None, {}, NOW)
    source = tmp_path / "kernel.ptx"
    source.write_text(".version 8.4")
    kept = store.runs.keep(id_, "../../a b.ptx", source)
    again = store.runs.keep(id_, "plain.ptx", source)
    assert kept.sha256 == hashlib.sha256(b".version 8.4").hexdigest()
    assert Path(kept.path).read_text() == ".version 8.4"
    assert Path(kept.path).is_relative_to(store.path.parent / "runs")
    assert kept.bytes == 12
    assert store.runs.get(id_).artefacts == (kept, again)
    with pytest.raises(StoreError):
        store.runs.keep(id_, "missing", tmp_path / "missing")
    assert store.check() == []
    Path(kept.path).unlink()
    assert len(store.check()) == 1


def test_a_long_log_loses_its_middle_and_says_so(store: Store, tmp_path: Path) -> None:
    id_ = store.runs.start(a_check(tmp_path), None, {}, NOW)
    log = "begin\n" + "x" * (MOST_LOG + 500) + "\nend"
    legs = [replace(LEG, log=log)]
    run = store.runs.finish(id_, status=RunStatus.FINISHED, legs=legs, verdicts=[])
    found = run.legs[0].log
    assert found.startswith("begin")
    assert found.endswith("end")
    assert "510 characters left out" in found
    assert len(found) < MOST_LOG + 100


def test_a_result_is_judged_again_and_both_stay(store: Store, tmp_path: Path) -> None:
    id_ = store.runs.start(a_check(tmp_path), None, {}, NOW)
    first, second = verdict(VerdictKind.CONFIRMED), verdict(VerdictKind.REFUTED, judge=2)
    store.runs.finish(id_, status=RunStatus.FINISHED, legs=[LEG], verdicts=[first])
    assert store.runs.judged_again(id_, [second]).verdicts == (second,)
    assert [each for _at, each in store.runs.judgements(id_)] == [(first,), (second,)]


def test_runs_are_listed_newest_first(store: Store, tmp_path: Path) -> None:
    check, other = a_check(tmp_path), a_check(tmp_path, "other")
    ids = [
        store.runs.start(check, "i1", {}, NOW),
        store.runs.start(other, "i1", {}, NOW + timedelta(hours=1)),
        store.runs.start(check, None, {}, NOW + timedelta(hours=2)),
    ]
    assert [run.id for run in store.runs.all()] == ids[::-1]
    assert [run.id for run in store.runs.all(check="other")] == [ids[1]]
    assert [run.id for run in store.runs.all(item="i1")] == [ids[1], ids[0]]
    with pytest.raises(Usage):
        store.runs.get("r99")


_STARTER = """
import sys
from pathlib import Path
from reader.store import Store
from tests.checks_for_store import a_check
from tests.stories import NOW
with Store.open(Path(sys.argv[1])) as store, store.lease("sync"):
    print(store.runs.start(a_check(store.path.parent), None, {}, NOW), flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_process_did_reads_interrupted(store: Store) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _STARTER, str(store.path)],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    id_ = process.stdout.readline().strip()
    assert store.runs.reap() == []
    assert [lease.name for lease in store.leases()] == ["sync"]
    with pytest.raises(StoreError, match="sync"), store.lease("sync"):
        pass
    process.kill()
    process.wait()
    process.stdout.close()
    process.stdin.close()
    assert store.leases() == []
    assert store.runs.reap() == [id_]
    run = store.runs.get(id_)
    assert run.status is RunStatus.INTERRUPTED
    assert run.finished is not None
    with store.lease("sync"):
        assert [lease.name for lease in store.leases()] == ["sync"]
    assert store.leases() == []


def test_another_process_under_the_same_number_holds_nothing() -> None:
    pid, started = myself()
    assert alive(pid, started)
    assert not alive(pid, started - 3600)
    assert not alive(None, None)


def test_a_backup_carries_the_kept_files(store: Store, tmp_path: Path) -> None:
    id_ = store.runs.start(a_check(tmp_path), "i1", {}, NOW)
    source = tmp_path / "kernel.ptx"
    source.write_text(".version 8.4")
    kept = store.runs.keep(id_, "kernel.ptx", source)
    store.backup(tmp_path / "backup.db")
    elsewhere = tmp_path / "elsewhere" / "store.db"
    assert restore(elsewhere, tmp_path / "backup.db") is None
    with Store.open(elsewhere) as other:
        (found,) = other.runs.get(id_).artefacts
        assert found.path != kept.path
        assert Path(found.path).read_text() == ".version 8.4"
        assert other.check() == []
