"""Which checks fit an Item: by its very source, then by project and version, then by words.

A wrong suggestion costs more than a missing one: a project alone fits nothing, words count only
where the check names them, and what speaks of another release is not this check's; that none fits
is an answer. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from reader import identity
from reader.model import Check, Item, Reason

SOURCE, VERSION, PROJECT, WORDS = 100, 80, 60, 40
TERM = 12  # letters from which a phrase is a term of art
GAP = 24  # characters that a `…` in a word may stand for


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
    several = len(words) >= 2
    telling = any(map(_is_identifier, words))
    for project in check.matches.projects:
        name, _at, version = project.partition("@")
        inside, named = _inside(name, urls), _named(name, text)
        if version and _speaks_of_another(name, version, urls, item.title):
            return None
        if inside and version and any(_is_version(name, version, url) for url in urls):
            params = (("project", name), ("version", version))
            return Match(check, Reason("match_version", params), VERSION + len(words))
        # An item whose source is another project's names this one in passing.
        passing = named and not inside and _of_a_project(urls)
        if (telling or several) if passing else words and (inside or named):
            params = (("project", name), ("words", ", ".join(words)))
            return Match(check, Reason("match_project", params), PROJECT + len(words))
    # Without its project named, plain words are enough only for a check of no project's own.
    generic = not check.matches.projects and (several or _titled(words, item.title))
    if telling or generic:
        return Match(check, Reason("match_words", (("words", ", ".join(words)),)), WORDS)
    return None


def _inside(project: str, urls: Sequence[str]) -> bool:
    """Tell whether one of an item's sources lies in the project."""
    found = [identity.project_of(url) for url in urls]
    return any(each is not None and project.lower() in map(str.lower, each) for each in found)


def _named(project: str, text: str) -> bool:
    """Tell whether a text names the project; Triton Inference Server is another one."""
    name = project.rsplit("/", 1)[-1]
    return _stands(name, text.replace(f"{name} inference", ""))


def _of_a_project(urls: Sequence[str]) -> bool:
    return any(identity.project_of(url) is not None for url in urls)


def _speaks_of_another(project: str, version: str, urls: Sequence[str], title: str) -> bool:
    """Tell whether an item is about another release: by its source, else by its title."""
    wanted = _release(version)
    if _inside(project, urls):
        found = [identity.version_of(url) for url in urls]
        said = {_release(each) for each in found if each is not None}
    else:
        name = re.escape(_folded(project.rsplit("/", 1)[-1]))
        pattern = rf"(?<![a-z0-9_]){name}\s*v?(\d+\.\d+(?:\.\d+)*)"
        said = {_release(each) for each in re.findall(pattern, _folded(title))}
    return bool(said) and wanted not in said


def _release(version: str) -> tuple[str, ...]:
    """Return what a patch leaves as it is: 3.9 of 3.9.1."""
    return tuple(version.split(".")[:2])


def _is_version(project: str, version: str, url: str) -> bool:
    found = identity.project_of(url)
    inside = found is not None and project.lower() in (found[0].lower(), found[1].lower())
    return inside and identity.version_of(url) == version


def _titled(words: Sequence[str], title: str) -> bool:
    """Tell whether a title is about a term, for checks of no project's own: batch invariance."""
    return any(
        len(word) >= TERM and (" " in word or "-" in word) and _stands(word, _folded(title))
        for word in words
    )


def _is_identifier(word: str) -> bool:
    """Tell a name of code from a word of the language: digits or capitals inside, _ or a dot."""
    if " " in word or not word.isascii():
        return False
    return bool(re.search(r"[a-z]\d|\d[a-z]|[a-z][A-Z]|\w[_.]\w", word)) and len(word) >= 6


def _stands(word: str, text: str) -> bool:
    """Tell whether a word stands in a text; `近似…除法` leaves room inside one clause."""
    wanted = [_folded(part) for part in re.split(r"\s*(?:…|\.\.\.)\s*", word)]
    if len(wanted) == 1 and not wanted[0].isascii():
        return wanted[0] in text
    parts = [
        rf"(?<![a-z0-9_]){re.escape(part)}(?![a-z0-9_])" if part.isascii() else re.escape(part)
        for part in wanted
    ]
    return re.search(rf"[^。；;\n]{{0,{GAP}}}?".join(parts), text) is not None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
