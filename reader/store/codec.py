"""Frozen dataclasses to JSON text and back, by their type hints."""

from __future__ import annotations

import json
import types
from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def pack(value: Any) -> str:
    """Return `value` (dataclasses, tuples, enums, dates, plain JSON) as compact JSON text."""
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))


def unpack(kind: type[T], text: str) -> T:
    """Return the `kind` that `pack` wrote; fields unknown here are left out."""
    result: T = revive(kind, json.loads(text))
    return result


def plain(value: Any) -> Any:
    """Return `value` as what JSON knows; empty fields of dataclasses are left out."""
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((each.name, getattr(value, each.name)) for each in fields(value))
        return {name: plain(held) for name, held in pairs if held not in (None, (), "")}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {str(name): plain(held) for name, held in value.items()}
    return value


@cache
def _hints(kind: Hashable) -> dict[str, Any]:
    return get_type_hints(kind)


def revive(kind: Any, value: Any) -> Any:
    """Return `value`, as JSON gave it, as a `kind`."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        (inner,) = [each for each in get_args(kind) if each is not type(None)]
        return None if value is None else revive(inner, value)
    if origin is tuple:
        inside = get_args(kind)
        if len(inside) == 2 and inside[1] is Ellipsis:
            return tuple(revive(inside[0], each) for each in value)
        return tuple(revive(each, held) for each, held in zip(inside, value, strict=True))
    if not isinstance(kind, type) or origin is not None:
        return value
    if is_dataclass(kind):
        return _revive_dataclass(kind, value)
    if issubclass(kind, Enum):
        return kind(value)
    if issubclass(kind, (datetime, date)):
        return kind.fromisoformat(value)
    return float(value) if kind is float else value


def _revive_dataclass(kind: Any, value: dict[str, Any]) -> Any:
    hints = _hints(kind)
    known = {name: revive(hints[name], held) for name, held in value.items() if name in hints}
    for name, hint in hints.items():
        if name not in known:
            empty = _empty(hint)
            if empty is not ...:
                known[name] = empty
    return kind(**known)


def _empty(hint: Any) -> Any:
    """The value `plain` left out for a field of this type."""
    if get_origin(hint) in (Union, types.UnionType):
        return None
    if get_origin(hint) is tuple:
        return ()
    return "" if hint is str else ...
