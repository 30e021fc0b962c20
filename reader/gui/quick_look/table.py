"""The table of a quick look: its cells painted, its rows as high as their texts."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QPointF, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QPainter,
    QResizeEvent,
    QTextLayout,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from reader.gui import icons, marks, words
from reader.gui.marks import paint_layers, paint_square
from reader.gui.quick_look.cells import Index, Line, QuickModel, kinds
from reader.gui.theme import look
from reader.language import _

STACKED = 1000  # narrower than this, the columns of a row stand under one another
SIDE = 40
PAD_X, PAD_Y = 14, 13
SHARES = (25, 21, 16, 21, 16, 15)


def _lay(text: str, font: QFont, width: float, pitch: int) -> tuple[QTextLayout, int]:
    """Break a text into lines of a pitch; return it with its height."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    high = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(1.0, width))
        line.setPosition(QPointF(0, high + (pitch - line.height()) / 2))
        high += pitch
    layout.endLayout()
    return layout, high


class _Delegate(QStyledItemDelegate):
    """Paints the pieces of a cell, or only measures them."""

    def pieces(self, painter: QPainter | None, box: QRect, index: Index) -> int:
        """Paint a cell into a box, from the top; return how high it is."""
        here = look()
        y = here.px(PAD_Y)
        left, width = box.left() + here.px(PAD_X), box.width() - 2 * here.px(PAD_X)
        for each in index.data(QuickModel.LINES) or ():
            y += here.px(each.gap)
            y += self._piece(painter, each, index, QRect(left, box.top() + y, width, 0))
        return y + here.px(PAD_Y)

    def _piece(self, painter: QPainter | None, each: Line, index: Index, at: QRect) -> int:
        here, t = look(), look().tokens
        item, indent, pitch = index.data(QuickModel.ITEM), 0, here.line(each.role)
        x, y, width = at.left(), at.top(), at.width()
        if each.draw == "layers":
            if painter is not None:
                paint_layers(painter, x, y, item.layers or item.labels.layers)
            return here.px(marks.CELL_HEIGHT)
        if each.draw == "evidence":
            size, step = here.px(9), here.px(11)
            indent = 5 * step + here.px(6)
            if painter is not None:
                shown, top = kinds(item), y + (pitch - size) / 2
                for place, kind in enumerate(words.EVIDENCE_ORDER):
                    paint_square(painter, x + place * step, top, size, filled=kind in shown)
        name, _colon, state = each.colour.partition(":")
        colour = t.state(state) if state else str(getattr(t, name))
        if each.icon:
            size = here.px(16)
            indent = here.px(20)
            if painter is not None:
                icons.paint(painter, each.icon, x, y + (pitch - size) / 2, size, colour, t.on)
        layout, high = _lay(each.text, here.font(each.role), width - indent, pitch)
        if painter is not None:
            painter.setPen(QColor(colour))
            layout.draw(painter, QPointF(x + indent, y))
        return high

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(option.rect.width(), self.pieces(None, option.rect, index))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        box, t = option.rect, look().tokens
        view = self.parent()
        painter.save()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            active = bool(option.state & QStyle.StateFlag.State_Active)
            painter.fillRect(box, QColor(t.select if active else t.select_dim))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor(t.hover))
        focused = chosen and isinstance(view, QWidget) and view.hasFocus()
        painter.fillRect(
            box.left(), box.bottom(), box.width(), 1, QColor(t.accent if focused else t.line)
        )
        if focused:
            painter.fillRect(box.left(), box.top(), box.width(), 1, QColor(t.accent))
        self.pieces(painter, box, index)
        painter.restore()


class QuickTable(QTableView):
    """Rows as high as their texts; it is never scrolled itself, the page is."""

    def __init__(self, model: QuickModel) -> None:
        super().__init__()
        self._model = model
        self.setModel(model)
        self.delegate = _Delegate(self)
        self.setItemDelegate(self.delegate)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(1)
        top = self.horizontalHeader()
        top.setMinimumSectionSize(1)
        top.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        top.setSectionsClickable(False)
        top.setHighlightSections(False)
        top.setFixedHeight(look().px(36))
        top.setFont(look().font("meta_label"))
        top.setStyleSheet(_header_style())
        self.setAccessibleName(_("Items of the quick look"))

    def lay(self) -> None:
        """Give columns and rows the sizes that the width asks for."""
        if self.width() < 1:
            return
        stacked = self.width() < look().px(STACKED) - 2 * look().px(SIDE)
        if stacked != self._model.stacked:
            row = self.currentIndex().row()
            self._model.stack(stacked)
            self.choose(row)
        self.horizontalHeader().setVisible(not stacked)
        wide = self.viewport().width()
        shares = (1,) if stacked else SHARES
        for column, share in enumerate(shares):
            self.setColumnWidth(column, wide * share // sum(shares))
        last = len(shares) - 1
        rest = wide - sum(self.columnWidth(each) for each in range(last))
        self.setColumnWidth(last, rest)
        high = 0 if stacked else look().px(36)
        for row in range(self._model.rowCount()):
            cells = [
                self.delegate.pieces(
                    None, QRect(0, 0, self.columnWidth(each), 0), self._model.index(row, each)
                )
                for each in range(len(shares))
            ]
            self.setRowHeight(row, max(cells))
            high += max(cells)
        self.setFixedHeight(high)

    def choose(self, row: int) -> bool:
        """Select a row; False where there is none."""
        if not 0 <= row < self._model.rowCount():
            return False
        flags = QItemSelectionModel.SelectionFlag
        index = self._model.index(row, 0)
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.lay()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Letters are commands of the window, never a search in the table.
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End):
            row = self.currentIndex().row()
            last = self._model.rowCount() - 1
            wanted = {Qt.Key.Key_Up: row - 1, Qt.Key.Key_Down: row + 1, Qt.Key.Key_Home: 0}
            self.choose(wanted.get(Qt.Key(event.key()), last))
        else:
            event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page scrolls


def _header_style() -> str:
    t, px = look().tokens, look().px
    return (
        f"QHeaderView {{ background: transparent; border: 0; }} QHeaderView::section {{ "
        f"background: transparent; border: 0; border-bottom: 1px solid {t.line2}; "
        f"color: {t.ink2}; padding: 0 {px(PAD_X)}px; font-size: {px(12)}px; font-weight: 600; }}"
    )
