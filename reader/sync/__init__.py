"""fetch → parse → digest → classify → store: syncing, importing and subscribing."""

from reader.sync.engine import sync
from reader.sync.importing import import_paths, starter
from reader.sync.previews import Preview, Sample, preview
from reader.sync.receive import incoming
from reader.sync.results import FeedResult, ImportResult, SyncProgress, SyncResult
from reader.sync.subscribing import bundled_sources, subscribe, subscribe_bundled

__all__ = [
    "FeedResult",
    "ImportResult",
    "Preview",
    "Sample",
    "SyncProgress",
    "SyncResult",
    "bundled_sources",
    "import_paths",
    "incoming",
    "preview",
    "starter",
    "subscribe",
    "subscribe_bundled",
    "sync",
]
