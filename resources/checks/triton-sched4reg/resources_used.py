"""What ptxas says of a kernel, and how many warps of it fit a multiprocessor."""

from __future__ import annotations

import re

REGISTERS = 65536  # of a multiprocessor, all architectures below
# arch → warps, blocks, bytes of shared memory a multiprocessor holds (CUDA programming guide)
LIMITS = {
    75: (32, 16, 64),
    80: (64, 32, 164),
    86: (48, 16, 100),
    87: (48, 16, 164),
    89: (48, 24, 100),
    90: (64, 32, 228),
    100: (64, 32, 228),
    103: (64, 32, 228),
    120: (48, 24, 100),
    121: (48, 24, 100),
}


class Usage:
    """Registers a thread, bytes spilled a thread (stores and loads)."""

    def __init__(self, said: str) -> None:
        registers = re.search(r"Used (\d+) registers", said)
        if registers is None:
            raise ValueError(said[-300:])
        self.registers = int(registers.group(1))
        self.spilled = sum(int(n) for n in re.findall(r"(\d+) bytes spill", said))


def occupancy(arch: int, registers: int, threads: int, shared: int) -> int | None:
    """Return resident warps in per cent of the most; None for an architecture not listed.

    Registers are handed out to a warp in units of 256; a block takes 1 KB of shared memory more
    than it asks for from sm_80 on.
    """
    if arch not in LIMITS:
        return None
    warps, blocks, kilobytes = LIMITS[arch]
    of_block = threads // 32
    for_warp = -(-registers * 32 // 256) * 256
    reserved = 1024 if arch >= 80 else 0
    fit = min(
        blocks,
        warps // of_block,
        REGISTERS // for_warp // of_block,
        kilobytes * 1024 // max(1, shared + reserved),
    )
    return round(100 * fit * of_block / warps)
