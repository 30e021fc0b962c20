"""What a kind of source gives, before its entries are labelled: the same for GitHub and arXiv."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reader.model import Health, ParsedEntry, ParsedFeed

if TYPE_CHECKING:
    from reader.fetch import Fetcher, Response


@dataclass(frozen=True, slots=True)
class Asker:
    """The way to the net that the sources of one sync share."""

    fetcher: Fetcher
    token: str | None = None  # GitHub's
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class Given:
    """What one source gave; without `parsed` nothing changed.

    `parsed` is all that the source shows and its rule lets through; `entries` is what is to be
    taken of it. `memory` is what the source has to remember for the next time.
    """

    response: Response
    parsed: ParsedFeed | None = None
    entries: tuple[ParsedEntry, ...] = ()
    memory: str | None = None
    note: str | None = None
    state: Health | None = None  # where the source itself tells how it is doing
