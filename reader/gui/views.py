"""What the sidebar leads to, and what each view lists; read on a worker."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from reader.gui import words
from reader.gui.filters import Filters
from reader.gui.ids import Ids
from reader.gui.story_model import Group
from reader.language import _
from reader.model import Counts, Digest, Evidence, Layer, Order, Query, Row, StoryKind

if TYPE_CHECKING:
    from reader.gui.workbench import Bench
    from reader.report.morning import Morning
    from reader.store import Store

STORIES = (StoryKind.ITEM, StoryKind.ENTRY)
MOST_GROUPED = 300
FRESH = timedelta(hours=36)
RECENT_DIGEST = timedelta(days=7)
MOST_DIGESTS = 8  # of one day
Ranker = Callable[["Store", Sequence[Row]], tuple[list[str], dict[str, str]]]


@dataclass(frozen=True, slots=True)
class View:
    """One place of the sidebar."""

    key: str  # today, unread, starred, queue, runs, digests, feeds, feed:f3, tag:name
    title: str
    icon: str = ""

    @property
    def lists_stories(self) -> bool:
        """Whether the view is a list of stories with filters."""
        return self.key not in ("queue", "runs", "feeds", "start")


def view(key: str, title: str = "") -> View:
    """Return a view by its key."""
    names = {
        "today": _("Today"),
        "unread": _("Unread"),
        "starred": _("Starred"),
        "queue": _("Queue"),
        "runs": _("Runs"),
        "digests": _("Digests"),
        "feeds": _("Feeds"),
        "start": _("Start"),
        "all": _("All stories"),
    }
    icon = {"starred": "star", "digests": "digest"}.get(key, key.partition(":")[0])
    return View(key, names.get(key, title or key.partition(":")[2]), icon)


@dataclass(frozen=True, slots=True)
class Listing:
    """What a list shows."""

    ids: Sequence[str] = field(default_factory=Ids)
    groups: list[tuple[Group, int]] = field(default_factory=list)
    counts: Counts | None = None
    badges: dict[str, str] = field(default_factory=dict)
    total: int = 0  # of the view, without filters
    unread: int = 0
    by_score: bool = False
    notices: tuple[str, ...] = ()
    morning: Morning | None = None  # what the night's run of the queue brought
    loosened: tuple[int, ...] = ()  # stories without each filter, where nothing matches
    caption: str = ""


def query_of(key: str) -> Query:
    """Return what a view lists before filters."""
    base = Query(kinds=STORIES, limit=None)
    name, _colon, rest = key.partition(":")
    return {
        "unread": replace(base, unread=True),
        "starred": replace(base, starred=True, kinds=(*STORIES, StoryKind.DIGEST)),
        "digests": replace(base, kinds=(StoryKind.DIGEST,)),
        "feed": replace(base, kinds=(*STORIES, StoryKind.DIGEST), feed=rest or None),
        "tag": replace(base, kinds=(*STORIES, StoryKind.DIGEST), tags=(rest,)),
        "digest": replace(base, kinds=(StoryKind.ITEM,), digest=rest or None),
    }.get(name, base)


def load(store: Store, key: str, filters: Filters, rank: Ranker | None) -> Listing:
    """Read a whole view through its filters."""
    if key == "today" and not filters.text:
        return _today(store, filters, rank)
    base = query_of("all" if key == "today" else key)
    query = filters.narrow(base)
    counts = store.library.counts(query)
    ids = Ids.of(store.library.ids(query))
    listing = Listing(
        ids=ids,
        counts=counts,
        total=counts.total,
        unread=counts.unread,
        by_score=query.order is Order.SCORE,
        loosened=_loosened(store, [base], filters) if not ids else (),
    )
    if filters.chips():
        whole = store.library.counts(base)
        listing = replace(listing, total=whole.total)
    return listing


def _loosened(store: Store, bases: Sequence[Query], filters: Filters) -> tuple[int, ...]:
    return tuple(
        sum(store.library.counts(rest.narrow(base)).total for base in bases)
        for _name, rest in filters.chips()
    )


def today_queries(store: Store) -> tuple[list[Query], list[Digest]]:
    """Return what makes up today: the items of the newest day's digests, and the newest posts."""
    base = Query(kinds=STORIES, limit=None)
    newest = store.library.page(replace(base, kinds=tuple(StoryKind), limit=1))
    if not newest or newest[0].published is None:
        return [], []
    moment = newest[0].published
    entries = replace(base, kinds=(StoryKind.ENTRY,), since=moment - FRESH)
    found = store.library.page(replace(base, kinds=(StoryKind.DIGEST,), limit=MOST_DIGESTS))
    read = [store.library.get(row.id) for row in found if _recent(row, moment)]
    digests = [each for each in read if isinstance(each, Digest)]
    digests = [each for each in digests if _day(each) == _day(digests[0])]
    items = replace(base, kinds=(StoryKind.ITEM,), order=Order.SCORE)
    return [*(replace(items, digest=each.id) for each in digests), entries], digests


def _recent(row: Row, moment: datetime) -> bool:
    return row.published is not None and moment - row.published < RECENT_DIGEST


def _day(digest: Digest) -> date | None:
    return digest.parsed.date or (digest.published.date() if digest.published else None)


def _today(store: Store, filters: Filters, rank: Ranker | None) -> Listing:
    bases, digests = today_queries(store)
    by_score = filters.by_score is not False
    queries = [filters.narrow(each) for each in bases]
    every = [store.library.counts(each) for each in queries]
    whole = [store.library.counts(each) for each in bases]
    rows = [row for query in queries for row in store.library.rows(store.library.ids(query))]
    badges: dict[str, str] = {}
    if rank is not None and by_score:
        order, badges = rank(store, rows)
        places = {id_: place for place, id_ in enumerate(order)}
        rows.sort(key=lambda row: places.get(row.id, len(places)))
    rows.sort(key=_section_order(rows))
    ids, groups = _grouped(rows, {each.id: each for each in digests})
    return Listing(
        ids=ids,
        groups=groups if len(ids) <= MOST_GROUPED else [],
        counts=added(every),
        badges=badges,
        total=sum(each.total for each in whole),
        unread=sum(each.unread for each in whole),
        by_score=by_score,
        notices=tuple(line for each in digests for line in _notices(each)),
        morning=_morning(store),
        loosened=_loosened(store, bases, filters) if not ids else (),
        caption=words.day(digests[0].published, weekday=True)
        if digests and digests[0].published
        else _newest_day(rows),
    )


def _morning(store: Store) -> Morning | None:
    """Return what the night's run of the queue brought, while it is news."""
    from reader.report import morning
    from reader.runner import overnight

    return morning.summary(overnight.last(store.path), datetime.now(UTC))


def _newest_day(rows: Sequence[Row]) -> str:
    days = [row.published for row in rows if row.published is not None]
    return words.day(max(days), weekday=True) if days else ""


def _section(row: Row) -> tuple[str | None, str] | None:
    """Return where an item stands: its digest and section; None for a post."""
    return (row.digest, row.section) if row.kind is StoryKind.ITEM else None


def _section_order(rows: Sequence[Row]) -> Callable[[Row], tuple[bool, int]]:
    """Sections in the order of their first row: the one with the most urgent story leads."""
    digests = list(dict.fromkeys(row.digest for row in rows))
    sections = list(dict.fromkeys(_section(row) for row in rows))
    sections.sort(key=lambda each: digests.index(each[0]) if each else len(digests))

    def order(row: Row) -> tuple[bool, int]:
        where = _section(row)
        return where is None, sections.index(where)

    return order


def _grouped(
    rows: Sequence[Row], digests: Mapping[str, Digest]
) -> tuple[list[str], list[tuple[Group, int]]]:
    groups: list[tuple[Group, int]] = []
    for place, row in enumerate(rows):
        where = _section(row)
        if place and _section(rows[place - 1]) == where:
            continue
        same = sum(_section(each) == where for each in rows)
        if where is None:
            group = Group(_("Source entries · layers judged here"), "feeds", same)
        else:
            group = Group(_heading(row, digests.get(row.digest or "")), "digest", same)
        groups.append((group, place))
    return [row.id for row in rows], groups


def _heading(row: Row, digest: Digest | None) -> str:
    name = row.feed_title or digest_name(digest)
    return f"{name} · {row.section}" if row.section else name


def digest_name(digest: Digest | None) -> str:
    """Return what sort of digest it is, for one that came without a feed."""
    from reader.model import DigestKind

    if digest is not None and digest.parsed.kind is DigestKind.QUICK_LOOK:
        return _("AI systems quick look")
    return "AI Compiler Daily"


def _notices(digest: Digest) -> tuple[str, ...]:
    first = (_("The digest says it is incomplete"),) if digest.parsed.incomplete else ()
    return (*first, *digest.parsed.notices, *digest.parsed.not_understood)


def added(every: Sequence[Counts]) -> Counts:
    """Return several counts as one."""
    layers = {each: sum(one.layers.get(each, 0) for one in every) for each in Layer}
    nodes = {node for one in every for node in one.hardware}
    return Counts(
        sum(one.total for one in every),
        sum(one.unread for one in every),
        layers,
        {node: sum(one.hardware.get(node, 0) for one in every) for node in nodes},
        {each: sum(one.evidence.get(each, 0) for one in every) for each in Evidence},
    )


@dataclass(frozen=True, slots=True)
class Shelf:
    """What the sidebar and the status line show."""

    today: int
    unread: int
    starred: int
    queue: int
    runs: int
    feeds: tuple[tuple[str, str, int], ...]  # id, title, unread
    troubled: int
    tags: tuple[str, ...]
    sources: int
    sources_ok: int
    images_missing: int
    images: int
    last_sync: datetime | None
    stories: int
    digests: int
    late: int = 0


def without(shelf: Shelf, leaving: frozenset[str]) -> Shelf:
    """Return the shelf without feeds that are about to go."""
    stay = tuple(each for each in shelf.feeds if each[0] not in leaving)
    fewer = len(shelf.feeds) - len(stay)
    return replace(shelf, feeds=stay, sources=shelf.sources - fewer) if fewer else shelf


def shelf(store: Store) -> Shelf:
    """Count everything that stands in the sidebar and in the status line."""
    from reader.model import Health, QueueState

    bases, _digests = today_queries(store)
    library, feeds, kept = store.library, store.feeds.all(), store.feeds.kept()
    settled = (
        QueueState.CONFIRMED,
        QueueState.REFUTED,
        QueueState.INCONCLUSIVE,
        QueueState.NOT_APPLICABLE,
        QueueState.DROPPED,
    )
    queue = store.queue.all()
    everything = library.counts(Query(kinds=STORIES, limit=None))
    return Shelf(
        today=sum(library.counts(each).unread for each in bases),
        unread=everything.unread,
        starred=library.counts(query_of("starred")).total,
        queue=sum(each.state not in settled for each in queue),
        runs=len(store.runs.all()),
        feeds=tuple((each.id, each.title or each.url, each.unread) for each in feeds),
        troubled=sum(each.health in (Health.FAILED, Health.GONE, Health.STALE) for each in feeds),
        tags=tuple(library.tags()),
        sources=kept.sources,
        sources_ok=kept.sources_ok,
        images=kept.images,
        images_missing=kept.images_missing,
        last_sync=kept.last_sync,
        stories=everything.total,
        digests=library.counts(query_of("digests")).total,
    )


def ranker(bench: Bench) -> Ranker:
    """Return what ranks stories by what stands on this machine, with their badges."""

    def rank(_store: Store, rows: Sequence[Row]) -> tuple[list[str], dict[str, str]]:
        from reader import today

        stack = today.stack_of(bench.interpreters, bench.toolkits, bench.machine)
        found = {row.id: today.badge(row, stack) for row in rows}
        badges = {id_: each.text() for id_, each in found.items() if each is not None}
        return [row.id for row in today.ranked(rows, stack)], badges

    return rank


def keep_read(listing: Listing, before: Sequence[str]) -> Listing:
    """Keep what has just been read in a list of unread stories, until it is opened anew."""
    kept, found = Ids.of(before).numbers, Ids.of(listing.ids).numbers
    known = set(kept)
    new = array("q", (each for each in found if each not in known))
    return replace(listing, ids=Ids(new + kept))


def home_of(store: Store, id_: str) -> str:
    """Return the view that lists a story: its digest, its feed, or everything."""
    story = store.library.get(id_)
    if isinstance(story, Digest):
        return "digests"
    digest = getattr(story, "digest", None)
    if id_.startswith("i") and digest:
        return f"digest:{digest}"
    return f"feed:{story.feed}" if story.feed else "all"
