"""What a sync and an import report, while they run and at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reader.model import Health


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """One step: `phase` is feeds, images or files; `title` names what was just done."""

    done: int
    total: int
    title: str = ""
    url: str = ""
    phase: str = "feeds"


@dataclass(frozen=True, slots=True)
class FeedResult:
    """What came of one feed."""

    id: str
    url: str
    title: str
    outcome: Health
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    error: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What came of a sync; counts are of entries."""

    feeds: tuple[FeedResult, ...] = ()
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    failed: int = 0
    seconds: float = 0.0
    notices: tuple[str, ...] = ()  # what else a person should know
    offline: bool = False  # nothing outside could be reached; nothing is held against the feeds


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What came of an import: counts, notices, and the paths that were refused with the reason."""

    digests: int = 0
    entries: int = 0
    items: int = 0
    feeds: int = 0
    notices: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


Progress = Callable[[SyncProgress], None]


def silent(_progress: SyncProgress) -> None:
    """Report to nobody."""
