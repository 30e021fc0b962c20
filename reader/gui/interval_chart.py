"""IntervalChart: measured ratios on a log axis, with their intervals, samples and A/A noise."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from reader.gui.theme import look
from reader.language import _
from reader.report.plots import Interval, Intervals, intervals

__all__ = ["IntervalChart", "Intervals", "intervals"]

ROW, AXIS = 34, 26
TICKS = (0.1, 0.2, 0.5, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 5.0, 10.0, 20.0, 50.0)
MOST_TICKS, FEW = 7, (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0)


class IntervalChart(QWidget):
    """Draws intervals; T shows the same as a table."""

    def __init__(self, shown: Intervals) -> None:
        super().__init__()
        self._shown = shown
        self.as_table = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        said = "; ".join(f"{row.name}: {row.said}" for row in shown.rows)
        self.setAccessibleName(_("Intervals: {rows}").format(rows=said))
        self.setToolTip(_("T shows the same as a table"))
        self.setFixedHeight(look().px(ROW) * len(shown.rows) + look().px(AXIS) + look().px(8))
        self.setMinimumWidth(look().px(380))

    def event(self, event: QEvent) -> bool:
        """Take T before the window does: there it asks for tags."""
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_T
            and not event.modifiers()
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_T and not event.modifiers():
            self.as_table = not self.as_table
            self.update()
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def bounds(self) -> tuple[float, float]:
        """Return the least and the greatest value of the axis."""
        return self._shown.bounds()

    def paintEvent(self, _event: QPaintEvent) -> None:
        here, t = look(), look().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, right = here.px(130), self.width() - here.px(150)
        plot = QRectF(left, here.px(4), right - left, here.px(ROW) * len(self._shown.rows))
        if not self.as_table:
            self._ground(painter, plot)
        for place, row in enumerate(self._shown.rows):
            middle = plot.top() + (place + 0.5) * here.px(ROW)
            self._text(painter, row, middle, left)
            if not self.as_table:
                self._row(painter, row, middle, plot)
        if self.hasFocus():
            painter.setPen(QColor(t.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def _x(self, value: float, plot: QRectF) -> float:
        low, high = (math.log(each) for each in self.bounds())
        return plot.left() + (math.log(value) - low) / (high - low) * plot.width()

    def _ground(self, painter: QPainter, plot: QRectF) -> None:
        here, t = look(), look().tokens
        if self._shown.noise is not None:
            one, other = (self._x(each, plot) for each in self._shown.noise)
            painter.fillRect(QRectF(one, plot.top(), other - one, plot.height()), QColor(t.noise))
        painter.setPen(QPen(QColor(t.ink3), 1))
        x = self._x(1.0, plot)
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        painter.setPen(QPen(QColor(t.line2), 1))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        painter.setPen(QColor(t.ink3))
        painter.setFont(here.font("meta"))
        for tick in self._ticks():
            box = QRectF(self._x(tick, plot) - 30, plot.bottom() + here.px(4), 60, here.px(18))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{tick:g}×")

    def _ticks(self) -> Sequence[float]:
        low, high = self.bounds()
        found = [each for each in TICKS if low <= each <= high]
        return found if len(found) <= MOST_TICKS else [each for each in found if each in FEW]

    def _row(self, painter: QPainter, row: Interval, middle: float, plot: QRectF) -> None:
        here, colour = look(), QColor(look().tokens.state(row.state))
        low, high = self._x(row.low, plot), self._x(row.high, plot)
        soft = QColor(colour)
        soft.setAlphaF(0.35)
        painter.fillRect(QRectF(low, middle - here.px(5), high - low, here.px(10)), soft)
        painter.setPen(QPen(colour, 1.5))
        for x in (low, high):
            painter.drawLine(QPointF(x, middle - here.px(6)), QPointF(x, middle + here.px(6)))
        x = self._x(row.ratio, plot)
        painter.setPen(QPen(colour, 3))
        painter.drawLine(QPointF(x, middle - here.px(6)), QPointF(x, middle + here.px(6)))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for value in row.samples:
            painter.drawEllipse(QPointF(self._x(value, plot), middle + here.px(11)), 1.4, 1.4)

    def _text(self, painter: QPainter, row: Interval, middle: float, left: int) -> None:
        here, t = look(), look().tokens
        high = here.px(20)
        painter.setFont(here.font("ui"))
        painter.setPen(QColor(t.ink))
        name = painter.fontMetrics().elidedText(
            row.name, Qt.TextElideMode.ElideRight, left - here.px(16)
        )
        flag = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(here.px(6), middle - high / 2, left, high), flag, name)
        said = row.said
        if self.as_table and row.samples:
            said = _("{interval}  ({n} samples)").format(interval=said, n=len(row.samples))
        painter.setFont(here.font("label"))
        right = self.width() - here.px(6)
        begin = left if self.as_table else right - here.px(145)
        box = QRectF(begin, middle - high / 2, right - begin, high)
        painter.drawText(box, flag | Qt.AlignmentFlag.AlignRight, said)
