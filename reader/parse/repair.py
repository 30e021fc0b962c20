"""Text that means to be XML → well-formed XML without a document type, as far as can be."""

from __future__ import annotations

import re
from html.entities import html5

_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_PAIR = re.compile(r"&#(x[0-9a-f]{1,6}|\d{1,7});&#(x[0-9a-f]{1,6}|\d{1,7});", re.IGNORECASE)
_SPELT = re.compile(r"&#[xX]?[0-9a-fA-F]+;")
_REFERENCE = re.compile(r"&#(x[0-9a-f]+|\d+);", re.IGNORECASE)
_APART = re.compile(r"(<!\[CDATA\[.*?\]\]>|<!--.*?-->)", re.DOTALL)
_AMPERSAND = re.compile(r"&(?!#x[0-9a-fA-F]+;|#\d+;)(?:([A-Za-z][A-Za-z0-9]{1,31});)?")
_NO_TAG = re.compile(r"<(?![A-Za-z_:!/?])|<!(?=DOCTYPE|ENTITY)|</(?![A-Za-z_:])", re.IGNORECASE)
_BEFORE_ROOT = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_ROOT = re.compile(r"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_OTHER_ATOM = "https://www.w3.org/2005/Atom"
_PREDEFINED = frozenset(("amp", "lt", "gt", "quot", "apos"))


def root_name(text: str) -> str | None:
    """Return the local name of the first element in lower case; html for a page without one."""
    at = _root_at(text)
    found = _ROOT.match(text, at)
    if found is None:
        return None
    name = found[1].lower()
    if text[: at + 20].lower().find("<!doctype html") != -1 and name not in ("rss", "feed", "rdf"):
        return "html"
    pages = ("html", "head", "body", "title", "meta", "div", "p", "script", "form", "table", "h1")
    return "html" if name in pages else name


def as_it_stands(text: str) -> str | None:
    """Return what `mend` makes of a text that is well-formed, at a fraction of the cost.

    Whether it is, a parser finds out: it refuses all that is mended otherwise. None where the
    text is mended even so.
    """
    text = text[_root_at(text) :]
    if ("?>" in text and "<?" in text) or _OTHER_ATOM in text:
        return None
    return None if "&#" in text and any(map(_is_mended, set(_SPELT.findall(text)))) else text


def _is_mended(reference: str) -> bool:
    return _REFERENCE.sub(_reference, reference) != reference


def mend(text: str) -> tuple[str, bool]:
    """Return XML without prolog and document type, and whether anything else had to be mended.

    Entities a document declares for itself are never expanded: they stay as text.
    """
    text = text[_root_at(text) :]
    mended = _references(_INVALID.sub("", text))
    mended = "".join(
        piece if n % 2 else _outside(piece) for n, piece in enumerate(_APART.split(mended))
    )
    odd = mended != text
    # Seen in the wild; without it the document is an empty feed to every parser.
    mended = mended.replace(_OTHER_ATOM, "http://www.w3.org/2005/Atom")
    return mended, odd


def _root_at(text: str) -> int:
    at = 0
    while True:
        if found := _BEFORE_ROOT.match(text, at):
            at = found.end()
        elif text[at : at + 9].lower() == "<!doctype":
            at = _after_doctype(text, at)
        elif at == 0 and not text.startswith("<"):
            at = text.find("<")
            if at < 0:
                return len(text)
        else:
            return at


def _after_doctype(text: str, at: int) -> int:
    """Return where a document type declaration ends, its internal subset included."""
    quote, inside = "", False
    for place in range(at + 9, len(text)):
        c = text[place]
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'" and not inside:
            quote = c
        elif c == "[":
            inside = True
        elif c == "]":
            inside = False
        elif c == ">" and not inside:
            return place + 1
    return len(text)


def _number(digits: str) -> int:
    return int(digits[1:], 16) if digits[0] in "xX" else int(digits)


def _references(text: str) -> str:
    return _REFERENCE.sub(_reference, _PAIR.sub(_pair, text))


def _pair(found: re.Match[str]) -> str:
    high, low = _number(found[1]), _number(found[2])
    if 0xD800 <= high < 0xDC00 <= low < 0xE000:
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    return found[0]


def _reference(found: re.Match[str]) -> str:
    if len(found[1]) > 8:
        return "\ufffd"
    code = _number(found[1])
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return "\ufffd"
    return "" if _INVALID.match(chr(code)) else found[0]


def _outside(text: str) -> str:
    return _NO_TAG.sub(lambda found: "&lt;" + found[0][1:], _AMPERSAND.sub(_entity, text))


def _entity(found: re.Match[str]) -> str:
    name = found[1]
    if name in _PREDEFINED:
        return found[0]
    if name and (meant := html5.get(name + ";")):
        return "".join(f"&#{ord(c)};" for c in meant)
    return "&amp;" + found[0][1:]
