"""Fetching on request: sources of items and whole texts of entries, now or at every sync."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from reader.cli import voice
from reader.cli.options import json_option
from reader.cli.session import Session, interruptible, pass_session
from reader.errors import Expected, Usage
from reader.language import _, ngettext
from reader.model import Entry, Item

if TYPE_CHECKING:
    from reader.fetch import Fetcher
    from reader.store import Store
    from reader.sync import SyncProgress
    from reader.tasks import Task

SOURCES = "sources"


@click.command(
    help=_(
        "Fetch now what is read beside a story: the missing sources of an item or digest, "
        "the whole text of a post or of a feed's teasers."
    ),
    epilog=_(
        "With --always it is done at every sync: `fetch f3 --always` for the whole texts of a "
        "feed, `fetch sources --always` for the sources of all items; --not-always ends it."
    ),
)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--always/--not-always", default=None, help=_("At every sync, or no longer."))
@json_option
@pass_session
def fetch(session: Session, ids: tuple[str, ...], always: bool | None, as_json: bool) -> int:
    """Fetch for every id; exit 1 where nothing of what was asked could be had."""
    with session.store(starter=True) as store:
        if always is not None:
            _set(store, ids, always)
            return 0
        outcome = _fetch(session, store, ids)
    if as_json:
        voice.document([{"for": id_, "url": url, "why": why} for id_, url, why in outcome])
    else:
        _say(outcome)
    return 1 if outcome and all(why for _id, _url, why in outcome) else 0


def _set(store: Store, ids: tuple[str, ...], always: bool) -> None:
    for each in ids:
        if each == SOURCES:
            store.originals.set(on=always)
        else:
            store.whole.set(store.feeds.get(each).id, on=always)
    voice.note(_("Done at every sync from now on.") if always else _("No longer done at a sync."))


Outcome = list[tuple[str, str, str | None]]  # for which id, from where, why not


def _fetch(session: Session, store: Store, ids: tuple[str, ...]) -> Outcome:
    from reader.sync.door import door

    bar = voice.Progress()

    def show(progress: SyncProgress) -> None:
        bar.show(progress.done, progress.total, progress.title or progress.url)

    outcome: Outcome = []
    try:
        with (
            interruptible("fetch", show) as task,
            door(session.settings, stopped=lambda: task.cancelled) as fetcher,
        ):
            for each in ids:
                outcome += _one(store, fetcher, task, show, each)
    finally:
        bar.clear()
    return outcome


def _one(
    store: Store,
    fetcher: Fetcher,
    task: Task[None],
    show: Callable[[SyncProgress], None],
    id_: str,
) -> Outcome:
    from reader.credentials import Credentials
    from reader.sync import fulltext, images, originals

    if id_[:1] == "f":
        feed = store.feeds.get(id_)
        wanting = {each.entry: each.url for each in store.whole.wanting(10_000, feed.id)}
        fulltext.fetch_wanting(store, fetcher, task, show, feed=feed.id)
        have = [(id_, url, None) for entry, url in wanting.items() if store.whole.get(entry)]
        images.fetch_missing(store, fetcher, task, show)
        return list(have)
    story = store.library.get(id_)
    if isinstance(story, Entry):
        outcome = _whole(store, fetcher, story)
    else:
        items = [story.id] if isinstance(story, Item) else list(story.items)
        missing = [one for each in items for one in store.originals.missing(each)]
        token = Credentials().get("github").value if missing else None
        came = originals.fetch_missing(store, fetcher, task, show, sources=missing, token=token)
        outcome = [(id_, url, why) for url, why in came.items()]
    images.fetch_missing(store, fetcher, task, show)
    return outcome


def _whole(store: Store, fetcher: Fetcher, story: Entry) -> Outcome:
    from reader.sync import fulltext

    try:
        fulltext.fetch(store, fetcher, [story.id])
    except Usage:
        raise
    except Expected as error:
        return [(story.id, story.url or "", str(error))]
    return [(story.id, story.url or "", None)]


def _say(outcome: Outcome) -> None:
    if not outcome:
        voice.note(_("There is nothing to fetch: every source that has an address is kept."))
    for id_, url, why in outcome:
        voice.note(f"{id_} · {url}: {why}") if why else voice.say(f"{id_} · {url}")
    kept = sum(why is None for _id, _url, why in outcome)
    if kept:
        text = ngettext(
            "{count} page kept for reading offline.",
            "{count} pages kept for reading offline.",
            kept,
        )
        voice.note(text.format(count=kept))


COMMANDS = (fetch,)
