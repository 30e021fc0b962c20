"""What stands around an atomic in PTX: accesses to memory, fences and CTA barriers, in order."""

from __future__ import annotations

import re

_LINE = re.compile(r"\s*(?:@!?%\w+\s+)?((?:atom|red|ld|st|bar|barrier|fence)\.[\w.:]+)")
_BARRIER = re.compile(r"(bar|barrier)(\.cta)?\.sync\b")  # not bar.warp.sync
_SEMANTICS = ("relaxed", "acquire", "release", "acq_rel")


def accesses(ptx: str) -> list[str]:
    """Return the opcodes that order memory, as they stand; parameters and comments left out."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", ptx, flags=re.DOTALL)
    found = (_LINE.match(line) for line in text.splitlines())
    return [match.group(1) for match in found if match and ".param" not in match.group(1)]


def semantics(opcode: str) -> str:
    """Return an access's memory semantics; empty for a plain one."""
    return next((word for word in _SEMANTICS if word in opcode.split(".")), "")


def around(ptx: str) -> tuple[bool, bool]:
    """Tell whether a barrier stands right before and right after the first ordered access.

    Right means: with no other access to memory between, so that a barrier which hands a result
    through shared memory is none of the atomic's.
    """
    found = [each for each in accesses(ptx) if not is_fence(each)]
    for place, opcode in enumerate(found):
        if semantics(opcode):
            before = place > 0 and is_barrier(found[place - 1])
            after = place + 1 < len(found) and is_barrier(found[place + 1])
            return before, after
    return False, False


def is_barrier(opcode: str) -> bool:
    """Tell whether all threads of the block wait here."""
    return _BARRIER.match(opcode) is not None


def is_fence(opcode: str) -> bool:
    """Tell whether it orders what stands around it without touching memory."""
    return opcode.startswith("fence.")


def ordered(ptx: str) -> str:
    """Return how the first ordered access is ordered, such as acquire; empty where none is.

    A fence counts: relaxed and a fence after it is an acquire, a fence before it a release.
    """
    found = [each for each in accesses(ptx) if not is_barrier(each)]
    place = next((n for n, each in enumerate(found) if not is_fence(each) and semantics(each)), -1)
    if place < 0 or semantics(found[place]) != "relaxed":
        return semantics(found[place]) if place >= 0 else ""
    later = [each for each in found[place + 1 :] if each != found[place]]  # a loop repeats it
    releases = place > 0 and _orders(found[place - 1], "release")
    acquires = bool(later) and _orders(later[0], "acquire")
    if releases and acquires:
        return "acq_rel"
    return "release" if releases else "acquire" if acquires else "relaxed"


def _orders(opcode: str, wanted: str) -> bool:
    return is_fence(opcode) and semantics(opcode) in (wanted, "acq_rel")


def shape(ptx: str) -> str:
    """Return the order in short: st; bar.sync; atom.acq_rel; bar.sync."""
    words = []
    for opcode in accesses(ptx):
        name = opcode.split(".", 1)[0]
        own = semantics(opcode)
        if is_barrier(opcode):
            words.append("bar.sync")
        elif own:
            words.append(f"{name}.{own}")
        else:
            words.append(f"{name}.shared" if ".shared" in opcode else name)
    return "; ".join(words)
