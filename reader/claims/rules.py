"""The rules of resources/rules/claims.toml as compiled patterns, read once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from reader import settings


@dataclass(frozen=True, slots=True)
class Kind:
    """What shows a sentence to be a claim of one kind, and what shows that it is none."""

    name: str
    any: re.Pattern[str]
    never: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules: kinds in the order in which they are tried."""

    kinds: tuple[Kind, ...]
    repeated: frozenset[str]  # kinds that count where a text weighs instead of reporting
    never: re.Pattern[str]
    conditions: dict[str, re.Pattern[str]]


@cache
def load() -> Rules:
    """Return the rules as they stand in the file."""
    raw = tomllib.loads(settings.resource("rules", "claims.toml").read_text(encoding="utf-8"))
    parts: dict[str, str] = raw["parts"]

    def joined(patterns: Iterable[str]) -> re.Pattern[str]:
        whole = "|".join(f"(?:{pattern})" for pattern in patterns)
        for name, piece in parts.items():
            whole = whole.replace("{" + name + "}", piece)
        # What names code tells capitals apart; so the pieces say (?-i:…) for themselves.
        return re.compile(whole, re.IGNORECASE)

    parts["id"] = f"(?-i:{parts['id']})"
    kinds = tuple(
        Kind(name, joined(raw[name]["any"]), joined(raw[name]["never"])) for name in raw["order"]
    )
    conditions = {name: re.compile(each) for name, each in raw["conditions"].items()}
    return Rules(kinds, frozenset(raw["repeated"]), joined(raw["never"]), conditions)
