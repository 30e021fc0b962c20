"""The store: the only SQL; feeds, stories, marks, queue and runs in one SQLite file.

A Store belongs to the thread that opened it; another thread opens another, which is cheap.
Readers never wait for a writer (WAL); a writer waits up to ten seconds for another.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import TracebackType

from reader.errors import StoreError
from reader.language import _
from reader.store import safety
from reader.store.connection import Connection
from reader.store.facts import Facts
from reader.store.feeds import Feeds, Kept
from reader.store.images import Images
from reader.store.leases import Lease, Leases
from reader.store.library import Labeller, Library
from reader.store.marks import Marks, Undo
from reader.store.migrations import migrate
from reader.store.originals import Originals
from reader.store.queue import Queue
from reader.store.reading import Revision
from reader.store.runs import Runs
from reader.store.safety import restore
from reader.store.travel import Merged
from reader.store.whole import WholeTexts

__all__ = [
    "Kept",
    "Labeller",
    "Lease",
    "Merged",
    "Revision",
    "Store",
    "Undo",
    "export_data",
    "import_data",
    "restore",
]


class Store:
    """One open store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.path = connection.path
        self.facts = Facts(connection)
        self.feeds = Feeds(connection)
        self.library = Library(connection)
        self.images = Images(connection)
        self.originals = Originals(connection)
        self.whole = WholeTexts(connection)
        self.marks = Marks(connection)
        self.queue = Queue(connection)
        self.runs = Runs(connection)
        self._leases = Leases(connection)

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open a store, made where there is none, brought to the newest schema.

        Raises StoreError for a file of a newer version or another program, a folder that
        cannot be written, a damaged file or a full disk; the file is then as it was.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                _("{path} cannot be made ({detail}). Name another store with --store.").format(
                    path=path, detail=error.strerror
                )
            ) from error
        if path.exists() and not path.is_file():  # SQLite would put a journal beside a device
            raise StoreError(
                _("{path} is not a Readproof store. Name another file with --store.").format(
                    path=path
                )
            )
        connection = Connection(path)
        try:
            migrate(connection)
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def together(self) -> AbstractContextManager[None]:
        """Everything written inside is written whole or not at all; others wait so long."""
        return self._connection.write()

    def interrupt(self) -> None:
        """Let a query that is under way fail; the one call that another thread may make."""
        self._connection.raw.interrupt()

    def data_version(self) -> int:
        """Return a number that changes when another connection has written."""
        return int(self._connection.value("PRAGMA data_version"))

    @property
    def last_sync(self) -> datetime | None:
        """When a feed was last fetched."""
        return self.feeds.kept().last_sync

    def check(self) -> list[str]:
        """Return what is wrong with the file and the kept files; reads all of it."""
        faults = safety.check(self._connection)
        return faults or safety.missing_artefacts(self._connection, self.runs.folder)

    def backup(self, file: Path) -> None:
        """Write everything, kept files of Runs included, to one file; others may go on writing."""
        safety.backup(self._connection, file, self.runs.folder)

    def export_data(self, file: Path) -> None:
        """Write everything that is the user's to one file (see `export_data`)."""
        from reader.store.exporting import Export

        Export(self._connection, self.runs.folder).write(file)

    def import_data(self, file: Path) -> Merged:
        """Merge a data file (see `import_data`)."""
        from reader.store.importing import Import

        return Import(self._connection, self.runs.folder).read(file)

    def lease(self, name: str) -> AbstractContextManager[None]:
        """Hold a lease; raises StoreError while a living process holds it."""
        return self._leases.hold(name)

    def leases(self) -> list[Lease]:
        """Return what is under way in any living process."""
        return self._leases.all()


def export_data(store: Store, file: Path) -> None:
    """Write everything that is the user's to one file, whole or not at all.

    Feeds, marks, tags, notes, queue, Runs with their files, and the stories they stand on.
    Raises StoreError when the file cannot be written.
    """
    store.export_data(file)


def import_data(store: Store, file: Path) -> Merged:
    """Merge what `export_data` wrote; return what was not there before.

    The later mark wins, Runs unite, and the same file twice is once. Raises StoreError for a
    file that is damaged, of a newer version, or made to do harm; then nothing was taken from it.
    """
    return store.import_data(file)
