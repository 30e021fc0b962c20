"""The blocks under one heading of a daily → its items, and what belongs to none of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from reader.digest import values, words
from reader.digest.blocks import Block, BlockKind, Link
from reader.digest.outline import SENTENCE
from reader.digest.typography import settled
from reader.model import ParsedItem, Source


@dataclass(slots=True)
class _Group:
    """What was gathered for one item."""

    heading: Block | None = None
    texts: list[Block] = field(default_factory=list)  # before the first label
    body: list[Block] = field(default_factory=list)  # between and after labels
    values: dict[str, list[Block]] = field(default_factory=dict)  # label → what stands under it
    last: str = ""  # the label that came last


@dataclass(slots=True)
class Found:
    """The items of a section, and its blocks that belong to none."""

    items: list[ParsedItem] = field(default_factory=list)
    left: list[Block] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)  # values that were not understood


def items_of(section: str, blocks: Sequence[Block]) -> Found:
    """Divide a section into items by its headings and, where those are missing, by its labels."""
    found = Found()
    groups: list[_Group] = []
    waiting: list[Block] = []
    for part in _parts(blocks):
        current = groups[-1] if groups else None
        label = words.label_of(part.text) if part.kind is not BlockKind.HEADING else None
        if part.kind is BlockKind.HEADING and not _is_subheading(part, current):
            _settle(waiting, current, found)
            groups.append(_Group(heading=part))
            waiting = []
        elif label:
            name, value = label
            if current is None or (waiting and _is_next(current, name)):
                current = _Group()
                groups.append(current)
            _place(waiting, current)
            waiting = []
            line = replace(part, kind=BlockKind.PARAGRAPH, text=value)
            current.values.setdefault(name, []).append(line)
            current.last = name
        elif current and _continues(part, current, waiting):
            current.values[current.last].append(part)
        else:
            waiting.append(part)
    _settle(waiting, groups[-1] if groups else None, found)
    for group in groups:
        found.items.append(_item(section, group, found))
    return found


def _parts(blocks: Iterable[Block]) -> Iterable[Block]:
    """Yield blocks, a paragraph that holds several labels in pieces."""
    for block in blocks:
        pieces = words.labelled_parts(block.text) if block.kind is BlockKind.PARAGRAPH else []
        if len(pieces) < 2:
            yield block
            continue
        for piece in pieces:
            links = tuple(link for link in block.links if link.text in piece)
            yield replace(block, text=piece, links=links)


def _is_subheading(part: Block, current: _Group | None) -> bool:
    return bool(current and current.heading and 0 < current.heading.level < part.level)


def _is_next(current: _Group, label: str) -> bool:
    """Return whether a label after some text opens an item of its own, one without a title."""
    return label in current.values or ("score" in current.values and len(current.values) > 1)


def _continues(part: Block, current: _Group, waiting: list[Block]) -> bool:
    """Return whether a block is the value of a label that stands on a line of its own."""
    if waiting or not current.last:
        return False
    before = current.values[current.last]
    if len(before) == 1 and not before[0].text and not before[0].links:
        return part.kind in (BlockKind.PARAGRAPH, BlockKind.BULLET)
    return current.last in ("source", "layers") and part.kind is BlockKind.BULLET


def _place(waiting: Sequence[Block], current: _Group) -> None:
    """Give an item the text in front of its next label: a reason may have several paragraphs."""
    for block in waiting:
        prose = block.kind in (BlockKind.PARAGRAPH, BlockKind.BULLET)
        if not current.values:
            current.texts.append(block)
        elif current.last == "why" and prose and not words.has_unknown_label(block.text):
            current.values["why"].append(block)
        else:
            current.body.append(block)


def _settle(waiting: list[Block], current: _Group | None, found: Found) -> None:
    """Give text that no label follows to the item it stands under, else leave it over."""
    if current is None:
        found.left.extend(waiting)
    elif not current.values:
        current.texts.extend(waiting)
    else:
        for block in waiting:
            own = block.kind is not BlockKind.PARAGRAPH or words.has_unknown_label(block.text)
            (current.body if own else found.left).append(block)


# ── one item ───────────────────────────────────────────────────────────────────────────────────


def _item(section: str, group: _Group, found: Found) -> ParsedItem:
    number, title, texts = _heading(group)
    summary, *more = [_text(block) for block in texts] or [""]
    layers, unknown = values.layers("、".join(b.text for b in group.values.get("layers", ())))
    named = _sources(group)
    derived = not title
    body = [*more, *(_text(block) for block in group.body)]
    score = _score(group, found, body)
    title = title or values.derived(summary or _value(group, "why"), named)
    return ParsedItem(
        title=values.completed(title, named),
        title_derived=derived,
        section=section,
        number=number,
        summary=summary,
        why=_value(group, "why"),
        layers=layers,
        layers_unknown=unknown,
        reported_result=_value(group, "reported_result") or None,
        scenario=_value(group, "scenario") or None,
        first_step=_value(group, "first_step") or None,
        action_window=_value(group, "action_window") or None,
        body="\n\n".join(body),
        score=score,
        sources=named,
    )


def _heading(group: _Group) -> tuple[int | None, str, list[Block]]:
    """Return number, title and the texts under it; a short first line may be the title."""
    if group.heading:
        number, title = values.numbered(group.heading.text)
        bare = title.rstrip(".、．)")
        if number is None and bare.isdecimal() and len(bare) < 4:
            number, title = int(bare), ""
        return number, title, group.texts
    first = group.texts[0] if group.texts else None
    number, title = values.numbered(first.text) if first else (None, "")
    if len(group.texts) > 1 and len(title) <= 200 and not SENTENCE.search(title):
        return number, title, group.texts[1:]
    return None, "", group.texts


def _text(block: Block) -> str:
    if block.rows:
        return "\n".join("\t".join(cell.text for cell in row) for row in block.rows)
    if block.kind is BlockKind.BULLET:
        return f"{block.number}. {block.text}" if block.number else f"- {block.text}"
    return block.text


def _value(group: _Group, label: str) -> str:
    return "\n\n".join(_text(b) for b in group.values.get(label, ()) if b.text)


def _sources(group: _Group) -> tuple[Source, ...]:
    """Return the sources under the label, else those the title or the text links to."""
    named: list[Source] = []
    for block in group.values.get("source", ()):
        named += values.sources(block.text, block.links)
    if not named:
        blocks = [group.heading] if group.heading else []
        links: list[Link] = [link for block in blocks + group.texts for link in block.links]
        named = [Source(link.text, link.url) for link in links if link.url.startswith("http")]
    return tuple(dict.fromkeys(named))


def _score(group: _Group, found: Found, body: list[str]) -> float | None:
    given = group.values.get("score", ())
    for block in given:
        value = values.score(block.text)
        if value is not None:
            return value
        if block.text:
            body.append(settled(block.text))
            found.odd.append(block.text)
    return None
