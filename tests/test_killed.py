"""Killed at any point: the store is whole, nothing is doubled, and the next try completes it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import gettempdir

import psutil
import pytest

from reader.model import Query, RunStatus, StoryKind
from reader.store import Store
from tests.command import calling, command
from tests.feed_server import Answer, Asked, serving
from tests.refusals import DAILY, marked

CHECKS = Path(__file__).parent / "data" / "checks"
KINDS = (StoryKind.ITEM, StoryKind.ENTRY, StoryKind.DIGEST)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return marked(tmp_path / "s.db")


def titles(store: Path) -> list[str]:
    with Store.open(store) as opened:
        rows = opened.library.page(Query(kinds=KINDS, limit=10_000))
    return [row.title for row in rows]


def killed(process: subprocess.Popen[bytes], when: Callable[[], bool]) -> bool:
    """Kill a process, as the kernel would, once something holds; tell whether it still ran."""
    while process.poll() is None and not when():
        time.sleep(0.002)
    process.kill()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    return process.wait() < 0


def whole(store: Path) -> None:
    """Hold that a store is whole, and that nobody holds it."""
    with Store.open(store) as opened:
        assert opened.check() == []
        assert opened.leases() == []


def sound(store: Path) -> None:
    """Hold the same as the command line sees it."""
    document = command("doctor", "--json", store=store).json
    assert document["store"]["ok"] is True
    whole(store)


def test_an_import_killed_anywhere_is_completed_by_the_next(store: Path, tmp_path: Path) -> None:
    posts = tmp_path / "posts"
    posts.mkdir()
    days = range(4, 29)
    for n in days:
        (posts / f"{n}.md").write_text(DAILY.format(n=n), encoding="utf-8")
    before = titles(store)
    struck = 0
    for stories in (0, 2, 11, 30, 48):  # of the fifty there are to come, seen from outside
        enough = len(before) + stories
        process = calling("import", posts, store=store)
        struck += killed(process, partial(lambda least: len(titles(store)) >= least, enough))
        whole(store)
        found = titles(store)
        assert set(before) <= set(found)
        for n in days:  # a digest is there with its item, or not at all
            assert found.count(f"Tiles, day {n}") == found.count(f"Tile {n} keeps its registers")
    assert struck
    assert command("import", posts, store=store).code == 0
    found = titles(store)
    assert sorted(found) == sorted(
        before + [f"Tiles, day {n}" for n in days] + [f"Tile {n} keeps its registers" for n in days]
    )
    assert command("import", posts, store=store).code == 0
    assert titles(store) == found
    sound(store)


FEED = """<rss version="2.0"><channel><title>Feed {n}</title><link>https://f{n}.example.org/</link>
{items}</channel></rss>"""
ITEM = "<item><title>Kernel {n}.{m}</title><guid>k{n}-{m}</guid><description>x</description></item>"


def feed(n: int) -> bytes:
    items = "".join(ITEM.format(n=n, m=m) for m in range(20))
    return FEED.format(n=n, items=items).encode()


def test_a_sync_killed_anywhere_is_completed_by_the_next(store: Path) -> None:
    """One feed drips, so that the kill comes while some are saved and one is under way."""
    feeds = range(6)
    before = titles(store)
    with serving() as server:
        slow = True

        def answer(asked: Asked) -> Answer:
            n = int(asked.url.rpartition("/")[2])
            return Answer(feed(n), drip=0.5 if slow and n == 1 else 0.0)

        for n in feeds:
            server.answers[f"{server.address}{n}"] = answer
        addresses = [f"{server.address}{n}" for n in feeds]
        assert command("add", *addresses, "--kind", "feed", store=store).code == 0
        for reached in (
            lambda: len(server.asked) >= 1,
            lambda: len(titles(store)) > len(before),
            lambda: len(titles(store)) >= len(before) + 3 * 20,
        ):
            assert killed(calling("sync", "--force", store=store), reached)
            whole(store)
            assert set(before) <= set(titles(store))
        slow = False
        done = command("sync", "--force", "--json", store=store).json
    assert (done["failed"], len(done["feeds"])) == (0, len(feeds))
    assert sorted(titles(store)) == sorted(
        before + [f"Kernel {n}.{m}" for n in feeds for m in range(20)]
    )
    sound(store)


def legs(app: int) -> list[psutil.Process]:
    """Return the processes that work for a run of the app's: they hold its folder's name."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if any(f"readproof-leg-{app}-" in word for word in process.cmdline()):
                found.append(process)
    return found


def test_a_run_killed_anywhere_reads_interrupted(store: Path, tmp_path: Path) -> None:
    config = ("--config", tmp_path / "settings.toml")
    for name in ("hangs", "confirms"):
        folder = shutil.copytree(CHECKS / name, tmp_path / "checks" / name)
        assert command(*config, "check", "trust", folder, "--yes", store=store).code == 0
    run = (*config, "check", "run", "hangs", "--python", sys.executable, "--timeout", "600")
    apps = []

    def running() -> bool:
        with Store.open(store) as opened:
            return any(each.status is RunStatus.RUNNING for each in opened.runs.all())

    def begun() -> bool:
        return bool(legs(process.pid))

    for reached in (running, begun):
        process = calling(*run, "--item", "i1", store=store)
        apps.append(process.pid)
        assert killed(process, reached)
        whole(store)
    runs = command("runs", "--json", store=store).json
    assert len(runs) == 2
    assert {each["status"] for each in runs} == {"interrupted"}
    for app in apps:  # what such a run started does not compute on
        left = psutil.wait_procs(legs(app), timeout=30)[1]
        assert left == []
    queued = command("queue", "list", "--json", store=store).json
    assert [each["state"] for each in queued] == ["queued"]
    words = (*config, "check", "run", "confirms", "--python", sys.executable, "--json")
    assert command(*words, store=store).json["status"] == "finished"
    left_behind = [list(Path(gettempdir()).glob(f"readproof-leg-{app}-*")) for app in apps]
    assert left_behind == [[], []]
    sound(store)
