"""Releases and commits of GitHub: whole, by REST or Atom, each once, within its limits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest

from reader import sync
from reader.fetch import Fetcher
from reader.model import Feed, FeedKind, Health, Query, StoryKind, Wanted
from reader.store import Store
from reader.sync import FeedResult
from reader.sync.releases import ReleaseKind, kind_of
from tests.feed_server import Answer, serving
from tests.shared import need_shared
from tests.stand_ins import Commit, GitHub, Release

NOW = datetime(2026, 11, 3, 8, tzinfo=UTC)
PROJECT = "example/tiler"
ATOM = f"https://github.com/{PROJECT}/releases.atom"


class World:
    """A GitHub, a store, and a clock that is turned by hand."""

    def __init__(self, hub: GitHub, path: Path) -> None:
        self.hub, self.path, self.now = hub, path, NOW
        hub.now = lambda: self.now
        hub.install((PROJECT,))

    def add(self, url: str = ATOM, kind: FeedKind = FeedKind.GITHUB_RELEASES) -> Feed:
        with Store.open(self.path) as store:
            return store.feeds.add(url, "", kind)

    def want(self, feed: Feed, **wanted: Any) -> None:
        with Store.open(self.path) as store:
            store.feeds.describe(feed.id, wanted=Wanted(**wanted))

    def sync(self) -> list[FeedResult]:
        with Fetcher(
            transport=self.hub.server.transport(),
            now=lambda: self.now,
            sleep=lambda _seconds: None,
        ) as fetcher:
            result = sync.sync(self.path, force=True, fetcher=fetcher, now=lambda: self.now)
        return list(result.feeds)

    def one(self) -> FeedResult:
        return self.sync()[0]

    def titles(self) -> list[str]:
        with Store.open(self.path) as store:
            rows = store.library.page(Query(kinds=(StoryKind.ENTRY,), limit=None))
        return [row.title for row in rows]

    def flood(self, nights: int, *stable: Release) -> None:
        """Put the stable releases behind a pre-release of each night."""
        nightly = [
            Release(
                f"v3.10.0.dev{(NOW - timedelta(days=n)):%Y%m%d}",
                9_000 - n,
                NOW - timedelta(days=n),
                prerelease=True,
            )
            for n in range(nights)
        ]
        self.hub.releases[PROJECT] = [*nightly, *stable]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with serving() as server:
        yield World(GitHub(server, lambda: NOW), tmp_path / "store.db")


def stable(tag: str = "v3.9.0", number: int = 1, days: int = 60, **more: Any) -> Release:
    return Release(tag, number, NOW - timedelta(days=days), body=f"{tag} fuses loops.", **more)


def test_the_stable_release_is_not_hidden_by_the_nightly_ones(world: World) -> None:
    world.flood(70, stable(), stable("v3.8.0", 2, 200))
    world.add()
    result = world.one()
    assert (result.outcome, result.error) == (Health.OK, None)
    assert world.titles() == ["v3.9.0", "v3.8.0"]
    assert [each.rpartition("=")[2] for each in world.hub.asked] == ["1", "2", "3"]


def test_an_unchanged_list_is_asked_for_once_by_its_etag(world: World) -> None:
    world.hub.releases[PROJECT] = [stable()]
    world.add()
    world.sync()
    world.now += timedelta(hours=1)
    result = world.one()
    assert (result.outcome, result.new, result.updated) == (Health.UNCHANGED, 0, 0)
    assert len(world.hub.asked) == 2


def test_a_flood_too_deep_to_page_through_still_shows_the_latest_stable(world: World) -> None:
    world.flood(400, stable(days=500))
    world.add()
    world.sync()
    assert world.titles() == ["v3.9.0"]
    assert world.hub.asked[-1].endswith("/releases/latest")
    assert len(world.hub.asked) == 11


def test_a_release_of_an_old_branch_comes_though_the_first_page_stays_as_it_was(
    world: World,
) -> None:
    # GitHub sorts by the day of the commit: a patch release stands far behind the nightly ones.
    world.flood(70, stable())
    world.add()
    world.sync()
    world.now += timedelta(hours=1)
    assert world.one().outcome is Health.UNCHANGED
    world.hub.releases[PROJECT].insert(65, stable("v3.9.1", 3, 59))
    assert world.one().new == 1
    assert set(world.titles()) == {"v3.9.0", "v3.9.1"}


def test_prereleases_and_nightly_builds_come_by_the_rule_of_the_source(world: World) -> None:
    world.hub.releases[PROJECT] = [
        Release("v4.0.0.dev20261103", 3, NOW, prerelease=True),
        Release("v4.0.0-rc1", 2, NOW - timedelta(days=2), prerelease=True),
        stable(),
        Release("v5.0.0", 9, NOW, draft=True),
    ]
    feed = world.add()
    world.sync()
    assert world.titles() == ["v3.9.0"]
    world.want(feed, prereleases=True)
    assert world.one().new == 1  # though GitHub's list is unchanged
    assert world.titles() == ["v4.0.0-rc1", "v3.9.0"]
    world.want(feed, prereleases=True, nightly=True)
    world.sync()
    assert world.titles()[0] == "v4.0.0.dev20261103"


def test_a_repository_of_prereleases_alone_says_so(world: World) -> None:
    world.flood(5)
    world.add()
    result = world.one()
    assert result.outcome is Health.QUIET
    assert "(5)" in (result.error or "")


def test_the_same_release_by_rest_and_atom_is_one_entry_and_no_update(world: World) -> None:
    world.hub.releases[PROJECT] = [stable()]
    world.add()
    world.hub.away = True
    assert world.one().new == 1
    world.hub.away = False
    world.now += timedelta(hours=1)
    assert (world.one().new, world.sync()[0].updated) == (0, 0)
    world.hub.away = True
    world.now += timedelta(hours=1)
    again = world.one()
    assert (again.new, again.updated, again.outcome) == (0, 0, Health.UNCHANGED)
    assert world.titles() == ["v3.9.0"]


def test_an_edited_release_is_an_update_by_either_way(world: World) -> None:
    world.hub.releases[PROJECT] = [stable()]
    world.add()
    world.sync()
    for away in (False, True):
        world.hub.away = away
        world.now += timedelta(hours=2)
        release = world.hub.releases[PROJECT][0]
        release.body += " And one more thing."
        release.updated = world.now - timedelta(minutes=5)
        result = world.one()
        assert (result.new, result.updated) == (0, 1)
    assert world.titles() == ["v3.9.0"]


def test_a_repository_that_is_renamed_gives_nothing_anew(world: World) -> None:
    world.hub.releases[PROJECT] = [stable()]
    feed = world.add()
    world.sync()
    old = world.hub.releases.pop(PROJECT)
    world.hub.releases["newname/tiler"] = [*old]
    api = f"https://api.github.com/repos/{PROJECT}/releases?per_page=30&page=1"
    moved = "https://api.github.com/repos/newname/tiler/releases?per_page=30&page=1"
    world.hub.server.answers[api] = Answer(status=301, headers={"Location": moved})
    world.now += timedelta(hours=1)
    result = world.one()
    assert (result.new, result.outcome) == (0, Health.UNCHANGED)
    with Store.open(world.path) as store:
        assert store.feeds.get(feed.id).url == ATOM


def test_at_the_limit_the_feed_comes_by_atom_and_no_source_asks_the_api_again(
    world: World,
) -> None:
    others = tuple(f"example/kernel{n}" for n in range(5))
    world.hub.install(others)
    world.hub.limit = 2
    for project in (PROJECT, *others):
        world.hub.releases[project] = [stable()]
        world.add(f"https://github.com/{project}/releases.atom")
    results = world.sync()
    assert [each.outcome for each in results] == [Health.OK] * 6
    # Two requests may be under way at once, the limit is known from their answers on.
    assert len(world.hub.asked) <= 3
    asked = len(world.hub.asked)
    world.now += timedelta(minutes=30)
    world.sync()
    # Nobody asks before the hour is over but those that were never told, and they ask once.
    assert len(world.hub.asked) <= asked + 2
    world.now += timedelta(minutes=31)
    world.hub.limit = 60
    world.sync()
    assert len(world.hub.asked) >= asked + 6


def test_a_secondary_limit_is_obeyed_by_all_sources_of_the_host(world: World) -> None:
    world.hub.install(("example/kernel",))
    world.hub.secondary = True
    for project in (PROJECT, "example/kernel"):
        world.hub.releases[project] = [stable()]
        world.add(f"https://github.com/{project}/releases.atom")
    assert [each.outcome for each in world.sync()] == [Health.OK] * 2
    assert len(world.hub.asked) <= 2  # two connections, one request each at the most


def test_atom_alone_says_that_a_stable_release_may_be_hidden(world: World) -> None:
    world.flood(70, stable())
    world.hub.away = True
    world.add()
    result = world.one()
    assert result.new == 0
    assert "stable" in (result.error or "")


def test_without_the_api_the_stable_release_comes_by_its_page(world: World) -> None:
    world.flood(70, stable())
    world.hub.away = True
    page = f"https://github.com/{PROJECT}/releases/tag/v3.9.0"
    text = "<p>Loops are fused now, where they can be, and the kernels are shorter by that.</p>" * 4
    world.hub.server.answers |= {
        f"https://github.com/{PROJECT}/releases/latest": Answer(
            status=302, headers={"Location": page}
        ),
        page: Answer(
            f"<html><head><title>Release v3.9.0 · {PROJECT} · GitHub</title></head>"
            f"<body><main><article><h1>v3.9.0</h1>{text}</article></main></body></html>".encode()
        ),
    }
    world.add()
    for new in (1, 0):
        result = world.one()
        assert (result.new, result.updated, result.error) == (new, 0, None)
        world.now += timedelta(hours=1)
    assert world.titles() == ["v3.9.0"]
    world.hub.away = False
    assert world.one().new == 0
    assert world.titles() == ["v3.9.0"]


def test_tags_come_with_those_that_nobody_wrote_a_release_for(world: World) -> None:
    world.hub.releases[PROJECT] = [
        Release("trunk/0123456789abcdef0123456789abcdef01234567", 3, NOW, bare=True),
        stable("v3.9.1", 2, bare=True),
        stable(),
    ]
    world.add(f"https://github.com/{PROJECT}/tags.atom")
    assert world.one().new == 2
    world.add()
    for _again in range(2):
        results = world.sync()
        assert [(one.new, one.updated) for one in results] == [(0, 0)] * 2
    assert len(world.titles()) == 2


def test_recorded_releases_by_both_ways_are_one_each(world: World) -> None:
    folder = need_shared("corpus", "github-atom")
    project = "brave/brave-browser"
    feed = world.add(f"https://github.com/{project}/releases.atom")
    world.want(feed, prereleases=True, nightly=True)
    atom = (folder / "brave_releases.atom").read_bytes()
    rest = json.loads((folder / "brave_api_releases.json").read_bytes())
    world.hub.server.answers[feed.url] = Answer(atom)
    api = f"https://api.github.com/repos/{project}/releases?per_page=30&page="
    world.hub.server.answers[f"{api}1"] = Answer(status=503)
    assert world.one().new == 10
    for page, part in (("1", rest[:30]), ("2", rest[30:])):
        world.hub.server.answers[api + page] = Answer(json.dumps(part).encode())
    world.now += timedelta(hours=1)
    named = set(re.findall(r"/releases/tag/([^\"]+)", atom.decode()))
    shared = {each["tag_name"] for each in rest[:30]} & named
    assert world.one().new == 30 - len(shared)
    assert len(world.titles()) == 40 - len(shared)


def test_a_repository_that_is_gone_fails(world: World) -> None:
    world.add("https://github.com/example/nothing/releases.atom")
    assert world.one().outcome is Health.FAILED


# ── commits ──


def commits(count: int, first: int = 0, path: str = "") -> list[Commit]:
    return [
        Commit(sha1(b"%d" % n).hexdigest(), f"Fuse loop {n}\n\nBecause it is quicker.", NOW, path)
        for n in range(first + count - 1, first - 1, -1)
    ]


def test_commits_come_whole_though_atom_holds_only_the_last(world: World) -> None:
    world.hub.commits[PROJECT, "main"] = commits(50)
    world.add(f"https://github.com/{PROJECT}/commits/main.atom", FeedKind.GITHUB_COMMITS)
    assert world.one().new == 50
    world.hub.commits[PROJECT, "main"] = commits(200)
    assert world.one().new == 150
    assert world.one().outcome is Health.UNCHANGED
    world.hub.away = True
    assert world.one().new == 0
    assert len(set(world.titles())) == 200


def test_a_branch_with_a_slash_and_a_path_in_it_are_found(world: World) -> None:
    world.hub.commits[PROJECT, "release/3.9"] = [
        *commits(3, path="python/triton/compiler.py"),
        *commits(4, 10, "docs/a.md"),
    ]
    url = f"https://github.com/{PROJECT}/commits/release/3.9/python/triton.atom"
    world.add(url, FeedKind.GITHUB_COMMITS)
    assert world.one().new == 3
    world.now += timedelta(hours=1)
    asked = len(world.hub.asked)
    world.sync()
    assert len(world.hub.asked) == asked + 1  # where the branch's name ends is remembered


# ── what is stable ──


@pytest.mark.parametrize(
    ("tag", "name", "marked", "kind"),
    [
        ("v3.9.0", "Triton 3.9.0", False, ReleaseKind.STABLE),
        ("iree-3.13.0", "", False, ReleaseKind.STABLE),
        ("llvmorg-22.1.0", "LLVM 22.1.0", False, ReleaseKind.STABLE),
        ("2026.11.03", "", False, ReleaseKind.STABLE),
        ("b4567", "", False, ReleaseKind.STABLE),
        ("v0.3.post1", "", False, ReleaseKind.STABLE),
        ("v2.0.0", "v2.0.0: alpha blending is back", False, ReleaseKind.STABLE),
        ("v2.14.0-rc3", "", False, ReleaseKind.PRERELEASE),
        ("v1.0.0rc1", "", False, ReleaseKind.PRERELEASE),
        ("llvmorg-23-init", "", False, ReleaseKind.PRERELEASE),
        ("v1.94.112", "Beta v1.94.112", False, ReleaseKind.PRERELEASE),
        ("v0.1", "", True, ReleaseKind.PRERELEASE),
        ("v1.95.77", "Nightly v1.95.77", False, ReleaseKind.NIGHTLY),
        ("iree-3.14.0rc20261103", "", True, ReleaseKind.NIGHTLY),
        ("nightly", "", False, ReleaseKind.NIGHTLY),
        ("ciflow/trunk/79083", "", False, ReleaseKind.NIGHTLY),
        ("viable/strict/1790000000", "", False, ReleaseKind.NIGHTLY),
        ("trunk/0123456789abcdef0123456789abcdef01234567", "", False, ReleaseKind.NIGHTLY),
        ("build-2026-11-03", "", True, ReleaseKind.NIGHTLY),
    ],
)
def test_releases_are_told_apart(tag: str, name: str, marked: bool, kind: ReleaseKind) -> None:
    assert kind_of(tag, name, marked=marked) is kind


def test_what_a_source_remembers_goes_with_it(world: World) -> None:
    world.hub.releases[PROJECT] = [stable()]
    feed, other = world.add(), world.add(f"https://github.com/{PROJECT}/tags.atom")
    world.sync()
    with Store.open(world.path) as store:
        assert store.facts.get(f"memory of {feed.id}")
        store.feeds.remove(feed.id)
        assert store.facts.get(f"memory of {feed.id}") is None
        assert store.facts.get(f"memory of {other.id}")
