"""What is due comes in by itself while the window is open, and says one quiet line."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from reader import sync
from reader.gui.background import OFFLINE_SECONDS, Background
from reader.gui.desk import Desk
from reader.gui.jobs import Jobs
from reader.model import Fetch, Health
from reader.store import Store
from reader.sync import FeedResult, SyncResult
from tests.feed_server import Answer, FeedServer, serving

RSS = b"<rss><channel><title>Notes</title><item><title>a</title></item></channel></rss>"


@pytest.fixture
def server() -> Iterator[FeedServer]:
    with serving() as running:
        yield running


@pytest.fixture
def desk(tmp_path: Path, qtbot: QtBot) -> Iterator[Desk]:
    made = Desk(tmp_path / "s.db")
    yield made
    made.close()


def _subscribe(desk: Desk, url: str, next_check: datetime | None = None) -> str:
    with Store.open(desk.path) as store:
        feed = store.feeds.add(url, private=True)
        if next_check is not None:
            now = datetime.now(UTC)
            store.feeds.record(feed.id, Fetch(now, Health.OK, next_check=next_check))
        return feed.id


def test_what_is_due_comes_in_with_one_quiet_line(
    desk: Desk, server: FeedServer, qtbot: QtBot
) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    server.answers |= {server.address + name: Answer(RSS) for name in ("due", "later")}
    _subscribe(desk, server.address + "due")
    _subscribe(desk, server.address + "later", soon)
    jobs = Jobs(desk, (), "")
    steps: list[Any] = []
    jobs.sync_progress.connect(lambda *step: steps.append(step))
    background = Background(desk, jobs, jobs)
    with qtbot.waitSignal(jobs.sync_ended, timeout=20_000) as ended:
        background.look()
    assert ended.args == ["1 new from Notes"]
    assert steps == []
    assert [url.rpartition("/")[2] for url in server.urls()] == ["due"]


def test_nothing_due_asks_nobody(desk: Desk, server: FeedServer, qtbot: QtBot) -> None:
    _subscribe(desk, server.address + "later", datetime.now(UTC) + timedelta(hours=1))
    jobs = Jobs(desk, (), "")
    background = Background(desk, jobs, jobs)
    answers: list[bool] = []
    found = background._found

    def seen(is_due: bool) -> None:
        answers.append(is_due)
        found(is_due)

    background._found = seen  # type: ignore[method-assign]
    background.look()
    qtbot.waitUntil(lambda: answers == [False], timeout=20_000)
    assert not jobs.syncing
    assert server.asked == []


def test_offline_is_said_once_and_looked_for_again(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def away(*_args: Any, **_more: Any) -> SyncResult:
        asked.append(1)
        return SyncResult(offline=True)

    monkeypatch.setattr(sync, "sync", away)
    _subscribe(desk, "https://blog.example.org/feed")
    jobs, times = Jobs(desk, (), ""), [1e9]
    background = Background(desk, jobs, jobs, clock=lambda: times[0])
    said: list[str] = []
    jobs.sync_ended.connect(said.append)
    for count in (1, 2):
        background.look()
        qtbot.waitUntil(lambda count=count: len(said) == count, timeout=20_000)  # type: ignore[misc]
        times[0] += 60
    assert "No network" in said[0]
    assert said[1] == ""
    background.look()  # not again so soon
    times[0] += OFFLINE_SECONDS
    background.look()  # and at once after a sleep
    qtbot.waitUntil(lambda: len(said) == 3, timeout=20_000)
    assert len(asked) == 3


def test_several_sources_are_one_line(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    feeds = tuple(FeedResult(f"f{n}", "u", "t", Health.OK, new=n) for n in range(3))
    monkeypatch.setattr(sync, "sync", lambda *_a, **_m: SyncResult(feeds, new=3))
    jobs = Jobs(desk, (), "")
    with qtbot.waitSignal(jobs.sync_ended, timeout=20_000) as ended:
        jobs.sync(force=False, quiet=True)
    assert ended.args == ["3 new from 2 sources"]
