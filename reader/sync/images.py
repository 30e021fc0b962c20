"""Pictures of entries, fetched once and kept for reading without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from reader.errors import Interrupted, ReadproofError, SourceError
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
    from reader.fetch import Unreachable

    missing = store.images.missing(MOST)
    out_of_reach: set[str] = set()  # hosts: one look is enough for all of its pictures

    def one(url: str) -> tuple[str, bytes] | None:
        host = urlsplit(url).netloc
        if host in out_of_reach:
            return None
        try:
            body = fetcher.get(url, max_bytes=MOST_BYTES, seconds=SECONDS).body
        except Unreachable:
            out_of_reach.add(host)
            raise
        kind = media_type(body)
        if kind is None:
            raise SourceError(_("This is no picture."))
        return kind, body

    for done, (url, result) in enumerate(each(one, missing, workers=WORKERS, task=task), 1):
        if isinstance(result, Interrupted) or not isinstance(
            result, (ReadproofError, tuple, type(None))
        ):
            raise result
        if isinstance(result, ReadproofError):
            store.images.failed(url, str(result))
        elif result is not None:
            store.images.save(url, *result)
        progress(SyncProgress(done, len(missing), url=url, phase="images"))
