"""Blocks → title and sections: what both kinds share before they look at fields.

Copied text has no headings, so they are given back first: known section names, numbered lines that
labels follow, and short lines in front of those.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from reader.digest import values, words
from reader.digest.blocks import Block, BlockKind, Document
from reader.digest.typography import settled
from reader.model import Form

SENTENCE = re.compile(r"[。；;，,]|[.!！]$|[：:]$|\.\s")
_END = re.compile(r"[。；;！!，,：:.…]$")


@dataclass(slots=True)
class Section:
    """A heading with what stands under it; `purpose` is one of words.SECTIONS or empty."""

    heading: str
    purpose: str
    blocks: list[Block] = field(default_factory=list)
    level: int = 2


@dataclass(slots=True)
class Outline:
    """A document's title, the lines in front of its first section, and its sections."""

    title: str
    lead: list[Block]
    sections: list[Section]
    following: list[Block] = field(default_factory=list)  # another digest glued to this one


def outline(document: Document, title: str = "") -> Outline:
    """Divide a document at its sections; every block lands in exactly one place."""
    blocks = list(document.blocks)
    starts = _starts(blocks)
    following: list[Block] = []
    if len(starts) > 1:
        cut = _cut(blocks, starts[0], starts[1])
        blocks, following = blocks[:cut], blocks[cut:]
    start = starts[0] if starts else _first_heading(blocks)
    name, lead = _title(document, blocks[:start], title)
    body = _with_headings(blocks[start:])
    return Outline(name, lead, _sections(body), following)


# ── where it starts and ends ───────────────────────────────────────────────────────────────────


def _starts(blocks: Sequence[Block]) -> list[int]:
    """Return where each digest's first section stands; a list of contents is none."""
    known = [index for index, block in enumerate(blocks) if _purpose(block)]
    names = [_purpose(blocks[index]) for index in known]
    first = next((name for name in ("overview", "verdict") if name in names), None)
    if first is None:
        return known[:1]
    real = [
        index
        for index, name in zip(known, names, strict=True)
        if name == first and _has_content(blocks, index)
    ]
    if not real:
        return known[:1]
    later = {
        blocks[index].text for index in known if index >= real[0]
    }  # a list of contents repeats
    earlier = (index for index in known if index < real[0] and blocks[index].text not in later)
    return [next(earlier, real[0]), *real[1:]]


def _purpose(block: Block) -> str | None:
    if block.kind not in (BlockKind.HEADING, BlockKind.PARAGRAPH):
        return None
    return words.section_of(block.text)


def _has_content(blocks: Sequence[Block], index: int) -> bool:
    after = blocks[index + 1] if index + 1 < len(blocks) else None
    if after is None or _purpose(after):
        return False
    return after.kind is not BlockKind.HEADING or after.level > blocks[index].level > 0


def _cut(blocks: Sequence[Block], first: int, second: int) -> int:
    """Return where the second of two glued digests starts: at its title."""
    before = second - 1
    if before > first and blocks[before].kind in (BlockKind.HEADING, BlockKind.PARAGRAPH):
        return before
    return second


def _first_heading(blocks: Sequence[Block]) -> int:
    for index, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING and block.level > 1:
            return index
        if block.kind is BlockKind.TABLE:
            return index
    return min(1, len(blocks))


def _title(document: Document, before: Sequence[Block], given: str) -> tuple[str, list[Block]]:
    """Return the title and the lines before the first section that are not its repetition."""
    first = next((b.text for b in before if b.kind is BlockKind.HEADING and b.level == 1), "")
    lines = [b for b in before if b.kind in (BlockKind.PARAGRAPH, BlockKind.HEADING)]
    given = "" if words.is_furniture(given) else settled(given)
    copied = document.form is Form.TEXT and given not in {b.text for b in lines}
    if not first and not document.title and (copied or not given):
        first = next((b.text for b in lines if not _purpose(b) and not _is_prose(b, given)), "")
    if document.form.value in ("page", "feed_html", "text"):
        title = first or given or document.title
    else:
        title = document.title or first or given
    lead = [b for b in before if b.text != title]
    return title, [b for b in lead if not _purpose(b)]


def _is_prose(block: Block, given: str) -> bool:
    """Return whether a first line introduces the digest, where a title came beside the text."""
    return bool(given) and (len(block.text) > 200 or block.text.endswith(("。", ".", "！", "!")))


def repeated(lead: Sequence[Block], sections: Sequence[Section]) -> list[Block]:
    """Return the lines of `lead` that a list of contents does not merely repeat."""
    later = {section.heading for section in sections}
    later |= {block.text for section in sections for block in section.blocks}
    bare = {values.numbered(text)[1] for text in later}
    return [b for b in lead if b.text not in later and values.numbered(b.text)[1] not in bare]


# ── headings for copied text ───────────────────────────────────────────────────────────────────


def _with_headings(blocks: list[Block]) -> list[Block]:
    """Give copied text, or a form that lost them, its headings back."""
    if any(block.kind is BlockKind.HEADING and block.level > 1 for block in blocks):
        return blocks
    found: list[Block] = []
    purpose = ""
    for index, block in enumerate(blocks):
        name = _purpose(block)
        if name:
            purpose = name
            found.append(replace(block, kind=BlockKind.HEADING, level=2))
        elif _is_item_heading(blocks, index, purpose) or _is_first_title(found, block):
            found.append(replace(block, kind=BlockKind.HEADING, level=3))
        elif purpose not in ("", "references") and _is_unknown_section(blocks, index, purpose):
            purpose = "unknown"
            found.append(replace(block, kind=BlockKind.HEADING, level=2))
        else:
            found.append(block)
    return found


def _is_first_title(found: Sequence[Block], block: Block) -> bool:
    """Return whether a line without number is the title right under an unknown section."""
    under = bool(found) and found[-1].kind is BlockKind.HEADING and not _purpose(found[-1])
    return under and found[-1].level < 3 and _short_line(block)


def _is_item_heading(blocks: Sequence[Block], index: int, purpose: str) -> bool:
    """Return whether a numbered line is an item's title: labels follow it, or its text does."""
    block = blocks[index]
    name = values.numbered(block.text)[1]
    if not _numbered_line(block) or _END.search(name) or len(name) > 400:
        return False
    for after in blocks[index + 1 :]:
        if _numbered_line(after) or _purpose(after):
            break
        if words.label_of(after.text):
            return True
    if purpose not in ("highlights", "papers", "projects", "unknown") or index + 1 >= len(blocks):
        return False
    after = blocks[index + 1]
    return after.kind is BlockKind.PARAGRAPH and not _numbered_line(after) and not _purpose(after)


def _numbered_line(block: Block) -> bool:
    return block.kind is BlockKind.PARAGRAPH and values.numbered(block.text)[0] is not None


def _is_unknown_section(blocks: Sequence[Block], index: int, purpose: str) -> bool:
    """Return whether a short line is the heading of a section under a name nobody knows."""
    block = blocks[index]
    after = blocks[index + 1 : index + 4]
    if not _short_line(block) or not after:
        return False
    if _numbered_line(after[0]):
        return _is_item_heading(blocks, index + 1, purpose)
    before = blocks[index - 1] if index else None
    listed = before is not None and before.kind is BlockKind.BULLET
    if listed and purpose in ("watch", "data"):
        return True
    if after[0].kind is BlockKind.BULLET:  # an item's score is its last line
        label = words.label_of(before.text) if before else None
        return listed or (label is not None and label[0] == "score")
    return len(after) > 2 and _short_line(after[0]) and bool(words.label_of(after[2].text))


def _short_line(block: Block) -> bool:
    text = block.text
    labelled = words.label_of(text) or words.has_unknown_label(text)
    plain = block.kind is BlockKind.PARAGRAPH and not labelled
    return plain and len(text) <= 40 and not SENTENCE.search(text) and not _numbered_line(block)


# ── sections ───────────────────────────────────────────────────────────────────────────────────


def _sections(blocks: Sequence[Block]) -> list[Section]:
    """Gather blocks under their sections; deeper headings stay among a section's blocks."""
    known = [b.level for b in blocks if b.kind is BlockKind.HEADING and _purpose(b)]
    levels = known or [b.level for b in blocks if b.kind is BlockKind.HEADING]
    base = min(levels, default=2)
    deeper = any(b.kind is BlockKind.HEADING and b.level > base for b in blocks)
    sections: list[Section] = []
    for index, block in enumerate(blocks):
        if _opens_section(blocks, index, base, deeper):
            sections.append(Section(block.text, _purpose(block) or "", level=block.level))
        else:
            if not sections:
                sections.append(Section("", "", level=base))
            sections[-1].blocks.append(block)
    return sections


def _opens_section(blocks: Sequence[Block], index: int, base: int, deeper: bool) -> bool:
    block = blocks[index]
    if block.kind is not BlockKind.HEADING:
        return False
    if _purpose(block):
        return values.numbered(block.text)[0] is None or not _labels_follow(blocks, index)
    if block.level > base:
        return False
    return deeper or not _labels_follow(blocks, index)


def _labels_follow(blocks: Sequence[Block], index: int) -> bool:
    for after in blocks[index + 1 :]:
        if after.kind is BlockKind.HEADING:
            return False
        if words.label_of(after.text):
            return True
    return False
