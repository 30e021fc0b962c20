"""What changed in a story as the small HTML of an article: words struck and underlined."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

from reader.gui import article, words
from reader.gui.theme import Look
from reader.language import _

if TYPE_CHECKING:
    from reader.store.changes import Change, Changed, Piece


def changes(look: Look, history: Iterable[Change]) -> str:
    """Return every change of a story, the newest first."""
    parts = []
    for place, each in enumerate(history):
        when = words.day(each.when, year=True) if each.when else ""
        text = _("The page changed on {when}") if each.page else _("Changed on {when}")
        first = " first" if place == 0 else ""
        parts.append(f"<p class='cap{first}'>{html.escape(text.format(when=when))}</p>")
        parts += [_block(look, one) for one in each.said]
    return "".join(parts)


def _block(look: Look, one: Changed) -> str:
    from reader.store.changes import Shape

    if not one.pieces:
        return "<p class='small dim'>⋯</p>"
    if one.shape is Shape.CODE:
        return article.framed(look, f"<pre>{''.join(_lines(look, one.pieces))}</pre>")
    said = "".join(_words(look, piece) for piece in one.pieces).replace("\n", "<br/>")
    if one.shape is Shape.HEAD:
        return f"<p><b>{said}</b></p>"
    lead = "• " if one.shape is Shape.LIST else ""
    return f"<p>{lead}{said.replace(chr(9), ' │ ')}</p>"


def _words(look: Look, piece: Piece) -> str:
    text = html.escape(piece.text)
    if piece.side == "both":
        return text
    colour, line = (
        (look.tokens.delete, "line-through")
        if piece.side == "old"
        else (look.tokens.add, "underline")
    )
    return f'<span style="background-color: {colour}; text-decoration: {line}">{text}</span>'


def _lines(look: Look, pieces: Iterable[Piece]) -> Iterable[str]:
    """Yield lines of code with the signs of a diff: colour alone would not reach everybody."""
    signs = {"both": ("  ", ""), "old": ("- ", look.tokens.delete), "new": ("+ ", look.tokens.add)}
    for piece in pieces:
        sign, colour = signs[piece.side]
        for line in piece.text.rstrip("\n").split("\n"):
            text = html.escape(f"{sign}{line}")
            yield (
                f'<span style="background-color: {colour}">{text}</span>\n'
                if colour
                else (f"{text}\n")
            )
