"""Bench of a sync as a person runs it: first, unchanged, one feed changed; beside sfeed.

    python -m tests.bench.sync [ROUNDS] [FEEDS]

Needs the shared inputs (corpus maker and loopback server, 50 ms before every answer). Everything
is a whole process: start, fetch, parse, sanitise, label, store, index. Prints medians of one run
and ratios within it: to sfeed, where it is installed (it writes text files only), and to our own
first sync. Memory is the peak of the process alone (VmHWM), and the most that it and the processes
it started held together.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.shared import shared_folder

ROOT = Path(__file__).parents[2]
LATENCY = 50  # ms


@dataclass(frozen=True)
class Taken:
    """What one process took: seconds by the clock and of the processors, MiB at most."""

    wall: float
    cpu: float
    peak: float
    together: float  # MiB, with the processes it started


def measured(argv: list[str], home: Path) -> Taken:
    """Run a program with a home of its own to its end."""
    env = {**os.environ, "HOME": str(home), "NO_COLOR": "1"}
    env |= {f"XDG_{name}_HOME": str(home / name) for name in ("DATA", "CONFIG", "CACHE")}
    begun, before = time.perf_counter(), os.times()
    quiet = subprocess.DEVNULL
    with subprocess.Popen(argv, env=env, cwd=ROOT, stdout=quiet, stderr=quiet) as process:
        peak = [0.0, 0.0]
        watch = threading.Thread(target=_watch, args=(process, peak))
        watch.start()
        process.wait()
        wall = time.perf_counter() - begun
        watch.join()
    after = os.times()
    cpu = after.children_user + after.children_system
    return Taken(wall, cpu - before.children_user - before.children_system, *peak)


def _watch(process: subprocess.Popen[bytes], peak: list[float]) -> None:
    it = psutil.Process(process.pid)
    while process.poll() is None:
        with suppress(psutil.Error, OSError):
            held = [_status(each.pid, "VmRSS") for each in it.children(recursive=True)]
            peak[0] = max(peak[0], _status(it.pid, "VmHWM"))
            peak[1] = max(peak[1], _status(it.pid, "VmRSS") + sum(held))
        time.sleep(0.02)


def _status(pid: int, name: str) -> float:
    """Return a figure of a process's memory, in MiB."""
    found = re.search(rf"{name}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


@contextmanager
def served(bench: Path, corpus: Path) -> Iterator[None]:
    """Serve a corpus while inside."""
    server = [sys.executable, str(bench / "feed_server.py"), "--latency-ms", str(LATENCY)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        [*server, "--corpus", str(corpus)], stdout=quiet, stderr=quiet
    ) as process:
        try:
            _await(addresses(corpus)[-1])
            yield
        finally:
            process.terminate()


def addresses(corpus: Path) -> list[str]:
    """Return the addresses of a corpus's feeds."""
    return re.findall(r'xmlUrl="([^"]+)"', (corpus / "feeds.opml").read_text("utf-8"))


def _await(url: str) -> None:
    for _attempt in range(300):
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except (OSError, urllib.error.URLError):
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the loopback server did not start")


def ours(store: Path, *words: str) -> list[str]:
    """Return our command line."""
    return [sys.executable, "-m", "reader", "--store", str(store), *words]


def round_of(bench: Path, corpora: list[Path], home: Path) -> dict[str, Taken]:
    """Run everything once."""
    shutil.rmtree(home, ignore_errors=True)
    (home / "feeds").mkdir(parents=True)
    store, taken = home / "s.db", {}
    with served(bench, corpora[0]):
        if shutil.which("sfeed_update"):
            lines = [f"  feed f{n} {url}" for n, url in enumerate(addresses(corpora[0]))]
            config = ['sfeedpath="$HOME/feeds"', "maxjobs=8", "feeds() {", *lines, "}"]
            (home / "sfeedrc").write_text("\n".join(config) + "\n")
            taken["sfeed, first"] = measured(["sfeed_update", str(home / "sfeedrc")], home)
        measured(ours(store, "import", str(corpora[0] / "feeds.opml")), home)
        taken["first"] = measured(ours(store, "sync", "--force"), home)
        taken["unchanged"] = measured(ours(store, "sync", "--force"), home)
    with served(bench, corpora[1]):
        taken["some changed"] = measured(ours(store, "sync", "--force"), home)
    return taken


def main() -> None:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    feeds = sys.argv[2] if len(sys.argv) > 2 else "300"
    shared = shared_folder()
    if shared is None:
        raise SystemExit("the shared inputs are not on this machine")
    bench = shared / "bench"
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        corpora = [here / "v0", here / "v1"]
        make = [sys.executable, str(bench / "make_corpus.py")]
        changed: tuple[list[str], ...] = (
            ["--update-fraction", str(1 / int(feeds)), "--new", "5", "--edit", "2"],
            [],
        )
        for corpus, more in zip(corpora, reversed(changed), strict=True):
            subprocess.run([*make, str(corpus), "--feeds", feeds, *more], check=True,
                           stdout=subprocess.DEVNULL)  # fmt: skip
        found = [round_of(bench, corpora, here / "home") for _each in range(rounds)]
    print(f"{feeds} feeds, medians of {rounds}, {LATENCY} ms before every answer")
    first = statistics.median(each["first"].wall for each in found)
    sfeed = [each["sfeed, first"].wall for each in found if "sfeed, first" in each]
    heads = ("wall s", "cpu s", "peak MB", "together", "/ first", "/ sfeed")
    widths = (8, 8, 9, 9, 9, 9)
    print(" " * 14 + "".join(map(str.rjust, heads, widths)))
    for name in found[0]:
        wall, cpu, peak, together = (
            statistics.median(getattr(each[name], what) for each in found)
            for what in ("wall", "cpu", "peak", "together")
        )
        beside = f"{wall / statistics.median(sfeed):9.2f}" if sfeed else f"{'-':>9}"
        memory = f"{peak:9.1f}{together:9.1f}"
        print(f"{name:14}{wall:8.2f}{cpu:8.2f}{memory}{wall / first:9.2f}{beside}")


if __name__ == "__main__":
    main()
