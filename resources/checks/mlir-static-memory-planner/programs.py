"""Random programs of buffers that come and go, and what a planner made of them; pure."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BYTES = {"i8": 1, "f16": 2, "f32": 4, "i64": 8}
ALIGNMENTS = (0, 0, 0, 16, 64)  # 0: none is asked for


@dataclass(frozen=True)
class Buffer:
    """One buffer of a program: it lives from the event `born` until before the event `dies`."""

    elements: int
    element: str
    align: int
    born: int
    dies: int

    @property
    def size(self) -> int:
        """Its bytes."""
        return self.elements * BYTES[self.element]

    @property
    def kind(self) -> str:
        """Its type."""
        return f"memref<{self.elements}x{self.element}>"


@dataclass(frozen=True)
class Plan:
    """What the pass wrote: the arena's bytes, and where in it each buffer lies, in their order."""

    arena: int
    arena_align: int
    offsets: tuple[int, ...]
    kinds: tuple[str, ...]
    left: int  # allocations and deallocations that are still there, but for the arena's
    freed: bool  # whether the arena itself is


def generated(seed: int) -> list[Buffer]:
    """Return the buffers of one random program, in the order of their allocation."""
    draw = random.Random(seed)  # noqa: S311 - a program, no secret
    count = draw.randint(12, 28)
    born: list[int] = []
    dies: dict[int, int] = {}
    live: list[int] = []
    event = 0
    while len(dies) < count:
        if len(born) < count and (not live or draw.random() < 0.75):
            live.append(len(born))
            born.append(event)
        else:
            dies[live.pop(draw.randrange(len(live)))] = event
        event += 1
    return [
        Buffer(
            elements=max(1, int(draw.lognormvariate(5.5, 0.9))),
            element=draw.choice(list(BYTES)),
            align=draw.choice(ALIGNMENTS),
            born=start,
            dies=dies[number],
        )
        for number, start in enumerate(born)
    ]


def written(buffers: Sequence[Buffer], alloc: Callable[[str, int], str]) -> str:
    """Return the program: every buffer is allocated, used and freed at its events."""
    events: dict[int, str] = {}
    for number, each in enumerate(buffers):
        use = f'"test.use"(%b{number}) : ({each.kind}) -> ()'
        events[each.born] = f"  %b{number} = {alloc(each.kind, each.align)}\n  {use}"
        events[each.dies] = f"  memref.dealloc %b{number} : {each.kind}"
    lines = [events[at] for at in sorted(events)]
    return "\n".join(["func.func @program() {", *lines, "  return", "}", ""])


def peak(buffers: Sequence[Buffer]) -> int:
    """Return the most bytes that are alive at one time: no planner can do with less."""
    return max(sum(b.size for b in buffers if b.born <= each.born < b.dies) for each in buffers)


def read(text: str) -> Plan | None:
    """Return the plan that a rewritten function stands for; None where there is no arena."""
    constants = {
        name: int(value)
        for name, value in re.findall(r"(%[\w#]+) = arith\.constant (\d+) : index", text)
    }
    views = re.findall(
        r"= memref\.view (%\w+)\[(%\w+)\]\[\] : memref<(\d+)xi8> to (memref<[^>]*>)", text
    )
    if not views or len({(arena, size) for arena, _at, size, _kind in views}) != 1:
        return None
    arena, size = views[0][0], int(views[0][2])
    made = re.search(rf"{re.escape(arena)} = [^\n]*memref\.alloc[^\n]*", text)
    align = re.search(r"alignment = (\d+)", made.group()) if made else None
    freed = re.search(rf"memref\.dealloc {re.escape(arena)} ", text) is not None
    others = len(re.findall(r"memref\.(?:alloc|dealloc)\b", text)) - (made is not None) - freed
    return Plan(
        arena=size,
        arena_align=int(align.group(1)) if align else 1,
        offsets=tuple(constants[at] for _arena, at, _size, _kind in views),
        kinds=tuple(kind for _arena, _at, _size, kind in views),
        left=others,
        freed=freed,
    )


def whole(plan: Plan | None, buffers: Sequence[Buffer]) -> bool:
    """Whether every buffer of the program, and nothing else, lies in one arena."""
    wanted = tuple(each.kind for each in buffers)
    return plan is not None and not plan.left and plan.kinds == wanted


def overlaps(buffers: Sequence[Buffer], offsets: Sequence[int]) -> int:
    """Count the pairs that are alive at one time and share a byte."""
    placed = list(zip(buffers, offsets, strict=True))
    return sum(
        a.born < b.dies and b.born < a.dies and x < y + b.size and y < x + a.size
        for number, (a, x) in enumerate(placed)
        for b, y in placed[:number]
    )


def misplaced(buffers: Sequence[Buffer], plan: Plan) -> int:
    """Count the buffers that leave the arena or lie where their alignment does not allow."""
    return sum(
        at + each.size > plan.arena
        or bool(at % (each.align or 1))
        or bool(plan.arena_align % (each.align or 1))
        for each, at in zip(buffers, plan.offsets, strict=True)
    )


def spoiled(buffers: Sequence[Buffer], offsets: Sequence[int]) -> list[int]:
    """Return the offsets with one buffer moved onto another of the same time: a planted fault."""
    moved = list(offsets)
    for number, a in enumerate(buffers):
        for other, b in enumerate(buffers[:number]):
            if a.born < b.dies and b.born < a.dies:
                moved[number] = offsets[other] + b.size - 1  # one byte of it
                return moved
    return moved
