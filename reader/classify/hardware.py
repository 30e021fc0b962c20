"""The hardware tree: which nodes a text names, what stands above them, and how they are called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from reader.classify.rules import load
from reader.classify.terms import Prepared, Terms, latin

_ARCH = re.compile(r"(?<![a-z0-9])sm_?(\d{2,3})([af]?)(?![a-z0-9_])")
_CAPABILITY = re.compile(
    r"(?:compute capability|算力|计算能力|\bcc)\s*[≥>=:：]*\s*(\d{1,2})\.(\d)", re.IGNORECASE
)
# The first architecture number of each generation, newest first.
_GENERATIONS = (
    (107, 107, "rubin"),
    (100, 129, "blackwell"),
    (90, 90, "hopper"),
    (89, 89, "ada"),
    (80, 88, "ampere"),
    (75, 75, "turing"),
    (70, 72, "volta"),
)


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the tree; `zh` and `en` are its names in the window."""

    name: str
    parent: str | None
    zh: str
    en: str
    terms: Terms
    exact: re.Pattern[str] | None


@cache
def tree() -> dict[str, Node]:
    """Return all nodes by name, in the order of the rule file."""
    return {name: _node(name, raw) for name, raw in load("hardware").items() if name != "ignore"}


def _node(name: str, raw: dict[str, Any]) -> Node:
    exact = raw.get("exact")
    words = "|".join(re.escape(word) for word in exact) if exact else ""
    pattern = re.compile(rf"(?<![A-Za-z0-9_])(?:{words})(?![A-Za-z0-9_])") if exact else None
    terms = Terms.of(raw.get("names", []))
    return Node(name, raw.get("parent"), raw["zh"], raw["en"], terms, pattern)


@cache
def _ignored() -> re.Pattern[str]:
    phrases = sorted((latin(p.rstrip("*")).strip() for p in load("hardware")["ignore"]), key=len)
    return re.compile("|".join(rf"(?<= ){re.escape(p)}" for p in reversed(phrases)))


def named(prepared: Prepared) -> tuple[str, ...]:
    """Return the nodes a text names, without those that stand above another one named."""
    cleaned = prepared.without(_ignored())
    found = [node.name for node in tree().values() if _names(node, cleaned)]
    for arch, generation in _architectures(cleaned):
        found += [arch] if arch not in found else []
        found += [generation] if generation not in found else []
    above = {parent for name in found for parent in ancestors(name)}
    return tuple(name for name in found if name not in above)


def _names(node: Node, prepared: Prepared) -> bool:
    if node.exact is not None and node.exact.search(prepared.text):
        return True
    return node.terms.found(prepared)


def _architectures(prepared: Prepared) -> list[tuple[str, str]]:
    found = [(int(number), suffix) for number, suffix in _ARCH.findall(prepared.lower)]
    found += [(int(a) * 10 + int(b), "") for a, b in _CAPABILITY.findall(prepared.text)]
    known = ((f"sm_{number}{suffix}", generation(number)) for number, suffix in found)
    return [(arch, family) for arch, family in dict.fromkeys(known) if family is not None]


def generation(number: int) -> str | None:
    """Return the node of an NVIDIA architecture number (90 → hopper), or None."""
    for first, last, name in _GENERATIONS:
        if first <= number <= last:
            return name
    return None


def ancestors(name: str) -> tuple[str, ...]:
    """Return what stands above a node, nearest first: sm_90a → hopper, nvidia."""
    arch = _ARCH.fullmatch(name)
    if arch is not None:
        family = generation(int(arch[1]))
        return () if family is None else (family, *ancestors(family))
    above: list[str] = []
    parent = tree()[name].parent if name in tree() else None
    while parent is not None:
        above.append(parent)
        parent = tree()[parent].parent
    return tuple(above)


def with_ancestors(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the nodes and everything above them, each once: what a filter looks through."""
    return tuple(dict.fromkeys(each for name in names for each in (name, *ancestors(name))))


def hardware_name(name: str, language: str) -> str:
    """Return how a node is called in zh or en; an architecture is its own name."""
    node = tree().get(name)
    return name if node is None else (node.zh if language == "zh" else node.en)


def find_node(words: str) -> str | None:
    """Return the node a person means by what they type (Hopper, sm_90a, 英伟达), or None."""
    typed = words.strip()
    name = typed.lower().replace("-", "_").replace(" ", "_")
    if name in tree():
        return name
    arch = _ARCH.fullmatch(name)
    if arch is not None and generation(int(arch[1])) is not None:
        return f"sm_{arch[1]}{arch[2]}"
    for node in tree().values():
        if typed.lower() in (node.zh.lower(), node.en.lower()):
            return node.name
    found = named(Prepared.of(typed))
    return found[-1] if found else None
