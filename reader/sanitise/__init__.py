"""Foreign HTML and text made safe: the store's door; nothing goes in that did not pass here."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterator
from contextvars import ContextVar
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from reader.sanitise.cost import as_paragraphs, too_costly
from reader.sanitise.foreign import NAMES as FOREIGN
from reader.sanitise.foreign import html_only
from reader.sanitise.rules import (
    ALLOWED,
    ATTRIBUTES,
    BLOCKS,
    DROPPED_WITH_CONTENT,
    ELEMENTS,
    INVISIBLE,
    INVISIBLE_BEGINS,
    SCHEMES,
)

if TYPE_CHECKING:
    import nh3

__all__ = ["clean_html", "clean_text", "images", "text_of", "text_of_clean"]

_OPENING = re.compile(r"</?([^\s/><]*)")
_CLOSING = re.compile(r"</([^\s/><]+)\s*>")
_OWN = re.compile(r"[a-z][a-z0-9]*(?:[-:][a-z0-9]+)+")
# A one-letter tag counts only when what follows is attributes: in `a<b && c>d` nothing is.
_REST = re.compile(
    r"""(?:\s++[A-Za-z_][-\w:.]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'<>`]++))?+)*+\s*+/?+>"""
)
_NO_SHORT_TAG = re.compile(rf"</?[^\s/><](?!>)(?=[\s/><]|\Z)(?!{_REST.pattern})")
_TAG = re.compile(r"""<(/?)([a-z][a-z0-9]*)((?: [^\s"=<>]+="[^"]*")*)\s*/?>""")
_IMAGE = re.compile(r"""<img((?: [^\s"=<>]+="[^"]*")*)\s*/?>""")
_ATTRIBUTE = re.compile(r''' ([^\s"=<>]+)="([^"]*)"''')
WIDE = 700  # pixels that an article is wide
# The time nh3 takes to write a text grows with the square of its ampersands and of the characters
# U+0080 to U+00BF (8 s for 1.6 MB of `a&b`): in a long text others stand for them meanwhile.
LONG = 200_000  # characters
_REFERENCE = re.compile(r"&(?:#?[0-9A-Za-z]{1,32};)?")
_STAND_IN = 0x10FF00  # private use, in the last plane
_SLOW = [ord("&"), *range(0x80, 0xC0)]
_NO_STAND_INS = {_STAND_IN + each: None for each in _SLOW}
_AWAY = {each: _STAND_IN + each for each in _SLOW if each != ord("&")}
_BACK: dict[int, int | str] = {new: old for old, new in _AWAY.items()} | {
    _STAND_IN + ord("&"): "&amp;",
    _STAND_IN + 0xA0: "&nbsp;",
}
# What relative addresses stand against in the text that is being cleaned.
_base: ContextVar[str | None] = ContextVar("base", default=None)
_ALT = re.compile(r' alt="([^"]*)"')
_USUAL = (
    ("</p> <p>", "\n\n"), ("</p><p>", "\n\n"), ("</li> <li>", "\n"), ("</li><li>", "\n"),
)  # fmt: skip
_MAY_HIDE = re.compile(r"&(?!(?:amp|lt|gt|quot|nbsp);)")
_LINES, _CELLS = frozenset(("br", "tr", "li")), frozenset(("td", "th"))
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:^|[;\s])(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|!|$)",
    re.IGNORECASE,
)


def clean_html(html: str, base_url: str | None = None) -> str:
    """Return the article of `html` that is safe to show, as a fragment.

    Relative addresses are resolved against `base_url`, and go where there is none. What stands
    in angle brackets and is no element of HTML (`vector<T>`) stays as visible text. Nothing is
    fetched by showing the result but its `img` addresses, which are http or https.
    """
    written = _written(_visible(html))
    if too_costly(written):  # made to do harm: its words stay
        written = as_paragraphs(written)
    safe = _nh3(written, base_url)
    hides = _MAY_HIDE.search(written) or not (base_url or "").isprintable()
    if hides and (seen := _visible(safe)) != safe:  # it was written as a character reference
        safe = _nh3(seen, base_url)
    if "<img" not in safe:
        return safe
    return _IMAGE.sub(lambda found: _image(found, base_url), safe)


def clean_text(text: str) -> str:
    """Return plain text on one line: no HTML elements, no control or direction characters.

    `text` is plain text already: character references stay as they are written, and so does
    what is no element of HTML (`std::vector<bool>`).
    """
    text = _visible(text)
    if "<" in text:
        marked = _written(text.replace("&", "&amp;"))
        if too_costly(marked):
            marked = as_paragraphs(marked)
        text = entities.unescape(_without_tags().clean(marked))
    return " ".join(_visible(text).split())


def text_of(html: str) -> str:
    """Return HTML as readable plain text, blocks parted by blank lines, `pre` as it stands."""
    return text_of_clean(clean_html(html))


def text_of_clean(cleaned: str) -> str:
    """Return what `text_of` does, of HTML that `clean_html` gave."""
    if "<pre" in cleaned:
        text = "".join(_pieces(cleaned))
    else:  # in one go; a reference is read once, and after what it stands for could be a tag
        text = _on_one_line(cleaned.replace("&nbsp;", " "))
        for tags, lines in _USUAL:  # most tags by far; what stands in an attribute goes anyway
            text = text.replace(tags, lines)
        text = _TAG.sub(_for_tag, text)
        text = entities.unescape(text) if "&" in text else text
    text = "\n".join([line.rstrip() for line in text.split("\n")])
    return re.sub("\n\n\n+", "\n\n", text).strip("\n").strip()


def _on_one_line(text: str) -> str:
    line = text.replace("\n", " ")
    if line.isprintable() and "  " not in line:  # the only space that is printable
        return line.strip(" ")
    return " ".join(text.split())


def _pieces(cleaned: str) -> Iterator[str]:
    """Yield text and what stands for tags, with code blocks as they stand."""
    preformatted, at = 0, 0
    for tag in _TAG.finditer(cleaned):
        yield _text(cleaned[at : tag.start()], preformatted)
        at = tag.end()
        if tag.group(2) == "pre":
            preformatted = max(0, preformatted + (-1 if tag.group(1) else 1))
        yield entities.unescape(_for_tag(tag))
    yield _text(cleaned[at:], preformatted)


def images(html: str) -> list[str]:
    """Return the addresses of the pictures in cleaned HTML, in order, each once."""
    found = (_attributes(tag.group(1)).get("src") for tag in _IMAGE.finditer(html))
    return list(dict.fromkeys(src for src in found if src))


def _visible(text: str) -> str:
    # All that is invisible is not printable, which is told in no time; one look at a set of
    # characters takes a tenth of what the sequences they begin take.
    if text.isprintable() or text.replace("\n", "").isprintable():
        return text
    return INVISIBLE.sub("", text) if INVISIBLE_BEGINS.search(text) else text


def _written(html: str) -> str:
    """Return what is HTML alone, with every `<` that begins no element written as text."""
    names = _known(html)
    if names is None:
        return html_only(_escape_unknown(html))
    return html if FOREIGN.isdisjoint(names) else html_only(html)


def _escape_unknown(html: str) -> str:
    ends = _Ends(html)
    out: list[str] = []
    at = 0
    for opening in _OPENING.finditer(html):
        start, name = opening.start(), opening.group(1)
        if not _is_tag(html, start, opening.end(), name, ends):
            out += (html[at:start], "&lt;")
            at = start + 1
    out.append(html[at:])
    return "".join(out)


def _known(html: str) -> set[str] | None:
    """Return the elements of ordinary HTML, where every `<` begins one; None of other text."""
    if html.rfind("<") > html.rfind(">") or "#include " in html:
        return None
    names = set(map(str.lower, set(_OPENING.findall(html))))
    if not ELEMENTS.issuperset(names) or _NO_SHORT_TAG.search(html):
        return None
    return names


class _Ends:
    """Where things end in a text, looked up once for all of it."""

    def __init__(self, html: str) -> None:
        self.tag = html.rfind(">")
        self.comment = html.rfind("-->")
        self._html = html

    @cached_property
    def closed(self) -> frozenset[str]:
        """The names that stand in a closing tag."""
        return frozenset(name.lower() for name in _CLOSING.findall(self._html))


def _is_tag(html: str, start: int, end: int, name: str, ends: _Ends) -> bool:
    if end > ends.tag:  # never closed: a parser would swallow the rest of the text
        return False
    if html.startswith("<!--", start):
        return start + 4 <= ends.comment
    if html.startswith(("<!", "<?"), start):
        return (
            html[start : start + 9].lower() in ("<!doctype", "<![cdata[") or html[start + 1] == "?"
        )
    lower = name.lower()
    if lower not in ELEMENTS:
        # Elements of a page's own (`g-emoji`, `o:p`) always have a closing tag somewhere.
        return _OWN.fullmatch(lower) is not None and lower in ends.closed
    if html.startswith("#include ", max(0, start - 9)):
        return False
    return len(name) > 1 or _REST.match(html, end) is not None


def _nh3(html: str, base_url: str | None) -> str:
    long = len(html) > LONG
    if long:
        html = _REFERENCE.sub(_spelt, html.translate(_NO_STAND_INS)).translate(_AWAY)
    token = _base.set(base_url)
    try:
        cleaned = _cleaner().clean(html)
    finally:
        _base.reset(token)
    return cleaned.translate(_BACK) if long else cleaned


@cache
def _cleaner() -> nh3.Cleaner:
    """Return what cleans articles; making it takes as long as cleaning one."""
    import nh3

    return nh3.Cleaner(
        tags=ALLOWED,
        clean_content_tags=DROPPED_WITH_CONTENT,
        attributes=ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes=SCHEMES,
        url_relative=_relative,
    )


@cache
def _without_tags() -> nh3.Cleaner:
    import nh3

    return nh3.Cleaner(tags=set(), clean_content_tags=DROPPED_WITH_CONTENT)


def _spelt(reference: re.Match[str]) -> str:
    """Return the character a reference means, where it could not begin anything of HTML."""
    meant = entities.unescape(reference[0])
    if meant in ("<", ">", '"', "'"):
        return reference[0]
    return meant.replace("&", chr(_STAND_IN + ord("&")))


@lru_cache(maxsize=64)
def _is_base(base_url: str) -> bool:
    try:
        base = urlsplit(base_url)
        urljoin(base_url, "a")
        return base.scheme in ("http", "https") and bool(base.hostname)
    except ValueError:
        return False


def _relative(url: str) -> str | None:
    """Return an address resolved; None, and it goes, where there is nothing it stands against."""
    base_url = _base.get()
    return _joined(base_url, url) if base_url and _is_base(base_url) else None


def _joined(base_url: str, url: str) -> str | None:
    try:
        joined = urljoin(base_url, url.strip())
        return joined if urlsplit(joined).scheme in ("http", "https") else None
    except ValueError:
        return None


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name == "class":
        for each in value.split():
            if each.startswith("language-"):
                return each
            if each.startswith("highlight-source-"):  # how GitHub says it
                return each.replace("highlight-source-", "language-", 1)
        return None
    if tag == "img" and name == "src" and not value.strip().lower().startswith(("http:", "https:")):
        return None if ":" in value.split("/", 1)[0] else value
    return value


def _attributes(text: str) -> dict[str, str]:
    return {name: entities.unescape(value) for name, value in _ATTRIBUTE.findall(text)}


def _image(found: re.Match[str], base_url: str | None) -> str:
    """Return a picture with what it needs; nothing for one that only counts readers."""
    held = _attributes(found.group(1))
    sizes = [held.get(side, "").strip().removesuffix("px") for side in ("width", "height")]
    if "hidden" in held or _HIDDEN.search(held.get("style", "")) or {"0", "1"} & set(sizes):
        return ""
    if not held.get("src") and (lazy := _lazy(held)):
        held["src"] = _joined(base_url or "", lazy) or ""
    if not held.get("src"):
        return entities.escape(held.get("alt", ""))
    kept = ("src", "alt", "title", "width", "height")
    shown = (f' {name}="{entities.escape(held[name])}"' for name in kept if held.get(name))
    return f"<img{''.join(shown)}>"


def _lazy(held: dict[str, str]) -> str:
    """Return where a picture stands that a script, or the browser's own choice, would show."""
    for name in ("data-src", "data-original", "data-lazy-src"):
        if held.get(name):
            return held[name]
    several = held.get("srcset") or held.get("data-srcset") or ""
    sizes: dict[float, str] = {}
    for url, size in re.findall(r"(\S*[^\s,])(?:\s+(\d+(?:\.\d+)?)[wx])?\s*(?:,|$)", several):
        width = float(size or 1)
        sizes[width * WIDE if width < 10 else width] = url
    wide = [width for width in sizes if width >= WIDE]
    return sizes[min(wide) if wide else max(sizes)] if sizes else ""


def _text(html: str, preformatted: int) -> str:
    text = entities.unescape(html)
    if preformatted:
        return text
    return re.sub(r"\s+", " ", text)


def _for_tag(tag: re.Match[str]) -> str:
    """Return what a tag becomes in plain text, with references as they are written."""
    closing, name = tag.group(1), tag.group(2)
    if name == "img":
        alt = _ALT.search(tag.group(3))
        return " ".join(alt.group(1).split()) if alt else ""
    if name in _LINES:
        return "" if closing else "\n"
    if name in _CELLS:
        return "\t" if closing else ""
    return "\n\n" if name in BLOCKS else ""
