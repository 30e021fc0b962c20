"""Whether an earlier Run still holds: what has changed since in check, judge or machine; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reader.checks import judge
from reader.model import Check, Interpreter, Leg, Machine, Reason, Run, Toolkit


def staleness(
    run: Run,
    check_hash: str | None,
    now: Machine,
    toolkits: Sequence[Toolkit],
    pythons: Sequence[Interpreter] = (),
) -> tuple[Reason, ...]:
    """Return what has changed since the run: check, judge, machine, toolkit, packages. Pure.

    None for `check_hash` stands for a check that is not there any more.
    """
    reasons = []
    if check_hash != run.check_hash:
        reasons.append(Reason("stale_check"))
    if any(verdict.judge != judge.JUDGE_VERSION for verdict in run.verdicts):
        reasons.append(Reason("stale_judge"))
    pairs = (
        ("stale_cpu", run.machine.get("cpu") or now.cpu, now.cpu),
        ("stale_driver", run.machine.get("driver"), now.driver),
        ("stale_gpu", _gpu_names(run.machine), ", ".join(gpu.name for gpu in now.gpus)),
    )
    for code, before, after in pairs:
        if (before or "") != (after or ""):
            reasons.append(Reason(code, (("before", before or "–"), ("after", after or "–"))))
    for leg in run.legs:
        reasons += _stale_toolkit(leg, toolkits)
        reasons += _stale_packages(leg, pythons)
    return tuple(reasons)


def _gpu_names(record: Mapping[str, Any]) -> str:
    return ", ".join(str(gpu.get("name")) for gpu in record.get("gpus") or ())


def _stale_toolkit(leg: Leg, toolkits: Sequence[Toolkit]) -> list[Reason]:
    if leg.toolkit is None:
        return []
    root, before = str(leg.toolkit.get("root")), leg.toolkit.get("release")
    after = next((each.release for each in toolkits if str(each.root) == root), "–")
    if after == before:
        return []
    return [Reason("stale_toolkit", (("root", root), ("before", before), ("after", after)))]


def _stale_packages(leg: Leg, pythons: Sequence[Interpreter]) -> list[Reason]:
    same = next((each for each in pythons if each.path == leg.environment.get("path")), None)
    if same is None:
        return []
    now = dict(same.packages)
    # What only the script could see, such as a vendored library, is not in the Python's own list.
    unseen = set(leg.environment.get("reported") or ()) - now.keys()
    python = str(leg.environment.get("version") or same.version)
    told = (("package", "Python"), ("before", python), ("after", same.version))
    moved = [Reason("stale_package", told)] if python != same.version else []
    return moved + [
        Reason("stale_package", (("package", name), ("before", before), ("after", after)))
        for name, before in sorted((leg.environment.get("packages") or {}).items())
        if name not in unseen and (after := now.get(name, "–")) != before
    ]


def with_staleness(
    runs: Sequence[Run],
    checks: Sequence[Check],
    now: Machine,
    toolkits: Sequence[Toolkit],
    pythons: Sequence[Interpreter] = (),
) -> list[Run]:
    """Return the runs with `stale` filled in."""
    hashes = {check.name: check.hash for check in checks}
    return [
        replace(run, stale=staleness(run, hashes.get(run.check), now, toolkits, pythons))
        for run in runs
    ]
