"""Folders that are subscribed to, watched by the system: what is saved there comes in at once."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

from reader.gui.desk import Desk
from reader.gui.jobs import Jobs
from reader.model import FeedKind

if TYPE_CHECKING:
    from reader.store import Store

SETTLE_MS = 1_500  # an editor writes a file in several steps
MOST = 2_000  # folders and files a system lets one program watch without trouble


class FolderWatch(QObject):
    """Syncs a folder when something in it changes; systems that cannot tell wait for the hour."""

    def __init__(self, desk: Desk, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk, self._jobs = desk, jobs
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._changed)
        self._watcher.fileChanged.connect(self._changed)
        self._feeds: dict[str, str] = {}  # folder → feed
        self._due: set[str] = set()
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._sync)
        desk.changed.connect(self.look)
        jobs.sync_ended.connect(lambda _said: self._sync())

    @property
    def watched(self) -> list[str]:
        """The folders and files under watch."""
        return [*self._watcher.directories(), *self._watcher.files()]

    def look(self) -> None:
        """Look again which folders there are and what lies in them."""
        self._desk.ask(_folders, self._looked, key="folders")

    def _looked(self, found: dict[str, tuple[str, list[str]]]) -> None:
        self._feeds = {folder: feed for folder, (feed, _paths) in found.items()}
        wanted = {path for _feed, paths in found.values() for path in paths}
        held = set(self.watched)
        if gone := sorted(held - wanted):
            self._watcher.removePaths(gone)
        if new := sorted(wanted - held)[: MOST - len(held & wanted)]:
            self._watcher.addPaths(new)

    def _changed(self, path: str) -> None:
        feeds = {
            feed
            for folder, feed in self._feeds.items()
            if path == folder or Path(path).is_relative_to(folder)
        }
        self._due |= feeds
        if feeds:
            self._settle.start()

    def _sync(self) -> None:
        """Fetch the folders that changed; while a sync is under way they wait for its end."""
        if not self._due or self._settle.isActive() or self._jobs.syncing:
            return
        due, self._due = sorted(self._due), set()
        self._jobs.sync(due, quiet=True)
        self.look()


def _folders(store: Store) -> dict[str, tuple[str, list[str]]]:
    """Return each subscribed folder with its feed, and what is to be watched there."""
    from reader.sync.files import READ
    from reader.sync.folder import path_of

    found: dict[str, tuple[str, list[str]]] = {}
    for feed in store.feeds.all():
        folder = path_of(feed.url)
        if feed.kind is not FeedKind.FOLDER or not folder.is_dir():
            continue
        inside = [
            each
            for each in islice(folder.rglob("*"), 10 * MOST)
            if not any(part.startswith(".") for part in each.relative_to(folder).parts)
        ]
        folders = [str(each) for each in inside if each.is_dir() and not each.is_symlink()]
        files = [str(each) for each in inside if each.suffix.lower() in READ and each.is_file()]
        found[str(folder)] = (feed.id, [str(folder), *folders, *files][:MOST])
    return found
