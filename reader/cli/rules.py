"""Rules over what comes in: list, add, test, apply, undo, remove; they stand in a file to edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from reader.cli import voice
from reader.cli.options import json_option
from reader.cli.session import Session, pass_session
from reader.errors import Usage
from reader.language import _, ngettext

if TYPE_CHECKING:
    from reader.rules import Rule

SHOWN = 20  # titles of a dry run


@click.group(help=_("Rules over what comes in: mute, mark read, star, tag or queue it."))
def rules() -> None:
    """Group the commands of rules."""


@rules.command("list", help=_("List the rules, and what they did lately."))
@json_option
@pass_session
def list_(session: Session, as_json: bool) -> None:
    """List the rules in the order of their file."""
    from reader.sync import ruling

    own, file = _own(session)
    with session.store() as store:
        done = ruling.applied(store)
    if as_json:
        voice.document(
            {
                "file": str(file),
                "rules": [_document(each) for each in own],
                "applied": [
                    {
                        "id": each.id,
                        "rule": each.rule,
                        "at": each.at.isoformat(),
                        "stories": each.stories,
                    }
                    for each in done
                ],
            }
        )
        return
    if not own:
        voice.note(_("No rules yet. They stand in {path}.").format(path=file))
    rows = [
        (each.name, "" if each.on else _("off"), _said(each.when), _said(each.unless), _then(each))
        for each in own
    ]
    voice.listing(rows, (_("rule"), "", _("when"), _("unless"), _("then")))
    for each in done[-5:]:
        voice.say(f"{each.id}  {each.at:%Y-%m-%d %H:%M}  {each.rule}: {_stories(each.stories)}")


@rules.command("add", help=_("Add a rule, or write one of the same name anew."))
@click.argument("name")
@click.option(
    "--when",
    multiple=True,
    required=True,
    metavar="FIELD=WORD[,WORD...]",
    help=_("What has to stand in a story: title, text, layer, hardware, evidence, source, ...."),
)
@click.option(
    "--unless", multiple=True, metavar="FIELD=WORD[,WORD...]", help=_("What must not stand in it.")
)
@click.option(
    "--then",
    multiple=True,
    required=True,
    metavar="ACT",
    help=_("What is done: mute, read, star, queue, tag:NAME."),
)
@pass_session
def add(
    session: Session,
    name: str,
    when: tuple[str, ...],
    unless: tuple[str, ...],
    then: tuple[str, ...],
) -> None:
    """Write a rule into the file; it works on what comes in from now on."""
    from reader.rules import written

    own, file = _own(session)
    text = written.lines(name, _typed(when), _typed(unless), then)
    (made,) = written.parse(text, file)
    if any(each.name == name for each in own):
        own = tuple(made if each.name == name else each for each in own)
    else:
        own = (*own, made)
    written.save(file, own)
    voice.note(_("Written: {path}").format(path=file))


@rules.command("test", help=_("Say what rules would have done in the last days; nothing changes."))
@click.argument("names", nargs=-1, metavar="[RULE]...")
@click.option("--days", type=click.IntRange(1, 3650), default=30, show_default=True)
@json_option
@pass_session
def test(session: Session, names: tuple[str, ...], days: int, as_json: bool) -> None:
    """Try rules on what is in the store."""
    from reader.sync import ruling

    chosen = [_named(session, each) for each in names] or list(_own(session)[0])
    now = datetime.now(UTC)
    with session.store() as store:
        found = [(rule, ruling.matching(store, rule, now, days)) for rule in chosen]
    if as_json:
        voice.document(
            [
                {
                    "rule": rule.name,
                    "days": days,
                    "matched": [{"id": each.id, "title": each.title} for each in stories],
                }
                for rule, stories in found
            ]
        )
        return
    for rule, stories in found:
        voice.say(f"{rule.name} ({_then(rule)}): {_stories(len(stories))}")
        for each in stories[:SHOWN]:
            voice.say(f"  {each.id}  {each.title}")
        if len(stories) > SHOWN:
            voice.say(_("  … and {count} more").format(count=len(stories) - SHOWN))


@rules.command("apply", help=_("Apply one rule to what came in the last days, too."))
@click.argument("name", metavar="RULE")
@click.option("--days", type=click.IntRange(1, 3650), default=30, show_default=True)
@pass_session
def apply(session: Session, name: str, days: int) -> None:
    """Apply one rule to the past; `rules undo` takes it back."""
    from reader.sync import ruling

    rule = _named(session, name)
    with session.store() as store:
        done = ruling.apply_to_past(store, rule, datetime.now(UTC), days)
    count = sum(each.stories for each in done)
    voice.say(f"{rule.name}: {_stories(count)}")
    if done:
        voice.note(_("Taken back with: readproof rules undo {id}").format(id=done[-1].id))


@rules.command("undo", help=_("Take back what a rule did last; marks you set since stay."))
@click.argument("id_", required=False, metavar="[ID|RULE]")
@pass_session
def undo(session: Session, id_: str | None) -> None:
    """Take one application back."""
    from reader.sync import ruling

    with session.store() as store:
        one = ruling.undo(store, id_)
    voice.say(f"{one.id}  {one.rule}: {_stories(one.stories)}")


@rules.command("remove", help=_("Remove rules; what they have done stays."))
@click.argument("names", nargs=-1, required=True, metavar="RULE...")
@pass_session
def remove(session: Session, names: tuple[str, ...]) -> None:
    """Take rules out of the file."""
    from reader.rules import written

    gone = {_named(session, each).name for each in names}
    own, file = _own(session)
    written.save(file, [each for each in own if each.name not in gone])


def _turn(name: str, help_text: str, *, on: bool) -> None:
    @rules.command(name, help=help_text)
    @click.argument("names", nargs=-1, required=True, metavar="RULE...")
    @pass_session
    def turn(session: Session, names: tuple[str, ...]) -> None:
        from reader.rules import written

        chosen = {_named(session, each).name for each in names}
        own, file = _own(session)
        written.save(file, [replace(r, on=on) if r.name in chosen else r for r in own])


_turn("on", _("Let rules work again."), on=True)
_turn("off", _("Let rules rest; they stay in the file."), on=False)


def _own(session: Session) -> tuple[tuple[Rule, ...], Any]:
    from reader.rules import written

    file = written.place(session.config_path)
    return written.load(file), file


def _named(session: Session, name: str) -> Rule:
    own, _file = _own(session)
    found = next((each for each in own if each.name == name), None)
    if found is None:
        known = ", ".join(each.name for each in own) or "–"
        raise Usage(_("There is no rule {name}. There are: {known}").format(name=name, known=known))
    return found


def _typed(given: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for each in given:
        field, equals, words = each.partition("=")
        if not equals:
            raise Usage(_("Write a condition as FIELD=WORD, not {word}.").format(word=each))
        found[field] = (*found.get(field, ()), *(word.strip() for word in words.split(",")))
    return found


def _document(rule: Rule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "on": rule.on,
        "when": {name: list(words) for name, words in rule.when.items()},
        "unless": {name: list(words) for name, words in rule.unless.items()},
        "then": _then(rule).split(", "),
    }


def _said(conditions: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{name}: {', '.join(words)}" for name, words in conditions.items())


def _then(rule: Rule) -> str:
    from reader.rules import written

    return ", ".join(written.acts(rule))


def _stories(count: int) -> str:
    return ngettext("{n} story", "{n} stories", count).format(n=count)


COMMANDS = (rules,)
