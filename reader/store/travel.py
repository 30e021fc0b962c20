"""What travels in a data file, as records."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from reader.model import Labels, ParsedDigest, ParsedEntry, ParsedItem


@dataclass(frozen=True, slots=True)
class OldText:
    """A Revision on its way."""

    title: str
    content_html: str
    seen: datetime
    updated: datetime | None = None


@dataclass(frozen=True, slots=True)
class SeenForm:
    """A digest as one form gave it, and when."""

    seen: datetime
    parsed: ParsedDigest


@dataclass(frozen=True, slots=True)
class TravelledItem:
    """An item as the other store shows it."""

    key: str
    aliases: tuple[str, ...]
    parsed: ParsedItem
    labels: Labels
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Travelled:
    """A story on its way from one store to another."""

    key: str
    aliases: tuple[str, ...]
    entry: ParsedEntry
    seen: datetime
    labels: Labels = field(default_factory=Labels)
    notices: tuple[str, ...] = ()
    feed: str | None = None  # the feed's key
    revisions: tuple[OldText, ...] = ()
    digest: ParsedDigest | None = None
    forms: tuple[SeenForm, ...] = ()
    items: tuple[TravelledItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """What a data file brought that was not there; `stories` counts the entries it held."""

    feeds: int = 0
    stories: int = 0
    marks: int = 0
    queue: int = 0
    runs: int = 0
