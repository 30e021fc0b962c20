"""The hardware tree: which nodes a text names, what stands above them, and how they are called."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import Any

from reader.classify.rules import load
from reader.classify.terms import Prepared, Terms, latin

_ARCH = re.compile(r"(?<![a-z0-9])sm_?(\d{2,3})([af]?)(?![a-z0-9_])")
_CAPABILITY = re.compile(
    r"(?:compute capability|算力|计算能力|\bcc)\s*[≥>=:：]*\s*(\d{1,2})\.(\d)", re.IGNORECASE
)
_CAPABILITY_NAMES = ("compute capability", "算力", "计算能力", "cc")
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
    exact: tuple[str, ...]
    pattern: re.Pattern[str] | None  # any of the exact names, as a word


@cache
def tree() -> dict[str, Node]:
    """Return all nodes by name, in the order of the rule file."""
    return {name: _node(name, raw) for name, raw in load("hardware").items() if name != "ignore"}


def _node(name: str, raw: dict[str, Any]) -> Node:
    exact = tuple(raw.get("exact", ()))
    words = "|".join(map(re.escape, exact))
    pattern = re.compile(rf"(?<![A-Za-z0-9_])(?:{words})(?![A-Za-z0-9_])") if exact else None
    terms = Terms.of(raw.get("names", []))
    return Node(name, raw.get("parent"), raw["zh"], raw["en"], terms, exact, pattern)


@cache
def _ignored() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the first words of phrases that name no hardware, and a pattern of the phrases."""
    phrases = sorted((latin(p.rstrip("*")).strip() for p in load("hardware")["ignore"]), key=len)
    pattern = "|".join(rf"(?<= ){re.escape(p)}" for p in reversed(phrases))
    return frozenset(phrase.split()[0] for phrase in phrases), re.compile(pattern)


def named(prepared: Prepared) -> tuple[str, ...]:
    """Return the nodes a text names, without those that stand above another one named."""
    openings, pattern = _ignored()
    cleaned = prepared if openings.isdisjoint(prepared.vocabulary) else prepared.without(pattern)
    found = _named(cleaned)
    for arch, generation in _architectures(cleaned):
        found += [arch] if arch not in found else []
        found += [generation] if generation not in found else []
    above = {parent for name in found for parent in ancestors(name)}
    return tuple(name for name in found if name not in above)


@cache
def _nodes() -> tuple[dict[str, list[str]], tuple[Node, ...]]:
    """Return the names of nodes by the needles that name them, and the nodes with exact names."""
    by_needle: dict[str, list[str]] = defaultdict(list)
    for node in tree().values():
        for needle in node.terms.needles:
            by_needle[needle].append(node.name)
    return by_needle, tuple(node for node in tree().values() if node.pattern is not None)


def _named(prepared: Prepared) -> list[str]:
    """Return the nodes that a text names by their terms or exact names, in the tree's order."""
    by_needle, exact = _nodes()
    names = {name for needle in by_needle.keys() & prepared.present for name in by_needle[needle]}
    names |= {node.name for node in exact if node.name not in names and _exactly(node, prepared)}
    return [name for name in tree() if name in names] if names else []


def _exactly(node: Node, prepared: Prepared) -> bool:
    # A name is looked for plainly first: a pattern takes twenty times as long.
    if node.pattern is None or not any(name in prepared.text for name in node.exact):
        return False
    return node.pattern.search(prepared.text) is not None


def _architectures(prepared: Prepared) -> list[tuple[str, str]]:
    found: list[tuple[int, str]] = []
    if "sm" in prepared.lower:
        found += [(int(number), suffix) for number, suffix in _ARCH.findall(prepared.lower)]
    if any(name in prepared.lower for name in _CAPABILITY_NAMES):
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
    found = named(Prepared(typed))
    return found[-1] if found else None
