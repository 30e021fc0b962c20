"""When feeds are asked again, and what is noticed when there is no network."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from reader import settings, sync
from reader.cli import main
from reader.fetch import Fetcher
from reader.model import Feed, FeedKind, Health, ParsedEntry, ParsedFeed
from reader.store import Store
from reader.sync import outage, schedule
from reader.sync.limits import trimmed
from reader.sync.pace import Pace, pace_of
from tests.feed_server import Answer, FeedServer, serving

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday
FEED = Feed("f1", "https://blog.example.org/feed", "Notes")
RSS = b"""<rss version="2.0"><channel><title>Notes</title>%s
<item><title>one</title><guid>1</guid></item></channel></rss>"""


def _read(*published: datetime) -> ParsedFeed:
    entries = tuple(ParsedEntry(str(n), published=at) for n, at in enumerate(published))
    return ParsedFeed("Notes", "rss", entries=entries)


def _next(pace: Pace, *, cache: float | None = None, kind: FeedKind = FeedKind.FEED) -> datetime:
    feed = Feed("f1", FEED.url, "Notes", kind)
    return schedule.after_success(feed, Health.OK, NOW, cache, pace)


# ── the rhythm ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hours", "wait"),
    [(0.1, timedelta(minutes=20)), (8, timedelta(hours=2)), (24 * 7, timedelta(hours=6))],
)
def test_the_interval_follows_the_rhythm_within_bounds(hours: float, wait: timedelta) -> None:
    dates = [NOW - timedelta(hours=hours) * n for n in range(20)]
    assert _next(pace_of(b"", _read(*dates), NOW)) == NOW + wait


def test_a_feed_that_fell_silent_is_asked_less() -> None:
    lively = [NOW - timedelta(hours=n) for n in range(10)]
    silent = [at - timedelta(days=1) for at in lively]
    assert _next(pace_of(b"", _read(*lively), NOW)) == NOW + timedelta(minutes=20)
    assert _next(pace_of(b"", _read(*silent), NOW)) == NOW + timedelta(hours=3)


def test_an_entry_of_the_future_tells_nothing() -> None:
    pace = pace_of(b"", _read(NOW + timedelta(days=400), NOW - timedelta(hours=1)), NOW)
    assert (pace.gap, pace.newest) == (0.0, (NOW - timedelta(hours=1)).timestamp())


def test_a_daily_digest_is_never_asked_late() -> None:
    pace = pace_of(b"", _read(*(NOW - timedelta(days=n) for n in range(9))), NOW)
    assert _next(pace, kind=FeedKind.DIGEST_SITE) == NOW + timedelta(hours=1)
    assert _next(Pace(gap=60.0), kind=FeedKind.ARXIV) == NOW + timedelta(hours=3)


@pytest.mark.parametrize(
    ("said", "wait"),
    [(b"<ttl>180</ttl>", timedelta(hours=3)), (b"<ttl> 99999 </ttl>", timedelta(days=1)),
     (b"<ttl>-5</ttl>", timedelta(minutes=30)), (b"", timedelta(minutes=30)),
     (b"<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>",
      timedelta(hours=6))],
)  # fmt: skip
def test_ttl_is_obeyed(said: bytes, wait: timedelta) -> None:
    assert _next(pace_of(RSS % said, _read(), NOW)) == NOW + wait


def test_what_an_entry_says_is_not_the_feeds_word() -> None:
    body = b"<rss><channel><item><ttl>900</ttl></item></channel></rss>"
    assert pace_of(body, _read(), NOW).ttl == 0


@pytest.mark.parametrize(
    ("said", "until"),
    [("<skipHours><hour>12</hour><hour>13</hour></skipHours>", "2026-03-02T14:00"),
     ("<skipDays><day>Monday</day><day>tuesday</day></skipDays>", "2026-03-04T00:00"),
     ("<skipDays><day>Monday</day></skipDays><skipHours><hour>24</hour></skipHours>",
      "2026-03-03T01:00"),
     ("<skipHours><hour>99</hour></skipHours><skipDays><day>Noday</day></skipDays>",
      "2026-03-02T12:30")],
)  # fmt: skip
def test_hours_and_days_that_a_feed_skips(said: str, until: str) -> None:
    pace = pace_of(RSS % said.encode(), _read(), NOW)
    assert _next(pace) == datetime.fromisoformat(until).replace(tzinfo=UTC)


def test_who_skips_everything_is_asked_all_the_same() -> None:
    assert _next(Pace(hours=tuple(range(24)))) == NOW + timedelta(minutes=30)


def test_a_rhythm_is_kept_and_what_is_damaged_tells_nothing() -> None:
    pace = Pace(60.0, 5.0, 7.0, (1, 2), (6,))
    assert Pace.load(pace.dump()) == pace
    assert Pace.load("[1]") == Pace.load("x") == Pace.load(None) == Pace()


def test_those_that_failed_together_part() -> None:
    tries = {schedule.after_failure([], NOW, None, key=f"https://h{n}/") for n in range(50)}
    assert len(tries) > 40
    assert all(timedelta(minutes=5) <= at - NOW <= timedelta(minutes=6.25) for at in tries)


@pytest.mark.parametrize("end", [b"</item>", b"</entry >"])
def test_of_a_flood_the_first_are_read(end: bytes) -> None:
    flood = b"<f>" + b"".join(b"<i>%d" % n + end for n in range(9)) + b"</f>"
    body, had = trimmed(flood, 4)
    assert had == 9
    assert body == b"<f>" + b"".join(b"<i>%d" % n + end for n in range(4)) + b"</f>"
    assert trimmed(flood, 9) == (flood, 0)
    assert trimmed(b"</item" * 9, 4) == (b"</item" * 9, 0)


# ── whole syncs ────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def server() -> Iterator[FeedServer]:
    with serving() as running:
        yield running


class NoNetwork(httpx.BaseTransport):
    """No address can be reached, but those of this machine."""

    def __init__(self, server: FeedServer) -> None:
        self._inside = server.transport()
        self.asked: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.host)
        if request.url.host == "127.0.0.1":
            return self._inside.handle_request(request)
        raise httpx.ConnectError("[Errno -3] Temporary failure in name resolution")

    def close(self) -> None:
        self._inside.close()


def _subscribe(path: Path, *urls: str) -> None:
    with Store.open(path) as store:
        for url in urls:
            store.feeds.add(url, private=True)


def _sync(path: Path, transport: httpx.BaseTransport) -> sync.SyncResult:
    with Fetcher(transport=transport, now=lambda: NOW) as fetcher:
        return sync.sync(path, force=True, fetcher=fetcher, now=lambda: NOW)


def test_a_rhythm_lasts_over_what_is_unchanged(server: FeedServer, tmp_path: Path) -> None:
    headers = {"ETag": '"1"'}
    server.answers[FEED.url] = Answer(RSS % b"<ttl>240</ttl>", headers=headers)
    _subscribe(tmp_path / "s.db", FEED.url)
    for outcome in (Health.OK, Health.UNCHANGED):
        assert _sync(tmp_path / "s.db", server.transport()).feeds[0].outcome is outcome
        with Store.open(tmp_path / "s.db") as store:
            assert store.feeds.all()[0].next_check == NOW + timedelta(hours=4)


def test_offline_is_one_state_and_nothing_is_held_against_the_feeds(
    server: FeedServer, tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    urls = [f"https://h{n}.example.org/" for n in range(60)]
    _subscribe(path, *urls)
    network = NoNetwork(server)
    result = _sync(path, network)
    assert (result.offline, result.failed, result.feeds) == (True, 0, ())
    assert len(network.asked) < 60  # the last need not be tried
    with Store.open(path) as store:
        assert {(each.health, each.next_check) for each in store.feeds.all()} == {(None, None)}
        assert all(store.feeds.history(each.id, 9999) == [] for each in store.feeds.all())
    server.fallback = lambda asked: Answer(
        (RSS % b"").replace(b">1<", b">%s<" % asked.url.encode())
    )
    again = _sync(path, server.transport())
    assert (again.offline, again.failed, again.new) == (False, 0, 60)


def test_one_host_that_is_away_is_not_the_network(
    server: FeedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "_has_network", lambda: True)
    _subscribe(tmp_path / "s.db", FEED.url)
    result = _sync(tmp_path / "s.db", NoNetwork(server))
    assert (result.offline, result.failed) == (False, 1)
    monkeypatch.setattr(outage, "_has_network", lambda: False)
    assert _sync(tmp_path / "s.db", NoNetwork(server)).offline


def test_an_outage_lasts_until_something_is_reached(
    server: FeedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "_has_network", lambda: True)
    path, other = tmp_path / "s.db", "https://b.example.org/"
    _subscribe(path, FEED.url, other)
    assert _sync(path, NoNetwork(server)).offline
    with Fetcher(transport=NoNetwork(server)) as fetcher:
        alone = sync.sync(path, feeds=["f1"], fetcher=fetcher, now=lambda: NOW)
    assert (alone.offline, alone.failed) == (True, 0)
    server.fallback = lambda _asked: Answer(RSS % b"")
    assert not _sync(path, server.transport()).offline
    with Fetcher(transport=NoNetwork(server)) as fetcher:
        alone = sync.sync(path, feeds=["f1"], fetcher=fetcher, now=lambda: NOW)
    assert (alone.offline, alone.failed) == (False, 1)


def test_feeds_that_were_dead_before_are_no_sign_of_an_outage() -> None:
    from reader.fetch import Unreachable, Untrusted

    dead = [Feed(f"f{n}", f"https://h{n}.example.org", "", health=Health.FAILED) for n in range(30)]
    seen = outage.Outage()
    for feed in dead:
        seen.saw(feed, Unreachable("x"))
    assert not seen.is_certain
    fine = [Feed(f"f{n}", f"https://g{n}.example.org", "") for n in range(2)]
    for feed in fine:
        seen.saw(feed, Unreachable("x"))
    assert seen.is_certain
    seen.saw(Feed("f9", "http://127.0.0.1/", ""), None)
    assert seen.is_certain
    seen.saw(fine[0], Untrusted("x"))
    assert not seen.is_likely


def test_what_lies_on_this_machine_comes_in_without_a_network(
    server: FeedServer, tmp_path: Path
) -> None:
    server.answers["http://127.0.0.1/feed"] = Answer(RSS % b"")
    _subscribe(tmp_path / "s.db", "http://127.0.0.1/feed", FEED.url, "https://b.example.org/")
    result = _sync(tmp_path / "s.db", NoNetwork(server))
    assert (result.offline, result.new, result.failed) == (True, 1, 0)


def test_a_dead_server_of_this_machine_failed_also_without_a_network(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    _subscribe(path, "http://127.0.0.1:9/feed")
    with Fetcher() as fetcher:
        result = sync.sync(path, fetcher=fetcher, now=lambda: NOW)
    assert (result.offline, result.failed) == (False, 1)


def test_the_command_line_goes_by_the_proxy_of_its_own_file(
    server: FeedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.fallback = lambda _asked: Answer(RSS % b"")
    store, config = tmp_path / "s.db", tmp_path / "own.toml"
    _subscribe(store, "http://nowhere.invalid/feed")
    settings.save(config, settings.Settings(proxy=server.address, language="en"))
    code = main(["--store", str(store), "--config", str(config), "sync", "--json"], _no_window)
    assert code == 0
    assert '"new": 1' in capsys.readouterr().out
    assert len(server.asked) == 1


def _no_window(_session: object) -> int:
    raise AssertionError
