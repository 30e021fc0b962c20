"""Two kept texts side by side: where the PTX or source of one leg differs from another's."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from reader.gui.parts import flow, head, label
from reader.gui.theme import look
from reader.language import _
from reader.model import Run

MOST = 400_000  # bytes of a text that is compared
SHOWN = 40  # lines of a difference that are shown
_PAIR = re.compile(
    r"^(?P<stem>.+)[-_.](?P<side>false|true|off|on|before|after)\.(?P<kind>ptx|c|cu|ll)$"
)
_LINE_INFO = re.compile(r"\s*\.loc\s|\$L__(?:tmp|func_)\w*:")
_FIRST = ("false", "off", "before")


def artefact_diff(run: Run) -> dict[str, tuple[str, str, list[str]]]:
    """Return per claim the first pair of kept texts that differ: title, change, unified lines.

    Pairs are files whose names differ only in false and true, off and on, before and after.
    """
    held: dict[str, dict[bool, str]] = {}
    for each in run.artefacts:
        found = _PAIR.match(each.name)
        if found and each.bytes <= MOST:
            held.setdefault(found["stem"], {})[found["side"] in _FIRST] = each.path
    for stem, sides in held.items():
        if len(sides) == 2:
            lines = _difference(sides[True], sides[False])
            if lines:
                plus = sum(line.startswith("+") for line in lines)
                minus = sum(line.startswith("-") for line in lines)
                codegen = next(
                    (v.claim for v in run.verdicts if v.kind.value == "codegen"),
                    run.verdicts[0].claim if run.verdicts else "",
                )
                return {codegen: (Path(stem).name, f"+{plus} −{minus}", lines[:SHOWN])}
    return {}


def _difference(one: str, other: str) -> list[str]:
    try:
        first, second = _lines_of(one), _lines_of(other)
    except OSError:
        return []
    # Whole-file matching is quadratic; the beginning that differs is what is shown anyway.
    start = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    if start is None:
        return []
    low = max(0, start - 3)
    found = list(
        difflib.unified_diff(first[low : low + 300], second[low : low + 300], lineterm="", n=2)
    )
    return [line for line in found[2:] if not line.startswith("@@")]


def _lines_of(path: str) -> list[str]:
    """Return a text's lines, without those of PTX that only say where in the source they stand."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    return [line for line in text.splitlines() if not _LINE_INFO.match(line)]


class DiffView(QFrame):
    """Shows unified lines with their signs and colours."""

    def __init__(self, title: str, change: str, lines: list[str]) -> None:
        super().__init__()
        t, here = look().tokens, look()
        self.setObjectName("diff")
        self.setStyleSheet(
            f"QFrame#diff {{ background: {t.code}; border: 1px solid {t.line};"
            f" border-radius: {here.px(6)}px; }}"
        )
        column = flow(QVBoxLayout(self), 0, (1, 1, 1, 4))
        bar, row = head(30, (12, 12))
        row.addWidget(label(_("Difference"), "label"))
        name = label(title, "two")
        name.setFont(here.font("code"))
        row.addWidget(name)
        row.addStretch(1)
        row.addWidget(label(change, "label"))
        column.addWidget(bar)
        self.text = _Lines(lines)
        column.addWidget(self.text)


class _Lines(QPlainTextEdit):
    def __init__(self, lines: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        here, t = look(), look().tokens
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setStyleSheet(f"background: {t.code}; color: {t.ink}; border: 0;")
        self.setFont(here.font("code"))
        self.setAccessibleName(_("Difference"))
        self.setTabChangesFocus(True)
        self.setPlainText("\n".join(f"  {line[:1] or ' '}  {line[1:]}" for line in lines))
        marks = []
        for place, line in enumerate(lines):
            if line[:1] in "+-" and line[:1]:
                mark = QTextEdit.ExtraSelection()
                shape = QTextCharFormat()
                shape.setBackground(QColor(t.add if line[0] == "+" else t.delete))
                shape.setProperty(QTextFormat.Property.FullWidthSelection, True)
                mark.format = shape
                mark.cursor = QTextCursor(self.document().findBlockByNumber(place))
                marks.append(mark)
        self.setExtraSelections(marks)
        high = self.fontMetrics().lineSpacing() * len(lines) + here.px(14)
        self.setFixedHeight(min(high, here.px(360)))
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
