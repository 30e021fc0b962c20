"""One sync: due feeds fetched side by side, saved one by one, each with its health."""

from __future__ import annotations

import logging
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from reader import classify, settings
from reader.errors import Interrupted, ReadproofError
from reader.language import _
from reader.model import Feed, FeedKind, Fetch, Health, ParsedFeed, Saved
from reader.sync import health, history, images, schedule
from reader.sync.beside import fetch_beside
from reader.sync.collect import GITHUB, Collector, Fetched
from reader.sync.door import door
from reader.sync.outage import Offline, Outage, outside
from reader.sync.pace import Pace
from reader.sync.results import FeedResult, Progress, SyncProgress, SyncResult, silent
from reader.sync.ruling import Ruling, own_rules
from reader.tasks import Task, heaps
from reader.workers import Workers

if TYPE_CHECKING:
    from reader.fetch import Fetcher
    from reader.store import Store

WORKERS = 8
PATIENCE = 3.0  # seconds after which a server that says nothing holds no worker any more
TOGETHER = 1_000  # entries a write: another that waits for us waits for no more
EVER = 36_500  # days
_LOG = logging.getLogger(__name__)


def sync(
    store_path: Path,
    *,
    feeds: Sequence[str] | None = None,
    force: bool = False,
    task: Task[Any] | None = None,
    progress: Progress = silent,
    fetcher: Fetcher | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    chosen: settings.Settings | None = None,
    config: Path | None = None,
) -> SyncResult:
    """Fetch the named feeds, all of them with `force`, else those that are due; then pictures.

    One feed that fails never stops the others. `chosen` are the user's settings, those of the
    usual file where it is None; the user's rules lie beside the file `config`. Raises StoreError
    when another process is at it or the store cannot be written, and Interrupted when cancelled;
    what was saved stays.
    """
    from reader.store import Store

    begun = time.monotonic()
    with ExitStack() as stack:
        store = stack.enter_context(Store.open(store_path))
        stack.enter_context(store.lease("sync"))
        store.library.relabel(classify.labels, classify.RULES_VERSION)
        if fetcher is None:
            chosen = chosen or settings.load(config or settings.default_config())
            stopped = (lambda: task.cancelled) if task is not None else (lambda: False)
            fetcher = stack.enter_context(door(chosen, stopped=stopped))
        workers = stack.enter_context(closing(Workers()))
        own, wrong = own_rules(config)
        ruling = Ruling(store, own, now())
        run = _Sync(store, fetcher, workers, ruling, task, progress, now)
        results = run.run(_chosen(store, feeds, force, now))
    return SyncResult(
        feeds=tuple(results),
        new=sum(one.new for one in results),
        updated=sum(one.updated for one in results),
        unchanged=sum(one.unchanged for one in results),
        failed=sum(one.outcome in schedule.FAULTY for one in results),
        offline=run.outage.is_likely,
        seconds=time.monotonic() - begun,
        notices=tuple(filter(None, [wrong])),
    )


def _chosen(
    store: Store, ids: Sequence[str] | None, force: bool, now: Callable[[], datetime]
) -> list[Feed]:
    if ids:
        return [store.feeds.get(each_id) for each_id in dict.fromkeys(ids)]
    return _spread(store.feeds.all() if force else store.feeds.due(now()))


def _spread(feeds: list[Feed]) -> list[Feed]:
    """Return feeds with those of one host far apart, so that none waits behind its own."""
    by_host: dict[str, deque[Feed]] = defaultdict(deque)
    # Those that failed last may cost their whole time again; the others do not wait for them.
    for feed in sorted(feeds, key=lambda one: one.health in schedule.FAULTY):
        by_host[urlsplit(feed.url).netloc].append(feed)
    spread = []
    while by_host:
        for host in list(by_host):
            spread.append(by_host[host].popleft())
            if not by_host[host]:
                del by_host[host]
    return spread


class _Sync:
    def __init__(
        self,
        store: Store,
        fetcher: Fetcher,
        workers: Workers,
        ruling: Ruling,
        task: Task[Any] | None,
        progress: Progress,
        now: Callable[[], datetime],
    ) -> None:
        self._store, self._fetcher, self._task = store, fetcher, task
        self._workers, self._ruling = workers, ruling
        self._progress, self._now = progress, now
        self._seconds: dict[str, float] = {}  # what each feed took, by its id
        self.outage = Outage(was=store.facts.get("offline") == "yes")
        self._held: list[tuple[Feed, Exception]] = []  # out of reach: theirs, or no network

    def run(self, feeds: list[Feed]) -> list[FeedResult]:
        known = {
            feed.id: history.History.load(self._store.facts.get(_fact(feed)))
            for feed in feeds
            if feed.kind is FeedKind.DIGEST_SITE
        }
        memories = {feed.id: self._store.facts.get(_memory(feed)) for feed in feeds}
        token = None
        if known or any(feed.kind in GITHUB for feed in feeds):
            from reader.credentials import Credentials

            token = Credentials().get("github").value
        seen = {feed.id: self._store.library.fingerprints(feed.id) for feed in feeds}
        self._collector = Collector(
            self._fetcher,
            known,
            token,
            seen,
            {id_: text for id_, text in memories.items() if text is not None},
            self._now,
            self._workers,
        )
        results: list[FeedResult] = []
        for heap in heaps(
            self._fetch,
            feeds,
            workers=WORKERS,
            task=self._task,
            lane=lambda feed: urlsplit(feed.url).netloc or feed.id,
            patience=PATIENCE,
        ):
            for part in _portions(heap):
                with self._store.together():
                    done = [self._keep(feed, came) for feed, came in self._met(part)]
                    self._ruling.apply()
                for result in done:
                    results.append(result)
                    shown = result.title or result.url
                    self._progress(SyncProgress(len(results), len(feeds), shown, result.url))
        if not self.outage.is_likely:
            with self._store.together():
                results += [
                    self._failed(feed, error)
                    for feed, error in self._held
                    if not isinstance(error, Offline)  # not tried: it stays due
                ]
        if self.outage.is_likely or self.outage.has_ended:
            self._store.facts.set("offline", "yes" if self.outage.is_likely else "no")
        if any(one.outcome not in schedule.FAULTY for one in results):
            fetch_beside(self._store, self._fetcher, self._task, self._progress, self._now)
            images.fetch_missing(self._store, self._fetcher, self._task, self._progress)
        order = {feed.id: place for place, feed in enumerate(feeds)}
        return sorted(results, key=lambda one: order[one.id])

    # ── on a worker: no store here ──

    def _fetch(self, feed: Feed) -> Fetched:
        if self.outage.spares(feed):
            raise Offline(_("There is no network."))
        begun = time.monotonic()
        try:
            came = self._collector.collect(feed)
        except ReadproofError as error:
            self.outage.saw(feed, error)
            raise
        finally:
            self._seconds[feed.id] = time.monotonic() - begun
        self.outage.saw(feed, None)
        return came

    # ── on the caller's thread ──

    def _met(
        self, part: list[tuple[Feed, Fetched | BaseException]]
    ) -> Iterator[tuple[Feed, Fetched | BaseException]]:
        """Hold back those out of reach, until it is known whether there is a network."""
        from reader.fetch import Unreachable

        for feed, came in part:
            if isinstance(came, Unreachable | Offline) and outside(feed):
                self._held.append((feed, came))
            else:
                yield feed, came

    def _keep(self, feed: Feed, came: Fetched | BaseException) -> FeedResult:
        if isinstance(came, Interrupted) or (
            isinstance(came, BaseException) and not isinstance(came, Exception)
        ):
            raise came
        if isinstance(came, Exception):
            return self._failed(feed, came)
        saved = self._store.library.save(feed.id, came.taken, self._now(), repeated=came.repeated)
        if came.gone:
            notice = _("Its file is no longer in the folder; what it said is kept.")
            self._store.library.mark_absent(feed.id, came.gone, notice)
        if came.history is not None:
            self._store.facts.set(_fact(feed), came.history.dump())
        if came.memory is not None:
            self._store.facts.set(_memory(feed), came.memory)
        self._ruling.saved(saved)
        outcome, said = self._outcome(feed, came, saved)
        self._describe(feed, came.parsed)
        self._record(feed, came, saved, outcome, said)
        return FeedResult(
            feed.id,
            feed.url,
            feed.title or (came.parsed.title if came.parsed else ""),
            outcome,
            new=len(saved.new),
            updated=len(saved.updated),
            unchanged=len(saved.unchanged) + came.same,
            error=said,
            seconds=self._seconds[feed.id],
        )

    def _record(
        self, feed: Feed, came: Fetched, saved: Saved, outcome: Health, said: str | None
    ) -> None:
        response, now = came.response, self._now()
        cache = response.cache_seconds if response else None
        same = response is not None and response.not_modified
        if response and came.parsed and response.permanent_url not in (None, feed.url):
            self._store.facts.set(health.moved_fact(feed), feed.url)
        fetch = Fetch(
            at=now,
            outcome=outcome,
            error=said,
            new=len(saved.new),
            updated=len(saved.updated),
            seconds=self._seconds[feed.id],
            etag=(response.etag or (feed.etag if same else None)) if response else None,
            last_modified=(response.last_modified or (feed.last_modified if same else None))
            if response
            else None,
            next_check=self._following(feed, came, outcome, cache),
            # Only an address that was read as a feed takes the old one's place.
            url=response.permanent_url if response and came.parsed else None,
        )
        self._store.feeds.record(feed.id, fetch)

    def _following(
        self, feed: Feed, came: Fetched, outcome: Health, cache: float | None
    ) -> datetime:
        """Return when a feed that worked is asked again; a history that is not whole goes on."""
        now = self._now()
        usual = schedule.after_success(feed, outcome, now, cache, self._pace(feed, came))
        waits = came.history is not None and not came.history.whole
        return min(usual, now + history.SOON) if waits else usual

    def _pace(self, feed: Feed, came: Fetched) -> Pace:
        """Return a feed's rhythm; what was not sent again is as it was."""
        known = self._store.facts.get(f"pace of {feed.id}")
        if came.pace is None:
            return Pace.load(known)
        if came.pace.dump() != known:
            self._store.facts.set(f"pace of {feed.id}", came.pace.dump())
        return came.pace

    def _describe(self, feed: Feed, parsed: ParsedFeed | None) -> None:
        if parsed is None:
            return
        title = parsed.title if not feed.title else None
        language = parsed.language if parsed.language != feed.language else None
        if title or language:
            self._store.feeds.describe(feed.id, title=title or None, language=language)

    def _outcome(self, feed: Feed, came: Fetched, saved: Saved) -> tuple[Health, str | None]:
        if saved.new or saved.updated:
            return Health.OK, came.note
        if came.state is not None:
            return came.state, came.note
        if came.parsed is None:
            return Health.UNCHANGED, came.note
        if not came.parsed.entries:
            return Health.QUIET, came.note
        if schedule.is_stale(feed, came.parsed, self._now()):
            return Health.STALE, _("Nothing newer than some days ago: it gives an old batch again.")
        if saved.unchanged and not self._has_own(feed, saved):
            return Health.DUPLICATES, _("Everything it gives came by another source already.")
        return (Health.UNCHANGED if came.taken or came.same else Health.QUIET), came.note

    def _has_own(self, feed: Feed, saved: Saved) -> bool:
        # `entries` counts what the feed owns; one that was never fetched may own nothing yet.
        return self._store.feeds.get(feed.id).entries > 0 if saved.unchanged else True

    def _failed(self, feed: Feed, error: Exception) -> FeedResult:
        from reader.fetch import HttpRefusal

        now, retry, gone = self._now(), None, False
        if isinstance(error, HttpRefusal):
            retry, gone = error.retry_after, error.status == 410
        said = str(error)
        if not isinstance(error, ReadproofError):
            _LOG.error("%s", feed.url, exc_info=error)
            said = _("Readproof failed on this feed ({detail}); this is a bug of ours.").format(
                detail=type(error).__name__
            )
        outcome = Health.GONE if gone else Health.FAILED
        past = self._store.feeds.history(feed.id, days=EVER)
        following = schedule.after_failure(past, now, retry, gone=gone, key=feed.url)
        took = self._seconds.get(feed.id, 0.0)
        self._store.feeds.record(
            feed.id,
            Fetch(at=now, outcome=outcome, error=said, seconds=took, next_check=following),
        )
        return FeedResult(feed.id, feed.url, feed.title, outcome, error=said, seconds=took)


def _portions(
    heap: list[tuple[Feed, Fetched | BaseException]],
) -> Iterator[list[tuple[Feed, Fetched | BaseException]]]:
    """Yield what came in portions that are written together: many small feeds, or a great one."""
    part: list[tuple[Feed, Fetched | BaseException]] = []
    entries = 0
    for feed, came in heap:
        size = len(came.taken) if isinstance(came, Fetched) else 0
        if part and entries + size > TOGETHER:
            yield part
            part, entries = [], 0
        part.append((feed, came))
        entries += size
    yield part


def _fact(feed: Feed) -> str:
    return f"history of {feed.id}"


def _memory(feed: Feed) -> str:
    return f"memory of {feed.id}"
