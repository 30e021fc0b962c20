"""A real attempt to profile: a small program under ncu, and what ncu says of it."""

from __future__ import annotations

import csv
import statistics
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from readproof_harness import Check

DENIED = "ERR_NVGPUCTRPERM"
# The smallest set that can name what limits a kernel, and the fixed ones that ncu offers.
SETS = {
    "small": ["--section", "SpeedOfLight"],
    "basic": ["--set", "basic"],
    "full": ["--set", "full"],
}
MEMORY, COMPUTE = "Memory Throughput", "Compute (SM) Throughput"
ROUNDS = 3


class Said:
    """What one run of ncu said: whether counters came, or were denied, and the limiters."""

    def __init__(self, output: str) -> None:
        self.denied = DENIED in output
        self.limiters: dict[str, str] = {}
        shares: dict[str, dict[str, float]] = {}
        for kernel, metric, unit, value in rows(output):
            if metric in (MEMORY, COMPUTE) and unit == "%":
                shares.setdefault(kernel, {})[metric] = value
        for kernel, found in shares.items():
            if len(found) == 2:
                memory = found[MEMORY] >= found[COMPUTE]
                self.limiters[kernel] = "memory" if memory else "compute"

    @property
    def counters(self) -> bool:
        """Whether the counters of at least one kernel came back."""
        return bool(self.limiters) and not self.denied


def rows(output: str) -> list[tuple[str, str, str, float]]:
    """Return kernel, metric, unit and value of each row of `ncu --csv`."""
    lines = output.splitlines()
    heads = [n for n, line in enumerate(lines) if line.startswith('"ID"')]
    if not heads:
        return []
    found = []
    for row in csv.DictReader(lines[heads[0] :]):
        try:
            value = float((row.get("Metric Value") or "").replace(",", ""))
        except ValueError:
            continue
        kernel = (row.get("Kernel Name") or "").split("(")[0]
        found.append((kernel, row.get("Metric Name") or "", row.get("Metric Unit") or "", value))
    return found


def build(check: Check) -> Path | str:
    """Build the program with the toolkit's nvcc: its path, or what nvcc said."""
    program = check.scratch / "probe"
    words = [
        (check.toolkit or {}).get("nvcc", "nvcc"),
        "-O2",
        str(check.folder / "probe.cu"),
        "-o",
        str(program),
    ]
    ended = check.run(words, seconds=120)
    return program if ended.returncode == 0 else (ended.stderr or ended.stdout)[-300:]


def profile(check: Check, ncu: str, program: str, section: list[str]) -> dict[str, Any]:
    """Run the program under ncu and return how it ended, with its seconds."""
    ended = check.run([ncu, "--csv", "--page", "details", *section, program], seconds=120)
    return {"exit": ended.returncode, "said": ended.stdout + ended.stderr, "seconds": ended.seconds}


def sets(check: Check, ncu: str, program: str) -> dict[str, Any]:
    """Time each set of sections and the bare run, in turn; keep what each set said."""
    seconds: dict[str, list[float]] = {"bare": [], **{name: [] for name in SETS}}
    said = {}
    for _round in range(ROUNDS):
        seconds["bare"].append(check.run([program], seconds=60).seconds)
        for name, section in SETS.items():
            ended = profile(check, ncu, program, section)
            seconds[name].append(ended["seconds"])
            said[name] = ended["said"]
    return {"seconds": seconds, "said": said}


def over_bare(seconds: dict[str, list[float]]) -> dict[str, float]:
    """Return each set's median time over that of the bare run."""
    bare = statistics.median(seconds["bare"])
    return {name: statistics.median(seconds[name]) / bare for name in SETS}
