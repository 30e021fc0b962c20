"""Paints one story of a list: gutter, title, snippet, meta line, layer strip."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from reader.gui import icons, marks, words
from reader.gui.story_model import Group, StoryModel
from reader.gui.theme import look
from reader.language import _
from reader.model import Evidence, FeedKind, Row, StoryKind

GUTTER = 64
ROW, GROUP_ROW = 76, 28
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def spoken(row: Row, badge: str = "") -> str:
    """Return a row as a screen reader says it."""
    parts = [
        _("unread") if not row.marks.read else "",
        row.title,
        badge,
        f"{row.score:.1f}" if row.score is not None else "",
        words.queue_name(row.marks.queue_state) if row.marks.queue_state else "",
        _("starred") if row.marks.starred else "",
        row.snippet,
        marks.spoken_layers(row.layers),
    ]
    return ". ".join(part for part in parts if part)


class StoryDelegate(QStyledItemDelegate):
    """Paints rows of a StoryModel."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.running: str | None = None  # the story whose check is under way
        self.turn = 0

    def sizeHint(
        self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        group = isinstance(index.data(StoryModel.ROW), Group)
        return QSize(0, look().px(GROUP_ROW if group else ROW))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        thing, box = index.data(StoryModel.ROW), option.rect
        painter.save()
        tokens = look().tokens
        if isinstance(thing, Group):
            _paint_group(painter, box, thing)
        else:
            chosen = bool(option.state & QStyle.StateFlag.State_Selected)
            active = bool(option.state & QStyle.StateFlag.State_Active)
            if chosen:
                painter.fillRect(box, QColor(tokens.select if active else tokens.select_dim))
            elif option.state & QStyle.StateFlag.State_MouseOver:
                painter.fillRect(box, QColor(tokens.hover))
            if isinstance(thing, Row):
                self._paint_row(painter, box, thing, str(index.data(StoryModel.BADGE)), chosen)
        painter.setPen(QColor(tokens.line))
        painter.drawLine(box.left(), box.bottom(), box.right(), box.bottom())
        view = self.parent()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen and isinstance(view, QWidget) and view.hasFocus():
            painter.setPen(QColor(tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.restore()

    def _paint_row(self, painter: QPainter, box: QRect, row: Row, badge: str, chosen: bool) -> None:
        self._gutter(painter, box, row)
        here = look()
        left = box.left() + here.px(GUTTER)
        width = box.right() - here.px(16) - left
        _title(painter, QRect(left, box.top() + here.px(8), width, here.line("title")), row, chosen)
        painter.setFont(here.font("ui"))
        painter.setPen(QColor(here.tokens.ink2))
        line = QRect(left, box.top() + here.px(28), width, here.line("ui"))
        painter.drawText(line, _LEFT, _elided(painter, row.snippet, width))
        _meta(painter, QRect(left, box.top() + here.px(48), width, here.px(19)), row, badge, chosen)

    def _gutter(self, painter: QPainter, box: QRect, row: Row) -> None:
        here, tokens = look(), look().tokens
        right, top = box.left() + here.px(GUTTER - 12), box.top() + here.px(8)
        if not row.marks.read:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent))
            size = here.px(7)
            painter.drawEllipse(
                QRectF(box.left() + here.px(10), top + (here.px(20) - size) / 2, size, size)
            )
        size = here.px(16)
        if row.score is not None:
            painter.setFont(here.font("ui" if row.marks.read else "label"))
            painter.setPen(QColor(tokens.ink2 if row.marks.read else tokens.ink))
            number = QRect(box.left(), top, right - box.left(), here.px(20))
            painter.drawText(number, _RIGHT, f"{row.score:.1f}")
        else:
            icons.paint(painter, _icon(row), right - size, top + here.px(2), size, tokens.ink3)
        name = "running" if row.id == self.running else row.marks.queue_state
        if name:
            y = top + here.px(23)
            painter.save()
            if name == "running":
                painter.translate(right - size / 2, y + size / 2)
                painter.rotate(self.turn * 30)
                painter.translate(-(right - size / 2), -(y + size / 2))
            colour = tokens.state(str(name))
            icons.paint(painter, words.GLYPHS[str(name)], right - size, y, size, colour, tokens.on)
            painter.restore()


def _icon(row: Row) -> str:
    if row.kind is not StoryKind.ENTRY:
        return "digest"
    return words.FEED_ICONS.get(row.feed_kind or FeedKind.FEED, "blog")


def _elided(painter: QPainter, text: str, width: int) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, width))


def _title(painter: QPainter, line: QRect, row: Row, chosen: bool) -> None:
    here, tokens = look(), look().tokens
    room = line.width()
    if row.marks.starred:
        size = here.px(16)
        y = line.top() + (line.height() - size) / 2
        icons.paint(painter, "star-on", line.right() - size + 1, y, size, tokens.star)
        room -= size + here.px(8)
    bold = not row.marks.read or chosen
    painter.setFont(here.font("title" if bold else "title_read"))
    painter.setPen(QColor(tokens.ink if bold else tokens.ink2))
    aside = _("derived title") if row.title_derived else ""
    meta = here.font("meta")
    if aside:
        from PySide6.QtGui import QFontMetrics

        aside_width = QFontMetrics(meta).horizontalAdvance(aside) + here.px(6)
        room -= aside_width
    title = _elided(painter, row.title, room)
    painter.drawText(line, _LEFT, title)
    if aside:
        x = line.left() + painter.fontMetrics().horizontalAdvance(title) + here.px(6)
        painter.setFont(meta)
        painter.setPen(QColor(tokens.ink3))
        painter.drawText(QRect(x, line.top(), aside_width, line.height()), _LEFT, aside)


def _meta(painter: QPainter, line: QRect, row: Row, badge: str, chosen: bool) -> None:
    here, tokens = look(), look().tokens
    strip = marks.strip_width()
    high = here.px(marks.CELL_HEIGHT)
    y = line.top() + (line.height() - high) / 2
    marks.paint_layers(painter, line.right() - strip + 1, y, row.layers)
    room = line.width() - strip - here.px(12)
    x = line.left()
    painter.setFont(here.font("meta"))
    if badge:
        x = _badge(painter, x, line, badge) + here.px(8)
        room -= x - line.left()
    painter.setPen(QColor(tokens.ink2 if chosen else tokens.ink3))
    for place, part in enumerate(_parts(row)):
        square = place == 1 and row.evidence is not Evidence.NONE and row.kind is StoryKind.ITEM
        indent = here.px(13) if square else 0
        text = _elided(painter, part, room - indent)
        if not text or room < here.px(24):
            break
        if square:
            size = here.px(8)
            top = line.top() + (line.height() - size) / 2
            marks.paint_square(painter, x, top, size, filled=True)
        painter.drawText(QRect(x + indent, line.top(), room, line.height()), _LEFT, text)
        wide = painter.fontMetrics().horizontalAdvance(text) + indent + here.px(12)
        x, room = x + wide, room - wide


def _badge(painter: QPainter, x: int, line: QRect, badge: str) -> int:
    here, tokens = look(), look().tokens
    wide = painter.fontMetrics().horizontalAdvance(badge) + here.px(10)
    box = QRectF(x, line.top() + 1.5, wide, line.height() - 3)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(tokens.accent), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setPen(QColor(tokens.accent_ink))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, badge)
    return int(x + wide)


def _parts(row: Row) -> list[str]:
    from datetime import UTC, datetime

    hardware = " · ".join(words.hardware_name(each) for each in row.hardware[:3])
    if row.kind is StoryKind.ITEM:
        evidence = words.evidence_name(row.evidence) if row.evidence is not Evidence.NONE else ""
        return [hardware or _("No hardware named"), *([evidence] if evidence else [])]
    when = words.moment_of(row.published, datetime.now(UTC))
    return [each for each in (row.feed_title or words.feed_kind(row.feed_kind), when) if each]


def _paint_group(painter: QPainter, box: QRect, group: Group) -> None:
    here, tokens = look(), look().tokens
    size = here.px(16)
    left = box.left() + here.px(16)
    middle = box.top() + (box.height() - size) / 2
    icons.paint(painter, group.icon, left, middle, size, tokens.ink2)
    painter.setFont(here.font("meta_label"))
    painter.setPen(QColor(tokens.ink2))
    x = left + size + here.px(8)
    title = _elided(painter, group.title, box.right() - x - here.px(50))
    painter.drawText(QRect(x, box.top(), box.width(), box.height()), _LEFT, title)
    x += painter.fontMetrics().horizontalAdvance(title) + here.px(8)
    painter.setFont(here.font("meta"))
    painter.setPen(QColor(tokens.ink3))
    painter.drawText(QRect(x, box.top(), box.width(), box.height()), _LEFT, str(group.count))
