"""Bytes → text, when header, prolog and bytes disagree: valid UTF-8 wins."""

from __future__ import annotations

import codecs
import re

from reader.language import _

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PROLOG = re.compile(
    rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']\s*([\w.:-]+)|<meta[^>]{0,200}?charset=["']?\s*([\w.:-]+)"""
)
# What a name means in practice: the wider set that contains it.
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}


def decode(body: bytes, content_type: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Return the text and notices of what was odd; never fails."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace"), ()
    head = body[:4]
    if head[:2] == b"<\0" or head[:2] == b"\0<":
        return body.decode("utf-16-le" if head[0] else "utf-16-be", "replace"), ()
    named = [name for name in (_from_prolog(body), _from_header(content_type)) if name]
    escaped = [name for name in named if name.startswith(("iso2022", "hz"))]
    if escaped and (b"\x1b" in body or b"~{" in body):
        return body.decode(escaped[0], "replace"), ()
    try:
        return body.decode("utf-8"), ()
    except UnicodeDecodeError:
        return _not_utf8(body, named)


def _not_utf8(body: bytes, named: list[str]) -> tuple[str, tuple[str, ...]]:
    # cp1252 reads anything, so a name that says more goes first.
    for name in sorted((n for n in named if n != "utf-8"), key=lambda n: n == "cp1252"):
        try:
            return body.decode(name), ()
        except (UnicodeDecodeError, LookupError):
            continue
    loose = body.decode("utf-8", "replace")
    bad = loose.count("\ufffd")
    good = sum(c > "\x7f" for c in loose) - bad
    if "utf-8" in named and bad * 20 <= max(good, 20):
        return loose, (_("Some bytes were no UTF-8 and are shown as \ufffd."),)
    for name in ("gb18030", "big5hkscs"):
        try:
            return body.decode(name), (
                _("No valid encoding was named; read as {name}.").format(name=name),
            )
        except UnicodeDecodeError:
            continue
    if good >= bad:
        return loose, (_("Some bytes were no UTF-8 and are shown as \ufffd."),)
    name = named[0] if named and named[0] != "utf-8" else "cp1252"
    return body.decode(name, "replace"), (
        _("No valid encoding was named; read as {name}.").format(name=name),
    )


def _from_prolog(body: bytes) -> str | None:
    found = _PROLOG.search(body[:2048])
    return _known((found[1] or found[2]).decode("ascii")) if found else None


def _from_header(content_type: str | None) -> str | None:
    found = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", content_type or "", re.IGNORECASE)
    return _known(found[1]) if found else None


def _known(name: str) -> str | None:
    try:
        known = codecs.lookup(name).name
        "".encode(known)
    except (LookupError, UnicodeError):
        return None
    return _WIDER.get(known, known)
