"""The middle pane: title, search, layer filter, filters, and the list of stories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from reader.gui.desk import Desk
from reader.gui.empty import EmptyPage
from reader.gui.filters import Chips, FilterBar, Filters, LayerFilter
from reader.gui.parts import flow, head, label, search_field, surface
from reader.gui.story_delegate import GROUP_ROW, ROW, StoryDelegate
from reader.gui.story_model import StoryModel
from reader.gui.theme import look
from reader.gui.views import Listing, View
from reader.language import _
from reader.model import Row

if TYPE_CHECKING:
    from reader.report.morning import Morning


class StoryTable(QTableView):
    """One column of rows of fixed height; the keys are the window's."""

    def __init__(self, model: StoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.delegate = StoryDelegate(self)
        self.setItemDelegate(self.delegate)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(1)
        rows.setDefaultSectionSize(look().px(ROW))
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName(_("Stories"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Letters are commands of the window, never a search in the list.
        arrows = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End)
        pages = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
        if event.key() in (*arrows, *pages):
            super().keyPressEvent(event)
        else:
            event.ignore()


class StoryList(QWidget):
    """Lists the stories of a view through filters."""

    selected = Signal(object)  # Row or None
    filters_changed = Signal(object)  # Filters
    opened = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setObjectName("list")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(look().px(360))
        self.model = StoryModel(desk, self)
        self.table = StoryTable(self.model, self)
        self.filters = Filters()
        self.listing = Listing()
        self._current: str | None = None
        self.select_later: str | None = None  # a story to select once the list is here
        column = flow(QVBoxLayout(self), 0)
        column.addWidget(self._head())
        self.layers, self.bar, self.chips = LayerFilter(self), FilterBar(self), Chips(self)
        self.empty = EmptyPage()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        bottom, row = surface("list")
        bottom.setProperty("edge", "bottom")
        row.addWidget(self.bar)
        self.notice = _Notice()
        for each in (self.layers, bottom, self.chips, self.notice):
            column.addWidget(each)
        column.addWidget(self._stack, 1)
        self._connect()

    def _head(self) -> QWidget:
        bar, row = head()
        self.title, self.caption = label("", "pane"), label("", "three")
        row.addWidget(self.title)
        row.addWidget(self.caption, 1)
        self.search = search_field(_("Search full text"))
        row.addWidget(self.search)
        return bar

    def _connect(self) -> None:
        from dataclasses import replace

        for part in (self.bar.changed, self.chips.removed, self.empty.loosened):
            part.connect(self.change)
        self.layers.chosen.connect(lambda each: self.change(replace(self.filters, layers=each)))
        self.search.textEdited.connect(
            lambda text: self.change(replace(self.filters, text=text.strip()))
        )
        self.table.selectionModel().currentRowChanged.connect(self._moved)
        self.table.doubleClicked.connect(lambda _index: self.opened.emit())
        self.model.dataChanged.connect(self._arrived)

    def change(self, filters: Filters) -> None:
        """Narrow the list to other filters."""
        self.filters = filters
        if self.search.text().strip() != filters.text:
            self.search.setText(filters.text)
        self.filters_changed.emit(filters)

    def show_listing(self, view: View, listing: Listing, *, keep: bool) -> None:
        """Show what was read; with `keep` the selection stays where it is, by its id."""
        self.listing = listing
        self.title.setText(view.title)
        self.caption.setText(_caption(self.filters, listing))
        self.layers.show_state(self.filters.layers, listing.counts)
        self.bar.show_state(self.filters, listing.counts, by_score=listing.by_score)
        self.chips.show_state(self.filters)
        self.notice.show_lines(listing.notices, listing.morning)
        self.model.badges = listing.badges
        current = self.select_later or (self._current if keep else None)
        later, self.select_later = self.select_later, None
        if self.model.ids() == listing.ids and keep and not later:
            self.model.refresh()
        else:
            self._reset(listing, current)
        self._stack.setCurrentIndex(0 if listing.ids else 1)
        if not listing.ids:
            self.empty.show_state(view, self.filters, listing)

    def _reset(self, listing: Listing, current: str | None) -> None:
        bar = self.table.verticalScrollBar()
        height = bar.value()
        rows = self.table.verticalHeader()
        for place in self.model.groups():  # a header keeps its sizes over a reset
            rows.resizeSection(place, look().px(ROW))
        self.model.show(listing.ids, listing.groups)
        for place in self.model.groups():
            rows.resizeSection(place, look().px(GROUP_ROW))
        found = self.model.place_of(current) if current else None
        if found is None:
            self.select(0, step=1)
        else:
            self.select(found)
            bar.setValue(height)

    def _moved(self, index: QModelIndex, _before: QModelIndex) -> None:
        id_ = self.model.id_at(index.row()) if index.isValid() else None
        if id_ is None and index.isValid():
            return
        self._current = id_
        row = self.model.row_at(index.row()) if id_ else None
        if row is not None or id_ is None:
            self.selected.emit(row)

    def _arrived(self, first: QModelIndex, last: QModelIndex) -> None:
        index = self.table.currentIndex()
        if index.isValid() and first.row() <= index.row() <= last.row():
            row = self.model.row_at(index.row())
            if row is not None:
                self.selected.emit(row)

    @property
    def current(self) -> Row | None:
        """The row that is selected, once it is here."""
        return self.model.row_at(self.table.currentIndex().row())

    @property
    def current_id(self) -> str | None:
        """The id of the story that is selected."""
        return self._current

    def chosen_ids(self) -> list[str]:
        """Return the ids of all selected stories, the current one alone where it is one."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        found = [id_ for row in rows if (id_ := self.model.id_at(row)) is not None]
        return found or ([self._current] if self._current else [])

    def select(self, place: int, step: int = 0) -> bool:
        """Select a place, or in steps the next one that is no heading; False at the end."""
        while self.model.id_at(place) is None:
            place += step
            if not step or not 0 <= place < self.model.rowCount():
                if not self.model.rowCount():
                    self._current = None
                    self.selected.emit(None)
                return False
        flags = QItemSelectionModel.SelectionFlag
        index = self.model.index(place, 0)
        self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.table.scrollTo(index)
        if place == 1 and self.model.id_at(0) is None:
            self.table.scrollToTop()
        return True

    def step(self, step: int) -> bool:
        """Go to the next (1) or previous (-1) story."""
        return self.select(self.table.currentIndex().row() + step, step)

    def next_unread(self) -> bool:
        """Go to the next story that is unread among those that are here; False where none is."""
        here = self.table.currentIndex().row()
        count = self.model.rowCount()
        for place in [*range(here + 1, count), *range(here)]:
            row = self.model.row_at(place)
            if row is None and self.model.id_at(place) is not None:
                return self.select(place)
            if row is not None and not row.marks.read:
                return self.select(place)
        return False

    def sizeHint(self) -> QSize:
        return QSize(look().px(464), 600)


def _caption(filters: Filters, listing: Listing) -> str:
    if filters.chips():
        shown = listing.counts.total if listing.counts else len(listing.ids)
        return _("{n} of {all}").format(n=shown, all=listing.total)
    return listing.caption


class _Notice(QWidget):
    """What the digest itself says is missing, over the list."""

    def __init__(self) -> None:
        super().__init__()
        self._column = flow(QVBoxLayout(self), 0)
        self.hide()

    def show_lines(self, lines: tuple[str, ...], morning: Morning | None = None) -> None:
        from reader.gui.notes import note
        from reader.gui.parts import clear

        clear(self._column)
        if morning is not None:
            kind = "refuted" if morning.refuted else "confirmed"
            said = morning.lines
            self._column.addWidget(note(kind, said[0], said[1:], flat=True, icon="queue"))
        if lines:
            self._column.addWidget(note("warn", lines[0], lines[1:], flat=True))
        self.setVisible(bool(lines) or morning is not None)
