"""When a feed is asked again, and how it is doing. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from reader.model import Feed, FeedKind, Fetch, Health, ParsedFeed

USUAL = timedelta(minutes=30)
SLOW = {FeedKind.ARXIV: timedelta(hours=3), FeedKind.DIGEST_SITE: timedelta(minutes=30)}
LONGEST_CACHE = timedelta(hours=12)
FIRST_RETRY = timedelta(minutes=5)
LONGEST_RETRY = timedelta(hours=12)
LEAST_RETRY = timedelta(minutes=1)
WEEK = timedelta(days=7)
# A daily source whose newest entry is older than this gives yesterday's batch again.
STALE_AFTER = {FeedKind.ARXIV: timedelta(days=5), FeedKind.DIGEST_SITE: timedelta(days=4)}
FAULTY = (Health.FAILED, Health.GONE)


def after_success(feed: Feed, outcome: Health, now: datetime, cache: float | None) -> datetime:
    """Return when to ask again; what the server says of freshness counts up to half a day."""
    wait = SLOW.get(feed.kind, USUAL)
    if outcome in (Health.QUIET, Health.UNCHANGED, Health.STALE, Health.DUPLICATES):
        wait *= 2
    if cache:
        wait = max(wait, min(timedelta(seconds=cache), LONGEST_CACHE))
    return now + wait


def after_failure(
    history: list[Fetch], now: datetime, retry_after: float | None, *, gone: bool = False
) -> datetime:
    """Return when to try again: as the server says, else twice as long after each failure."""
    if gone:
        return now + WEEK
    if retry_after is not None:
        return now + min(max(timedelta(seconds=retry_after), LEAST_RETRY), WEEK)
    failures = 0
    for fetch in reversed(history):
        if fetch.outcome not in FAULTY:
            break
        failures += 1
    return now + min(FIRST_RETRY * (1 << min(failures, 12)), LONGEST_RETRY)


def is_stale(feed: Feed, parsed: ParsedFeed, now: datetime) -> bool:
    """Tell whether a source that publishes daily has fallen behind (weekends allowed for)."""
    limit = STALE_AFTER.get(feed.kind)
    dates = [each.published or each.updated for each in parsed.entries]
    known = [each for each in dates if each is not None]
    return limit is not None and bool(known) and now - max(known) > limit
