"""Terms of the rule files, and texts prepared so that a term is found by one plain search."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NOT_A_WORD = re.compile(r"[^a-z0-9_.+]+")
_DOTS = re.compile(r"(?<![a-z0-9_])\.+|\.+(?![a-z0-9_])")
_HAN = re.compile(r"[\u3400-\u9fff]")


def latin(text: str) -> str:
    """Return the Latin words of a text in lower case, one space around each.

    Whatever is no letter, digit, `_`, `+` or inner dot is a space, Han characters too, so
    `Triton编译器` and `multi-GPU` give the words `triton` and `multi gpu`.
    """
    return " " + _DOTS.sub(" ", _NOT_A_WORD.sub(" ", text.lower())).replace("  ", " ").strip() + " "


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text ready to be searched: as it stands in lower case, and its Latin words."""

    text: str
    lower: str
    words: str

    @classmethod
    def of(cls, text: str) -> Prepared:
        """Prepare a text."""
        return cls(text, text.lower(), latin(text))


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms that count alike: Chinese ones found anywhere, Latin ones as whole words or stems."""

    han: tuple[str, ...]
    latin: tuple[str, ...]

    @classmethod
    def of(cls, terms: list[str]) -> Terms:
        """Read terms as the rule files write them."""
        han = tuple(term.lower() for term in terms if _HAN.search(term))
        return cls(han, tuple(_needle(term) for term in terms if not _HAN.search(term)))

    def count(self, prepared: Prepared, enough: int) -> int:
        """Return how many different terms stand in a text, counting no further than `enough`."""
        found = 0
        for term in self.han:
            if term in prepared.lower:
                found += 1
                if found >= enough:
                    return found
        for term in self.latin:
            if term in prepared.words:
                found += 1
                if found >= enough:
                    return found
        return found

    def found(self, prepared: Prepared) -> bool:
        """Return whether any of the terms stands in a text."""
        return self.count(prepared, 1) > 0


def _needle(term: str) -> str:
    """Return what to search for in the Latin words: padded, but open where the term has a `*`."""
    if term.endswith("*"):
        return latin(term[:-1])[:-1]
    return latin(term)
