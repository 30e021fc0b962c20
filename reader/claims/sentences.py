"""Where the sentences of a text begin and end, in Chinese and English; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A full stop of English ends a sentence only before white space: 3.9.0, tl.atomic_load and a
# host name hold points. Chinese marks end one wherever they stand.
_END = re.compile(r"[。！？；]+[”’」』）\]]*|[.!?;]+[\"'”’)\]]*(?=\s)|\n+")
_SHORT = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|etc|approx|resp|Fig|Sec|No|Dr|et al)|\b[A-Z])\.$")
MOST = 600  # characters; what is longer is a list or a table, not a sentence


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence, in characters, without the white space around it."""
    start = 0
    for mark in _END.finditer(text):
        if _SHORT.search(text[max(0, start, mark.end() - 12) : mark.end()]):
            continue
        yield from _trimmed(text, start, mark.end())
        start = mark.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    first, last = len(piece) - len(piece.lstrip()), len(piece.rstrip())
    if first < last:
        yield start + first, start + last
