"""How a source is doing, in words: why, since when, and what to do. Pure but for `beside`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from reader import identity
from reader.language import _
from reader.model import Digest, Feed, FeedKind, Fetch, Health, Query, StoryKind
from reader.sync import schedule

if TYPE_CHECKING:
    from reader.store import Store

DAYS = 14
RECENT = timedelta(days=2)  # a digest's notice says nothing of a source any more when it is older
WEEKEND = 5  # Saturday, counted from Monday
PUBLISHERS = (FeedKind.ARXIV, FeedKind.DIGEST_SITE)  # who rest on weekends and holidays


@dataclass(frozen=True, slots=True)
class Day:
    """One day of a source: what came of its attempts, None where there was none."""

    day: date
    outcome: Health | None = None
    new: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """How a source is doing now."""

    state: Health | None = None  # as it is now: a source that rests is quiet, though not asked
    reason: str = ""
    since: datetime | None = None
    advice: str = ""
    moved_from: str | None = None
    notices: tuple[str, ...] = ()  # what a digest says of this source
    days: tuple[Day, ...] = ()  # the oldest first


def standings(store: Store, feeds: Sequence[Feed], now: datetime) -> dict[str, Standing]:
    """Return how each feed is doing, by its id."""
    notices = beside(store, now)
    return {
        feed.id: standing(
            feed,
            store.feeds.history(feed.id, DAYS),
            now,
            notices=notices,
            moved_from=store.facts.get(moved_fact(feed)),
        )
        for feed in feeds
    }


def moved_fact(feed: Feed) -> str:
    """Return the name under which the store keeps a feed's address before it moved."""
    return f"moved of {feed.id}"


def beside(store: Store, now: datetime) -> tuple[str, ...]:
    """Return what the latest digests say of sources they could not reach."""
    found: list[str] = []
    for row in store.library.page(Query(kinds=(StoryKind.DIGEST,), limit=3)):
        digest = store.library.get(row.id)
        if not isinstance(digest, Digest) or not digest.parsed.incomplete:
            continue
        if digest.published is not None and now - digest.published <= RECENT:
            found += digest.parsed.notices
    return tuple(dict.fromkeys(found))


def standing(
    feed: Feed,
    history: Sequence[Fetch],
    now: datetime,
    *,
    notices: Sequence[str] = (),
    moved_from: str | None = None,
) -> Standing:
    """Return how one feed is doing; `notices` are those of the latest digests."""
    state, reason, begun = feed.health, _reason(feed, history, now), since(feed, history)
    if (rest := _rests_since(feed, now)) is not None:
        state, reason, begun = Health.QUIET, _("Nothing is published on a weekend."), rest
    return Standing(
        state,
        reason,
        begun,
        _advice(feed, moved_from),
        moved_from,
        tuple(each for each in notices if names(each, feed)),
        days(history, now),
    )


def _rests_since(feed: Feed, now: datetime) -> datetime | None:
    """Return when a source's weekend began where it has not been asked since; it asks for that."""
    if feed.kind is not FeedKind.ARXIV or urlsplit(feed.url).hostname != schedule.ANNOUNCER:
        return None
    there = now.astimezone(schedule.EASTERN)
    if there.weekday() < WEEKEND or feed.last_checked is None:
        return None
    begun = there.replace(hour=0, minute=0, second=0, microsecond=0)
    begun -= timedelta(days=there.weekday() - WEEKEND)
    rests = feed.health in (Health.OK, Health.UNCHANGED, Health.DUPLICATES)
    return begun if rests and feed.last_checked < begun else None


def since(feed: Feed, history: Sequence[Fetch]) -> datetime | None:
    """Return since when a feed has been in the state it is in, as far as is known."""
    if feed.failing_since is not None:
        return feed.failing_since
    begun = feed.last_checked
    for fetch in reversed(history):
        if fetch.outcome is not feed.health:
            break
        begun = fetch.at
    return begun


def days(history: Sequence[Fetch], now: datetime, many: int = DAYS) -> tuple[Day, ...]:
    """Return the last days, each with the attempt that brought most, else its last."""
    found: dict[date, Day] = {}
    for fetch in history:
        day = fetch.at.astimezone().date()
        before = found.get(day)
        new = fetch.new + (before.new if before else 0)
        if before is None or fetch.new or not before.new:
            found[day] = Day(day, fetch.outcome, new, fetch.error)
        else:
            found[day] = Day(day, before.outcome, new, before.error)
    today = now.astimezone().date()
    wanted = [today - timedelta(days=ago) for ago in reversed(range(many))]
    return tuple(found.get(day, Day(day)) for day in wanted)


def names(notice: str, feed: Feed) -> bool:
    """Tell whether a digest's notice names a source."""
    text = notice.casefold()
    host = (urlsplit(feed.url).hostname or "").removeprefix("www.")
    known = [feed.title if len(feed.title) > 3 else "", feed.url]
    if project := identity.project_of(feed.url):
        known += list(project)
    elif feed.kind is FeedKind.ARXIV:
        known.append("arxiv")
    else:
        known.append(host)
    return any(each and each.casefold() in text for each in known)


def _reason(feed: Feed, history: Sequence[Fetch], now: datetime) -> str:
    if feed.error:
        return feed.error
    last = history[-1] if history else None
    if feed.health is Health.OK and last is not None:
        if last.new:
            return _("{n} new").format(n=last.new)
        return _("Entries were changed.") if last.updated else ""
    if feed.health is Health.QUIET:
        at = (feed.last_checked or now).astimezone()
        if feed.kind in PUBLISHERS and at.weekday() >= WEEKEND:
            return _("Nothing is published on a weekend.")
        if feed.kind in PUBLISHERS:
            return _("Nothing was published: a holiday, or a quiet day.")
        return _("It works, and has nothing to give now.")
    if feed.health is Health.UNCHANGED:
        return _("Nothing has changed since the last time.")
    return ""


def _advice(feed: Feed, moved_from: str | None) -> str:
    if feed.health is Health.GONE:
        return _("Unsubscribe, or subscribe to its new address; what is kept stays readable.")
    if feed.health is Health.FAILED:
        return _("It is tried again by itself. If it lasts, open the address in a browser.")
    if feed.health is Health.STALE:
        return _("Nothing to do: the publisher is behind. If it lasts for days, look at its page.")
    if feed.health is Health.DUPLICATES:
        return _("Unsubscribe from it if another source gives the same.")
    if moved_from:
        return _("Nothing to do: the new address is used from now on.")
    return ""
