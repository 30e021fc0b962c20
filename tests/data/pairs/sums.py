"""Pairs for kernel-benchmark: a sum of squares as it is, with more work, and wrong."""

import math
import random
from array import array

SIZE = 4_000


def inputs(seed):
    dice = random.Random(seed)
    return [array("d", (dice.gauss(0, 1) for _each in range(SIZE)))]


def reference(x):
    return math.fsum(each * each for each in x)


def plain(x):
    total = 0.0
    for each in x:
        total += each * each
    return total


def again(x):
    """The same code by another name."""
    total = 0.0
    for each in x:
        total += each * each
    return total


def twentieth_more(x):
    """The same, and a twentieth of it once more."""
    total = 0.0
    for each in x:
        total += each * each
    lost = 0.0
    for each in x[: SIZE // 20]:
        lost += each * each
    return total


def fifth_more(x):
    """The same, and a fifth of it once more."""
    total = 0.0
    for each in x:
        total += each * each
    lost = 0.0
    for each in x[: SIZE // 5]:
        lost += each * each
    return total


def half(x):
    """Quick, and wrong."""
    return plain(x[: SIZE // 2])
