"""What every form becomes: a document of blocks, before anybody asks what kind of digest it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from reader.model import Form


class BlockKind(StrEnum):
    """What a piece of a document is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    BULLET = "bullet"
    QUOTE = "quote"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Link:
    """A link's words and where it leads."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Span:
    """Settled text with its links; `marks` are reference marks that stood in it as links."""

    text: str
    links: tuple[Link, ...] = ()
    marks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """One heading, paragraph, list line, quoted paragraph, table or piece of code."""

    kind: BlockKind
    text: str
    level: int = 0  # of a heading
    links: tuple[Link, ...] = ()
    marks: tuple[int, ...] = ()
    number: int | None = None  # of a line of a numbered list
    quoted: bool = False  # stands inside a quotation
    rows: tuple[tuple[Span, ...], ...] = ()  # of a table, its header first


@dataclass(frozen=True, slots=True)
class Document:
    """A digest's text in one form: front matter (Markdown alone), title and blocks."""

    form: Form
    title: str
    blocks: tuple[Block, ...]
    front: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    url: str | None = None  # of the page, where the form or the caller tells it

    def words(self, name: str) -> tuple[str, ...]:
        """Return the values of one field of the front matter."""
        value = self.front.get(name, ())
        return (value,) if isinstance(value, str) else value

    def word(self, name: str) -> str:
        """Return one field of the front matter, empty when it is missing."""
        return " ".join(self.words(name))
