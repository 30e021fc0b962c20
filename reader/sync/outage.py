"""No network at all is one state, and not three hundred broken feeds."""

from __future__ import annotations

from urllib.parse import urlsplit

from reader.errors import SourceError
from reader.model import Feed, Health

WITNESSES = 2  # hosts, of feeds that worked, that must be out of reach together
ENOUGH = 20  # hosts out of reach, and none reached: the rest need not be tried
LOCAL = ("localhost", "::1")


class Offline(SourceError):
    """A feed that was not tried, for there is no network."""


class Outage:
    """Notices while a sync runs that nothing outside can be reached; called from its workers."""

    def __init__(self, *, was: bool = False) -> None:
        self._was = was  # the last sync found no network
        self._reached = False
        self._missed: set[str] = set()
        self._witnesses: set[str] = set()

    def saw(self, feed: Feed, error: BaseException | None) -> None:
        """Take into account how asking a feed ended; None where it worked."""
        from reader.fetch import Unreachable, Untrusted

        host = outside(feed)
        if host is None:
            return  # this machine is there without a network
        if not isinstance(error, Unreachable) or isinstance(error, Untrusted):
            self._reached = True
            return
        self._missed.add(host)
        # One that failed before may be dead for good, and says nothing of the network.
        if feed.health not in (Health.FAILED, Health.GONE):
            self._witnesses.add(host)

    def spares(self, feed: Feed) -> bool:
        """Tell whether a feed need not be tried."""
        return self.is_certain and outside(feed) is not None

    @property
    def is_certain(self) -> bool:
        """Whether so many were out of reach that nobody else need be tried."""
        return not self._reached and len(self._missed) >= ENOUGH and self.is_likely

    @property
    def is_likely(self) -> bool:
        """Whether, everything tried, there was no network."""
        if self._reached or not self._missed:
            return False
        needed = 1 if self._was else WITNESSES
        return len(self._witnesses) >= needed or not _has_network()

    @property
    def has_ended(self) -> bool:
        """Whether there was none the last time, and now there is."""
        return self._was and self._reached


def outside(feed: Feed) -> str | None:
    """Return the host of a feed, None where it is this machine."""
    host = (urlsplit(feed.url).hostname or "").lower()
    return None if not host or host in LOCAL or host.startswith("127.") else host


def _has_network() -> bool:
    """Tell whether any interface but this machine's own is up and has an address."""
    import socket

    import psutil

    try:
        states, addresses = psutil.net_if_stats(), psutil.net_if_addrs()
    except OSError:
        return True
    for name, found in addresses.items():
        if name in states and not states[name].isup:
            continue
        for each in found:
            if each.family is socket.AF_INET and not each.address.startswith("127."):
                return True
            if each.family is socket.AF_INET6 and not each.address.startswith(("::1", "fe80")):
                return True
    return False
