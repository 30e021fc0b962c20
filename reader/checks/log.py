"""What a leg prints: kept up to a size, cut into clean lines, its progress marks taken out."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable

from reader.checks import harness
from reader.model import RunProgress

HEAD = 512 * 1024  # characters kept from the beginning
TAIL = 512 * 1024  # and from the end
LINE = 4000
LIVE_LINES = 100  # forwarded of one read; the log itself keeps more


class Log:
    """Takes the pipe's bytes; forwards lines and progress, keeps the text."""

    def __init__(self, progress: Callable[[RunProgress], None]) -> None:
        self._progress = progress
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._head: list[str] = []
        self._head_size = 0
        self._tail: list[str] = []
        self._tail_size = 0
        self._cut = 0
        self.step = "measure"

    def feed(self, data: bytes, *, last: bool = False) -> None:
        """Take what the pipe gave."""
        lines = (self._rest + self._decoder.decode(data, last)).split("\n")
        self._rest = lines.pop()
        if last or len(self._rest) > LINE:
            lines.append(self._rest)
            self._rest = ""
        live = 0
        for line in lines:
            if line.startswith(harness.MARK):
                self._mark(line[len(harness.MARK) :])
            elif line or not last:
                clean = "".join(c for c in line[:LINE] if c.isprintable() or c == "\t")
                self._keep(clean)
                live += 1
                if live <= LIVE_LINES:
                    self._progress(RunProgress(step=self.step, line=clean))

    def _mark(self, text: str) -> None:
        try:
            mark = json.loads(text)
            name, done, total = str(mark["step"])[:60], int(mark["done"]), int(mark["total"])
            claim = mark.get("claim")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return  # a tool of the check printed something that looks like a mark
        self.step = name
        self._progress(
            RunProgress(step=name, done=done, total=total, claim=str(claim) if claim else None)
        )

    def _keep(self, line: str) -> None:
        if self._head_size < HEAD:
            self._head.append(line)
            self._head_size += len(line) + 1
            return
        self._tail.append(line)
        self._tail_size += len(line) + 1
        if self._tail_size > 2 * TAIL:
            self._trim()

    def _trim(self) -> None:
        size = 0
        kept: list[str] = []
        for line in reversed(self._tail):
            if size + len(line) + 1 > TAIL:
                break
            kept.append(line)
            size += len(line) + 1
        self._cut += len(self._tail) - len(kept)
        self._tail, self._tail_size = kept[::-1], size

    @property
    def text(self) -> str:
        """The log; where lines were cut it says how many."""
        middle = [f"… {self._cut} lines …"] if self._cut else []
        return "\n".join([*self._head, *middle, *self._tail])

    @property
    def last_words(self) -> str:
        """The last line that says something, for a reason's text."""
        for line in reversed([*self._head[-50:], *self._tail[-50:]]):
            if line.strip():
                return line.strip()[:300]
        return ""
