"""Bad input from outside: one clear line that says what to do, no trace, and nothing lost."""

from __future__ import annotations

import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from reader.errors import ReadproofError
from reader.store import Store
from reader.sync import import_paths
from tests.command import Called, command, furnished

CHECK = Path(__file__).parent / "data" / "checks" / "confirms"
DAILY = """---
title: "Tiles, day {n}"
date: 2026-11-{n:02}
categories: [ai-compiler, daily]
generation_mode: "hand"
window_since: "2026-11-{n:02}T08:00:00+08:00"
cutoff_at: "2026-11-{n:02}T20:00:00+08:00"
---

# Tiles, day {n}

## 今日概览

The tiles of day {n}.

## 重点变化

### 1. Tile {n} keeps its registers

Tile {n} no longer spills on sm_90.

**涉及层级：** `kernel_codegen`

**来源：** [原始来源 1](https://github.com/example/tiles/releases/tag/v{n})

**事件评分：** 70.5/100
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return furnished(tmp_path / "s.db")


def kept(store: Path) -> list[tuple[str, str]]:
    """Return every story of a store."""
    listed = command("items", "--kind", "all", "--limit", "1000", "--json", store=store).json
    return [(each["id"], each["title"]) for each in listed]


def one_line(called: Called, code: int = 1) -> str:
    """Return the one line that a refused call says."""
    assert called.code == code, (called.out, called.err)
    lines = called.err.strip().splitlines()
    assert len(lines) == 1, called.err
    assert "Traceback" not in called.err
    return lines[0]


def both(store: Path, *words: str | Path) -> str:
    """Call in both languages, hold that both speak, and return the English line."""
    english = one_line(command("--lang", "en", *words, store=store))
    chinese = one_line(command("--lang", "zh", *words, store=store))
    assert english != chinese
    return english


def _zipped(file: Path) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("../../evil.txt", "x")


FILES: list[tuple[str, Callable[[Path], object]]] = [
    ("picture.png", lambda f: f.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)),
    ("paper.pdf", lambda f: f.write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + b"\x00" * 99)),
    ("tool.txt", lambda f: f.write_bytes(b"\x7fELF\x02\x01\x01" + b"\x00" * 200)),
    ("empty.md", lambda f: f.write_bytes(b"")),
    ("blank.html", lambda f: f.write_bytes(b" \n\t\n")),
    ("broken.xml", lambda f: f.write_bytes(b"<rss><channel><item>")),
    ("notes.docx", lambda f: f.write_bytes(b"PK\x03\x04rest")),
    ("evil.zip", _zipped),
    ("not.zip", lambda f: f.write_bytes(b"hello")),
    ("data.json", lambda f: f.write_text('{"a": 1}')),
    ("bad.opml", lambda f: f.write_text("<opml><body><outline xmlUrl='https://a.example.org/'")),
    ("entity.opml", lambda f: f.write_text(
        '<!DOCTYPE o [<!ENTITY a SYSTEM "file:///etc/passwd">]><opml><body>&a;</body></opml>')),
]  # fmt: skip


@pytest.mark.parametrize(("name", "write"), FILES, ids=[name for name, _ in FILES])
def test_a_file_that_cannot_be_read_is_refused(
    store: Path, tmp_path: Path, name: str, write: Callable[[Path], object]
) -> None:
    before = kept(store)
    write(tmp_path / name)
    assert name in both(store, "import", tmp_path / name)
    assert kept(store) == before
    assert not (tmp_path.parent / "evil.txt").exists()


def test_one_bad_file_never_stops_the_others(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "posts"
    folder.mkdir()
    for name, write in FILES:
        if not name.endswith((".opml", ".zip")):
            write(folder / name)
    (folder / "good.md").write_text(DAILY.format(n=9), encoding="utf-8")
    (folder / "again").symlink_to(folder, target_is_directory=True)
    called = command("import", folder, store=store)
    assert called.code == 0
    assert "Traceback" not in called.err
    assert any(title == "Tile 9 keeps its registers" for _id, title in kept(store))


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"], ids=lambda name: f"in {name}"
)
def test_encodings_of_the_field_are_read(store: Path, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "day.md").write_bytes(DAILY.format(n=8).encode(encoding))
    assert command("import", tmp_path / "day.md", store=store).code == 0
    assert any(title == "Tile 8 keeps its registers" for _id, title in kept(store))


def test_a_truncated_text_is_read_or_refused_but_never_a_trace(store: Path, tmp_path: Path) -> None:
    body = DAILY.format(n=8).encode()
    for cut in range(1, len(body), 97):
        (tmp_path / "day.md").write_bytes(body[:cut])
        called = command("import", tmp_path / "day.md", store=store) if cut < 300 else None
        if called is not None:
            assert called.code in (0, 1)
            assert "Traceback" not in called.err


def test_fifty_megabytes_cost_a_bounded_memory(store: Path, tmp_path: Path) -> None:
    huge = DAILY.format(n=7) + "\n".join("a long line of a long digest" for _ in range(1_800_000))
    (tmp_path / "huge.md").write_text(huge, encoding="utf-8")
    assert (tmp_path / "huge.md").stat().st_size > 50_000_000
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    called = command("import", tmp_path / "huge.md", store=store)
    peak = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) // 1024
    assert "Traceback" not in called.err
    assert called.code in (0, 1)
    assert "huge.md" in called.err
    assert peak < 1500


HOSTILE = (
    "<h1>Post</h1><script>alert(1)</script>" + "<div>" * 20_000 + "deep" + "</div>" * 20_000
    + f'<p title="{"x" * 200_000}">attr</p><svg><style><img src=x onerror=alert(2)></style></svg>'
    + '<a href="java\tscript:alert(3)">a</a><p>\x1b[31mred\x1b[0m \u202eback \x07bell</p>'
    + "<p>template&lt;int N&gt; void k&lt;&lt;&lt;grid, block&gt;&gt;&gt;()</p>"
)  # fmt: skip


def test_hostile_html_is_harmless_in_store_and_terminal(store: Path, tmp_path: Path) -> None:
    (tmp_path / "post.html").write_text(HOSTILE, encoding="utf-8")
    assert command("import", tmp_path / "post.html", store=store).code == 0
    entries = command("items", "--kind", "entry", "--json", store=store).json
    entry = next(each for each in entries if "deep" in each["content_text"])
    for bad in ("<script", "onerror", "javascript:", "<svg", "<style", "\x1b", "\x07"):
        assert bad not in entry["content_html"]
    assert "template<int N> void k<<<grid, block>>>()" in entry["content_text"]
    shown = command("show", entry["id"], store=store).out
    assert not any(ord(c) < 32 and c not in "\n\t" for c in shown)
    assert "\u202e" not in shown


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("schema = 1", "schema = 1\nrun = 'rm -rf /'"),
        ('name = "confirms"', 'name = "../confirms"'),
        ('python = ">=3.9"', 'python = ">=3.9"\nrequires = ["evil @ https://evil.invalid/x"]'),
        ("seconds = 10", "seconds = 99999999"),
        ("schema = 1", "schema = "),
    ],
    ids=["unknown key", "name leads out", "url requirement", "no bound", "no toml"],
)
def test_a_hostile_manifest_is_answered_with_file_and_line(
    store: Path, tmp_path: Path, old: str, new: str
) -> None:
    folder = shutil.copytree(CHECK, tmp_path / "checks" / "confirms")
    text = (folder / "check.toml").read_text(encoding="utf-8")
    (folder / "check.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    assert "check.toml" in both(store, "check", "trust", folder, "--yes")


def test_a_check_that_is_not_trusted_does_not_run(store: Path, tmp_path: Path) -> None:
    shutil.copytree(CHECK, tmp_path / "checks" / "confirms")
    config = tmp_path / "settings.toml"
    config.write_text(f'check_folders = ["{tmp_path / "checks"}"]\n')
    words = ("--config", config, "check", "run", "confirms", "--python", sys.executable)
    assert "trust" in one_line(command(*words, store=store))
    assert command("runs", "--json", store=store).json == []


def test_a_store_cut_in_the_middle_is_said_and_a_backup_helps(store: Path, tmp_path: Path) -> None:
    before = kept(store)
    assert command("backup", tmp_path / "b.zip", store=store).code == 0
    with sqlite3.connect(store) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    body = bytearray(store.read_bytes())
    body[100:4096] = bytes(3996)
    store.write_bytes(body)
    for rest in ("-wal", "-shm"):
        store.with_name(store.name + rest).unlink(missing_ok=True)
    one_line(command("items", store=store))
    assert command("restore", tmp_path / "b.zip", store=store).code == 0
    assert kept(store) == before


def test_a_full_disk_keeps_what_there_was(store: Path, tmp_path: Path) -> None:
    before = kept(store)
    for n in range(1, 28):
        text = DAILY.format(n=n) + "registers and tiles " * 20_000
        (tmp_path / f"{n}.md").write_text(text, encoding="utf-8")
    limit = store.stat().st_size + 60_000
    done = subprocess.run(
        ["bash", "-c", f'ulimit -f {limit // 1024 + 1}; exec "$0" "$@"', sys.executable, "-m",
         "reader", "--store", str(store), "import", *[str(p) for p in tmp_path.glob("*.md")]],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    after = kept(store)
    assert set(before) <= set(after)
    assert command("doctor", "--json", store=store).json["store"]["ok"] is True


def test_a_missing_qt_library_says_what_to_install(store: Path, tmp_path: Path) -> None:
    shim = tmp_path / "shim" / "PySide6"
    shim.mkdir(parents=True)
    (shim / "__init__.py").write_text(
        "raise ImportError('libEGL.so.1: cannot open shared object file: No such file')\n"
    )
    environment = {"PYTHONPATH": str(shim.parent), "QT_QPA_PLATFORM": "offscreen"}
    called = command(store=store, env=environment | {"DISPLAY": ":99"})
    assert "libEGL.so.1" in one_line(called)
    assert "apt" in called.err


def test_without_a_keyring_everything_else_goes_on(store: Path) -> None:
    document = command("doctor", "--json", store=store).json
    assert document["keyring"]
    assert kept(store)


def test_settings_that_are_no_toml_are_named(store: Path, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("theme = = dark")
    line = one_line(command("--config", tmp_path / "settings.toml", "items", store=store))
    assert "settings.toml" in line


def test_a_store_of_a_newer_version_is_left_alone(store: Path) -> None:
    with sqlite3.connect(store) as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    content = store.read_bytes()
    both(store, "items")
    assert store.read_bytes() == content


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("")
    both(tmp_path / "a file" / "s.db", "items")


@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(body=st.binary(max_size=400), name=st.sampled_from(["a.md", "a.html", "a.txt", "a.xml"]))
def test_any_bytes_are_read_or_refused(tmp_path: Path, body: bytes, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(body)
    try:
        import_paths(tmp_path / "any.db", [file])
    except ReadproofError:
        return  # said, not crashed: anything else fails here


# ── killed at random ───────────────────────────────────────────────────────────────────────────


def killed(store: Path, words: list[str], after: float) -> None:
    """Start a call and kill it, with all it started, after so long."""
    process = subprocess.Popen(
        [sys.executable, "-m", "reader", "--store", str(store), *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[1],
        start_new_session=True,
    )  # fmt: skip
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_an_import_killed_anywhere_can_be_done_again(store: Path, tmp_path: Path) -> None:
    """Whenever the kill comes, the store is whole and the second try completes it."""
    posts = tmp_path / "posts"
    posts.mkdir()
    for n in range(1, 26):
        (posts / f"{n}.md").write_text(DAILY.format(n=n), encoding="utf-8")
    chance = random.Random(7)
    for _ in range(5):
        killed(store, ["import", str(posts)], chance.uniform(0.2, 1.2))
        with Store.open(store) as opened:
            assert opened.check() == []
    assert command("import", posts, store=store).code == 0
    titles = [title for _id, title in kept(store)]
    for n in range(1, 26):
        assert titles.count(f"Tile {n} keeps its registers") == 1
        assert titles.count(f"Tiles, day {n}") == 1


def test_a_run_killed_anywhere_reads_interrupted(store: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(CHECK.parent / "hangs", tmp_path / "checks" / "hangs")
    config = tmp_path / "settings.toml"
    trusted = command("--config", config, "check", "trust", folder, "--yes", store=store)
    assert trusted.code == 0
    words = ["--config", str(config), "check", "run", "hangs", "--python", sys.executable]
    for after in (0.6, 1.5, 2.5):
        killed(store, [*words, "--timeout", "60"], after)
    runs = command("runs", "--json", store=store).json
    assert {each["status"] for each in runs} <= {"interrupted"}
    assert command("doctor", "--json", store=store).json["store"]["ok"] is True
