"""The drawn parts: layer strip, evidence squares, day strip; each with its spoken text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from reader.gui import words
from reader.gui.theme import look
from reader.language import _
from reader.model import Evidence, Fetch, Health, Layer

LAYERS = tuple(Layer)
CELL_WIDTH, CELL_HEIGHT, CELL_GAP = 6, 10, 2
STRIP_WIDTH = 9 * CELL_WIDTH + 8 * CELL_GAP


def paint_layers(painter: QPainter, x: float, y: float, layers: Sequence[Layer]) -> None:
    """Paint nine cells with the upper left corner at x, y; those of `layers` are filled."""
    here, tokens = look(), look().tokens
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    step = here.px(CELL_WIDTH) + here.px(CELL_GAP)
    for place, layer in enumerate(LAYERS):
        painter.setBrush(QColor(tokens.cell_on if layer in layers else tokens.cell))
        cell = QRectF(x + place * step, y, here.px(CELL_WIDTH), here.px(CELL_HEIGHT))
        painter.drawRoundedRect(cell, 1, 1)
    painter.restore()


def strip_width() -> int:
    """Return how wide nine cells are."""
    here = look()
    return 9 * here.px(CELL_WIDTH) + 8 * here.px(CELL_GAP)


def paint_square(painter: QPainter, x: float, y: float, size: float, *, filled: bool) -> None:
    """Paint one evidence square."""
    tokens = look().tokens
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if filled:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.cell_on))
        painter.drawRoundedRect(QRectF(x, y, size, size), 2, 2)
    else:
        painter.setPen(QPen(QColor(tokens.ink3), 1.3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(x + 0.7, y + 0.7, size - 1.4, size - 1.4), 1.5, 1.5)
    painter.restore()


def spoken_layers(layers: Sequence[Layer]) -> str:
    """Return the layers as a screen reader says them."""
    if not layers:
        return _("Layers: none named")
    names = ", ".join(words.layer_name(each) for each in LAYERS if each in layers)
    return _("Layers: {names}").format(names=names)


class LayerStrip(QWidget):
    """Nine cells in stack order."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layers: tuple[Layer, ...] = ()

    def show_layers(self, layers: Sequence[Layer]) -> None:
        """Fill the cells of these layers."""
        self._layers = tuple(layers)
        self.setAccessibleName(spoken_layers(layers))
        self.setFixedSize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(strip_width(), look().px(CELL_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_layers(painter, 0, 0, self._layers)
        painter.end()


class EvidenceRow(QWidget):
    """Five squares with their names, always in the same order; filled: the source shows it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kinds: tuple[Evidence, ...] = ()

    def show_kinds(self, kinds: Sequence[Evidence]) -> None:
        """Fill the squares of these kinds."""
        self._kinds = tuple(kinds)
        shown = [words.evidence_name(each) for each in words.EVIDENCE_ORDER if each in kinds]
        self.setAccessibleName(
            _("Evidence: {names}").format(names=", ".join(shown) or _("no evidence"))
        )
        self.setFixedHeight(look().line("ui"))
        self.update()

    def sizeHint(self) -> QSize:
        here = look()
        self.setFont(here.font("ui"))
        text = sum(
            self.fontMetrics().horizontalAdvance(words.evidence_name(each))
            for each in words.EVIDENCE_ORDER
        )
        return QSize(text + 5 * here.px(14) + 4 * here.px(14), here.line("ui"))

    def paintEvent(self, _event: QPaintEvent) -> None:
        here = look()
        painter = QPainter(self)
        painter.setFont(here.font("ui"))
        metrics, x, size = painter.fontMetrics(), 0.0, here.px(9)
        for kind in words.EVIDENCE_ORDER:
            on = kind in self._kinds
            paint_square(painter, x, (self.height() - size) / 2, size, filled=on)
            painter.setPen(QColor(here.tokens.ink if on else here.tokens.ink3))
            name = words.evidence_name(kind)
            box = QRectF(x + here.px(14), 0, metrics.horizontalAdvance(name) + 2, self.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, name)
            x += here.px(14) + metrics.horizontalAdvance(name) + here.px(14)
        painter.end()


DAYS = 14
DAY_WIDTH, DAY_HEIGHT, DAY_GAP = 13, 20, 5


def days_width() -> int:
    """Return how wide fourteen days are."""
    here = look()
    return DAYS * here.px(DAY_WIDTH) + (DAYS - 1) * here.px(DAY_GAP)


def paint_days(painter: QPainter, x: float, y: float, days: Sequence[Fetch | None]) -> None:
    """Paint one mark a day, oldest first: a bar for what was new, else the day's health."""
    here = look()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    width, gap, height = here.px(DAY_WIDTH), here.px(DAY_GAP), here.px(DAY_HEIGHT)
    most = max((each.new for each in days if each), default=0) or 1
    for place, fetch in enumerate(days):
        left = x + place * (width + gap)
        if fetch is None:
            continue
        if fetch.new and fetch.outcome not in (Health.FAILED, Health.GONE):
            tall = max(here.px(4), height * min(1.0, fetch.new / most))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(here.tokens.cell_on))
            bar = QRectF(left + 2, y + height - tall, here.px(9), tall)
            painter.drawRoundedRect(bar, 1, 1)
        else:
            paint_health(painter, left, y + height - here.px(13), here.px(13), fetch.outcome)
    painter.restore()


def health_colour(health: Health | None) -> str:
    """Return the colour a health shape is drawn in."""
    tokens = look().tokens
    return {
        Health.OK: tokens.accent,
        Health.STALE: tokens.inconclusive,
        Health.FAILED: tokens.refuted,
        Health.GONE: tokens.refuted,
    }.get(health or Health.QUIET, tokens.ink2)


def paint_health(painter: QPainter, x: float, y: float, size: float, health: Health | None) -> None:
    """Paint the shape of a feed's health into a square."""
    colour = QColor(health_colour(health))
    pen = QPen(colour, max(1.5, size / 8))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    middle, low, high = size / 2, size * 0.28, size * 0.72
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(x, y)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if health is Health.OK:
        painter.drawEllipse(QPointF(middle, middle), size * 0.38, size * 0.38)
    elif health in (None, Health.QUIET):
        painter.drawEllipse(QPointF(middle, middle), size * 0.12, size * 0.12)
    else:
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for line in _strokes(health, low, middle, high):
            painter.drawLine(QPointF(*line[:2]), QPointF(*line[2:]))
    painter.restore()


def _strokes(
    health: Health | None, low: float, middle: float, high: float
) -> list[tuple[float, float, float, float]]:
    if health is Health.UNCHANGED:
        return [(low, middle, high, middle)]
    if health is Health.DUPLICATES:
        return [(low, middle - 2, high, middle - 2), (low, middle + 2, high, middle + 2)]
    if health is Health.STALE:
        return [(low, high, low, low), (low, low, high, low), (middle + 1, middle + 1) * 2]
    return [(low, low, high, high), (low, high, high, low)]
