"""What a text shows of what it claims: codegen, property, regression, kernel, end to end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from reader.classify.rules import load
from reader.classify.terms import Prepared, Terms
from reader.model import Evidence

_SENTENCE = re.compile(r"[。；！？\n]+|[;!?]\s|(?<![0-9A-Z])\.\s")
_NUMBER = re.compile(
    r"\d+(?:\.\d+)?\s*(?:[x×]|倍|%|％|成|(?:[kKM]?\s*)(?:tokens?|images?|samples?|requests?)\b|"
    r"[μu]s\b|ms\b|秒|毫秒|微秒|[TG]FLOP|TB/s|GB/s)|\bO\(N",
    re.IGNORECASE,
)
_KINDS = (
    Evidence.CODEGEN,
    Evidence.PROPERTY,
    Evidence.REGRESSION,
    Evidence.KERNEL,
    Evidence.END_TO_END,
)


_NAMES = ("denies", "faster", *(kind.value for kind in _KINDS))


@cache
def _terms(name: str) -> Terms:
    raw = load("evidence")[name]
    return Terms.of(raw if isinstance(raw, list) else raw["words"])


def shown(text: str) -> tuple[Evidence, ...]:
    """Return every kind of evidence a text shows, weakest first."""
    whole = Prepared.of(text)
    # Few terms stand in the text at all; only these are looked for in each sentence.
    here = {name: _terms(name).within(whole) for name in _NAMES}
    found: set[Evidence] = set()
    for sentence in _SENTENCE.split(text):
        if sentence.strip():
            found |= _of_sentence(sentence, here)
    return tuple(kind for kind in _KINDS if kind in found)


def _of_sentence(sentence: str, here: Mapping[str, Terms]) -> set[Evidence]:
    found: set[Evidence] = set()
    prepared = Prepared.of(sentence)
    denied = here["denies"].found(prepared)
    # A clause that denies takes the performance of the whole sentence, but not the rest of it.
    for clause in re.split(r"[，,：:]\s*", sentence) if denied else [sentence]:
        part = Prepared.of(clause) if denied else prepared
        if denied and here["denies"].found(part):
            continue
        found |= {kind for kind in _KINDS[:3] if here[kind.value].found(part)}
    if not denied and _NUMBER.search(sentence) and here["faster"].found(prepared):
        found |= {kind for kind in _KINDS[3:] if here[kind.value].found(prepared)}
    return found


def evidence_name(kind: Evidence, language: str) -> str:
    """Return how a kind of evidence is called in zh or en."""
    if kind is Evidence.NONE:
        return "无" if language == "zh" else "None"
    return str(load("evidence")[kind.value]["zh" if language == "zh" else "en"])
