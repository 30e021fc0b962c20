"""Text → sentences that claim something testable: kind, conditions, place; pure, rules as data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from reader import classify
from reader.claims.rules import load
from reader.claims.sentences import MOST, spans
from reader.classify.terms import Prepared
from reader.model import Item

FIELDS = ("summary", "body", "why", "reported_result")
OPINIONS = frozenset({"why"})
MOST_SENTENCES = 500  # of one field; what is longer is no story


class Kind(StrEnum):
    """What a claim is about, and so what would test it."""

    PERFORMANCE = "performance"  # a time, a rate, how it grows
    CORRECTNESS = "correctness"  # results, tests that passed, a miscompilation mended
    CODEGEN = "codegen"  # what the compiler makes of it
    BEHAVIOUR = "behaviour"  # a default, an option, a requirement: what is there or refused


@dataclass(frozen=True, slots=True)
class Factor:
    """A number that a sentence gives: `bound` is most, about or "" where it says neither."""

    value: float
    unit: str  # ×, %, ms, µs, ns, tokens/s
    bound: str = ""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a sentence says it holds for."""

    hardware: tuple[str, ...] = ()  # node names of classify's tree
    gpus: tuple[str, ...] = ()  # as written: H100, sm_90a
    versions: tuple[tuple[str, str], ...] = ()  # project, version; 13+: that and newer
    shapes: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    factors: tuple[Factor, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A sentence that claims something: its place in characters of the text it stands in."""

    field: str
    start: int
    end: int
    text: str
    kind: Kind
    conditions: Conditions


def of_item(item: Item) -> list[Found]:
    """Return the claims of an item in the order in which it is read."""
    return [each for name in FIELDS for each in find(getattr(item, name) or "", name)]


def find(text: str, field: str = "summary") -> Iterator[Found]:
    """Yield the claims of a text; of one that weighs (`why`) only numbers that it repeats."""
    for start, end in islice(spans(text), MOST_SENTENCES):
        sentence = text[start:end]
        kind = kind_of(sentence, opinion=field in OPINIONS)
        if kind is not None:
            yield Found(field, start, end, sentence, kind, conditions(sentence))


def kind_of(sentence: str, *, opinion: bool = False) -> Kind | None:
    """Return what a sentence claims, or None."""
    rules = load()
    if len(sentence) > MOST or rules.never.search(sentence):
        return None
    for kind in rules.kinds:
        if opinion and kind.name not in rules.repeated:
            continue
        if kind.any.search(sentence) and not kind.never.search(sentence):
            return Kind(kind.name)
    return None


def conditions(sentence: str) -> Conditions:
    """Return what a sentence says it holds for."""
    patterns = load().conditions
    versions = (
        (found[1], f"{found[2]}{found[3] or ''}")
        for found in patterns["version"].finditer(sentence)
    )
    return Conditions(
        hardware=classify.named(Prepared(sentence)),
        gpus=_all(patterns["gpu"], sentence),
        versions=tuple(dict.fromkeys(versions)),
        shapes=_all(patterns["shape"], sentence),
        dtypes=_all(patterns["dtype"], sentence),
        factors=tuple(_factors(patterns["factor"], sentence)),
    )


def _all(pattern: re.Pattern[str], sentence: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found[0].strip() for found in pattern.finditer(sentence)))


_UNITS = {"x": "×", "倍": "×", "percent": "%", "us": "µs"}


def _factors(pattern: re.Pattern[str], sentence: str) -> Iterator[Factor]:
    for found in pattern.finditer(sentence):
        bound = "most" if found[1] or found[2] == "within" else "about" if found[2] else ""
        yield Factor(float(found[3].replace(",", "")), _UNITS.get(found[4], found[4]), bound)


def holds_for(said: Conditions, language: str) -> tuple[str, ...]:
    """Return conditions as words: H100, CUDA 13+, batch 16, FP8."""
    versions = (f"{project} {version}" for project, version in said.versions)
    named = () if said.gpus else said.hardware
    families = (classify.hardware_name(each, language) for each in named)
    return tuple(dict.fromkeys((*said.gpus, *families, *versions, *said.shapes, *said.dtypes)))
