"""One feed → what it gives now: fetched, parsed, divided and labelled, without the store."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from reader.errors import Interrupted, ReadproofError
from reader.language import _
from reader.model import Feed, FeedKind, Form, Health, Incoming, ParsedFeed
from reader.store.incoming import Prepared
from reader.sync import arxiv, github, history
from reader.sync.folder import Seen, read_folder
from reader.sync.given import Asker, Given
from reader.sync.limits import MOST_ENTRIES
from reader.sync.pace import Pace, pace_of
from reader.sync.receive import Document, arrivals, understood, wanted
from reader.workers import Workers

if TYPE_CHECKING:
    from reader.fetch import Fetcher, Response

GITHUB = (FeedKind.GITHUB_RELEASES, FeedKind.GITHUB_COMMITS)
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of one feed before anything was saved; without `parsed` nothing changed."""

    taken: tuple[Incoming | Prepared, ...] = ()
    same: int = 0  # entries that are known to the letter, and not among those taken
    repeated: frozenset[str] | None = None  # identity.repeated_guids, where not all are taken
    parsed: ParsedFeed | None = None
    response: Response | None = None
    history: history.History | None = None
    note: str | None = None  # something a person should know of a feed that worked
    memory: str | None = None  # what the feed has to remember for the next time
    state: Health | None = None  # where the feed itself tells how it is doing
    gone: tuple[str, ...] = ()  # GUIDs that were taken away
    pace: Pace | None = None  # where a document told it


@dataclass(frozen=True, slots=True)
class Collector:
    """What the workers of one sync share; called from many threads."""

    fetcher: Fetcher
    histories: Mapping[str, history.History]  # of digest sites, by feed
    token: str | None = None  # GitHub's
    seen: Mapping[str, frozenset[bytes]] = field(default_factory=dict)  # fingerprints, by feed
    memories: Mapping[str, str] = field(default_factory=dict)  # what feeds remembered, by feed
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    # Many wait for servers at once; what came is read by few, for that takes memory and no waiting.
    workers: Workers = field(default_factory=Workers)

    def collect(self, feed: Feed) -> Fetched:
        """Return what came of a feed; raises SourceError, HttpRefusal or NotUnderstood."""
        memory = self.memories.get(feed.id)
        if feed.kind is FeedKind.FOLDER:
            return _folder(feed, memory)
        asker = Asker(self.fetcher, self.token, self.now)
        if feed.kind in GITHUB:
            return self._given(feed, github.collect(asker, feed, memory))
        if feed.kind is FeedKind.ARXIV:
            return self._given(feed, arxiv.collect(asker, feed, memory))
        return self._feed(feed)

    def _given(self, feed: Feed, given: Given) -> Fetched:
        taken = wanted(feed, given.entries)
        came = self.workers.call(
            partial(arrivals, divide=False),
            taken,
            self.seen.get(feed.id, frozenset()),
            Form.FEED_HTML,
            size=sum(len(each.content_html) for each in taken),
        )
        return Fetched(
            tuple(came.new),
            came.same,
            came.repeated,
            given.parsed,
            given.response,
            note=given.note,
            memory=given.memory,
            state=given.state,
            pace=_pace(given, self.now()),
        )

    def _feed(self, feed: Feed) -> Fetched:
        response = self.fetcher.get(
            feed.url, etag=feed.etag, last_modified=feed.last_modified, private=feed.private
        )
        posts, known = self._posts(feed)
        if response.not_modified:
            return Fetched(tuple(posts), response=response, history=known)
        return self._read(feed, response, posts, known)

    def _read(
        self,
        feed: Feed,
        response: Response,
        posts: list[Incoming],
        known: history.History | None,
    ) -> Fetched:
        document = Document(
            feed,
            response.body,
            response.content_type,
            response.url,
            self.seen.get(feed.id, frozenset()),
            self.now(),
        )
        came = self.workers.call(understood, document, size=len(response.body))
        note = _("It gives {n} entries; the first {most} are taken.") if came.had else None
        return Fetched(
            (*came.arrived.new, *posts),
            came.arrived.same,
            came.arrived.repeated,
            came.parsed,
            replace(response, body=b""),  # read; it is not held until everything is saved
            known,
            note and note.format(n=came.had, most=MOST_ENTRIES),
            pace=came.pace,
        )

    def _posts(self, feed: Feed) -> tuple[list[Incoming], history.History | None]:
        """Return posts of a digest site's history; that it cannot be had never fails the feed."""
        known = self.histories.get(feed.id)
        if known is None or not feed.wanted.history:
            return [], None
        try:
            posts, known = history.fetch(self.fetcher, feed.url, known, self.token)
        except Interrupted:
            raise
        except ReadproofError as error:
            _LOG.info("%s: history: %s", feed.url, error)
            return [], None
        # An ordinary post comes with the feed, under its own address.
        return [one for one in posts if one.digest is not None or one.notices], known


def _pace(given: Given, now: datetime) -> Pace | None:
    if given.parsed is None or given.response is None:
        return None
    return pace_of(given.response.body, given.parsed, now)


def _folder(feed: Feed, memory: str | None) -> Fetched:
    came = read_folder(feed.url, Seen.load(memory))
    note = "; ".join(came.refused[:3]) or None
    entries = tuple(one.entry for one in came.taken)
    same = came.files > 0 and not (entries or came.gone)
    return Fetched(
        came.taken,
        parsed=ParsedFeed("", "folder", entries=entries, notices=came.refused),
        note=note,
        memory=came.seen.dump(),
        state=Health.UNCHANGED if same else None,
        gone=came.gone,
    )
