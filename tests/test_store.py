"""The file itself: made, migrated, refused, backed up, restored."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from reader.errors import StoreError, Usage
from reader.model import Query, StoryKind
from reader.store import Store, restore
from reader.store.connection import Connection
from reader.store.migrations import APPLICATION_ID, apply, files, newest
from tests.stories import NOW, arriving, opened, post, rich

GOLDEN = Path(__file__).parent / "data" / "schema.sql"


def schema(path: Path) -> str:
    """Return what the file's schema says, as SQLite keeps it."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
            " AND name NOT LIKE 'search\\_%' ESCAPE '\\' ORDER BY type DESC, name"
        ).fetchall()
    connection.close()
    return "".join(f"{sql};\n" for (sql,) in rows)


def test_schema_is_the_golden_one(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        found = schema(store.path)
    if os.environ.get("READPROOF_GOLDEN"):
        GOLDEN.write_text(found, encoding="utf-8")
    assert found == GOLDEN.read_text(encoding="utf-8")


def test_migrations_are_numbered_without_a_gap() -> None:
    numbers = [int(file.name[:4]) for file in files()]
    assert numbers == list(range(1, newest() + 1))


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    connection = Connection(tmp_path / "db")
    script = "CREATE TABLE one (a);\nCREATE TABLE one (a);\n"
    with pytest.raises(sqlite3.OperationalError):
        apply(connection, 1, script)
    assert connection.value("SELECT count(*) FROM sqlite_master") == 0
    connection.close()


def test_the_connection_keeps_its_rules(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert store._connection.value("PRAGMA journal_mode") == "wal"
        assert store._connection.value("PRAGMA foreign_keys") == 1
        assert store._connection.value("PRAGMA application_id") == APPLICATION_ID
        assert store.check() == []


def test_a_newer_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        path = store.path
        store._connection.run(f"PRAGMA user_version = {newest() + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer version"):
        Store.open(path)
    assert path.read_bytes() == before


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database, and long enough to be looked at as one\n" * 100)
    with pytest.raises(StoreError, match="not a Readproof store"):
        Store.open(text)
    assert text.read_text().startswith("not a database")
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    with pytest.raises(StoreError, match="another program"):
        Store.open(other)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="--store"):
        Store.open(tmp_path / "file" / "store.db")
    with pytest.raises(StoreError, match="--store"):
        Store.open(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_store_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    with pytest.raises(StoreError, match="--store"):
        Store.open(folder / "store.db")


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.library.save(None, [post("kept")], NOW)
        pages = store._connection.value("PRAGMA page_count")
        store._connection.run(f"PRAGMA max_page_count = {pages}")
        big = post("too big", content_html="<p>" + "spill " * 200_000 + "</p>")
        with pytest.raises(StoreError, match="disk is full"):
            store.library.save(None, [big], NOW)
        store._connection.run("PRAGMA max_page_count = 1000000")
        assert [row.title for row in store.library.page(Query(kinds=(StoryKind.ENTRY,)))] == [
            "kept"
        ]
        assert store.check() == []


def test_a_damaged_file_is_named_and_a_backup_brings_it_back(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.library.save(None, [post(f"post {n}") for n in range(50)], NOW)
        store.backup(tmp_path / "backup.db")
        path = store.path
        page = store._connection.value("SELECT rootpage FROM sqlite_master WHERE name = 'entries'")
    body = bytearray(path.read_bytes())
    body[4096 * (page - 1) : 4096 * page] = b"\xff" * 4096
    path.write_bytes(body)
    with Store.open(path) as store:
        assert store.check()
        with pytest.raises(StoreError, match="readproof restore"):
            store.library.get("e1")
    aside = restore(path, tmp_path / "backup.db")
    assert aside is not None
    assert aside.exists()
    with Store.open(path) as store:
        assert len(store.library.ids(Query(kinds=(StoryKind.ENTRY,)))) == 50
        assert store.check() == []


def test_restore_refuses_what_is_no_sound_backup(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.library.save(None, [post("kept")], NOW)
        path = store.path
        store.backup(tmp_path / "good.db")
    newer = tmp_path / "newer.db"
    newer.write_bytes((tmp_path / "good.db").read_bytes())
    with sqlite3.connect(newer) as connection:
        connection.execute(f"PRAGMA user_version = {newest() + 1}")
    connection.close()
    cut = tmp_path / "cut.db"
    cut.write_bytes((tmp_path / "good.db").read_bytes()[:9000])
    (tmp_path / "text").write_text("hello")
    for name in ("newer.db", "cut.db", "text", "nothing"):
        with pytest.raises(StoreError):
            restore(path, tmp_path / name)
    with Store.open(path) as store:
        assert len(store.library.ids(Query(kinds=(StoryKind.ENTRY,)))) == 1


def test_a_backup_is_whole_or_not_there(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.library.save(None, [arriving(rich())], NOW)
        (tmp_path / "folder").mkdir()
        with pytest.raises(StoreError, match="is a folder"):
            store.backup(tmp_path / "folder")
        store.backup(tmp_path / "new" / "backup.db")
    assert [path.name for path in tmp_path.glob(".*")] == []
    assert (tmp_path / "new" / "backup.db").exists()


def test_data_version_tells_what_others_wrote(tmp_path: Path) -> None:
    with opened(tmp_path) as store, Store.open(store.path) as other:
        before = store.data_version()
        assert store.data_version() == before
        other.library.save(None, [post("new")], NOW)
        assert store.data_version() != before


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    with opened(tmp_path) as writer, Store.open(writer.path) as other:
        writer.library.save(None, [post("before")], NOW)
        with writer._connection.write():
            writer.library.save(None, [post("within")], NOW)
            seen = other.library.page(Query(kinds=(StoryKind.ENTRY,)))
            assert [row.title for row in seen] == ["before"]
        seen = other.library.page(Query(kinds=(StoryKind.ENTRY,)))
        assert {row.title for row in seen} == {"before", "within"}


_SAVER = """
import sys
from pathlib import Path
from reader.store import Store
from tests.stories import NOW, arriving, post, rich
with Store.open(Path(sys.argv[1])) as store:
    store.library.save(None, [post("first")], NOW)
    with store._connection.write():
        store.library.save(None, [post(f"half {n}") for n in range(40)] + [arriving(rich())], NOW)
        print("writing", flush=True)
        sys.stdin.read()
"""


def test_a_writer_killed_in_the_middle_leaves_what_was_before(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    root = Path(__file__).parents[1]
    process = subprocess.Popen(
        [sys.executable, "-c", _SAVER, str(path)],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "writing\n"
    process.kill()
    process.wait()
    process.stdout.close()
    process.stdin.close()
    with Store.open(path) as store:
        rows = store.library.page(Query(kinds=tuple(StoryKind)))
        assert [row.title for row in rows] == ["first"]
        assert store.check() == []
        assert len(store.library.save(None, [arriving(rich())], NOW).new) == 1


def test_a_second_writer_is_told_after_its_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as store, Store.open(store.path) as other:
        other._connection.run("PRAGMA busy_timeout = 10")
        with store._connection.write(), pytest.raises(StoreError, match="Try again"):
            other.library.save(None, [post("late")], NOW)


def test_ids_that_are_none_are_usage(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for id_ in ("i1", "e99999999999999999999", "", "x", "d-1", "i1; DROP TABLE items", "q1"):
            with pytest.raises(Usage):
                store.library.get(id_)
        with pytest.raises(Usage):
            store.marks.set(["e1"], read=True)
        with pytest.raises(Usage):
            store.feeds.get("e1")
        assert store.library.rows(["i1", "nonsense"]) == []
