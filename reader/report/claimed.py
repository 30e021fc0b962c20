"""The claims of an item's text, each with the verdict of a check that covers it; pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reader import claims
from reader.claims import Found
from reader.model import Item, Run, Verdict

LEAST_SHARED, LEAST_SHARE = 3, 0.5  # words, and which part of what a check says is expected
_WORD = re.compile(r"[a-z0-9_@][a-z0-9_.+-]*[a-z0-9_]|[\u3400-\u9fff]+|\d+")
# Words of every such sentence: who says so, and the glue of both languages.
_COMMON = frozenset(
    (
        *("the", "source", "says", "and", "for", "with", "from", "are", "its", "that", "this"),
        *("when", "not", "than", "has", "have", "will", "was", "were", "been", "来源", "这个"),
        *("一个", "以及", "并将", "可以", "进行", "使用", "其中"),
    )
)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim of the text; `run` and `check` say whose verdict it is, where there is one."""

    found: Found
    verdict: Verdict | None = None
    check: str = ""
    run: str = ""


def of_item(item: Item, runs: Sequence[Run]) -> tuple[Claimed, ...]:
    """Return the claims of an item; `runs` are those about it, newest first.

    A check's claim covers the one sentence that says most of what the check says is expected.
    """
    found = claims.of_item(item)
    held: dict[int, Claimed] = {}
    for run in _latest(runs):
        for verdict in run.verdicts:
            place = covered(verdict, found)
            if place is not None and place not in held:
                held[place] = Claimed(found[place], verdict, run.check, run.id)
    return tuple(held.get(n, Claimed(each)) for n, each in enumerate(found))


def _latest(runs: Iterable[Run]) -> Iterable[Run]:
    seen: set[str] = set()
    for run in runs:
        if run.check not in seen and run.verdicts:
            seen.add(run.check)
            yield run


def covered(verdict: Verdict, found: Sequence[Found]) -> int | None:
    """Return the place of the sentence that a verdict is about, or None."""
    best, place = 0.0, None
    for text in (verdict.expected.zh, verdict.expected.en):
        wanted = _words(text)
        if len(wanted) < LEAST_SHARED:
            continue
        for n, each in enumerate(found):
            shared = wanted & _words(each.text)
            share = len(shared) / len(wanted)
            if len(shared) >= LEAST_SHARED and share >= LEAST_SHARE and share > best:
                best, place = share, n
    return place


@lru_cache(maxsize=2048)
def _words(text: str) -> frozenset[str]:
    """Return the words of a text: Latin ones and numbers whole, Chinese ones as pairs."""
    found: set[str] = set()
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        if "\u3400" <= word[0] <= "\u9fff":
            found.update(word[n : n + 2] for n in range(len(word) - 1))
        elif len(word) > 2 or word.isdigit():
            found.add(word)
    return frozenset(found - _COMMON)


def document(claimed: Claimed) -> dict[str, object]:
    """Return a claim as `show --json` gives it; places are characters of the named field."""
    said = claimed.found.conditions
    verdict = claimed.verdict
    return {
        "field": claimed.found.field,
        "start": claimed.found.start,
        "end": claimed.found.end,
        "text": claimed.found.text,
        "kind": claimed.found.kind.value,
        "conditions": {
            "hardware": [*said.gpus, *said.hardware],
            "versions": [f"{project} {version}" for project, version in said.versions],
            "shapes": list(said.shapes),
            "dtypes": list(said.dtypes),
            "factors": [
                {"value": each.value, "unit": each.unit, "bound": each.bound or None}
                for each in said.factors
            ],
        },
        "verdict": None if verdict is None else verdict.verdict.value,
        "check": claimed.check or None,
        "run": claimed.run or None,
    }
