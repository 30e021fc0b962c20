"""Subscriptions: add, feeds, remove, sync."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from reader import identity
from reader.cli import render, sources, voice
from reader.cli.options import json_option
from reader.cli.session import Session, interruptible, pass_session
from reader.errors import Expected, Usage
from reader.language import _, ngettext
from reader.model import Feed, FeedKind, Health, Wanted

if TYPE_CHECKING:
    from reader.store import Store
    from reader.sync import FeedResult, SyncProgress, SyncResult
    from reader.sync.health import Standing

NEED_A_LOOK = {Health.DUPLICATES, Health.STALE, Health.FAILED, Health.GONE}


@click.command(
    help=_(
        "Subscribe to what stands behind an address: a feed, a site, a GitHub repository or user, "
        "an arXiv category, search or paper, a folder, a list of subscriptions (OPML)."
    )
)
@click.argument("urls", nargs=-1, metavar="URL...")
@click.option(
    "--preview",
    "look",
    is_flag=True,
    help=_("Only show what would come: the last five posts and their labels."),
)
@click.option("--bundled", is_flag=True, help=_("Also the sources that come with Readproof."))
@click.option(
    "--kind",
    type=click.Choice(["auto", *(each.value for each in FeedKind)]),
    default="auto",
    help=_("What it is; found out by itself."),
)
@sources.wanted_options
@json_option
@pass_session
def add(
    session: Session,
    urls: tuple[str, ...],
    look: bool,
    bundled: bool,
    kind: str,
    as_json: bool,
    **options: Any,
) -> int:
    """Subscribe to each address; one that fails does not stop the others."""
    from reader import sync

    if not urls and not bundled:
        raise Usage(_("Subscribe to what? Give an address, or --bundled."))
    wanted = sources.changed(Wanted(), options)
    if look:
        return _preview(session, urls, kind, wanted, as_json)
    with session.store():
        pass  # a store that cannot be used is said once, before any network
    added: list[Feed] = list(sync.subscribe_bundled(session.store_path)) if bundled else []
    failed = 0
    for url in urls:
        try:
            added += sync.subscribe(session.store_path, url, kind, wanted=wanted)
        except Expected as error:
            failed += 1
            voice.note(f"{identity.without_login(url)}: {error}")
    if as_json:
        voice.document([render.feed(each) for each in added])
    else:
        for each in added:
            voice.say(f"{each.id}  {each.title or each.url}  {each.url}")
    return 1 if failed else 0


def _preview(
    session: Session, urls: tuple[str, ...], kind: str, wanted: Wanted | None, as_json: bool
) -> int:
    """Show what each address would bring; nothing is kept."""
    from reader import sync

    documents, failed = [], 0
    for url in urls:
        try:
            shown = sync.preview(session.store_path, url, kind, wanted=wanted)
        except Expected as error:
            failed += 1
            voice.note(f"{identity.without_login(url)}: {error}")
            continue
        failed += shown.error is not None
        documents.append(sources.preview_document(identity.without_login(url), shown))
        if not as_json:
            sources.say_preview(shown)
    if as_json:
        voice.document(documents)
    return 1 if failed else 0


@click.command(help=_("Show or change what is wanted of a source."))
@click.argument("id_", metavar="ID")
@sources.wanted_options
@json_option
@pass_session
def source(session: Session, id_: str, as_json: bool, **options: Any) -> None:
    """Change what is given, then show it all; the next sync looks at the whole source again."""
    with session.store() as store:
        feed = store.feeds.get(id_)
        wanted = sources.changed(feed.wanted, options)
        if wanted is not None:
            asked = options["topics"] is not None
            feed = store.feeds.describe(
                id_, wanted=wanted, topic_filter=bool(wanted.topics) if asked else None
            )
        past = store.facts.get(f"history of {feed.id}")
        if as_json:
            (document,) = documents(store, [feed])
            voice.document(document)
            return
    voice.say(f"{feed.id}  {feed.title or feed.url}  {feed.url}")
    voice.say(*(f"  {line}" for line in sources.wanted_lines(feed)))
    if past:
        voice.say(f"  {sources.history_line(past)}")


@click.command(help=_("List the subscriptions with their health."))
@json_option
@pass_session
def feeds(session: Session, as_json: bool) -> None:
    """List every feed: how it is doing, since when, when it is asked next, and what to do."""
    from reader.sync import health

    with session.store() as store:
        found = store.feeds.all()
        if as_json:
            voice.document(documents(store, found))
            return
        known = health.standings(store, found, datetime.now(UTC))
    if not found:
        voice.note(_("No subscriptions yet. Subscribe with: readproof add URL"))
        return
    rows = [
        (
            each.id,
            health_word(known[each.id].state),
            _short(known[each.id].since),
            str(each.entries),
            _short(each.last_checked),
            _short(each.next_check),
            each.title or each.url,
            _why(each, known[each.id]),
        )
        for each in found
    ]
    heads = (
        "id",
        _("health"),
        _("since"),
        _("posts"),
        _("checked"),
        _("next"),
        _("title"),
        "",
    )
    colours = {n: "warn" for n, each in enumerate(found) if each.health in NEED_A_LOOK}
    voice.listing(rows, heads, numbers=(3,), colour=colours)


def documents(store: Store, found: Sequence[Feed]) -> list[dict[str, Any]]:
    """Return subscriptions with all that is known of them, as JSON has them everywhere."""
    from reader.sync import health

    known = health.standings(store, found, datetime.now(UTC))
    return [
        {
            **render.feed(each),
            **_standing(known[each.id]),
            "whole_text": store.whole.is_set(each.id),
        }
        for each in found
    ]


def _short(moment: datetime | None) -> str:
    return moment.astimezone().strftime("%m-%d %H:%M") if moment else "–"


def _why(feed: Feed, standing: Standing) -> str:
    """Return why a feed is as it is and what to do, where there is something to say."""
    said = [feed.error or ""]
    if feed.health in NEED_A_LOOK:
        said.append(standing.advice)
    elif standing.reason != feed.error and standing.state is not Health.UNCHANGED:
        said.append(standing.reason)
    if standing.moved_from:
        said.append(_("moved from {url}").format(url=standing.moved_from))
    said += [_("the digest says: {notice}").format(notice=each) for each in standing.notices]
    return " · ".join(each for each in said if each)


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "health": standing.state,
        "reason": standing.reason or None,
        "since": render.when(standing.since),
        "advice": standing.advice or None,
        "moved_from": standing.moved_from,
        "notices": list(standing.notices),
        "days": [
            {
                "date": each.day.isoformat(),
                "outcome": each.outcome,
                "new": each.new,
                "error": each.error,
            }
            for each in standing.days
        ],
    }


def health_word(health: Health | None) -> str:
    """Return the word for a feed's health in the language in use."""
    words = {
        None: _("never fetched"),
        Health.OK: _("ok"),
        Health.QUIET: _("quiet"),
        Health.UNCHANGED: _("unchanged"),
        Health.DUPLICATES: _("duplicates"),
        Health.STALE: _("stale"),
        Health.FAILED: _("failed"),
        Health.GONE: _("gone"),
    }
    return words[health]


@click.command(help=_("Unsubscribe; queued, starred and noted posts are kept."))
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@pass_session
def remove(session: Session, ids: tuple[str, ...]) -> None:
    """Remove feeds by their ids."""
    with session.store() as store:
        for each in ids:
            kept = store.feeds.remove(each)
            voice.note(
                ngettext(
                    "{id} removed; {count} post kept.", "{id} removed; {count} posts kept.", kept
                ).format(id=each, count=kept)
            )


@click.command(help=_("Fetch what is due; exit 1 only where every feed failed."))
@click.option("--feed", "only", multiple=True, metavar="ID", help=_("Only this feed."))
@click.option("--force", is_flag=True, help=_("Also what is not due yet."))
@json_option
@pass_session
def sync(session: Session, only: tuple[str, ...], force: bool, as_json: bool) -> int:
    """Fetch all due feeds, with a bar on stderr and one line a feed that needs attention."""
    from reader import sync as room

    with session.store() as store:
        known = store.feeds.all()
        for each in only:
            store.feeds.get(each)
    if not known:
        voice.note(_("No subscriptions yet. Subscribe with: readproof add URL"))
    bar = voice.Progress()

    def show(progress: SyncProgress) -> None:
        bar.show(progress.done, progress.total, progress_text(progress))

    try:
        with interruptible("sync", show) as task:
            result = room.sync(
                session.store_path,
                feeds=list(only) or None,
                force=force,
                task=task,
                progress=show,
                chosen=session.settings,
                config=session.config_path,
            )
    finally:
        bar.clear()
    for notice in result.notices:
        voice.note(notice)
    if result.offline:
        voice.note(_("No network: nothing could be fetched; what is kept stays readable."))
    for one in result.feeds:
        if one.outcome in NEED_A_LOOK:
            voice.note(f"{one.title or one.url}: {one.error or health_word(one.outcome)}")
    if as_json:
        voice.document(sync_document(result))
    else:
        voice.say(summary(result))
    return 1 if result.feeds and result.failed == len(result.feeds) else 0


def progress_text(progress: SyncProgress) -> str:
    """Return what the bar says of one step of a sync."""
    return str(getattr(progress, "title", "") or getattr(progress, "url", "") or "")


def summary(result: SyncResult) -> str:
    """Return one line about a whole sync."""
    return _(
        "{new} new, {updated} updated; {failed} of {feeds} feeds failed; {seconds:.1f} s"
    ).format(
        new=result.new,
        updated=result.updated,
        failed=result.failed,
        feeds=len(result.feeds),
        seconds=result.seconds,
    )


def sync_document(result: SyncResult) -> dict[str, Any]:
    """Return a sync's result as the command line promises it."""
    return {
        "feeds": [_feed_document(each) for each in result.feeds],
        "new": result.new,
        "updated": result.updated,
        "unchanged": result.unchanged,
        "failed": result.failed,
        "offline": result.offline,
        "seconds": round(result.seconds, 3),
    }


def _feed_document(result: FeedResult) -> dict[str, Any]:
    return {
        "id": result.id,
        "url": result.url,
        "title": result.title,
        "outcome": str(result.outcome),
        "new": result.new,
        "updated": result.updated,
        "error": result.error,
        "seconds": round(result.seconds, 3),
    }


COMMANDS = (add, feeds, source, remove, sync)
