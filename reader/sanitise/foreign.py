"""What inside HTML is read by other rules, taken out before a parser sees it. Pure.

A drawing is dropped, of a formula the words stay, and the fallback for readers without scripts is
shown unless its pictures are there anyway. Without them one set of rules holds for a whole text.
"""

from __future__ import annotations

import re

from reader.sanitise.rules import MATHML

_PASSED = "data"  # an element whose tags go and whose content stays
NAMES = frozenset({"svg", "select", "noscript", "math", *MATHML})
_FORMULA = "|".join(sorted({"math", *MATHML}))
_WRITTEN = re.compile(rf"</?(?:svg|select|noscript|{_FORMULA})(?=[\s/>])", re.IGNORECASE)
_EMPTY = re.compile(rf"<(?:svg|{_FORMULA})(?=[\s/])[^<>]*/>", re.IGNORECASE)
_NOTES = re.compile(
    r"<(annotation(?:-xml)?)(?=[\s/>])[^>]*>[^<]*</\1(?=[\s/>])[^>]*>", re.IGNORECASE
)
_FALLBACK = re.compile(r"<noscript(?=[\s/>])[^>]*>(.*?)</noscript(?=[\s/>])[^>]*>", re.I | re.S)
_SOURCE = re.compile(r"""src\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)


def html_only(html: str) -> str:
    """Return `html` without SVG, MathML and the other parts with rules of their own."""
    if not _WRITTEN.search(html):
        return html
    html = _NOTES.sub("", _EMPTY.sub("", html))
    html = _FALLBACK.sub(lambda found: _fallback(found, html), html)
    # Names are changed last: what was taken out may have joined two halves to one of them.
    html = _named(html, _FORMULA, _PASSED)
    html = _named(html, "noscript", "div")
    for name in ("svg", "select"):
        html = _named(html, name, "canvas" if _balanced(html, name) else _PASSED)
    return html


def _named(html: str, names: str, instead: str) -> str:
    return re.sub(rf"<(/?)(?:{names})(?=[\s/>])", rf"<\1{instead}", html, flags=re.IGNORECASE)


def _balanced(html: str, name: str) -> bool:
    """Whether every such element is closed; `canvas` goes with its content."""
    ends = re.findall(rf"<(/?){name}(?=[\s/>])", html, flags=re.IGNORECASE)
    return ends.count("/") * 2 == len(ends)


def _fallback(found: re.Match[str], html: str) -> str:
    held = _SOURCE.findall(found[1])
    return "" if held and all(html.count(each) > 1 for each in held) else f"<div>{found[1]}</div>"
