"""Opcodes in the words of nvdisasm, and which of them an architecture should have; runs nothing."""

from __future__ import annotations

import re
from collections import Counter

_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)")
TENSOR = ("HMMA", "HGMMA", "UTCHMMA")  # by warp, by warp group, by thread block
COPIES = ("LDGSTS", "UTMALDG")  # asynchronous: by thread, by the tensor memory accelerator
LOCAL = ("LDL", "STL")
# architecture: the tensor core's instruction, the copy that feeds it
EXPECTED = {
    "sm_80": ("HMMA", "LDGSTS"),
    "sm_89": ("HMMA", "LDGSTS"),
    "sm_90": ("HGMMA", "UTMALDG"),
    "sm_100": ("UTCHMMA", "UTMALDG"),
    "sm_120": ("HMMA", "UTMALDG"),
}


def opcodes(listing: str) -> Counter[str]:
    """Count the instructions by opcode, without predicates and modifiers."""
    return Counter(_INSTRUCTION.findall(listing))


def tensor_right(found: Counter[str], arch: str) -> bool:
    """Return whether the architecture's tensor instruction is there and no other."""
    wanted = EXPECTED[arch][0]
    return found[wanted] > 0 and not any(found[each] for each in TENSOR if each != wanted)


def copy_right(found: Counter[str], arch: str) -> bool:
    """Return whether the copy that feeds it is there; where there is no accelerator, none of it."""
    wanted = EXPECTED[arch][1]
    return found[wanted] > 0 and (wanted == "UTMALDG" or not found["UTMALDG"])


def told(found: Counter[str]) -> str:
    """Return the counts that matter, as text."""
    return ", ".join(f"{found[each]} {each}" for each in (*TENSOR, *COPIES) if found[each]) or "–"
