"""Work that can wait: one small piece at a time, while nothing else happens."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer

PAUSE_MS = 20  # between two pieces keys and paints have their turn


def in_turns(owner: QObject, pieces: Iterable[Callable[[], object]]) -> None:
    """Do these one after another, each in a turn of the event loop of its own, as long as the
    owner lives."""
    waiting = deque(pieces)

    def next_piece() -> None:
        waiting.popleft()()
        if waiting:
            QTimer.singleShot(0, owner, next_piece)

    if waiting:
        QTimer.singleShot(0, owner, next_piece)


class Idle(QObject):
    """Does pieces of work in their order, each in a turn of the event loop of its own."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pieces: deque[Callable[[], object]] = deque()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._next)

    def add(self, pieces: Iterable[Callable[[], object]]) -> None:
        """Do these, too, when those before them are done."""
        self._pieces.extend(pieces)
        if self._pieces and not self._timer.isActive():
            self._timer.start()

    def forget(self) -> None:
        """Leave what is still to be done."""
        self._pieces.clear()
        self._timer.stop()

    def _next(self) -> None:
        if self._pieces:
            piece = self._pieces.popleft()
            piece()
        if self._pieces:
            self._timer.start()
