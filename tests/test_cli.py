"""The command line: every command's document, exit codes, languages, and what it never prints."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.command import command, furnished

MARKS = {"read", "starred", "tags", "note", "queue_state"}
ITEM = MARKS | {
    *("id", "kind", "title", "title_derived", "feed", "digest", "section", "number", "published"),
    *("url", "summary", "why", "layers", "layers_ours", "hardware", "evidence", "group"),
    *("happened_at", "commit", "reported_result", "scenario", "first_step", "action_window"),
    *("refs", "score", "sources"),
}
ENTRY = MARKS | {
    *("id", "kind", "title", "feed", "published", "updated", "url", "authors", "content_text"),
    *("content_html", "versions", "layers_ours", "hardware", "evidence"),
}
DIGEST = {
    *("id", "kind", "title", "date", "window_since", "cutoff_at", "generation_mode", "incomplete"),
    *("notices", "no_news", "overview", "items", "watch", "steps", "empty_sections", "raw_counts"),
    "references",
}
FEED = {
    *("id", "title", "url", "kind", "last_checked", "last_changed", "next_check", "health"),
    *("error", "entries"),
}
QUEUE = {
    *("id", "item", "state", "due", "priority", "tags", "note", "check", "runs", "decided"),
    "claims",
}
CHECK = {"id", "title", "claims", "needs", "fits", "environment", "matches"}
KINDS = {"item": ITEM, "entry": ENTRY, "digest": DIGEST}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return a store with a digest, its two items and a post."""
    return furnished(tmp_path / "s.db")


def test_items_have_every_field(store: Path) -> None:
    items = command("items", "--json", store=store).json
    assert len(items) == 2
    assert all(set(each) >= ITEM for each in items)
    first = next(each for each in items if each["score"] == 81.5)
    assert first["kind"] == "item"
    assert first["layers"] == ["kernel_codegen", "hardware_backend"]
    assert first["layers_ours"] == ["kernel_codegen"]
    assert first["evidence"] == "codegen"
    assert first["hardware"] == ["sm_90a", "hopper", "nvidia"]
    assert first["sources"][0]["entry_id"] is None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", first["published"])
    assert first["tags"] == []
    assert first["note"] is None


def test_every_kind_shows_whole_under_its_id(store: Path) -> None:
    found = command("items", "--kind", "all", "--json", store=store).json
    assert {each["kind"] for each in found} >= {"item", "digest"}
    entries = command("items", "--kind", "entry", "--json", store=store).json
    for each in [*found, *entries]:
        assert set(each) >= KINDS[each["kind"]]
        shown = command("show", each["id"], "--json", store=store).json
        assert shown | each == shown


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("--layer", "kernel_codegen"), 1),
        (("--layer", "kernel codegen", "--layer", "hardware-backend"), 1),
        (("--layer", "kernel_codegen", "--layer", "optimization"), 0),
        (("--hardware", "Hopper"), 1),
        (("--hardware", "nvidia"), 1),
        (("--hardware", "sm_90a"), 1),
        (("--hardware", "英伟达"), 1),
        (("--hardware", "amd"), 0),
        (("--evidence", "codegen"), 1),
        (("--min-score", "75"), 1),
        (("--since", "2026-11-03"), 2),
        (("--since", "2026-11-04"), 0),
        (("--until", "2026-11-03"), 2),
        (("--until", "2026-11-02"), 0),
        (("--unread",), 2),
        (("--starred",), 0),
        (("--limit", "1"), 1),
        (("--limit", "0"), 2),
    ],
)
def test_filters(store: Path, words: tuple[str, ...], count: int) -> None:
    found = command("items", *words, "--json", store=store, env={"TZ": "UTC"}).json
    assert len(found) == count


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("--layer", "kernel_codgen"), "kernel_codegen"),
        (("--hardware", "hoper"), "hopper"),
        (("--evidence", "codgen"), "codegen"),
        (("--since", "31.12."), "2026-12-05"),
        (("--order", "size"), "score"),
    ],
)
def test_what_is_not_known_is_wrong_usage_and_names_what_is_near(
    store: Path, words: tuple[str, ...], near: str
) -> None:
    called = command("items", *words, "--json", store=store)
    assert called.code == 2
    assert called.out == ""
    assert near in called.err
    assert len(called.err.strip().splitlines()) == 1


def test_order(store: Path) -> None:
    by_score = command("items", "--order", "score", "--json", store=store).json
    assert [each["score"] for each in by_score] == [81.5, 70.0]


def test_search_finds_two_han_characters(store: Path) -> None:
    found = command("search", "调度", "--json", store=store).json
    assert "一篇关于调度的论文" in [each["title"] for each in found]
    assert all(set(each) >= KINDS[each["kind"]] for each in found)
    assert command("search", "nowhere-to-be-found", "--json", store=store).json == []
    ranked = command("search", "tiles", "--kind", "item", "--order", "date", store=store)
    assert "Tiles 2.1" in ranked.out


def test_marks_are_set_and_shown(store: Path) -> None:
    identity = command("items", "--json", store=store).json[0]["id"]
    words = ("--star", "--read", "--tag", "spill", "--tag", "later", "--note", "see the PTX")
    assert command("mark", identity, *words, store=store).code == 0
    marked = command("show", identity, "--json", store=store).json
    assert (marked["starred"], marked["read"]) == (True, True)
    assert sorted(marked["tags"]) == ["later", "spill"]
    assert marked["note"] == "see the PTX"
    assert len(command("items", "--tag", "spill", "--json", store=store).json) == 1
    assert len(command("items", "--unread", "--json", store=store).json) == 1
    assert command("mark", identity, "--unstar", "--untag", "later", store=store).code == 0
    marked = command("show", identity, "--json", store=store).json
    assert (marked["starred"], marked["read"], marked["tags"]) == (False, True, ["spill"])


def test_marking_with_nothing_is_wrong_usage(store: Path) -> None:
    called = command("mark", "i1", store=store)
    assert called.code == 2
    assert "mark --help" in called.err


def test_the_queue_from_add_to_remove(store: Path) -> None:
    identity = command("items", "--order", "score", "--json", store=store).json[0]["id"]
    words = ("--due", "2026-12-05", "--priority", "3", "--json")
    (added,) = command("queue", "add", identity, *words, store=store).json
    assert set(added) >= QUEUE
    assert added["id"].startswith("q")
    assert (added["item"], added["due"], added["priority"]) == (identity, "2026-12-05", 3)
    assert added["state"] in ("queued", "waiting")
    assert command("queue", "list", "--json", store=store).json == [added]
    assert command("show", identity, "--json", store=store).json["queue_state"] == added["state"]
    assert len(command("items", "--queued", "--json", store=store).json) == 1
    assert command("queue", "drop", added["id"], store=store).code == 0
    assert command("queue", "list", "--json", store=store).json[0]["state"] == "dropped"
    dropped = command("queue", "list", "--state", "dropped", "--json", store=store).json
    assert len(dropped) == 1
    assert command("queue", "restore", added["id"], store=store).code == 0
    assert command("queue", "list", "--json", store=store).json[0]["state"] == added["state"]
    assert command("queue", "remove", added["id"], store=store).code == 0
    assert command("queue", "list", "--json", store=store).json == []


@pytest.mark.parametrize("words", [("d1",), ("i999",), ("i1", "--check", "no-such-check")])
def test_what_cannot_be_queued_is_refused_in_one_line(store: Path, words: tuple[str, ...]) -> None:
    called = command("queue", "add", *words, store=store)
    assert called.code == 2
    assert len(called.err.strip().splitlines()) == 1
    assert command("queue", "list", "--json", store=store).json == []


@pytest.mark.parametrize("odd", ["i99999999999999999999", "", "q1;drop", "i１"])
@pytest.mark.parametrize(
    "words", ["show", "mark --star", "queue drop", "run show", "report --item", "items --feed"]
)
def test_odd_ids_are_refused_in_one_line(store: Path, words: str, odd: str) -> None:
    called = command(*words.split(), odd, store=store)
    assert called.code in (1, 2)
    assert called.out == ""
    assert len(called.err.strip().splitlines()) == 1


@pytest.mark.parametrize("due", ["tomorrow", "+3d", "+1w", "2026-12-05"])
def test_due_days_as_typed(store: Path, due: str) -> None:
    (added,) = command("queue", "add", "i1", "--due", due, "--json", store=store).json
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", added["due"])


def test_feeds_of_an_empty_store(tmp_path: Path) -> None:
    assert command("feeds", "--json", store=tmp_path / "s.db").json == []


def test_runs_of_an_empty_history(store: Path) -> None:
    assert command("runs", "--json", store=store).json == []
    called = command("run", "show", "r1", store=store)
    assert called.code in (1, 2)
    assert "r1" in called.err


def test_text_output_has_no_control_characters_from_content(store: Path) -> None:
    (post,) = [
        each
        for each in command("items", "--kind", "entry", "--json", store=store).json
        if each["title"].startswith("A post")
    ]
    for words in (("items", "--kind", "all"), ("show", post["id"]), ("search", "post")):
        called = command(*words, store=store)
        assert called.code == 0
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", called.out)
    assert "<script" not in (post["content_html"] or "")


def test_json_is_utf8_unescaped_whatever_the_locale(store: Path) -> None:
    called = command("items", "--json", store=store, env={"LC_ALL": "C", "PYTHONUTF8": "0"})
    assert "一篇关于调度的论文" in called.out
    json.loads(called.out)


def test_the_report_in_its_formats(store: Path, tmp_path: Path) -> None:
    command("queue", "add", "i1", store=store)
    assert json.loads(command("report", "--queue", "--format", "json", store=store).out)
    html = tmp_path / "queue.html"
    called = command("report", "--queue", "--format", "html", "-o", html, store=store)
    assert called.code == 0
    assert called.out == ""
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert command("report", "--item", "i1", store=store).out.startswith("# ")
    assert command("report", "--item", "i1", "--queue", store=store).code == 2
    assert command("report", "--run", "r9", store=store).code in (1, 2)
    called = command("report", "-o", tmp_path / "no" / "where.md", store=store)
    assert called.code == 1
    assert "where.md" in called.err


# ── the frame ──────────────────────────────────────────────────────────────────────────────────


def test_version() -> None:
    called = command("--version")
    assert called.code == 0
    assert re.fullmatch(r"readproof, version \d+\.\d+\.\d+\n", called.out)


WALK = """
import sys, json, click
from reader import cli
cli.speak(["--lang", sys.argv[1]])
from reader.cli.app import root

def walk(command, path, found):
    with click.Context(command, info_name=" ".join(path)) as context:
        found[" ".join(path)] = command.get_help(context)
    for name, inner in getattr(command, "commands", {}).items():
        walk(inner, [*path, name], found)
    return found

json.dump(walk(root, ["readproof"], {}), sys.stdout)
"""


def helps(tongue: str) -> dict[str, str]:
    """Return the help of every command and group in a language, made in one process."""
    done = subprocess.run(
        [sys.executable, "-c", WALK, tongue],
        capture_output=True,
        cwd=Path(__file__).parents[1],
        check=True,
    )
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_help_in_both_languages_for_every_command() -> None:
    english, chinese = helps("en"), helps("zh")
    assert set(english) == set(chinese)
    assert {f"readproof {name}" for name in ("items", "check run", "run diff", "export data")} <= (
        set(english)
    )
    for name, text in english.items():
        assert text.startswith(f"Usage: {name}")
        assert chinese[name].startswith("用法")
        assert not re.search("[\u4e00-\u9fff]", text), text
        left = _sentences(text) & _sentences(chinese[name])
        assert not left, f"not translated: {name}"


def test_help_goes_to_stdout() -> None:
    called = command("--lang", "zh", "queue", "add", "--help")
    assert called.code == 0
    assert "用法" in called.out
    assert called.err == ""


def _sentences(text: str) -> set[str]:
    """Return what is said of each option and command, without its name."""
    found = set()
    for line in text.splitlines()[1:]:
        said = re.split(r"\s{2,}", line.strip())[-1]
        if re.search(r"[a-z] [a-z]", said) and not said.startswith("-"):
            found.add(said)
    return found


def test_the_language_follows_the_system_and_the_settings(tmp_path: Path) -> None:
    assert "用法" in command("--help", env={"LANG": "zh_CN.UTF-8"}).out
    assert "Usage" in command("--help", env={"LANG": "fr_FR.UTF-8"}).out
    config = tmp_path / "settings.toml"
    config.write_text('language = "zh"\n', encoding="utf-8")
    assert "用法" in command("--config", config, "--help").out
    assert "Usage" in command("--config", config, "--lang", "en", "--help").out
    assert "没有命令" in command("--lang", "zh", "no-such-command").err


def test_global_options_stand_anywhere(store: Path) -> None:
    called = command("items", "--json", "--store", store, "--lang", "zh")
    assert len(called.json) == 2


@pytest.mark.parametrize(
    "words", [("nothing-like-this",), ("items", "--what"), ("show",), ("--lang", "fr", "items")]
)
def test_wrong_usage_is_2_and_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    called = command(*words, store=tmp_path / "s.db")
    assert called.code == 2
    assert called.out == ""
    assert len(called.err.strip().splitlines()) == 1


def test_broken_settings_are_named(tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text("zoom = ", encoding="utf-8")
    called = command("--config", config, "feeds", store=tmp_path / "s.db")
    assert called.code == 1
    assert str(config) in called.err


@pytest.mark.parametrize("content", [b"", b"not a database at all, but text" * 50, b"SQLite"])
def test_a_store_that_is_none_is_said_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(content)
    called = command("feeds", "--json", store=path)
    assert called.code == (0 if not content else 1)
    assert "Traceback" not in called.err
    if content:
        assert path.read_bytes() == content


def test_a_store_of_a_newer_version_is_left_alone(store: Path) -> None:
    with closing(sqlite3.connect(store)) as database:
        database.execute("PRAGMA user_version = 999")
    called = command("feeds", store=store)
    assert called.code == 1
    assert len(called.err.strip().splitlines()) == 1
    assert "newer" in called.err


def test_a_store_in_a_place_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    called = command("feeds", store=tmp_path / "file" / "s.db")
    assert called.code == 1
    assert len(called.err.strip().splitlines()) == 1


def test_a_bug_names_its_log_and_shows_no_trace(store: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import reader.store.queue as q\n"
        "def broken(self, state=None): raise AssertionError('planted \\x1b[31m')\n"
        "q.Queue.all = broken\n"
    )
    env = {"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[1]}", "XDG_STATE_HOME": str(tmp_path)}
    called = command("queue", "list", store=store, env=env)
    assert called.code == 3
    assert len(called.err.strip().splitlines()) == 1
    assert "planted" in called.err
    assert "\x1b" not in called.err
    (log,) = tmp_path.rglob("readproof.log")
    assert str(log) in called.err
    assert "AssertionError" in log.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
def test_a_reader_that_leaves_early_is_no_error(store: Path) -> None:
    line = f"{sys.executable} -m reader --store {store} show d1 --json | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_ctrl_c_is_130(store: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "reader", "--store", str(store), "report", "-o", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONPATH": str(_stall(tmp_path))},
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.strip() == "Interrupted."


def _stall(folder: Path) -> Path:
    """Return a folder whose sitecustomize makes the queue wait until it is interrupted."""
    (folder / "sitecustomize.py").write_text(
        "import signal, sys, time\n"
        # Whoever is started in the background by a shell would not hear of it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "import reader.store.queue as q\n"
        "def wait(self, state=None):\n"
        "    print('waiting', file=sys.stderr, flush=True)\n"
        "    time.sleep(60)\n"
        "q.Queue.all = wait\n"
    )
    return folder


def test_no_command_loads_qt(store: Path) -> None:
    code = (
        "import sys; from reader import cli\n"
        f"cli.main(['--store', {str(store)!r}, 'items'], lambda session: 0)\n"
        "print(*[m for m in sys.modules if 'PySide6' in m or 'gui' in m], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
        check=True,
    )
    assert done.stderr.strip() == ""
