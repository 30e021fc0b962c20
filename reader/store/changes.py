"""What changed between two texts of a story: blocks, their words, and code line by line. Pure."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from reader.store.reading import Revision
    from reader.store.whole import Whole

MOST_WORK = 4_000_000  # pieces of one text times those of the other that are compared
ALIKE = 0.4  # from here on two blocks are the same one, edited
NEAR = 12  # blocks that are looked at for the one that was edited
_TAG = re.compile(r"""<(/?)([a-z][a-z0-9]*)((?: [^\s"=<>]+="[^"]*")*)\s*/?>""")
_BLANK = re.compile(r"\s+")
_ALT = re.compile(r' (alt|src)="([^"]*)"')
# A Han character is a word; so are a name with its dots (`tirx.ptx.mov`) and a register (`%tid.x`).
_HAN = "\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_HAN}]|[%$@]?[^\W{_HAN}]+(?:[.:]+[^\W{_HAN}]+)*|\s+|.", re.DOTALL)


class Shape(StrEnum):
    """How a block stands in the article."""

    TEXT = "text"
    HEAD = "head"
    LIST = "list"
    ROW = "row"
    CODE = "code"


class Side(StrEnum):
    """Which of two texts holds a piece."""

    BOTH = "both"
    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list entry, table row (cells apart by tabs) or code block."""

    shape: Shape
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Words (in code: whole lines) that stand in one text or both."""

    side: Side
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a story: when it was seen, and of which text."""

    when: datetime | None
    page: bool  # the whole page; else what the feed says
    said: tuple[Changed, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """A block with its pieces, or (without pieces) how many unchanged blocks lie between."""

    shape: Shape
    pieces: tuple[Piece, ...] = ()
    skipped: int = 0


_HEADS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_PARTS = (
    frozenset(
        [
            "p",
            "div",
            "li",
            "tr",
            "pre",
            "blockquote",
            "table",
            "thead",
            "tbody",
            "tfoot",
            "ul",
            "ol",
            "dl",
            "dt",
            "dd",
            "section",
            "article",
            "figure",
            "figcaption",
            "details",
            "summary",
            "header",
            "footer",
            "main",
            "aside",
            "nav",
            "hr",
            "address",
            "caption",
        ]
    )
    | _HEADS
)


def blocks(cleaned: str) -> list[Block]:
    """Return the blocks of cleaned HTML, in order."""
    return list(_Splitter().run(cleaned))


class _Splitter:
    def __init__(self) -> None:
        self._text: list[str] = []
        self._shapes = [Shape.TEXT]
        self._code = 0

    def run(self, cleaned: str) -> Iterator[Block]:
        at = 0
        for tag in _TAG.finditer(cleaned):
            self._say(cleaned[at : tag.start()])
            at = tag.end()
            closing, name = bool(tag.group(1)), tag.group(2)
            if name in _PARTS and not (self._code and name != "pre"):
                yield from self._flush()
                self._turn(name, closing)
            else:
                self._inside(name, closing, tag.group(3))
        self._say(cleaned[at:])
        yield from self._flush()

    def _say(self, written: str) -> None:
        text = html.unescape(written)
        self._text.append(text if self._code else _BLANK.sub(" ", text))

    def _turn(self, name: str, closing: bool) -> None:
        if name == "pre":
            self._code = max(0, self._code + (-1 if closing else 1))
        shape = {"pre": Shape.CODE, "li": Shape.LIST, "tr": Shape.ROW}.get(
            name, Shape.HEAD if name in _HEADS else None
        )
        if shape is None:
            return
        if not closing:
            self._shapes.append(shape)
        elif len(self._shapes) > 1:
            self._shapes.pop()

    def _inside(self, name: str, closing: bool, attributes: str) -> None:
        if name == "br":
            self._text.append("\n")
        elif name in ("td", "th") and closing:
            self._text.append("\t")
        elif name == "img":
            said = dict(_ALT.findall(attributes))
            self._text.append(f"[{html.unescape(said.get('alt') or said.get('src') or '')}]")

    def _flush(self) -> Iterator[Block]:
        text, self._text = "".join(self._text), []
        shape = self._shapes[-1]
        if shape is Shape.CODE:
            text = text.strip("\n")
        elif shape is Shape.ROW:
            text = "\t".join(" ".join(cell.split()) for cell in text.split("\t")).rstrip("\t")
        else:
            text = "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()
        if text.strip():
            yield Block(shape, text)


def changes(old: Sequence[Block], new: Sequence[Block]) -> list[Changed]:
    """Return the blocks that changed with their words, and how many unchanged lie between."""
    found: list[Changed] = []
    for side, before, after in _matched(old, new):
        if side is Side.BOTH:
            found.append(Changed(Shape.TEXT, skipped=len(before)))
        else:
            found += _edited(before, after)
    return found


def of_revisions(revisions: Sequence[Revision]) -> list[tuple[Revision, list[Changed]]]:
    """Return each earlier text with what changed when it was replaced, the newest change first."""
    texts = [[Block(Shape.HEAD, each.title), *blocks(each.content_html)] for each in revisions]
    found = [
        (earlier, changes(old, new))
        for earlier, old, new in zip(revisions, texts, texts[1:], strict=False)
    ]
    return [(earlier, said) for earlier, said in reversed(found) if any(c.pieces for c in said)]


def history(revisions: Sequence[Revision], pages: Sequence[Whole] = ()) -> list[Change]:
    """Return what changed in a story's text and in its page, the newest change first."""
    found = [Change(earlier.until, False, tuple(said)) for earlier, said in of_revisions(revisions)]
    for old, new in pairwise(pages):
        said = changes(blocks(old.content_html), blocks(new.content_html))
        if any(each.pieces for each in said):
            found.append(Change(new.seen, True, tuple(said)))
    return sorted(found, key=lambda each: each.when.timestamp() if each.when else 0, reverse=True)


def words(old: str, new: str) -> tuple[Piece, ...]:
    """Return the pieces of a line that changed."""
    return _pieces(_WORD.findall(old), _WORD.findall(new))


def _matched(
    old: Sequence[Block], new: Sequence[Block]
) -> Iterator[tuple[Side, Sequence[Block], Sequence[Block]]]:
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    if head:
        yield Side.BOTH, old[:head], new[:head]
    middle = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(middle[0]) * len(middle[1]) > MOST_WORK:
        yield Side.NEW, *middle
    else:
        matcher = SequenceMatcher(None, *middle, autojunk=False)
        for kind, i, j, k, m in matcher.get_opcodes():
            yield (Side.BOTH if kind == "equal" else Side.NEW), middle[0][i:j], middle[1][k:m]
    if tail:
        yield Side.BOTH, old[len(old) - tail :], new[len(new) - tail :]


def _common(one: Sequence[object], other: Sequence[object]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _edited(old: Sequence[Block], new: Sequence[Block]) -> Iterator[Changed]:
    """Yield each block that was edited, taken away or added, in reading order."""
    pairs = _pairs(old, new)
    at = 0
    for place, block in enumerate(new):
        partner = pairs.get(place)
        if partner is not None:
            yield from (_only(each, Side.OLD) for each in old[at:partner])
            at = partner + 1
            yield Changed(block.shape, _inside(old[partner], block))
        else:
            yield _only(block, Side.NEW)
    yield from (_only(each, Side.OLD) for each in old[at:])


def _pairs(old: Sequence[Block], new: Sequence[Block]) -> dict[int, int]:
    """Return for places of `new` the place of the block of `old` that was edited into it."""
    counted = [_counted(block) for block in old]
    least = ALIKE / 2 if len(old) == len(new) == 1 else ALIKE
    pairs: dict[int, int] = {}
    first = 0
    for place, block in enumerate(new):
        best, at, mine = least, -1, _counted(block)
        for candidate in range(first, min(len(old), first + NEAR)):
            if old[candidate].shape is block.shape:
                alike = _likeness(counted[candidate], mine)
                if alike > best:
                    best, at = alike, candidate
        if at >= 0:
            pairs[place], first = at, at + 1
    return pairs


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """Return which part of the words of two blocks they share."""
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _counted(block: Block) -> Counter[str]:
    return Counter(word for word in _WORD.findall(block.text) if not word.isspace())


def _inside(old: Block, new: Block) -> tuple[Piece, ...]:
    if new.shape is Shape.CODE:
        return _pieces(old.text.splitlines(keepends=True), new.text.splitlines(keepends=True))
    return words(old.text, new.text)


def _only(block: Block, side: Side) -> Changed:
    return Changed(block.shape, (Piece(side, block.text),))


def _pieces(old: Sequence[str], new: Sequence[str]) -> tuple[Piece, ...]:
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    found = [Piece(Side.BOTH, "".join(new[:head]))]
    if len(before) * len(after) > MOST_WORK:
        found += [Piece(Side.OLD, "".join(before)), Piece(Side.NEW, "".join(after))]
    else:
        for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if kind == "equal":
                found.append(Piece(Side.BOTH, "".join(before[i:j])))
            else:
                found.append(Piece(Side.OLD, "".join(before[i:j])))
                found.append(Piece(Side.NEW, "".join(after[k:m])))
    found.append(Piece(Side.BOTH, "".join(new[len(new) - tail :])))
    return tuple(_joined(found))


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces without empty ones; a blank between two edits belongs to both of them."""
    kept = [piece for piece in pieces if piece.text]
    old = new = ""
    for at, piece in enumerate(kept):
        between = 0 < at < len(kept) - 1 and piece.text.isspace() and "\n" not in piece.text
        if piece.side is Side.OLD:
            old += piece.text
        elif piece.side is Side.NEW:
            new += piece.text
        elif between and (old or new) and kept[at + 1].side is not Side.BOTH:
            old, new = old + piece.text, new + piece.text
        else:
            yield from _both(old, new)
            old = new = ""
            yield piece
    yield from _both(old, new)


def _both(old: str, new: str) -> Iterator[Piece]:
    if old.strip() or (old and not new):
        yield Piece(Side.OLD, old)
    if new:
        yield Piece(Side.NEW, new)
