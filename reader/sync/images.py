"""Pictures of entries, fetched once and kept for reading without a network."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from reader.errors import Interrupted, ReadproofError, SourceError
from reader.language import _
from reader.sync import pictures
from reader.sync.pictures import media_type
from reader.sync.results import Progress, SyncProgress
from reader.sync.visits import LeftAlone, Visits, spread
from reader.tasks import Task, each

if TYPE_CHECKING:
    from reader.fetch import Fetcher
    from reader.store import Store
    from reader.store.images import Wanted

__all__ = ["fetch_missing", "media_type"]

MOST = 400  # pictures a sync
MOST_BYTES = 5 << 20  # of one picture
MOST_TOGETHER = 150 << 20  # bytes of a sync
SECONDS = 15.0  # for one picture
SECONDS_TOGETHER = 180.0  # for a sync; the rest comes with the next
WORKERS = 8


def fetch_missing(
    store: Store, fetcher: Fetcher, task: Task[Any] | None, progress: Progress
) -> None:
    """Fetch the pictures that are still missing; one that cannot be had is tried again later.

    Those that only count readers are never asked for, or forgotten once they are known as such.
    """
    missing = spread(_without_counters(store, store.images.wanted(MOST)), lambda one: one.url)
    visits = Visits(fetcher, seconds=SECONDS_TOGETHER, most_bytes=MOST_TOGETHER)

    def fetch(wanted: Wanted) -> tuple[str, bytes] | None:
        try:
            answer = visits.get(
                wanted.url, max_bytes=MOST_BYTES, seconds=SECONDS, private=wanted.private
            )
        except LeftAlone:
            return None
        return _checked(answer.body)

    results = each(fetch, missing, workers=WORKERS, task=task)
    for done, (wanted, result) in enumerate(results, 1):
        url = wanted.url
        if isinstance(result, Interrupted) or not isinstance(
            result, (ReadproofError, tuple, type(None))
        ):
            raise result
        if isinstance(result, ReadproofError):
            store.images.failed(url, str(result))
        elif result is not None:
            store.images.save(url, *result)
        progress(SyncProgress(done, len(missing), url=url, phase="images"))


def _without_counters(store: Store, wanted: Iterable[Wanted]) -> list[Wanted]:
    kept = []
    for one in wanted:
        if pictures.is_counter(one.url):
            store.images.save(one.url, "", b"")
        else:
            kept.append(one)
    return kept


def _checked(body: bytes) -> tuple[str, bytes]:
    """Return what is kept of a picture; nothing of one that only counts readers."""
    kind = media_type(body)
    if kind is None:
        raise SourceError(_("This is no picture."))
    if kind == "image/svg+xml":
        drawn = pictures.drawing(body)
        if drawn is None:
            raise SourceError(_("The picture is made to do harm, or too large."))
        return kind, drawn
    sides = pictures.size(body, kind)
    if sides is not None and sides[0] * sides[1] > pictures.MOST_PIXELS:
        raise SourceError(_("The picture is made to do harm, or too large."))
    if sides is not None and 0 < min(sides) < pictures.LEAST_SIDE:
        return "", b""
    return kind, body
