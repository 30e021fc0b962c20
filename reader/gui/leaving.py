"""Feeds that were unsubscribed a moment ago: gone from the window, not yet from the store."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from reader.gui.desk import Desk

GRACE_MS = 30_000  # so long an unsubscribed feed can be brought back as it was


class Leaving(QObject):
    """Takes feeds out of the store a while after they were unsubscribed, so that it can be undone.

    What a feed brought cannot be fetched again once the site no longer lists it; should the
    window crash meanwhile, the feed is simply still there.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._going: dict[str, tuple[QTimer, Callable[[int], object]]] = {}

    @property
    def ids(self) -> frozenset[str]:
        """The feeds that are no longer to be shown."""
        return frozenset(self._going)

    def leave(self, id_: str, gone: Callable[[int], object]) -> None:
        """Let a feed go; `gone` learns how many entries stay."""
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(GRACE_MS)
        timer.timeout.connect(lambda: self._remove(id_))
        self._going[id_] = timer, gone
        timer.start()

    def take_back(self, id_: str) -> bool:
        """Keep a feed after all; False where it has gone already."""
        timer, _gone = self._going.pop(id_, (None, None))
        if timer is not None:
            timer.stop()
        return timer is not None

    def finish(self) -> None:
        """Let all of them go now."""
        for id_ in list(self._going):
            self._remove(id_)

    def _remove(self, id_: str) -> None:
        timer, gone = self._going.pop(id_)
        timer.stop()
        self._desk.write(lambda store: store.feeds.remove(id_), gone)
