"""What is fetched beside the feeds at a sync, where it was set so: whole texts and originals."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from reader.sync.results import Progress
from reader.tasks import Task

if TYPE_CHECKING:
    from reader.fetch import Fetcher
    from reader.store import Store


def fetch_beside(
    store: Store,
    fetcher: Fetcher,
    task: Task[Any] | None,
    progress: Progress,
    now: Callable[[], datetime],
) -> None:
    """Fetch the whole texts and the originals that are wanted; what cannot be had waits."""
    if store.whole.wanting(1, now=now()):
        from reader.sync import fulltext

        fulltext.fetch_wanting(store, fetcher, task, progress, now=now)
    if store.originals.is_set() and store.originals.wanting(1, now()):
        from reader.credentials import Credentials
        from reader.sync import originals

        token = Credentials().get("github").value
        originals.fetch_missing(store, fetcher, task, progress, token=token, now=now)
