"""Pictures of the window from a real store, after a real import, sync and Run.

    python -m tests.pictures FOLDER [zh|en] [light|dark]

Seven states in two languages and two colour schemes: today, digest, quick look, running, verdicts,
queue, feeds (and the start page). The feeds come from a loopback server, the Run from the bundled
check that needs least; where its environment cannot be had, from the smallest check of the tests.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from reader import language, settings
from reader.checks import manifest
from reader.gui import app as gui_app
from reader.gui import views
from reader.gui.quick_look import facts
from reader.gui.window import Window
from reader.model import FeedKind
from reader.store import Store
from tests.feed_server import Answer, FeedServer, serving

SIZE = (1440, 866)
PATIENCE = 120.0
OWN = Path(__file__).parent / "data" / "checks" / "confirms"
FEEDS = {
    "tiler": (
        "example/tiler",
        FeedKind.GITHUB_RELEASES,
        ("Tiler 2.1: sm_90a wgmma in the matmul",),
    ),
    "papers": (
        "Compiler papers",
        FeedKind.ARXIV,
        ("Register-aware scheduling of GPU kernels", "A contract for linked kernel components"),
    ),
    "blog": (
        "Kernel blog",
        FeedKind.FEED,
        ("Reading PTX: what an acquire costs on Hopper", "在 AMD 上测一次 kernel 时间"),
    ),
    "broken": ("Vendor notes", FeedKind.FEED, ()),
}


def rss(title: str, posts: tuple[str, ...]) -> bytes:
    """Return a feed of these posts, the newest of an hour ago."""
    items = ""
    for place, post in enumerate(posts):
        at = format_datetime(datetime.now(UTC) - timedelta(hours=1 + 3 * place))
        items += (
            f"<item><title>{post}</title><guid>{title}{place}</guid><pubDate>{at}</pubDate>"
            f"<link>https://example.org/{place}</link><description>&lt;p&gt;{post}: kernels for "
            "sm_90, code generation and PTX, with a regression test.&lt;/p&gt;</description></item>"
        )
    head = f"<?xml version='1.0'?><rss version='2.0'><channel><title>{title}</title>"
    return f"{head}{items}</channel></rss>".encode()


def prepare(folder: Path, server: FeedServer) -> None:
    """Subscribe to the loopback feeds and trust a small check of our own."""
    with Store.open(folder / "readproof.db") as store:
        for name, (title, kind, posts) in FEEDS.items():
            url = f"{server.address}{name}.xml"
            answer = Answer(rss(title, posts), headers={"Content-Type": "application/rss+xml"})
            server.answers[url] = answer if posts else Answer(b"busy", 503)
            store.feeds.add(url, title, kind, private=True)
    own = folder / "checks" / OWN.name
    shutil.copytree(OWN, own)
    manifest.trust(manifest.load(own, bundled=False))


class Camera:
    """Drives one window and keeps pictures of it."""

    def __init__(self, window: Window, folder: Path, name: str) -> None:
        self.window, self._folder, self._name = window, folder, name

    def until(self, true: Callable[[], object], seconds: float = PATIENCE) -> bool:
        """Let the window work until something is true; False when it does not become so."""
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end:
                return False
            self.rest(0.01)
        return True

    def rest(self, seconds: float) -> None:
        """Let the window work for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            QApplication.processEvents()
            time.sleep(0.005)

    def shoot(self, state: str) -> None:
        """Keep a picture of the window."""
        self.rest(0.8)
        target = self._folder / f"{state}-{self._name}.png"
        self.window.grab().save(str(target))
        sys.stdout.write(f"{target}\n")


def walk(camera: Camera) -> None:
    """Go through the states."""
    window = camera.window
    camera.until(lambda: window.bench is not None)
    window.go("start")
    camera.until(lambda: window.start._machine.count() > 3)
    camera.shoot("1-start")
    window.command("sync")
    camera.until(lambda: not window.jobs.syncing)
    window.go("digests")
    camera.until(lambda: window.list.model.count() >= 3)
    camera.rest(0.5)
    window.list.select(0)
    camera.rest(1.0)
    window.command("open")
    camera.until(lambda: window.view.key.startswith("digest:"))
    camera.rest(1.0)
    camera.shoot("2-digest")
    _quick(camera)
    window.list.select(window.list.model.rowCount() - 1)
    camera.until(lambda: window.verify.offer is not None)
    camera.rest(0.5)
    window.command("queue")
    camera.rest(0.5)
    _run(camera)
    window.go("runs")
    camera.until(lambda: window.runs.view.judged is not None)
    window.runs.open()
    camera.shoot("4-verdicts")
    window.go("unread")
    camera.rest(1.0)
    for _step in range(2):
        window.command("queue")
        camera.rest(0.3)
        window.command("next")
        camera.rest(0.5)
    window.go("queue")
    camera.until(lambda: window.queue.found)
    camera.shoot("5-queue")
    window.go("feeds")
    camera.until(lambda: window.feeds.found)
    camera.shoot("6-feeds")
    window.go("today")
    camera.until(lambda: window.list.model.count() > 0)
    camera.shoot("0-today")


def _quick(camera: Camera) -> None:
    """Show the quick look of the starter, wide and narrow, then an item of it in panes."""
    window = camera.window
    with Store.open(window.desk.path) as store:
        found = store.library.ids(views.query_of("digests"))
        quick = next(each for each in found if facts.load(store, f"digest:{each}", None))
    window.show_view(views.view(f"digest:{quick}", language._("Digest")))
    camera.until(lambda: window.stories.quick_shown)
    camera.shoot("7-quick")
    window.resize(900, SIZE[1])
    camera.shoot("8-quick-narrow")
    window.resize(*SIZE)
    window.command("open")
    camera.rest(1.0)


def _run(camera: Camera) -> None:
    window = camera.window
    ended: list[object] = []
    window.jobs.run_ended.connect(lambda *_each: ended.append(1))
    window.jobs.build_wanted.connect(lambda job, *_asked: window.jobs.build(job))
    window.command("run")
    camera.until(lambda: window.jobs.running, 5)
    camera.rest(1.2)
    camera.window.grab().save(str(camera._folder / f"3-running-{camera._name}.png"))
    camera.until(lambda: ended and not window.jobs.running)
    camera.rest(1.0)


def main(words: list[str]) -> int:
    """Make the pictures."""
    folder = Path(words[0]) if words else Path("pictures")
    folder.mkdir(parents=True, exist_ok=True)
    languages = [each for each in words[1:] if each in ("zh", "en")] or ["zh", "en"]
    themes = [each for each in words[1:] if each in ("light", "dark")] or ["light", "dark"]
    QApplication([])
    with tempfile.TemporaryDirectory() as home:
        own_home(Path(home))
        for spoken in languages:
            for theme in themes:
                with tempfile.TemporaryDirectory() as scratch, serving() as server:
                    one(Path(scratch), server, folder, spoken, theme)
    return 0


def own_home(folder: Path) -> None:
    """Keep what this process trusts, builds and sets out of the user's own folders."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        os.environ[name] = str(folder / name.lower())


def one(scratch: Path, server: FeedServer, folder: Path, spoken: str, theme: str) -> None:
    """Make the pictures of one language and scheme."""
    chosen = settings.Settings(
        language=spoken, theme=theme, check_folders=(str(scratch / "checks"),)
    )
    settings.save(scratch / "settings.toml", chosen)
    from reader import sync

    language.set_language(spoken)
    with Store.open(scratch / "readproof.db") as store:
        sync.starter(store)
    prepare(scratch, server)
    window = gui_app.make_window(scratch / "readproof.db", scratch / "settings.toml", spoken)
    window.resize(*SIZE)
    window.show()
    window.open()
    walk(Camera(window, folder, f"{theme}-{spoken}"))
    window.jobs.cancel_run()
    window.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
