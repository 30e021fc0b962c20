"""What a text would cost an HTML parser, counted beforehand in one pass. Pure.

HTML's own rules make two things grow with the square of a text. A block that begins looks through
every open element, and what was opened inside a paragraph and not closed (`<p><b>`) is opened
again in each that follows. Nothing written to be read comes near the bounds here; a text made to
do harm turns 50 KB into gigabytes. The text has to be HTML alone (`foreign.html_only`), else a
parser would end and nest things differently.
"""

from __future__ import annotations

import html as entities
import re
from collections import Counter
from collections.abc import Iterator

from reader.sanitise.rules import (
    BLOCKS,
    DROPPED_WITH_CONTENT,
    FORMATTING,
    RAW,
    VOID,
)

DEPTH = 500  # open elements
STEPS = 100_000_000  # looks at open elements; half a second
REPEATED = 1 << 20  # characters of tags that are opened again, beside four times the text's length
ALIKE = 3  # equal tags that are opened again at most (13.2.4.3)
SMALL = 4 << 20  # tags times length, below which nothing can go wrong

# As the HTML standard's tokenizer reads (13.2.5): a comment, a bogus comment, a tag.
_TOKEN = re.compile(
    r"""<!--(?:-?>|.*?(?:--!?>|\Z))
    |<(?:[!?]|/(?![A-Za-z]))[^>]*+>?
    |<(?P<end>/?)(?P<name>[A-Za-z][^ \t\n\r\f/>]*+)
        (?:[ \t\n\r\f/]++
          |=?+[^ \t\n\r\f/>=]++
            (?:[ \t\n\r\f]*+=[ \t\n\r\f]*+
              (?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\r\f>"'][^ \t\n\r\f>]*+)?+
            )?+
          |=
        )*+(?:>|\Z)""",
    re.VERBOSE | re.DOTALL,
)
_CELLS = frozenset({"td", "th"})
_ROWS = _CELLS | {"tr"}
_PARTS = _ROWS | {"tbody", "thead", "tfoot"}
# What a start tag ends by itself, when it is the innermost open element.
_ENDS = {
    "p": {"p"}, "li": {"li"}, "option": {"option"},
    "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "rt": {"rt", "rp"}, "rp": {"rt", "rp"},
    "td": _CELLS, "th": _CELLS, "tr": _ROWS, "tbody": _PARTS, "thead": _PARTS, "tfoot": _PARTS,
}  # fmt: skip
_IMPLIED = frozenset(_ENDS)


def too_costly(html: str) -> bool:
    """Tell whether parsing `html` by the rules of HTML could take seconds or gigabytes."""
    if html.count("<") * len(html) < SMALL:
        return False
    return _Count(html).over()


def as_paragraphs(html: str) -> str:
    """Return the words of `html` in paragraphs, with no other element."""
    parts: list[str] = []
    at, dropped = 0, ""
    for token in _tokens(html):
        name = (token["name"] or "").lower()
        if not dropped:
            parts.append(html[at : token.start()])
            if name in BLOCKS or name == "br":
                parts.append("\n\n")
        at = token.end()
        if not dropped and not token["end"] and name in DROPPED_WITH_CONTENT:
            dropped = name
        elif token["end"] and name == dropped:
            dropped = ""
    if not dropped:
        parts.append(html[at:])
    text = entities.unescape("".join(parts))
    blocks = (" ".join(block.split()) for block in text.split("\n\n"))
    return "".join(f"<p>{entities.escape(block, quote=False)}</p>" for block in blocks if block)


def _tokens(html: str) -> Iterator[re.Match[str]]:
    at = 0
    while token := _TOKEN.search(html, at):
        yield token
        at = token.end()
        name = (token["name"] or "").lower()
        if name in RAW and not token["end"]:
            closing = re.compile(rf"</{name}(?=[ \t\n\r\f/>])", re.IGNORECASE).search(html, at)
            at = closing.start() if closing else len(html)


class _Count:
    """The open elements as a parser has them, or more: a closing counts only where it is sure."""

    def __init__(self, html: str) -> None:
        self._html = html
        # With the tag where it may be opened again, and whether something else can end it before.
        self._open: list[tuple[str, str, bool]] = []
        self._implied = 0  # open elements that the beginning of others ends
        self._inside = 0  # open elements inside those that a parser opens again
        self._loose = False  # whether something ended before what was opened inside it
        self._alike: Counter[str] = Counter()
        self._waiting = 0  # characters that the next block may open again
        self._steps = 0
        self._repeated = 0

    def over(self) -> bool:
        room = REPEATED + 4 * len(self._html)
        for token in _tokens(self._html):
            name = (token["name"] or "").lower()
            if not name or name in VOID:
                continue
            self._repeated += self._waiting if self._loose else 0
            self._steps += len(self._open)
            if token["end"]:
                self._end(name)
            else:
                self._start(name, token[0])
            if len(self._open) > DEPTH or self._steps > STEPS or self._repeated > room:
                return True
        return False

    def _start(self, name: str, tag: str) -> None:
        ended = _ENDS.get(name, frozenset())
        while self._open and self._open[-1][0] in ended:
            self._pop()
        again = tag if name in FORMATTING else ""
        self._loose |= self._inside > 0 and not again
        inside = bool(again) and self._implied > 0
        self._open.append((name, again, inside))
        if again:
            self._alike[again] += 1
            self._waiting += len(again) if self._alike[again] <= ALIKE else 0
        self._inside += inside
        self._implied += name in _IMPLIED

    def _end(self, name: str) -> None:
        place = len(self._open) - 1
        while place >= 0 and self._open[place][0] != name and self._open[place][0] in _IMPLIED:
            place -= 1
        if place >= 0 and self._open[place][0] == name:
            while len(self._open) > place:
                self._pop()
        else:
            self._loose = True

    def _pop(self) -> None:
        name, again, inside = self._open.pop()
        if again:
            self._waiting -= len(again) if self._alike[again] <= ALIKE else 0
            self._alike[again] -= 1
        self._inside -= inside
        self._implied -= name in _IMPLIED
