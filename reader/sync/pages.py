"""A page of the web → the article it holds, with every code block and table it came with. Pure."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from reader.errors import NotUnderstood
from reader.language import _
from reader.parse.dates import parse_date
from reader.parse.encoding import decode
from reader.sanitise import clean_html, clean_text, text_of_clean

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MOST_BYTES = 3 << 20
MOST_TAGS = 40_000  # an article has some hundreds, its page some thousands
MOST_ATTRIBUTES = 200  # of one tag
MOST_DEPTH = 200  # elements inside one another; an article has a few dozen
_MARK = "data-readproof"
_BLOCKS = "self::p or self::pre or self::table or self::h2 or self::li or self::blockquote"
_NUMBERING = {"lnt", "ln", "linenos", "lineno", "line-number", "line-numbers", "hljs-ln-n"}
_FURNITURE = (
    ".//script | .//style | .//nav | .//aside | .//form | .//footer | .//noscript"
    " | .//*[contains(concat(' ', @class, ' '), ' comments ')] | .//*[@id='comments']"
)
_QUOTED = re.compile(r"""\"[^"]*+"|'[^']*+'""")
_TAG = re.compile(r"""<[A-Za-z](?:[^>"']|"[^"]*+"|'[^']*+')*+""")
_PICTURES = re.compile(rb"\A(?:%PDF-|\x89PNG|\xff\xd8\xff|GIF8|PK\x03\x04|\x1f\x8b)")


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says; the HTML is as it came, its text as a reader of the cleaned one sees it."""

    title: str
    html: str
    text: str
    authors: tuple[str, ...] = ()
    published: datetime | None = None


def article(body: bytes, *, content_type: str | None = None, url: str | None = None) -> Page:
    """Return the article of a page.

    Raises NotUnderstood for what is no page of text.
    """
    if _PICTURES.match(body):
        raise NotUnderstood(_("This is no page but a file to download. Open it in the browser."))
    text, _notice = decode(body, content_type)
    if _too_costly(text):
        raise NotUnderstood(_("The page is too large to be an article. Open it in the browser."))
    root = _parsed(text)
    title, authors, published = _title(root), _authors(root), _published(root)
    html = _whole(root, _extracted(root))
    said = text_of_clean(clean_html(html, url))
    if not said:
        raise NotUnderstood(_("The page holds no text."))
    return Page(
        title=title,
        html=html,
        text=said,
        authors=authors,
        published=published,
    )


def _too_costly(text: str) -> bool:
    """Tell whether a page would keep the parser or the library busy for minutes."""
    if text.count("<") > MOST_TAGS:
        return True
    values = 0
    for tag in _TAG.finditer(text):
        values += tag[0].count("=")
        if len(tag[0]) > 2 * MOST_ATTRIBUTES:
            written = len(_QUOTED.sub('""', tag[0]).split())
            if written > MOST_ATTRIBUTES:
                return True
    return values > MOST_TAGS * 2


def _parsed(text: str) -> HtmlElement:
    """Return the page's tree, its blocks numbered so that they are known again."""
    from lxml import etree, html

    try:
        parser = html.HTMLParser(encoding="utf-8")
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError) as error:
        raise NotUnderstood(_("The page holds no text.")) from error
    for each in root.iter(etree.Comment, etree.ProcessingInstruction):
        if each.getparent() is not None:
            each.drop_tree()
    _drop_line_numbers(root)
    number, depth, deepest = 0, 0, 0
    for step, each in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if step == "start" else -1
        deepest = max(deepest, depth)
        if step == "start":
            each.attrib.pop(_MARK, None)
            if each.tag in ("p", "pre", "table", "h2", "li", "blockquote"):
                each.set(_MARK, str(number))
                number += 1
    if deepest > MOST_DEPTH:  # made to do harm
        raise NotUnderstood(_("The page holds no text."))
    return root


def _drop_line_numbers(root: HtmlElement) -> None:
    """Take away the numbers that stand before the lines of a listing: nobody copies them."""
    for each in root.xpath(".//td[.//pre or .//code] | .//pre"):
        said = each.text_content().split()
        counted = [str(n + 1) for n in range(len(said))]
        if len(said) > 1 and said == counted and each.getparent() is not None:
            each.drop_tree()
    for each in root.xpath(".//pre//span[@class] | .//code//span[@class]"):
        if (
            _NUMBERING.intersection(each.get("class").split())
            and each.text_content().strip().isdigit()
        ):
            each.drop_tree()


def _extracted(root: HtmlElement) -> HtmlElement:
    """Return what the library takes for the article."""
    from copy import deepcopy

    from lxml import html
    from readability import Document
    from readability.readability import Unparseable

    logging.getLogger("readability.readability").setLevel(logging.CRITICAL + 1)  # raised instead
    try:
        found = Document(deepcopy(root)).summary(html_partial=True)
        return html.fragment_fromstring(found, create_parent="div")
    except (Unparseable, ValueError, RecursionError) as error:
        raise NotUnderstood(_("The page holds no text.")) from error


def _whole(root: HtmlElement, found: HtmlElement) -> str:
    """Return the article, from the page itself where the library dropped code or a table of it."""
    from lxml import html

    kept = {each.get(_MARK) for each in found.iter() if each.get(_MARK) is not None}
    home = _home(root, kept)
    if home is not None:
        for each in home.xpath(_FURNITURE):
            if each.getparent() is not None:
                each.drop_tree()
        solid = {each.get(_MARK) for each in home.iter("pre", "table")}
        if not solid <= kept:
            found = home
    for each in found.iter():
        each.attrib.pop(_MARK, None)
    return str(html.tostring(found, encoding="unicode", with_tail=False))


def _home(root: HtmlElement, kept: set[Any]) -> HtmlElement | None:
    """Return the smallest element of the page that holds most blocks of the article."""
    from lxml import etree

    wanted = len(kept) * 9 / 10
    below: list[int] = [0]  # blocks inside each open element
    for step, each in etree.iterwalk(root, events=("start", "end")):
        if step == "start":
            below.append(each.get(_MARK) in kept)
            continue
        inside = below.pop()
        own = each.get(_MARK) in kept
        if inside - own >= wanted:
            return each  # the first to close is the smallest
        below[-1] += inside
    return None


def _first(root: HtmlElement, *paths: str) -> str:
    for path in paths:
        for each in root.xpath(path):
            said = clean_text(str(each if isinstance(each, str) else each.text_content()))
            said = said.rstrip("¶#").strip()  # a heading's link to itself
            if said:
                return said
    return ""


def _title(root: HtmlElement) -> str:
    return _first(
        root,
        "//meta[@property='og:title']/@content",
        "//article//h1",
        "//main//h1",
        "//h1[not(ancestor::header or ancestor::nav)]",
        "//title",
    )


def _authors(root: HtmlElement) -> tuple[str, ...]:
    said = _first(root, "//meta[@name='author']/@content", "//*[@rel='author']")
    return (said,) if 0 < len(said) <= 80 else ()


def _published(root: HtmlElement) -> datetime | None:
    said = _first(
        root,
        "//meta[@property='article:published_time']/@content",
        "//meta[@name='citation_publication_date' or @name='dc.date']/@content",
        "//*[@itemprop='datePublished']/@content",
        "//*[@itemprop='datePublished']/@datetime",
        "//article//time/@datetime",
    )
    return parse_date(said) if said else None
