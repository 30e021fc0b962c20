"""E8M0 by its definition, and what a list of decoded scales is worth beside it; pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

ENCODINGS = range(256)


def defined(encoding: int) -> float:
    """Return what an encoding stands for: a power of two, or NaN for 0xFF (OCP MX 1.0)."""
    return math.nan if encoding == 0xFF else 2.0 ** (encoding - 127)


def wrong(decoded: Sequence[float]) -> list[int]:
    """Return the encodings that were decoded to something else; not one bit may be off."""
    return [
        encoding
        for encoding, got in zip(ENCODINGS, decoded, strict=True)
        if not (got == defined(encoding) or (math.isnan(got) and math.isnan(defined(encoding))))
    ]


def told(value: float) -> str:
    """Return a number as one says it: a power of two as such."""
    if not math.isfinite(value) or value == 0:
        return str(value)
    fraction, exponent = math.frexp(value)
    return f"2^{exponent - 1}" if fraction == 0.5 else f"{value:.6g}"
