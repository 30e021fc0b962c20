"""Tinted notes: a glyph, one bold line, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from reader.gui.parts import flow, icon_label, label, refresh_style
from reader.gui.theme import look


def note(
    kind: str, title: str, lines: Sequence[str] = (), *, flat: bool = False, icon: str = "warn"
) -> QFrame:
    """Return a note of the kind warn, stale, refuted or confirmed; `flat` fills a pane's width."""
    made = QFrame()
    made.setProperty("note", kind)
    colour = {"warn": "inconclusive"}.get(kind, kind)
    row = flow(QHBoxLayout(made), 10, (16, 10, 16, 10) if flat else (14, 12, 14, 12))
    if flat:
        mark = icon_label(icon, look().tokens.state(colour))
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        made.setStyleSheet("QFrame { border-radius: 0; }")
    column = flow(QVBoxLayout(), 3)
    first = label(title, "label", wrap=True)
    if not flat:
        first.setStyleSheet(f"color: {look().tokens.state(colour)};")
    column.addWidget(first)
    for line in lines:
        column.addWidget(label(line, "two", wrap=True))
    row.addLayout(column, 1)
    refresh_style(made)
    return made
