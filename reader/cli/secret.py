"""Secrets: kept in the system's keyring, read from a prompt or stdin, never shown."""

from __future__ import annotations

import sys
from urllib.parse import urlsplit

import click

from reader.cli import voice
from reader.cli.options import json_option
from reader.cli.session import Session, pass_session
from reader.errors import Expected, Usage
from reader.language import _

GITHUB = "github"
LONGEST = 4096  # characters


@click.group(help=_("Tokens and logins, in the system's keyring and nowhere else."))
def secret() -> None:
    """Group the commands of secrets."""


@secret.command(
    "set",
    help=_("Keep a secret for github or a host: a token, or NAME:PASSWORD; read without echo."),
)
@click.argument("name", metavar="github|HOST")
@pass_session
def set_(_session: Session, name: str) -> None:
    """Keep one secret; it is read from a prompt, or from stdin where that is no terminal."""
    from reader.credentials import Credentials, Where, variable

    host = _host(name)
    if sys.stdin.isatty():
        value = click.prompt(_("Secret for {name}").format(name=host), hide_input=True, err=True)
    else:
        value = sys.stdin.readline(LONGEST + 1)
    value = str(value).strip()
    if not value or len(value) > LONGEST:
        raise Usage(_("The secret is empty or longer than any is."))
    secrets = Credentials()
    if secrets.set(host, value) is not Where.KEYRING:
        raise Expected(
            _("There is no keyring here. Set {variable} in the environment instead.").format(
                variable=variable(host)
            )
        )
    voice.note(_("Kept in the keyring: {name}").format(name=host))


@secret.command("list", help=_("Say which secrets there are, and where; never what they are."))
@json_option
@pass_session
def list_(session: Session, as_json: bool) -> None:
    """List names and places."""
    from reader.credentials import Credentials, Where, describe

    with session.store() as store:
        hosts = {urlsplit(each.url).hostname or "" for each in store.feeds.all()}
    secrets = Credentials()
    found = {
        name: where
        for name in (GITHUB, *sorted(filter(None, hosts)))
        if (where := secrets.get(name).where) is not Where.NOWHERE
    }
    if as_json:
        voice.document([{"name": name, "where": where.value} for name, where in found.items()])
        return
    for name, where in found.items():
        voice.say(f"{name}  ({where.value})")
    voice.note(describe())


@secret.command("remove", help=_("Forget a secret."))
@click.argument("name", metavar="github|HOST")
@pass_session
def remove(_session: Session, name: str) -> None:
    """Forget one secret; the environment is the user's."""
    from reader.credentials import Credentials

    Credentials().remove(_host(name))


def _host(name: str) -> str:
    """Return the name a secret is kept under: a host, also where an address was typed."""
    host = (urlsplit(name).hostname if "://" in name else name.strip()) or ""
    if not host or any(c.isspace() or c in "/@" for c in host):
        raise Usage(_("Name github, or a host such as example.org."))  # what was typed may be one
    return host.lower()


COMMANDS = (secret,)
