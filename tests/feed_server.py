"""A small loopback server that answers by a table and keeps what it was asked."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from reader.tasks import Tasks


@dataclass(frozen=True)
class Answer:
    """One canned answer; `drip` sends one byte at a time with that many seconds between."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    gzip: bool = False
    drip: float = 0.0
    cut: int = 0  # bytes promised and not sent


@dataclass
class Asked:
    """One request as it came in."""

    url: str
    headers: Mapping[str, str]


class FeedServer:
    """Addresses → answers; an address is written whole, with the host it pretends to be."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer | Callable[[Asked], Answer]] = {}
        # Asked where no address fits; None is nothing there.
        self.fallback: Callable[[Asked], Answer | None] = lambda _asked: None
        self.asked: list[Asked] = []
        self.address = ""
        self.busy: dict[str, int] = {}
        self.busiest: dict[str, int] = {}
        self.counting = threading.Lock()

    def transport(self) -> httpx.BaseTransport:
        """Return a transport that sends every request here, whatever its host and scheme."""
        return _Mapped(self.address)

    def urls(self) -> list[str]:
        """Return what was asked for, in order."""
        return [each.url for each in self.asked]

    def answer(self, asked: Asked) -> Answer:
        """Look an address up; a feed that is known by its ETag is not sent again."""
        found = self.answers.get(asked.url) or self.fallback(asked)
        found = found or Answer(b"nothing here", 404)
        found = found(asked) if callable(found) else found
        etag = found.headers.get("ETag")
        if etag and asked.headers.get("If-None-Match") == etag:
            return Answer(status=304, headers=found.headers)
        return found


class _Mapped(httpx.BaseTransport):
    def __init__(self, address: str) -> None:
        self._address, self._inner = httpx.URL(address), httpx.HTTPTransport(trust_env=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["X-Asked"] = str(request.url)
        request.url = self._address
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some tests are about."""


@contextmanager
def serving(certificate: Path | None = None, host: str = "127.0.0.1") -> Iterator[FeedServer]:
    """Run a server on a free port of this machine; with a certificate (PEM, key too) by TLS."""
    feeds = FeedServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            # A proxy is asked for the whole address.
            whole = self.path.startswith("http")
            url = self.path if whole else f"{feeds.address.rstrip('/')}{self.path}"
            url = self.headers.get("X-Asked") or url
            asked = Asked(url, dict(self.headers))
            feeds.asked.append(asked)
            host = httpx.URL(url).host
            with feeds.counting:
                feeds.busy[host] = feeds.busy.get(host, 0) + 1
                feeds.busiest[host] = max(feeds.busiest.get(host, 0), feeds.busy[host])
            self._host = host
            try:
                self._send(feeds.answer(asked))
            finally:
                self._ends()

        def _ends(self) -> None:
            """Count a request no more: before its last byte, for then the client may go on."""
            host, self._host = self._host, ""
            if host:
                with feeds.counting:
                    feeds.busy[host] -= 1

        def _send(self, answer: Answer) -> None:
            body = gzip.compress(answer.body, mtime=0) if answer.gzip else answer.body
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.gzip:
                self.send_header("Content-Encoding", "gzip")
            if answer.status != 304:
                self.send_header("Content-Length", str(len(body) + answer.cut))
            if not answer.drip or not body:
                self._ends()
            self.end_headers()
            if not answer.drip:
                self.wfile.write(body)
                self.close_connection = self.close_connection or bool(answer.cut)
                return
            for place, byte in enumerate(body, 1):
                if place == len(body):
                    self._ends()
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(answer.drip)

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    class Server(_Server):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

    server = Server((host, 0), Handler)
    scheme = "http"
    if certificate is not None:
        context, scheme = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), "https"
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    named = f"[{host}]" if ":" in host else host
    feeds.address = f"{scheme}://{named}:{server.server_port}/"
    tasks = Tasks(1)
    tasks.submit(lambda _task: server.serve_forever(poll_interval=0.02))
    try:
        yield feeds
    finally:
        server.shutdown()
        server.server_close()
        tasks.close()
