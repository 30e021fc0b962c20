"""Reading: items, search, show, mark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from reader.cli import beside, render, voice
from reader.cli.feeds import documents
from reader.cli.options import (
    F,
    end_of,
    evidence_typed,
    hardware_typed,
    json_option,
    layer_typed,
    start_of,
    story_filters,
)
from reader.cli.reading import page_of
from reader.cli.session import Session, pass_session
from reader.errors import Usage
from reader.language import _, language
from reader.model import Digest, Entry, Item, Layer, Order, Query, Row, Run, StoryKind

if TYPE_CHECKING:
    from reader.store import Store

KINDS = {"all": tuple(StoryKind)} | {each.value: (each,) for each in StoryKind}


def kind_option(default: str) -> Callable[[F], F]:
    """Return the option that chooses items, entries or digests."""
    return click.option(
        "--kind", type=click.Choice(list(KINDS)), default=default, help=_("What to list.")
    )


limit_option = click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=50,
    metavar="N",
    help=_("At most so many; 0 means all."),
)


def query_of(kind: str, order: str, limit: int, text: str = "", **filters: Any) -> Query:
    """Return the store's query for what was typed."""
    return Query(
        kinds=KINDS[kind],
        text=text,
        layers=tuple(layer_typed(each) for each in filters["layers"]),
        hardware=tuple(hardware_typed(each) for each in filters["hardware"]),
        evidence=tuple(evidence_typed(each) for each in filters["evidence"]),
        min_score=filters["min_score"],
        since=start_of(filters["since"]),
        until=end_of(filters["until"]),
        unread=filters["unread"],
        starred=filters["starred"],
        muted=filters["muted"],
        queued=filters["queued"],
        tags=filters["tags"],
        feed=filters["feed"],
        order=Order(order),
        limit=limit or None,
    )


@click.command(
    help=_("List items, newest first."),
    epilog=_(
        "Layers stand as nine letters in stack order: F frontend, G graph_ir, T tensor_ir, "
        "O optimization, K kernel_codegen, H hardware_backend, R runtime, D distributed, "
        "B benchmark; the site's where it gives them, else ours."
    ),
)
@story_filters
@kind_option("item")
@limit_option
@click.option(
    "--order", type=click.Choice(["date", "score"]), default="date", help=_("How to sort.")
)
@json_option
@pass_session
def items(session: Session, as_json: bool, **typed: Any) -> None:
    """List what the filters leave."""
    with session.store(starter=True) as store:
        _list(store, query_of(**typed), as_json)


@click.command(help=_("Search the full text of everything kept."))
@click.argument("query", nargs=-1, required=True, metavar="QUERY")
@story_filters
@kind_option("all")
@limit_option
@click.option(
    "--order", type=click.Choice(["date", "rank"]), default="rank", help=_("How to sort.")
)
@json_option
@pass_session
def search(session: Session, query: tuple[str, ...], as_json: bool, **typed: Any) -> None:
    """Search, then list what the filters leave."""
    text = " ".join(query).strip()
    if not text:
        raise Usage(_("Search for what? Give at least one word."))
    with session.store(starter=True) as store:
        _list(store, query_of(text=text, **typed), as_json)


def _list(store: Store, query: Query, as_json: bool) -> None:
    if query.feed is not None:
        store.feeds.get(query.feed)
    rows = store.library.page(query)
    if as_json:
        voice.document([render.story(store.library.get(row.id)) for row in rows])
        return
    if not rows:
        voice.note(_("Nothing fits. Take a filter away, or sync for more: readproof sync"))
        return
    heads = ("id", _("score"), _("date"), _("layers"), _("hardware"), "   " + _("title"))
    voice.listing([_line(row) for row in rows], heads, numbers=(1,))


def _line(row: Row) -> Sequence[str]:
    from reader.classify import ancestors, hardware_name

    above = {each for node in row.hardware for each in ancestors(node)}
    chips = [each for each in row.hardware if each not in above]
    mark = ("•" if not row.marks.read else " ") + ("★" if row.marks.starred else " ")
    hardware = ", ".join(hardware_name(each, language()) for each in chips[:2])
    return (
        row.id,
        f"{row.score:.1f}" if row.score is not None else "",
        row.published.astimezone().strftime("%Y-%m-%d") if row.published else "",
        strip(row.layers),
        hardware,
        f"{mark} {row.title}",
    )


# One letter a layer, in stack order; a layer keeps its place in every row.
LETTERS = dict(zip(Layer, "FGTOKHRDB", strict=True))


def strip(layers: Sequence[Layer]) -> str:
    """Return the nine cells of a row's layers: F··OKH···."""
    return "".join(letter if layer in layers else "·" for layer, letter in LETTERS.items())


@click.command(help=_("Show one item, entry or digest (or a feed, queue entry or run) whole."))
@click.argument("id", metavar="ID")
@click.option("--changes", is_flag=True, help=_("Its earlier texts and what changed in each."))
@click.option("--feed-text", is_flag=True, help=_("What the feed says, not the whole page."))
@json_option
@pass_session
def show(session: Session, id: str, changes: bool, feed_text: bool, as_json: bool) -> None:  # noqa: A002
    """Show anything that has an id."""
    with session.store(starter=True) as store:
        if id[:1] == "r":
            from reader.cli.runs import show_run

            show_run(session, store, id, as_json)
            return
        if id[:1] == "f":
            _show_fields(documents(store, [store.feeds.get(id)])[0], as_json)
            return
        if id[:1] == "q":
            _show_fields(render.queue_entry(store.queue.get(id)), as_json)
            return
        story = store.library.get(id)
        held = beside.read(store, story)
        runs = store.runs.all(item=id) if isinstance(story, Item) and as_json else []
    if changes:
        _show_changes(story, held, as_json)
    elif as_json:
        voice.document(render.story(story) | beside.document(held, story) | _claims(story, runs))
    else:
        held = replace(held, pages=()) if feed_text else held
        voice.say(*page_of(story, voice.columns(), held))


def _claims(story: Item | Entry | Digest, runs: list[Run]) -> dict[str, Any]:
    """Return what of an item's text can be tested; other stories have no such list."""
    from reader.report import claimed

    if not isinstance(story, Item):
        return {}
    return {"claims": [claimed.document(each) for each in claimed.of_item(story, runs)]}


def _show_changes(story: Item | Entry | Digest, held: beside.Beside, as_json: bool) -> None:
    if isinstance(story, Item):
        raise Usage(
            _("Earlier texts are kept of the digest: readproof show {id} --changes").format(
                id=story.digest
            )
        )
    if as_json:
        voice.document(beside.versions(held))
    else:
        voice.say(*beside.changes_page(held, voice.columns()))


def _show_fields(document: dict[str, Any], as_json: bool) -> None:
    if as_json:
        voice.document(document)
        return
    for name, value in document.items():
        if isinstance(value, dict):
            voice.say(*(f"{name}.{part}: {_plain(held)}" for part, held in value.items() if held))
        elif name == "days":  # days on which nothing was asked say nothing
            for day in value:
                if day["outcome"]:
                    said = (day["date"], day["outcome"], f"+{day['new']}", day["error"])
                    voice.say(f"day: {' '.join(str(part) for part in said if part)}")
        elif value not in (None, [], "", False):
            voice.say(f"{name}: {_plain(value)}")


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "yes" if value is True else str(value)


@click.command(help=_("Mark items, entries or digests: read, starred, tags, a note."))
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--read/--unread", default=None, help=_("Read or not."))
@click.option("--star/--unstar", "starred", default=None, help=_("Starred or not."))
@click.option("--tag", "add_tags", multiple=True, metavar="T", help=_("Add a tag."))
@click.option("--untag", "remove_tags", multiple=True, metavar="T", help=_("Take a tag away."))
@click.option("--note", metavar="TEXT", help=_("Your note; an empty one takes it away."))
@json_option
@pass_session
def mark(session: Session, ids: tuple[str, ...], as_json: bool, **marks: Any) -> None:
    """Set marks on every id given, or on none of them."""
    if all(value is None or value == () for value in marks.values()):
        raise Usage(_("Mark them how? See: readproof mark --help"))
    with session.store() as store:
        store.marks.set(list(ids), **marks)
        if as_json:
            voice.document([render.story(store.library.get(each)) for each in ids])


COMMANDS = (items, search, show, mark)
