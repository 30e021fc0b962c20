"""Digests: forms (Markdown, feed HTML, saved page, copied text → blocks) and kinds (→ Digest)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from reader.digest import daily, forms, quick_look, values
from reader.digest.blocks import Document
from reader.language import _
from reader.model import Form, ParsedDigest

__all__ = ["NotADigest", "read"]

_KINDS = (quick_look, daily)


@dataclass(frozen=True, slots=True)
class NotADigest:
    """Why a text gave no digest; it stays readable as an entry. `notices` name the part."""

    reason: Literal["ordinary post", "empty", "not divided"]
    notices: tuple[str, ...] = ()


def read(
    content: str,
    *,
    form: Form | None = None,
    title: str = "",
    url: str | None = None,
    published: datetime | None = None,
) -> ParsedDigest | NotADigest:
    """Read a digest from any of its forms; never raises on bad text.

    `title`, `url` and `published` are what a feed says beside the content; they fill what the text
    itself does not tell.
    """
    content = forms.tidy(content)
    if not content.strip():
        return NotADigest("empty", (_("There is no text in it."),))
    if len(content) > forms.LIMIT:
        size = _("It holds {size} million characters; a digest has at most {limit} million.")
        size = size.format(size=len(content) // 1_000_000, limit=forms.LIMIT // 1_000_000)
        return NotADigest("not divided", (size,))
    document = forms.blocks(content, form or forms.detect_form(content))
    kind = next((each for each in _KINDS if each.recognise(document)), None)
    if kind is None:
        return NotADigest("ordinary post")
    digest = kind.divide(document, title)
    if not digest.items and not digest.no_news:
        return NotADigest("not divided", _what_failed(digest))
    return _completed(digest, document, title, url, published)


def _what_failed(digest: ParsedDigest) -> tuple[str, ...]:
    return digest.not_understood or (_("No item was found in it."),)


def _completed(
    digest: ParsedDigest,
    document: Document,
    title: str,
    url: str | None,
    published: datetime | None,
) -> ParsedDigest:
    """Fill site and date from what came beside the text."""
    address = url or document.url
    day = digest.date or values.day(digest.title, published.date() if published else None)
    day = day or values.day(address or "") or (published.date() if published else None)
    return replace(digest, title=digest.title or title, date=day, site=values.host(address))
