"""Plain text of several lines, and whole dataclasses of it, made safe."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar

from reader.sanitise.rules import INVISIBLE

T = TypeVar("T")
_ADDRESSES = ("url",)


def clean_plain(text: str) -> str:
    """Return plain text without control and direction characters; lines stay lines."""
    return INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def clean_record(record: T) -> T:
    """Return a dataclass with every text inside cleaned, and only addresses that may be opened."""
    cleaned: T = _clean(record)
    return cleaned


def _clean(value: Any) -> Any:
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return clean_plain(value)
    if isinstance(value, tuple):
        return tuple(_clean(each) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        changes = {
            each.name: _field(each.name, getattr(value, each.name)) for each in fields(value)
        }
        return replace(value, **changes)
    return value


def _field(name: str, value: Any) -> Any:
    if name in _ADDRESSES and isinstance(value, str):
        address = clean_plain(value).strip()
        return address if address.lower().startswith(("http://", "https://")) else None
    return _clean(value)
