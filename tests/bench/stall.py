"""The longest time the window's thread was held up, over an import, a sync and a run.

python -m tests.bench.stall
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from reader import settings
from reader.checks import manifest
from reader.gui import app as gui_app
from reader.gui.window import Window
from reader.store import Store
from tests.feed_server import serving
from tests.gui.conftest import CHECK, filled
from tests.pictures import own_home, prepare

BEAT_MS = 2
MOST_MS = 50


class Pulse:
    """A timer that beats on the window's thread; the longest gap between beats is a stall."""

    def __init__(self) -> None:
        self._timer = QTimer()
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._last = time.perf_counter()
        self.longest = 0.0
        self._timer.start()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.longest = max(self.longest, (now - self._last) * 1000 - BEAT_MS)
        self._last = now

    def reset(self) -> None:
        """Begin anew."""
        self.longest, self._last = 0.0, time.perf_counter()


def until(true: Callable[[], object], seconds: float = 60.0) -> None:
    """Let the window work until something is true."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.0005)


def rest(seconds: float) -> None:
    """Let the window work for a while."""
    end = time.monotonic() + seconds
    until(lambda: time.monotonic() > end, seconds + 1)


def measure(window: Window, pulse: Pulse, folder: Path) -> dict[str, float]:
    """Return the longest stall of each piece of work in milliseconds."""
    found: dict[str, float] = {}
    done: list[str] = []
    window.jobs.sync_ended.connect(lambda _text: done.append("sync"))
    window.jobs.run_ended.connect(lambda *_each: done.append("run"))
    pieces: list[tuple[str, Callable[[], object]]] = [
        ("import", lambda: window.jobs.import_paths([folder / "posts"])),
        ("sync", lambda: window.command("sync")),
        ("run", lambda: window.command("run")),
    ]
    rest(1.0)
    pulse.reset()
    rest(3.0)
    found["idle"] = pulse.longest  # what the machine itself does to a timer
    for name, start in pieces:
        if name == "run":
            _select(window)
        rest(0.5)
        done.clear()
        pulse.reset()
        start()
        until(lambda: done)
        rest(1.0)
        found[name] = pulse.longest
    return found


def _select(window: Window) -> None:
    window.go("unread")
    until(lambda: window.list.model.count() > 0)
    for place in range(window.list.model.rowCount()):
        until(partial(window.list.model.row_at, place), 5)
        row = window.list.model.row_at(place)
        if row is not None and row.title == "Evens 1.2.0":
            window.list.select(place)
            break
    until(lambda: window.verify.offer is not None)


def main() -> int:
    """Measure and print; exit 1 where the window was held up too long."""
    sys.setswitchinterval(gui_app.SWITCH_SECONDS)
    QApplication([])
    with tempfile.TemporaryDirectory() as scratch, serving() as server:
        folder = Path(scratch)
        own_home(folder)
        filled(folder / "readproof.db")
        prepare(folder, server)
        _posts(folder / "posts")
        own = folder / "checks" / CHECK.name
        if not own.exists():
            shutil.copytree(CHECK, own)
            manifest.trust(manifest.load(own, bundled=False))
        chosen = settings.Settings(language="en", check_folders=(str(folder / "checks"),))
        settings.save(folder / "settings.toml", chosen)
        window = gui_app.make_window(folder / "readproof.db", folder / "settings.toml", "en")
        window.memory.welcomed = True
        window.show()
        window.open()
        until(lambda: window.bench is not None)
        found = measure(window, Pulse(), folder)
        window.close()
    for name, stall in found.items():
        sys.stdout.write(f"{name:8} longest stall {stall:6.1f} ms\n")
    return 1 if max(found.values()) > MOST_MS else 0


def _posts(folder: Path) -> None:
    folder.mkdir()
    for n in range(60):
        text = "A kernel for sm_90 keeps its tiles in shared memory. " * 200
        (folder / f"{n}.md").write_text(f"# Post {n}\n\n{text}\n", encoding="utf-8")


if __name__ == "__main__":
    with Store.open(Path(tempfile.mkdtemp()) / "warm.db"):
        pass
    sys.exit(main())
