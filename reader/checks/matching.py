"""Which checks fit an Item: by its very source, then by project and version, then by words.

A wrong suggestion costs more than a missing one: a project alone fits nothing, and words count
only where the check names them; that none fits is an answer. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from reader import identity
from reader.model import Check, Item, Reason

SOURCE, VERSION, PROJECT, WORDS = 100, 80, 60, 40


@dataclass(frozen=True, slots=True)
class Match:
    """A check that fits, why, and how well (higher is better)."""

    check: Check
    why: Reason
    weight: int


def fitting(checks: Sequence[Check], item: Item) -> list[Match]:
    """Return the checks that fit the item, best first."""
    found = [match for check in checks if (match := _match(check, item)) is not None]
    return sorted(found, key=lambda match: (-match.weight, match.check.name))


def _match(check: Check, item: Item) -> Match | None:
    urls = [source.url for source in item.sources if source.url]
    for wanted in check.matches.urls:
        if any(identity.same_source(wanted, url) for url in urls):
            return Match(check, Reason("match_source", (("url", wanted),)), SOURCE)
    text = _folded(" ".join((item.title, item.summary, item.why, item.body)))
    words = [word for word in check.matches.words if _stands(word, text)]
    for project in check.matches.projects:
        name, _at, version = project.partition("@")
        if not _about(name, urls, text):
            continue
        if version and any(_is_version(name, version, url) for url in urls):
            params = (("project", name), ("version", version))
            return Match(check, Reason("match_version", params), VERSION + len(words))
        if words:
            params = (("project", name), ("words", ", ".join(words)))
            return Match(check, Reason("match_project", params), PROJECT + len(words))
    if _telling(words):
        return Match(check, Reason("match_words", (("words", ", ".join(words)),)), WORDS)
    return None


def _about(project: str, urls: Sequence[str], text: str) -> bool:
    """Tell whether an item's source lies in the project, or its text names it in full."""
    for url in urls:
        found = identity.project_of(url)
        if found is not None and project.lower() in (found[0].lower(), found[1].lower()):
            return True
    return _stands(project.rsplit("/", 1)[-1], text)


def _is_version(project: str, version: str, url: str) -> bool:
    found = identity.project_of(url)
    inside = found is not None and project.lower() in (found[0].lower(), found[1].lower())
    return inside and identity.version_of(url) == version


def _telling(words: Sequence[str]) -> bool:
    """Tell whether words alone are enough: an identifier such as sched4reg, or two of them."""
    return len(words) >= 2 or any(_is_identifier(word) for word in words)


def _is_identifier(word: str) -> bool:
    """Tell a name of code from a word of the language: digits or capitals inside, _ or a dot."""
    if " " in word or not word.isascii():
        return False
    return bool(re.search(r"[a-z]\d|\d[a-z]|[a-z][A-Z]|\w[_.]\w", word)) and len(word) >= 6


def _stands(word: str, text: str) -> bool:
    wanted = _folded(word)
    if not wanted.isascii():
        return wanted in text
    return re.search(rf"(?<![a-z0-9_]){re.escape(wanted)}(?![a-z0-9_])", text) is not None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
