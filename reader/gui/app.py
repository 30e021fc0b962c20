"""The application: one window a store, brought to the front by a second start."""

from __future__ import annotations

import gc
import hashlib
import sys
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, Qt, QTimer, QTranslator, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QApplication

from reader import language as tongue
from reader import settings as settings_room
from reader.gui.background import Background
from reader.gui.desk import Desk
from reader.gui.theme import Look
from reader.gui.window import Window

RAISE = b"raise\n"
WAIT_MS = 1000
# A painting thread takes the interpreter back hundreds of times a frame; each time it waits this
# long for a worker that computes. Python's own 5 ms would make every such wait a visible stall.
SWITCH_SECONDS = 0.0001
# When the window stands, what it is made of is no longer looked through for garbage: a full look,
# which any thread may set off, stops all of them for 40 ms.
SETTLED_MS = 2000


class Single(QObject):
    """Holds the place of the one window of a store; says when a second start asks for it."""

    asked = Signal()

    def __init__(self, store: Path) -> None:
        super().__init__()
        self._name = server_name(store)
        self._server: QLocalServer | None = None

    def raise_first(self) -> bool:
        """Ask the window that is open to come to the front; False where none is."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(WAIT_MS // 4):
            return False
        socket.write(RAISE)
        socket.waitForBytesWritten(WAIT_MS)
        socket.disconnectFromServer()
        return True

    def listen(self) -> None:
        """Be the one window from now on."""
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        QLocalServer.removeServer(self._name)
        server.newConnection.connect(self._called)
        server.listen(self._name)
        self._server = server

    def _called(self) -> None:
        if self._server is not None:
            socket = self._server.nextPendingConnection()
            socket.disconnected.connect(socket.deleteLater)
            self.asked.emit()

    def close(self) -> None:
        """Give the place up."""
        if self._server is not None:
            self._server.close()


def server_name(store: Path) -> str:
    """Return the local server's name for a store."""
    key = hashlib.sha256(str(store.absolute()).encode()).hexdigest()[:16]
    return f"readproof-{key}"


class _Translators:
    """Qt's own words in the language in use."""

    held: QTranslator | None = None


def translate() -> None:
    """Give Qt's own buttons the language in use."""
    app = QApplication.instance()
    if app is None:
        return
    if _Translators.held is not None:
        app.removeTranslator(_Translators.held)
    name = {"zh": "zh_CN", "en": "en"}[tongue.language()]
    translator = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if translator.load(QLocale(name), "qtbase", "_", folder):
        app.installTranslator(translator)
        _Translators.held = translator
    QLocale.setDefault(QLocale(name))


def make_window(store: Path, config: Path, language: str | None) -> Window:
    """Build the window on a store; the application has to be there."""
    chosen = settings_room.load(config)
    tongue.set_language(language or chosen.language or None)
    translate()
    look = Look(chosen.theme, chosen.zoom)
    look.apply()
    window = Window(Desk(store), config, chosen)
    look.changed.connect(window.rebuild)
    return window


def keep_steady() -> None:
    """Let no thread that works hold up the one that paints."""
    sys.setswitchinterval(SWITCH_SECONDS)
    QTimer.singleShot(SETTLED_MS, gc.freeze)


def run(store: Path, config: Path, language: str | None) -> int:
    """Open the window and return when it is closed."""
    QApplication.setApplicationName("readproof")
    QApplication.setApplicationDisplayName("Readproof")
    QApplication.setDesktopFileName("readproof")
    app = QApplication(sys.argv[:1])
    single = Single(store)
    if single.raise_first():
        return 0
    single.listen()
    window = make_window(store, config, language)

    def front() -> None:
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()

    single.asked.connect(front)
    window.show()
    window.open()
    keep_steady()
    Background(window.desk, window.jobs, window).start()
    code = app.exec()
    single.close()
    return code
