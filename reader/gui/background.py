"""Syncs what is due while the window is open: at its start, every minute's look, and on waking."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from reader.gui.desk import Desk
from reader.gui.jobs import Jobs

if TYPE_CHECKING:
    from reader.store import Store

FIRST_MS = 3_000  # the window comes first
LOOK_MS = 60_000
OFFLINE_SECONDS = 300.0  # until it is looked again whether there is a network
SLEPT_SECONDS = 180.0  # a look that comes so late: the machine slept


class Background(QObject):
    """Looks on the feeds' own schedule; what is not due is never asked."""

    def __init__(
        self, desk: Desk, jobs: Jobs, parent: QObject, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(parent)
        self._desk, self._jobs, self._clock = desk, jobs, clock
        self._looked = self._not_before = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        """Look soon, and from then on."""
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.applicationStateChanged.connect(self._state)
        self._timer.start()
        QTimer.singleShot(FIRST_MS, self, self.look)

    def _state(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self.look()

    def look(self) -> None:
        """Sync what is due, where nothing else is under way."""
        now = self._clock()
        if now - self._looked > SLEPT_SECONDS:
            self._not_before = 0.0  # after waking the network may be there again
        self._looked = now
        if self._jobs.syncing or now < self._not_before:
            return
        if self._jobs.offline:
            self._not_before = now + OFFLINE_SECONDS

        def due(store: Store) -> bool:
            return bool(store.feeds.due(datetime.now(UTC)))

        self._desk.ask(due, self._found, key="due", about="due", failed=lambda _error: None)

    def _found(self, is_due: bool) -> None:
        if is_due:
            self._jobs.sync(force=False, quiet=True)
