"""Rules of the user's over what comes in: which stories they are about, and what becomes of them.

A rule only marks: it never fetches, runs or deletes anything. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from reader.model import Entry, Item

__all__ = ["FIELDS", "Action", "Rule", "Subject", "fires", "subject_of"]


class Action(StrEnum):
    """What a rule may do with a story; tags have their own place."""

    MUTE = "mute"  # out of every list and Today, kept and found under `muted`
    READ = "read"
    STAR = "star"
    QUEUE = "queue"


# Words of a text, compared as words; or names, of which one has to be the very same.
FIELDS = ("title", "text", "layer", "hardware", "evidence", "source", "release", "feed")
_TEXTS = ("title", "text")
LONGEST = 200  # letters that a star stands for at most


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: every field of `when` has one of its words, none of `unless` has any."""

    name: str
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unless: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    then: frozenset[Action] = frozenset()
    tags: tuple[str, ...] = ()
    on: bool = True


@dataclass(frozen=True, slots=True)
class Subject:
    """What a rule can see of a story, in plain lower case: its texts, and its names by field."""

    title: str
    text: str
    names: Mapping[str, frozenset[str]]


def subject_of(story: Item | Entry, feeds: Mapping[str, tuple[str, str]]) -> Subject:
    """Return what rules see of a story; `feeds` are title and address, by id."""
    if isinstance(story, Item):
        text = "\n".join((story.summary, story.why, story.body))
        layers = story.layers or story.labels.layers
        urls = [each.url for each in story.sources if each.url]
        releases: tuple[str, ...] = ()
    else:
        text, layers = story.content_text, story.labels.layers
        urls = [story.url] if story.url else []
        releases = story.categories
    hardware = story.labels.hardware_all or story.labels.hardware
    title, address = feeds.get(story.feed or "", ("", ""))
    return Subject(
        _folded(story.title),
        _folded(f"{story.title}\n{text}"),
        {
            "layer": _names(each.value for each in layers),
            "hardware": _names(hardware),
            "evidence": _names([story.labels.evidence.value]),
            "source": _names(place for url in urls for place in _places(url)),
            "release": _names(releases),
            "feed": _names([title, address]),
        },
    )


def fires(rule: Rule, subject: Subject) -> bool:
    """Tell whether a rule is about a story."""
    return all(_any(name, words, subject) for name, words in rule.when.items()) and not any(
        _any(name, words, subject) for name, words in rule.unless.items()
    )


def _any(name: str, words: Sequence[str], subject: Subject) -> bool:
    if name in _TEXTS:
        text = subject.title if name == "title" else subject.text
        return any(_stands(word, text) for word in words)
    names = subject.names.get(name, frozenset())
    return any(_is(_folded(word), each) for word in words for each in names)


def _is(word: str, name: str) -> bool:
    return _pattern(word, ".", "").fullmatch(name) is not None if "*" in word else word == name


def _stands(word: str, text: str) -> bool:
    """Tell whether words stand in a text: Latin ones as whole words, `*` for letters between.

    No pattern of a person's is ever run as one: a star is turned into letters of one word.
    """
    wanted = _folded(word)
    # Plainly first: a pattern takes far longer, and most words stand in few texts.
    if not all(piece in text for piece in wanted.split("*")):
        return False
    if not wanted.isascii():
        return _pattern(wanted.strip("*"), r"[^\W_]", "").search(text) is not None
    letters = "[a-z0-9_./:+-]" if "/" in wanted or ":" in wanted else "[a-z0-9_]"
    return _pattern(wanted, letters, "[a-z0-9_]").search(text) is not None


@lru_cache(maxsize=1024)
def _pattern(word: str, letter: str, edge: str) -> re.Pattern[str]:
    """Return a word as a pattern whose time grows with the text alone, however many stars it has.

    Each piece behind a star is taken where it stands first, and never again elsewhere: if a later
    place leads on, so does the first. Only the last piece may have to look further, for its end.
    """
    first, *more = (re.escape(piece) for piece in re.split(r"\*+", word))
    end = f"(?!{edge})" if edge else "\\Z" if letter == "." else ""
    gaps = [rf"(?>{letter}{{0,{LONGEST}}}?{piece})" for piece in more[:-1]]
    gaps += [rf"{letter}{{0,{LONGEST}}}?{piece}" for piece in more[-1:]]
    return re.compile((f"(?<!{edge})" if edge else "") + first + "".join(gaps) + end, re.DOTALL)


def _places(url: str) -> list[str]:
    """Return the names a source goes by: its host, and owner/project where it has one."""
    found = re.match(r"https?://([^/?#]+)/?([^/?#]*)/?([^/?#]*)", url, re.IGNORECASE)
    if found is None:
        return []
    host, owner, project = found.groups()
    named = [host.removeprefix("www.")]
    return [*named, f"{owner}/{project}", project] if owner and project else named


def _names(words: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(None, map(_folded, words)))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
