"""The way to the net that the user has chosen: proxy, own certificates, logins from the keyring."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

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
