"""The rule files under resources/rules, read once."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from reader import settings

# Raised whenever a rule changes what a text is labelled with: the store then labels anew.
RULES_VERSION = 1


@cache
def load(name: str) -> dict[str, Any]:
    """Return one rule file as it stands."""
    return tomllib.loads(settings.resource("rules", f"{name}.toml").read_text(encoding="utf-8"))
