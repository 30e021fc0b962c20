"""The seeds and the ten posts through the command line, field by field, where they are at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command import command
from tests.shared import need_shared
from tests.test_cli import DIGEST, ITEM


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with the three seeds imported, and nothing else."""
    store = tmp_path_factory.mktemp("seeds") / "s.db"
    called = command("import", need_shared("seeds"), "--json", store=store)
    assert called.json["digests"] == 3
    assert called.json["refused"] == []
    return store


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with the ten posts imported, and nothing else."""
    store = tmp_path_factory.mktemp("posts") / "s.db"
    assert command("import", need_shared("digests"), "--json", store=store).json["digests"] == 10
    return store


def listed(store: Path, *words: str) -> list[dict[str, Any]]:
    """Return what `items` lists."""
    found = command("items", *words, "--limit", "0", "--json", store=store).json
    assert isinstance(found, list)
    return found


def test_the_seeds_give_three_five_and_five_items(seeds: Path) -> None:
    items = listed(seeds)
    assert len(items) == 13
    assert all(set(each) >= ITEM for each in items)
    digests = listed(seeds, "--kind", "digest")
    assert sorted(len(each["items"]) for each in digests) == [3, 5, 5]
    assert all(set(each) >= DIGEST for each in digests)
    assert {each["id"] for each in items} == {i for each in digests for i in each["items"]}


def test_the_quick_look_gives_what_only_it_has(seeds: Path) -> None:
    (digest,) = [e for e in listed(seeds, "--kind", "digest") if e["digest_kind"] == "quick_look"]
    items = [command("show", each, "--json", store=seeds).json for each in digest["items"]]
    for each in items:
        for field in ("reported_result", "scenario", "first_step", "action_window", "group"):
            assert each[field], field
        assert each["commit"]
        assert each["happened_at"].endswith("+08:00")
        assert each["refs"]
        assert each["evidence"] != "none"
        assert each["score"] is None
    numbers = {each["n"] for each in digest["references"]}
    assert {ref for each in items for ref in each["refs"]} <= numbers
    assert digest["steps"]
    assert digest["empty_sections"]


def test_the_dailies_give_what_only_they_have(seeds: Path) -> None:
    dailies = [e for e in listed(seeds, "--kind", "digest") if e["digest_kind"] == "daily"]
    ids = {i for each in dailies for i in each["items"]}
    items = [each for each in listed(seeds) if each["id"] in ids]
    assert len(items) == 10
    for each in items:
        assert each["layers"]
        assert each["score"]
        assert each["why"]
        assert each["summary"]
        assert each["sources"]
    (derived,) = [each for each in items if each["title_derived"]]
    assert derived["score"] == 76.8
    assert "PipeLink" in derived["title"]
    for each in dailies:
        assert each["window_since"].endswith("+08:00")
        assert each["generation_mode"]
        assert each["raw_counts"]


def test_filters_over_the_seeds(seeds: Path) -> None:
    hopper = {each["id"] for each in listed(seeds, "--hardware", "Hopper")}
    nvidia = {each["id"] for each in listed(seeds, "--hardware", "NVIDIA")}
    assert hopper < nvidia
    codegen = listed(seeds, "--layer", "kernel_codegen", "--hardware", "hopper")
    assert {each["id"] for each in codegen} <= hopper
    best = listed(seeds, "--order", "score")
    scores = [each["score"] for each in best if each["score"] is not None]
    assert scores == sorted(scores, reverse=True)
    assert command("search", "寄存器", "--json", store=seeds).json


def test_the_ten_posts_give_what_is_in_them(posts: Path) -> None:
    digests = listed(posts, "--kind", "digest")
    assert len(digests) == 10
    quiet = [each for each in digests if each["no_news"]]
    incomplete = [each for each in digests if each["incomplete"]]
    assert quiet
    assert all(each["items"] == [] for each in quiet)
    assert incomplete
    assert all(each["notices"] for each in incomplete)
    items = listed(posts)
    assert len(items) == 14
    for each in items:
        assert each["layers"]
        assert each["score"]
        assert all(source["url"] for source in each["sources"])
        assert each["url"]


def test_importing_twice_is_importing_once(seeds: Path) -> None:
    before = listed(seeds)
    assert command("import", need_shared("seeds"), store=seeds).code == 0
    assert listed(seeds) == before
