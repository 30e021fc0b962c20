"""How a source is doing, told apart by state, with since when and what to do."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reader import sync
from reader.cli import main
from reader.model import Feed, FeedKind, Fetch, Health, ParsedEntry, ParsedFeed
from reader.store import Store
from reader.sync import health, schedule

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday
SATURDAY = datetime(2026, 2, 28, 12, tzinfo=UTC)
RSS = Feed("f1", "https://rss.arxiv.org/rss/cs.PL", "", FeedKind.ARXIV)


def _feed(state: Health | None, kind: FeedKind = FeedKind.FEED, **more: object) -> Feed:
    url = str(more.pop("url", "https://blog.example.org/feed"))
    return Feed("f1", url, "Kernel Notes", kind, health=state, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("state", "reason", "advice"),
    [
        (Health.OK, "3 new", ""),
        (Health.UNCHANGED, "Nothing has changed", ""),
        (Health.QUIET, "has nothing to give", ""),
        (Health.GONE, "", "Unsubscribe, or"),
        (Health.FAILED, "", "tried again by itself"),
        (Health.STALE, "", "publisher is behind"),
        (Health.DUPLICATES, "", "another source"),
    ],
)
def test_each_state_has_its_words(state: Health, reason: str, advice: str) -> None:
    found = health.standing(_feed(state), [Fetch(NOW, state, new=3)], NOW)
    assert reason in found.reason
    assert advice in found.advice
    assert bool(found.advice) is bool(advice)


def test_a_weekend_is_told_from_a_quiet_day() -> None:
    weekend = _feed(Health.QUIET, FeedKind.ARXIV, last_checked=SATURDAY)
    assert "weekend" in health.standing(weekend, [], NOW).reason
    holiday = _feed(Health.QUIET, FeedKind.ARXIV, last_checked=NOW)
    assert "holiday" in health.standing(holiday, [], NOW).reason


def test_since_when() -> None:
    times = [NOW - timedelta(hours=n) for n in (5, 4, 3, 2)]
    states = (Health.FAILED, Health.OK, Health.QUIET, Health.QUIET)
    history = [Fetch(at, state) for at, state in zip(times, states, strict=True)]
    assert health.since(_feed(Health.QUIET, last_checked=times[3]), history) == times[2]
    failing = _feed(Health.FAILED, failing_since=times[0])
    assert health.since(failing, history) == times[0]
    assert health.since(_feed(None), []) is None


def test_the_days_show_what_brought_something() -> None:
    day = timedelta(days=1)
    history = [
        Fetch(NOW - day, Health.OK, new=2),
        Fetch(NOW - day + timedelta(hours=1), Health.UNCHANGED),
        Fetch(NOW, Health.UNCHANGED),
        Fetch(NOW + timedelta(minutes=5), Health.FAILED, error="down"),
    ]
    shown = health.days(history, NOW + timedelta(minutes=5), 3)
    assert [(one.outcome, one.new, one.error) for one in shown] == [
        (None, 0, None),
        (Health.OK, 2, None),
        (Health.FAILED, 0, "down"),
    ]


@pytest.mark.parametrize(
    ("notice", "url", "named"),
    [
        ("example/tiler：403", "https://github.com/example/tiler/releases.atom", True),
        ("Tiler: time-out", "https://github.com/example/tiler/releases.atom", True),
        ("other/thing: 403", "https://github.com/example/tiler/releases.atom", False),
        ("blog.example.org: 503", "https://blog.example.org/feed", True),
        ("KERNEL NOTES failed", "https://b.example.net/feed", True),
        ("arXiv: 429", "https://blog.example.org/feed", False),
    ],
)
def test_a_digests_notice_sits_beside_the_source_it_names(
    notice: str, url: str, named: bool
) -> None:
    found = health.standing(_feed(Health.OK, url=url), [], NOW, notices=(notice,))
    assert bool(found.notices) is named


def test_an_old_batch_of_arxiv_is_stale_on_a_weekday_alone() -> None:
    def batch(day: int) -> ParsedFeed:
        at = datetime(2026, 2, day, 5, tzinfo=UTC)  # midnight Eastern
        return ParsedFeed("", "rss", entries=(ParsedEntry("a", published=at),))

    friday = batch(27)
    assert not schedule.is_stale(RSS, friday, SATURDAY)
    assert not schedule.is_stale(RSS, friday, datetime(2026, 3, 2, 6, tzinfo=UTC))  # being built
    assert schedule.is_stale(RSS, friday, datetime(2026, 3, 2, 12, tzinfo=UTC))
    assert schedule.is_stale(RSS, batch(26), SATURDAY)


def test_the_command_line_says_why_since_when_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, now = tmp_path / "s.db", datetime.now(UTC)
    with Store.open(path) as store:
        feed = store.feeds.add("https://blog.example.org/feed", "Notes")
        following = now + timedelta(hours=1)
        store.feeds.record(feed.id, Fetch(now, Health.FAILED, "Error 500.", next_check=following))
        store.facts.set(health.moved_fact(feed), "https://old.example.org/feed")
    assert main(["--store", str(path), "--lang", "en", "feeds", "--json"], _no_window) == 0
    (shown,) = json.loads(capsys.readouterr().out)
    assert (shown["reason"], shown["health"]) == ("Error 500.", "failed")
    assert shown["since"] == shown["failing_since"]
    assert "tried again" in shown["advice"]
    assert shown["moved_from"] == "https://old.example.org/feed"
    assert [day["outcome"] for day in shown["days"]] == [*[None] * 13, "failed"]
    assert main(["--store", str(path), "--lang", "en", "feeds"], _no_window) == 0
    out = capsys.readouterr().out
    assert "Error 500." in out
    assert "tried again" in out
    assert following.astimezone().strftime("%m-%d %H:%M") in out


def test_a_feed_that_moved_says_from_where(tmp_path: Path) -> None:
    from reader.fetch import Fetcher
    from tests.feed_server import Answer, serving

    old, new = "https://old.example.org/feed", "https://new.example.org/feed"
    with serving() as server, Store.open(tmp_path / "s.db") as store:
        body = b"<rss><channel><title>x</title><item><title>a</title></item></channel></rss>"
        server.answers[old] = Answer(status=308, headers={"Location": new})
        server.answers[new] = Answer(body)
        feed = store.feeds.add(old)
        with Fetcher(transport=server.transport()) as fetcher:
            sync.sync(tmp_path / "s.db", fetcher=fetcher, now=lambda: NOW)
        moved = store.feeds.get(feed.id)
        found = health.standings(store, [moved], NOW)[feed.id]
    assert (moved.url, found.moved_from) == (new, old)
    assert "new address" in found.advice


def _no_window(_session: object) -> int:
    raise AssertionError
