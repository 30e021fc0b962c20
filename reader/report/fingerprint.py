"""What a run stood on: machine, toolkits, interpreters, packages, check and judge."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from reader.model import Leg, Run
from reader.report.words import Say, amount

MAX_PACKAGES = 24

Fact = tuple[str, str]  # label, text


def fingerprint(run: Run) -> str:
    """Return twelve hex figures that are equal for equal machine, tools, packages and check.

    What changes by itself (load, clocks, temperature) does not enter.
    """
    machine = run.machine
    stands = {
        "machine": [machine.get(name) for name in ("system", "cpu", "cores", "driver")],
        "gpus": [[gpu.get("name"), gpu.get("compute_capability")] for gpu in _gpus(machine)],
        "legs": [_stands(leg) for leg in run.legs],
        "check": run.check_hash,
    }
    text = json.dumps(stands, sort_keys=True, default=str)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return " ".join((digest[:4], digest[4:8], digest[8:12]))


def _stands(leg: Leg) -> list[Any]:
    toolkit = leg.toolkit or {}
    return [
        leg.environment.get("version"),
        leg.environment.get("packages"),
        {name: tool.get("version") for name, tool in _tools(leg)},
        toolkit.get("release") or toolkit.get("version"),
        leg.target,
    ]


def _tools(leg: Leg) -> list[tuple[str, Mapping[str, Any]]]:
    tools = leg.environment.get("tools") or {}
    return [(name, tool) for name, tool in tools.items() if isinstance(tool, Mapping)]


def _gpus(machine: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    gpus = machine.get("gpus") or []
    return [gpu for gpu in gpus if isinstance(gpu, Mapping)]


def facts(run: Run, _: Say) -> tuple[Fact, ...]:
    """Return the lines of the fingerprint, in reading order; what is unknown is left out."""
    lines = [*_machine(run.machine, _), *_legs(run, _)]
    lines.append((_("Check"), f"{run.check} · sha256 {run.check_hash}"))
    judges = sorted({verdict.judge for verdict in run.verdicts})
    if judges:
        lines.append((_("Judge"), _("version {n}").format(n=", ".join(map(str, judges)))))
    return tuple((label, text) for label, text in lines if text)


def _machine(machine: Mapping[str, Any], _: Say) -> Iterator[Fact]:
    yield _("System"), str(machine.get("system") or "")
    cpu = [str(machine.get("cpu") or "")]
    if machine.get("cores"):
        cpu.append(_("{n} cores").format(n=machine["cores"]))
    if machine.get("memory_mb"):
        cpu.append(f"{machine['memory_mb'] / 1024:.1f} GiB")
    if machine.get("load") is not None:
        cpu.append(_("load {load:.1f}").format(load=float(machine["load"])))
    yield _("Processor"), " · ".join(each for each in cpu if each)
    gpus = [f"{gpu.get('name')} (cc {gpu.get('compute_capability')})" for gpu in _gpus(machine)]
    why = machine.get("no_gpu_reason")
    yield _("GPU"), ", ".join(gpus) or " · ".join([_("none"), *([_(str(why))] if why else [])])
    yield _("Driver"), str(machine.get("driver") or "")
    overrides = machine.get("overrides") or {}
    yield _("Overrides"), amount(dict(overrides)) if overrides else ""


def _legs(run: Run, _: Say) -> Iterator[Fact]:
    for leg in run.legs:
        own = f" · {leg.name}" if len(run.legs) > 1 else ""
        yield _("Toolkit") + own, _toolkit(leg, _)
        environment = leg.environment
        parts = [environment.get("version"), environment.get("origin"), environment.get("path")]
        yield _("Interpreter") + own, " · ".join(str(each) for each in parts if each)
        yield _("Packages") + own, packages(environment.get("packages"), _)
        tools = (f"{name} {tool.get('version')} ({tool.get('path')})" for name, tool in _tools(leg))
        yield _("Tools") + own, ", ".join(tools)
        yield _("Targets") + own, leg.target
        overrides = environment.get("overrides") or {}
        yield _("Overrides") + own, amount(dict(overrides)) if overrides else ""


def _toolkit(leg: Leg, _: Say) -> str:
    if not leg.toolkit:
        return _("none")
    parts = [leg.toolkit.get("release") or leg.toolkit.get("version"), leg.toolkit.get("root")]
    return "CUDA " + " · ".join(str(each) for each in parts if each)


def packages(found: Any, _: Say) -> str:
    """Return packages as `name version`, kept as a mapping or as pairs; many are counted."""
    pairs = sorted(found.items() if isinstance(found, Mapping) else found or ())
    text = ", ".join(f"{name} {version}" for name, version in pairs[:MAX_PACKAGES])
    more = len(pairs) - MAX_PACKAGES
    return text + (_(" and {n} more").format(n=more) if more > 0 else "")
