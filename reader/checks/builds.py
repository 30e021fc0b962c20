"""How long an environment will take to build: by this machine's own earlier builds, else a guess.

Every build that comes to its end leaves a line beside the environments; the guess before the
first one names the line speed it stands on.
"""

from __future__ import annotations

import json
import math
import os
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from reader.language import _

FILE = "builds.json"
KEPT = 20
FIXED = 8.0  # seconds for the empty environment and the first import, whatever its size
SMALL_MB = 20  # below it a build says nothing of the line
# The share of its size that is fetched (triton 3.9.0: wheels of 286 MB make 1,025)
PACKED = 0.3
LINE_MBIT = 50  # a plain home line, where nothing is known of this one
UNPACK_MB = 60.0  # a second, onto an SSD
RECENT = 5


@dataclass(frozen=True, slots=True)
class Built:
    """One build that came to its end: what (its install key), how large, how long."""

    key: str
    mb: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds a build will take, and how many builds here that stands on; 0: on a guess."""

    seconds: float
    builds: int
    same: bool = False  # this very environment was built here before

    def __str__(self) -> str:
        """Say it with what it stands on, in the language in use."""
        time = spoken(self.seconds)
        if self.same:
            return _("about {time}, as it took here before").format(time=time)
        if self.builds:
            text = _("about {time}, reckoned from what was built on this machine before: {n}")
            return text.format(time=time, n=self.builds)
        text = _("about {time} on a line of {mbit} Mbit/s, a guess: nothing was built here yet")
        return text.format(time=time, mbit=LINE_MBIT)


def spoken(seconds: float) -> str:
    """Return a time as one says it: five-second steps below 90 s, then minutes, rounded up."""
    if seconds <= 90:
        return _("{n} s").format(n=max(5, math.ceil(seconds / 5) * 5))
    return _("{n} min").format(n=math.ceil(seconds / 60))


def estimate(wanted: Sequence[tuple[str, int]], before: Sequence[Built]) -> Estimate:
    """Return how long it takes to build these (install key, MB) one after another. Pure."""
    known = {each.key: each.seconds for each in before}
    if wanted and all(key in known for key, _mb in wanted):
        return Estimate(sum(known[key] for key, _mb in wanted), len(before), same=True)
    speeds = [each.mb / max(each.seconds - FIXED, 1.0) for each in before if each.mb >= SMALL_MB][
        -RECENT:
    ]
    speed = statistics.median(speeds) if speeds else 1 / (PACKED / (LINE_MBIT / 8) + 1 / UNPACK_MB)
    seconds = sum(known.get(key, FIXED + mb / speed) for key, mb in wanted)
    return Estimate(seconds, len(speeds))


def earlier(root: Path) -> list[Built]:
    """Return the builds recorded under `root`, oldest first; what does not read is left out."""
    try:
        rows = json.loads((root / FILE).read_text(encoding="utf-8"))
        return [
            Built(str(row["key"]), int(row["mb"]), float(row["seconds"]))
            for row in rows
            if float(row["seconds"]) > 0 and int(row["mb"]) >= 0
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def record(root: Path, built: Built) -> None:
    """Keep what a build took; a disk that refuses only costs the next estimate."""
    rows = [asdict(each) for each in [*earlier(root), built][-KEPT:]]
    temporary = root / f"{FILE}.{os.urandom(4).hex()}.new"
    try:
        temporary.write_text(json.dumps(rows), encoding="utf-8")
        temporary.replace(root / FILE)
    except OSError:
        temporary.unlink(missing_ok=True)
