"""How the command line speaks: results on stdout, everything else on stderr, colours on a tty."""

from __future__ import annotations

import io
import json
import os
import secrets
import shutil
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from reader.cli.plain import clean, cut, one_line, table, width

COLOURS = {
    "confirmed": "32",
    "refuted": "31",
    "inconclusive": "33",
    "not_applicable": "90",
    "could_not_run": "36",
    "stale": "35",
    "running": "34",
    "queued": "36",
    "dim": "90",
    "bold": "1",
    "warn": "33",
}
GLYPHS = {
    "confirmed": "✓",
    "refuted": "✗",
    "inconclusive": "≈",
    "not_applicable": "∅",
    "could_not_run": "–",
    "stale": "↺",
    "running": "…",
    "queued": "○",
    "waiting": "○",
    "dropped": "∅",
}


def use_utf8() -> None:
    """Make both streams UTF-8 whatever the locale; a lone surrogate becomes a JSON escape.

    A stream that the caller closed swallows what is said.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, io.StringIO())
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def document(value: Any) -> None:
    """Print one JSON document."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def say(*lines: str) -> None:
    """Print lines of a result, without control characters from content."""
    for line in lines:
        sys.stdout.write(_coloured_safe(line) + "\n")


def note(*lines: str) -> None:
    """Print messages beside the result."""
    for line in lines:
        sys.stderr.write(_coloured_safe(line) + "\n")
    sys.stderr.flush()


# Colours travel as words that content cannot know, and become sequences after content is cleaned.
_SECRET = secrets.token_hex(12)
_START, _END = f"{_SECRET}<", f"{_SECRET}>"


def paint(text: str, colour: str, stream: TextIO | None = None) -> str:
    """Return `text` in a colour of COLOURS where `stream` (stdout) shows colours, else as it is."""
    if not coloured(stream or sys.stdout) or colour not in COLOURS:
        return text
    return f"{_START}{COLOURS[colour]}m{text}{_END}"


def coloured(stream: TextIO) -> bool:
    """Return whether `stream` is a terminal that wants colours (NO_COLOR is respected)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _coloured_safe(line: str) -> str:
    return clean(line).replace(_START, "\x1b[").replace(_END, "\x1b[0m")


def columns(stream: TextIO | None = None) -> int:
    """Return the width lines are laid out for: the terminal's, or 120 in a pipe."""
    if not (stream or sys.stdout).isatty():
        return 120
    return max(40, shutil.get_terminal_size((100, 24)).columns)


def listing(
    rows: Sequence[Sequence[str]],
    heads: Sequence[str],
    *,
    numbers: Sequence[int] = (),
    give: int = -1,
    colour: dict[int, str] | None = None,
) -> None:
    """Print a table; `colour` names the colour of some rows by their number."""
    if not rows:
        return
    first, *rest = table(rows, heads, cells=columns(), numbers=numbers, give=give)
    say(paint(first, "dim"))
    for n, line in enumerate(rest):
        say(paint(line, (colour or {}).get(n, "")))


def glyph(state: str) -> str:
    """Return a state's glyph; the word always stands beside it."""
    return GLYPHS.get(state, "·")


class Progress:
    """A line on stderr that is redrawn on a terminal, and only says each step in a pipe."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._drawn = False
        self._step = ""

    def step(self, name: str) -> None:
        """Say in a pipe that the next step began; a terminal shows it in the line itself."""
        if not self._live and name != self._step:
            note(name)
        self._step = name

    def show(self, done: int, total: int, text: str) -> None:
        """Draw how far the work is."""
        if not self._live:
            return
        bar = ""
        if total:
            filled = round(20 * min(done, total) / total)
            bar = f"[{'█' * filled}{'░' * (20 - filled)}] {done}/{total} "
        room = columns(sys.stderr) - width(bar) - 1
        sys.stderr.write("\r\x1b[K" + bar + cut(one_line(text), max(8, room)))
        sys.stderr.flush()
        self._drawn = True

    def line(self, text: str) -> None:
        """Print a line that stays, above the moving one."""
        self.clear()
        note(text)

    def clear(self) -> None:
        """Take the moving line away."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False


def ask(question: str, *, default: bool) -> bool:
    """Ask yes or no on the terminal; an empty answer or the end of input gives the default, no."""
    sys.stderr.write(clean(question) + (" [Y/n] " if default else " [y/N] "))
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer:
        sys.stderr.write("\n")
        return False
    answer = answer.strip().lower()
    return default if not answer else answer.startswith(("y", "是", "好"))


def can_ask() -> bool:
    """Return whether a person sits at both ends of the conversation."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
