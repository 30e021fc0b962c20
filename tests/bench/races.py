"""Bench of kernel-benchmark itself: whole runs of the same against itself, and of planted slowness.

    python -m tests.bench.races [RUNS]

Prints each share with its exact 95 % interval, and the seconds of a run.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from reader import runner
from reader.model import VerdictKind
from tests.bench.verdicts import limits

PAIRS = Path(__file__).parents[1] / "data" / "pairs" / "sums.py"


def verdict(store: Path, candidate: str, baseline: str, seed: int) -> VerdictKind:
    """Return what one run says of a candidate being faster."""
    chosen = (("candidate", f"{PAIRS}:{candidate}"), ("baseline", f"{PAIRS}:{baseline}"))
    options = runner.RunOptions(
        python=sys.executable, parameters=chosen, seed=seed, check_folders=()
    )
    done = runner.run_check(store, "kernel-benchmark", options=options)
    return {each.claim: each.verdict for each in done.verdicts}["faster"]


def main() -> None:
    """Print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    rows = (
        # what is run, which of it is faster, which verdict is wrong, which is found
        ("A/A", "again", "plain", VerdictKind.CONFIRMED, None),
        ("+5 %, slower", "twentieth_more", "plain", VerdictKind.CONFIRMED, VerdictKind.REFUTED),
        ("+5 %, faster", "plain", "twentieth_more", VerdictKind.REFUTED, VerdictKind.CONFIRMED),
    )
    with TemporaryDirectory() as folder:
        for name, candidate, baseline, wrong, right in rows:
            began = time.monotonic()
            said = [verdict(Path(folder, "s.db"), candidate, baseline, n) for n in range(runs)]
            spent = (time.monotonic() - began) / runs
            for word, kind in (("wrong", wrong), ("found", right)):
                if kind is not None:
                    low, high = limits(said.count(kind), runs)
                    share = f"{said.count(kind)}/{runs} ({low:.1%} to {high:.1%})"
                    print(f"{name:14}{word:7}{share:28}{spent:5.1f} s a run", flush=True)
            print(f"{'':14}{dict(Counter(each.value for each in said))}", flush=True)


if __name__ == "__main__":
    main()
