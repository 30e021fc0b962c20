"""Text copied from a page → blocks: one a line, bullets and tab-separated tables told apart."""

from __future__ import annotations

import re

from reader.digest.blocks import Block, BlockKind, Document, Span
from reader.digest.typography import settled
from reader.model import Form

_BULLET = re.compile(r"\s*(?:[•·‣◦▪●○∙]\s*|[*\-–]\s+)(?=\S)")
_CODE = re.compile(r"`([^`]+)`")


def from_text(content: str) -> Document:
    """Read copied text; a browser puts each block on a line and the cells of a row between tabs."""
    blocks: list[Block] = []
    rows: list[tuple[Span, ...]] = []
    for line in content.splitlines():
        if line.strip("\t ").count("\t") and (rows or line.count("\t") >= 2):
            rows.append(tuple(Span(_words(cell)) for cell in line.split("\t")))
            continue
        _end_table(rows, blocks)
        found = _BULLET.match(line)
        text = _words(line[found.end() :] if found else line)
        if text:
            blocks.append(Block(BlockKind.BULLET if found else BlockKind.PARAGRAPH, text))
    _end_table(rows, blocks)
    return Document(Form.TEXT, "", tuple(blocks))


def _words(text: str) -> str:
    """Return one line settled, without the backticks a table's cells may have kept."""
    return settled(_CODE.sub(r"\1", text))


def _end_table(rows: list[tuple[Span, ...]], blocks: list[Block]) -> None:
    if rows:
        blocks.append(Block(BlockKind.TABLE, "", rows=tuple(rows)))
        rows.clear()
