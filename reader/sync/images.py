"""Pictures of entries, fetched once and kept for reading without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reader.errors import ReadproofError, SourceError
from reader.language import _
from reader.sync.results import Progress, SyncProgress
from reader.tasks import Task, each

if TYPE_CHECKING:
    from reader.fetch import Fetcher
    from reader.store import Store

MOST = 400  # pictures a sync
MOST_BYTES = 5 << 20
SECONDS = 20.0
WORKERS = 8
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
)


def media_type(body: bytes) -> str | None:
    """Return what kind of picture the bytes are, whatever the server called them; None: none."""
    for magic, name in _MAGIC:
        if body.startswith(magic):
            return name
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    if body[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    head = body[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return "image/svg+xml" if head.startswith((b"<svg", b"<?xml")) and b"<svg" in head else None


def fetch_missing(
    store: Store, fetcher: Fetcher, task: Task[Any] | None, progress: Progress
) -> None:
    """Fetch the pictures that are still missing; one that cannot be had is tried again later."""
    missing = store.images.missing(MOST)

    def one(url: str) -> tuple[str, bytes]:
        body = fetcher.get(url, max_bytes=MOST_BYTES, seconds=SECONDS).body
        kind = media_type(body)
        if kind is None:
            raise SourceError(_("This is no picture."))
        return kind, body

    for done, (url, result) in enumerate(each(one, missing, workers=WORKERS, task=task), 1):
        if isinstance(result, ReadproofError):
            store.images.failed(url, str(result))
        elif isinstance(result, BaseException):
            raise result
        else:
            store.images.save(url, *result)
        progress(SyncProgress(done, len(missing), url=url, phase="images"))
