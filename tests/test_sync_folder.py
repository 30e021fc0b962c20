"""A local folder: what changed is an update, what was deleted stays and says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reader import sync
from reader.model import Entry, Health, Query, StoryKind
from reader.store import Store
from reader.sync import FeedResult
from reader.sync.folder import Seen, read_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "posts"
    (made / "deep").mkdir(parents=True)
    write(made / "tiles.md", "# Tiles\n\nHow tiles fit sm_90.")
    write(made / "deep" / "tiles.md", "# Deep tiles\n\nAnother post of the same name.")
    write(made / "notes.txt", "Notes on queues")
    return made


def write(file: Path, text: str, *, at: int = 1_700_000_000) -> None:
    """Write a file as it stood for a long time."""
    file.write_text(text, "utf-8")
    os.utime(file, (at, at))


class World:
    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        [self.feed] = sync.subscribe(path, str(folder))

    def one(self) -> FeedResult:
        return sync.sync(self.path, force=True).feeds[0]

    def entries(self) -> dict[str, Entry]:
        with Store.open(self.path) as store:
            rows = store.library.page(Query(kinds=(StoryKind.ENTRY,), limit=None))
            found = [store.library.get(row.id) for row in rows]
        return {each.title: each for each in found if isinstance(each, Entry)}


@pytest.fixture
def world(tmp_path: Path, folder: Path) -> World:
    return World(tmp_path / "store.db", folder)


def test_a_changed_file_is_an_update_of_the_same_post(world: World, folder: Path) -> None:
    assert world.one().new == 3
    assert world.one().outcome is Health.UNCHANGED
    write(folder / "tiles.md", "# Tiles\n\nHow tiles fit sm_100.", at=1_700_000_100)
    result = world.one()
    assert (result.new, result.updated, result.outcome) == (0, 1, Health.OK)
    assert world.entries()["Tiles"].versions == 2


def test_a_deleted_file_is_kept_and_marked_until_it_comes_again(world: World, folder: Path) -> None:
    world.one()
    entry = world.entries()["Tiles"]
    with Store.open(world.path) as store:
        store.marks.set([entry.id], starred=True)
    (folder / "tiles.md").unlink()
    world.one()
    kept = world.entries()["Tiles"]
    assert "no longer in the folder" in " ".join(kept.notices)
    assert (kept.marks.starred, kept.content_text) == (True, entry.content_text)
    assert world.entries()["Deep tiles"].notices == ()
    assert world.one().outcome is Health.UNCHANGED
    write(folder / "tiles.md", "# Tiles\n\nHow tiles fit sm_90.")
    result = world.one()
    assert (result.new, result.updated) == (0, 0)
    assert world.entries()["Tiles"].notices == ()


def test_a_folder_that_is_not_there_marks_nothing(world: World, folder: Path) -> None:
    world.one()
    folder.rename(folder.parent / "elsewhere")
    assert world.one().outcome is Health.FAILED
    assert all(each.notices == () for each in world.entries().values())


def test_only_what_changed_is_read_again(folder: Path) -> None:
    first = read_folder(str(folder))
    assert (len(first.taken), first.files) == (3, 3)
    again = read_folder(str(folder), Seen.load(first.seen.dump()))
    assert (again.taken, again.gone, again.files) == ((), (), 3)
    # A file that was written just now may be written on within the same tick of the clock.
    (folder / "fresh.md").write_text("# Fresh\n\nOne.", "utf-8")
    third = read_folder(str(folder), again.seen)
    assert len(read_folder(str(folder), third.seen).taken) == 1


def test_a_file_that_cannot_be_read_for_a_while_is_not_gone(folder: Path) -> None:
    seen = read_folder(str(folder)).seen
    write(folder / "notes.txt", "", at=1_700_000_200)
    came = read_folder(str(folder), seen)
    assert (len(came.refused), came.gone) == (1, ())
    write(folder / "notes.txt", "Notes on queues", at=1_700_000_300)
    assert len(read_folder(str(folder), came.seen).taken) == 1


def test_a_feed_in_the_folder_may_drop_what_is_old(folder: Path, world: World) -> None:
    item = "<item><guid>{0}</guid><title>Post {0}</title><description>{0}</description></item>"
    rss = "<rss version='2.0'><channel><title>n</title>{}</channel></rss>"
    write(folder / "feed.xml", rss.format(item.format("a") + item.format("b")))
    assert world.one().new == 5
    write(folder / "feed.xml", rss.format(item.format("b")), at=1_700_000_100)
    world.one()
    assert world.entries()["Post a"].notices == ()
    (folder / "feed.xml").unlink()
    world.one()
    assert world.entries()["Post b"].notices != ()
