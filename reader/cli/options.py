"""Options that several commands share, and what a person may type for a day, layer or chip."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar

import click

from reader.errors import Usage
from reader.language import LANGUAGES, _
from reader.model import Evidence, Layer

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help=_("Print one JSON document."))


class Day(click.ParamType[datetime | date]):
    """A day: 2026-12-05, today, tomorrow, yesterday, +3d, -2w."""

    name = _("day")

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime | date:
        """Return a date, or an aware datetime where a time was typed."""
        if isinstance(value, date):
            return value
        found = read_day(str(value), datetime.now().astimezone().date())
        if found is None:
            self.fail(
                _("{value!r} is no day. Write 2026-12-05, today, tomorrow or +3d.").format(
                    value=value
                ),
                param,
                ctx,
            )
        return found


_NAMED = {"today": 0, "tomorrow": 1, "yesterday": -1, "今天": 0, "明天": 1, "昨天": -1, "后天": 2}


def read_day(text: str, today: date) -> date | datetime | None:
    """Return the day or moment that `text` names beside `today`, or None."""
    text = text.strip().lower()
    if text in _NAMED:
        return today + timedelta(days=_NAMED[text])
    relative = re.fullmatch(r"([+-]?)(\d{1,4})([dw天周])", text)
    if relative:
        days = int(relative[2]) * (7 if relative[3] in "w周" else 1)
        return today + timedelta(days=-days if relative[1] == "-" else days)
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            return date.fromisoformat(text)
        moment = datetime.fromisoformat(text.upper())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.astimezone()


DAY = Day()


def start_of(day: date | datetime | None) -> datetime | None:
    """Return the first moment of a day here, or the moment itself."""
    if day is None or isinstance(day, datetime):
        return day
    return datetime.combine(day, time.min).astimezone()


def end_of(day: date | datetime | None) -> datetime | None:
    """Return the last moment of a day here, or the moment itself."""
    if day is None or isinstance(day, datetime):
        return day
    return datetime.combine(day, time.max).astimezone()


def only_day(day: date | datetime | None) -> date | None:
    """Return the day of what was typed."""
    return day.date() if isinstance(day, datetime) else day


def _folded(text: str) -> str:
    return re.sub(r"[\s_-]+", "_", text.strip().casefold())


def layer_typed(words: str) -> Layer:
    """Return the layer that a person means: its name in the data, or in either language."""
    from reader.classify import layer_name

    names = {_folded(each.value): each for each in Layer}
    names |= {_folded(layer_name(each, tongue)): each for each in Layer for tongue in LANGUAGES}
    found = names.get(_folded(words))
    if found is None:
        raise _unknown("--layer", words, [each.value for each in Layer], names)
    return found


def evidence_typed(words: str) -> Evidence:
    """Return the evidence kind that a person means."""
    from reader.classify import evidence_name

    names = {_folded(each.value): each for each in Evidence}
    names |= {
        _folded(evidence_name(each, tongue)): each for each in Evidence for tongue in LANGUAGES
    }
    found = names.get(_folded(words))
    if found is None:
        raise _unknown("--evidence", words, [each.value for each in Evidence], names)
    return found


def hardware_typed(words: str) -> str:
    """Return the node of the hardware tree that a person means: "Hopper", "sm_90a", "英伟达"."""
    from reader import classify

    node = classify.find_node(words)
    if node is None:
        raise _unknown("--hardware", words, (), classify.tree())
    return node


def _unknown(option: str, words: str, all_names: Sequence[str], names: Iterable[str]) -> Usage:
    near = difflib.get_close_matches(_folded(words), list(names), n=3, cutoff=0.5)
    text = _("{option}: {words!r} is not known.").format(option=option, words=words)
    if near:
        text += " " + _("Nearest: {names}.").format(names=", ".join(near))
    elif all_names:
        text += " " + _("One of: {names}.").format(names=", ".join(all_names))
    return Usage(text)


def story_filters(command: F) -> F:
    """Give a command the filters of `items`; they arrive as keyword arguments."""
    for option in reversed(_FILTERS):
        command = option(command)
    return command


_FILTERS = (
    click.option("--since", type=DAY, metavar="DATE", help=_("Published on that day or later.")),
    click.option("--until", type=DAY, metavar="DATE", help=_("Published on that day or before.")),
    click.option(
        "--layer",
        "layers",
        multiple=True,
        metavar="L",
        help=_("A layer, site's or ours; several mean all."),
    ),
    click.option(
        "--hardware",
        multiple=True,
        metavar="H",
        help=_("A vendor, family or chip, and all below it."),
    ),
    click.option(
        "--evidence", multiple=True, metavar="E", help=_("The kind of evidence; several mean any.")
    ),
    click.option(
        "--min-score", type=float, metavar="N", help=_("The site's score is at least this.")
    ),
    click.option("--unread", is_flag=True, help=_("Only what you have not read.")),
    click.option("--starred", is_flag=True, help=_("Only what you have starred.")),
    click.option("--muted", is_flag=True, help=_("Only what a rule of yours has muted.")),
    click.option("--queued", is_flag=True, help=_("Only what stands in the queue.")),
    click.option(
        "--tag", "tags", multiple=True, metavar="T", help=_("Has your tag; several mean all.")
    ),
    click.option("--feed", metavar="ID", help=_("Only of this feed (its id).")),
)
