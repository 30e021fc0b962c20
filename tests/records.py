"""Runs every bundled check for real and keeps what each gave: `./run checks [NAME…]`.

A record is small and says nothing of whose machine it was: versions, figures, verdicts. Only a run
that came to its end is kept; tests/test_records.py names the checks without one and why.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from reader import runner, settings
from reader.checks import environment, manifest
from reader.errors import ReadproofError
from reader.model import Check, Leg, Run, RunStatus, Verdict
from tests.toolkit import cache_folder, toolkit_folder

FOLDER = Path(__file__).parent / "data" / "records"
DIGITS, MOST = 4, 400  # significant figures of a number, characters of a text
# Paths tell whose machine it was, be it in the words of a tool that failed.
_PATH = re.compile(r"(?<![\w.])(?:~|[A-Za-z]:)?[/\\](?:[\w.+@-]+[/\\])+[\w.+@-]*")


def pythons_of(name: str) -> list[str]:
    """Return the Pythons of all of a check's environments, in the order of its legs.

    The tests' own are used, built where they are not there yet.
    """
    check = manifest.load(settings.resource_path("checks") / name)
    root = cache_folder() / "environments"
    paths = []
    for packages in environment.wanted(check):
        found = environment.managed(packages, check.folder, root=root)
        if found is None:
            found = environment.build(
                packages, check.folder, lambda _progress: None, lambda: False, root=root
            )
        size = environment.size(packages, check.folder, root=root) // 1024 // 1024
        print(f"\n{name}: {found.path}, Python {found.version}, {size} MB")
        paths.append(found.path)
    return paths


def record(check: Check, run: Run, seconds: float) -> dict[str, Any]:
    """Return what is kept of a run."""
    gpus = run.machine.get("gpus") or []
    return {
        "check": check.name,
        "hash": check.hash,
        "day": run.started.date().isoformat(),
        "seconds": round(seconds, 1),
        "machine": {
            "cpu": run.machine.get("cpu"),
            "cores": run.machine.get("cores"),
            "gpus": [f"{gpu['name']} ({gpu['compute_capability']})" for gpu in gpus],
            "driver": run.machine.get("driver"),
        },
        "legs": [_leg(leg) for leg in run.legs],
        "verdicts": {verdict.claim: _verdict(verdict) for verdict in run.verdicts},
    }


def _leg(leg: Leg) -> dict[str, Any]:
    tools = leg.environment.get("tools") or {}
    return {
        "name": leg.name,
        "seconds": round(leg.seconds, 1),
        "python": leg.environment.get("version"),
        "toolkit": (leg.toolkit or {}).get("release"),
        "tools": {name: _plain(tool.get("version")) for name, tool in tools.items()},
        "cases": len(leg.cases),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict.verdict.value,
        "reason": verdict.reason.code,
        "measured": {name: _plain(value) for name, value in verdict.measured.items()},
    }


def _plain(value: Any) -> Any:
    """Return a value short, rounded, and without any path."""
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    return _PATH.sub("…", str(value))[:MOST]


def text_of(kept: dict[str, Any]) -> str:
    """Return a record as it stands in its file."""
    return json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=False) + "\n"


def perform(name: str) -> tuple[Check, Run, float]:
    """Run one check in the tests' environments; returns it with the seconds it took."""
    check = runner.find_check(name, ())
    pythons = tuple(pythons_of(name))
    options = runner.RunOptions(cuda=toolkit_folder(), python=pythons, check_folders=())
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        run = runner.run_check(Path(place, "records.db"), name, options=options)
        return check, run, time.monotonic() - began


def main(names: list[str]) -> int:
    """Run the named checks, else all; return 1 where one did not come to its end."""
    checks, faults = manifest.load_all(())
    for fault in faults:
        print(fault, file=sys.stderr)
    rows: list[tuple[str, str, str]] = []
    failed = bool(faults)
    for name in names or [check.name for check in checks]:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            check, run, seconds = perform(name)
        except ReadproofError as error:
            rows.append((name, "–", str(error)))
            failed = True
            continue
        if run.status is not RunStatus.FINISHED or any(leg.fault for leg in run.legs):
            why = next((leg.fault.code for leg in run.legs if leg.fault), run.status.value)
            rows.append((name, f"{seconds:.0f} s", why))
            failed = True
            continue
        FOLDER.mkdir(parents=True, exist_ok=True)
        kept = text_of(record(check, run, seconds))
        (FOLDER / f"{name}.json").write_text(kept, encoding="utf-8")
        rows.append((name, f"{seconds:.0f} s", told(run)))
    wide = max(map(len, (row[0] for row in rows)), default=0)
    for one, took, said in rows:
        print(f"{one:{wide}}  {took:>6}  {said}")
    return int(failed)


def told(run: Run) -> str:
    """Return how many claims got which verdict."""
    said = [verdict.verdict.value for verdict in run.verdicts]
    return ", ".join(f"{said.count(each)} {each}" for each in dict.fromkeys(said))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
