"""The result file a script leaves: read without trusting it, refused with a reason."""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from reader.checks import harness
from reader.model import Check, Reason

MAX_BYTES = 16 * 1024 * 1024
MAX_CASES = 20_000
MAX_TEXT = 20_000
_LIES = {"verdict", "verdicts", "confirmed", "refuted", "inconclusive"}
_CODE = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ARTEFACT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+=,@ -]{0,119}")
_PARTS: Mapping[str, type] = {
    "schema": int,
    "check": str,
    "hash": str,
    "measured": dict,
    "cases": list,
    "obstacles": dict,
    "artefacts": list,
    "versions": dict,
    "tools": dict,
    "commands": list,
    "control_done": bool,
}


class Rejected(Exception):
    """The file is no usable result; carries the reason."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code)
        self.reason = Reason(code, tuple(params.items()))


def read(path: Path, check: Check) -> dict[str, Any]:
    """Return the result with every part in it; raises Rejected."""
    result = _parsed(_bytes(path))
    _sound(result)
    if not isinstance(result, dict):
        _malformed("result")
    for name in result:
        if name not in _PARTS:
            _malformed(str(name)[:80])
    if result.get("schema") != harness.SCHEMA:
        raise Rejected("result_schema", found=str(result.get("schema"))[:20])
    if result.get("check") != check.name or result.get("hash") != check.hash:
        raise Rejected("result_of_another", found=str(result.get("check"))[:80])
    for name, kind in _PARTS.items():
        if not isinstance(result.setdefault(name, kind()), kind):
            _malformed(name)
    _measured(result["measured"], check)
    _rows(result)
    _obstacles(result["obstacles"], check)
    for name in result["artefacts"]:
        if not isinstance(name, str) or not _ARTEFACT.fullmatch(name):
            _malformed("artefacts")
    return result


def samples(path: Path, check: Check) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what a leg that was stopped had measured so far; what does not read is left out."""
    measured: dict[str, Any] = {}
    cases: list[dict[str, Any]] = []
    try:
        lines = _bytes(path).decode("utf-8", "replace").splitlines()
    except Rejected:
        return measured, cases
    known = dict(check.measures)
    for line in lines:
        try:
            record = _parsed(line.encode())
            _sound(record)
            measured.update({n: v for n, v in record.get("measured", {}).items() if n in known})
            if isinstance(record.get("case"), dict) and len(cases) < MAX_CASES:
                cases.append(record["case"])
        except (Rejected, AttributeError):
            continue
    return measured, cases


def _bytes(path: Path) -> bytes:
    try:
        about = path.lstat()
    except OSError as error:
        raise Rejected("result_missing") from error
    if not stat.S_ISREG(about.st_mode):
        raise Rejected("result_no_file")
    if about.st_size > MAX_BYTES:
        raise Rejected("result_too_large", mb=MAX_BYTES // 1024 // 1024)
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise Rejected("result_missing") from error


def _parsed(body: bytes) -> Any:
    def constant(name: str) -> NoReturn:
        raise Rejected("result_not_finite", value=name)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            _malformed("repeated name")
        return found

    try:
        return json.loads(body.decode("utf-8"), parse_constant=constant, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise Rejected("result_malformed", where=str(error)[:200]) from error


def _sound(value: Any) -> None:
    """Refuse verdicts by any name, numbers without end, and texts beyond reason, anywhere."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            for name in each:
                if name.lower().strip() in _LIES:
                    raise Rejected("result_lies", name=name[:40])
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
        elif isinstance(each, float) and not math.isfinite(each):
            raise Rejected("result_not_finite", value=str(each))
        elif isinstance(each, int) and abs(each) > 10**30:
            raise Rejected("result_not_finite", value="10^30")
        elif isinstance(each, str) and len(each) > MAX_TEXT:
            _malformed("text too long")


def _measured(measured: dict[str, Any], check: Check) -> None:
    known = dict(check.measures)
    for name, value in measured.items():
        if name not in known:
            raise Rejected("measurement_unknown", measurement=name[:80])
        if value is not None and not isinstance(value, int | float | str | bool):
            _malformed(f"measured.{name}")


def _rows(result: dict[str, Any]) -> None:
    if len(result["cases"]) > MAX_CASES:
        raise Rejected("result_too_large", mb=MAX_BYTES // 1024 // 1024)
    for part in ("cases", "commands"):
        if not all(isinstance(row, dict) for row in result[part]):
            _malformed(part)
    for part in ("versions", "tools"):
        if not all(isinstance(value, str | dict) for value in result[part].values()):
            _malformed(part)


def _obstacles(obstacles: dict[str, Any], check: Check) -> None:
    claims = {claim.id for claim in check.claims}
    for claim, obstacle in obstacles.items():
        if claim not in claims:
            _malformed(f"obstacles.{claim[:80]}")
        if (
            not isinstance(obstacle, dict)
            or not _CODE.fullmatch(str(obstacle.get("code")))
            or not isinstance(obstacle.setdefault("params", {}), dict)
        ):
            _malformed(f"obstacles.{claim}")


def _malformed(where: str) -> NoReturn:
    raise Rejected("result_malformed", where=where)
