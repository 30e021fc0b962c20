"""The Python environments that were built for checks: list, remove, prune."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import click

from reader.cli import voice
from reader.cli.options import json_option
from reader.errors import Usage
from reader.language import _


@click.group(help=_("The Python environments that were built for checks."))
def environments() -> None:
    """Group the commands about environments."""


def documents() -> list[dict[str, Any]]:
    """Return every environment that stands, whole ones only."""
    from reader.checks import environment

    return [
        {
            "key": each.key,
            "folder": str(each.folder),
            "python": each.python,
            "packages": list(each.requires),
            "bytes": each.bytes,
            "used": datetime.fromtimestamp(each.used, UTC).isoformat(timespec="seconds"),
        }
        for each in environment.managed_all()
    ]


@environments.command("list", help=_("List them with their size."))
@json_option
def list_(as_json: bool) -> None:
    """List what was built."""
    found = documents()
    if as_json:
        voice.document(found)
        return
    rows = [
        (
            each["key"],
            f"{each['bytes'] / 1e6:.0f} MB",
            each["used"][:10],
            each["python"],
            ", ".join(each["packages"]),
        )
        for each in found
    ]
    heads = ("key", _("size"), _("last used"), "Python", _("packages"))
    voice.listing(rows, heads, numbers=(1,))


@environments.command("remove", help=_("Remove some; a check that needs one builds it anew."))
@click.argument("keys", nargs=-1, required=True, metavar="KEY...")
def remove(keys: tuple[str, ...]) -> None:
    """Remove environments by their keys."""
    from reader.checks import environment

    for key in keys:
        if not environment.remove(key):
            raise Usage(_("There is no environment {key}.").format(key=key))
        voice.note(_("Removed: {name}").format(name=key))


@environments.command("prune", help=_("Remove those that no run has used for a while."))
@click.option(
    "--unused-days",
    "days",
    type=click.IntRange(min=1),
    default=60,
    show_default=True,
    metavar="N",
    help=_("Days without a run in it."),
)
@json_option
def prune(days: int, as_json: bool) -> None:
    """Remove what lies unused and say how much that gave back."""
    from reader.checks import environment

    gone = environment.unused(environment.managed_all(), time.time(), days)
    for each in gone:
        environment.remove(each.key)
        if not as_json:
            voice.note(_("Removed: {name}").format(name=each.key))
    freed = sum(each.bytes for each in gone)
    if as_json:
        voice.document({"removed": [each.key for each in gone], "bytes": freed})
        return
    voice.note(_("{mb} MB are free again.").format(mb=round(freed / 1e6)))


COMMANDS = (environments,)
