"""What the claim is about. In a check of yours this is a package or a tool, and not this file."""

import struct


def to_half(value: float) -> float:
    """Return the value as a 16-bit float holds it."""
    return struct.unpack("<e", struct.pack("<e", value))[0]
