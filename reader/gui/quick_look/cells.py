"""The table of a quick look, cell by cell: what stands in each, seen and spoken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from reader.gui import marks, words
from reader.gui.quick_look.facts import Told
from reader.language import _, language
from reader.model import Evidence, Item

STATE = "state"
COLUMNS = ("update", "reported", "scenario", "step", "window", STATE)
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Line:
    """One piece of a cell: text, or a drawing, under the one before."""

    text: str = ""
    role: str = "ui"
    colour: str = "ink"
    gap: int = 0
    icon: str = ""
    draw: str = ""  # layers or evidence


def _head_of(column: str) -> str:
    return {
        "update": _("Update"),
        "reported": _("Reported result"),
        "scenario": _("Where it applies"),
        "step": _("First step"),
        "window": _("Action window"),
        STATE: _("This machine"),
    }[column]


def _text_of(item: Item, column: str) -> str:
    found = {
        "update": item.title,
        "reported": item.reported_result,
        "scenario": item.scenario,
        "step": item.first_step,
        "window": item.action_window,
    }[column]
    return found or ""


def _below(item: Item) -> str:
    when = ""
    if item.happened_at is not None:
        when = f"{words.day(item.happened_at)} {words.time_of(item.happened_at)}"
    return " · ".join(each for each in (item.group or "", when) if each)


def kinds(item: Item) -> tuple[Evidence, ...]:
    found = item.labels.evidence_all or (item.labels.evidence,)
    return tuple(each for each in words.EVIDENCE_ORDER if each in found)


def _kind_names(item: Item) -> str:
    apart = "、" if language() == "zh" else ", "
    return apart.join(map(words.evidence_name, kinds(item))) or _("no evidence")


def _cell(item: Item, told: Told, column: str) -> list[Line]:
    if column == STATE:
        if not told.state:
            first = Line(_("Mark to verify") + "  v", "ui", "accent_ink", icon="queue")
        else:
            glyph = words.GLYPHS[told.state]
            first = Line(told.word, "label", f"state:{told.state}", icon=glyph)
        counts = [
            Line(text, "ui", f"state:{state}", icon=words.GLYPHS[state])
            for state, text in told.counts
        ]
        lines = [Line(each, "meta", "ink2", 3) for each in told.lines]
        return [first, *lines, *counts] if told.state == "stale" else [first, *counts, *lines]
    text = _text_of(item, column)
    if column == "update":
        role, colour = ("title_read", "ink2") if item.marks.read else ("title", "ink")
        lines = [Line(text, role, colour), Line(_below(item), "meta", "ink3", 4)]
        return [each for each in (*lines, Line(draw="layers", gap=9)) if each.text or each.draw]
    lines = [Line(text)] if text else []
    if column == "reported":
        lines.append(Line(_kind_names(item), "meta", "ink2", 9 if text else 0, draw="evidence"))
    return lines


def _stacked(item: Item, told: Told) -> list[Line]:
    lines = _cell(item, told, "update")
    for column in COLUMNS[1:]:
        inside = _cell(item, told, column)
        if inside:
            lines += [Line(_head_of(column), "meta_label", "ink3", 10), *inside]
    return lines


class QuickModel(QAbstractTableModel):
    """One row an item."""

    LINES = Qt.ItemDataRole.UserRole
    ITEM = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.items: tuple[Item, ...] = ()
        self.told: tuple[Told, ...] = ()
        self.stacked = False
        self.running: str | None = None

    def show(self, items: Sequence[Item], told: Sequence[Told]) -> None:
        """Show these items."""
        self.beginResetModel()
        self.items, self.told = tuple(items), tuple(told)
        self.endResetModel()

    def stack(self, stacked: bool) -> None:
        """Put the columns under one another, or beside."""
        self.beginResetModel()
        self.stacked = stacked
        self.endResetModel()

    def told_of(self, row: int) -> Told:
        """Return what this machine says of a row now."""
        if self.items[row].id == self.running:
            return Told("running", words.state_name("running"))
        return self.told[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.items)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else (1 if self.stacked else len(COLUMNS))

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _head_of(COLUMNS[section])
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item, column = self.items[index.row()], COLUMNS[index.column()]
        told = self.told_of(index.row())
        if role == self.ITEM:
            return item
        if role == self.LINES:
            return _stacked(item, told) if self.stacked else _cell(item, told, column)
        if role == Qt.ItemDataRole.DisplayRole:
            return told.spoken if column == STATE else _text_of(item, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            wanted = COLUMNS if self.stacked else (column,)
            return ". ".join(filter(None, (_spoken(item, told, each) for each in wanted)))
        if role == Qt.ItemDataRole.ToolTipRole and column == STATE and not self.stacked:
            return told.spoken
        return None


def _spoken(item: Item, told: Told, column: str) -> str:
    text = told.spoken if column == STATE else _text_of(item, column)
    if column == "update":
        layers = marks.spoken_layers(item.layers or item.labels.layers)
        return ". ".join(filter(None, (text, _below(item), layers)))
    if column == "reported":
        evidence = _("Evidence: {names}").format(names=_kind_names(item))
        text = ". ".join(filter(None, (text, evidence)))
    return f"{_head_of(column)}: {text}" if text else ""
