"""Bytes of a feed → ParsedFeed; a page → the feeds it names. Pure; nothing is sanitised here."""

from __future__ import annotations

from reader.errors import NotUnderstood
from reader.language import _
from reader.model import ParsedFeed
from reader.parse import documents, encoding, jsonfeed, repair
from reader.parse.dates import given_zone
from reader.parse.discovery import Candidate, find_feeds, page_title

__all__ = ["Candidate", "find_feeds", "is_page", "page_title", "read_feed"]


def read_feed(
    body: bytes, *, content_type: str | None = None, url: str | None = None, zone: str = ""
) -> ParsedFeed:
    """Read RSS, Atom, RDF or JSON Feed; `url` is where relative addresses stand against.

    `zone` is that of times without one (see dates.zone_of); else the feed's language tells it.
    Titles come as plain text, content as raw HTML. No entity of a document is ever expanded and
    nothing is fetched. Raises NotUnderstood with what the bytes are instead.
    """
    with given_zone(zone):
        return _read(body, content_type, url)


def _read(body: bytes, content_type: str | None, url: str | None) -> ParsedFeed:
    text, notices = encoding.decode(body, content_type)
    start = text.lstrip("\ufeff \t\r\n\0")
    if not start.strip():
        raise NotUnderstood(_("The answer is empty. Check the address, or try again later."))
    if start[0] in "{[":
        return jsonfeed.read(start, url)
    root = repair.root_name(start)
    if root is None or root == "html":
        raise NotUnderstood(_not_a_feed(start))
    if root not in ("rss", "rdf", "feed", "entry", "channel"):
        raise NotUnderstood(_other_document(root))
    return documents.read(start, root, url, notices)


def is_page(body: bytes, content_type: str | None = None) -> bool:
    """Tell whether the bytes are a web page."""
    text, _notices = encoding.decode(body[:65536], content_type)
    return repair.root_name(text.lstrip("\ufeff \t\r\n\0")) == "html"


def _not_a_feed(text: str) -> str:
    if repair.root_name(text) == "html":
        return _(
            "This is a web page (“{title}”), not a feed. Give the address of its feed, or of "
            "its start page if that names one."
        ).format(title=page_title(text)[:80] or "?")
    return _("This is neither a feed nor a web page. Check the address.")


def _other_document(root: str) -> str:
    if root == "opml":
        return _("This is a list of subscriptions (OPML), not a feed. Import it as a file.")
    return _("This is XML (<{root}>), but no feed. Check the address.").format(root=root[:40])
