"""Entries of which a feed gives only the beginning, fetched whole from their page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reader import classify
from reader.errors import Interrupted, NotUnderstood, ReadproofError
from reader.language import _
from reader.store.whole import is_teaser
from reader.sync import pages
from reader.sync.results import Progress, SyncProgress, silent
from reader.sync.visits import LeftAlone, Visits, spread
from reader.tasks import Task, each

if TYPE_CHECKING:
    from reader.fetch import Fetcher
    from reader.store import Store
    from reader.store.whole import Beginning

MOST = 60  # pages a sync
SECONDS = 30.0
SECONDS_TOGETHER = 180.0  # for a sync; the rest comes with the next
MOST_TOGETHER = 100 << 20  # bytes of a sync
WORKERS = 6


def fetch(
    store: Store,
    fetcher: Fetcher,
    entries: Sequence[str],
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> list[str]:
    """Fetch the whole text of entries now; return those that say more than before.

    Raises Usage for an entry without an address, SourceError, HttpRefusal or NotUnderstood where
    its page cannot be had or holds no more than the feed gives.
    """
    changed = []
    for entry in entries:
        wanted = store.whole.beginning(entry)
        if _keep(store, wanted, _page(fetcher, wanted), now()):
            changed.append(entry)
    return changed


def fetch_wanting(
    store: Store,
    fetcher: Fetcher,
    task: Task[Any] | None = None,
    progress: Progress = silent,
    *,
    feed: str | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> int:
    """Fetch the whole text of the teasers of one feed, or of all feeds set so; return how many.

    One that cannot be had never stops the others, and is given up after a few tries.
    """
    found = store.whole.wanting(MOST * 10, feed, now())
    teasers = [one for one in found if is_teaser(one.content_text)][:MOST]
    wanting = spread(teasers, lambda one: one.url)
    visits = Visits(fetcher, seconds=SECONDS_TOGETHER, most_bytes=MOST_TOGETHER)
    fetched = 0
    results = each(lambda one: _page(visits, one), wanting, workers=WORKERS, task=task)
    for done, (wanted, page) in enumerate(results, 1):
        if isinstance(page, pages.Page):
            fetched += _keep(store, wanted, page, now())
        elif isinstance(page, Interrupted) or not isinstance(page, ReadproofError):
            raise page
        elif not isinstance(page, LeftAlone):
            store.whole.failed(wanted.entry, str(page), now())
        progress(SyncProgress(done, len(wanting), wanted.title, wanted.url, phase="pages"))
    return fetched


def _page(fetcher: Fetcher | Visits, wanted: Beginning) -> pages.Page:
    answer = fetcher.get(
        wanted.url, max_bytes=pages.MOST_BYTES, seconds=SECONDS, private=wanted.private
    )
    page = pages.article(answer.body, content_type=answer.content_type, url=answer.url)
    if len(page.text) <= len(wanted.content_text):
        raise NotUnderstood(_("The page says no more than the feed gives."))
    return page


def _keep(store: Store, wanted: Beginning, page: pages.Page, now: datetime) -> bool:
    labels = classify.labels(wanted.title, page.text, url=wanted.url)
    return store.whole.save(wanted.entry, wanted.url, page.html, labels, now)
