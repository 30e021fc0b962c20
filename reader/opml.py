"""OPML ↔ subscriptions; no entity of a document is ever expanded."""

from __future__ import annotations

import xml.parsers.expat
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from reader.errors import NotUnderstood
from reader.language import _
from reader.model import Feed, FeedKind

DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Outline:
    """One subscription of a list; `folder` is the path of its folders, parted by /."""

    url: str
    title: str
    folder: str = ""
    kind: FeedKind | None = None  # ours, where the list was written by us
    topic_filter: bool = False


class _Reader:
    """Collects outlines while expat reads; anything odd ends the whole reading."""

    def __init__(self) -> None:
        self.found: dict[str, Outline] = {}
        self.is_opml = False
        self._folders: list[str | None] = []  # a name, or None for a subscription
        self._depth = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise NotUnderstood(_("The list is nested too deeply. Nothing was imported."))
        if self._depth == 1:
            self.is_opml = tag.lower() == "opml"
        if tag.lower() != "outline":
            return
        held = {name.lower(): value.strip() for name, value in attributes.items()}
        name = held.get("title") or held.get("text") or ""
        url = held.get("xmlurl", "")
        self._folders.append(None if url else name)
        if url:
            self._add(url, name, held)

    def _add(self, url: str, name: str, held: dict[str, str]) -> None:
        kinds = {str(kind) for kind in FeedKind}
        kind = held.get("readproofkind", "")
        self.found.setdefault(
            url,
            Outline(
                url=url,
                title=" ".join(name.split()),
                folder="/".join(filter(None, self._folders)),
                kind=FeedKind(kind) if kind in kinds else None,
                topic_filter=held.get("readprooftopics") == "compilers",
            ),
        )

    def end(self, tag: str) -> None:
        self._depth -= 1
        if tag.lower() == "outline":
            self._folders.pop()


def read(body: bytes) -> list[Outline]:
    """Return every subscription once, with the first of its folders.

    Raises NotUnderstood, and gives nothing, when the list is not well-formed XML or declares
    entities.
    """
    reader = _Reader()
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(body.lstrip(b"\xef\xbb\xbf \t\r\n") if body[:1] != b"\xff" else body, True)
    except xml.parsers.expat.ExpatError as error:
        raise NotUnderstood(
            _(
                "The list is not well-formed XML (line {line}). Nothing was imported; "
                "export it again from the program it comes from."
            ).format(line=error.lineno)
        ) from error
    except (ValueError, LookupError) as error:
        raise NotUnderstood(_("The list names an encoding that is not known.")) from error
    if not reader.is_opml:
        raise NotUnderstood(_("This is XML, but no list of subscriptions (OPML)."))
    return list(reader.found.values())


def _refuse_entity(*_declaration: object) -> None:
    raise NotUnderstood(_("The list declares entities, which are never expanded. Not imported."))


def write(feeds: Sequence[Feed]) -> bytes:
    """Return the subscriptions as OPML 2.0 in UTF-8; kind and topic filter travel along."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<opml version="2.0">',
        "<head><title>Readproof</title></head>",
        "<body>",
        *map(_outline, feeds),
        "</body>",
        "</opml>",
    ]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _outline(feed: Feed) -> str:
    held = {
        "type": "rss",
        "text": feed.title or feed.url,
        "title": feed.title or feed.url,
        "xmlUrl": feed.url,
        "readproofKind": str(feed.kind),
    }
    if feed.topic_filter:
        held["readproofTopics"] = "compilers"
    return "<outline" + "".join(f" {n}={quoteattr(_valid(v))}" for n, v in held.items()) + "/>"


def _valid(text: str) -> str:
    """Return text without what XML cannot carry."""
    return "".join(
        c
        for c in text
        if c in "\t\n\r" or (" " <= c < "\ud800" or "\ue000" <= c < "\ufffe" or c > "\uffff")
    )
