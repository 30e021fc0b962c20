"""The Python environments that were built for checks: list, remove."""

from __future__ import annotations

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
        (each["key"], f"{each['bytes'] / 1e6:.0f} MB", each["python"], ", ".join(each["packages"]))
        for each in found
    ]
    voice.listing(rows, ("key", _("size"), "Python", _("packages")), numbers=(1,))


@environments.command("remove", help=_("Remove some; a check that needs one builds it anew."))
@click.argument("keys", nargs=-1, required=True, metavar="KEY...")
def remove(keys: tuple[str, ...]) -> None:
    """Remove environments by their keys."""
    from reader.checks import environment

    for key in keys:
        if not environment.remove(key):
            raise Usage(_("There is no environment {key}.").format(key=key))
        voice.note(_("Removed: {name}").format(name=key))


COMMANDS = (environments,)
