"""What is marked for validation: queue add, list, drop, restore, remove."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import click

from reader.cli import render, voice
from reader.cli.options import DAY, json_option, only_day
from reader.cli.session import Session, pass_session
from reader.errors import Usage
from reader.language import _
from reader.model import QueueEntry, QueueState
from reader.report.words import state_word


@click.group(help=_("What is marked for validation; outcomes come from runs and cannot be set."))
def queue() -> None:
    """Group the commands of the queue."""


@queue.command("add", help=_("Mark items or entries for validation."))
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--due", type=DAY, metavar="DATE", help=_("The day: 2026-12-05, tomorrow, +3d."))
@click.option("--priority", type=int, default=0, metavar="N", help=_("Higher comes first."))
@click.option("--check", metavar="CHECK", help=_("The check to run for it."))
@json_option
@pass_session
def add(
    session: Session,
    ids: tuple[str, ...],
    due: date | datetime | None,
    priority: int,
    check: str | None,
    as_json: bool,
) -> None:
    """Put each id into the queue; one that stands there already is updated."""
    if check is not None:
        _known_check(session, check)
    wrong = [each for each in ids if each[:1] not in ("i", "e")]
    if wrong:
        raise Usage(
            _("Only items and entries can be queued, such as i3 or e12; not {id}.").format(
                id=wrong[0]
            )
        )
    with session.store(starter=True) as store:
        for each in ids:
            store.library.get(each)
        added = [
            store.queue.add(each, due=only_day(due), priority=priority, check=check) for each in ids
        ]
    _print(added, as_json)


def _known_check(session: Session, name: str) -> None:
    from reader.cli.check import known_check

    known_check(session, name)


@queue.command("list", help=_("List the queue."))
@click.option(
    "--state", type=click.Choice([each.value for each in QueueState]), help=_("Only these.")
)
@json_option
@pass_session
def list_(session: Session, state: str | None, as_json: bool) -> None:
    """List what stands in the queue."""
    with session.store(starter=True) as store:
        found = store.queue.all(QueueState(state) if state else None)
    if not found and not as_json:
        voice.note(_("The queue is empty. Mark an item with: readproof queue add ID"))
    _print(found, as_json)


def _print(entries: list[QueueEntry], as_json: bool) -> None:
    if as_json:
        voice.document([render.queue_entry(each) for each in entries])
        return
    rows = [
        (
            each.id,
            each.item,
            f"{voice.glyph(each.state)} {state_word(each.state, stale=each.stale)}",
            f"{each.decided}/{each.claims}" if each.claims else "",
            each.due.isoformat() if each.due else "",
            each.check or "",
            each.title,
        )
        for each in entries
    ]
    heads = ("id", _("item"), _("state"), _("decided"), _("due"), _("check"), _("title"))
    voice.listing(rows, heads, colour={n: each.state for n, each in enumerate(entries)})


def _each(session: Session, ids: tuple[str, ...], act: str, as_json: bool) -> None:
    with session.store() as store:
        for each in ids:
            store.queue.get(each)
        for each in ids:
            getattr(store.queue, act)(each)
        if as_json:
            left = [] if act == "remove" else [store.queue.get(each) for each in ids]
            voice.document([render.queue_entry(each) for each in left])


def _act(name: str, help_text: str) -> None:
    @queue.command(name, help=help_text)
    @click.argument("ids", nargs=-1, required=True, metavar="ID...")
    @json_option
    @pass_session
    def act(session: Session, ids: tuple[str, ...], **typed: Any) -> None:
        _each(session, ids, name, typed["as_json"])


_act("drop", _("Give up on queue entries, by their q-ids; they stay listed."))
_act("restore", _("Take dropped queue entries up again."))
_act("remove", _("Take queue entries out of the queue."))

COMMANDS = (queue,)
