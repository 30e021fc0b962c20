"""Two-line rows in columns, under foldable headings: the queue, the runs, the feeds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from reader.gui import icons, marks, words
from reader.gui.theme import look
from reader.model import Fetch, Health

ROW = Qt.ItemDataRole.UserRole
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class LineRow:
    """One line: a state, a title over what comes next, and up to two columns at the right."""

    id: str
    state: str
    word: str
    title: str
    below: str = ""
    right: str = ""
    last: str = ""
    late: bool = False
    settled: bool = False


@dataclass(frozen=True, slots=True)
class FeedRow:
    """A feed with its last fourteen days."""

    id: str
    title: str
    below: str
    health: Health | None
    word: str
    said: str
    days: tuple[Fetch | None, ...]
    kept: int
    next_check: str
    new: bool = False
    state: str = ""


@dataclass(frozen=True, slots=True)
class HeadRow:
    """A heading that folds what stands under it."""

    title: str
    count: int
    aside: str = ""
    folded: bool = False


AnyRow = LineRow | FeedRow | HeadRow


@dataclass(slots=True)
class Columns:
    """Where the columns of a row begin, in pixels of the drawings; negative from the right."""

    state: int = 16
    title: int = 152
    right: int = -216
    last: int = -100
    heads: tuple[str, ...] = field(default_factory=tuple)


class _Delegate(QStyledItemDelegate):
    def __init__(self, parent: QTableView, columns: Callable[[int], tuple[int, ...]]) -> None:
        super().__init__(parent)
        self._columns = columns

    def sizeHint(
        self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(0, look().px(28 if isinstance(index.data(ROW), HeadRow) else 48))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row, box, t = index.data(ROW), option.rect, look().tokens
        painter.save()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if isinstance(row, HeadRow):
            _head(painter, box, row)
        else:
            if chosen:
                active = bool(option.state & QStyle.StateFlag.State_Active)
                painter.fillRect(box, QColor(t.select if active else t.select_dim))
            elif option.state & QStyle.StateFlag.State_MouseOver:
                painter.fillRect(box, QColor(t.hover))
            columns = self._columns(box.width())
            if isinstance(row, FeedRow):
                _feed(painter, box, row, columns)
            elif isinstance(row, LineRow):
                _line(painter, box, row, columns)
        painter.setPen(QColor(t.line))
        painter.drawLine(box.left(), box.bottom(), box.right(), box.bottom())
        view = self.parent()
        if chosen and isinstance(view, QWidget) and view.hasFocus():
            painter.setPen(QColor(t.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.restore()


def _write(
    painter: QPainter, line: QRect, text: str, role: str, colour: str, *, right: bool = False
) -> int:
    painter.setFont(look().font(role))
    painter.setPen(QColor(colour))
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, line.width()))
    painter.drawText(line, _RIGHT if right else _LEFT, shown)
    return metrics.horizontalAdvance(shown)


def _head(painter: QPainter, box: QRect, row: HeadRow) -> None:
    here, t = look(), look().tokens
    size = here.px(16)
    y = box.top() + (box.height() - size) / 2
    name = "right" if row.folded else "down"
    icons.paint(painter, name, box.left() + here.px(16), y, size, t.ink3)
    x = box.left() + here.px(40)
    line = QRect(x, box.top(), box.width() - x, box.height())
    wide = _write(painter, line, row.title, "meta_label", t.ink2)
    line.setLeft(x + wide + here.px(8))
    _write(painter, line, str(row.count), "meta", t.ink3)
    aside = QRect(x, box.top(), box.right() - here.px(16) - x, box.height())
    _write(painter, aside, row.aside, "meta", t.ink3, right=True)


def _line(painter: QPainter, box: QRect, row: LineRow, columns: tuple[int, ...]) -> None:
    here, t = look(), look().tokens
    state, title, right, last = columns
    size = here.px(16)
    y = box.top() + (box.height() - size) / 2
    left = box.left()
    icons.paint(painter, words.GLYPHS[row.state], left + state, y, size, t.state(row.state), t.on)
    word = QRect(left + state + here.px(20), box.top(), title - state - here.px(26), box.height())
    _write(painter, word, row.word, "label", t.state(row.state))
    role, colour = ("title_read", t.ink2) if row.settled else ("label", t.ink)
    top = box.top() + here.px(5)
    width = (right if right else box.width()) - title - here.px(12)
    _write(painter, QRect(left + title, top, width, here.px(20)), row.title, role, colour)
    below = QRect(left + title, top + here.px(19), width, here.px(18))
    _write(painter, below, row.below, "meta", t.ink2)
    room = QRect(left + right, box.top(), last - right - here.px(8), box.height())
    _write(painter, room, row.right, "meta", t.ink2)
    room = QRect(left + last, box.top(), box.right() - left - last - here.px(10), box.height())
    role = "label" if row.late else "ui"
    _write(painter, room, row.last, role, t.refuted if row.late else t.ink2)


def _feed(painter: QPainter, box: QRect, row: FeedRow, columns: tuple[int, ...]) -> None:
    here, t = look(), look().tokens
    health, days, kept, last = columns
    left, top, high = box.left() + here.px(16), box.top() + here.px(5), here.px(20)
    width = health - here.px(16 + 12)
    _write(painter, QRect(left, top, width, high), row.title, "label", t.ink)
    below = top + here.px(19)
    _write(painter, QRect(left, below, width, here.px(18)), row.below, "meta", t.ink2)
    x = box.left() + health
    colour = marks.health_colour(row.health)
    marks.paint_health(painter, x, top + here.px(2), here.px(16), row.health)
    room = days - health - here.px(30)
    _write(painter, QRect(x + here.px(21), top, room, high), row.word, "label", colour)
    _write(
        painter, QRect(x, below, days - health - here.px(8), here.px(18)), row.said, "meta", t.ink2
    )
    marks.paint_days(painter, box.left() + days, box.top() + here.px(12), row.days)
    number = QRect(box.left() + kept - here.px(60), box.top(), here.px(60), box.height())
    _write(painter, number, words.amount(row.kept), "ui", t.ink2, right=True)
    rest = QRect(box.left() + last, box.top(), box.width() - last - here.px(8), box.height())
    _write(painter, rest, row.next_check, "ui", t.ink2)


class LineTable(QTableView):
    """Rows of one kind under headings that fold."""

    moved = Signal(str)
    opened = Signal(str)

    def __init__(
        self,
        name: str,
        columns: Callable[[int], tuple[int, ...]] | None = None,
        *,
        many: bool = False,
    ) -> None:
        super().__init__()
        self._model = QStandardItemModel(self)
        self._rows: list[AnyRow] = []
        self._folded: set[str] = set()
        self.setModel(self._model)
        self.setItemDelegate(_Delegate(self, columns or run_columns))
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        modes = QAbstractItemView.SelectionMode
        self.setSelectionMode(modes.ExtendedSelection if many else modes.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(1)
        rows.setDefaultSectionSize(look().px(48))
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName(name)
        self.selectionModel().currentRowChanged.connect(self._moved)
        self.doubleClicked.connect(lambda _index: self.opened.emit(self.current_id or ""))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End):
            super().keyPressEvent(event)
        else:
            event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        row = index.data(ROW) if index.isValid() else None
        if isinstance(row, HeadRow):
            self._folded ^= {row.title}
            self.show_rows(self._rows)
        super().mouseReleaseEvent(event)

    def _moved(self, index: QModelIndex, _before: QModelIndex) -> None:
        row = index.data(ROW) if index.isValid() else None
        if isinstance(row, LineRow | FeedRow):
            self.moved.emit(row.id)

    @property
    def current_id(self) -> str | None:
        """The id of the row that is selected."""
        row = self.currentIndex().data(ROW) if self.currentIndex().isValid() else None
        return row.id if isinstance(row, LineRow | FeedRow) else None

    def chosen_ids(self) -> list[str]:
        """Return the ids of all selected rows."""
        rows = [index.data(ROW) for index in self.selectionModel().selectedRows()]
        found = [row.id for row in rows if isinstance(row, LineRow | FeedRow)]
        return found or ([self.current_id] if self.current_id else [])

    def show_rows(self, rows: Sequence[AnyRow]) -> None:
        """Show rows; the selection stays on its id."""
        current, chosen = self.current_id, self.chosen_ids()
        height = self.verticalScrollBar().value()
        self._rows = list(rows)
        self.selectionModel().blockSignals(True)
        for place in range(self._model.rowCount()):  # a header keeps its sizes over a reset
            self.verticalHeader().resizeSection(place, look().px(48))
        self._model.clear()
        hidden = False
        for given in rows:
            row = given
            if isinstance(given, HeadRow):
                hidden = given.title in self._folded
                row = HeadRow(given.title, given.count, given.aside, hidden)
            elif hidden:
                continue
            item = QStandardItem(_spoken(row))
            item.setEditable(False)
            item.setData(row, ROW)
            flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            head_row = isinstance(row, HeadRow)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled if head_row else flags)
            self._model.appendRow(item)
            if head_row:
                self.verticalHeader().resizeSection(self._model.rowCount() - 1, look().px(28))
        self.selectionModel().blockSignals(False)
        if current:
            self.select(current)
        if len(chosen) > 1:
            self._select_also(chosen)
        self.verticalScrollBar().setValue(height)

    def _select_also(self, ids: Collection[str]) -> None:
        flags = QItemSelectionModel.SelectionFlag
        for place in range(self._model.rowCount()):
            index = self._model.index(place, 0)
            row = index.data(ROW)
            if isinstance(row, LineRow | FeedRow) and row.id in ids:
                self.selectionModel().select(index, flags.Select | flags.Rows)

    def select(self, id_: str) -> bool:
        """Select a row by its id."""
        for place in range(self._model.rowCount()):
            row = self._model.index(place, 0).data(ROW)
            if isinstance(row, LineRow | FeedRow) and row.id == id_:
                self.selectRow(place)
                return True
        return False

    def step(self, step: int) -> bool:
        """Go to the next or previous row that is no heading."""
        place = self.currentIndex().row() + step
        while 0 <= place < self._model.rowCount():
            if not isinstance(self._model.index(place, 0).data(ROW), HeadRow):
                self.selectRow(place)
                return True
            place += step
        return False

    def select_first(self) -> None:
        """Select the first row where none is selected."""
        if self.current_id is None:
            self.step(1)


def _spoken(row: AnyRow) -> str:
    if isinstance(row, HeadRow):
        return f"{row.title}, {row.count}"
    if isinstance(row, FeedRow):
        return ". ".join(each for each in (row.title, row.word, row.said) if each)
    parts = (row.word, row.title, row.below, row.right, row.last)
    return ". ".join(each for each in parts if each)


def run_columns(width: int) -> tuple[int, ...]:
    """Return the columns of the list of runs."""
    px = look().px
    return px(16), px(112), width - px(170), width - px(126)


def queue_columns(width: int) -> tuple[int, ...]:
    """Return the columns of the queue."""
    px = look().px
    return px(16), px(152), width - px(224), width - px(108)


def feed_columns(width: int) -> tuple[int, ...]:
    """Return the columns of the feeds."""
    px = look().px
    days = width - marks.days_width() - px(216)
    return max(px(150), days - px(128)), days, width - px(128), width - px(108)
