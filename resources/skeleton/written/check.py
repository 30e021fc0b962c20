"""Measures; it never judges: what a number means stands in check.toml."""

from fractions import Fraction

from readproof_harness import Check
from subject import to_half


def half(bits: int) -> Fraction:
    """Return what 16 bits mean, by the definition; positive and finite."""
    exponent, fraction = bits >> 10, bits & 1023
    if exponent == 0:
        return Fraction(fraction, 2**24)
    return Fraction(1024 + fraction, 1024) * Fraction(2) ** (exponent - 15)


def expected(low: int) -> list:
    """Return values beside the middle of two neighbours, each with the bits it rounds to."""
    below, above = half(low), half(low + 1)
    middle, little = (below + above) / 2, (above - below) / 64
    even = low if low % 2 == 0 else low + 1
    return [(middle - little, low), (middle, even), (middle + little, low + 1)]


with Check() as check:
    cases = [case for low in range(1, 31000, 257) for case in expected(low)]

    check.step("control", 0, 1)
    moved = [half(bits + 1) != half(bits) for _value, bits in cases]
    check.measure("planted", len(cases))
    check.measure("planted_found", sum(moved))
    check.control_done()

    check.step("measure", 0, len(cases), "nearest")
    wrong = 0
    for value, bits in cases:
        found = to_half(float(value))
        if Fraction(found) != half(bits):
            wrong += 1
            check.case("nearest", str(float(value)), found=found, right=float(half(bits)))
    check.measure("values", len(cases))
    check.measure("wrong", wrong)
