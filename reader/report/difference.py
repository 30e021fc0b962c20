"""What changed from one Run to another: machine, versions, results. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reader.model import Leg, Run

# What moves by itself and says nothing about a result.
_RESTLESS = ("load", "clocks", "temperature", "throttle", "power", "processes", "at")

Change = dict[str, Any]  # part, name, first, second


def difference(first: Run, second: Run) -> list[Change]:
    """Return every value that differs, as part (check, machine, versions, results, verdicts)."""
    parts = (
        ("check", _check(first), _check(second)),
        ("machine", _flat(first.machine), _flat(second.machine)),
        ("versions", _versions(first), _versions(second)),
        ("results", _results(first), _results(second)),
        ("verdicts", _verdicts(first), _verdicts(second)),
    )
    return [
        {"part": part, "name": name, "first": one.get(name), "second": other.get(name)}
        for part, one, other in parts
        for name in dict.fromkeys([*one, *other])
        if one.get(name) != other.get(name)
    ]


def _check(run: Run) -> dict[str, Any]:
    judges = sorted({each.judge for each in run.verdicts})
    return {"check": run.check, "hash": run.check_hash, "judge": judges or None}


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    if isinstance(value, Mapping):
        pairs = [(str(key), inner) for key, inner in value.items()]
    elif isinstance(value, list | tuple):
        pairs = [(str(n), inner) for n, inner in enumerate(value)]
    else:
        return {name: value}
    flat: dict[str, Any] = {}
    for key, inner in pairs:
        if not any(word in key.lower() for word in _RESTLESS):
            flat |= _flat(inner, f"{name}.{key}" if name else key)
    return flat


def _named(run: Run) -> list[tuple[str, Leg]]:
    alone = len(run.legs) == 1
    return [("" if alone else leg.name, leg) for leg in run.legs]


def _versions(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, leg in _named(run):
        found |= _flat(leg.environment, f"{name}.python".strip("."))
        found |= _flat(leg.toolkit or {}, f"{name}.toolkit".strip("."))
        found[f"{name}.target".strip(".")] = leg.target
    return found


def _results(run: Run) -> dict[str, Any]:
    return {
        f"{name}.{key}".strip("."): value
        for name, leg in _named(run)
        for key, value in leg.measured.items()
    }


def _verdicts(run: Run) -> dict[str, Any]:
    return {each.claim: each.verdict.value for each in run.verdicts}
