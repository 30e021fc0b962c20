"""The quick-look kind: a table with one row an item, one section an item, steps, references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from reader.digest import references, values, words
from reader.digest.blocks import Block, BlockKind, Document, Link, Span
from reader.digest.daily import as_text, is_sentence
from reader.digest.outline import Section, outline, repeated
from reader.digest.references import Cited
from reader.digest.typography import settled
from reader.language import _
from reader.model import DigestKind, ParsedDigest, ParsedItem, Reference, Source, Step

_COLUMNS_NEEDED = 3  # of a table's known columns, one of them the item's name


def recognise(document: Document) -> bool:
    """Return whether a document is a quick look: a table of items under known columns."""
    blocks = _with_table(document.blocks)
    return any(_columns(block) for block in _tables(blocks))


def _tables(blocks: Sequence[Block]) -> list[Block]:
    return [block for block in blocks if block.rows]


def _columns(table: Block) -> list[str | None]:
    """Return what each column of a table holds, or nothing when it is no table of items."""
    names = [words.column_of(cell.text) for cell in table.rows[0]]
    enough = len(set(names) - {None}) >= _COLUMNS_NEEDED and "title" in names
    own = {"first_step", "action_window", "reported_result", "scenario"} & set(names)
    return names if enough and own else []


@dataclass(slots=True)
class _Row:
    """One row of the table, by what its columns hold."""

    cells: dict[str, Span] = field(default_factory=dict)
    extra: list[str] = field(default_factory=list)  # cells of columns nobody knows
    at: datetime | None = None

    def text(self, name: str) -> str:
        cell = self.cells.get(name)
        return cell.text if cell else ""


@dataclass(slots=True)
class _Gathered:
    """What the sections gave, while they are read one after another."""

    overview: list[str] = field(default_factory=list)
    rows: list[_Row] = field(default_factory=list)
    stories: list[Section] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    why_rest: list[str] = field(default_factory=list)

    def leave(self, texts: Sequence[str], why: str) -> None:
        """Keep text that was not understood, and say once where it stood."""
        self.rest.extend(text for text in texts if text)
        if any(texts) and why not in self.why_rest:
            self.why_rest.append(why)


def divide(document: Document, title: str = "") -> ParsedDigest:
    """Divide a quick look; what it does not understand ends in `remainder` and is named."""
    blocks = _with_story_headings(_with_table(document.blocks))
    parts = outline(replace(document, blocks=tuple(blocks)), title)
    known, sections = references.split(parts.sections)
    day = values.day(document.word("date")) or values.day(parts.title)
    gathered = _Gathered()
    for block in repeated(parts.lead, parts.sections):
        if is_sentence(block.text):
            gathered.overview.append(as_text(block))
        else:
            gathered.leave([as_text(block)], _("A line before the first section"))
    for section in sections:
        _read(section, gathered, known, day)
    items = _items(gathered, known, day)
    if parts.following:
        another = _("Another digest follows in the same text; import it from a file of its own.")
        gathered.leave([as_text(block) for block in parts.following], another)
    said = " ".join((parts.title, *gathered.overview))
    return ParsedDigest(
        kind=DigestKind.QUICK_LOOK,
        form=document.form,
        title=parts.title,
        items=tuple(items),
        date=day
        or max((item.happened_at.date() for item in items if item.happened_at), default=None),
        window_since=values.instant(document.word("window_since")),
        cutoff_at=values.instant(document.word("cutoff_at")),
        generation_mode=document.word("generation_mode") or None,
        no_news=not items and bool(words.NO_NEWS.search(said)),
        overview="\n\n".join(gathered.overview),
        steps=tuple(gathered.steps),
        empty_sections=tuple(gathered.empty),
        references=known,
        remainder="\n\n".join(gathered.rest),
        not_understood=tuple(gathered.why_rest),
    )


# ── headings that copied text has lost ─────────────────────────────────────────────────────────


def _with_table(blocks: Sequence[Block]) -> list[Block]:
    """Put a table together again whose copied cells stand on lines of their own."""
    blocks = list(blocks)
    if any(_columns(table) for table in _tables(blocks)):
        return blocks
    names = [words.column_of(b.text) if b.kind is BlockKind.PARAGRAPH else None for b in blocks]
    start = next((i for i in range(len(names) - 2) if all(names[i : i + 3])), None)
    if start is None:
        return blocks
    width = next((n for n, name in enumerate(names[start:]) if not name), len(names) - start)
    if "time" not in names[start : start + width]:
        return blocks  # nothing would tell where the rows end
    when = names.index("time", start) - start
    end = start + width
    while end + width <= len(blocks) and _looks_like_time(blocks[end + when].text):
        end += width
    cells = [Span(block.text, block.links, block.marks) for block in blocks[start:end]]
    rows = tuple(tuple(cells[n : n + width]) for n in range(0, len(cells), width))
    return [*blocks[:start], Block(BlockKind.TABLE, "", rows=rows), *blocks[end:]]


def _looks_like_time(text: str) -> bool:
    return len(text) < 40 and values.moment(text, near=date(2000, 1, 1)) is not None


def _with_story_headings(blocks: list[Block]) -> list[Block]:
    """Give the lines `GROUP：TITLE` of copied text back as headings."""
    if any(b.kind is BlockKind.HEADING and b.level > 1 for b in blocks):
        return blocks
    groups = {cell for table in _tables(blocks) for cell in _groups(table)}
    table_seen, listing = False, False
    for index, block in enumerate(blocks):
        purpose = words.section_of(block.text)
        table_seen = table_seen or bool(block.rows)
        listing = purpose in ("steps", "references") if purpose else listing
        if purpose and block.kind is BlockKind.PARAGRAPH:
            blocks[index] = replace(block, kind=BlockKind.HEADING, level=2)
        elif table_seen and _is_story_heading(blocks, index, groups, listing):
            blocks[index] = replace(block, kind=BlockKind.HEADING, level=2)
            listing = False
    return blocks


def _groups(table: Block) -> list[str]:
    names = _columns(table)
    place = names.index("group") if "group" in names else None
    return [row[place].text for row in table.rows[1:] if place is not None and place < len(row)]


def _is_story_heading(blocks: Sequence[Block], index: int, groups: set[str], listing: bool) -> bool:
    block, after = blocks[index], blocks[index + 1 : index + 2]
    if block.kind is not BlockKind.PARAGRAPH or len(block.text) > 160 or not after:
        return False
    group, title = _split(block.text)
    if not title or re.search(r"[。；;]|[.!！]$", block.text):
        return False
    if group in groups:
        return True
    follows = after[0].kind is BlockKind.PARAGRAPH and len(after[0].text) > len(block.text)
    return follows and not listing and len(group) <= 40


def _split(text: str) -> tuple[str, str]:
    """Return what stands before and after the first colon."""
    found = re.match(r"([^：]+?)\s*：\s*(.+)$", text) or re.match(r"([^:]+?)\s*:\s+(.+)$", text)
    return (found[1], found[2]) if found else ("", "")


# ── sections ───────────────────────────────────────────────────────────────────────────────────


def _read(
    section: Section, gathered: _Gathered, known: Sequence[Reference], day: date | None
) -> None:
    tables = [table for table in _tables(section.blocks) if _columns(table)]
    if tables:
        for table in tables:
            gathered.rows += _rows(table, day)
        others = [as_text(b) for b in section.blocks if b not in tables]
        gathered.overview += [references.clean(text, known)[0] for text in others]
    elif section.purpose == "steps":
        for block in section.blocks:
            line = values.numbered(as_text(block))[1]
            condition, text = _split(line)
            gathered.steps.append(Step(condition, text or line))
    elif section.purpose in ("overview", "verdict"):
        gathered.overview += [as_text(block) for block in section.blocks]
    elif _is_empty(section):
        texts = (section.heading, *(as_text(block) for block in section.blocks))
        gathered.empty.append("\n".join(texts))
    else:
        gathered.stories.append(section)


def _is_empty(section: Section) -> bool:
    if words.EMPTY_SECTION.search(section.heading):
        return True
    text = " ".join(as_text(block) for block in section.blocks)
    return not text or (len(text) < 120 and bool(words.EMPTY_SECTION.search(text)))


def _rows(table: Block, day: date | None) -> list[_Row]:
    names = _columns(table)
    header = [cell.text for cell in table.rows[0]]
    where = next(
        (values.zone(text) for text, n in zip(header, names, strict=True) if n == "time"), None
    )
    rows = []
    for cells in table.rows[1:]:
        row = _Row()
        for place, cell in enumerate(cells):
            name = names[place] if place < len(names) else None
            if name and name not in row.cells:
                row.cells[name] = cell
            elif cell.text:
                label = f"{header[place]}：" if place < len(header) else ""
                row.extra.append(f"{label}{cell.text}")
        row.at = values.moment(row.text("time"), where, day)
        if row.cells:
            rows.append(row)
    return rows


# ── items: a row and its section ───────────────────────────────────────────────────────────────


def _items(gathered: _Gathered, known: Sequence[Reference], day: date | None) -> list[ParsedItem]:
    stories = _joined(gathered, day)
    items = [
        _item(row, story, known, day) for row, story in zip(gathered.rows, stories, strict=True)
    ]
    for story in gathered.stories:
        if any(story is each for each in stories):
            continue
        if _commit_of(story) or values.moment(_texts(story), near=day):
            items.append(_item(_Row(), story, known, day))
        else:
            why = _("The section “{section}”: no row of the table names it").format(
                section=story.heading
            )
            gathered.leave([story.heading, *(as_text(b) for b in story.blocks)], why)
    return _own_sources_first(items)


def _own_sources_first(items: Sequence[ParsedItem]) -> list[ParsedItem]:
    """Put a source that several items cite, such as a list of commits, behind an item's own."""
    counted = Counter(source for item in items for source in item.sources)
    return [
        replace(item, sources=tuple(sorted(item.sources, key=lambda each: counted[each] > 1)))
        for item in items
    ]


def _joined(gathered: _Gathered, day: date | None) -> list[Section | None]:
    """Return the section of each row: same moment, same group and shared words decide."""
    free = list(gathered.stories)
    joined: list[Section | None] = []
    for row in gathered.rows:
        ranked = [(_likeness(row, story, day), -place) for place, story in enumerate(free)]
        best = max(ranked, default=(0, 0))
        joined.append(free.pop(-best[1]) if best[0] >= 2 else None)
    return joined


def _likeness(row: _Row, story: Section, day: date | None) -> int:
    group, _title = _split(story.heading)
    same_group = bool(group) and group == row.text("group")
    at = values.moment(_texts(story)[:2000], near=day)
    same_time = at is not None and at == row.at
    names = set(re.findall(r"[a-z][a-z0-9_]{2,}", row.text("title").lower()))
    shared = len(names & set(re.findall(r"[a-z][a-z0-9_]{2,}", story.heading.lower())))
    return 4 * same_time + 2 * same_group + min(shared, 3)


def _texts(story: Section) -> str:
    return " ".join(block.text for block in story.blocks)


def _commit_of(story: Section) -> str | None:
    found = values.commit(_texts(story))
    links = [link.url for block in story.blocks for link in block.links]
    return found or next((hash_ for url in links if (hash_ := values.commit(url))), None)


def _item(
    row: _Row, story: Section | None, known: Sequence[Reference], day: date | None
) -> ParsedItem:
    cited = Cited(known)
    cell = {name: cited.span(span) for name, span in row.cells.items()}
    heading = story.heading if story else ""
    texts = [cited.block(block) for block in story.blocks] if story else []
    body = [text for text in texts[1:] if text] + row.extra
    group, title = _split(heading)
    at = values.moment(_texts(story)[:2000], near=day) if story else None
    layers, unknown = values.layers(cell.get("layers", ""))
    return ParsedItem(
        title=cell.get("title") or title or heading,
        section=heading,
        summary=texts[0] if texts else "",
        layers=layers,
        layers_unknown=unknown,
        group=cell.get("group") or group or None,
        happened_at=row.at if row.at and (not at or at != row.at) else at,
        commit=_commit_of(story) if story else None,
        reported_result=cell.get("reported_result") or None,
        scenario=cell.get("scenario") or None,
        first_step=cell.get("first_step") or None,
        action_window=cell.get("action_window") or None,
        body="\n\n".join(body),
        refs=tuple(cited.numbers),
        score=values.score(cell.get("score", "")),
        sources=_sources(cited, row, story),
    )


def _sources(cited: Cited, row: _Row, story: Section | None) -> tuple[Source, ...]:
    """Return the references cited, then what the item itself links to beside them."""
    named = cited.sources()
    seen = {source.url for source in named}
    links: list[Link] = [link for cell in row.cells.values() for link in cell.links]
    links += [link for block in story.blocks for link in block.links] if story else []
    for link in links:
        if link.url.startswith("http") and link.url not in seen:
            seen.add(link.url)
            named.append(Source(settled(link.text), link.url))
    return tuple(named)
