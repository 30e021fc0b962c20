"""Small conversions between plain text, HTML and addresses that both kinds of feed need."""

from __future__ import annotations

import html
import re
from urllib.parse import urljoin, urlsplit

_INLINE = re.compile(
    r"</?(?:a|abbr|b|bdi|br|cite|code|del|div|em|font|i|ins|kbd|mark|p|pre|q|s|small|span|strike"
    r"|strong|sub|sup|time|tt|u|var|wbr)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"https?://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::[0-9]+)?(?:/[^\s;?#\x00-\x20\x7f\\]*)?"
    r"(?:\?[^\s;#\x00-\x20\x7f]+)?(?:#[^\s;\x00-\x20\x7f]+)?\Z"
)
_ANY_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>|<!--")


def paragraphs(text: str) -> str:
    """Return plain text as HTML: blank lines part paragraphs, lines stay lines."""
    blocks = (block.strip("\n") for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")))
    return "".join(
        "<p>" + html.escape(block, quote=False).replace("\n", "<br>") + "</p>"
        for block in blocks
        if block.strip()
    )


def has_markup(text: str) -> bool:
    """Tell whether there is anything in it that may be a tag."""
    return _ANY_TAG.search(text) is not None


def plain_title(text: str, *, markup: bool) -> str:
    """Return a title as plain text; `markup`: it is HTML, else text with stray references.

    Only tags that stand in titles are taken away: `<bool>` is text.
    """
    if markup:
        text = _INLINE.sub("", text)
    return " ".join(html.unescape(text).split())


def is_plain_address(address: str) -> bool:
    """Tell whether an address is whole and stays to the letter what it is when it is resolved."""
    return _PLAIN.match(address) is not None


def web_address(address: str | None, base: str | None) -> str | None:
    """Return `address` resolved against `base` when it is http or https, else None."""
    if address and is_plain_address(address):
        return address
    address = re.sub(r"[\x00-\x1f\x7f]", "", address or "").strip()
    if not address:
        return None
    try:
        joined = urljoin(base, address) if base else address
        parts = urlsplit(joined)
        if parts.scheme.lower() in ("http", "https") and parts.hostname:
            return joined
    except ValueError:
        pass
    return None
