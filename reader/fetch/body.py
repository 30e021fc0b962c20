"""A body as it comes in, unpacked within a limit: a small bomb never grows."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from reader.errors import SourceError
from reader.language import _

STEP = 256 << 10  # bytes unpacked at a time, so that a bomb takes no more than what is kept


def unpacked(pieces: Iterable[bytes], encoding: str, most: int) -> bytes:
    """Return the body behind a Content-Encoding, at most `most` bytes of it.

    Raises SourceError when it is longer, damaged, or packed in a way nobody asked for.
    """
    encoding = encoding.strip().lower()
    if encoding in ("gzip", "x-gzip", "deflate"):
        pieces = _inflated(pieces, encoding)
    elif encoding not in ("", "identity"):
        raise SourceError(
            _("The server packs its answer in a way that was not asked for ({name}).").format(
                name=encoding[:40]
            )
        )
    kept = bytearray()
    for piece in pieces:
        kept += piece
        if len(kept) > most:
            raise SourceError(
                _("The answer is larger than {size} MB and was not taken.").format(
                    size=max(1, most >> 20)
                )
            )
    return bytes(kept)


def _inflated(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    inflater = None
    try:
        for piece in pieces:
            if inflater is None:
                inflater = zlib.decompressobj(_window(encoding, piece))
            packed = piece
            while packed:
                yield inflater.decompress(packed, STEP)
                packed = inflater.unconsumed_tail
                if inflater.eof:
                    packed = inflater.unused_data
                    # Several members may follow one another; what is no member is padding.
                    if not packed.startswith(b"\x1f\x8b"):
                        return
                    inflater = zlib.decompressobj(_window(encoding, packed))
    except zlib.error as error:
        raise SourceError(_("The answer is packed, but damaged. Try again later.")) from error
    if inflater is not None and not inflater.eof:
        raise SourceError(_("The answer broke off before its end. Try again later."))


def _window(encoding: str, start: bytes) -> int:
    if encoding != "deflate":
        return 16 + zlib.MAX_WBITS
    zlib_header = len(start) > 1 and start[0] & 15 == 8 and (start[0] << 8 | start[1]) % 31 == 0
    return zlib.MAX_WBITS if zlib_header else -zlib.MAX_WBITS
