"""Markdown with front matter → blocks.

A splitter of its own: the digests' texts are full of `tirx.ptx.*`, `__block_size__`, `<T>` and
`$\\mathbb{F}_2$`, which a Markdown library takes for emphasis and markup. Only what the generators
write is markup here: headings, lists, quotations, tables, code, links, `**bold**` and `*stress*`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

from reader.digest.blocks import Block, BlockKind, Document, Link, Span
from reader.digest.typography import settled, settled_code
from reader.model import Form

Front = dict[str, str | tuple[str, ...]]

_FIELD = re.compile(r"([\w-]+)\s*:(?:\s+(.*))?$")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(?=\S)")
_UNDERLINE = re.compile(r"\s{0,3}(=+|-{3,})\s*$")
_RULE = re.compile(r"\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_BULLET = re.compile(r"(\s*)(?:[*+\-•]|(\d{1,4})[.)])\s+(?=\S)")
_QUOTE = re.compile(r"\s{0,3}>\s?")
_DELIMITER = re.compile(r":?-+:?")
_DEFINITION = re.compile(r"\s{0,3}\[\^([^\]\s]+)\]:\s*")
_FEW_DIGITS = re.compile(r"\d{1,3}")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")

_TAG = re.compile(
    r"</?(?:sup|sub|details|summary|div|center|span|p|hr|em|strong|code|kbd|small|u)\s*/?>"
    r"|<(?:a|img|div|span|p|details|font|sup|code)\s(?=[^<>=]*+=)[^<>]*+>|</a>|<!--.{0,300}?-->"
)
_ALT = re.compile(r"\balt=(?:\"([^\"]*)\"|'([^']*)')")
_BREAK = re.compile(r"<br\s*/?>|(?:(?<! ) {2,}|\\)\n")
_INLINE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`))"
    r"|!?\[(?P<words>[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]"
    r"\((?P<url>[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+\"[^\"]*\")?\)"
    r"|<(?P<auto>https?://[^\s<>]+)>"
    r"|\[\^(?P<note>[^\]\s]+)\]"
    r"|<sup>\s*\[?(?P<raised>\d{1,3}(?:[\s,，、]+\d{1,3})*)\]?\s*</sup>"
    r"|\\(?P<escaped>[*_`#\[\]<>|~\\.!-])"
    r"|(?P<math>\$[^$\n]{1,300}\$)"
)
_BOLD = re.compile(r"\*\*(?=\S)([^*]+?)(?<=\S)\*\*")
_STRESS = re.compile(r"(?<![\w*.\\/])\*(?=[^\s*.,])([^*\n]+?)(?<=[^\s*(])\*(?![\w*])")
_STRUCK = re.compile(r"~~(?=\S)([^~]+)~~")


def from_markdown(content: str) -> Document:
    """Read a Markdown post; its front matter is kept as words, whatever it holds."""
    front, body = front_matter(content)
    title = (
        " ".join(front["title"]) if isinstance(front.get("title"), tuple) else front.get("title")
    )
    lines = body.split("\n")
    return Document(Form.MARKDOWN, settled(str(title or "")), tuple(_blocks(lines)), front)


# ── front matter ───────────────────────────────────────────────────────────────────────────────


def front_matter(content: str) -> tuple[Front, str]:
    """Return the fields between the two `---` lines and what follows them."""
    lines = content.lstrip("\n").split("\n")
    if not lines or lines[0].rstrip() != "---":
        return {}, content
    for end, line in enumerate(lines[1:200], start=1):
        if line.rstrip() in ("---", "..."):
            return _fields(lines[1:end]), "\n".join(lines[end + 1 :])
    end = next((n for n, line in enumerate(lines[1:200], start=1) if not _FIELD.match(line)), 1)
    return (_fields(lines[1:end]), "\n".join(lines[end:])) if end > 2 else ({}, content)


def _fields(lines: list[str]) -> Front:
    fields: Front = {}
    name = ""
    for line in lines:
        item = re.match(r"\s*-\s+(.*)$", line)
        field = _FIELD.match(line)
        if field:
            name = field[1].lower()
            fields[name] = _value(field[2] or "")
        elif item and name:
            before = fields[name]
            kept = (before,) if isinstance(before, str) and before else before or ()
            fields[name] = (*kept, _word(item[1]))
        elif name and line.strip() and isinstance(fields[name], str):
            fields[name] = f"{fields[name]} {_word(line)}".strip()
    return fields


def _value(raw: str) -> str | tuple[str, ...]:
    raw = raw.strip()
    if raw.startswith("[") and raw.endswith("]"):
        return tuple(_word(each) for each in raw[1:-1].split(",") if each.strip())
    return _word(raw)


def _word(raw: str) -> str:
    raw = raw.strip()
    if len(raw) > 1 and raw[0] == raw[-1] == '"':
        return re.sub(r'\\(["\\/])', r"\1", raw[1:-1])
    if len(raw) > 1 and raw[0] == raw[-1] == "'":
        return raw[1:-1].replace("''", "'")
    return "" if raw in (">", "|", ">-", "|-") else re.split(r"\s+#", raw, maxsplit=1)[0]


# ── blocks ─────────────────────────────────────────────────────────────────────────────────────


def _blocks(lines: list[str], quoted: bool = False) -> Iterator[Block]:
    index = 0
    while index < len(lines):
        line = lines[index]
        fence = _FENCE.match(line)
        if not line.strip() or _RULE.match(line):
            index += 1
        elif fence:
            end = _closing_fence(lines, index, fence[1])
            text = settled_code("\n".join(lines[index + 1 : end]))
            yield Block(BlockKind.CODE, text, quoted=quoted)
            index = end + 1
        elif found := _HEADING.match(line):
            yield _made(BlockKind.HEADING, _heading(line[found.end() :]), level=len(found[1]))
            index += 1
        elif _QUOTE.match(line) and not quoted:
            end = _run(lines, index, lambda each: bool(_QUOTE.match(each)))
            yield from _blocks([_QUOTE.sub("", each, count=1) for each in lines[index:end]], True)
            index = end
        elif "|" in line and index + 1 < len(lines) and _delimits(lines[index + 1]):
            end = _run(lines, index, lambda each: "|" in each)
            yield _table([lines[index], *lines[index + 2 : end]])
            index = end
        else:
            end = _end_of_paragraph(lines, index)
            yield from _paragraph(lines[index:end], quoted)
            index = end + (1 if end < len(lines) and _underlined(lines, index, end) else 0)


def _closing_fence(lines: list[str], start: int, fence: str) -> int:
    for index in range(start + 1, len(lines)):
        if lines[index].strip().startswith(fence):
            return index
    return len(lines)


def _heading(words: str) -> str:
    """Return a heading's words without closing number signs."""
    words = words.rstrip()
    bare = words.rstrip("#")
    return _without_notes(bare if bare.endswith((" ", "\t")) or not bare else words)


def _without_notes(raw: str) -> str:
    """Drop kramdown's own notes at a block's end, such as `{: .no_toc}`."""
    raw = raw.rstrip()
    start = raw.rfind("{:")
    noted = raw.endswith("}") and start >= 0 and "}" not in raw[start:-1]
    return raw[:start] if noted else raw


def _delimits(line: str) -> bool:
    """Return whether a line is the one under a table's header."""
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return "-" in line and all(_DELIMITER.fullmatch(cell) for cell in cells)


def _run(lines: list[str], start: int, belongs: Callable[[str], bool]) -> int:
    end = start + 1
    while end < len(lines) and lines[end].strip() and belongs(lines[end]):
        end += 1
    return end


def _end_of_paragraph(lines: list[str], start: int) -> int:
    """Return where a paragraph or one list line ends."""
    end = start + 1
    while end < len(lines):
        line = lines[end]
        ends = not line.strip() or _HEADING.match(line) or _FENCE.match(line) or _QUOTE.match(line)
        if ends or _BULLET.match(line) or _DEFINITION.match(line) or _UNDERLINE.match(line):
            break
        end += 1
    return end


def _underlined(lines: list[str], start: int, end: int) -> bool:
    return bool(_UNDERLINE.match(lines[end])) and not _BULLET.match(lines[start])


def _paragraph(lines: list[str], quoted: bool) -> Iterator[Block]:
    definition = _DEFINITION.match(lines[0])
    bullet = _BULLET.match(lines[0])
    kind, number = BlockKind.QUOTE if quoted else BlockKind.PARAGRAPH, None
    if definition and _FEW_DIGITS.fullmatch(definition[1]):
        kind, number = BlockKind.BULLET, int(definition[1])
        lines = [lines[0][definition.end() :], *lines[1:]]
    elif bullet:
        kind, number = BlockKind.BULLET, int(bullet[2]) if bullet[2] else None
        lines = [lines[0][bullet.end() :], *lines[1:]]
    for piece in _BREAK.split("\n".join(lines)):
        block = _made(kind, _without_notes(piece), quoted=quoted, number=number)
        if block.text or block.marks:
            yield block


def _made(
    kind: BlockKind, raw: str, *, level: int = 0, quoted: bool = False, number: int | None = None
) -> Block:
    span = inline(raw)
    return Block(kind, span.text, level, span.links, span.marks, number, quoted)


def _table(lines: list[str]) -> Block:
    rows = tuple(tuple(inline(cell) for cell in _cells(line)) for line in lines)
    return Block(BlockKind.TABLE, "", rows=rows)


def _cells(line: str) -> list[str]:
    """Split a table's row at its bars; an escaped bar and one inside code are text."""
    line = line.strip().removeprefix("|")
    cells, start, code, index = [], 0, False, 0
    while index < len(line):
        if line[index] == "\\":
            index += 1
        elif line[index] == "`":
            code = not code and "`" in line[index + 1 :]
        elif line[index] == "|" and not code:
            cells.append(line[start:index])
            start = index + 1
        index += 1
    return [*cells, line[start:]] if line[start:].strip() else cells


# ── inside a block ─────────────────────────────────────────────────────────────────────────────


def inline(raw: str) -> Span:
    """Return a block's words without markup, its links and its reference marks."""
    out: list[str] = []
    links: list[Link] = []
    marks: list[int] = []
    place = 0
    while found := _INLINE.search(raw, place):
        out.append(_prose(raw[place : found.start()]))
        place = found.end()
        if found["code"]:
            end = raw.find(found["ticks"], place)
            out.append(_held(raw[place:end].strip()) if end >= 0 else found["ticks"])
            place = end + len(found["ticks"]) if end >= 0 else place
        elif found["url"] is not None:
            _link(found, out, links, marks)
        elif found["auto"]:
            links.append(Link(found["auto"], found["auto"]))
            out.append(found["auto"])
        elif found["raised"]:
            marks += [int(n) for n in re.findall(r"\d+", found["raised"])]
        elif found["note"] and _FEW_DIGITS.fullmatch(found["note"]):
            marks.append(int(found["note"]))
        else:  # a note with a name is no reference: it stays as it was typed
            out.append(_held(found["escaped"] or found["math"] or found[0]))
    out.append(_prose(raw[place:]))
    return Span(settled(_stressed("".join(out))), tuple(links), tuple(marks))


def _link(found: re.Match[str], out: list[str], links: list[Link], marks: list[int]) -> None:
    words = inline(found["words"]).text if "[" not in found["words"] else found["words"]
    number = re.fullmatch(r"\[?(\d{1,3})\]?", words)
    if number and found["url"].startswith("#"):
        marks.append(int(number[1]))
    elif found[0].startswith("!"):
        out.append(words)
    else:
        links.append(Link(settled(words), html.unescape(found["url"])))
        out.append(_held(words))


def _prose(raw: str) -> str:
    """Return text between code and links: entities read, the few tags of a post dropped."""
    if "<" in raw:
        raw = _TAG.sub(_words_of_image, raw)
    return _ENTITY.sub(lambda found: html.unescape(found[0]), raw) if "&" in raw else raw


def _words_of_image(tag: re.Match[str]) -> str:
    found = _ALT.search(tag[0]) if tag[0].startswith("<img") else None
    return (found[1] or found[2] or "") if found else ""


# Stars inside code, links and formulas are text: they travel under a name of their own.
_STAR, _TILDE = "\ue010", "\ue011"


def _held(text: str) -> str:
    return text.replace("*", _STAR).replace("~", _TILDE)


def _stressed(text: str) -> str:
    """Drop the stars of bold and stressed words and keep every other star."""
    if "*" in text:
        text = _STRESS.sub(r"\1", _BOLD.sub(r"\1", text))
    if "~~" in text:
        text = _STRUCK.sub(r"\1", text)
    return text.replace(_STAR, "*").replace(_TILDE, "~")
