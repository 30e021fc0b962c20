"""The command line as the outside sees it: a real process, its two streams, its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reader.model import (
    DigestKind,
    Evidence,
    Form,
    Incoming,
    Labels,
    Layer,
    ParsedDigest,
    ParsedEntry,
    ParsedItem,
    Source,
)
from reader.store import Store

AT = datetime(2026, 11, 3, 8, tzinfo=UTC)


@dataclass(frozen=True)
class Called:
    """What one call left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout; the call has to have succeeded."""
        assert self.code == 0, self.err
        return json.loads(self.out)


def command(
    *words: str | Path, store: Path | None = None, env: Mapping[str, str] | None = None
) -> Called:
    """Call `python -m reader` in English; no terminal, no display."""
    own = ["--store", str(store)] if store is not None else []
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONWARNINGS": "error"}
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-m", "reader", *own, *map(str, words)],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env=environment | dict(env or {}),
        cwd=Path(__file__).parents[1],
        timeout=120,
        check=False,
    )
    return Called(done.returncode, done.stdout.decode(), done.stderr.decode())


def furnished(path: Path) -> Path:
    """Return a store with one daily digest of two items and one ordinary post."""
    digest = ParsedDigest(
        kind=DigestKind.DAILY,
        form=Form.MARKDOWN,
        title="A day of tiles",
        date=AT.date(),
        window_since=AT,
        cutoff_at=AT,
        generation_mode="hand",
        overview="Two things moved.",
        watch=("tiles of odd width",),
        raw_counts=(("example/tiles", 2),),
        items=(
            ParsedItem(
                title="Tiles 2.1 keeps odd widths in registers",
                number=1,
                section="重点变化",
                summary="Odd widths no longer spill on sm_90a.",
                why="Spills cost more than the padding saved.",
                layers=(Layer.KERNEL_CODEGEN, Layer.HARDWARE_BACKEND),
                score=81.5,
                sources=(Source("release", "https://github.com/example/tiles/releases/tag/v2.1"),),
            ),
            ParsedItem(title="一篇关于调度的论文", number=2, summary="寄存器压力。", score=70.0),
        ),
    )
    labels = (
        Labels((Layer.KERNEL_CODEGEN,), ("sm_90a", "hopper", "nvidia"), Evidence.CODEGEN),
        Labels((Layer.OPTIMIZATION,), (), Evidence.NONE),
    )
    hostile = "A post \x1b[31mwith\x1b[0m \u202ea title\x07"
    with Store.open(path) as store:
        store.library.save(
            None,
            [
                Incoming(
                    ParsedEntry(
                        "A day of tiles", guid="day", published=AT, content_html="<p>d</p>"
                    ),
                    digest=digest,
                    item_labels=labels,
                ),
                Incoming(
                    ParsedEntry(
                        hostile,
                        guid="post",
                        url="https://example.org/post",
                        published=AT,
                        content_html="<p>Text <script>alert(1)</script><b>bold</b> \x1b[2J</p>",
                    )
                ),
            ],
            AT,
        )
    return path
