"""The claims of a check as a list: glyph, sentence, kind, and what of it this machine shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from reader.gui import icons, words
from reader.gui.theme import look
from reader.language import _

CLAIM = Qt.ItemDataRole.UserRole
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """One line: `state` names glyph and colour; `how` stands right, `below` under the text."""

    id: str
    state: str
    text: str
    kind: str = ""
    how: str = ""
    below: str = ""
    strong: bool = False  # an exception: `how` speaks louder
    part: float | None = None  # how far it is, while it runs


class ClaimDelegate(QStyledItemDelegate):
    """Paints a ClaimRow in one of three shapes: line, running, verdict."""

    def __init__(self, parent: QWidget, shape: str) -> None:
        super().__init__(parent)
        self.shape, self.turn = shape, 0

    def sizeHint(
        self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(0, look().px({"line": 30, "running": 50, "verdict": 58}[self.shape]))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row: ClaimRow = index.data(CLAIM)
        t, box = look().tokens, option.rect
        painter.save()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        view = self.parent()
        focus = isinstance(view, QWidget) and view.hasFocus()
        if chosen and (self.shape == "verdict" or focus):
            active = bool(option.state & QStyle.StateFlag.State_Active)
            painter.fillRect(box, QColor(t.select if active else t.select_dim))
        self._glyph(painter, box, row)
        if self.shape == "line":
            self._one_line(painter, box, row)
        elif self.shape == "running":
            self._running(painter, box, row)
        else:
            self._verdict(painter, box, row)
        painter.setPen(QColor(t.line))
        painter.drawLine(box.left(), box.bottom(), box.right(), box.bottom())
        if chosen and focus:
            painter.setPen(QColor(t.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.restore()

    def _glyph(self, painter: QPainter, box: QRect, row: ClaimRow) -> None:
        here, t = look(), look().tokens
        size = here.px(16)
        x = box.left() + here.px(16 if self.shape == "verdict" else 18)
        top = here.px(12) if self.shape == "verdict" else (box.height() - size) / 2
        y = box.top() + top
        painter.save()
        if row.state == "running":
            painter.translate(x + size / 2, y + size / 2)
            painter.rotate(self.turn * 30)
            painter.translate(-(x + size / 2), -(y + size / 2))
        icons.paint(painter, words.GLYPHS[row.state], x, y, size, t.state(row.state), t.on)
        painter.restore()

    def _text(
        self, painter: QPainter, line: QRect, text: str, role: str, colour: str, flags: int = 0
    ) -> None:
        painter.setFont(look().font(role))
        painter.setPen(QColor(colour))
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, line.width()))
        painter.drawText(line, Qt.AlignmentFlag(flags) if flags else _LEFT, shown)

    def _columns(self, box: QRect) -> tuple[int, int, int]:
        here = look()
        right = box.right() - here.px(20)
        how = min(here.px(190), max(here.px(110), box.width() // 4))
        kind = here.px(84)
        return right - how, right - how - kind - here.px(8), how

    def _one_line(self, painter: QPainter, box: QRect, row: ClaimRow) -> None:
        here, t = look(), look().tokens
        how_x, kind_x, how = self._columns(box)
        left = box.left() + here.px(44)
        high = box.height()
        self._text(
            painter,
            QRect(left, box.top(), kind_x - left - here.px(10), high),
            row.text,
            "ui",
            t.ink,
        )
        kind = QRect(kind_x, box.top(), here.px(84), high)
        self._text(painter, kind, row.kind, "meta", t.ink2)
        colour = t.state(row.state) if row.strong else t.ink2
        role = "meta_label" if row.strong else "meta"
        self._text(painter, QRect(how_x, box.top(), how, high), row.how, role, colour)

    def _running(self, painter: QPainter, box: QRect, row: ClaimRow) -> None:
        here, t = look(), look().tokens
        how_x, kind_x, how = self._columns(box)
        left = box.left() + here.px(70)
        width = kind_x - left - here.px(10)
        top = box.top() + here.px(6)
        self._text(painter, QRect(left, top, width, here.px(20)), row.text, "ui", t.ink)
        below = QRect(left, top + here.px(19), width, here.px(18))
        self._text(painter, below, row.below, "meta", t.ink2)
        kind = QRect(kind_x, box.top(), here.px(84), box.height())
        self._text(painter, kind, row.kind, "meta", t.ink2)
        place = QRect(how_x, box.top(), how, box.height())
        if row.part is None:
            self._text(painter, place, row.how, "meta", t.ink2)
            return
        place = QRect(how_x, top, how, here.px(20))
        self._text(painter, place, row.how, "meta_label", t.accent_ink)
        bar = QRectF(how_x, top + here.px(24), how - here.px(10), here.px(5))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.cell))
        painter.drawRoundedRect(bar, 2.5, 2.5)
        bar.setWidth(bar.width() * row.part)
        painter.setBrush(QColor(t.accent))
        painter.drawRoundedRect(bar, 2.5, 2.5)

    def _verdict(self, painter: QPainter, box: QRect, row: ClaimRow) -> None:
        here, t = look(), look().tokens
        left, right = box.left() + here.px(44), box.right() - here.px(16)
        top = box.top() + here.px(9)
        word = words.state_name(row.state)
        painter.setFont(here.font("label"))
        wide = painter.fontMetrics().horizontalAdvance(word)
        line = QRect(right - wide - 2, top, wide + 2, here.px(20))
        self._text(painter, line, word, "label", t.state(row.state), _RIGHT.value)
        text = QRect(left, top, right - wide - here.px(12) - left, here.px(20))
        self._text(painter, text, row.text, "label", t.ink)
        below = QRect(left, top + here.px(20), right - left, here.px(20))
        self._text(painter, below, row.below, "ui", t.ink2)


class ClaimTable(QTableView):
    """Shows ClaimRows in one column."""

    moved = Signal(str)  # the claim's id

    def __init__(self, shape: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = QStandardItemModel(self)
        self.setModel(self._model)
        self.delegate = ClaimDelegate(self, shape)
        self.setItemDelegate(self.delegate)
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(1)
        rows.setDefaultSectionSize(
            self.delegate.sizeHint(QStyleOptionViewItem(), QModelIndex()).height()
        )
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName(_("Claims"))
        self.selectionModel().currentRowChanged.connect(self._moved)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End):
            super().keyPressEvent(event)
        else:
            event.ignore()

    def _moved(self, index: QModelIndex, _before: QModelIndex) -> None:
        row = index.data(CLAIM) if index.isValid() else None
        if row is not None:
            self.moved.emit(row.id)

    def show_rows(self, rows: Sequence[ClaimRow]) -> None:
        """Show these claims; the selection stays on its claim."""
        held = self.currentIndex().data(CLAIM) if self.currentIndex().isValid() else None
        current = held.id if held else None
        same = self._model.rowCount() == len(rows)
        if not same:
            self._model.clear()
        for place, row in enumerate(rows):
            item = self._model.item(place) if same else QStandardItem()
            item.setText(row.text)
            item.setEditable(False)
            item.setToolTip("\n".join(each for each in (row.text, row.below, row.how) if each))
            spoken = (words.state_name(row.state), row.text, row.kind, row.how, row.below)
            item.setAccessibleText(". ".join(each for each in spoken if each))
            item.setData(row, CLAIM)
            if not same:
                self._model.appendRow(item)
            if row.id == current and not same:
                self.selectRow(place)

    def step(self, step: int) -> bool:
        """Go to the next or previous claim."""
        place = self.currentIndex().row() + step
        if not 0 <= place < self._model.rowCount():
            return False
        self.selectRow(place)
        return True

    def full_height(self) -> int:
        """Return how high all rows are together."""
        return self._model.rowCount() * self.verticalHeader().defaultSectionSize()
