"""A short CompileIQ search over ptxas controls for fewer spills; prints one JSON document.

In a process of its own: the package is heavy, and its search space may have to be fetched.
Arguments: ptxas, target, PTX, folder to work in, release, generations.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

POOL = 16
WORST = 1e9  # the score of what ptxas refuses


def spills(ptxas: str, arch: str, ptx: str, controls: Path | None, out: Path) -> int:
    """Return the bytes spilled, -1 where ptxas refuses."""
    words = [ptxas, f"-arch={arch}", "-v", "-maxrregcount=32", ptx, "-o", str(out)]
    if controls is not None:
        words += ["--apply-controls", str(controls)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    said = re.search(
        r"(\d+) bytes spill stores, (\d+) bytes spill loads", ended.stdout + ended.stderr
    )
    return int(said[1]) + int(said[2]) if said and ended.returncode == 0 else -1


def space(release: str) -> tuple[Any, str]:
    """Return the search space and its release: that of the ptxas, else the catalogue's first."""
    from compileiq.search_spaces.compilers import PtxasSearchSpace

    failures = []
    for version in dict.fromkeys((release, "13.3")):
        try:
            provider = PtxasSearchSpace(version=version)
            provider.retrieve()
        except Exception as error:
            failures.append(f"{version}: {type(error).__name__}: {error}"[:200])
        else:
            return provider, version
    raise LookupError("; ".join(failures))


def search(
    provider: Any, score: Any, folder: Path, generations: int, pool: int = POOL
) -> list[tuple[float, Any]]:
    """Ask CompileIQ for candidates, score each, and return all with their scores."""
    from compileiq.ciq import Search
    from compileiq.types import WorkerTypes
    from compileiq.utils.validation import Score

    engine = Search(
        objective_function=lambda _params: 0.0,
        search_space=provider,
        search_config={"generations": generations, "pool_size": pool},
        worker_type=WorkerTypes.MANUAL,
        cache_folder=folder / "cache",
    )
    found: list[tuple[float, Any]] = []
    for _generation in range(generations):
        asked = engine.ask()
        scored = [(float(score(each.params)), each) for each in asked]
        found += [(value, each.params) for value, each in scored]
        engine.tell(
            [Score(param_id=each.param_id, score=value, num_objectives=1) for value, each in scored]
        )
    return found


def known(folder: Path) -> float:
    """Return the best of a search whose answer is known: the least of (x - 700)²."""
    from compileiq.search_spaces import base

    scored = search(
        {"x": base.range(0, 1023, 1)}, lambda p: (p["x"] - 700) ** 2, folder, generations=4, pool=8
    )
    return min(value for value, _params in scored)


def main(words: list[str]) -> dict[str, Any]:
    """Search, keep the best file, and say what each candidate gave."""
    ptxas, arch, ptx, place, release, generations = words
    folder = Path(place)
    found: dict[str, Any] = {"known": known(folder)}
    try:
        provider, version = space(release)
    except LookupError as error:
        return found | {"space": "", "said": str(error)}
    before = spills(ptxas, arch, ptx, None, folder / "plain.cubin")
    file = folder / "candidate.acf"

    def score(params: Any) -> float:
        file.write_bytes(bytes.fromhex(params))
        got = spills(ptxas, arch, ptx, file, folder / "candidate.cubin")
        return got if got >= 0 else WORST

    scored = search(provider, score, folder, int(generations))
    taken = [(value, params) for value, params in scored if value < WORST]
    best = min(taken, key=lambda each: each[0], default=(float(before), ""))
    if best[1]:
        (folder / "best.acf").write_bytes(bytes.fromhex(best[1]))
    return found | {
        "space": version,
        "before": before,
        "after": int(best[0]),
        "candidates": len(scored),
        "taken": len(taken),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1:])))
