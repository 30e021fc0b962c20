"""The list of stories: ids of the whole list in an array, rows in pages, fetched when painted."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from reader.gui.desk import Desk
from reader.gui.ids import Ids, packed, unpacked
from reader.model import Row

PAGE = 128
MOST_PAGES = 24
GROUP = -1
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Group:
    """A heading over the rows that follow it."""

    title: str
    icon: str
    count: int


class StoryModel(QAbstractTableModel):
    """Rows by place; a row that is not there yet is None and comes by itself."""

    ROW = Qt.ItemDataRole.UserRole
    BADGE = Qt.ItemDataRole.UserRole + 1

    def __init__(self, desk: Desk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._places: array[int] = array("q")
        self._groups: dict[int, Group] = {}
        self._pages: OrderedDict[int, dict[int, Row]] = OrderedDict()
        self._asked: set[int] = set()
        self._turn = 0
        self._pending: dict[int, Row] = {}  # as the user left them; the store does not know yet
        desk.written.connect(self._pending.clear)
        self.badges: dict[str, str] = {}

    def show(self, ids: Sequence[str], groups: Sequence[tuple[Group, int]] = ()) -> None:
        """Show these stories; `groups` are headings with the place of the story they precede."""
        self.beginResetModel()
        self._turn += 1
        self._pages.clear()
        self._asked.clear()
        self._groups = {}
        places = Ids.of(ids).numbers[:]
        for added, (group, place) in enumerate(sorted(groups, key=lambda pair: pair[1])):
            places.insert(place + added, GROUP)
            self._groups[place + added] = group
        self._places = places
        self.endResetModel()

    def refresh(self) -> None:
        """Fetch every row anew that is shown; the list stays as it is."""
        self._turn += 1
        self._asked.clear()
        for page in list(self._pages):
            self._fetch(page)

    def ids(self) -> Ids:
        """Return the ids of the whole list."""
        if not self._groups:
            return Ids(self._places)
        return Ids(array("q", (each for each in self._places if each != GROUP)))

    def count(self) -> int:
        """Return how many stories there are, headings left out."""
        return len(self._places) - len(self._groups)

    def groups(self) -> dict[int, Group]:
        """Return the headings by place."""
        return self._groups

    def id_at(self, place: int) -> str | None:
        """Return the id at a place, None for a heading or beyond the end."""
        if not 0 <= place < len(self._places) or self._places[place] == GROUP:
            return None
        return unpacked(self._places[place])

    def place_of(self, id_: str) -> int | None:
        """Return where a story stands."""
        try:
            return self._places.index(packed(id_))
        except ValueError:
            return None

    def row_at(self, place: int) -> Row | None:
        """Return the row at a place if it is here; it is asked for if not."""
        if not 0 <= place < len(self._places) or self._places[place] == GROUP:
            return None
        page = place // PAGE
        held = self._pages.get(page)
        if held is None:
            if page not in self._asked:
                self._fetch(page)
            return None
        self._pages.move_to_end(page)
        return held.get(self._places[place])

    @property
    def loaded(self) -> int:
        """How many rows are held in memory."""
        return sum(len(page) for page in self._pages.values())

    def _fetch(self, page: int) -> None:
        self._asked.add(page)
        first = page * PAGE
        numbers = [each for each in self._places[first : first + PAGE] if each != GROUP]
        ids, turn = [unpacked(each) for each in numbers], self._turn

        def arrived(rows: list[Row]) -> None:
            if turn == self._turn:
                self._keep(page, rows)

        self._desk.ask(lambda store: store.library.rows(ids), arrived)

    def hold(self, rows: list[Row]) -> None:
        """Take rows that were read with a short list: no key waits for them to come."""
        if len(self._places) <= PAGE and rows:
            self._keep(0, rows)

    def _keep(self, page: int, rows: list[Row]) -> None:
        self._asked.discard(page)
        found = {packed(row.id): row for row in rows}
        self._pages[page] = found | {
            each: row for each, row in self._pending.items() if each in found
        }
        while len(self._pages) > MOST_PAGES:
            self._pages.popitem(last=False)
        first = page * PAGE
        last = min(first + PAGE, len(self._places)) - 1
        self.dataChanged.emit(self.index(first, 0), self.index(last, 0))

    def replace(self, row: Row) -> None:
        """Show a changed row at once, before the store has answered."""
        self._pending[packed(row.id)] = row
        for page in self._pages.values():
            if packed(row.id) in page:
                page[packed(row.id)] = row
        place = self.place_of(row.id)
        if place is not None:
            self.dataChanged.emit(self.index(place, 0), self.index(place, 0))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._places)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        place = index.row()
        if role == self.ROW:
            return self._groups.get(place) or self.row_at(place)
        if role == self.BADGE:
            return self.badges.get(self.id_at(place) or "", "")
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            if place in self._groups:
                return self._groups[place].title
            row = self.row_at(place)
            return row.title if row else ""
        if role == Qt.ItemDataRole.AccessibleTextRole:
            from reader.gui.story_delegate import spoken

            row = self.row_at(place)
            return spoken(row, self.badges.get(row.id, "")) if row else ""
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.row() in self._groups:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
