"""What stands in a cubin, from the words of nvdisasm and cuobjdump; runs nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;")
_USAGE = re.compile(r"Function (\S+?):\s*\n?\s*REG:(\d+) STACK:(\d+)")


@dataclass(frozen=True)
class Kernel:
    """One function of a cubin: its instructions, registers, and bytes of stack."""

    code: tuple[str, ...]
    registers: int
    stack: int

    @property
    def calls(self) -> int:
        """Count the calls."""
        return sum(opcode(each).startswith("CALL") for each in self.code)

    @property
    def local(self) -> int:
        """Count the loads and stores of local memory, which is where spills go."""
        return sum(opcode(each).split(".")[0] in ("LDL", "STL") for each in self.code)


def opcode(instruction: str) -> str:
    """Return the opcode behind a predicate."""
    words = instruction.split()
    return words[1] if words[0].startswith("@") and len(words) > 1 else words[0]


def functions(listing: str) -> dict[str, tuple[str, ...]]:
    """Return each function's instructions in `nvdisasm -c`, without the padding behind them."""
    found = {}
    for part in re.split(r"^\.text\.", listing, flags=re.MULTILINE)[1:]:
        name, _colon, body = part.partition(":")
        code = [each for each in _INSTRUCTION.findall(body) if opcode(each) != "NOP"]
        found[name.strip()] = tuple(code)
    return found


def kernels(listing: str, usage: str) -> dict[str, Kernel]:
    """Join the instructions with the registers and stack of `cuobjdump -res-usage`."""
    used = {name: (int(regs), int(stack)) for name, regs, stack in _USAGE.findall(usage)}
    return {
        name: Kernel(code, *used[name]) for name, code in functions(listing).items() if name in used
    }
