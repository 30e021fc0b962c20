"""Terms of the rule files, and texts prepared so that a term is found by one plain search."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_WORD = b"abcdefghijklmnopqrstuvwxyz0123456789_.+"
_WORDS_ONLY = bytes(each if each in _WORD else 0x20 for each in range(256))
_DOTS = re.compile(r"(?<![a-z0-9_])\.+|\.+(?![a-z0-9_])")
_HAN = re.compile(r"[\u3400-\u9fff]")


def latin(text: str) -> str:
    """Return the Latin words of a text in lower case, one space around each.

    Whatever is no letter, digit, `_`, `+` or inner dot is a space, Han characters too, so
    `Triton编译器` and `multi-GPU` give the words `triton` and `multi gpu`.
    """
    words = text.lower().encode("ascii", "replace").translate(_WORDS_ONLY).decode("ascii")
    if "." in words:
        words = _DOTS.sub(" ", words)
    return f" {' '.join(words.split())} "


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text ready to be searched: as it stands in lower case, and its Latin words."""

    text: str
    lower: str
    words: str
    vocabulary: frozenset[str]
    chinese: bool

    @classmethod
    def of(cls, text: str) -> Prepared:
        """Prepare a text."""
        words = latin(text)
        chinese = _HAN.search(text) is not None
        return cls(text, text.lower(), words, frozenset(words.split()), chinese)

    def without(self, pattern: re.Pattern[str]) -> Prepared:
        """Return the text with the Latin words that a pattern finds taken out."""
        words = pattern.sub("", self.words)
        return replace(self, words=words, vocabulary=frozenset(words.split()))


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms that count alike: Chinese ones found anywhere, Latin ones as whole words or stems.

    Single words are kept apart: they are found by one look into the text's vocabulary.
    """

    han: tuple[str, ...]
    words: frozenset[str]
    phrases: tuple[str, ...]

    @classmethod
    def of(cls, terms: list[str]) -> Terms:
        """Read terms as the rule files write them."""
        han = tuple(term.lower() for term in terms if _HAN.search(term))
        needles = [_needle(term) for term in terms if not _HAN.search(term)]
        words = {each.strip() for each in needles if each.endswith(" ") and " " not in each.strip()}
        return cls(han, frozenset(words), tuple(n for n in needles if n.strip() not in words))

    def within(self, prepared: Prepared) -> Terms:
        """Return those of the terms that stand in a text."""
        han = [term for term in self.han if term in prepared.lower] if prepared.chinese else []
        phrases = [phrase for phrase in self.phrases if phrase in prepared.words]
        return Terms(tuple(han), self.words & prepared.vocabulary, tuple(phrases))

    @property
    def total(self) -> int:
        """How many terms there are."""
        return len(self.han) + len(self.words) + len(self.phrases)

    def count(self, prepared: Prepared) -> int:
        """Return how many different terms stand in a text."""
        return self.within(prepared).total

    def found(self, prepared: Prepared) -> bool:
        """Return whether any of the terms stands in a text."""
        if not self.words.isdisjoint(prepared.vocabulary):
            return True
        if prepared.chinese and any(term in prepared.lower for term in self.han):
            return True
        return any(phrase in prepared.words for phrase in self.phrases)


def _needle(term: str) -> str:
    """Return what to search for in the Latin words: padded, but open where the term has a `*`."""
    if term.endswith("*"):
        return latin(term[:-1])[:-1]
    return latin(term)
