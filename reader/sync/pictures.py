"""What a picture is by its bytes: kind, size, and a drawing without what could do harm. Pure."""

from __future__ import annotations

import re

MOST_PIXELS = 25_000_000  # a decoder takes four bytes for each
MOST_DRAWING = 512 << 10  # bytes of an SVG
LEAST_SIDE = 3  # pixels; what is smaller only counts readers
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
)
# Addresses that answer with a picture nobody sees (each in the documentation of who offers it).
_COUNTERS = re.compile(
    r"//(?:[\w-]+\.)*(?:pixel\.wp\.com|stats\.wordpress\.com|feeds\.feedburner\.com/~r"
    r"|feedpress\.me/[^?]*\.gif|google-analytics\.com|doubleclick\.net|scorecardresearch\.com"
    r"|quantserve\.com|statcounter\.com|list-manage\.com/track|medium\.com/_/stat)"
    r"|/(?:pixel|spacer|blank|clear|1x1|count(?:er)?|beacon|track(?:ing)?)\.(?:gif|png)(?:\?|$)",
    re.IGNORECASE,
)
_ACTIVE = re.compile(
    r"<(script|foreignObject|iframe|object|embed|audio|video|set|animate\w*|handler)\b"
    r".*?(?:</\1\s*>|/>)|\son\w+\s*=\s*(?:\"[^\"]*\"|'[^']*')",
    re.IGNORECASE | re.DOTALL,
)
_FOREIGN = re.compile(
    r"""\s(?:xlink:)?href\s*=\s*(?:"(?!\#|data:image/)[^"]*"|'(?!\#|data:image/)[^']*')"""
    r"""|url\(\s*['"]?(?!\#|['")])[^)]*\)|@import[^;]*;?""",
    re.IGNORECASE,
)
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # JPEG markers that carry the size


def is_counter(url: str) -> bool:
    """Tell whether an address is known to count readers."""
    return _COUNTERS.search(url) is not None


def media_type(body: bytes) -> str | None:
    """Return what kind of picture the bytes are, whatever the server called them; None: none."""
    for magic, name in _MAGIC:
        if body.startswith(magic):
            return name
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    if body[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    head = body[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    svg = head.startswith((b"<svg", b"<?xml", b"<!--", b"<!doctype svg")) and b"<svg" in head
    return "image/svg+xml" if svg else None


def size(body: bytes, kind: str) -> tuple[int, int] | None:
    """Return width and height in pixels as the file says, None where it does not."""
    if kind == "image/png" and body[12:16] == b"IHDR":
        return _big(body, 16, 4), _big(body, 20, 4)
    if kind == "image/gif" and len(body) >= 10:
        return _little(body, 6, 2), _little(body, 8, 2)
    if kind == "image/bmp" and len(body) >= 26:
        return _little(body, 18, 4), abs(_little(body, 22, 4, signed=True))
    if kind == "image/webp":
        return _webp(body)
    return _jpeg(body) if kind == "image/jpeg" else None


def _big(body: bytes, at: int, length: int) -> int:
    return int.from_bytes(body[at : at + length], "big")


def _little(body: bytes, at: int, length: int, *, signed: bool = False) -> int:
    return int.from_bytes(body[at : at + length], "little", signed=signed)


def _webp(body: bytes) -> tuple[int, int] | None:
    form = body[12:16]
    if form == b"VP8X" and len(body) >= 30:
        return _little(body, 24, 3) + 1, _little(body, 27, 3) + 1
    if form == b"VP8L" and len(body) >= 25:
        bits = _little(body, 21, 4)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8 " and len(body) >= 30:
        return _little(body, 26, 2) & 0x3FFF, _little(body, 28, 2) & 0x3FFF
    return None


def _jpeg(body: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(body) and body[at] == 0xFF:
        marker = body[at + 1]
        if marker in _FRAMES:
            return _big(body, at + 7, 2), _big(body, at + 5, 2)
        at += 2 if marker in (0x01, 0xFF) or 0xD0 <= marker <= 0xD8 else 2 + _big(body, at + 2, 2)
    return None


def drawing(body: bytes) -> bytes | None:
    """Return an SVG that shows itself alone: nothing of it runs, is fetched or read from a disk.

    None for one with entities of its own, which can grow without end, or that is too large.
    """
    if len(body) > MOST_DRAWING:
        return None
    text = body.decode("utf-8", "replace")
    if re.search(r"<!ENTITY|<!DOCTYPE[^>]*\[", text, re.IGNORECASE):
        return None
    return _FOREIGN.sub("", _ACTIVE.sub("", text)).encode()
