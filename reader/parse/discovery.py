"""The feeds a web page names in its head."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from reader.parse import encoding
from reader.parse.texts import web_address

_TYPES = frozenset(
    ("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json")
)
_COMMENTS = re.compile(r"comment|评论|評論|留言", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A feed a page offers."""

    url: str
    title: str


class _Links(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self.base, self.found, self.title = url, list[Candidate](), ""
        self._has_base, self._in_title = False, False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in reversed(attrs)}
        if tag == "base" and not self._has_base and "href" in held:
            self.base = web_address(held["href"], self.base) or self.base
            self._has_base = True
        elif tag == "link":
            self._link(held)
        self._in_title = tag == "title" and not self.title

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data

    def _link(self, held: dict[str, str]) -> None:
        relations = held.get("rel", "").lower().split()
        kind = held.get("type", "").partition(";")[0].strip().lower()
        offered = "alternate" in relations and "stylesheet" not in relations and kind in _TYPES
        if not (offered or ("feed" in relations and kind in (_TYPES | {""}))):
            return
        if address := web_address(held.get("href"), self.base):
            self.found.append(Candidate(address, " ".join(held.get("title", "").split())))


def find_feeds(html: bytes, url: str) -> list[Candidate]:
    """Return the feeds a page at `url` names, in its order, feeds of comments last."""
    links = _Links(url)
    links.feed(encoding.decode(html)[0])
    links.close()
    unique = list({each.url: each for each in reversed(links.found)}.values())[::-1]
    return sorted(unique, key=lambda each: bool(_COMMENTS.search(each.url + " " + each.title)))


def page_title(text: str) -> str:
    """Return the title of a page's text."""
    links = _Links("")
    links.feed(text[:65536])
    return " ".join(links.title.split())
