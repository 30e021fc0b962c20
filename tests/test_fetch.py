"""Fetching over a real loopback server: limits hold, hosts are spared, nothing leads inside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from reader.errors import Interrupted, SourceError
from reader.fetch import Fetcher, HttpRefusal, Untrusted
from reader.fetch.headers import cache_seconds, retry_after
from reader.tasks import each
from tests import cases
from tests.feed_server import Answer, Asked, FeedServer, serving

SITE = "https://blog.example.org/feed"


@pytest.fixture
def server() -> Iterator[FeedServer]:
    with serving() as running:
        yield running


@pytest.fixture
def fetcher(server: FeedServer) -> Iterator[Fetcher]:
    with Fetcher(transport=server.transport()) as running:
        yield running


def test_an_answer_with_its_headers(server: FeedServer, fetcher: Fetcher) -> None:
    headers = {"ETag": '"1"', "Last-Modified": "then", "Content-Type": "text/xml",
               "Cache-Control": "max-age=600"}  # fmt: skip
    server.answers[SITE] = Answer(b"<rss/>" * 99, headers=headers, gzip=True)
    answer = fetcher.get(SITE)
    assert (answer.body, answer.etag, answer.last_modified) == (b"<rss/>" * 99, '"1"', "then")
    assert (answer.content_type, answer.cache_seconds) == ("text/xml", 600.0)
    assert server.asked[0].headers["User-Agent"].startswith("Readproof/")
    again = fetcher.get(SITE, etag='"1"', last_modified="then")
    assert again.not_modified
    assert server.asked[1].headers["If-Modified-Since"] == "then"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418, 429, 500, 503])
def test_a_refusal_names_its_number(server: FeedServer, fetcher: Fetcher, status: int) -> None:
    server.answers[SITE] = Answer(b"x", status, {"Retry-After": "120"})
    with pytest.raises(HttpRefusal, match=str(status)) as raised:
        fetcher.get(SITE)
    assert (raised.value.status, raised.value.retry_after) == (status, 120.0)


def test_after_a_429_a_shared_host_is_left_alone(server: FeedServer, fetcher: Fetcher) -> None:
    busy = Answer(status=429, headers={"Retry-After": "120"})
    one, other = "https://github.com/a/b/releases.atom", "https://github.com/c/d/releases.atom"
    server.answers |= {one: busy, other: Answer(b"x"), SITE: busy}
    for url in (one, other, SITE):
        with pytest.raises(HttpRefusal, match="429"):
            fetcher.get(url)
    server.answers["https://blog.example.org/other"] = Answer(b"x")
    assert fetcher.get("https://blog.example.org/other").body == b"x"
    assert server.urls() == [one, SITE, "https://blog.example.org/other"]


# ── redirects ──────────────────────────────────────────────────────────────────────────────────


def _redirect(to: str, status: int) -> Answer:
    return Answer(status=status, headers={"Location": to})


@pytest.mark.parametrize(
    ("hops", "permanent"),
    [([301], True), ([308, 301], True), ([302, 301], False), ([301, 302], False), ([307], False)],
)
def test_the_address_changes_only_by_permanent_hops(
    server: FeedServer, fetcher: Fetcher, hops: list[int], permanent: bool
) -> None:
    urls = [f"https://h{n}.example.org/" for n in range(len(hops) + 1)]
    for url, target, status in zip(urls, urls[1:], hops, strict=False):
        server.answers[url] = _redirect(target, status)
    server.answers[urls[-1]] = Answer(b"there")
    answer = fetcher.get(urls[0])
    assert (answer.body, answer.url) == (b"there", urls[-1])
    assert answer.permanent_url == (urls[-1] if permanent else None)


def test_circles_end(server: FeedServer, fetcher: Fetcher) -> None:
    server.answers[SITE] = _redirect("/feed?", 301)
    server.answers["https://blog.example.org/feed?"] = _redirect("/feed", 302)
    with pytest.raises(SourceError, match="circle"):
        fetcher.get(SITE)
    server.answers.clear()
    for n in range(40):
        server.answers[f"https://blog.example.org/{n}"] = _redirect(f"/{n + 1}", 302)
    with pytest.raises(SourceError, match="circle"):
        fetcher.get("https://blog.example.org/0")
    assert len(server.asked) < 25


@pytest.mark.parametrize(
    "target", ["file:///etc/hostname", "ftp://x.example.org/", "data:text/xml,x", "javascript:1"]
)
def test_only_the_web_is_followed(server: FeedServer, fetcher: Fetcher, target: str) -> None:
    server.answers[SITE] = _redirect(target, 302)
    with pytest.raises(SourceError, match="only http and https"):
        fetcher.get(SITE)
    with pytest.raises(SourceError):
        fetcher.get(target)


def test_a_secret_is_not_passed_on(server: FeedServer, fetcher: Fetcher) -> None:
    server.answers[SITE] = _redirect("https://other.example.org/", 302)
    server.answers["https://other.example.org/"] = Answer(b"x")
    fetcher.get(SITE, headers={"Authorization": "Bearer s"})
    assert "Authorization" in server.asked[0].headers
    assert "Authorization" not in server.asked[1].headers


# ── limits ─────────────────────────────────────────────────────────────────────────────────────


def test_a_bomb_never_grows(server: FeedServer, fetcher: Fetcher) -> None:
    server.answers[SITE] = Answer(bytes(64 << 20), gzip=True)
    with pytest.raises(SourceError, match="larger than 1 MB"):
        fetcher.get(SITE, max_bytes=1 << 20)
    server.answers[SITE] = Answer(bytes(3 << 20))
    with pytest.raises(SourceError, match="larger than 1 MB"):
        fetcher.get(SITE, max_bytes=1 << 20)


@pytest.mark.parametrize("headers", [{"Content-Encoding": "gzip"}, {"Content-Encoding": "deflate"}])
def test_what_says_it_is_packed_and_is_not(
    server: FeedServer, fetcher: Fetcher, headers: dict[str, str]
) -> None:
    server.answers[SITE] = Answer(b"<rss>not packed at all</rss>", headers=headers)
    with pytest.raises(SourceError, match="damaged"):
        fetcher.get(SITE)


def test_an_unknown_packing_is_refused(server: FeedServer, fetcher: Fetcher) -> None:
    server.answers[SITE] = Answer(b"x", headers={"Content-Encoding": "br"})
    with pytest.raises(SourceError, match="br"):
        fetcher.get(SITE)


def test_an_answer_that_breaks_off(server: FeedServer, fetcher: Fetcher) -> None:
    server.answers[SITE] = Answer(b"<rss>", cut=100)
    with pytest.raises(SourceError, match="broke off"):
        fetcher.get(SITE)


def test_a_slow_drip_ends_with_the_time_allowed(server: FeedServer) -> None:
    server.answers[server.address + "drip"] = Answer(bytes(1000), drip=0.05)
    with (
        Fetcher() as direct,
        pytest.raises(SourceError, match="did not answer in time"),
    ):
        direct.get(server.address + "drip", private=True, seconds=0.4)


def test_stopping_ends_a_request_under_way(server: FeedServer) -> None:
    server.answers[server.address + "drip"] = Answer(bytes(1000), drip=0.05)
    with (
        Fetcher(stopped=lambda: len(server.asked) > 0) as direct,
        pytest.raises(Interrupted),
    ):
        direct.get(server.address + "drip", private=True)


# ── where it may lead ──────────────────────────────────────────────────────────────────────────


def test_nothing_leads_inside_but_what_the_user_typed(server: FeedServer) -> None:
    server.answers[server.address + "feed"] = Answer(b"inside")
    port = httpx.URL(server.address).port
    with Fetcher() as direct:
        for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]"):
            with pytest.raises(SourceError, match="inside this machine"):
                direct.get(f"http://{host}:{port}/feed")
        assert server.asked == []
        assert direct.get(server.address + "feed", private=True).body == b"inside"


def test_a_typed_address_does_not_open_the_way_to_others(server: FeedServer) -> None:
    port = httpx.URL(server.address).port
    server.answers[server.address + "feed"] = _redirect(f"http://localhost:{port}/secret", 302)
    with Fetcher() as direct, pytest.raises(SourceError, match="inside this machine"):
        direct.get(server.address + "feed", private=True)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("address", "public"),
    [("8.8.8.8", True), ("2606:4700::1111", True), ("10.1.2.3", False), ("169.254.169.254", False),
     ("100.64.0.1", False), ("::1", False), ("fe80::1%eth0", False), ("64:ff9b::7f00:1", False),
     ("::ffff:10.0.0.1", False), ("2002:7f00:1::", False), ("224.0.0.1", False), ("x", False)],
)  # fmt: skip
def test_public_addresses(address: str, public: bool) -> None:
    from reader.fetch.connection import is_public

    assert is_public(address) is public


def test_nothing_listens() -> None:
    with Fetcher() as direct, pytest.raises(SourceError, match="cannot be reached"):
        direct.get("http://127.0.0.1:9/", private=True)
    with Fetcher() as direct, pytest.raises(SourceError, match="no address"):
        direct.get("http://[::1/")


# ── politeness ─────────────────────────────────────────────────────────────────────────────────


def test_two_connections_to_one_host(server: FeedServer, fetcher: Fetcher) -> None:
    urls = [f"https://blog.example.org/{n}" for n in range(12)]
    for url in urls:
        server.answers[url] = Answer(b"x" * 5, drip=0.005)
    got = dict(each(lambda url: fetcher.get(url).body, urls, workers=12))
    assert set(got.values()) == {b"xxxxx"}
    assert server.busiest["blog.example.org"] <= 2


def test_two_connections_to_one_port_also_of_this_machine(server: FeedServer) -> None:
    urls = [f"{server.address}{n}" for n in range(12)]
    for url in urls:
        server.answers[url] = Answer(b"x" * 5, drip=0.005)
    with Fetcher() as direct:
        got = dict(each(lambda url: direct.get(url, private=True).body, urls, workers=12))
    assert set(got.values()) == {b"xxxxx"}
    assert server.busiest["127.0.0.1"] == 2


@pytest.mark.parametrize(
    ("secret", "header"),
    [("me:s3", "Basic bWU6czM="), ("tok", "Bearer tok"), ("Token t", "Token t")],
)
def test_a_login_is_given_only_where_it_is_asked_for(
    server: FeedServer, secret: str, header: str
) -> None:
    def door(asked: Asked) -> Answer:
        let = asked.headers.get("Authorization") == header
        return Answer(b"in") if let else Answer(status=401)

    server.answers |= {SITE: door, "https://open.example.org/": Answer(b"open")}
    asked: list[str] = []

    def kept(name: str) -> str | None:
        asked.append(name)
        return secret if name == "blog.example.org" else None

    with Fetcher(transport=server.transport(), login=kept) as fetcher:
        assert [fetcher.get(SITE).body for _each in range(2)] == [b"in", b"in"]
        assert fetcher.get("https://open.example.org/").body == b"open"
    assert asked == ["blog.example.org"]
    assert len(server.asked) == 4  # the first is refused, then none
    assert "Authorization" not in server.asked[-1].headers


def test_a_proxy_is_asked_for_everything_but_this_machine(server: FeedServer) -> None:
    server.fallback = lambda _asked: Answer(b"by the proxy")
    with Fetcher(proxy=server.address) as fetcher:
        assert fetcher.get("http://nowhere.invalid/feed").body == b"by the proxy"
        with pytest.raises(SourceError, match="inside this machine"):
            fetcher.get("http://localhost/feed")
        with pytest.raises(SourceError, match="inside this machine"):
            fetcher.get("http://10.0.0.1/feed")


def test_certificates_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    for text in (None, "no certificate"):
        file = tmp_path / "own.pem"
        if text is not None:
            file.write_text(text)
        with pytest.raises(SourceError, match=r"own\.pem"):
            Fetcher(authority=str(file))


def test_an_own_authority_is_trusted_and_no_other(tmp_path: Path) -> None:
    folder = Path(__file__).parent / "data" / "certificates"
    with serving(folder / "server.pem") as server:
        server.answers[server.address + "feed"] = Answer(b"trusted")
        with (
            Fetcher() as stranger,
            pytest.raises(Untrusted, match="certificate that cannot be trusted"),
        ):
            stranger.get(server.address + "feed", private=True)
        with Fetcher(authority=str(folder / "authority.pem")) as friend:
            assert friend.get(server.address + "feed", private=True).body == b"trusted"


def test_ipv6(server: FeedServer) -> None:
    with serving(host="::1") as six:
        six.answers[six.address + "feed"] = Answer(b"six")
        with Fetcher() as direct:
            assert direct.get(six.address + "feed", private=True).body == b"six"
            with pytest.raises(SourceError, match="inside this machine"):
                direct.get(six.address + "feed")


def test_arxiv_is_asked_every_three_seconds_over_one_connection(server: FeedServer) -> None:
    times = [100.0]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        times[0] += seconds

    hosts = ("rss.arxiv.org", "export.arxiv.org", "arxiv.org")
    urls = [f"https://{host}/{n}" for n, host in enumerate(hosts)]
    for url in urls:
        server.answers[url] = Answer(b"x")
    with Fetcher(transport=server.transport(), clock=lambda: times[0], sleep=sleep) as polite:
        for _url, body in each(lambda url: polite.get(url).body, urls, workers=3):
            assert body == b"x"
    assert slept == [3.0, 3.0]


# ── when to come back ──────────────────────────────────────────────────────────────────────────


def _retry_cases() -> list[dict[str, Any]]:
    file = cases.CASES / "43-http-retry-after" / "http.json"
    found: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["cases"]
    return found


@pytest.mark.parametrize("case", _retry_cases(), ids=lambda case: str(case["retry_after"]))
def test_case_retry_after(case: dict[str, Any]) -> None:
    from reader.sync.schedule import after_failure

    now = datetime(2026, 3, 2, 12, tzinfo=UTC)
    following = after_failure([], now, retry_after(case["retry_after"], now))
    assert following >= (cases.instant(case.get("next_min")) or now)
    assert following <= (cases.instant(case.get("next_max")) or now + timedelta(days=8))


def test_cache_seconds() -> None:
    now = datetime(2026, 3, 2, 12, tzinfo=UTC)
    assert cache_seconds({"cache-control": "public, max-age=60"}, now) == 60
    assert cache_seconds({"cache-control": "no-cache, max-age=60"}, now) is None
    assert cache_seconds({"expires": "Mon, 02 Mar 2026 13:00:00 GMT"}, now) == 3600
    assert cache_seconds({"expires": "0"}, now) is None
    assert cache_seconds({"cache-control": "max-age=999999999"}, now) == 7 * 86400


def test_an_answer_may_depend_on_the_request(server: FeedServer, fetcher: Fetcher) -> None:
    def told(asked: Asked) -> Answer:
        return Answer(asked.headers["Accept"].encode())

    server.answers[SITE] = told
    assert fetcher.get(SITE, headers={"Accept": "text/x"}).body == b"text/x"
