"""The daily kind: overview, sections of items, a watch list and notes about the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from reader.digest import values, words
from reader.digest.blocks import Block, BlockKind, Document
from reader.digest.items import Found, items_of
from reader.digest.outline import Outline, Section, outline, repeated
from reader.language import _
from reader.model import DigestKind, ParsedDigest, ParsedItem

_ITEM_LABELS = frozenset(("why", "layers", "score"))


def recognise(document: Document) -> bool:
    """Return whether a document is a daily: its front matter says so, or its parts do."""
    if document.front:
        if document.word("generation_mode"):
            return True
        categories = {name.lower() for name in document.words("categories")}
        if categories:
            return "daily" in {part for name in categories for part in name.split()}
    purposes = {words.section_of(b.text) for b in document.blocks if _may_head(b)} - {None}
    labels = {label[0] for b in document.blocks if (label := words.label_of(b.text))}
    parts = len(purposes & {"overview", "highlights", "papers", "projects", "watch", "data"})
    if parts > 1 and ("data" in purposes or labels & _ITEM_LABELS):
        return True
    return bool(parts and len(labels & _ITEM_LABELS) > 1)


def _may_head(block: Block) -> bool:
    return block.kind in (BlockKind.HEADING, BlockKind.PARAGRAPH)


@dataclass(slots=True)
class _Gathered:
    """What the sections gave, while they are read one after another."""

    items: list[ParsedItem] = field(default_factory=list)
    overview: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    incomplete: bool = False
    watch: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    window: tuple[datetime | None, datetime | None] = (None, None)
    mode: str | None = None
    counts: tuple[tuple[str, int], ...] = ()
    disclaimer: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    why_rest: list[str] = field(default_factory=list)

    def leave(self, texts: Iterable[str], why: str) -> None:
        """Keep text that was not understood, and say once where it stood."""
        texts = [text for text in texts if text]
        self.rest.extend(texts)
        if texts and why not in self.why_rest:
            self.why_rest.append(why)


def divide(document: Document, title: str = "") -> ParsedDigest:
    """Divide a daily; what it does not understand ends in `remainder` and is named."""
    parts = outline(document, title)
    gathered = _Gathered()
    _read_lead(parts, gathered)
    for section in parts.sections:
        _READERS.get(section.purpose, _read_items)(section, gathered)
    if parts.following:
        another = _("Another digest follows in the same text; import it from a file of its own.")
        gathered.leave((as_text(block) for block in parts.following), another)
    return _digest(document, parts.title, gathered)


def _digest(document: Document, title: str, gathered: _Gathered) -> ParsedDigest:
    since = values.instant(document.word("window_since")) or gathered.window[0]
    cutoff = values.instant(document.word("cutoff_at")) or gathered.window[1]
    said = " ".join((title, *gathered.overview))
    no_news = not gathered.items and (bool(words.NO_NEWS.search(said)) or not gathered.rest)
    day = values.day(document.word("date"))
    return ParsedDigest(
        kind=DigestKind.DAILY,
        form=document.form,
        title=title,
        items=tuple(gathered.items),
        date=day or (cutoff.date() if cutoff else None),
        window_since=since,
        cutoff_at=cutoff,
        generation_mode=document.word("generation_mode") or gathered.mode,
        incomplete=gathered.incomplete,
        notices=tuple(gathered.notices),
        no_news=no_news,
        overview="\n\n".join(gathered.overview),
        watch=tuple(gathered.watch),
        empty_sections=tuple(gathered.empty),
        raw_counts=gathered.counts,
        disclaimer="\n".join(gathered.disclaimer),
        remainder="\n\n".join(gathered.rest),
        not_understood=tuple(gathered.why_rest),
    )


def as_text(block: Block) -> str:
    """Return a block as the plain text that `remainder` keeps."""
    if block.rows:
        return "\n".join("\t".join(cell.text for cell in row) for row in block.rows)
    return block.text


# ── one reader a section ───────────────────────────────────────────────────────────────────────


def _read_lead(parts: Outline, gathered: _Gathered) -> None:
    """Read the lines between title and first section: sentences introduce, the rest is left."""
    for block in repeated(parts.lead, parts.sections):
        if is_sentence(block.text):
            gathered.overview.append(as_text(block))
        elif not _is_day(block.text):
            gathered.leave([as_text(block)], _("A line before the first section"))


def is_sentence(text: str) -> bool:
    """Return whether a line in front of the first section introduces the digest."""
    return len(text) > 60 or "。" in text


def _is_day(text: str) -> bool:
    return len(text) < 30 and values.day(text) is not None


def _read_overview(section: Section, gathered: _Gathered) -> None:
    noticing = False
    items = _items_inside(section, gathered)
    for block in items.left:
        text = as_text(block)
        if words.INCOMPLETE.search(text) and (
            block.kind is not BlockKind.PARAGRAPH or len(text) < 80
        ):
            gathered.incomplete = noticing = True
            if not words.INCOMPLETE_FIXED.fullmatch(text):
                gathered.notices.append(text)
        elif noticing and (block.quoted or block.kind is BlockKind.BULLET or _is_failure(text)):
            gathered.notices.append(text)
        else:
            noticing = False
            gathered.overview.append(f"- {text}" if block.kind is BlockKind.BULLET else text)


def _is_failure(text: str) -> bool:
    return len(text) < 300 and words.FAILED_SOURCE.search(text) is not None


def _read_watch(section: Section, gathered: _Gathered) -> None:
    gathered.watch += [as_text(block) for block in _items_inside(section, gathered).left]


def _read_data(section: Section, gathered: _Gathered) -> None:
    for block in _items_inside(section, gathered).left:
        text = as_text(block)
        note = words.note_of(text)
        name, value = note or ("", text)
        if name == "window":
            _read_window(section, gathered, text, value)
        elif name == "mode":
            gathered.mode = value or None
        elif name == "counts":
            gathered.counts, odd = values.counts(value)
            gathered.leave(
                odd, _("A count of raw entries in “{section}”").format(section=section.heading)
            )
        elif name == "notice" or words.INCOMPLETE.search(text):
            gathered.incomplete = True
            gathered.notices.append(text)
        else:
            gathered.disclaimer.append(text)


def _read_window(section: Section, gathered: _Gathered, text: str, value: str) -> None:
    moments = values.instants(value)
    if len(moments) == 2:
        gathered.window = (moments[0], moments[1])
    else:
        why = _("The collection window in “{section}”").format(section=section.heading)
        gathered.leave([text], why)


def _read_items(section: Section, gathered: _Gathered) -> None:
    found = _items_inside(section, gathered, everything=True)
    if not found.items and found.left:
        text = " ".join(as_text(block) for block in found.left)
        if len(text) < 200 and (words.NO_NEWS.search(text) or words.EMPTY_SECTION.search(text)):
            gathered.empty.append("\n".join((section.heading, *map(as_text, found.left))))
            return
    name = section.heading or _("the first section")
    if not found.items and not found.left:
        gathered.empty.append(section.heading)
    why = _("Text in “{section}” that belongs to no item").format(section=name)
    head = [section.heading] if found.left and not found.items and section.heading else []
    gathered.leave([*head, *map(as_text, found.left)], why)


def _items_inside(section: Section, gathered: _Gathered, everything: bool = False) -> Found:
    """Read the items of a section; where none are expected, only labelled blocks are items."""
    labelled = any(words.label_of(b.text) for b in section.blocks if b.kind is not BlockKind.TABLE)
    if not everything and not labelled:
        return Found(left=section.blocks)
    found = items_of(section.heading, section.blocks)
    gathered.items += found.items
    for odd in found.odd:
        why = _("A score in “{section}”: {score}").format(section=section.heading, score=odd)
        gathered.why_rest.append(why)
    return found


_READERS = {
    "overview": _read_overview,
    "watch": _read_watch,
    "data": _read_data,
}
