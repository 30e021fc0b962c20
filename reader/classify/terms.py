"""Terms of the rule files, and texts prepared so that all terms are found in one go.

A term is kept as its needle: Chinese as it stands, a Latin word bare (`ptx`), a phrase with a
space before and behind (` graph ir `), a stem open at its end (` frontend`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from reader.classify.rules import load

_WORD = b"abcdefghijklmnopqrstuvwxyz0123456789_.+"
_WORDS_ONLY = bytes(each if each in _WORD else 0x20 for each in range(256))
_DOTS = re.compile(r"(?<![a-z0-9_])\.+|\.+(?![a-z0-9_])")
_HAN = re.compile(r"[\u3400-\u9fff]")
_HEAD = 3  # letters by which words are looked up
_Phrase = tuple[str, frozenset[str]]  # a needle, and the words or letters it is made of
_MOST_DULL = 20_000  # words that are remembered


def latin(text: str) -> str:
    """Return the Latin words of a text in lower case, one space around each.

    Whatever is no letter, digit, `_`, `+` or inner dot is a space, Han characters too, so
    `Triton编译器` and `multi-GPU` give the words `triton` and `multi gpu`.
    """
    words = text.lower().encode("ascii", "replace").translate(_WORDS_ONLY).decode("ascii")
    if "." in words:
        words = f" {words} ".replace(". ", "  ").replace(" .", "  ")
        if ".." in words or ".+" in words or "+." in words:
            words = _DOTS.sub(" ", words)
    return f" {' '.join(words.split())} "


class Prepared:
    """A text ready to be searched: as it stands in lower case, and its Latin words."""

    def __init__(self, text: str, words: str | None = None) -> None:
        self.text = text
        self.lower = text.lower()
        self.words = latin(text) if words is None else words
        self.vocabulary = frozenset(self.words.split())

    @cached_property
    def present(self) -> frozenset[str]:
        """Every needle of the rule files that stands in it."""
        return lexicon().within(self)

    def without(self, pattern: re.Pattern[str]) -> Prepared:
        """Return the text with the Latin words that a pattern finds taken out."""
        words = pattern.sub("", self.words)
        return self if words == self.words else Prepared(self.text, words)


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms that count alike: Chinese ones found anywhere, Latin ones as whole words or stems."""

    needles: frozenset[str]

    @classmethod
    def of(cls, terms: Iterable[str]) -> Terms:
        """Read terms as the rule files write them."""
        return cls(frozenset(map(needle, terms)))

    def within(self, prepared: Prepared) -> frozenset[str]:
        """Return the needles of those terms that stand in a text."""
        return self.needles & prepared.present

    def found(self, prepared: Prepared) -> bool:
        """Return whether any of the terms stands in a text."""
        return not self.needles.isdisjoint(prepared.present)


def stands(needle: str, prepared: Prepared) -> bool:
    """Return whether one needle stands in a text: the plain meaning of all this."""
    if needle.startswith(" "):
        return needle in prepared.words
    return needle in (prepared.lower if _HAN.search(needle) else prepared.vocabulary)


def needle(term: str) -> str:
    """Return what to search for, of a term as the rule files write it."""
    if _HAN.search(term):
        return term.lower()
    if term.endswith("*"):
        return latin(term[:-1])[:-1]
    padded = latin(term)
    return padded.strip() if " " not in padded.strip() else padded


class Lexicon:
    """Needles sorted by what is cheap to know of a text, so that few have to be searched for."""

    def __init__(self, needles: Iterable[str]) -> None:
        self._words: set[str] = set()
        self._stems: dict[str, list[str]] = defaultdict(list)  # bare, by their first letters
        self._short: list[str] = []  # stems of fewer letters
        self._phrases: dict[str, list[_Phrase]] = defaultdict(list)  # by their first word
        self._han: dict[str, list[_Phrase]] = defaultdict(list)  # by their first letter
        for each in set(needles):
            first, whole, rest = each[1:].partition(" ")
            if _HAN.search(each):
                self._han[each[0]].append((each, frozenset(each)))
            elif not each.startswith(" "):
                self._words.add(each)
            elif whole:
                last = rest.rpartition(" ")[0]  # what is open at its end is no word yet
                self._phrases[first].append((each, frozenset(last.split())))
            elif len(first) < _HEAD:
                self._short.append(first)
            else:
                self._stems[first[:_HEAD]].append(first)
        self._dull: set[str] = set()  # words met that no needle opens with

    def within(self, prepared: Prepared) -> frozenset[str]:
        """Return the needles that stand in a text."""
        vocabulary, words = prepared.vocabulary, prepared.words
        found: set[str] = set()
        for word in vocabulary - self._dull:
            stems = [*self._stems.get(word[:_HEAD], ()), *self._short]
            stems = [stem for stem in stems if word.startswith(stem)]
            phrases = self._phrases.get(word, ())
            found.update(f" {stem}" for stem in stems)
            found.update(each for each, its in phrases if its <= vocabulary and each in words)
            if word in self._words:
                found.add(word)
            elif not stems and not phrases and len(self._dull) < _MOST_DULL:
                self._dull.add(word)
        if not prepared.text.isascii():
            lower, letters = prepared.lower, frozenset(prepared.lower)
            found.update(
                each
                for letter in self._han.keys() & letters
                for each, its in self._han[letter]
                if its <= letters and each in lower
            )
        return frozenset(found)


@cache
def lexicon() -> Lexicon:
    """Return the lexicon of everything that stands in the rule files."""
    return Lexicon(
        needle(term) for name in ("layers", "hardware", "evidence") for term in _strings(load(name))
    )


def _strings(value: Any) -> Iterable[str]:
    """Yield every list entry of a rule file: its terms, and some that are none, which harms not."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        yield from value
