"""A machine that does not give what is needed: one clear line for each, and nothing lost."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.command import command
from tests.refusals import DAILY, both, held, marked, one_line, unchanged

CHECK = Path(__file__).parent / "data" / "checks" / "confirms"
# What follows runs without root's right to read and write everything (prctl PR_CAPBSET_DROP of
# CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH), so that permissions count for it too.
DROP = (
    "import ctypes, os, sys; call = ctypes.CDLL(None).prctl; "
    "call(24, 1, 0, 0, 0); call(24, 2, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
AS_USER = (sys.executable, "-c", DROP) if os.geteuid() == 0 else ()

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="devices and rights of Linux")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return marked(tmp_path / "s.db")


WRITERS = (("export", "data"), ("export", "opml"), ("backup",), ("report", "-o"))


def told(words: str) -> str:
    """Return what a shell does with the program that follows."""
    return f'{words} exec "$@"'


# ── rights ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Path]:
    """A folder that cannot be written."""
    folder = tmp_path / "locked"
    folder.mkdir()
    yield folder
    folder.chmod(0o755)


def test_a_store_in_a_folder_that_cannot_be_written(store: Path, locked: Path) -> None:
    shutil.copy(store, locked / "s.db")
    before = held(locked / "s.db")
    locked.chmod(0o555)
    for words in (("items",), ("mark", "i1", "--unstar"), ("import", CHECK / "check.toml")):
        assert "--store" in both(*words, store=locked / "s.db", through=AS_USER)
    assert "--store" in both("items", store=locked / "new.db", through=AS_USER)
    assert "--store" in both("items", store=locked / "deep" / "new.db", through=AS_USER)
    locked.chmod(0o755)
    assert held(locked / "s.db") == before


def test_a_store_file_that_cannot_be_read(store: Path) -> None:
    with unchanged(store):
        store.chmod(0)
        line = both("items", store=store, through=AS_USER)
        store.chmod(0o644)
    assert str(store) in line
    assert "ermission" in line


def test_a_file_that_cannot_be_read_never_stops_the_others(store: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text(DAILY.format(n=1), encoding="utf-8")
    (tmp_path / "secret.md").chmod(0)
    (tmp_path / "folder").mkdir(mode=0)
    (tmp_path / "good.md").write_text(DAILY.format(n=2), encoding="utf-8")
    files = [tmp_path / "secret.md", tmp_path / "folder", tmp_path / "good.md"]
    called = command("import", *files, store=store, through=AS_USER)
    (tmp_path / "folder").chmod(0o755)
    assert called.code == 0
    lines = called.err.splitlines()
    assert len(lines) == 2
    assert all("permission" in line for line in lines)
    assert "Tile 2 keeps its registers" in [title for _id, title in _titles(store)]


def test_a_place_that_cannot_be_written_is_named(store: Path, locked: Path) -> None:
    locked.chmod(0o555)
    with unchanged(store):
        for words in WRITERS:
            line = both(*words, locked / "out", store=store, through=AS_USER)
            assert str(locked / "out") in line
            assert str(store) not in line
    for words in (("export", "data"), ("backup",)):
        assert str(locked) in both(*words, locked, store=store, through=AS_USER)
    both("--config", locked / "s.toml", "check", "trust", CHECK, "--yes",
         store=store, through=AS_USER)  # fmt: skip
    assert list(locked.iterdir()) == []


# ── space ──────────────────────────────────────────────────────────────────────────────────────


def test_a_disk_that_fills_up_keeps_what_there_was(store: Path, tmp_path: Path) -> None:
    """By a limit on the size of files: what the limit allows is kept, post by post."""
    posts = tmp_path / "posts"
    posts.mkdir()
    for n in range(4, 28):
        text = DAILY.format(n=n) + "\n" + "registers and tiles " * 2_000
        (posts / f"{n}.md").write_text(text, encoding="utf-8")
    before = _titles(store)
    limit = store.stat().st_size // 1024 + 400
    through = ("bash", "-c", told(f"ulimit -f {limit};"), "-")
    assert str(store) in one_line(command("import", posts, store=store, through=through))
    after = _titles(store)
    assert after[: len(before)] == before or set(before) <= set(after)
    assert _whole(store)
    assert command("import", posts, store=store).code == 0
    assert len(_titles(store)) == len(before) + 2 * 24


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk of its own needs root and the right to mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def _fill(file: Path) -> None:
    with file.open("wb", buffering=0) as stream, suppress(OSError):
        while stream.write(b"x" * 1024):
            pass


def test_a_full_disk_is_said_by_everything_that_writes(store: Path, small: Path) -> None:
    shutil.copy(store, small / "s.db")
    before = held(small / "s.db")
    _fill(small / "fill")
    stores = ("s.db", "s.db-wal", "s.db-shm")
    for words in (("items",), ("mark", "i1", "--unstar"), ("import", CHECK / "check.toml")):
        assert "full" in both(*words, store=small / "s.db")
    for writer in WRITERS:
        with unchanged(store):
            line = both(*writer, small / "out", store=store)
        assert str(small / "out") in line
        assert "space" in line or "full" in line
    trust = ("--config", small / "c.toml", "check", "trust", CHECK, "--yes")
    assert "full" in both(*trust, store=store)
    assert {each.name for each in small.iterdir()} <= {"fill", *stores}
    (small / "fill").unlink()
    assert held(small / "s.db") == before
    assert _whole(small / "s.db")


def test_a_stream_that_takes_nothing(store: Path) -> None:
    through = ("bash", "-c", told("exec > /dev/full;"), "-")
    for words in (("items",), ("items", "--json"), ("report", "--format", "html"), ("--help",)):
        assert "full" in both(*words, store=store, through=through)
    closed = command("items", store=store, through=("bash", "-c", told("exec >&-;"), "-"))
    assert (closed.code, closed.err) == (0, "")


def test_a_device_is_written_to_and_never_replaced(store: Path) -> None:
    with unchanged(store):
        assert "full" in both("report", "-o", "/dev/full", store=store).replace("space", "full")
        both("export", "data", "/dev/full", store=store)
        both("backup", "/dev/full", store=store)
    assert Path("/dev/full").is_char_device()
    both("items", store=Path("/dev/null"))
    assert Path("/dev/null").is_char_device()
    assert not Path("/dev/null-journal").exists()


# ── stores ─────────────────────────────────────────────────────────────────────────────────────


def _run(store: Path, sql: str) -> None:
    connection = sqlite3.connect(store)
    connection.execute(sql)
    connection.commit()
    connection.close()


def _titles(store: Path) -> list[tuple[str, str]]:
    titles = held(store)["titles"]
    assert isinstance(titles, list)
    return titles


def _whole(store: Path) -> bool:
    document = command("doctor", "--json", store=store).json
    return document["store"]["ok"] is True


def test_a_store_of_a_newer_version_is_left_alone(store: Path) -> None:
    _run(store, "PRAGMA user_version = 9999")
    content = store.read_bytes()
    for words in (("items",), ("import", CHECK / "check.toml"), ("backup", store.parent / "b")):
        assert "newer" in both(*words, store=store)
    assert store.read_bytes() == content
    assert not (store.parent / "b").exists()


def test_what_is_no_store_is_left_alone(tmp_path: Path) -> None:
    _run(tmp_path / "other.db", "CREATE TABLE theirs (a)")
    (tmp_path / "text.db").write_text("long enough to be read as the head of a database. " * 9)
    (tmp_path / "loop.db").symlink_to(tmp_path / "loop.db")
    for name in ("other.db", "text.db"):
        content = (tmp_path / name).read_bytes()
        assert "--store" in both("items", store=tmp_path / name)
        assert (tmp_path / name).read_bytes() == content
    both("items", store=tmp_path / "loop.db")
    both("items", store=tmp_path, code=2)
    both("items", store=tmp_path / "text.db" / "s.db")


def test_a_store_damaged_in_the_middle_says_so_until_a_backup_is_back(
    store: Path, tmp_path: Path
) -> None:
    before = held(store)
    assert command("backup", tmp_path / "b.db", store=store).code == 0
    with sqlite3.connect(store) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.close()
    body = bytearray(store.read_bytes())
    size = len(body) // pages
    body[2 * size : (pages - 2) * size] = os.urandom((pages - 4) * size)
    store.write_bytes(body)
    for words in (("items",), ("show", "i1"), ("search", "tiles"), ("mark", "i1", "--read")):
        assert "restore" in both(*words, store=store)
    examined = command("doctor", "--json", store=store)
    assert examined.code == 1
    assert '"ok": false' in examined.out
    both("backup", tmp_path / "b.db", store=store)
    assert command("restore", tmp_path / "b.db", store=store).code == 0
    assert held(store) == before


def test_a_store_cut_off(store: Path) -> None:
    body = store.read_bytes()
    for length in (100, len(body) // 2):
        store.write_bytes(body[:length])
        assert "restore" in both("items", store=store)


def test_a_backup_that_is_none_changes_nothing(store: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    _run(tmp_path / "other.db", "CREATE TABLE theirs (a)")
    shutil.copy(store, tmp_path / "newer.db")
    _run(tmp_path / "newer.db", "PRAGMA user_version = 9999")
    with unchanged(store):
        for name in ("text", "other.db", "newer.db", "nothing"):
            assert name in both("restore", tmp_path / name, store=store)


# ── what else may be missing ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("libEGL.so.1: cannot open shared object file: No such file", "apt"),
        ("No module named 'PySide6'", "readproof --help"),
    ],
)
def test_a_missing_qt_says_what_to_do(store: Path, tmp_path: Path, why: str, said: str) -> None:
    shim = tmp_path / "shim" / "PySide6"
    shim.mkdir(parents=True)
    (shim / "__init__.py").write_text(f"raise ImportError({why!r})\n", encoding="utf-8")
    env = {"PYTHONPATH": str(shim.parent), "QT_QPA_PLATFORM": "offscreen"}
    with unchanged(store):
        line = both(store=store, env=env)
    assert why.split(":")[0] in line
    assert said in line


@pytest.mark.parametrize("ring", ["keyring.backends.fail.Keyring", "no.such.module.Keyring"])
def test_without_a_keyring_everything_else_goes_on(store: Path, ring: str) -> None:
    env = {"PYTHON_KEYRING_BACKEND": ring}
    with unchanged(store):
        found = command("doctor", "--json", store=store, env=env).json["keyring"]
    assert (found["usable"], found["backend"]) == (False, None)
    assert found["why"]
    assert command("sync", store=store, env=env).code == 0


SETTINGS = {
    "no toml": b"theme = = dark",
    "no text": b"\xff\xfe\0\0",
    "wrong type": b'zoom = "large"',
    "without end": b"a = " + b"[" * 50_000,
}


@pytest.mark.parametrize("content", SETTINGS.values(), ids=SETTINGS)
def test_settings_that_cannot_be_read_are_named(
    store: Path, tmp_path: Path, content: bytes
) -> None:
    config = tmp_path / "settings.toml"
    config.write_bytes(content)
    with unchanged(store):
        line = both("--config", config, "items", store=store)
    assert str(config) in line
    assert "--config" in line
    assert config.read_bytes() == content


def test_without_a_home(store: Path, tmp_path: Path) -> None:
    names = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
    none: dict[str, str | None] = dict.fromkeys(names)
    config = ("--config", tmp_path / "settings.toml")
    called = command(*config, "items", "--json", store=store, env=none)
    assert len(called.json) == 2
    (tmp_path / "file").write_text("")
    assert "--store" in both("items", env=none | {"HOME": str(tmp_path / "file")})
