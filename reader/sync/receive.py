"""A document → Incoming: parsed, divided where it is a digest, labelled by our rules. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from reader import classify, digest, identity
from reader.model import (
    Feed,
    FeedKind,
    Form,
    Incoming,
    Labels,
    ParsedDigest,
    ParsedEntry,
    ParsedFeed,
    ParsedItem,
)
from reader.parse import read_feed
from reader.sanitise import clean_text, text_of
from reader.store.incoming import Prepared
from reader.store.texts import item_text
from reader.sync.limits import trimmed
from reader.sync.pace import Pace, pace_of
from reader.sync.topics import on_topic

TITLE = 90  # characters of a title made of the text's first line


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What one document gives: the entries that say something anew, ready to be saved."""

    new: tuple[Prepared, ...] = ()
    same: int = 0  # how many are the same to the letter
    repeated: frozenset[str] | None = None  # of the whole document, see identity.repeated_guids


@dataclass(frozen=True, slots=True)
class Document:
    """What a server sent for a feed, and what is known of the feed already."""

    feed: Feed
    body: bytes
    content_type: str | None
    url: str
    seen: frozenset[bytes]  # fingerprints, see identity.fingerprint
    now: datetime


@dataclass(frozen=True, slots=True)
class Understood:
    """What a document turned out to be."""

    parsed: ParsedFeed  # of its entries the dates alone: the rest is in what arrived
    arrived: Arrivals = field(default_factory=Arrivals)
    had: int = 0  # entries, where not all were taken
    pace: Pace = field(default_factory=Pace)


def understood(document: Document) -> Understood:
    """Read a feed's document; raises NotUnderstood with what it is instead."""
    feed = document.feed
    body, had = trimmed(document.body)
    parsed = read_feed(
        body, content_type=document.content_type, url=document.url, zone=feed.wanted.zone
    )
    arrived = arrivals(
        wanted(feed, parsed.entries),
        document.seen,
        Form.FEED_HTML,
        divide=feed.kind is FeedKind.DIGEST_SITE,
    )
    return Understood(dated(parsed), arrived, had, pace_of(document.body, parsed, document.now))


def wanted(feed: Feed, entries: Sequence[ParsedEntry]) -> list[ParsedEntry]:
    """Return the entries on the topics of a feed, all where it has none."""
    if not feed.topic_filter:
        return list(entries)
    return [each for each in entries if on_topic(each, feed.wanted.topics)]


def dated(parsed: ParsedFeed) -> ParsedFeed:
    """Return a document without what its entries say."""
    entries = tuple(
        ParsedEntry("", published=each.published, updated=each.updated) for each in parsed.entries
    )
    return replace(parsed, entries=entries)


def arrivals(
    entries: Sequence[ParsedEntry], seen: frozenset[bytes], form: Form, *, divide: bool
) -> Arrivals:
    """Return what is new of a document's entries, cleaned and labelled.

    `seen` are the fingerprints of what the feed gave before. What may be a digest is always read
    again, for a digest is more than its entry.
    """
    if divide:
        found = tuple(Prepared(incoming(one, form)) for one in entries)
        for each in found:
            each.warm()
        return Arrivals(found)
    new = [one for one in entries if identity.fingerprint(one) not in seen]
    if not new:
        return Arrivals(same=len(entries))
    repeated = identity.repeated_guids(entries)
    return Arrivals(
        tuple(_post(one, named=identity.has_name(one, repeated)) for one in new),
        len(entries) - len(new),
        repeated,
    )


def _post(entry: ParsedEntry, *, named: bool) -> Prepared:
    """Return an ordinary post, its text cleaned once for labels and store."""
    prepared = Prepared(Incoming(entry))
    prepared.incoming = incoming(entry, divide=False, text=prepared.text)
    prepared.warm(lighten=named)
    return prepared


def incoming(
    entry: ParsedEntry,
    form: Form | None = None,
    *,
    divide: bool = True,
    content: str | None = None,
    text: str | None = None,
) -> Incoming:
    """Return an entry with what the pure rooms make of it.

    `form` is how its content is written, found out where it is None; `content` is the text as
    published, where the entry holds it converted to HTML; `text` is the content as plain text,
    where that is known. Without `divide` it is an ordinary post.
    """
    if text is None:
        text = text_of(entry.content_html)
    if not entry.title.strip():
        entry = replace(entry, title=_first_line(text) or entry.url or "")
    if divide:
        read = digest.read(
            entry.content_html if content is None else content,
            form=form,
            title=entry.title,
            url=entry.url,
            published=entry.published,
        )
        if isinstance(read, ParsedDigest):
            labels = classify.labels(entry.title, text, url=entry.url)
            items = tuple(item_labels(each) for each in read.items)
            # What stands first in a copied text is a back link; the digest knows its own title.
            entry = replace(entry, title=read.title or entry.title)
            return Incoming(_dated(entry, read), labels, read, items)
        notices = tuple(read.notices)
    else:
        notices = ()
    return Incoming(entry, classify.labels(entry.title, text, url=entry.url), notices=notices)


def item_labels(item: ParsedItem) -> Labels:
    """Return our labels of one story; the layers its site gives do not count."""
    url = next((each.url for each in item.sources if each.url), None)
    return classify.labels(item.title, item_text(item), url=url)


def _dated(entry: ParsedEntry, read: ParsedDigest) -> ParsedEntry:
    """A digest that came without a date was published when its window closed."""
    if entry.published is None and read.cutoff_at is not None:
        return replace(entry, published=read.cutoff_at)
    return entry


def _first_line(text: str) -> str:
    line = clean_text(text.strip().partition("\n")[0])
    return line if len(line) <= TITLE else line[: TITLE - 1].rstrip() + "…"
