"""The left pane: views, feeds, tags, and this machine at its foot."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from reader.gui import icons, words
from reader.gui.parts import flow, head, label, tool
from reader.gui.theme import look
from reader.gui.views import Shelf, View, view
from reader.gui.workbench import Bench
from reader.language import _

ENTRY = Qt.ItemDataRole.UserRole
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Nav:
    """One line of the sidebar; without a view it is a heading."""

    title: str
    view: View | None = None
    count: int = 0
    troubled: int = 0
    deep: bool = False


class _Delegate(QStyledItemDelegate):
    def sizeHint(
        self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        nav = index.data(ENTRY)
        return QSize(0, look().px(28 if nav.view else 36))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        nav: Nav = index.data(ENTRY)
        here, t, box = look(), look().tokens, option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if nav.view is None:
            painter.setFont(here.font("meta_label"))
            painter.setPen(QColor(t.ink3))
            line = QRect(here.px(16), box.top() + here.px(14), box.width(), here.px(18))
            painter.drawText(line, _LEFT, nav.title)
            painter.restore()
            return
        tree = self.parent()
        chosen = isinstance(tree, QTreeView) and tree.currentIndex() == index
        plate = QRectF(here.px(8), box.top(), box.right() - here.px(15), box.height())
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.select))
            painter.drawRoundedRect(plate, 6, 6)
            if isinstance(tree, QTreeView) and tree.hasFocus():
                painter.setPen(QColor(t.accent))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(plate.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        self._line(painter, plate, nav, chosen)
        painter.restore()

    def _line(self, painter: QPainter, plate: QRectF, nav: Nav, chosen: bool) -> None:
        here, t = look(), look().tokens
        size, colour = here.px(16), t.accent_ink if chosen else t.ink3
        x = plate.left() + here.px(8)
        if nav.view and nav.view.icon and not nav.deep:
            y = plate.top() + (plate.height() - size) / 2
            icons.paint(painter, nav.view.icon, x, y, size, colour)
        if not nav.deep or (nav.view and not nav.view.key.startswith("tag:")):
            x += size + here.px(8)
        right = plate.right() - here.px(8)
        painter.setFont(here.font("meta_label" if chosen else "meta"))
        if nav.troubled:
            text = str(nav.troubled)
            wide = painter.fontMetrics().horizontalAdvance(text)
            painter.setPen(QColor(t.refuted))
            painter.drawText(
                QRectF(right - wide, plate.top(), wide + 1, plate.height()), _RIGHT, text
            )
            y = plate.top() + (plate.height() - size) / 2
            icons.paint(painter, "warn", right - wide - size - here.px(4), y, size, t.refuted)
            right -= wide + size + here.px(8)
        elif nav.count:
            text = words.amount(nav.count)
            wide = painter.fontMetrics().horizontalAdvance(text)
            painter.setPen(QColor(t.accent_ink if chosen else t.ink2))
            painter.drawText(
                QRectF(right - wide, plate.top(), wide + 1, plate.height()), _RIGHT, text
            )
            right -= wide + here.px(8)
        painter.setFont(here.font("label" if chosen else "ui"))
        tag = bool(nav.view and nav.view.key.startswith("tag:"))
        painter.setPen(QColor(t.accent_ink if chosen else t.ink2 if tag else t.ink))
        room = int(right - x)
        text = painter.fontMetrics().elidedText(nav.title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(x, plate.top(), room, plate.height()), _LEFT, text)


class _Tree(QTreeView):
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End):
            super().keyPressEvent(event)
        else:
            event.ignore()


class MachineFoot(QAbstractButton):
    """This machine in three lines; opens the doctor."""

    def __init__(self) -> None:
        super().__init__()
        self._lines = (_("This machine"), "", "")
        self.setAccessibleName(_("This machine"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedHeight(look().px(9 + 3 * 18 + 10))

    def show_bench(self, bench: Bench) -> None:
        """Show GPU, toolkits and Pythons."""
        gpus = [each.name for each in bench.machine.gpus]
        kits = list(dict.fromkeys(each.version for each in bench.toolkits))
        self._lines = (
            ", ".join(dict.fromkeys(gpus)) or _("no GPU"),
            "CUDA " + (", ".join(kits) if kits else _("not found")),
            "Python " + ", ".join(bench.pythons[:4]),
        )
        self.setAccessibleName(_("This machine") + ": " + ", ".join(self._lines))
        self.setToolTip("\n".join(self._lines))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        here, t = look(), look().tokens
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 1, QColor(t.line))
        if self.underMouse():
            painter.fillRect(0, 1, self.width(), self.height(), QColor(t.hover))
        left, top = here.px(16), here.px(9)
        painter.setFont(here.font("meta_label"))
        painter.setPen(QColor(t.ink))
        first = _("This machine")
        wide = painter.fontMetrics().horizontalAdvance(first)
        painter.drawText(QRect(left, top, wide + 2, here.px(18)), _LEFT, first)
        painter.setFont(here.font("meta"))
        painter.setPen(QColor(t.ink2))
        room = self.width() - left - here.px(12)
        for place, line in enumerate(self._lines):
            x = left + wide if place == 0 else left
            text = f": {line}" if place == 0 and line != first else "" if place == 0 else line
            text = painter.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, room - (x - left)
            )
            painter.drawText(QRect(x, top + place * here.px(18), room, here.px(18)), _LEFT, text)
        if self.hasFocus():
            painter.setPen(QColor(t.accent))
            painter.drawRect(self.rect().adjusted(0, 1, -1, -1))
        painter.end()


class Sidebar(QWidget):
    """Leads to every view."""

    chosen = Signal(object)  # View
    menu_wanted = Signal()
    sync_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(look().px(176))
        self.setMaximumWidth(look().px(280))
        column = flow(QVBoxLayout(self), 0)
        column.addWidget(self._head())
        self.tree = _Tree()
        self._model = QStandardItemModel(self)
        self._quiet = False
        self._shown: tuple[list[Nav], str] = ([], "")
        self._prepare()
        column.addWidget(self.tree, 1)
        self.machine = MachineFoot()
        column.addWidget(self.machine)

    def _head(self) -> QWidget:
        bar, row = head(margins=(12, 10))
        self.menu = tool("menu", _("Menu"), self.menu_wanted.emit)
        self.synced = label("", "two")
        self.sync = tool("sync", _("Sync all") + " (S)", self.sync_wanted.emit)
        row.addWidget(self.menu)
        row.addStretch(1)
        row.addWidget(self.synced)
        row.addWidget(self.sync)
        return bar

    def _prepare(self) -> None:
        self.tree.setModel(self._model)
        self.tree.setItemDelegate(_Delegate(self.tree))
        self.tree.setHeaderHidden(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(0)
        self.tree.setAccessibleName(_("Views and sources"))
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.selectionModel().currentChanged.connect(self._moved)

    def _moved(self, index: QModelIndex, _before: QModelIndex) -> None:
        nav = index.data(ENTRY) if index.isValid() else None
        if nav and nav.view and not self._quiet:
            self.chosen.emit(nav.view)

    def show_shelf(self, shelf: Shelf | None, current: str) -> None:
        """Show every view with its count; the current one stays chosen."""
        lines = _lines(shelf)
        if (lines, current) == self._shown:
            return
        self._quiet = True
        same = [each.view for each in lines] == [each.view for each in self._shown[0]]
        self._shown = lines, current
        if not same:
            self._model.clear()
        for place, nav in enumerate(lines):
            item = self._model.item(place) if same else QStandardItem()
            item.setText(_spoken(nav))
            item.setData(nav, ENTRY)
            if not same:
                item.setEditable(False)
                item.setToolTip(nav.title if nav.deep else "")
                flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
                item.setFlags(flags if nav.view else Qt.ItemFlag.NoItemFlags)
                self._model.appendRow(item)
            if nav.view and nav.view.key == current:
                self.tree.setCurrentIndex(item.index())
        if not any(nav.view and nav.view.key == current for nav in lines):
            self.tree.setCurrentIndex(QModelIndex())
        self._quiet = False

    def select(self, key: str) -> bool:
        """Choose a view as if it had been clicked; False where it is not there."""
        for row in range(self._model.rowCount()):
            index = self._model.index(row, 0)
            nav = index.data(ENTRY)
            if nav.view and nav.view.key == key:
                if self.tree.currentIndex() == index:
                    self.chosen.emit(nav.view)
                else:
                    self.tree.setCurrentIndex(index)
                return True
        return False

    def sizeHint(self) -> QSize:
        return QSize(look().px(216), 600)


def _spoken(nav: Nav) -> str:
    if nav.troubled:
        return _("{title}, {n} need a look").format(title=nav.title, n=nav.troubled)
    return f"{nav.title}, {nav.count}" if nav.count else nav.title


def _lines(shelf: Shelf | None) -> list[Nav]:
    def line(key: str, count: int = 0, troubled: int = 0) -> Nav:
        each = view(key)
        return Nav(each.title, each, count, troubled)

    found = [
        line("today", shelf.today if shelf else 0),
        line("unread", shelf.unread if shelf else 0),
        line("starred", shelf.starred if shelf else 0),
        Nav(_("Verify")),
        line("queue", shelf.queue if shelf else 0),
        line("runs", shelf.runs if shelf else 0),
        Nav(_("Read")),
        line("digests"),
        line("feeds", 0, shelf.troubled if shelf else 0),
    ]
    for id_, title, unread in shelf.feeds if shelf else ():
        found.append(Nav(title, View(f"feed:{id_}", title, "feeds"), unread, deep=True))
    if shelf and shelf.tags:
        found.append(Nav(_("Tags")))
        for tag in shelf.tags:
            found.append(Nav(f"#{tag}", View(f"tag:{tag}", f"#{tag}", "tag"), deep=True))
    return found
