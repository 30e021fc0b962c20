"""Text copied from a page → blocks: one a line, bullets and tab-separated tables told apart."""

from __future__ import annotations

import re

from reader.digest.blocks import Block, BlockKind, Document, Span
from reader.digest.typography import settled
from reader.model import Form

_BULLET = re.compile(r"\s*(?:[•·‣◦▪●○∙]\s*|[*\-–]\s+)(?=\S)")
_SIGN = re.compile(r"\s*(?:[•·‣◦▪●○∙*\-–]|\d{1,3}[.、．)])[ ]*\t")
_CODE = re.compile(r"`([^`]+)`")


def from_text(content: str) -> Document:
    """Read copied text; a browser puts each block on a line and the cells of a row between tabs."""
    blocks: list[Block] = []
    rows: list[tuple[Span, ...]] = []
    lines = content.splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if _divided(line) and (rows or line.count("\t") >= 2 or _divided(after)):
            rows.append(tuple(Span(_words(cell)) for cell in line.split("\t")))
            continue
        _end_table(rows, blocks)
        found = _BULLET.match(line)
        text = _words(line[found.end() :] if found else line)
        if text:
            blocks.append(Block(BlockKind.BULLET if found else BlockKind.PARAGRAPH, text))
    _end_table(rows, blocks)
    return Document(Form.TEXT, "", tuple(blocks))


def _divided(line: str) -> bool:
    """Return whether tabs divide a line into cells, and not a list's sign from its words."""
    return "\t" in line.strip("\t ") and not _SIGN.match(line)


def _words(text: str) -> str:
    """Return one line settled, without the backticks a table's cells may have kept."""
    return settled(_CODE.sub(r"\1", text))


def _end_table(rows: list[tuple[Span, ...]], blocks: list[Block]) -> None:
    if rows:
        blocks.append(Block(BlockKind.TABLE, "", rows=tuple(rows)))
        rows.clear()
