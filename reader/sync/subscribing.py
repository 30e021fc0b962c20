"""What was found behind an address → subscriptions."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from reader import opml, settings
from reader.model import Feed, FeedKind, Wanted
from reader.sync import finding, places
from reader.sync.door import door, without_login
from reader.sync.finding import Find
from reader.sync.folder import path_of
from reader.sync.places import DIGEST_SITE, kind_of
from reader.sync.places import certain as certain_kind

if TYPE_CHECKING:
    from reader.fetch import Fetcher

__all__ = [
    "DIGEST_SITE",
    "bundled_sources",
    "certain_kind",
    "find",
    "kind_of",
    "subscribe",
    "subscribe_bundled",
    "subscribe_to",
]


def subscribe(
    store_path: Path,
    url: str,
    kind: str = "auto",
    *,
    fetcher: Fetcher | None = None,
    wanted: Wanted | None = None,
) -> list[Feed]:
    """Subscribe to what a person typed: feed, site, repository, arXiv category, local folder.

    The best of what was found, or all of a list of subscriptions. Where the kind is certain from
    the address alone nothing is fetched, so it works offline. Raises SourceError or NotUnderstood
    when there is no feed to be found, Usage for no address.
    """
    found = find(url, kind, fetcher=fetcher)
    taken = found if finding.is_list(found) else found[:1]
    return subscribe_to(store_path, taken, wanted=wanted)


def find(url: str, kind: str = "auto", *, fetcher: Fetcher | None = None) -> list[Find]:
    """Return what stands behind the words, the best first; `kind` settles what it is."""
    url = without_login(url)
    if kind != "auto":
        sort = FeedKind(kind)
        words = places.cleaned(url)
        address = str(path_of(words).resolve()) if sort is FeedKind.FOLDER else places.web(words)
        return [Find(address, sort, how=finding.kind_words(sort, address))]
    words = places.cleaned(url)
    if certain := certain_kind(words):
        return [Find(*certain, how=finding.kind_words(certain[1], certain[0]))]
    with ExitStack() as stack:
        if fetcher is None:
            fetcher = stack.enter_context(own_door())
        token = github_token() if places.github_user(words) else None
        return finding.find(words, fetcher, token=token)


def own_door() -> Fetcher:
    """Return a way to the net by the user's settings."""
    return door(settings.load(settings.default_config()))


def github_token() -> str | None:
    """Return the user's token for GitHub, where there is one; may block."""
    from reader.credentials import Credentials

    return Credentials().get("github").value


def subscribe_to(
    store_path: Path, found: list[Find], *, wanted: Wanted | None = None
) -> list[Feed]:
    """Subscribe to all that was found; what is subscribed already stays as it is."""
    from reader.store import Store

    with Store.open(store_path) as store:
        known = {feed.id for feed in store.feeds.all()}
        # The person typed it, so it may live on an address inside this network.
        feeds = [
            store.feeds.add(
                each.url, each.title, each.kind, private=True, topic_filter=each.topic_filter
            )
            for each in found
        ]
        if wanted is None:
            return feeds
        return [
            store.feeds.describe(
                each.id, wanted=wanted, topic_filter=bool(wanted.topics) or each.topic_filter
            )
            if each.id not in known
            else each
            for each in feeds
        ]


def bundled_sources() -> list[opml.Outline]:
    """Return the sources that ship with the app, for the user to say yes to."""
    return opml.read(settings.resource("sources.opml").read_bytes())


def subscribe_bundled(store_path: Path) -> list[Feed]:
    """Subscribe to all bundled sources; none of them may lead inside this network."""
    from reader.store import Store

    with Store.open(store_path) as store:
        return [
            store.feeds.add(
                each.url, each.title, each.kind or kind_of(each.url), topic_filter=each.topic_filter
            )
            for each in bundled_sources()
        ]
