"""What a refused call has to be: one line that says what to do, in both languages, nothing lost."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from reader.model import Query, StoryKind
from reader.store import Store
from tests.command import Called, command, furnished

DAILY = """---
title: "Tiles, day {n}"
date: 2026-11-{n:02}
categories: [ai-compiler, daily]
generation_mode: "hand"
window_since: "2026-11-{n:02}T08:00:00+08:00"
cutoff_at: "2026-11-{n:02}T20:00:00+08:00"
---

# Tiles, day {n}

## 今日概览

The tiles of day {n}.

## 重点变化

### 1. Tile {n} keeps its registers

Tile {n} no longer spills on sm_90.

**涉及层级：** `kernel_codegen`

**来源：** [原始来源 1](https://github.com/example/tiles/releases/tag/v{n})

**事件评分：** 70.5/100
"""


def marked(path: Path) -> Path:
    """Return a store with something of the user's in it."""
    furnished(path)
    with Store.open(path) as store:
        store.marks.set(["i1"], starred=True, add_tags=("spills",), note="try on the old card")
        store.queue.add("i1", priority=2)
    return path


def held(path: Path) -> dict[str, object]:
    """Return everything of the user's in a store, and the title of every story."""
    kinds = (StoryKind.ITEM, StoryKind.ENTRY, StoryKind.DIGEST)
    file = path.parent / "held.zip"
    with Store.open(path) as store:
        rows = store.library.page(Query(kinds=kinds, limit=10_000))
        store.export_data(file)
    with zipfile.ZipFile(file) as archive:
        members = {
            name: archive.read(name) for name in archive.namelist() if name != "manifest.json"
        }
    file.unlink()
    return {**members, "titles": [(row.id, row.title) for row in rows]}


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """Whatever happens inside, the store holds afterwards what it held."""
    before = held(path)
    yield
    assert held(path) == before


def one_line(called: Called, code: int = 1) -> str:
    """Return the one line that a refused call says."""
    assert called.code == code, (called.code, called.out, called.err)
    lines = called.err.strip().splitlines()
    assert len(lines) == 1, called.err
    assert "Traceback" not in called.err
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lines[0])
    return lines[0]


def both(
    *words: str | Path,
    store: Path | None = None,
    env: Mapping[str, str | None] | None = None,
    through: Sequence[str] = (),
    code: int = 1,
) -> str:
    """Call in both languages, hold that each says its line, and return the English one."""
    english, chinese = (
        one_line(command("--lang", lang, *words, store=store, env=env, through=through), code)
        for lang in ("en", "zh")
    )
    assert re.search("[一-鿿]", chinese), chinese
    assert not re.search("[一-鿿]", english), english
    return english
