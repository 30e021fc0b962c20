"""Full text: what is indexed for a text, and what is asked for a person's words; no SQL runs here.

FTS5's unicode61 keeps a run of Han characters as one token, so runs are indexed as bigrams
(`寄存器` → `寄存 存器 器`): every word of two characters is found exactly, and the last character
stands alone so that a single character can be found as the start of a token.
"""

from __future__ import annotations

import re
import unicodedata
from operator import add

_CJK = (
    "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_CJK}]+")
_PIECE = re.compile(r'"([^"]*)"|([^\s"]+)')
_SEGMENT = re.compile(f"([{_CJK}]+)|([^{_CJK}]+)")
# What NFKC leaves as it is, or turns from one separator into another: no token changes by it.
_PLAIN = (
    "\x00-\x7f\u3000-\u3003\u3008-\u3020\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff0f\uff1a-\uff20“”‘’—…·"
)
_ODD = re.compile(f"[^{_PLAIN}]")
MOST_CHARACTERS = 400_000  # of one text that are indexed


def indexed(text: str) -> str:
    """Return `text` as the index is given it: NFKC, Han runs as bigrams."""
    text = text[:MOST_CHARACTERS].replace("\0", " ")
    if text.isascii():
        return text
    if _ODD.search(text):
        text = unicodedata.normalize("NFKC", text)
    return _RUN.sub(_bigrams, text)


def _bigrams(found: re.Match[str]) -> str:
    run = found[0]
    return f" {' '.join(map(add, run, run[1:] + ' '))} "


def expression(words: str, *, loose: bool = False) -> str | None:
    """Return the FTS5 expression that finds every one of `words`, or None if they hold none.

    Text in double quotes is a phrase; `*` at the end of a word finds what starts with it, and
    so does `loose` for the last word. Nothing else is an operator, so no input can be wrong.
    """
    pieces = [
        (phrase or word, bool(word))
        for phrase, word in _PIECE.findall(unicodedata.normalize("NFKC", words.replace("\0", " ")))
    ]
    terms: list[str] = []
    for at, (piece, is_word) in enumerate(pieces):
        open_end = is_word and (piece.endswith("*") or (loose and at == len(pieces) - 1))
        terms += _terms(piece, open_end=open_end)
    return " AND ".join(terms) if terms else None


def _terms(piece: str, *, open_end: bool) -> list[str]:
    found = [(run, other) for run, other in _SEGMENT.findall(piece) if run or _has_token(other)]
    terms = []
    for at, (run, other) in enumerate(found):
        last = open_end and at == len(found) - 1
        if len(run) == 1:
            terms.append(f'"{run}"*')
        elif run:
            terms.append('"' + " ".join(run[n : n + 2] for n in range(len(run) - 1)) + '"')
        else:
            terms.append(f'"{other.rstrip("*")}"' + ("*" if last else ""))
    return terms


def _has_token(text: str) -> bool:
    """Whether unicode61 finds a token in it: letters, numbers, private use, and our `_`."""
    return any(c == "_" or unicodedata.category(c)[0] in "LN" or c == "\ue000" for c in text)
