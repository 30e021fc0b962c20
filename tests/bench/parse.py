"""Bench of what a feed costs before the store: parsing, cleaning and text, in CPU seconds.

    python -m tests.bench.parse [FEEDS] [FOLDER OF FEEDS]

One thread, CPU seconds of the process, medians of five rounds over the shared corpus maker's
feeds of 40 entries (or a folder's). The reference (feedparser) reads every tenth feed in the same
rounds, and so does the quick way: their ratio does not depend on the machine.
"""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reader.model import ParsedFeed
from reader.parse import quick, read_feed
from reader.sanitise import clean_html, clean_text, images, text_of_clean
from tests.shared import shared_folder

ROUNDS = 5
EVERY = 10  # the reference takes too long for all feeds
MOST_SECONDS = 2.0
Body = tuple[str, bytes]


def bodies(folder: Path) -> list[Body]:
    """Return address and bytes of each feed."""
    files = sorted(file for file in folder.rglob("*") if file.suffix in (".xml", ".json"))
    return [(f"https://{each.stem}.example.org/feed.xml", each.read_bytes()) for each in files]


def made(feeds: int, folder: Path) -> list[Body]:
    """Return the feeds of the corpus maker."""
    shared = shared_folder()
    if shared is None or not (shared / "bench" / "make_corpus.py").exists():
        sys.exit("the maker of the corpus is not on this machine; give a folder of feeds")
    maker = shared / "bench" / "make_corpus.py"
    argv = [sys.executable, str(maker), str(folder), "--feeds", str(feeds), "--seed", "7"]
    subprocess.run([*argv, "--entries", "40"], check=True, stdout=subprocess.DEVNULL)
    return bodies(folder / "feeds")


def read(feeds: list[Body]) -> list[ParsedFeed]:
    """Read feeds as a sync does."""
    return [read_feed(body, content_type="application/xml", url=url) for url, body in feeds]


def one_round(feeds: list[Body], spent: Callable[[str, float], None]) -> None:
    """Take every feed through all stages, one after the other, keeping nothing."""
    taken = dict.fromkeys(("parse", "clean_html", "text", "titles, authors, images"), 0.0)
    for url, body in feeds:
        marks = [time.process_time()]
        entries = read_feed(body, content_type="application/xml", url=url).entries
        marks.append(time.process_time())
        cleaned = [clean_html(each.content_html, each.base_url or each.url) for each in entries]
        marks.append(time.process_time())
        for html in cleaned:
            text_of_clean(html)
        marks.append(time.process_time())
        for each, html in zip(entries, cleaned, strict=True):
            for words in (each.title, each.url or "", *each.authors, *each.categories):
                clean_text(words)
            images(html)
        marks.append(time.process_time())
        for stage, begun, ended in zip(taken, marks, marks[1:], strict=False):
            taken[stage] += ended - begun
    for stage, seconds in taken.items():
        spent(stage, seconds)
    spent("together", sum(taken.values()))


def compared(feeds: list[Body]) -> tuple[float, float]:
    """Return what the quick way and the reference take for the same feeds."""
    begun = time.process_time()
    ours = read(feeds)
    between = time.process_time()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick, "parse", lambda _text, _url: None)
        theirs = read(feeds)
    ended = time.process_time()
    if ours != theirs:
        sys.exit("the quick way and the reference differ")
    return between - begun, ended - between


def main() -> None:
    """Print the figures; exit 1 where all stages take longer than they may."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as folder:
        feeds = bodies(Path(sys.argv[2])) if len(sys.argv) > 2 else made(count, Path(folder))
    read(feeds[:1]), clean_html("<p>x")  # imports are no part of it
    stages: dict[str, list[float]] = {}
    pairs: list[tuple[float, float]] = []
    for _each in range(ROUNDS):
        gc.collect()
        one_round(feeds, lambda stage, seconds: stages.setdefault(stage, []).append(seconds))
        pairs.append(compared(feeds[::EVERY]))
    entries = sum(len(each.entries) for each in read(feeds))
    size = sum(len(body) for _url, body in feeds) / 1e6
    print(f"{len(feeds)} feeds, {entries} entries, {size:.1f} MB, median of {ROUNDS}, CPU seconds")
    for stage, seconds in stages.items():
        low, high = min(seconds), max(seconds)
        print(f"  {stage:24} {statistics.median(seconds):6.2f}  ({low:.2f} to {high:.2f})")
    fast, slow = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    print(f"  every {EVERY}th feed: quick {fast:.3f}, feedparser {slow:.3f}, ratio {ratio:.3f}")
    sys.exit(statistics.median(stages["together"]) > MOST_SECONDS)


if __name__ == "__main__":
    main()
