"""Connections: where they may lead, and how long they may take. Imported with httpx, not before."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpcore
import httpx

from reader.errors import SourceError
from reader.language import _

SLICE = 0.5  # seconds between two looks at the clock and at whether someone wants to stop


@dataclass(frozen=True, slots=True)
class Allowance:
    """What the request under way on this thread may use."""

    ends: float  # on the monotonic clock
    stopped: Callable[[], bool]

    def left(self) -> float:
        """Return the seconds left; raises when there are none or someone asked to stop."""
        left = self.ends - time.monotonic()
        if left <= 0 or self.stopped():
            raise httpcore.ReadTimeout(OUT_OF_TIME)
        return left


OUT_OF_TIME = "out of time"
allowance: ContextVar[Allowance] = ContextVar("allowance")


def is_public(address: str) -> bool:
    """Tell whether an IP address lies in the open internet, also when one is wrapped in it."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast


class _Stream(httpcore.NetworkStream):
    """A stream whose every read and write ends with the request's allowance."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        ends = time.monotonic() + (timeout or 60.0)
        while True:
            slice_ = min(SLICE, allowance.get().left())
            try:
                return self._inner.read(max_bytes, timeout=slice_)
            except httpcore.ReadTimeout:
                if time.monotonic() >= ends:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout=min(timeout or 60.0, allowance.get().left()))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = min(timeout or 60.0, allowance.get().left())
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore.SyncBackend):
    """Connects by address; with `public_only` a name that leads inside is refused there."""

    def __init__(self, *, public_only: bool) -> None:
        self._public_only = public_only

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(str(error)) from error
        addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
        if self._public_only:
            addresses = [each for each in addresses if is_public(each)]
            if not addresses:
                raise SourceError(_inside(host))
        failure: Exception = httpcore.ConnectError(host)
        for address in addresses[:4]:
            left = min(timeout or 60.0, allowance.get().left())
            try:
                return _Stream(
                    super().connect_tcp(address, port, left, local_address, socket_options)
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


def _inside(host: str) -> str:
    return _(
        "{host} is an address inside this machine or network, which a feed from outside may not "
        "reach. Subscribe to it yourself if you mean it."
    ).format(host=host)


class Door(httpx.BaseTransport):
    """One transport over three: the open internet, private addresses, and a proxy."""

    def __init__(self, proxy_for: Callable[[httpx.URL], str | None], authority: str = "") -> None:
        context = _trust(authority)
        self._proxy_for = proxy_for
        self._context = context
        self._public = self._direct(context, public_only=True)
        self._private = self._direct(context, public_only=False)
        self._proxies: dict[str, httpx.HTTPTransport] = {}

    @staticmethod
    def _direct(context: ssl.SSLContext, *, public_only: bool) -> httpx.HTTPTransport:
        transport = httpx.HTTPTransport(verify=context)
        # httpx has no door of its own for a network backend; its pool is made again with ours.
        transport._pool = httpcore.ConnectionPool(
            ssl_context=context,
            max_connections=100,
            max_keepalive_connections=40,
            keepalive_expiry=10.0,
            network_backend=_Backend(public_only=public_only),
        )
        return transport

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; its extension `private` says whether it may stay inside."""
        host = request.url.host
        inside = host == "localhost" or (_is_ip(host) and not is_public(host))
        private = bool(request.extensions.get("private"))
        proxy = None if inside else self._proxy_for(request.url)
        if inside and not private:
            raise SourceError(_inside(host))
        if proxy is not None:
            if not private and _leads_inside(host):
                raise SourceError(_inside(host))
            return self._through(proxy).handle_request(request)
        return (self._private if private else self._public).handle_request(request)

    def _through(self, proxy: str) -> httpx.HTTPTransport:
        if proxy not in self._proxies:
            try:
                self._proxies[proxy] = httpx.HTTPTransport(verify=self._context, proxy=proxy)
            except (ImportError, ValueError, httpx.InvalidURL) as error:
                raise SourceError(
                    _(
                        "The proxy {proxy} cannot be used. Give an http:// one in the settings."
                    ).format(proxy=proxy.rpartition("@")[2])
                ) from error
        return self._proxies[proxy]

    def close(self) -> None:
        """Close every connection."""
        for each in (self._public, self._private, *self._proxies.values()):
            each.close()


def _trust(authority: str) -> ssl.SSLContext:
    """Return what is trusted: the usual authorities, those of SSL_CERT_FILE, and the user's own."""
    context = httpx.create_ssl_context()
    if authority:
        try:
            context.load_verify_locations(cafile=authority)
        except (OSError, ValueError) as error:
            raise SourceError(
                _(
                    "The certificates in {path} cannot be read ({detail}). Name a PEM file in the "
                    "settings."
                ).format(path=authority, detail=str(error)[:120])
            ) from error
    return context


def _leads_inside(host: str) -> bool:
    """Tell whether a name leads nowhere but inside; one only the proxy knows does not."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return not any(is_public(str(each[4][0])) for each in found)


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
