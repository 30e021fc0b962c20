"""Decode all scales of E8M0 in this leg's Triton, by its interpreter, and compare each."""

from __future__ import annotations

from itertools import product

from decoding import ENCODINGS, defined, told, wrong
from interpreted import ONES, TWO, decoded
from readproof_harness import Check

CLAIMS = ("all_right", "ends_corrected", "middle_same")
SIDES = ("left", "right")
ENDS = (0x00, 0xFF)


def main() -> None:
    """Measure what this leg's Triton does, and say what kept it from the rest."""
    with Check() as check:
        try:
            import numpy
            import triton
        except Exception as error:
            said = f"{type(error).__name__}: {error}"[:300]
            for claim in CLAIMS:
                check.obstacle(claim, "import_failed", package="triton", said=said)
            return
        check.package("triton", str(triton.__version__))
        check.package("numpy", str(numpy.__version__))
        control(check)
        decode(check)


def control(check: Check) -> None:
    """Known mistakes have to be found in a list, and the scale of two told from that of one."""
    check.step("control")
    right = [defined(each) for each in ENCODINGS]
    check.measure("right_found", len(wrong(right)))
    check.measure("planted_found", len(wrong([0.0, *right[1:255], float("inf")])))
    check.measure("shifted_found", len(wrong([*right[1:], right[0]])))
    try:
        once, twice = decoded("left", "bf16"), decoded("left", "bf16", TWO)
        check.measure("doubled_found", sum(a != b for a, b in zip(once, twice, strict=True)))
    except Exception as error:
        check.log(f"control: {error}"[:2000])
        return  # the control has not been run to its end
    check.control_done()


def decode(check: Check) -> None:
    """Decode every encoding on either side of a product, in every format."""
    ways = list(product(SIDES, ONES))
    wrong_in_all: set[int] = set()
    at_ends: dict[int, list[str]] = {end: [] for end in ENDS}
    wrong_at = dict.fromkeys(ENDS, 0)
    counted = middle = 0
    lines = ["side,format,encoding,decoded,defined"]
    for done, (side, form) in enumerate(ways):
        check.step("measure", done, len(ways), "all_right")
        try:
            found = decoded(side, form)
        except Exception as error:
            said = f"{side} {form}: {type(error).__name__}: {error}"
            check.log(said[:2000])
            for claim in CLAIMS:
                check.obstacle(claim, "tool_failed", tool="TRITON_INTERPRET=1", said=said[-300:])
            return
        mistaken = wrong(found)
        counted += len(mistaken)
        wrong_in_all |= set(mistaken)
        middle += len(set(mistaken) - set(ENDS))
        for end in ENDS:
            wrong_at[end] += end in mistaken
            at_ends[end].append(told(found[end]))
        lines += [f"{side},{form},0x{n:02X},{found[n]!r},{defined(n)!r}" for n in ENCODINGS]
        check.case(
            "all_right",
            f"{form} {side}",
            wrong=len(mistaken),
            encodings=hexadecimal(mistaken),
            at_00=told(found[0x00]),
            at_ff=told(found[0xFF]),
        )
    check.artefact("decoded.csv", "\n".join(lines))
    check.measure("ways", len(ways))
    check.measure("decoded", len(ways) * len(ENCODINGS))
    check.measure("wrong", counted)
    check.measure("wrong_encodings", hexadecimal(sorted(wrong_in_all)) or "–")
    check.measure("middle_wrong", middle)
    check.measure("wrong_00", wrong_at[0x00])
    check.measure("wrong_ff", wrong_at[0xFF])
    check.measure("value_00", ", ".join(sorted(set(at_ends[0x00]))))
    check.measure("value_ff", ", ".join(sorted(set(at_ends[0xFF]))))


def hexadecimal(encodings: list[int]) -> str:
    """Return encodings as one writes them; of many only the first."""
    text = ", ".join(f"0x{each:02X}" for each in encodings[:8])
    return f"{text} …" if len(encodings) > 8 else text


if __name__ == "__main__":
    main()
