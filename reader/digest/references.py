"""Numbered references of a quick look, and the marks in its text that point at them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from reader.digest import values
from reader.digest.blocks import Block, BlockKind, Span
from reader.digest.outline import Section
from reader.digest.typography import plain
from reader.model import Reference, Source

_HOST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?", re.IGNORECASE)
_NUMBER = re.compile(r"\[?(\d{1,3})\]?[.、．)]?")
_LEADING = re.compile(r"\[?(\d{1,3})\]?(?:[.、．)]|\s)\s*(?=\D)")
_TRAILING_HOST = re.compile(
    r"(?:\s*[—–|·:：,，-]\s*|\s+|\s*[(（])((?:[\w-]+\.)+[a-z]{2,})\s*[)）]?$", re.IGNORECASE
)
# What a number after a full stop counts, when it is a figure and no mark.
_MEASURES = frozenset(
    "项个条张次倍种款位年月日天周秒分小时块台套份组轮层核路行列页篇级点"
    "类名例处段步批万亿千百十余多成%％"
)
_NOTE = re.compile(r"\s*\[\^(\d{1,3})\]")  # a footnote's mark that was left as it was typed
_MARKS = re.compile(
    r"(?<=[。！？；.!?”\"）)])(?<!\d\.)\s*((?:\[?\d{1,3}\]?)(?:[\s,，、]+\[?\d{1,3}\]?)*)"
    r"(?=$|\s*(?P<after>\S))"
)


def split(sections: Sequence[Section]) -> tuple[tuple[Reference, ...], list[Section]]:
    """Return the references and the sections that are something else."""
    found: list[Reference] = []
    others = []
    for section in sections:
        if section.purpose == "references":
            found += _references(section.blocks)
        else:
            others.append(section)
    return tuple(found), others


@dataclass(slots=True)
class _Open:
    n: int
    title: str = ""
    url: str | None = None
    host: str | None = None

    def closed(self) -> Reference:
        host = self.host or values.host(self.url)
        return Reference(self.n, self.title or self.url or host or "", self.url, host)


def _references(blocks: Sequence[Block]) -> list[Reference]:
    """Read number, name and host, whether on lines of their own or on one."""
    found: list[_Open] = []
    for block in blocks:
        text = block.text
        number = _NUMBER.fullmatch(plain(text))
        leading = _LEADING.match(text)
        if number and block.kind is not BlockKind.BULLET:
            found.append(_Open(int(number[1])))
            continue
        if block.kind is BlockKind.BULLET or leading or not found:
            n = block.number or (int(leading[1]) if leading else len(found) + 1)
            found.append(_Open(n))
            text = text[leading.end() :] if leading and block.number is None else text
        _fill(found[-1], text, block)
    return [each.closed() for each in found]


def _fill(reference: _Open, text: str, block: Block) -> None:
    url = next((link.url for link in block.links if link.url.startswith("http")), None)
    reference.url = reference.url or url
    if reference.title and _HOST.fullmatch(text):
        reference.host = text
        return
    host = _TRAILING_HOST.search(text)
    if host and text[: host.start()].strip():
        reference.host = host[1]
        text = text[: host.start()]
    bare = re.search(r"https?://\S+$", text)
    if bare and text != bare[0]:
        reference.url = reference.url or bare[0]
        text = text[: bare.start()].rstrip(" :：—–-")
    reference.title = f"{reference.title} {text}".strip()


# ── marks ──────────────────────────────────────────────────────────────────────────────────────


def clean(text: str, known: Sequence[Reference]) -> tuple[str, list[int]]:
    """Return a text without its reference marks, and the marks; figures stay where they are."""
    numbers = {reference.n for reference in known}
    marks = [int(n) for n in _NOTE.findall(text) if int(n) in numbers]
    text = _NOTE.sub(lambda found: "" if int(found[1]) in numbers else found[0], text)

    def taken(found: re.Match[str]) -> str:
        named = [int(n) for n in re.findall(r"\d+", found[1])]
        after = found["after"] or ""
        figure = after in _MEASURES if after else False
        word = after.isascii() and after not in "[("
        if not set(named) <= numbers or (after and (figure or word)):
            return found[0]
        marks.extend(named)
        return ""

    return _MARKS.sub(taken, text).strip(), marks


@dataclass(slots=True)
class Cited:
    """Gathers the reference numbers of one item, in the order they are met."""

    known: Sequence[Reference]
    numbers: list[int] = field(default_factory=list)

    def span(self, span: Span) -> str:
        """Return a cell's text without marks, and take the marks."""
        return self._taken(span.text, span.marks)

    def block(self, block: Block) -> str:
        """Return a block's text without marks, and take the marks."""
        if block.rows:
            return "\n".join("\t".join(self.span(cell) for cell in row) for row in block.rows)
        text = self._taken(block.text, block.marks)
        return f"- {text}" if block.kind is BlockKind.BULLET else text

    def _taken(self, text: str, marks: Sequence[int]) -> str:
        text, found = clean(text, self.known)
        if marks:
            text = re.sub(r"(?<=[。！？；，、：])\s+(?=[^\x00-\x7f])", "", text)
        self.numbers = list(dict.fromkeys([*self.numbers, *found, *marks]))
        return text

    def sources(self) -> list[Source]:
        """Return the references cited as sources."""
        by_number = {reference.n: reference for reference in self.known}
        cited = [by_number[n] for n in self.numbers if n in by_number]
        return [Source(reference.title, reference.url) for reference in cited]
