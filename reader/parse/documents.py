"""RSS, Atom and RDF: what feedparser gives (its sanitiser and link resolver off) → ParsedFeed."""

from __future__ import annotations

import html
import io
import re
from typing import Any
from urllib.parse import urljoin

from reader.errors import NotUnderstood
from reader.language import _
from reader.model import ParsedEntry, ParsedFeed
from reader.parse import quick, repair
from reader.parse.dates import parse_date
from reader.parse.texts import has_markup, is_plain_address, paragraphs, plain_title, web_address

_ENTRY_TAG = re.compile(r"<(/?)(?:[\w.-]+:)?(?:item|entry)(?=[\s/>])[^<>]*>?", re.IGNORECASE)
_ARXIV_ERROR = re.compile(r"^https?://arxiv\.org/api/errors")
_MARKUP = ("text/html", "application/xhtml+xml")


class _Document:
    """What holds for the whole feed while its entries are read."""

    def __init__(self, parsed: Any, root: str, url: str | None) -> None:
        version = str(parsed.version or "")
        self.feed = parsed.feed
        self.format = {"rdf": "rdf", "feed": "atom", "entry": "atom"}.get(root, "rss")
        self.atom = self.format == "atom" or version.startswith("atom")
        self.language: str | None = _one(self.feed, "language") or None
        self.self_url = next(
            (each["href"] for each in self.feed.get("links", []) if _is(each, "self")), None
        )
        self.site = _link(self.feed.get("links", [])) or _one(self.feed, "link")
        self.base = url or web_address(self.self_url, None) or web_address(self.site, None)


def read(text: str, root: str, url: str | None, notices: tuple[str, ...]) -> ParsedFeed:
    """Read a document whose root element is known to be a feed's."""
    well_formed, odd = repair.as_it_stands(text), False
    parsed: Any = quick.parse(well_formed, url) if well_formed is not None else None
    if parsed is None:
        mended, odd = repair.mend(text)
        parsed = quick.parse(mended, url) or _parsed(mended, url)
    document = _Document(parsed, root, url)
    _raise_arxiv_error(parsed.entries)
    given = list(parsed.entries)
    if given and _is_broken(odd, parsed) and _is_cut_off(text):
        del given[-1]  # the half of it would take the place of the whole one that is kept
    entries = [_entry(each, document) for each in given]
    kept = tuple(each for each in entries if each is not None)
    if _is_broken(odd, parsed):
        notices += (_("The feed is not well-formed XML; it was read as far as possible."),)
    if len(kept) < len(entries):
        left_out = len(entries) - len(kept)
        notices += (
            _("{count} entries had nothing in them and were left out.").format(count=left_out),
        )
    return ParsedFeed(
        title=plain_title(_one(parsed.feed, "title"), markup=True),
        format=document.format,
        url=web_address(document.site, document.base),
        self_url=web_address(document.self_url, document.base),
        language=document.language,
        entries=kept,
        notices=notices,
    )


def _is_broken(odd: bool, parsed: Any) -> bool:
    return odd or bool(parsed.bozo)


def _is_cut_off(text: str) -> bool:
    """Tell whether a document ends inside an entry."""
    begun = ended = -1
    for found in _ENTRY_TAG.finditer(text):
        if found[1]:
            ended = found.start()
        elif not found[0].endswith("/>"):
            begun = found.start()
    return begun > ended


def _parsed(text: str, url: str | None) -> Any:
    import feedparser

    headers = {"content-type": "application/xml; charset=utf-8"}
    if url:
        headers["content-location"] = url
    try:
        return feedparser.parse(
            io.BytesIO(text.encode("utf-8")),
            response_headers=headers,
            sanitize_html=False,
            resolve_relative_uris=False,
        )
    except Exception as error:  # feedparser lets all kinds through on hostile input
        raise NotUnderstood(
            _("The feed is damaged and could not be read ({detail}). Try again later.").format(
                detail=type(error).__name__
            )
        ) from error


def _raise_arxiv_error(entries: list[Any]) -> None:
    for each in entries:
        if _ARXIV_ERROR.match(_one(each, "id")):
            raise NotUnderstood(
                _("arXiv answered with an error: {detail}").format(detail=_one(each, "summary"))
            )


def _one(held: Any, name: str) -> str:
    # dict.get: feedparser's own falls back from one date to another and warns.
    value = dict.get(held, name)
    return value.strip() if isinstance(value, str) else ""


def _is(link: Any, relation: str) -> bool:
    return link.get("rel") == relation and bool(link.get("href"))


def _link(links: list[Any]) -> str | None:
    """Return the alternate link (RFC 4287 section 4.2.7), pages before others."""
    for each in links:  # nearly always there is one that needs no choosing
        if each.get("href") and each.get("rel", "alternate") == "alternate":
            address: str = each["href"].strip()
            if each.get("type", "text/html") in _MARKUP and address.startswith(("http:", "https:")):
                return address
            break
    found = [
        each["href"].strip()
        for wanted in (_MARKUP, None)
        for each in links
        if each.get("href")
        and each.get("rel", "alternate") == "alternate"
        and (wanted is None or each.get("type", "text/html") in wanted)
    ]
    web = [each for each in found if not re.match(r"[a-z][a-z0-9+.-]*:", each, re.IGNORECASE)]
    web = [each for each in found if each.lower().startswith(("http:", "https:"))] or web
    return web[0] if web else None


def _entry(raw: Any, document: _Document) -> ParsedEntry | None:
    guid = _one(raw, "id") or None
    base = _base(raw) or document.base
    url = web_address(_link(raw.get("links", [])), base) or _permalink(raw, guid, document)
    title = _title(raw, document)
    content, summary = _content(raw, document)
    if not (guid or url or title or content):
        return None
    published = parse_date(_one(raw, "published"), document.language)
    updated = parse_date(_one(raw, "updated"), document.language)
    if not document.atom:  # dc:date is the only date RDF has
        published = published or updated
    return ParsedEntry(
        title=title,
        guid=guid,
        url=url,
        authors=_authors(raw, guid, url),
        published=published,
        updated=updated or parse_date(_one(raw, "modified"), document.language),
        content_html=content,
        categories=tuple(dict.fromkeys(filter(None, map(_term, raw.get("tags", []))))),
        enclosures=_enclosures(raw, base),
        base_url=_content_base(raw) or url or base,
        summary=summary,
    )


def _base(raw: Any) -> str | None:
    return web_address(dict.get(raw, "title_detail", {}).get("base"), None)


def _content_base(raw: Any) -> str | None:
    details = [*raw.get("content", []), dict.get(raw, "summary_detail") or {}]
    return next((each["base"] for each in details if web_address(each.get("base"), None)), None)


def _permalink(raw: Any, guid: str | None, document: _Document) -> str | None:
    """Return a GUID that is an address, unless the feed says it is none."""
    if not guid or (not document.atom and not raw.get("guidislink", True)):
        return None
    return web_address(guid, None)


def _title(raw: Any, document: _Document) -> str:
    value = _one(raw, "title")
    kind = (dict.get(raw, "title_detail") or {}).get("type", "text/plain")
    if document.atom and kind not in _MARKUP:
        return " ".join(value.split())  # Atom says which it is: references in text are text
    return plain_title(value, markup=document.atom)


def _content(raw: Any, document: _Document) -> tuple[str, str]:
    """Return the richest content as HTML, and the summary where it says something else."""
    summary = dict.get(raw, "summary_detail") or {}
    details = [each for each in raw.get("content", []) if (each.get("value") or "").strip()]
    best = max(details, key=lambda each: len(each["value"]), default=summary)
    content = _as_html(best, document)
    teaser = _one(summary, "value")
    if not details and raw.get("media_thumbnail"):
        content = _with_picture(raw, paragraphs(teaser), document)
    return content, teaser


def _as_html(detail: Any, document: _Document) -> str:
    value = (detail.get("value") or "").strip()
    if document.atom and detail.get("type") == "text/plain":
        return paragraphs(value)
    if value and not has_markup(value):
        blocks = re.split(r"\n\s*\n", value)
        return "".join(f"<p>{block}</p>" for block in blocks if block.strip())
    return str(value)


def _with_picture(raw: Any, content: str, document: _Document) -> str:
    """Return a media:description with its preview picture (media:thumbnail) before it."""
    address = web_address(raw["media_thumbnail"][0].get("url"), document.base)
    return f'<p><img src="{html.escape(address)}" alt=""></p>{content}' if address else content


def _authors(raw: Any, guid: str | None, url: str | None) -> tuple[str, ...]:
    names = [_one(each, "name") or _one(each, "email") for each in raw.get("authors", [])]
    if not any(names):
        names = [_one(raw, "author")]
    if len(names) == 1 and "arxiv.org" in f"{guid} {url}".lower():
        names = names[0].split(",")  # arXiv gives all authors as one string
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def _term(tag: Any) -> str:
    return _one(tag, "label") or _one(tag, "term")


def _enclosures(raw: Any, base: str | None) -> tuple[str, ...]:
    addresses = [each["href"] for each in raw.get("links", []) if _is(each, "enclosure")]
    addresses += [each["url"] for each in raw.get("media_content", []) if each.get("url")]
    joined = (
        each if is_plain_address(each) else web_address(urljoin(base or "", each), None)
        for each in addresses
    )
    return tuple(dict.fromkeys(each for each in joined if each))
