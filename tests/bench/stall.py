"""The longest time the window's thread was held up, over an import, a sync, a run and every view.

The gap counts what else the machine does, too; the second figure is the thread's own work.

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
        self._last, self._worked = time.perf_counter(), time.thread_time()
        self.longest = self.own = 0.0
        self._timer.start()

    def _beat(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self.longest = max(self.longest, (now - self._last) * 1000 - BEAT_MS)
        self.own = max(self.own, (worked - self._worked) * 1000)
        self._last, self._worked = now, worked

    def reset(self) -> None:
        """Begin anew."""
        self.longest = self.own = 0.0
        self._last, self._worked = time.perf_counter(), time.thread_time()

    @property
    def stall(self) -> tuple[float, float]:
        """The longest gap, and the most that the window's own thread computed without a pause."""
        return self.longest, self.own


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


def measure(window: Window, pulse: Pulse, folder: Path) -> dict[str, tuple[float, float]]:
    """Return the longest stall of each piece of work, and its own work, in milliseconds."""
    found: dict[str, tuple[float, float]] = {}
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
    found["idle"] = pulse.stall  # what the machine itself does to a timer
    for name, start in pieces:
        if name == "run":
            _select(window)
        rest(0.5)
        done.clear()
        pulse.reset()
        start()
        until(lambda: done)
        rest(1.0)
        found[name] = pulse.stall
    for key in ("queue", "runs", "feeds", "digests", "start", "today"):
        pulse.reset()
        window.go(key)
        rest(0.6)
        found[f"g {key}"] = pulse.stall
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
        gui_app.keep_steady()
        until(lambda: window.bench is not None)
        found = measure(window, Pulse(), folder)
        window.close()
    for name, (stall, worked) in found.items():
        line = f"{name:10} longest stall {stall:6.1f} ms, own work in one go {worked:6.1f} ms\n"
        sys.stdout.write(line)
    return 1 if max(found.values())[0] > MOST_MS else 0


def _posts(folder: Path) -> None:
    folder.mkdir()
    for n in range(60):
        text = "A kernel for sm_90 keeps its tiles in shared memory. " * 200
        (folder / f"{n}.md").write_text(f"# Post {n}\n\n{text}\n", encoding="utf-8")


if __name__ == "__main__":
    with Store.open(Path(tempfile.mkdtemp()) / "warm.db"):
        pass
    sys.exit(main())
