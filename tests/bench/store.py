"""Bench of the store: how saving, listing, filtering, counting and searching grow with the rows.

    python -m tests.bench.store [ROWS] [FOLDER]

Prints medians in milliseconds and, since machines differ, the ratio to one row looked up by its
id. A page that grew with the store would show in the last column: the same on a tenth of the rows.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from reader.model import Evidence, Incoming, Labels, Layer, Order, ParsedEntry, Query, StoryKind
from reader.store import Store
from tests.stories import NOW, arriving, digest, item

WORDS = ("kernel", "triton", "tile", "warp", "spill", "register", "scheduler", "fusion", "layout")
HAN = "寄存器调度算子融合图优化张量核心编译后端共享内存流水线分块"
NODES = ("nvidia", "hopper", "sm_90", "blackwell", "amd", "cdna", "intel", "tpu", "cpu")
TIMES = 15


def entry(n: int, dice: random.Random) -> Incoming:
    """Return one entry of about 190 characters, a third of them Chinese."""
    words = " ".join(dice.choices(WORDS, k=16))
    han = "".join(dice.choices(HAN, k=40))
    rare = f" needle{n}" if n % 1000 == 0 else ""
    labels = Labels(
        layers=tuple(dice.sample(list(Layer), dice.randint(0, 3))),
        hardware=tuple(dice.sample(NODES, dice.randint(0, 3))),
        evidence=dice.choice(list(Evidence)),
    )
    said = ParsedEntry(
        title=f"Post {n} {dice.choice(WORDS)}",
        guid=f"post-{n}",
        url=f"https://blog.example.org/{n}",
        published=NOW - timedelta(minutes=n),
        content_html=f"<p>{words} {han}{rare} sm_{dice.randint(70, 120)}</p>",
    )
    return Incoming(said, labels)


def fill(store: Store, rows: int) -> float:
    """Save that many entries and a hundredth of items; return rows a second."""
    dice = random.Random(7)
    feed = store.feeds.add("https://blog.example.org/feed.xml").id
    taken, step = 0.0, 2000
    for first in range(0, rows, step):
        batch = [entry(n, dice) for n in range(first, min(first + step, rows))]
        begun = time.perf_counter()
        store.library.save(feed, batch, NOW)
        taken += time.perf_counter() - begun
    for day in range(rows // 1000):
        when = NOW - timedelta(days=day)
        stories = [item(f"Story {day} {n}", score=float(dice.randint(60, 99))) for n in range(10)]
        parsed = digest(*stories, cutoff_at=when, date=when.date(), title=f"Day {day}")
        store.library.save(None, [arriving(parsed, url=f"https://d.example.org/{day}")], NOW)
    return rows / taken


def asked(store: Store, rows: int) -> dict[str, Callable[[], object]]:
    """Return what is timed, by name."""
    every = Query(kinds=tuple(StoryKind))
    library = store.library
    middle = library.ids(replace(every, limit=None))[rows // 2]
    after = library.cursor(middle, every)
    page, text = library.page, replace(every, text="triton")
    return {
        "one by id": lambda: library.rows([middle]),
        "page, all": lambda: page(every),
        "page, from the middle": lambda: page(replace(every, after=after)),
        "page, items by score": lambda: page(Query(order=Order.SCORE)),
        "page, unread": lambda: page(replace(every, unread=True)),
        "page, starred": lambda: page(replace(every, starred=True)),
        "page, one layer": lambda: page(replace(every, layers=(Layer.RUNTIME,))),
        "page, two layers, hardware": lambda: page(
            replace(every, layers=(Layer.RUNTIME, Layer.FRONTEND), hardware=("hopper",))
        ),
        "page, tag": lambda: page(replace(every, tags=("rare",))),
        "search, common word": lambda: page(text),
        "search, two characters": lambda: page(replace(every, text="寄存")),
        "search, one character": lambda: page(replace(every, text="寄")),
        "search, rare word": lambda: page(replace(every, text="needle0")),
        "search, sm_90": lambda: page(replace(every, text="sm_90")),
        "search, in a layer": lambda: page(replace(text, layers=(Layer.RUNTIME,))),
        "search, ranked": lambda: page(replace(text, order=Order.RANK)),
        "ids of all": lambda: library.ids(every),
        "counts, all": lambda: library.counts(every),
        "counts, one layer": lambda: library.counts(replace(every, layers=(Layer.RUNTIME,))),
        "counts, search": lambda: library.counts(text),
        "mark one read": lambda: store.marks.undo(store.marks.set([middle], read=True)),
    }


def measure(folder: Path, rows: int) -> dict[str, float]:
    """Return medians in milliseconds on a store of that many entries."""
    found: dict[str, float] = {}
    with Store.open(folder / f"{rows}.db") as store:
        found["saved rows a second"] = fill(store, rows)
        ids = store.library.ids(Query(kinds=(StoryKind.ENTRY,)))
        store.marks.set(ids[:: max(1, rows // 50)], starred=True, add_tags=["rare"])
        for name, ask in asked(store, rows).items():
            times = []
            for _again in range(TIMES):
                begun = time.perf_counter()
                ask()
                times.append((time.perf_counter() - begun) * 1000)
            found[name] = statistics.median(times)
        found["megabytes"] = store.path.stat().st_size / 1e6
    return found


def main() -> None:
    """Measure two sizes and print them side by side."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        small = measure(Path(folder), rows // 10)
        large = measure(Path(folder), rows)
    unit = large["one by id"]
    print(f"{'':30}{rows:>12,} rows{'x one by id':>14}{'x a tenth of the rows':>24}")
    for name, value in large.items():
        ratio = "" if name in ("megabytes", "saved rows a second") else f"{value / unit:14.1f}"
        print(f"{name:30}{value:17.2f}{ratio:>14}{value / small[name]:24.1f}")


if __name__ == "__main__":
    main()
