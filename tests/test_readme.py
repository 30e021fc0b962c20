"""The README in both languages says what is there: every bundled check with what it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from reader.checks import manifest
from reader.model import Check

ROOT = Path(__file__).parents[1]
CHECKS, FAULTS = manifest.load_all()


def row(check: Check, language: str) -> str:
    """Return a check's line of the table."""
    title = check.title.zh if language == "zh" else check.title.en
    gpu = sum(bool(each.needs.gpus) for each in check.claims)
    claims = f"{len(check.claims)}" + (f" ({gpu} GPU)" if gpu else "")
    size = max(check.packages.size_mb, sum(each.packages.size_mb for each in check.sides))
    return f"| `{check.name}` | {title} | {claims} | {size or '–'} |"


@pytest.mark.parametrize(("name", "language"), [("README.md", "en"), ("README.zh.md", "zh")])
def test_the_table_of_checks_is_that_of_the_manifests(name: str, language: str) -> None:
    assert FAULTS == []
    text = (ROOT / name).read_text(encoding="utf-8")
    listed = [line for line in text.splitlines() if line.startswith("| `") and line.count("|") == 5]
    wanted = [row(each, language) for each in CHECKS]
    missing = [each for each in wanted if each not in listed]
    assert not missing, "\n".join(wanted)
    named = [line for line in listed if any(f"`{each.name}`" in line for each in CHECKS)]
    assert len(named) == len(CHECKS)
