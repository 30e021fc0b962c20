"""Text for a terminal: no control characters from content, aligned by real width. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)"  # OSC, DCS, SOS, PM, APC: titles, links, clipboards
    r"|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
# C0 and C1 but for tab and newline; marks and overrides of direction; invisible separators.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def clean(text: str) -> str:
    """Return `text` without terminal sequences, control characters or bidi marks; lines stay."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    return _CONTROLS.sub("", text).replace("\t", "    ")


def one_line(text: str) -> str:
    """Return `text` cleaned and on one line."""
    return " ".join(clean(text).split())


def width(text: str) -> int:
    """Return how many terminal cells `text` occupies."""
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, cells: int) -> str:
    """Return `text` in at most `cells` cells, with an ellipsis where something was left out."""
    if width(text) <= cells:
        return text
    kept, used = [], 0
    for character in text:
        used += _cells(character)
        if used > cells - 1:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def pad(text: str, cells: int, *, right: bool = False) -> str:
    """Return `text` filled up to `cells` cells, on the left when it is a number column."""
    space = " " * (cells - width(text))
    return space + text if right else text + space


def wrap(text: str, cells: int, indent: str = "") -> list[str]:
    """Return the lines of one paragraph, broken at spaces and between Han characters."""
    lines, line = [], ""
    for piece in _pieces(one_line(text)):
        if line and width(indent + line + piece.rstrip()) > cells:
            lines.append(indent + line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    if line.strip():
        lines.append(indent + line.rstrip())
    return lines


# A line may not begin with these.
_CLOSING = "，。、；：！？）】》」』”’…,.;:!?)]}%"


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    for character in text:
        joins = pieces and (
            character == " "
            or character in _CLOSING
            or (_cells(character) != 2 and _cells(pieces[-1][-1]) != 2 and pieces[-1][-1] != " ")
        )
        if joins:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def table(
    rows: Sequence[Sequence[str]],
    heads: Sequence[str],
    *,
    cells: int,
    numbers: Sequence[int] = (),
    give: int = -1,
) -> list[str]:
    """Return aligned lines; the column `give` is cut so that a line fits into `cells`.

    `numbers` are the columns set flush right. Cells are cleaned here; nothing is emitted raw.
    """
    texts = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(width(row[n]) for row in [list(heads), *texts]) for n in range(len(heads))]
    give %= len(heads)
    spare = cells - sum(widths) - 2 * (len(widths) - 1)
    widths[give] = max(min(widths[give], 12), widths[give] + min(0, spare))
    lines = []
    for row in [list(heads), *texts]:
        parts = [
            pad(cut(cell, widths[n]), widths[n], right=n in numbers) for n, cell in enumerate(row)
        ]
        lines.append("  ".join(parts).rstrip())
    return lines
