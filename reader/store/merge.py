"""Several forms of the same digest as one: pure rules, the store carries them out.

A field of a richer form wins, a poorer form fills what is empty. When a form comes again and a
field of it has changed since, that is an edit of the author's and wins whatever the form.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from reader import identity
from reader.model import Form, ParsedDigest, ParsedItem, Reference, Source

T = TypeVar("T", ParsedDigest, ParsedItem)
_LIKENESS = 40  # letters of a summary that two forms of an item share


def richness(form: Form) -> int:
    """Return how much a form carries, poorest 0."""
    return list(Form).index(form)


def merged(current: T, previous: T | None, arriving: T, *, richer: bool) -> T:
    """Return `current` with what `arriving` brings.

    `previous` is what the same form said last; `richer` whether `arriving` carries at least as
    much as every form before it.
    """
    changes = {
        each.name: getattr(arriving, each.name)
        for each in fields(arriving)
        if _wins(each.name, current, previous, arriving, richer=richer)
    }
    if "title" in changes and isinstance(arriving, ParsedItem):
        changes["title_derived"] = arriving.title_derived
    return replace(current, **changes)


def _wins(name: str, current: T, previous: T | None, arriving: T, *, richer: bool) -> bool:
    old, new = getattr(current, name), getattr(arriving, name)
    before = getattr(previous, name) if previous is not None else None
    edited = previous is not None and new != before
    if name in ("items", "form", "title_derived"):
        return name == "form" and richer
    if name == "title" and _derived(arriving) != _derived(current):
        # A given title beats a derived one, but not one that completes it (`v0.1.15`).
        given, made = (old, new) if _derived(arriving) else (new, old)
        return bool((made if given and given in made else given) == new)
    if _addresses(old) != _addresses(new) and not (edited and richer):
        return _addresses(new)
    if not _holds(new):
        return richer and edited
    if previous is not None:
        return edited or not _holds(old)
    return richer or not _holds(old)


def _derived(value: ParsedDigest | ParsedItem) -> bool:
    return isinstance(value, ParsedItem) and value.title_derived


def _holds(value: Any) -> bool:
    return value not in (None, "", (), False)


def _addresses(value: Any) -> bool:
    return isinstance(value, tuple) and any(
        isinstance(each, (Source, Reference)) and each.url for each in value
    )


def match(
    digest_key: str, known: Sequence[tuple[int, ParsedItem]], arriving: Sequence[ParsedItem]
) -> list[int | None]:
    """Return for each arriving item the id of the known one that it is, None where it is new.

    Surest first: source and title, title, source, then the beginning of the summary (copied
    text has no addresses, and a title may have been completed from one). Never twice the same.
    """
    found: list[int | None] = [None] * len(arriving)
    taken: set[int] = set()
    for likeness in _likenesses(digest_key):
        by_likeness: dict[Any, list[int]] = {}
        for id_, item in known:
            key = likeness(item)
            if id_ not in taken and key is not None:
                by_likeness.setdefault(key, []).append(id_)
        for at, item in enumerate(arriving):
            key = likeness(item) if found[at] is None else None
            free = by_likeness.get(key) if key is not None else None
            if free:
                found[at] = free.pop(0)
                taken.add(found[at] or 0)
    return found


def _likenesses(digest_key: str) -> list[Callable[[ParsedItem], Any]]:
    def source(item: ParsedItem) -> Any:
        keys = identity.item_keys(digest_key, item)
        return keys[0] if len(keys) > 1 else None

    def title(item: ParsedItem) -> Any:
        return identity.item_keys(digest_key, item)[-1] if item.title.strip() else None

    def both(item: ParsedItem) -> Any:
        return (source(item), title(item)) if source(item) and title(item) else None

    def summary(item: ParsedItem) -> Any:
        letters = [c for c in unicodedata.normalize("NFKC", item.summary).casefold() if c.isalnum()]
        return "".join(letters[:_LIKENESS]) if len(letters) >= _LIKENESS // 2 else None

    return [both, title, source, summary]
