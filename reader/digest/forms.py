"""Forms → blocks: which of the four forms a text has, and its document, free of page furniture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from reader.digest import words
from reader.digest.blocks import Block, BlockKind, Document
from reader.digest.from_html import from_html, without_embedded
from reader.digest.from_markdown import from_markdown
from reader.digest.from_text import from_text
from reader.digest.typography import settled
from reader.model import Form

LIMIT = 4_000_000  # characters; the longest digest published so far has 10,000

_PAGE = re.compile(r"<!doctype html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_HTML = re.compile(r"<(?:p|div|h[1-6]|article|section|ul|ol|table|blockquote|main)[\s>]", re.I)
_CLOSED = re.compile(r"</(?:p|div|h[1-6]|li|article|table)>", re.IGNORECASE)
_MARKDOWN = re.compile(
    r"^(?:#{1,6}[ \t]+\S|\*\*[^*\n]{1,40}[：:]\s*\*\*|>[ \t]?\S|\|?[ \t]*:?-{3,}:?[ \t]*\|)", re.M
)
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-{3,})\s*$")
_BACK = re.compile(r"\s*(?:←|<-|«|‹)\s*(?:返回|Back)[^\n]{0,24}$", re.IGNORECASE)


def tidy(content: str) -> str:
    """Return a text with one kind of line end, without byte order marks and embedded files."""
    content = content.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n")
    content = content.replace("\ufeff", "").replace("\x00", "")
    return without_embedded(content) if "data:" in content else content


def detect_form(content: str) -> Form:
    """Return the form a text has; what has no markup at all is copied text."""
    head = content[:5000].lstrip("\ufeff \t\r\n")
    if re.match(r"---[ \t]*\r?\n", head):
        return Form.MARKDOWN
    if head.startswith("<"):
        if _PAGE.search(head):
            return Form.PAGE
        if _HTML.match(head) or _CLOSED.search(content[:200_000]):
            return Form.FEED_HTML
    if len(_CLOSED.findall(content[:200_000])) > 2:
        return Form.FEED_HTML
    if _MARKDOWN.search(content[:200_000]) and not _is_copied(content[:200_000]):
        return Form.MARKDOWN
    return Form.TEXT


def _is_copied(content: str) -> bool:
    """Return whether sections stand on bare lines: then `# …` is a comment in code, no heading."""
    lines = content.splitlines()
    bare = False
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if words.section_of(line):
            if line.lstrip().startswith(("#", "*", ">", "-", "|")) or _UNDERLINE.match(after):
                return False
            bare = True
    return bare


def blocks(content: str, form: Form) -> Document:
    """Read a text in the given form; what belongs to the page and not to the post is left out."""
    if form is Form.MARKDOWN:
        document = from_markdown(content)
    elif form is Form.TEXT:
        document = from_text(content)
    else:
        document = from_html(content, form)
    return _without_furniture(document)


# ── what a page puts around a post ─────────────────────────────────────────────────────────────


def _without_furniture(document: Document) -> Document:
    """Leave out back links, read counters, lists of contents and what follows 评论."""
    kept: list[Block] = []
    for block in _before_comments(document.blocks):
        text = _BACK.sub("", block.text)
        gone = words.is_furniture(text) or (not text and bool(block.text))
        if not gone:
            kept.append(block if text == block.text else replace(block, text=text))
    return replace(document, blocks=tuple(_without_contents(kept)))


def _before_comments(blocks: Sequence[Block]) -> Sequence[Block]:
    """Cut the comments off, but not another digest that follows them in the same text."""
    last = max((i for i, b in enumerate(blocks) if words.section_of(b.text)), default=-1)
    for index in range(last + 1, len(blocks)):
        if words.starts_comments(_BACK.sub("", blocks[index].text)):
            return blocks[:index]
    return [block for block in blocks if not words.starts_comments(_BACK.sub("", block.text))]


def _without_contents(blocks: list[Block]) -> list[Block]:
    """Leave out a list of contents made of links: each line is a heading's words."""
    headings = {_bare(block.text) for block in blocks if block.kind is BlockKind.HEADING}
    return [block for block in blocks if not _is_contents_line(block, headings)]


def _is_contents_line(block: Block, headings: set[str]) -> bool:
    if block.kind is BlockKind.HEADING or len(block.links) != 1 or "#" not in block.links[0].url:
        return False
    return _bare(block.text) == _bare(block.links[0].text) and _bare(block.text) in headings


def _bare(text: str) -> str:
    return re.sub(r"^[\d.、．)\s]+", "", settled(text)).strip()
