"""When a feed is asked again, and how it is doing. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from hashlib import blake2b
from urllib.parse import urlsplit

from reader.model import Feed, FeedKind, Fetch, Health, ParsedFeed
from reader.sync.pace import Pace

USUAL = timedelta(minutes=30)  # where a feed's rhythm is not known
SLOW = {FeedKind.ARXIV: timedelta(hours=3), FeedKind.DIGEST_SITE: timedelta(minutes=30)}
# Between these the interval follows a feed's own rhythm; a daily digest should not come late.
BOUNDS = {
    FeedKind.ARXIV: (timedelta(hours=3), timedelta(hours=6)),
    FeedKind.DIGEST_SITE: (timedelta(minutes=20), timedelta(hours=1)),
}
USUAL_BOUNDS = (timedelta(minutes=20), timedelta(hours=6))
LOOKS = 4  # looks between two entries as they usually come
LONGEST_CACHE = timedelta(days=1)  # whatever a server says, a feed is looked at daily
FIRST_RETRY = timedelta(minutes=5)
LONGEST_RETRY = timedelta(hours=12)
LEAST_RETRY = timedelta(minutes=1)
JITTER = 0.25  # of the wait after a failure, so that those that failed together part
WEEK = timedelta(days=7)
# A daily source whose newest entry is older than this gives yesterday's batch again.
STALE_AFTER = {FeedKind.ARXIV: timedelta(days=5), FeedKind.DIGEST_SITE: timedelta(days=4)}
# Its feeds are built anew at midnight Eastern, Monday to Friday, and dated that day.
ANNOUNCER = "rss.arxiv.org"
EASTERN = timezone(timedelta(hours=-5))
ANNOUNCING = timedelta(hours=6)  # what building may take
FAULTY = (Health.FAILED, Health.GONE)
_NOTHING_TOLD = Pace()


def after_success(
    feed: Feed,
    outcome: Health,
    now: datetime,
    cache: float | None,
    pace: Pace = _NOTHING_TOLD,
) -> datetime:
    """Return when to ask again: by the feed's rhythm, never before the server and feed want it.

    What they say of freshness counts up to a day; hours and days they skip are skipped.
    """
    wait = SLOW.get(feed.kind, USUAL)
    if outcome in (Health.QUIET, Health.UNCHANGED, Health.STALE, Health.DUPLICATES):
        wait *= 2
    if pace.gap or pace.newest:
        wait = _learned(feed.kind, now, pace)
    fresh = max(cache or 0.0, pace.ttl)
    wait = max(wait, min(timedelta(seconds=fresh), LONGEST_CACHE))
    return _not_skipped(now + wait, pace)


def _learned(kind: FeedKind, now: datetime, pace: Pace) -> timedelta:
    """Return the interval a feed's rhythm asks for; one that fell silent is asked less and less."""
    least, most = BOUNDS.get(kind, USUAL_BOUNDS)
    silent = max(now.timestamp() - pace.newest, 0.0) if pace.newest else 0.0
    # What lies between two entries is no silence yet; twice as long is.
    gap = max(pace.gap, silent / 2)
    return min(max(timedelta(seconds=min(gap, 1e9)) / LOOKS, least), most)


def _not_skipped(moment: datetime, pace: Pace) -> datetime:
    """Return the first moment from this one on that lies in no hour or day a feed skips."""
    if len(pace.hours) >= 24 or len(pace.days) >= 7:
        return moment  # it would never be asked: no one means that
    for _hour in range(8 * 24):
        there = moment.astimezone(UTC)
        if there.hour not in pace.hours and there.weekday() not in pace.days:
            break
        moment = there.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return moment


def after_failure(
    history: list[Fetch],
    now: datetime,
    retry_after: float | None,
    *,
    gone: bool = False,
    key: str = "",
) -> datetime:
    """Return when to try again: as the server says, else twice as long after each failure.

    `key` names the feed: each waits a little longer by a part of its own (jitter).
    """
    if gone:
        return now + WEEK
    if retry_after is not None:
        return now + min(max(timedelta(seconds=retry_after), LEAST_RETRY), WEEK)
    failures = 0
    for fetch in reversed(history):
        if fetch.outcome not in FAULTY:
            break
        failures += 1
    wait = min(FIRST_RETRY * (1 << min(failures, 12)), LONGEST_RETRY)
    return now + wait * (1 + JITTER * _part(f"{key} {failures}") if key else 1)


def _part(key: str) -> float:
    """Return a part from 0 to 1 that is a key's own, and the same on every machine."""
    return int.from_bytes(blake2b(key.encode(), digest_size=4).digest()) / 2**32


def _announced(now: datetime) -> date:
    """Return the day of the batch that arXiv must have announced by now: none on weekends."""
    day = (now.astimezone(EASTERN) - ANNOUNCING).date()
    return day - timedelta(days=max(day.weekday() - 4, 0))


def is_stale(feed: Feed, parsed: ParsedFeed, now: datetime) -> bool:
    """Tell whether a source that publishes daily has fallen behind (weekends allowed for)."""
    limit = STALE_AFTER.get(feed.kind)
    dates = [each.published or each.updated for each in parsed.entries]
    known = [each for each in dates if each is not None]
    if known and urlsplit(feed.url).hostname == ANNOUNCER:
        return max(known).astimezone(EASTERN).date() < _announced(now)
    return limit is not None and bool(known) and now - max(known) > limit
