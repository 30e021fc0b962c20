"""A text in any form → the HTML of its post, for reading. Pure."""

from __future__ import annotations

import html
import re

from reader.model import Form
from reader.sanitise.cost import as_paragraphs, too_costly

_FRONT = re.compile(r"\A\ufeff?---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
DEEPEST = 120  # columns a line of Markdown is indented; the converter calls itself a level each
_DEEP = re.compile(rf"^[ \t]{{{DEEPEST},}}", re.MULTILINE)
_ARTICLES = ("#post-article", "article .post-content", "article", "main", "[role=main]", "body")
_FURNITURE = "script, style, nav, header nav, footer, aside, form, noscript, .comments, #comments"


def as_html(content: str, form: Form) -> str:
    """Return the post's own HTML; it is not sanitised yet."""
    if form is Form.MARKDOWN:
        return _from_markdown(content)
    if form is Form.TEXT:
        return _from_text(content)
    return _article(content) if form is Form.PAGE else content


def title_of(content: str, form: Form, name: str) -> str:
    """Return what a text calls itself, else its file's name."""
    if form is Form.MARKDOWN:
        front = _FRONT.match(content)
        found = re.search(r"^title:[ \t]*(.+)$", front[0], re.MULTILINE) if front else None
        found = found or re.search(r"^#[ \t]+(.+)$", content, re.MULTILINE)
        return found[1].strip().strip("\"'") if found else name
    if form is Form.TEXT:
        first = content.strip().partition("\n")[0].strip()
        return first if 0 < len(first) <= 160 else name
    found = re.search(r"<h1[^>]*>(.*?)</h1>", content, re.I | re.S) or re.search(
        r"<title[^>]*>(.*?)</title>", content, re.I | re.S
    )
    said = re.sub(r"<[^<>]*>", "", found[1]) if found else ""
    return " ".join(html.unescape(said).split()) or name


def address_of(content: str) -> str | None:
    """Return the address a saved page says it is at."""
    for link in re.findall(r"<(?:link|meta)\b[^<>]{0,400}>", content[:200_000], re.IGNORECASE):
        if re.search(r"rel=[\"']?canonical|property=[\"']?og:url", link, re.IGNORECASE):
            found = re.search(r"(?:href|content)=[\"']?(https?://[^\"'\s>]+)", link, re.IGNORECASE)
            if found:
                return html.unescape(found[1])
    return None


def _from_markdown(content: str) -> str:
    import markdown

    converter = markdown.Markdown(extensions=["tables", "fenced_code", "sane_lists"])
    text = _DEEP.sub(" " * DEEPEST, _FRONT.sub("", content))
    try:
        return converter.convert(text)
    except RecursionError:  # lists in quotes in lists: readable as it was written
        return _from_text(text)


def _from_text(content: str) -> str:
    blocks = re.split(r"\n\s*\n", content.strip())
    lines = (html.escape(block, quote=False).replace("\n", "<br>") for block in blocks)
    return "".join(f"<p>{block}</p>" for block in lines)


def _article(page: str) -> str:
    from bs4 import BeautifulSoup

    if too_costly(page):
        return as_paragraphs(page)
    soup = BeautifulSoup(page, "html.parser")
    for each in soup.select(_FURNITURE):
        each.decompose()
    for selector in _ARTICLES:
        found = soup.select_one(selector)
        if found is not None and found.get_text(strip=True):
            return found.decode_contents()
    return str(soup)
