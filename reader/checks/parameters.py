"""What a user chose for a run of a check: names the manifest declares, files that are there."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from reader.errors import Usage
from reader.language import _
from reader.model import Check

Chosen = tuple[tuple[str, str], ...]


def chosen(check: Check, given: Sequence[tuple[str, str]]) -> Chosen:
    """Return the values by name, a function as FILE:NAME with the file's whole path.

    Raises Usage for a name that the check does not know and for a file that is not there.
    """
    known = {each.name: each for each in check.parameters}
    found: dict[str, str] = {}
    for name, value in given:
        if name not in known:
            names = ", ".join(known) or _("none")
            raise Usage(
                _("{check} has no parameter {name}; it has: {names}").format(
                    check=check.name, name=name, names=names
                )
            )
        found[name] = _function(name, value) if known[name].function else value
    return tuple(found.items())


def _function(name: str, value: str) -> str:
    file, _colon, function = value.rpartition(":")
    path = Path(file).expanduser().absolute()
    if not file or not function.isidentifier() or not path.is_file():
        raise Usage(
            _(
                "{name}: write it as FILE.py:FUNCTION, with a file that is there; not “{value}”"
            ).format(name=name, value=value)
        )
    return f"{path}:{function}"


def record(check: Check, values: Chosen) -> dict[str, dict[str, str]]:
    """Return what a run keeps of them: the value, and for a function its file's sha256."""
    functions = {each.name for each in check.parameters if each.function}
    kept: dict[str, dict[str, str]] = {}
    for name, value in values:
        kept[name] = {"value": value}
        if name in functions:
            try:
                body = Path(value.rpartition(":")[0]).read_bytes()
            except OSError:
                continue
            kept[name]["sha256"] = hashlib.sha256(body).hexdigest()
    return kept
