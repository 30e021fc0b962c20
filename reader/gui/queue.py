"""The queue: what was marked for validation, by how urgent it is; its inspector at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from reader.gui.desk import Desk
from reader.gui.empty import EmptyPage
from reader.gui.parts import Panes, button, flow, head, holds_focus, label, rule, search_field
from reader.gui.queue_bar import QueueBar
from reader.gui.queue_inspector import Inspector
from reader.gui.queued import SETTLED, Queued, QueueFilters, grouped, queued
from reader.gui.rows import LineTable, queue_columns
from reader.gui.theme import look
from reader.gui.workbench import Bench
from reader.language import _


class QueuePage(QWidget):
    """Lists the queue with its inspector."""

    wanted, run, open_item, open_run = Signal(str), Signal(str, str), Signal(str), Signal(str)
    tags, due, state = Signal(), Signal(), Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.found: dict[str, Queued] = {}
        self.filters = QueueFilters()
        row = flow(QHBoxLayout(self), 0)
        self.panes = Panes(Qt.Orientation.Horizontal)
        row.addWidget(self.panes)
        self.panes.addWidget(self._list())
        self.inspector = Inspector()
        self.inspector.run.connect(self.run)
        self.inspector.open_run.connect(self.open_run)
        self.inspector.tags.connect(self.tags)
        self.inspector.state.connect(self.state)
        self.panes.addWidget(self.inspector)
        self.panes.setStretchFactor(0, 1)
        self.panes.setSizes([look().px(824), look().px(400)])

    def _list(self) -> QWidget:
        page = QWidget()
        page.setObjectName("list")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = flow(QVBoxLayout(page), 0)
        column.addWidget(self._head())
        self.bar = QueueBar()
        self.bar.changed.connect(self.change)
        self.all = button(
            _("Run all that fit"),
            lambda: self.wanted.emit("run_all"),
            kind="flat",
            icon="play",
            key="R",
        )
        self.bar.row.addWidget(self.all)
        column.addWidget(self.bar)
        self.heads = HeadLine(
            (_("State"), _("Story and next step"), _("Tags"), _("Due")), queue_columns
        )
        column.addWidget(self.heads)
        self.table = LineTable(_("Queue"), queue_columns, many=True)
        self.table.moved.connect(self._inspect)
        self.table.opened.connect(self._open)
        column.addWidget(self.table, 1)
        self.empty = EmptyPage()
        self.empty.wanted.connect(self.wanted)
        self.empty.loosened.connect(self.change)
        column.addWidget(self.empty, 1)
        return page

    def _head(self) -> QWidget:
        made = QWidget()
        column = flow(QVBoxLayout(made), 0)
        bar, row = head()
        self.count = label("", "three")
        row.addWidget(label(_("Queue"), "pane"))
        row.addWidget(self.count, 1)
        self.search = search_field(_("Search the queue"))
        self.search.textEdited.connect(
            lambda text: self.change(replace(self.filters, text=text.strip()))
        )
        row.addWidget(self.search)
        column.addWidget(bar)
        column.addWidget(rule())
        return made

    def _open(self, id_: str) -> None:
        if id_ in self.found:
            self.open_item.emit(self.found[id_].entry.item)

    def load(self, bench: Bench | None) -> None:
        """Read the queue again."""
        self._desk.ask(lambda store: queued(store, bench), self._show, key="queue", about="queue")

    def change(self, filters: QueueFilters) -> None:
        """Narrow the queue to other filters."""
        self.filters = filters
        if self.search.text().strip() != filters.text:
            self.search.setText(filters.text)
        self._show(list(self.found.values()))

    def clear_filters(self) -> bool:
        """Show the whole queue; False where it is shown already."""
        narrow = self.filters.narrow
        if narrow:
            self.change(QueueFilters())
        return narrow

    def _show(self, found: list[Queued]) -> None:
        self.found = {each.entry.id: each for each in found}
        today = datetime.now().astimezone().date()
        shown = self.filters.keep(found, today)
        held = holds_focus(self.table) or holds_focus(self.empty)
        self._show_count(found, shown)
        self.bar.show_state(self.filters, found, today)
        for narrowing in (self.bar, self.search):
            narrowing.setVisible(bool(found) or self.filters.narrow)
        self._say_empty(found, today)
        self.empty.setVisible(not shown)
        for widget in (self.table, self.heads, self.all, self.inspector):
            widget.setVisible(bool(shown))
        self.table.show_rows(grouped(shown, today))
        if shown:
            self.table.select_first()
            self._inspect(self.table.current_id or "")
        if held:
            (self.table if shown else self.empty).setFocus()

    def _show_count(self, found: Sequence[Queued], shown: Sequence[Queued]) -> None:
        settled = sum(each.entry.state in SETTLED for each in found)
        text = _("{n} open, {settled} settled").format(n=len(found) - settled, settled=settled)
        if self.filters.narrow:
            text = _("{n} of {all}").format(n=len(shown), all=len(found))
        self.count.setText(text if found else "")

    def _say_empty(self, found: Sequence[Queued], today: date) -> None:
        if self.filters.narrow and found:
            ways = [
                (name, rest, len(rest.keep(found, today))) for name, rest in self.filters.ways_out()
            ]
            self.empty.offer_ways(ways, QueueFilters())
            return
        self.empty.say(
            "queue",
            _("The queue is empty"),
            (_("Reading a claim worth a try, press v to put it here."),),
            (_("To today"), "g t", "today"),
        )

    @property
    def current(self) -> Queued | None:
        """The queue entry that is selected."""
        return self.found.get(self.table.current_id or "")

    def chosen(self) -> list[Queued]:
        """Return every queue entry that is selected."""
        return [self.found[id_] for id_ in self.table.chosen_ids() if id_ in self.found]

    def shown(self) -> list[Queued]:
        """Return every queue entry that the filters leave."""
        today = datetime.now().astimezone().date()
        return self.filters.keep(list(self.found.values()), today)

    def _inspect(self, id_: str) -> None:
        self.inspector.show_entry(self.found.get(id_))


class HeadLine(QWidget):
    """The names over the columns of a LineTable."""

    def __init__(self, names: tuple[str, ...], columns: object) -> None:
        super().__init__()
        self._names, self._columns = names, columns
        self.setFixedHeight(look().px(28))

    def paintEvent(self, _event: object) -> None:
        from PySide6.QtCore import QRect
        from PySide6.QtGui import QColor, QPainter

        here, t = look(), look().tokens
        painter = QPainter(self)
        painter.setFont(here.font("meta_label"))
        painter.setPen(QColor(t.ink3))
        columns = self._columns(self.width()) if callable(self._columns) else ()
        starts = (here.px(16), *columns) if len(self._names) > len(columns) else columns
        middle = Qt.AlignmentFlag.AlignVCenter
        for place, name in enumerate(self._names):
            box = QRect(starts[place], 0, self.width(), self.height())
            if len(self._names) > len(columns) and place == 3:
                box = QRect(0, 0, starts[place], self.height())
                painter.drawText(box, middle | Qt.AlignmentFlag.AlignRight, name)
            else:
                painter.drawText(box, middle, name)
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(t.line2))
        painter.end()
