"""The small checks of tests/data/checks, and what it takes to run one leg of them."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from reader.checks import manifest
from reader.checks.process import LegPlan
from reader.model import Check, Interpreter, Leg, Limits, Machine

FOLDER = Path(__file__).parent / "data" / "checks"
MACHINE = Machine("Linux", "a CPU", 2, 8192, 0.1, no_gpu_reason="no NVIDIA driver is installed")
PYTHON = Interpreter(sys.executable, ".".join(map(str, sys.version_info[:3])), "path")


def small(name: str, **limits: Any) -> Check:
    """Return one of the small checks, perhaps with tighter limits."""
    check = manifest.load(FOLDER / name)
    return replace(check, limits=replace(check.limits, **limits)) if limits else check


def plan(name: str, **others: Any) -> LegPlan:
    """Return the plan of a leg of a small check."""
    limits = {key: others.pop(key) for key in list(others) if key in Limits.__slots__}
    return LegPlan(check=small(name, **limits), interpreter=PYTHON, machine=MACHINE, **others)


def a_leg(measured: dict[str, Any], **others: Any) -> Leg:
    """Return a leg that ended well with these measurements."""
    given: dict[str, Any] = {
        "name": "main", "environment": {}, "toolkit": None, "target": "sm_90", "cases": (),
        "log": "", "command": (), "exit_status": 0, "seconds": 1.0, "control_done": True,
    }  # fmt: skip
    return Leg(measured=measured, **(given | others))
