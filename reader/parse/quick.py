"""Ordinary RSS, Atom and RDF by ElementTree, in the shapes that feedparser gives; else nothing.

feedparser stays the reference: this takes only documents made of elements whose reading by it is
known to the letter, and hands everything else back. What it takes costs a tenth.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin
from xml.etree import ElementTree

from reader.parse.texts import is_plain_address

Element = ElementTree.Element
Raw = dict[str, Any]  # an entry or a feed as feedparser gives it, as far as it is used

_ATOM = "{http://www.w3.org/2005/Atom}"
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_RSS1 = "{http://purl.org/rss/1.0/}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_CONTENT = "{http://purl.org/rss/1.0/modules/content/}encoded"
_MEDIA = ("{http://search.yahoo.com/mrss/}", "{http://search.yahoo.com/mrss}")
_ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

# Namespaces whose elements say nothing that is kept.
_MUTE = (
    "{http://purl.org/rss/1.0/modules/slash/}", "{http://purl.org/rss/1.0/modules/syndication/}",
    "{http://wellformedweb.org/CommentAPI/}", "{http://purl.org/syndication/thread/1.0}",
    "{http://arxiv.org/schemas/atom}", "{http://rssnamespace.org/feedburner/ext/1.0}",
    "{http://a9.com/-/spec/opensearch/1.1/}", "{http://webfeeds.org/rss/1.0}",
    "{com-wordpress:feed-additions:1}",
)  # fmt: skip
_MUTE_DC = {_DC + name for name in ("rights", "identifier", "type", "format", "source", "language")}
_MUTE_ITUNES = {
    _ITUNES + name
    for name in ("duration", "explicit", "episode", "season", "episodetype", "title", "subtitle",
                 "image", "block", "isclosedcaptioned", "order", "type", "new-feed-url", "complete")
}  # fmt: skip
_MUTE_RSS = {"comments", "ttl", "docs", "cloud", "skiphours", "skipdays", "webmaster", "rating"}
_MUTE_RSS |= {"copyright", "generator", "lastbuilddate", "pubdate", "description", "managingeditor"}
_MUTE_ATOM = {"rights", "icon", "logo", "generator", "subtitle", "contributor"}
# Prefixes by which feedparser may take an element for another namespace's.
_TAKEN = {
    "content": "http://purl.org/rss/1.0/modules/content",
    "dc": "http://purl.org/dc/elements/1.1",
    "media": "http://search.yahoo.com/mrss",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "atom": "http://www.w3.org/2005/atom",
}
_HANDLED = ("admin", "cc", "creativecommons", "dcterms", "geo", "georss", "gml", "psc", "xhtml")
_PREFIX = re.compile(r"""xmlns:(?=([\w.-]+)\s*=\s*["']([^"']*)["'])""")
# Control characters of which feedparser makes others: in UTF-8, and as they may be referred to.
_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_C1_REFERENCE = re.compile(r"&#(?:0*1(?:2[89]|[345][0-9])|[xX]0*[89][0-9a-fA-F]);")
_NAMED = re.compile(r"(?:tag|urn|oai):[A-Za-z0-9][A-Za-z0-9.,:/@+_-]*\Z")
_QUERY = re.compile(r"&([A-Za-z0-9_]+);")
_SLASHES = re.compile(r"[A-Za-z][A-Za-z0-9+-.]*:///")
_TYPES = {
    "": "text/plain", "text": "text/plain", "plain": "text/plain", "text/plain": "text/plain",
    "html": "text/html", "text/html": "text/html",
}  # fmt: skip


class _Other(Exception):
    """Something stands in the document that only feedparser knows to read."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What feedparser's result is used for."""

    feed: Raw
    entries: list[Raw]
    version: str
    bozo: bool = False


def parse(text: str, url: str | None) -> Parsed | None:
    """Read XML without a document type; None where it is not well-formed or not ordinary."""
    if url and not url.lower().startswith(("http://", "https://")):
        return None
    try:
        for prefix, uri in set(_PREFIX.findall(text)):
            _foreseen(prefix.lower(), uri.lower().rstrip("/"))
        root = _tree(text)
        names: set[str] = set()
        for each in root.iter():
            if each.attrib:
                names.update(each.attrib)
        if any(name.lower().endswith("base") for name in names):
            return None  # relative addresses stand against something else in an element
        base = urljoin(url, url) if url else ""
        if root.tag == "rss":
            return _rss(root, base)
        if root.tag == _ATOM + "feed":
            return _atom(root, base)
        if root.tag == _RDF + "RDF":
            return _rdf(root, base)
    except (ElementTree.ParseError, _Other, ValueError, RecursionError):
        pass
    return None


def _tree(text: str) -> Element:
    body = text.encode()
    if (b"\xc2" in body and _C1.search(body)) or ("&#" in text and _C1_REFERENCE.search(text)):
        raise _Other("controls")
    parser = ElementTree.XMLParser(encoding="utf-8")
    parser.feed(body)
    root: Element = parser.close()
    return root


def _foreseen(prefix: str, uri: str) -> None:
    """Refuse a prefix by which feedparser takes elements for something else."""
    wanted = _TAKEN.get(prefix)
    if wanted != uri if wanted else (uri in _TAKEN.values() or prefix in _HANDLED):
        raise _Other(prefix)


# ── the three kinds ────────────────────────────────────────────────────────────────────────────


def _rss(root: Element, base: str) -> Parsed:
    channels = [each for each in root if each.tag == "channel"]
    if len(channels) != 1 or len(root) != 1 or root.attrib.get("version", "2.0")[:2] != "2.":
        raise _Other("rss")
    if channels[0].attrib:
        raise _Other("channel")
    feed, entries = _Context(base), []
    _language(root, feed)
    for each in channels[0]:
        if each.tag == "item":
            entries.append(_item(each, base))
        else:
            _of_channel(each, feed)
    return Parsed(feed.raw, entries, "rss20")


def _rdf(root: Element, base: str) -> Parsed:
    feed, entries = _Context(base), []
    _language(root, feed)
    for each in root:
        if each.tag == _RSS1 + "channel":
            for part in each:
                if part.tag != _RSS1 + "items" and part.tag != _RSS1 + "image":
                    _of_channel(part, feed, _RSS1)
        elif each.tag == _RSS1 + "item":
            about = each.attrib.get(_RDF + "about")
            entries.append(_item(each, base, _RSS1, about))
        else:
            raise _Other(each.tag)
    return Parsed(feed.raw, entries, "rss10")


def _atom(root: Element, base: str) -> Parsed:
    feed, entries = _Context(base), []
    _language(root, feed)
    for each in root:
        name = each.tag.removeprefix(_ATOM)
        if each.tag == _ATOM + "entry":
            entries.append(_entry(each, base))
        elif name == "title":
            _title(each, feed, None)
        elif name == "link":
            _linked(each, feed)
        elif name == "id":
            _guid(each, feed)  # feedparser takes it for a link where there is none
        elif name == "author" or name in _MUTE_ATOM or name in ("updated", "published"):
            _no_markup(each)
        elif not _mute(each):
            raise _Other(each.tag)
    return Parsed(feed.raw, entries, "atom10")


# ── feeds and entries ──────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Context:
    """An entry or feed under way."""

    base: str
    raw: Raw = field(default_factory=dict)
    is_link: bool = False  # the last GUID may be an address

    def detail(self, element: Element, kind: str) -> Raw:
        """Return text with its type, as feedparser keeps it."""
        if len(element):
            raise _Other("markup")
        return {"type": kind, "base": self.base, "value": _text(element)}


def _language(root: Element, feed: _Context) -> None:
    language = root.attrib.get(_LANG, root.attrib.get("lang"))
    # Of RDF feedparser looks for a tag that it never meets.
    if language and root.tag != _RDF + "RDF":
        feed.raw["language"] = language.replace("_", "-")


def _of_channel(each: Element, feed: _Context, ns: str = "") -> None:
    name = each.tag.removeprefix(ns)
    if name == "title":
        _title(each, feed, "text/plain")
    elif name == "link":
        _plain_link(each, feed, entry=False)
    elif each.tag == _ATOM + "link":
        _linked(each, feed)
    elif name == "language" or each.tag == _DC + "language":
        _leaf(each)
        feed.raw["language"] = _text(each)
    elif name == "image":
        if any(part.tag not in _IN_IMAGE or len(part) for part in each):
            raise _Other("image")
    elif name == "category" or name.lower() in _MUTE_RSS or each.tag == _DC + "date":
        if name in ("skipHours", "skipDays"):
            return
        _leaf(each)
    elif each.tag in (_ITUNES + "author", _ITUNES + "summary", _ITUNES + "keywords"):
        _leaf(each)
    elif each.tag == _ITUNES + "category":
        if any(part.tag != each.tag or len(part) for part in each):
            raise _Other("category")
    elif each.tag == _ITUNES + "owner":
        if any(part.tag not in (_ITUNES + "name", _ITUNES + "email") for part in each):
            raise _Other("owner")
    elif not _mute(each):
        raise _Other(each.tag)


_IN_IMAGE = ("title", "link", "url", "width", "height", "description")


def _item(item: Element, base: str, ns: str = "", about: str | None = None) -> Raw:
    if item.attrib and about is None:
        raise _Other("item")
    context = _Context(base)
    if about:
        context.raw["id"] = about
    seen: set[str] = set()
    for each in item:
        tag = each.tag
        name = tag.removeprefix(ns) if ns else tag
        if name in _ONCE:
            if name in seen:
                raise _Other(name)
            seen.add(name)
        reading = _IN_ITEM.get(name)
        if reading is not None:
            reading(each, context)
        elif tag.startswith(_MEDIA):
            _media(each, context)
        elif not _mute(each):
            raise _Other(tag)
    return context.raw


_ONCE = ("title", "link", "guid", "description", "pubDate", _DC + "date", "author", _CONTENT)


def _entry(entry: Element, base: str) -> Raw:
    if entry.attrib.keys() - {_LANG}:
        raise _Other("entry")
    context = _Context(base)
    seen: set[str] = set()
    for each in entry:
        tag = each.tag
        name = tag.removeprefix(_ATOM)
        if name in ("id", "title", "summary", "content", "published", "updated"):
            if name in seen:
                raise _Other(name)
            seen.add(name)
        reading = _IN_ENTRY.get(name) if tag.startswith(_ATOM) else None
        if reading is not None:
            reading(each, context)
        elif tag.startswith(_ATOM) and name in ("rights", "contributor"):
            _no_markup(each)
        elif tag.startswith(_MEDIA):
            _media(each, context)
        elif not _mute(each):
            raise _Other(tag)
    return context.raw


def _mute(each: Element) -> bool:
    """Whether an element says nothing that is kept; lower case, for feedparser does not care."""
    if len(each):
        return False
    tag = each.tag.lower()
    return tag in _MUTE_DC or tag in _MUTE_ITUNES or tag.startswith(_MUTE) or tag == "comments"


# ── elements ───────────────────────────────────────────────────────────────────────────────────


def _text(element: Element) -> str:
    """Return an element's text, mended as feedparser does where UTF-8 was taken for Latin-1."""
    text = (element.text or "").strip()
    if text.isascii():
        return text
    try:
        return text.encode("iso-8859-1").decode("utf-8")
    except UnicodeError:
        return text


def _leaf(element: Element) -> None:
    if len(element):
        raise _Other(element.tag)


def _no_markup(element: Element) -> None:
    """Refuse what is markup in the document itself, in an element that is not kept."""
    if any(len(each) or not each.tag.startswith(_ATOM) for each in element):
        raise _Other(element.tag)
    if element.attrib.get("type") == "xhtml":
        raise _Other(element.tag)


def _joined(base: str, address: str) -> str:
    if is_plain_address(address) or _NAMED.match(address):
        return address
    if _SLASHES.match(address):
        raise _Other("address")
    return urljoin(base, address)


def _title(element: Element, context: _Context, kind: str | None) -> None:
    if kind is not None and element.attrib:
        raise _Other("title")
    detail = context.detail(element, kind or _type(element))
    context.raw["title"] = detail["value"]
    context.raw["title_detail"] = detail


def _type(element: Element) -> str:
    kind = _TYPES.get(element.attrib.get("type", "").lower())
    if kind is None or element.attrib.keys() - {"type", _LANG}:
        raise _Other("type")
    return kind


def _plain_link(element: Element, context: _Context, *, entry: bool = True) -> None:
    if element.attrib or len(element):
        raise _Other("link")
    link = {"rel": "alternate", "type": "text/html"}
    context.raw.setdefault("links", []).append(link)
    address = _text(element)
    if address:
        address = _joined(context.base, address)
    if entry:
        address = address.replace("&amp;", "&")
    address = _QUERY.sub(r"&\1", address)
    context.raw["link"] = address
    if address or not entry:
        link["href"] = address


def _linked(element: Element, context: _Context) -> None:
    held = {name.lower(): value for name, value in element.attrib.items()}
    if "href" not in held or {"url", "uri"} & held.keys() or len(element):
        raise _Other("link")
    relation = held.get("rel", "alternate").lower()
    usual = "application/atom+xml" if relation == "self" else "text/html"
    kind = held.get("type", usual).lower()
    href = _joined(context.base, held["href"])
    context.raw.setdefault("links", []).append({"rel": relation, "type": kind, "href": href})
    if relation == "alternate" and kind in ("text/html", "application/xhtml+xml", "html", "xhtml"):
        context.raw["link"] = href


def _guid(element: Element, context: _Context) -> None:
    _leaf(element)
    permanent = {k.lower(): v for k, v in element.attrib.items()}.get("ispermalink", "true")
    guid, is_link = _text(element), permanent == "true"
    context.raw["id"] = _joined(context.base, guid) if guid and is_link else guid
    context.raw.setdefault("guidislink", is_link and "link" not in context.raw)
    if is_link:
        context.raw.setdefault("link", context.raw["id"])


def _description(element: Element, context: _Context) -> None:
    if element.attrib:
        raise _Other("description")
    detail = context.detail(element, "text/html")
    context.raw["summary"] = detail["value"]
    context.raw["summary_detail"] = detail


def _encoded(element: Element, context: _Context) -> None:
    if element.attrib:
        raise _Other("content")
    _keep_content(context.detail(element, "text/html"), context)


def _content(element: Element, context: _Context) -> None:
    if "src" in element.attrib:
        raise _Other("content")
    _keep_content(context.detail(element, _type(element)), context)


def _keep_content(detail: Raw, context: _Context) -> None:
    context.raw.setdefault("content", []).append(detail)
    context.raw.setdefault("summary", detail["value"])


def _summary(element: Element, context: _Context) -> None:
    detail = context.detail(element, _type(element))
    context.raw["summary"] = detail["value"]
    context.raw["summary_detail"] = detail


def _date(name: str) -> Callable[[Element, _Context], None]:
    def read(element: Element, context: _Context) -> None:
        _leaf(element)
        context.raw[name] = _text(element)

    return read


def _creator(element: Element, context: _Context) -> None:
    if len(element) or element.attrib:
        raise _Other("author")
    name = _text(element)
    if "@" in name:
        raise _Other("author")
    context.raw["author"] = name
    context.raw.setdefault("authors", []).append({"name": name} if name else {})


def _author(element: Element, context: _Context) -> None:
    person: Raw = {}
    for each in element:
        name = each.tag.removeprefix(_ATOM)
        if len(each) or name in person or name not in ("name", "email", "uri"):
            raise _Other("author")
        person[name] = (each.text or "").strip()
    if (element.text or "").strip() or not person.get("name"):
        raise _Other("author")
    context.raw.setdefault("authors", []).append(person)


def _category(element: Element, context: _Context) -> None:
    _leaf(element)
    held = {name.lower(): value for name, value in element.attrib.items()}
    tags = context.raw.setdefault("tags", [])
    tag = {
        "term": held.get("term"),
        "scheme": held.get("scheme", held.get("domain")),
        "label": held.get("label"),
    }
    if any(tag.values()) and tag not in tags:
        tags.append(tag)
    value = _text(element)
    if value and tags and not tags[-1]["term"]:
        tags[-1]["term"] = value
    elif value:
        tag = {"term": value, "scheme": None, "label": None}
        if tag not in tags:
            tags.append(tag)


def _enclosure(element: Element, context: _Context) -> None:
    held = {name.lower(): value for name, value in element.attrib.items()}
    if len(element) or {"uri", "href"} & held.keys() or not held.get("url"):
        raise _Other("enclosure")
    context.raw.setdefault("links", []).append({"rel": "enclosure", "href": held["url"]})


def _media(element: Element, context: _Context) -> None:
    name = element.tag.rpartition("}")[2]
    if len(element) or (element.text or "").strip():
        raise _Other("media")
    held = {key.lower(): value for key, value in element.attrib.items()}
    if name == "content":
        context.raw.setdefault("media_content", []).append(held)
    elif name == "thumbnail":
        context.raw.setdefault("media_thumbnail", []).append(held)
    else:
        raise _Other("media")


_IN_ITEM: dict[str, Callable[[Element, _Context], None]] = {
    "title": lambda element, context: _title(element, context, "text/plain"),
    "link": _plain_link,
    _ATOM + "link": _linked,
    "guid": _guid,
    "description": _description,
    _CONTENT: _encoded,
    "pubDate": _date("published"),
    _DC + "date": _date("updated"),
    "author": _creator,
    _DC + "creator": _creator,
    _ITUNES + "author": _creator,
    "category": _category,
    _DC + "subject": _category,
    "enclosure": _enclosure,
}
_IN_ENTRY: dict[str, Callable[[Element, _Context], None]] = {
    "id": _guid,
    "title": lambda element, context: _title(element, context, None),
    "link": _linked,
    "summary": _summary,
    "content": _content,
    "published": _date("published"),
    "updated": _date("updated"),
    "author": _author,
    "category": _category,
}
