"""What a text shows of what it claims: codegen, property, regression, kernel, end to end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from reader.classify.rules import load
from reader.classify.terms import Prepared, Terms, stands
from reader.model import Evidence

_SENTENCE = re.compile(r"[;!?]\s|(?<![0-9A-Z])\.\s")  # within a line
_AMOUNT = re.compile(r"\d+(?:\.\d+)?\s*")
_UNIT = re.compile(
    r"[x×]|倍|%|％|成|(?:[kKM]?\s*)(?:tokens?|images?|samples?|requests?)\b|"
    r"[μu]s\b|ms\b|秒|毫秒|微秒|[TG]FLOP|TB/s|GB/s",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\bo\(n", re.IGNORECASE)
_KINDS = (
    Evidence.CODEGEN,
    Evidence.PROPERTY,
    Evidence.REGRESSION,
    Evidence.KERNEL,
    Evidence.END_TO_END,
)


_MEASURED = {Evidence.KERNEL, Evidence.END_TO_END}  # these want a number in the same sentence
_NAMES = ("denies", "faster", *(kind.value for kind in _KINDS))


@cache
def _terms(name: str) -> Terms:
    raw = load("evidence")[name]
    return Terms.of(raw if isinstance(raw, list) else raw["words"])


def shown(text: str, whole: Prepared) -> tuple[Evidence, ...]:
    """Return every kind of evidence a text shows, weakest first; `whole` holds all of the text."""
    # Few terms stand in the text at all; only these are looked for in its sentences.
    here = {name: _terms(name).within(whole) for name in _NAMES}
    sought = {kind for kind in _KINDS if here[kind.value]}
    if sought & _MEASURED and not (here["faster"] and _has_number(text)):
        sought -= _MEASURED
    if not sought:
        return ()
    found: set[Evidence] = set()
    openings = _openings(here, sought)
    for sentence in _sentences(text, openings):
        new = _of_sentence(sentence, here, sought - found)
        if new:
            found |= new
            openings[:] = _openings(here, sought - found)
            if not openings:
                break
    return tuple(kind for kind in _KINDS if kind in found)


def _sentences(text: str, openings: list[str]) -> Iterator[str]:
    """Yield the sentences that hold any of the openings, which may grow fewer meanwhile."""
    for mark in "。；！？":
        text = text.replace(mark, "\n")
    for line in text.split("\n"):
        lower = line.lower()
        if any(opening in lower for opening in openings):
            for sentence in _SENTENCE.split(line):
                lower = sentence.lower()
                if any(opening in lower for opening in openings):
                    yield sentence


def _openings(here: Mapping[str, frozenset[str]], kinds: set[Evidence]) -> list[str]:
    """Return the words or letters without which a sentence shows none of the kinds."""
    needles = (needle for kind in kinds for needle in here[kind.value])
    return list({needle.split()[0] for needle in needles})


def _of_sentence(
    sentence: str, here: Mapping[str, frozenset[str]], kinds: set[Evidence]
) -> set[Evidence]:
    """Return those of the kinds that a sentence shows."""
    found: set[Evidence] = set()
    prepared = Prepared(sentence)
    denied = _any(here["denies"], prepared)
    # A clause that denies takes the performance of the whole sentence, but not the rest of it.
    for clause in re.split(r"[，,：:]\s*", sentence) if denied else [sentence]:
        part = Prepared(clause) if denied else prepared
        if denied and _any(here["denies"], part):
            continue
        found |= {kind for kind in kinds - _MEASURED if _any(here[kind.value], part)}
    if denied or kinds.isdisjoint(_MEASURED) or not _has_number(sentence):
        return found
    if _any(here["faster"], prepared):
        found |= {kind for kind in kinds & _MEASURED if _any(here[kind.value], prepared)}
    return found


def _has_number(text: str) -> bool:
    """Tell whether a measured number stands in a text."""
    # No unit begins as a number ends, so what follows the whole number decides.
    if any(_UNIT.match(text, amount.end()) for amount in _AMOUNT.finditer(text)):
        return True
    return "(" in text and _ORDER.search(text) is not None


def _any(needles: frozenset[str], prepared: Prepared) -> bool:
    return any(stands(each, prepared) for each in needles)


def evidence_name(kind: Evidence, language: str) -> str:
    """Return how a kind of evidence is called in zh or en."""
    if kind is Evidence.NONE:
        return "无" if language == "zh" else "None"
    return str(load("evidence")[kind.value]["zh" if language == "zh" else "en"])
