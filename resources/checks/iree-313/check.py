"""Compile with this leg's IREE what 3.13 says it brings, and time one pass of it."""

from __future__ import annotations

import matmul
import options
import quantised
import scaling
from readproof_harness import Check
from wheels import Iree

CLAIMS = (
    "ptx_version",
    "fp8",
    "fp8_everywhere",
    "fp8_sass",
    "plugin",
    "statistics",
    "qdq",
    "qdq_numbers",
    "scaling",
    "scaling_quadratic",
)


def main() -> None:
    """Measure what this leg's IREE does, and say what kept it from the rest."""
    with Check() as check:
        try:
            iree = Iree(check)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"[:300]
            for claim in CLAIMS:
                check.obstacle(claim, "import_failed", package="iree-base-compiler", said=said)
            return
        check.package("iree-base-compiler", iree.version)
        check.package("iree-base-runtime", iree.runtime)
        check.step("control")
        matmul.measure(check, iree)
        options.plugin(check, iree)
        options.statistics(check, iree)
        quantised.measure(check, iree)
        scaling.measure(check, iree)
        check.control_done()


if __name__ == "__main__":
    main()
