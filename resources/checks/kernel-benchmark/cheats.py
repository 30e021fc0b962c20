"""Kernels that look fast and are not: each has to be caught, and the honest one let through."""

from __future__ import annotations

import math
import random
import threading
import time
from array import array
from typing import Any

SIZE = 2_000
Vector = Any  # array("d"): 3.9 cannot subscript it


def inputs(seed: int) -> list[Vector]:
    """Return one vector of random numbers."""
    dice = random.Random(seed)
    return [array("d", (dice.gauss(0, 1) for _each in range(SIZE)))]


def honest(x: Vector) -> Vector:
    """Return each number's sine and square: the reference too."""
    return array("d", (math.sin(each) + each * each for each in x))


def wrong_tail(x: Vector) -> Vector:
    """Leave out the last numbers."""
    result = honest(x)
    result[-1] = 0.0
    return result


def rounded(x: Vector) -> Vector:
    """Compute in less than it says."""
    return array("d", array("f", honest(x)))


def nothing(x: Vector) -> Vector:
    """Hand out memory that was never written."""
    return array("d", bytes(8 * len(x)))


class ByIdentity:
    """Keep a result for the memory the input lies in."""

    def __init__(self) -> None:
        self.kept: dict[int, tuple[Vector, Vector]] = {}

    def __call__(self, x: Vector) -> Vector:
        if id(x) not in self.kept:
            self.kept[id(x)] = (x, honest(x))  # the input too, so that its place is not used again
        return self.kept[id(x)][1][:]


class ByContent:
    """Keep a result for what the input holds."""

    def __init__(self) -> None:
        self.kept: dict[bytes, Vector] = {}

    def __call__(self, x: Vector) -> Vector:
        key = x.tobytes()
        if key not in self.kept:
            self.kept[key] = honest(x)
        return self.kept[key][:]


class OneOutput:
    """Hand out one output again and again."""

    def __init__(self) -> None:
        self.out = array("d", bytes(8 * SIZE))

    def __call__(self, x: Vector) -> Vector:
        self.out[:] = honest(x)
        return self.out


def in_place(x: Vector) -> Vector:
    """Write the result over the input."""
    x[:] = honest(x)
    return x


def later(x: Vector) -> Vector:
    """Come back before the work is done."""
    result = honest(x)
    threading.Thread(target=time.sleep, args=(2.0,), daemon=True).start()
    return result


def all_of_them() -> dict[str, Any]:
    """Return every cheat by name, none of which remembers anything yet."""
    return {
        "wrong tail": wrong_tail,
        "too few bits": rounded,
        "nothing done": nothing,
        "kept by place": ByIdentity(),
        "kept by content": ByContent(),
        "one output": OneOutput(),
        "in place": in_place,
        "later": later,
    }
