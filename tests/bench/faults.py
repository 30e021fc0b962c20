"""Every fault mode of the shared loopback server: memory, requests, time and lost entries.

    python -m tests.bench.faults [MODE...]

A store that knows four feeds is synced while the first of them misbehaves, then once more when
it has come to its senses. Printed for each mode: how the feed was called, seconds and peak memory
of the whole process and what that is over a sync of healthy feeds, requests for the feed, entries
that are missing after the fault and after the recovery, and entries the fault brought. Exits 1
where one was lost, a neighbour failed, or a limit was passed.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from reader.fetch import MOST_REDIRECTS, WHOLE_SECONDS
from reader.model import Query, StoryKind
from reader.store import Store
from tests.bench.sync import Taken, addresses, measured, ours
from tests.shared import shared_folder

FEEDS = 4
MOST_MB = 80.0  # over what a sync of healthy feeds takes
SLACK = 15.0  # seconds for start, parsing and storing


@contextmanager
def served(bench: Path, corpus: Path) -> Iterator[str]:
    """Serve a corpus, at once and without waiting; yield the server's address."""
    argv = [sys.executable, str(bench / "feed_server.py"), "--corpus", str(corpus)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        try:
            yield f"http://127.0.0.1:{ready['ports'][0]}"
        finally:
            process.terminate()


def free_port() -> int:
    """Return a port nobody listens on, with room for a few hosts behind it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1]) % 20_000 + 20_000


def control(server: str, verb: str, **more: str) -> dict[str, Any]:
    """Turn a knob of the server."""
    with urllib.request.urlopen(f"{server}/__ctl/{verb}?{urlencode(more)}", timeout=30) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def entries(path: Path) -> set[str]:
    """Return the ids of all posts that are kept."""
    with Store.open(path) as store:
        return set(store.library.ids(Query(kinds=(StoryKind.ENTRY,), limit=None)))


def health(path: Path) -> tuple[str, bool]:
    """Return how the first feed is called, and whether its neighbours are well."""
    with Store.open(path) as store:
        first, *others = store.feeds.all()
        return str(first.health), all(each.error is None for each in others)


def sync(path: Path, home: Path) -> Taken:
    """Sync a store as a person would."""
    return measured(ours(path, "sync", "--force"), home)


def tried(mode: str, server: str, whole: Path, home: Path, plain: Taken) -> tuple[str, bool]:
    """Return the line of one mode, and whether it held."""
    path = home / f"{mode}.db"
    shutil.copyfile(whole, path)
    before = entries(path)
    control(server, "fault", id="f0000", mode=mode)
    control(server, "mark", label=mode)
    taken = sync(path, home)
    asked = control(server, "stats")["max_per_feed"]
    called, well = health(path)
    after = entries(path)
    control(server, "fault", id="f0000", mode="")
    sync(path, home)
    healed, recovered = entries(path), health(path)[0]
    lost, still = len(before - after), len(before - healed)
    held = (
        well
        and not lost
        and not still
        and recovered not in ("failed", "gone")
        and taken.peak - plain.peak <= MOST_MB
        and taken.wall <= WHOLE_SECONDS + SLACK
        and asked <= MOST_REDIRECTS + 2
    )
    path.unlink()
    return (
        f"{mode:10}{called:11}{taken.wall:7.1f}{taken.cpu:7.1f}{taken.peak:8.1f}"
        f"{taken.peak - plain.peak:8.1f}{asked:6}{lost:6}{still:7}{len(after - before):7}"
        f"  {'well' if well else 'HURT':6}{recovered:11}{'' if held else 'NO'}"
    ), held


def main() -> int:
    """Print the table."""
    shared = shared_folder()
    if shared is None:
        raise SystemExit("the shared inputs are not on this machine")
    bench, begun = shared / "bench", time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        home, corpus = Path(folder), Path(folder) / "corpus"
        make = [sys.executable, str(bench / "make_corpus.py"), str(corpus), "--feeds", str(FEEDS)]
        make += ["--port", str(free_port())]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        with served(bench, corpus) as server:
            whole = home / "whole.db"
            with Store.open(whole) as store:
                for url in addresses(corpus):
                    store.feeds.add(url, private=True)
            sync(whole, home)
            plain = sync(whole, home)
            modes = sys.argv[1:] or list(control(server, "modes"))
            print(f"{len(entries(whole))} entries; a healthy sync: {plain.peak:.1f} MB")
            print(
                f"{'mode':10}{'called':11}{'wall s':>7}{'cpu s':>7}{'peak MB':>8}{'over':>8}"
                f"{'asked':>6}{'lost':>6}{'later':>7}{'brought':>8} {'others':6} afterwards"
            )
            good = True
            for mode in modes:
                line, held = tried(mode, server, whole, home, plain)
                print(line, flush=True)
                good = good and held
    print(
        f"{time.monotonic() - begun:.0f} s; {'every mode held' if good else 'NOT every mode held'}"
    )
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
