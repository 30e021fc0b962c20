"""Feed-entry HTML and saved pages → blocks, in one pass and linear time.

A small reader of its own and no tree, for two reasons: the site's renderer takes `<TileAndFuse>`
for markup, and only the raw tag still tells how it was spelt; and a hostile page must neither
recurse nor take quadratic time. Everything here becomes text; no HTML is ever handed on.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from reader.digest.blocks import Block, BlockKind, Document, Link, Span
from reader.digest.typography import settled, settled_code
from reader.model import Form


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


_KNOWN = _set(
    "a abbr acronym address area article aside audio b base bdi bdo big blockquote body br button "
    "canvas caption center cite code col colgroup data datalist dd del details dfn dialog div dl "
    "dt em embed fieldset figcaption figure font footer form frame h1 h2 h3 h4 h5 h6 head header "
    "hgroup hr html i iframe img input ins kbd label legend li link main map mark menu meta meter "
    "nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s "
    "samp script search section select small source span strike strong style sub summary sup svg "
    "table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr"
)
_VOID = _set("area base br col embed hr img input link meta param source track wbr")
_SKIPPED = _set("script style noscript template svg iframe object select button textarea head")
_RAW = _set("script style textarea")
_BREAKS = _set(
    "address article aside blockquote body br caption center dd details dialog div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p "
    "pre section summary table tr ul"
)
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z][^\s<>/\"'=]*+)(?P<attributes>(?:[^>\"'<]++|\"[^\"]*+\"|'[^']*+')*+)>"
)
_ATTRIBUTE = re.compile(
    r"([^\s=\"'/]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++)))?", re.DOTALL
)
_HEADING = re.compile(r"h[1-6]$")
_FEW_DIGITS = re.compile(r"\d{1,6}")
_MARK = re.compile(r"\[?(\d{1,3})\]?$")
_SNAKE = re.compile(r"[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+|<[^<>\s]+>")
_EMBEDDED = re.compile(r"data:[a-z]+/[a-z0-9.+-]+[^\"'()\s<>]*+")


@dataclass(slots=True)
class _Token:
    kind: str  # text, open, close
    name: str
    raw: str
    attributes: dict[str, str] = field(default_factory=dict)


def without_embedded(content: str) -> str:
    """Return HTML without files embedded as `data:` addresses, which a digest never needs."""
    return _EMBEDDED.sub("", content)


def from_html(content: str, form: Form) -> Document:
    """Read the blocks of feed-entry HTML or of a saved page, its article alone where marked."""
    reader = _Reader()
    for token in _tokens(content):
        reader.take(token)
    reader.flush()
    return Document(form, reader.title, tuple(reader.chosen()), url=reader.url)


# ── bytes of markup ────────────────────────────────────────────────────────────────────────────


def _tokens(content: str) -> Iterator[_Token]:
    """Yield text and known tags; a tag no HTML knows is text, spelt as it stands."""
    place = 0
    unknown: Counter[str] = Counter()
    while place < len(content):
        start = content.find("<", place)
        if start < 0:
            start = len(content)
        if start > place:
            yield _Token("text", "", html.unescape(content[place:start]))
        if start >= len(content):
            return
        if content.startswith(("<!", "<?"), start):
            place = _after_declaration(content, start)
            continue
        found = _TAG.match(content, start)
        if found is None:
            yield _Token("text", "", "<")
            place = start + 1
            continue
        place = found.end()
        name = found["name"].lower()
        if name in _KNOWN or "-" in name or ":" in name:
            yield from _known(found, name)
            if name in _RAW and not found["end"]:
                place = _after_raw(content, place, name)
        elif not found["end"]:
            unknown[name] += 1
            yield _Token("text", "", html.unescape(found[0]))
        elif unknown[name]:  # the renderer closes what it took for markup: no one wrote this
            unknown[name] -= 1
        else:
            yield _Token("text", "", found[0])


def _known(found: re.Match[str], name: str) -> Iterator[_Token]:
    if found["end"]:
        yield _Token("close", name, "")
        return
    attributes = {
        key.lower(): html.unescape(one or two or three)
        for key, one, two, three in _ATTRIBUTE.findall(found["attributes"])
    }
    yield _Token("open", name, "", attributes)


def _after_declaration(content: str, start: int) -> int:
    closing = "-->" if content.startswith("<!--", start) else ">"
    end = content.find(closing, start)
    return len(content) if end < 0 else end + len(closing)


def _after_raw(content: str, place: int, name: str) -> int:
    """Return where a script's or style's closing tag starts."""
    found = re.compile(f"</{name}", re.IGNORECASE).search(content, place)
    return found.start() if found else len(content)


# ── markup to blocks ───────────────────────────────────────────────────────────────────────────


class _Reader:
    """Follows the tags and gathers blocks; keeps where the article starts and ends."""

    def __init__(self) -> None:
        self.title = ""
        self.url: str | None = None
        self._blocks: list[tuple[Block, str]] = []  # with the part of the page it stands in
        self._open: list[str] = []
        self._count: Counter[str] = Counter()
        self._parts: list[tuple[int, str]] = []  # depth at which an article or main opened
        self._skip = 0  # depth + 1 at which skipping began
        self._text: list[str] = []
        self._links: list[Link] = []
        self._marks: list[int] = []
        self._anchor: tuple[str, int] | None = None
        self._raised: int | None = None
        self._stressed: list[int] = []
        self._numbers: list[int | None] = []
        self._number: int | None = None
        self._rows: list[list[Span]] | None = None
        self._in_title = False

    def chosen(self) -> list[Block]:
        """Return the blocks of `#post-article`, else of an article, else of main, else all."""
        for part in ("post-article", "article", "main"):
            found = [block for block, where in self._blocks if part in where.split()]
            if found:
                return found
        return [block for block, _ in self._blocks]

    def take(self, token: _Token) -> None:
        """Follow one token."""
        if token.kind == "text":
            if self._in_title:
                self.title = settled(self.title + token.raw)
            elif not self._skip:
                self._text.append(token.raw)
        elif token.kind == "open":
            self._opened(token)
        else:
            self._closed(token.name)

    def _opened(self, token: _Token) -> None:
        name = token.name
        if name == "title" and not self._count["svg"]:
            self._in_title = not self.title
        if name == "link" and token.attributes.get("rel", "") == "canonical":
            self.url = token.attributes.get("href") or None
        if name not in _VOID:
            self._close_implied(name)
            self._open.append(name)
            self._count[name] += 1
            if name in _SKIPPED and not self._skip:
                self._skip = len(self._open)
        if self._skip:
            return
        self._break(name)
        self._start(token)

    def _close_implied(self, name: str) -> None:
        """Close a paragraph, list line or cell that the next one ends without a tag."""
        if name in ("td", "th", "tr") and self._open and self._open[-1] in ("td", "th"):
            self._closed(self._open[-1])
        if name in ("p", "li", "dd", "dt") and self._open and self._open[-1] in (name, "p"):
            self._closed(self._open[-1])

    def _start(self, token: _Token) -> None:
        name, attributes = token.name, token.attributes
        if attributes.get("id") == "post-article":
            self._parts.append((len(self._open), "post-article"))
        elif name in ("article", "main"):
            self._parts.append((len(self._open), name))
        if name == "div" and "footnotes" in attributes.get("class", "").split():
            self._add(Block(BlockKind.HEADING, "References", level=2))
        if name in ("ul", "ol", "menu"):
            start = attributes.get("start", "1")
            first = int(start) if _FEW_DIGITS.fullmatch(start) else 1
            self._numbers.append(first if name == "ol" else None)
        elif name == "li" and self._numbers and self._numbers[-1] is not None:
            self._number = self._numbers[-1]
            self._numbers[-1] += 1
        elif name == "a" and attributes.get("href"):
            self._anchor = (attributes["href"].strip(), len(self._text))
        elif name in ("em", "strong"):
            self._stressed.append(len(self._text))
        elif name == "sup":
            self._raised = len(self._text)
        elif name == "table" and self._rows is None:
            self._rows = []
        elif name == "tr" and self._rows is not None:
            self._rows.append([])
        elif name == "img":
            self._text.append(attributes.get("alt", ""))

    def _closed(self, name: str) -> None:
        if name == "title":
            self._in_title = False
        if not self._count[name]:
            return
        while True:
            last = self._open[-1]
            if not self._skip:
                self._end(last)
            self._open.pop()
            self._count[last] -= 1
            if self._skip > len(self._open):
                self._skip = 0
            while self._parts and self._parts[-1][0] > len(self._open):
                self._parts.pop()
            if last == name:
                return

    def _end(self, name: str) -> None:
        if name == "a" and self._anchor:
            self._end_link()
        if name == "sup":
            self._end_raised()
        if name in ("em", "strong") and self._stressed:
            self._end_stressed(name)
        if name in ("td", "th") and self._rows is not None:
            if not self._rows:
                self._rows.append([])
            self._rows[-1].append(self._span())
        self._break(name)
        if name in ("ul", "ol", "menu") and self._numbers:
            self._numbers.pop()
        if name == "table" and self._rows is not None and self._count["table"] == 1:
            rows = tuple(tuple(row) for row in self._rows if row)
            self._rows = None
            if rows:
                self._add(Block(BlockKind.TABLE, "", rows=rows))

    def _end_link(self) -> None:
        url, start = self._anchor or ("", 0)
        self._anchor = None
        words = settled("".join(self._text[start:]))
        mark = _MARK.match(words)
        if mark and (url.startswith("#") or self._count["sup"]):
            del self._text[start:]
            self._marks.append(int(mark[1]))
        elif url.startswith("#fnref"):  # the way back from a footnote
            del self._text[start:]
        elif words:
            self._links.append(Link(words, url))

    def _end_raised(self) -> None:
        """Take raised digits after a sentence for reference marks; an exponent stays."""
        start, self._raised = self._raised, None
        if start is None or start >= len(self._text):
            return
        words = settled("".join(self._text[start:]))
        before = "".join(self._text[max(0, start - 2) : start]).rstrip()[-1:]
        if (
            re.fullmatch(r"\[?\d{1,3}(?:[\s,，、\]\[]+\d{1,3})*\]?", words)
            and before in "。！？.!?”)）"
        ):
            del self._text[start:]
            self._marks += [int(n) for n in re.findall(r"\d+", words)]

    def _end_stressed(self, name: str) -> None:
        """Give a name in snake case its outer underscores back: the renderer took them."""
        start = self._stressed.pop()
        if start < len(self._text) and _SNAKE.fullmatch("".join(self._text[start:])):
            mark = "_" if name == "em" else "__"
            self._text[start:] = [mark, *self._text[start:], mark]

    def _break(self, name: str) -> None:
        if name not in _BREAKS:
            return
        if self._rows is not None and (self._count["td"] or self._count["th"]):
            self._text.append(" ")
        elif name == "br" and self._count["pre"]:
            self._text.append("\n")
        else:
            self.flush()

    def _span(self) -> Span:
        span = Span(settled("".join(self._text)), tuple(self._links), tuple(self._marks))
        self._text, self._links, self._marks, self._stressed = [], [], [], []
        if self._anchor:
            self._anchor = (self._anchor[0], 0)
        return span

    def flush(self) -> None:
        """End the block that is being gathered."""
        if not self._text:
            return
        raw = "".join(self._text)
        span = self._span()
        if not span.text and not span.marks:
            return
        block = Block(BlockKind.PARAGRAPH, span.text, 0, span.links, span.marks)
        self._add(self._shaped(block, raw))

    def _shaped(self, block: Block, raw: str) -> Block:
        quoted = self._count["blockquote"] > 0
        headings = [n for n in range(1, 7) if self._count[f"h{n}"]]
        if headings:
            return replace(block, kind=BlockKind.HEADING, level=headings[-1])
        if self._count["pre"]:
            return replace(block, kind=BlockKind.CODE, text=settled_code(raw))
        if self._count["li"]:
            number, self._number = self._number, None
            return replace(block, kind=BlockKind.BULLET, number=number, quoted=quoted)
        if quoted:
            return replace(block, kind=BlockKind.QUOTE, quoted=True)
        return block

    def _add(self, block: Block) -> None:
        self._blocks.append((block, " ".join(part for _, part in self._parts)))
