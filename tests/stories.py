"""Entries and digests for tests of the store, in our own words."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from reader.model import (
    DigestKind,
    Evidence,
    Form,
    Incoming,
    Labels,
    Layer,
    ParsedDigest,
    ParsedEntry,
    ParsedItem,
    Source,
)
from reader.store import Store

NOW = datetime(2026, 10, 5, 12, 0, tzinfo=UTC)
EIGHT = datetime(2026, 10, 1, 0, 0, tzinfo=UTC)
RELEASE = "https://github.com/example/tiler/releases/tag/v2.0"
HOPPER = Labels((Layer.KERNEL_CODEGEN,), ("nvidia", "hopper", "sm_90"), Evidence.CODEGEN)
AMD = Labels((Layer.RUNTIME, Layer.FRONTEND), ("amd",), Evidence.KERNEL)


def opened(tmp_path: Path, name: str = "store") -> Store:
    """Open a store of its own."""
    return Store.open(tmp_path / name / "readproof.db")


def post(title: str, *, days: int = 0, labels: Labels | None = None, **fields: Any) -> Incoming:
    """Return a plain entry, `days` before NOW."""
    known: dict[str, Any] = {
        "guid": title,
        "url": f"https://blog.example.org/{title.replace(' ', '-')}",
        "published": NOW - timedelta(days=days),
        "content_html": f"<p>About {title}.</p>",
    }
    return Incoming(ParsedEntry(title=title, **(known | fields)), labels or Labels())


def item(title: str, **fields: Any) -> ParsedItem:
    """Return an item as the Markdown form gives it."""
    known: dict[str, Any] = {
        "summary": f"{title} now folds the epilogue into the main loop and keeps registers low.",
        "why": "Fewer spills on long kernels.",
        "score": 70.0,
        "section": "Main changes",
    }
    return ParsedItem(title=title, **(known | fields))


def digest(*items: ParsedItem, form: Form = Form.MARKDOWN, **fields: Any) -> ParsedDigest:
    """Return a daily digest of the first of October."""
    known: dict[str, Any] = {
        "title": "Tiler 2.0 and a new scheduler",
        "date": date(2026, 10, 1),
        "cutoff_at": EIGHT,
        "site": "digest.example.org",
    }
    if form is Form.TEXT:
        known |= {"cutoff_at": None, "site": None}
    return ParsedDigest(DigestKind.DAILY, form, items=items, **(known | fields))


def arriving(parsed: ParsedDigest, **fields: Any) -> Incoming:
    """Return a digest as it comes, with labels for each of its items."""
    known: dict[str, Any] = {
        "title": parsed.title,
        "content_html": "".join(f"<h3>{each.title}</h3>" for each in parsed.items),
    }
    if parsed.form is not Form.TEXT:
        known["url"] = "https://digest.example.org/2026/10/01/daily.html"
    entry = ParsedEntry(**(known | fields))
    return Incoming(entry, HOPPER, parsed, tuple(HOPPER for _ in parsed.items))


def rich() -> ParsedDigest:
    """Return a digest of two items with addresses."""
    return digest(
        item("tiler v2.0", sources=(Source("source 1", RELEASE),), title_derived=True, score=90.0),
        item(
            "A scheduler for small kernels",
            sources=(Source("source 1", "https://arxiv.org/abs/2610.00001v2"),),
        ),
    )


def poor() -> ParsedDigest:
    """Return the same digest as copied text gives it: no addresses, no window."""
    return digest(
        item(
            "v2.0",
            summary="tiler v2.0 now folds the epilogue into the main loop and keeps registers low.",
            sources=(Source("source 1"),),
            score=90.0,
        ),
        item("A scheduler for small kernels", sources=(Source("source 1"),)),
        form=Form.TEXT,
    )
