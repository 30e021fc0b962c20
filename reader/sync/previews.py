"""What an address would bring, before anything is subscribed to or kept."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reader.errors import Expected, Interrupted
from reader.model import Feed, Incoming, Labels, Wanted
from reader.sanitise import clean_text
from reader.store.incoming import Prepared
from reader.sync import finding
from reader.sync.collect import GITHUB, Collector, Fetched
from reader.sync.finding import Find
from reader.sync.subscribing import find, github_token, own_door

if TYPE_CHECKING:
    from reader.fetch import Fetcher

SHOWN = 5
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Sample:
    """One entry that would come; `items` is how many stories it divides into."""

    title: str
    url: str | None = None
    published: datetime | None = None
    labels: Labels = field(default_factory=Labels)
    categories: tuple[str, ...] = ()
    items: int = 0


@dataclass(frozen=True, slots=True)
class Preview:
    """What was found, and what the best of it holds.

    `error` is why it could not be looked into; it can be subscribed to all the same. `subscribed`
    is the id of the Feed where there is one already.
    """

    found: tuple[Find, ...]
    title: str = ""
    count: int = 0
    samples: tuple[Sample, ...] = ()
    note: str | None = None
    error: str | None = None
    subscribed: str | None = None
    wanted: Wanted = field(default_factory=Wanted)  # what was said of the Feed that stands

    @property
    def best(self) -> Find:
        """The one that was looked into."""
        return self.found[0]

    @property
    def is_list(self) -> bool:
        """Whether all that was found belongs together: a list of subscriptions."""
        return finding.is_list(self.found)


def preview(
    store_path: Path,
    words: str,
    kind: str = "auto",
    *,
    fetcher: Fetcher | None = None,
    wanted: Wanted | None = None,
) -> Preview:
    """Return what stands behind the words, with its last five entries; nothing is kept.

    Raises SourceError, NotUnderstood or Usage where nothing to subscribe to is found.
    """
    with ExitStack() as stack:
        if fetcher is None:
            fetcher = stack.enter_context(own_door())
        found = find(words, kind, fetcher=fetcher)
        return look(store_path, found, fetcher=fetcher, wanted=wanted)


def look(
    store_path: Path,
    found: list[Find],
    *,
    fetcher: Fetcher | None = None,
    wanted: Wanted | None = None,
) -> Preview:
    """Look into the first of what was found; a list of subscriptions is shown as it is."""
    best = found[0]
    stands = _known(store_path, best)
    shown = Preview(tuple(found), best.title)
    if stands is not None:
        shown = replace(shown, subscribed=stands.id, wanted=stands.wanted)
        wanted = wanted or stands.wanted
    if finding.is_list(found):
        return replace(shown, title="", count=len(found))
    with ExitStack() as stack:
        if fetcher is None:
            fetcher = stack.enter_context(own_door())
        token = github_token() if best.kind in GITHUB else None
        feed = Feed(
            "f0",
            best.url,
            best.title,
            best.kind,
            private=True,
            topic_filter=best.topic_filter
            or bool(wanted and wanted.topics)
            or bool(stands and stands.topic_filter and not stands.wanted.topics),
            wanted=wanted or Wanted(),
        )
        try:
            came = Collector(fetcher, {}, token).collect(feed)
        except Interrupted:
            raise
        except Expected as error:
            return replace(shown, error=str(error))
    return _looked_into(shown, came)


def _looked_into(shown: Preview, came: Fetched) -> Preview:
    taken = [each.incoming if isinstance(each, Prepared) else each for each in came.taken]
    taken.sort(key=lambda each: each.entry.published or each.entry.updated or _LONG_AGO)
    return replace(
        shown,
        title=shown.title or (came.parsed.title if came.parsed else ""),
        count=len(taken),
        samples=tuple(_sample(each) for each in reversed(taken[-SHOWN:])),
        note=came.note,
    )


def _sample(taken: Incoming) -> Sample:
    entry = taken.entry
    return Sample(
        title=clean_text(entry.title),
        url=entry.url,
        published=entry.published or entry.updated,
        labels=taken.labels,
        categories=tuple(map(str, entry.categories)),
        items=len(taken.digest.items) if taken.digest else 0,
    )


def _known(store_path: Path, found: Find) -> Feed | None:
    from reader.store import Store

    if not store_path.exists():
        return None
    with Store.open(store_path) as store:
        return next(
            (each for each in store.feeds.all() if finding.same_feed(each.url, found.url)), None
        )
