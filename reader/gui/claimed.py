"""Claims in a story's text: marked with their kind, what they hold for, and their verdict."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextDocument

from reader import claims
from reader.claims import Kind
from reader.gui import words
from reader.gui.theme import look
from reader.language import _, language
from reader.report.claimed import Claimed

# Private characters stand around a claim while its text becomes HTML: nothing else is escaped
# or divided by them, and what a source writes there itself is dropped.
OPEN, MIDDLE, CLOSE = "\ue0c0", "\ue0c1", "\ue0c2"
_TAKEN = str.maketrans(dict.fromkeys(OPEN + MIDDLE + CLOSE, " "))


def kind_name(kind: Kind) -> str:
    """Return a kind of claim as a person reads it."""
    names = {
        Kind.PERFORMANCE: _("Performance"),
        Kind.CORRECTNESS: _("Correctness"),
        Kind.CODEGEN: _("Generated code"),
        Kind.BEHAVIOUR: _("Behaviour"),
    }
    return names[kind]


def tip(claimed: Claimed) -> str:
    """Return what a claim says when it is pointed at."""
    lines = [_("Testable: {kind}").format(kind=kind_name(claimed.found.kind))]
    holds_for = claims.holds_for(claimed.found.conditions, language())
    if holds_for:
        lines.append(_("said for {conditions}").format(conditions=", ".join(holds_for)))
    if claimed.verdict is not None:
        state = words.state_name(claimed.verdict.verdict.value)
        lines.append(_("{verdict} here by {check}").format(verdict=state, check=claimed.check))
    return " · ".join(lines)


def bracketed(text: str, field: str, found: Sequence[Claimed]) -> str:
    """Return a field's text with marks around its claims, last first so that places hold."""
    text = text.translate(_TAKEN)
    for place in reversed(range(len(found))):
        each = found[place].found
        if each.field == field and "\n" not in text[each.start : each.end]:
            inner = text[each.start : each.end]
            text = f"{text[: each.start]}{OPEN}{place}{MIDDLE}{inner}{CLOSE}{text[each.end :]}"
    return text


def spans(body: str, found: Sequence[Claimed]) -> str:
    """Return HTML in which the marks have become spans that say what they are."""
    for place, each in enumerate(found):
        title = html.escape(tip(each), quote=True)
        body = body.replace(f"{OPEN}{place}{MIDDLE}", f'<span title="{title}">')
    return body.replace(CLOSE, "</span>")


def underline(document: QTextDocument, found: Iterable[Claimed]) -> int:
    """Draw a line under the claims of a document in the colour of their verdict; return pieces."""
    tokens = look().tokens
    colours = {
        tip(each): tokens.state(each.verdict.verdict.value) if each.verdict else tokens.ink3
        for each in found
    }
    pieces = []
    block = document.begin() if colours else document.end()
    while block.isValid():
        run = block.begin()
        while not run.atEnd():
            piece = run.fragment()
            colour = colours.get(piece.charFormat().toolTip())
            if colour is not None:
                pieces.append((piece.position(), piece.length(), colour))
            run += 1
        block = block.next()
    cursor = QTextCursor(document)
    for start, length, colour in pieces:
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        line = QTextCharFormat()
        line.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        line.setUnderlineColor(QColor(colour))
        cursor.mergeCharFormat(line)
    return len(pieces)
