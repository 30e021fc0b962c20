"""The way to the net that the user has chosen: proxy, own certificates, logins from the keyring."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from reader import identity
from reader.errors import SourceError
from reader.language import _
from reader.settings import Settings

if TYPE_CHECKING:
    from reader.fetch import Fetcher


def door(chosen: Settings, *, stopped: Callable[[], bool] = lambda: False) -> Fetcher:
    """Return a fetcher of these settings; a login is looked up where a host asks for one.

    The secret of a host is kept under its name, as name:password or as a token.
    """
    from reader.credentials import Credentials
    from reader.fetch import Fetcher

    secrets = Credentials()
    return Fetcher(
        proxy=chosen.proxy,
        authority=chosen.certificates,
        login=lambda name: secrets.get(name).value,
        stopped=stopped,
    )


def without_login(url: str) -> str:
    """Return an address as it may be stored; a login in it is kept under its host's name.

    Raises SourceError where there is no keyring: a password stands in no file of ours.
    """
    bare = identity.without_login(url)
    if bare == url:
        return url
    from reader.credentials import Credentials, Where, variable

    parts = urlsplit(url.strip())
    host = (parts.hostname or "").lower()
    if host and parts.password is not None:
        secret = f"{unquote(parts.username or '')}:{unquote(parts.password)}"
        secrets = Credentials()
        if secrets.get(host).value != secret and secrets.set(host, secret) is not Where.KEYRING:
            secrets.remove(host)
            raise SourceError(
                _(
                    "There is no keyring here to keep the password of {host}. Give the address "
                    "without it, and set {variable}=NAME:PASSWORD for each start."
                ).format(host=host, variable=variable(host))
            )
    return bare
