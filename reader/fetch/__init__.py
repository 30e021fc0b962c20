"""URL → bytes: conditional, bounded in time and size, polite to hosts; the only door to the net."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin

from reader import __version__
from reader.errors import Interrupted, SourceError
from reader.fetch.body import unpacked
from reader.fetch.faults import HttpRefusal, Unreachable, Untrusted, host_of, named, refusal
from reader.fetch.headers import cache_seconds, limit_seconds, retry_after
from reader.language import _

if TYPE_CHECKING:
    import httpx

__all__ = ["Fetcher", "HttpRefusal", "Response", "Unreachable", "Untrusted"]

USER_AGENT = f"Readproof/{__version__} (feed reader)"
MOST_BYTES = 20 << 20
MOST_REDIRECTS = 10
WHOLE_SECONDS = 60.0
READ_SECONDS = 15.0
CONNECT_SECONDS = 10.0
CONNECTIONS = 2  # to one host at a time
ARXIV_SECONDS = 3.0  # between two requests, over one connection: arXiv's terms of use
SECONDARY_SECONDS = 60.0  # after a refusal for asking too fast that does not say for how long
_LOCATION = "readproof_location"
_PERMANENT, _TEMPORARY = (301, 308), (302, 303, 307)


@dataclass(frozen=True, slots=True)
class Response:
    """What a server answered; `body` is unpacked."""

    status: int
    body: bytes
    url: str  # where it came from in the end
    etag: str | None = None
    last_modified: str | None = None
    content_type: str | None = None
    permanent_url: str | None = None  # the address to use from now on, after permanent redirects
    not_modified: bool = False
    cache_seconds: float | None = None  # for how long it stays fresh by its own word
    retry_after: float | None = None


class Fetcher:
    """One shared client for any number of threads.

    `stopped` ends requests under way within half a second. `clock` (monotonic seconds), `now`
    and `sleep` stand in for time in tests, `transport` for the network. `authority` is a file of
    certificates (PEM) to trust beside the usual ones; `login` gives the secret kept for a host.
    """

    def __init__(
        self,
        *,
        proxy: str = "",
        authority: str = "",
        login: Callable[[str], str | None] = lambda _name: None,
        stopped: Callable[[], bool] = lambda: False,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        import httpx

        from reader.fetch.connection import Door

        self._client = httpx.Client(
            transport=transport or Door(lambda url: _proxy_for(url, proxy), authority),
            headers={"User-Agent": USER_AGENT, "Accept-Encoding": "gzip, deflate"},
            timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            trust_env=False,
            event_hooks={"response": [_take_location]},
        )
        self._stopped, self._clock, self._now, self._sleep = stopped, clock, now, sleep
        self._login, self._logins = login, dict[str, str]()
        # One token a connection; in each, when a request by it last ended.
        self._tokens: dict[str, SimpleQueue[float]] = {}
        self._left_alone: dict[str, float] = {}  # hosts that said 429, until when

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def get(
        self,
        url: str,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        private: bool = False,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = MOST_BYTES,
        seconds: float = WHOLE_SECONDS,
    ) -> Response:
        """Fetch an address, following up to ten redirects; sizes are counted unpacked.

        `private`: it may lead to an address inside this machine or network. Raises HttpRefusal
        for an answer of 400 and more, SourceError for everything else that goes wrong,
        Interrupted when it was stopped.
        """
        asked = _conditional(headers or {}, etag, last_modified)
        seen: set[str] = set()
        permanent, at, left = True, url, seconds
        while True:
            _check_address(at)
            if at in seen or len(seen) > MOST_REDIRECTS:
                raise SourceError(
                    _("The address leads round in a circle of redirects. Check it in a browser.")
                )
            seen.add(at)
            answer, target, used = self._let_in(at, asked, private, max_bytes, left)
            left -= used
            if target is None:
                moved = at if permanent and at != url else None
                return replace(answer, permanent_url=moved)
            permanent = permanent and answer.status in _PERMANENT
            if not _same_host(at, target):  # neither a secret nor a way inside is passed on
                asked = {k: v for k, v in asked.items() if k.lower() != "authorization"}
                private = False
            at = target

    def _let_in(
        self, url: str, asked: Mapping[str, str], private: bool, most: int, seconds: float
    ) -> tuple[Response, str | None, float]:
        """Send one request, again with the login kept for the host where it wants one."""
        place = _place(url)
        if any(name.lower() == "authorization" for name in asked):
            return self._one(url, asked, private, most, seconds)
        if known := self._logins.get(place):
            return self._one(url, {**asked, "Authorization": known}, private, most, seconds)
        try:
            return self._one(url, asked, private, most, seconds)
        except HttpRefusal as refused:
            secret = self._login(host_of(url)) if refused.status == 401 else None
            if not secret:
                raise
        self._logins[place] = _authorization(secret)
        asked = {**asked, "Authorization": self._logins[place]}
        return self._one(url, asked, private, most, seconds)

    def _one(
        self, url: str, asked: Mapping[str, str], private: bool, most: int, seconds: float
    ) -> tuple[Response, str | None, float]:
        """Send one request; return the answer, where a redirect leads, and the seconds it took."""
        # Waiting for one's turn does not count: a polite reader is no slow server.
        with self._turn(url), named(url, self._stopped), self._allowed(seconds):
            begun = self._clock()
            if (left_alone := self._left_alone.get(host_of(url), begun) - begun) > 0:
                raise HttpRefusal(refusal(429), 429, left_alone)
            request = self._client.build_request(
                "GET", url, headers=asked, extensions={**self._timeouts(), "private": private}
            )
            raw = self._client.send(request, stream=True, follow_redirects=False)
            try:
                return *self._answer(url, raw, most), self._clock() - begun
            finally:
                raw.close()

    def _timeouts(self) -> dict[str, object]:
        return {"timeout": self._client.timeout.as_dict()}

    def _answer(self, url: str, raw: httpx.Response, most: int) -> tuple[Response, str | None]:
        now, headers, status = self._now(), raw.headers, raw.status_code
        location = raw.extensions.get(_LOCATION)
        answer = Response(
            status=status,
            body=b"",
            url=url,
            etag=headers.get("etag"),
            last_modified=headers.get("last-modified"),
            content_type=headers.get("content-type"),
            not_modified=status == 304,
            cache_seconds=cache_seconds(headers, now),
            retry_after=retry_after(headers.get("retry-after"), now),
        )
        if status in (*_PERMANENT, *_TEMPORARY) and location:
            return answer, urldefrag(urljoin(url, location.strip())).url
        # These count requests by client, not by address: the other feeds would be refused too.
        if _is_shared(host_of(url)):
            status, wait = _counted(status, raw, answer.retry_after, limit_seconds(headers, now))
            if wait is not None:
                self._left_alone[host_of(url)] = self._clock() + wait
                answer = replace(answer, retry_after=wait)
        if status >= 400 or status < 200 or (300 <= status < 400 and status != 304):
            raise HttpRefusal(refusal(status), status, answer.retry_after)
        if status == 304:
            return answer, None
        body = unpacked(raw.iter_raw(), headers.get("content-encoding", ""), most)
        return replace(answer, body=body), None

    @contextmanager
    def _allowed(self, seconds: float) -> Generator[None, None, None]:
        from reader.fetch.connection import Allowance, allowance

        token = allowance.set(Allowance(time.monotonic() + seconds, self._stopped))
        try:
            yield
        finally:
            allowance.reset(token)

    @contextmanager
    def _turn(self, url: str) -> Generator[None, None, None]:
        """Wait until the host may be asked again: two at a time for one scheme, host and port."""
        arxiv = _is_arxiv(host_of(url))
        tokens = self._tokens.get(key := "arxiv.org" if arxiv else _place(url))
        if tokens is None:
            fresh: SimpleQueue[float] = SimpleQueue()
            for _each in range(1 if arxiv else CONNECTIONS):
                fresh.put(float("-inf"))
            tokens = self._tokens.setdefault(key, fresh)
        last = tokens.get()
        try:
            wait = last + ARXIV_SECONDS - self._clock() if arxiv else 0.0
            if wait > 0 and not self._stopped():
                self._sleep(wait)
            if self._stopped():
                raise Interrupted(_("Stopped."))
            yield
        finally:
            tokens.put(self._clock())


def _counted(
    status: int, raw: httpx.Response, asked: float | None, limit: float | None
) -> tuple[int, float | None]:
    """Return what a host that counts requests means, and for how long it is left alone.

    GitHub refuses who has asked too much with 403 as well as 429; its secondary limits say so
    only in words, and want a minute then.
    """
    if status == 429:
        return 429, limit if asked is None else asked
    if status == 403:
        if asked is None and limit is None and b"rate limit" not in _beginning(raw).lower():
            return 403, None
        return 429, (limit or SECONDARY_SECONDS) if asked is None else asked
    return status, limit


def _beginning(raw: httpx.Response) -> bytes:
    body = b""
    for part in raw.iter_bytes():
        body += part
        if len(body) > 4096:
            break
    return body


def _place(url: str) -> str:
    """Return scheme, host and port of an address, each as it is meant."""
    import httpx

    parts = httpx.URL(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}://{parts.host.lower()}:{port}"


def _authorization(secret: str) -> str:
    """Return the header of a secret: a token as it is written, else name:password."""
    from base64 import b64encode

    scheme, space, _rest = secret.partition(" ")
    if space and scheme.lower() in ("bearer", "basic", "token"):
        return secret
    if ":" not in secret:
        return f"Bearer {secret}"
    return "Basic " + b64encode(secret.encode()).decode()


def _is_shared(host: str) -> bool:
    return host in ("github.com", "api.github.com") or _is_arxiv(host)


def _is_arxiv(host: str) -> bool:
    return host == "arxiv.org" or host.endswith(".arxiv.org")


def _conditional(
    headers: Mapping[str, str], etag: str | None, last_modified: str | None
) -> dict[str, str]:
    asked = dict(headers)
    if etag:
        asked["If-None-Match"] = etag
    if last_modified:
        asked["If-Modified-Since"] = last_modified
    return asked


def _take_location(response: httpx.Response) -> None:
    """Keep httpx from building a redirect of its own, which fails on odd addresses."""
    if "location" in response.headers:
        response.extensions[_LOCATION] = response.headers.pop("location")


def _same_host(one: str, other: str) -> bool:
    return host_of(one) == host_of(other)


def _check_address(url: str) -> None:
    import httpx

    try:
        parts = httpx.URL(url)
    except (httpx.InvalidURL, UnicodeError) as error:
        raise SourceError(_("{url} is no address.").format(url=url[:200])) from error
    if parts.scheme not in ("http", "https") or not parts.host:
        raise SourceError(
            _("{url}: only http and https addresses are fetched.").format(url=url[:200])
        )


def _proxy_for(url: httpx.URL, chosen: str) -> str | None:
    """Return the proxy for an address: the settings', else the system's, else none."""
    from urllib.request import getproxies, proxy_bypass

    if url.host in ("localhost", "127.0.0.1", "::1") or proxy_bypass(url.host):
        return None
    if chosen:
        return chosen
    found = getproxies()
    return found.get(url.scheme) or found.get("all") or None
