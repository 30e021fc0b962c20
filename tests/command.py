"""The command line as the outside sees it: a real process, its two streams, its exit code."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reader import cli, language
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

ROOT = Path(__file__).parents[1]
_NO_DISPLAY = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
AT = datetime(2026, 11, 3, 8, tzinfo=UTC)


# A process counts as its own what its parent held when it was started, and the tests hold much:
# only a small process in between sees what the program itself takes.
_WATCHED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // unit))
sys.exit(code)
"""


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
    *words: str | Path,
    store: Path | None = None,
    env: Mapping[str, str | None] | None = None,
    through: Sequence[str] = (),
    outside: bool = False,
) -> Called:
    """Call `readproof` in English; no terminal, no display.

    A process costs half a second, so that one is started only where something about it matters:
    its environment, its language, or `outside`. A variable that is None is taken away; `through`
    is a program that starts what follows it.
    """
    said = [*(["--store", str(store)] if store is not None else []), *map(str, words)]
    if not (outside or env or through or "--lang" in said or not words):
        return _inside(said)
    with calling(*words, store=store, env=env, through=through) as process:
        try:
            out, err = process.communicate(timeout=120)
        except BaseException:
            process.kill()
            raise
    return Called(process.returncode, out.decode(), err.decode())


def _inside(words: list[str]) -> Called:
    """Call in this process, with streams, folder and variables as a process of its own has them."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _each in range(2)]
    spoken = language.language()
    with pytest.MonkeyPatch.context() as patch, Path(os.devnull).open() as nothing:
        for name in _NO_DISPLAY:
            patch.delenv(name, raising=False)
        patch.setenv("LANGUAGE", "en")  # a call sets it for itself
        patch.setenv("NO_COLOR", "1")
        patch.chdir(ROOT)
        patch.setattr(sys, "stdin", nothing)
        for name, stream in zip(("stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            code = cli.main(words, _no_window)
        finally:
            language.set_language(spoken)
        out, err = (_said(each) for each in streams)
    return Called(code, out, err)


def _said(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def _no_window(_session: object) -> int:
    raise AssertionError("a call with words opens no window")


def watched(*words: str | Path, store: Path, into: Path) -> tuple[Called, int]:
    """Call as `command` does; also return the most memory it held, in MiB."""
    called = command(*words, store=store, through=(sys.executable, "-c", _WATCHED, str(into)))
    return called, int(into.read_text())


def calling(
    *words: str | Path,
    store: Path | None = None,
    env: Mapping[str, str | None] | None = None,
    through: Sequence[str] = (),
) -> subprocess.Popen[bytes]:
    """Start what `command` waits for."""
    own = ["--store", str(store)] if store is not None else []
    without = dict.fromkeys(_NO_DISPLAY)
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONWARNINGS": "error", **without}
    environment |= dict(env or {})
    return subprocess.Popen(
        [*through, sys.executable, "-m", "reader", *own, *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={name: value for name, value in environment.items() if value is not None},
        cwd=ROOT,
    )


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
