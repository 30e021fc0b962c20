"""A real window on a real store, and the keyboard."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reader import language, settings
from reader.checks import environment, interpreters, manifest
from reader.gui import app
from reader.gui.window import Window
from reader.model import Evidence, Interpreter, Labels, Layer, Source
from reader.store import Store
from tests import stories

CHECK = Path(__file__).parents[1] / "data" / "checks" / "confirms"
EVENS = "https://github.com/example/evens/releases/tag/v1.2.0"
WAIT_MS = 60_000  # only how long a hang may last; nothing passes or fails by it
PTX = Labels(
    layers=(Layer.KERNEL_CODEGEN,),
    hardware=("hopper",),
    evidence=Evidence.CODEGEN,
    evidence_all=(Evidence.CODEGEN,),
)
HIP = Labels(
    layers=(Layer.RUNTIME,),
    hardware=("amd",),
    evidence=Evidence.KERNEL,
    evidence_all=(Evidence.KERNEL,),
)


def filled(path: Path) -> None:
    """Make a store of one digest with three items, and three posts beside it."""
    parsed = stories.digest(
        stories.item("A scheduler for small kernels", score=80.0, layers=(Layer.OPTIMIZATION,)),
        stories.item("Evens 1.2.0", score=75.0, sources=(Source("Evens v1.2.0", EVENS),)),
        stories.item("Warp queues on AMD", score=61.0, layers=(Layer.RUNTIME,)),
    )
    coming = stories.arriving(parsed, published=stories.NOW)
    with Store.open(path) as store:
        feed = store.feeds.add("https://blog.example.org/feed.xml", "Kernel blog")
        store.library.save(None, [coming], stories.NOW)
        posts = [
            stories.post("Evens 1.2.0 notes", labels=PTX, url=EVENS),
            stories.post("Tiles and queues", labels=HIP),
            stories.post("寄存器与共享内存", days=1, labels=PTX),
        ]
        store.library.save(feed.id, posts, stories.NOW)


@cache
def _pythons() -> tuple[Interpreter, ...]:
    return tuple(interpreters.interpreters())


@pytest.fixture(autouse=True)
def pythons_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the first window ask the machine's Pythons, and the others hear the same answer."""
    monkeypatch.setattr(environment, "interpreters", lambda: list(_pythons()))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a filled store, settings, and a trusted check of the user's own."""
    filled(tmp_path / "readproof.db")
    own = tmp_path / "checks" / "confirms"
    shutil.copytree(CHECK, own)
    manifest.trust(manifest.load(own, bundled=False))
    chosen = settings.Settings(language="en", theme="light", check_folders=(str(own.parent),))
    settings.save(tmp_path / "settings.toml", chosen)
    return tmp_path


Opener = Callable[..., Window]


@pytest.fixture
def opener(qtbot: QtBot, place: Path) -> Iterator[Opener]:
    """Return what opens windows on the place's store; all are closed at the end."""
    made: list[Window] = []

    def open_window(spoken: str = "en", *, welcomed: bool = True, theme: str = "light") -> Window:
        chosen = settings.load(place / "settings.toml")
        from dataclasses import replace

        settings.save(place / "settings.toml", replace(chosen, language=spoken, theme=theme))
        window = app.make_window(place / "readproof.db", place / "settings.toml", spoken)
        window.memory.welcomed = welcomed
        made.append(window)
        window.resize(1440, 866)
        window.show()
        window.activateWindow()
        window.open()
        qtbot.waitUntil(lambda: window.shelf is not None, timeout=WAIT_MS)
        return window

    yield open_window
    for window in made:
        window.close()
        window.deleteLater()
    QApplication.processEvents()
    # Else windows of all tests live on, and whatever styles the application styles them all.
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    language.set_language("en")


@pytest.fixture
def window(opener: Opener, qtbot: QtBot) -> Window:
    """Return a window that shows today's list, with the machine known."""
    window = opener()
    qtbot.waitUntil(lambda: window.list.current is not None, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.bench is not None, timeout=WAIT_MS)
    return window


def press(keys: str) -> None:
    """Press keys one after another, wherever the keyboard is; capitals with Shift."""
    named = {
        "Enter": Qt.Key.Key_Return,
        "Esc": Qt.Key.Key_Escape,
        "Space": Qt.Key.Key_Space,
        "Backspace": Qt.Key.Key_Backspace,
        "F6": Qt.Key.Key_F6,
        "Tab": Qt.Key.Key_Tab,
    }
    for typed in keys.split(" "):
        widget = QApplication.focusWidget() or QApplication.activeWindow()
        assert widget is not None
        held, _plus, key = typed.rpartition("+")
        modifier = {
            "Alt": Qt.KeyboardModifier.AltModifier,
            "Ctrl": Qt.KeyboardModifier.ControlModifier,
        }.get(held, Qt.KeyboardModifier.NoModifier)
        if key in named:
            QTest.keyClick(widget, named[key], modifier)
        else:
            if key.isupper():
                modifier = Qt.KeyboardModifier.ShiftModifier
            QTest.keyClick(widget, Qt.Key(ord(key.upper())), modifier)
