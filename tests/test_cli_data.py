"""Feeds, files and copies on the command line, against a real loopback server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.command import command, furnished
from tests.test_cli import FEED

RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>Tiles weekly</title>
<link>https://example.org/</link>
<item><title>Odd tiles</title><guid>odd</guid><link>https://example.org/odd</link>
<pubDate>Tue, 03 Nov 2026 08:00:00 GMT</pubDate><description>Odd widths.</description></item>
</channel></rss>"""


class Server(BaseHTTPRequestHandler):
    """Serves one feed, and nothing else."""

    def do_GET(self) -> None:
        """Answer the feed, or that there is none."""
        body = RSS.encode() if self.path == "/feed.xml" else b"gone"
        self.send_response(200 if self.path == "/feed.xml" else 404)
        self.send_header("Content-Type", "application/rss+xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    """Serve on the loopback address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_feed_from_add_to_remove(site: str, tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    (feed,) = command("add", f"{site}/feed.xml", "--json", store=store).json
    assert set(feed) >= FEED
    assert feed["id"].startswith("f")
    result = command("sync", "--json", store=store).json
    assert set(result) >= {"feeds", "new", "updated", "unchanged", "failed", "seconds"}
    assert set(result["feeds"][0]) >= {
        *("id", "url", "outcome", "new", "updated", "error", "seconds"),
    }
    assert result["failed"] == 0
    (feed,) = command("feeds", "--json", store=store).json
    assert (feed["health"], feed["entries"]) == ("ok", 1)
    assert feed["last_checked"]
    assert "Tiles weekly" in command("feeds", store=store).out
    assert command("show", feed["id"], "--json", store=store).json == feed
    (entry,) = command("items", "--kind", "entry", "--json", store=store).json
    assert (entry["feed"], entry["title"]) == (feed["id"], "Odd tiles")
    assert command("items", "--kind", "all", "--feed", feed["id"], "--json", store=store).json
    again = command("sync", "--force", "--feed", feed["id"], "--json", store=store).json
    assert (again["new"], again["failed"]) == (0, 0)
    assert command("remove", feed["id"], store=store).code == 0
    assert command("feeds", "--json", store=store).json == []


def test_a_failed_feed_has_its_line_and_only_all_failed_is_1(site: str, tmp_path: Path) -> None:
    store, lists = tmp_path / "s.db", tmp_path / "list.opml"
    lists.write_text(
        f'<opml version="2.0"><body><outline text="gone" type="rss" xmlUrl="{site}/no.xml"/>'
        "</body></opml>",
        encoding="utf-8",
    )
    assert command("import", lists, "--json", store=store).json["feeds"] == 1
    called = command("sync", "--force", store=store)
    assert called.code == 1
    assert "gone" in called.err
    command("add", f"{site}/feed.xml", store=store)
    called = command("sync", "--force", "--json", store=store)
    assert called.code == 0
    assert json.loads(called.out)["failed"] == 1


def test_what_cannot_be_subscribed_is_said(site: str, tmp_path: Path) -> None:
    called = command("add", f"{site}/nothing", store=tmp_path / "s.db")
    assert called.code == 1
    assert called.out == ""
    assert f"{site}/nothing" in called.err
    assert command("sync", "--feed", "f9", store=tmp_path / "s.db").code in (1, 2)


def test_the_bundled_sources_on_request(tmp_path: Path) -> None:
    feeds = command("add", "--bundled", "--json", store=tmp_path / "s.db").json
    assert len(feeds) >= 10
    assert all(each["health"] is None for each in feeds)
    assert command("add", store=tmp_path / "s.db").code == 2


def test_subscriptions_travel_as_opml(site: str, tmp_path: Path) -> None:
    here, there, file = tmp_path / "a.db", tmp_path / "b.db", tmp_path / "out.opml"
    command("add", f"{site}/feed.xml", store=here)
    assert command("export", "opml", file, store=here).code == 0
    assert command("import", file, "--json", store=there).json["feeds"] == 1
    assert command("feeds", "--json", store=there).json[0]["url"] == f"{site}/feed.xml"


def test_what_is_yours_travels_as_one_file(tmp_path: Path) -> None:
    here, there = furnished(tmp_path / "a.db"), tmp_path / "b.db"
    command("mark", "i1", "--star", "--tag", "spill", "--note", "mine", store=here)
    command("queue", "add", "i1", "--due", "2026-12-05", store=here)
    file = tmp_path / "mine.zip"
    assert command("export", "data", file, store=here).code == 0
    for _twice in range(2):
        assert command("import", file, store=there).code == 0
    (queued,) = command("queue", "list", "--json", store=there).json
    assert queued["due"] == "2026-12-05"
    item = command("show", queued["item"], "--json", store=there).json
    assert (item["starred"], item["tags"], item["note"]) == (True, ["spill"], "mine")


def test_backup_and_restore(tmp_path: Path) -> None:
    store, copy = furnished(tmp_path / "s.db"), tmp_path / "copy.db"
    before = command("items", "--json", store=store).json
    assert command("backup", copy, store=store).code == 0
    command("mark", "i1", "--star", store=store)
    assert command("restore", copy, store=store).code == 0
    assert command("items", "--json", store=store).json == before
    assert command("restore", tmp_path / "none.db", store=store).code == 1
    (tmp_path / "text.db").write_text("no store")
    assert command("restore", tmp_path / "text.db", store=store).code == 1
    assert command("items", "--json", store=store).json == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.md", b""),
        ("picture.png", b"\x89PNG\r\n\x1a\n"),
        ("broken.opml", b"<opml><body><outline"),
        ("archive.zip", b"PK\x03\x04 and nothing"),
        ("bytes.xml", b"\xff\xfe\x00\x01\x02"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    called = command("import", path, store=tmp_path / "s.db")
    assert called.code == 1
    assert name in called.err
    assert "Traceback" not in called.err
    assert len(called.err.strip().splitlines()) == 1


def test_one_file_refused_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("A note\n\nAbout tiles of odd width.\n", encoding="utf-8")
    called = command(
        "import", tmp_path / "good.txt", tmp_path / "no.md", "--json", store=tmp_path / "s.db"
    )
    assert called.json["entries"] == 1
    assert [each["path"] for each in called.json["refused"]] == [str(tmp_path / "no.md")]


def test_only_reading_brings_the_starter_and_only_once(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    assert command("feeds", "--json", store=store).json == []
    assert command("runs", "--json", store=store).json == []
    starter = command("items", "--json", store=store).json
    assert len(starter) == 13
    assert len(command("items", "--json", store=store).json) == 13
    (tmp_path / "note.md").write_text("# A note\n\nOf our own.\n", encoding="utf-8")
    other = tmp_path / "other.db"
    command("import", tmp_path / "note.md", store=other)
    assert command("items", "--json", store=other).json == []
    assert len(command("items", "--kind", "entry", "--json", store=other).json) == 1
