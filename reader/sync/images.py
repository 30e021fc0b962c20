"""Pictures of entries, fetched once and kept for reading without a network."""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from reader.errors import Interrupted, ReadproofError, SourceError
from reader.language import _
from reader.sync import pictures
from reader.sync.pictures import media_type
from reader.sync.results import Progress, SyncProgress
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
STRIKES = 3  # broken or slow answers of a host, after which it is left alone until the next sync
WORKERS = 8


def fetch_missing(
    store: Store, fetcher: Fetcher, task: Task[Any] | None, progress: Progress
) -> None:
    """Fetch the pictures that are still missing; one that cannot be had is tried again later.

    Those that only count readers are never asked for, or forgotten once they are known as such.
    """
    missing = _spread(_without_counters(store, store.images.wanted(MOST)))
    visit = _Visit(fetcher)
    for done, (wanted, result) in enumerate(
        each(visit.fetch, missing, workers=WORKERS, task=task), 1
    ):
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


def _spread(wanted: Iterable[Wanted]) -> list[Wanted]:
    """Return pictures with those of one host far apart, so that none waits behind its own."""
    by_host: dict[str, deque[Wanted]] = defaultdict(deque)
    for one in wanted:
        by_host[pictures.host(one.url)].append(one)
    spread = []
    while by_host:
        for name in list(by_host):
            spread.append(by_host[name].popleft())
            if not by_host[name]:
                del by_host[name]
    return spread


class _Visit:
    """What the workers of one sync share; they only add to it."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._strikes: Counter[str] = Counter()
        self._bytes = 0
        self._until = time.monotonic() + SECONDS_TOGETHER

    def fetch(self, wanted: Wanted) -> tuple[str, bytes] | None:
        """Return kind and bytes of a picture, None where it has to wait for another sync."""
        from reader.fetch import HttpRefusal, Unreachable

        host = pictures.host(wanted.url)
        spent = self._bytes > MOST_TOGETHER or time.monotonic() > self._until
        if spent or self._strikes[host] >= STRIKES:
            return None
        try:
            body = self._fetcher.get(
                wanted.url, max_bytes=MOST_BYTES, seconds=SECONDS, private=wanted.private
            ).body
        except HttpRefusal:
            raise
        except SourceError as error:
            # One look is enough for all pictures of a host that is out of reach.
            self._strikes[host] += STRIKES if isinstance(error, Unreachable) else 1
            raise
        self._bytes += len(body)
        return _checked(body)


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
