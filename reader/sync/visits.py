"""Many addresses of many hosts in one round: none takes the others' turn or goes on for ever."""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from reader.errors import SourceError

if TYPE_CHECKING:
    from reader.fetch import Fetcher, Response

T = TypeVar("T")
STRIKES = 3  # broken or slow answers of a host, after which it is left alone until the next sync


class LeftAlone(SourceError):
    """It has to wait for another sync: nothing was asked."""


class Visits:
    """What the workers of one round share; they only add to it."""

    def __init__(self, fetcher: Fetcher, *, seconds: float, most_bytes: int) -> None:
        self._fetcher = fetcher
        self._until = time.monotonic() + seconds
        self._left = most_bytes
        self._strikes: Counter[str] = Counter()

    def get(self, url: str, **asked: Any) -> Response:
        """Fetch as `Fetcher.get` does; raises LeftAlone where it has to wait for another round."""
        from reader.fetch import HttpRefusal, Unreachable

        host = host_of(url)
        if self._left < 0 or time.monotonic() > self._until or self._strikes[host] >= STRIKES:
            raise LeftAlone("")
        try:
            answer = self._fetcher.get(url, **asked)
        except HttpRefusal:
            raise
        except SourceError as error:
            # One look is enough for all addresses of a host that is out of reach.
            self._strikes[host] += STRIKES if isinstance(error, Unreachable) else 1
            raise
        self._left -= len(answer.body)
        return answer


def spread(wanted: Iterable[T], address: Callable[[T], str]) -> list[T]:
    """Return what is wanted with that of one host far apart, so that none waits behind its own."""
    by_host: dict[str, deque[T]] = defaultdict(deque)
    for one in wanted:
        by_host[host_of(address(one))].append(one)
    found = []
    while by_host:
        for name in list(by_host):
            found.append(by_host[name].popleft())
            if not by_host[name]:
                del by_host[name]
    return found


def host_of(url: str) -> str:
    """Return the host and port of an address; empty where it has none."""
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""
