"""A story with all that its page shows, read on a worker."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reader.model import Digest, Entry, Feed, Item

if TYPE_CHECKING:
    from reader.report.claimed import Claimed
    from reader.store import Store
    from reader.store.changes import Change
    from reader.store.originals import Elsewhere, Missing
    from reader.store.whole import Whole

Story = Item | Entry | Digest
MOST_CHANGES = 12  # texts of one story that are compared


@dataclass(frozen=True, slots=True)
class Held:
    """What the store holds beside the feed's text of an entry."""

    whole: Whole | None = None
    history: tuple[Change, ...] = ()  # the newest change first
    elsewhere: tuple[Elsewhere, ...] = ()
    teaser: bool = False  # only the beginning, and the page was never fetched
    pictures: frozenset[str] = frozenset()  # those that can be shown


@dataclass(frozen=True, slots=True)
class Opened:
    """A story with all that its page shows."""

    story: Story
    items: tuple[Item, ...] = ()
    digest: Digest | None = None  # that an item stands in
    feed: str = ""
    originals: tuple[Entry, ...] = ()  # the kept sources of an item
    missing: tuple[Missing, ...] = ()  # its sources that can be fetched
    held: dict[str, Held] = field(default_factory=dict)  # by the entry's id
    claimed: tuple[Claimed, ...] = ()  # what of an item's text can be tested

    @property
    def original(self) -> Entry | None:
        """The first kept source of an item."""
        return self.originals[0] if self.originals else None

    def beside(self, story: Story) -> Held:
        """Return what is held beside a story."""
        return self.held.get(story.entry if isinstance(story, Digest) else story.id, Held())


def open_story(store: Store, id_: str) -> Opened:
    """Read a story with its digest, feed, kept originals and earlier texts; on a worker."""
    story = store.library.get(id_)
    feeds = {each.id: each for each in store.feeds.all()}
    feed = feeds[story.feed].title if story.feed in feeds else ""
    if isinstance(story, Digest):
        items = tuple(store.library.items(story.id))
        return Opened(story, items=items, feed=feed, held={story.entry: _held(store, story.entry)})
    if isinstance(story, Entry):
        return Opened(story, feed=feed, held={story.id: _entry(store, story, feeds)})
    from reader.report import claimed

    digest = store.library.get(story.digest)
    kept = dict.fromkeys(each.entry_id for each in story.sources if each.entry_id)
    found = (store.library.get(each) for each in kept)
    originals = tuple(each for each in found if isinstance(each, Entry))
    return Opened(
        story,
        digest=digest if isinstance(digest, Digest) else None,
        feed=feed,
        originals=originals,
        missing=tuple(store.originals.missing(story.id)),
        held={each.id: _entry(store, each, feeds) for each in originals},
        claimed=claimed.of_item(story, store.runs.all(item=story.id)),
    )


def _held(store: Store, entry: str) -> Held:
    from reader.store.changes import history

    revisions, pages = store.library.revisions(entry), store.whole.all(entry)
    return Held(
        whole=pages[-1] if pages else None,
        history=tuple(history(revisions[-MOST_CHANGES:], pages[-MOST_CHANGES:])),
        elsewhere=tuple(store.originals.elsewhere(entry)),
    )


def _entry(store: Store, entry: Entry, feeds: dict[str, Feed]) -> Held:
    from reader.sanitise import images
    from reader.store.whole import WHOLE_KINDS, is_cut

    held = _held(store, entry.id)
    shown = images(held.whole.content_html if held.whole else entry.content_html)
    held = replace(held, pictures=store.images.kept(shown))
    feed = feeds.get(entry.feed or "")
    if held.whole is not None or entry.url is None or feed is None or feed.kind in WHOLE_KINDS:
        return held
    return replace(held, teaser=is_cut(entry.content_text))
