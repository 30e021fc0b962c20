"""The page of a quick look: its table, one row an item, over what the chosen one says."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QScrollArea,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from reader.gui.browser import Browser
from reader.gui.desk import Desk
from reader.gui.notes import note
from reader.gui.parts import (
    button,
    clear,
    flow,
    head,
    icon_label,
    label,
    rule,
    show_tool,
    tool,
    yielding,
)
from reader.gui.quick_look import text
from reader.gui.quick_look.cells import COLUMNS, STATE, QuickModel
from reader.gui.quick_look.facts import Quick
from reader.gui.quick_look.table import SIDE, STACKED, QuickTable
from reader.gui.theme import look
from reader.gui.views import digest_name
from reader.language import _, ngettext
from reader.model import Item, ParsedDigest


class _Text(Browser):
    """A text as high as its lines: the page scrolls, not the text."""

    def __init__(self, desk: Desk, name: str) -> None:
        super().__init__(desk)
        self.setAccessibleName(name)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_body(self, body: str) -> None:
        super().show_body(body)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        QTextBrowser.resizeEvent(self, event)
        self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        self.setFixedHeight(round(self.document().size().height()) + look().px(8))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class QuickLook(QWidget):
    """Shows a quick-look digest; what is chosen here is chosen in the list of stories, too."""

    selected = Signal(str)  # an item's id
    wanted = Signal(str)  # the name of a command
    followed = Signal(str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.shown: Quick | None = None
        self.model = QuickModel(self)
        self.table = QuickTable(self.model)
        self.text = _Text(desk, _("The chosen item"))
        self.aside = _Text(desk, _("Steps and references"))
        column = flow(QVBoxLayout(self), 0)
        column.addWidget(self._head())
        column.addWidget(rule())
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(self._inside())
        column.addWidget(self.area, 1)
        column.addWidget(self._foot())
        self._connect()

    def _head(self) -> QWidget:
        bar, row = head(44, (SIDE - 8, 20))

        def ask(name: str) -> Callable[[], None]:
            return lambda: self.wanted.emit(name)

        row.addWidget(tool("left", _("Digest before") + " ([)", ask("older")))
        row.addWidget(tool("right", _("Digest after") + " (])", ask("newer")))
        row.addWidget(label(_("Digests"), "label"))
        self.name = label("", "two")
        row.addWidget(self.name)
        row.addStretch(1)
        self.star = tool("star", _("Star") + " (s)", ask("star"))
        self.queue_all = button(_("Mark all to verify"), ask("queue_digest"), icon="queue", key="V")
        for each in (
            self.star,
            tool("globe", _("Open in the browser") + " (b)", ask("browse")),
            button(_("Read it"), ask("open"), key="Enter"),
            self.queue_all,
        ):
            row.addWidget(each)
        return bar

    def _inside(self) -> QWidget:
        page = QWidget()
        column = flow(QVBoxLayout(page), 0, (SIDE, 16, SIDE, 24))
        self.eyebrow = label("", "meta3")
        self.title = label("", "article", wrap=True, select=True)
        self.overview = label("", "two", wrap=True, select=True)
        self._notes = flow(QVBoxLayout(), 6)
        for each in (self.eyebrow, self.title, self.overview):
            column.addWidget(each)
            column.addSpacing(look().px(4))
        column.addLayout(self._notes)
        column.addSpacing(look().px(8))
        column.addWidget(self.table)
        column.addSpacing(look().px(16))
        self._below = flow(QHBoxLayout(), 44)
        self._below.addWidget(self.text, 63)
        self._below.addWidget(self.aside, 37)
        for body in (self.text, self.aside):
            self._below.setAlignment(body, Qt.AlignmentFlag.AlignTop)
        column.addLayout(self._below)
        column.addStretch(1)
        return page

    def _foot(self) -> QWidget:
        """Make the line that says what stayed empty, and how many references there are."""
        self.foot = QWidget()
        self.foot.setObjectName("list")
        self.foot.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.foot.setProperty("edge", "top")
        self.foot.setFixedHeight(look().px(28))
        row = flow(QHBoxLayout(self.foot), 8, (16, 1, 14, 0))
        self.left_empty, self.references = yielding(label("", "meta")), label("", "meta")
        row.addWidget(icon_label("digest", look().tokens.ink3))
        row.addWidget(self.left_empty, 1)
        row.addWidget(self.references)
        return self.foot

    def _show_foot(self, parsed: ParsedDigest) -> None:
        empty, count = parsed.empty_sections, len(parsed.references)
        several = _("{n} sections stayed empty").format(n=len(empty))
        said = "" if not empty else " ".join(empty[0].split()) if len(empty) == 1 else several
        self.left_empty.setText(said)
        self.left_empty.setToolTip("\n".join(empty))
        text = ngettext("{n} reference", "{n} references", count).format(n=count)
        self.references.setText(text if count else "")
        self.foot.setVisible(bool(said or count))

    def _connect(self) -> None:
        self.table.selectionModel().currentRowChanged.connect(self._moved)
        self.table.doubleClicked.connect(lambda _index: self.wanted.emit("open"))
        self.table.clicked.connect(self._clicked)
        for each in (self.text, self.aside):
            each.followed.connect(self.followed)

    def show_quick(self, quick: Quick, current: str | None) -> None:
        """Show a digest with one of its items chosen, the first where it has no such."""
        same = self.shown is not None and self.shown.digest.id == quick.digest.id
        if quick == self.shown:
            self.choose(current)
            return
        self.shown = quick
        self._show_top(quick)
        before, height = self.current_id, self.area.verticalScrollBar().value()
        self.model.show(quick.items, quick.told)
        self.table.setVisible(bool(quick.items))
        self.table.lay()
        self.aside.show_body(text.aside(quick))
        self.text.setVisible(bool(quick.items))
        if not self.choose(current or before):
            self.table.choose(0)
        self.area.verticalScrollBar().setValue(height if same else 0)

    def _show_top(self, quick: Quick) -> None:
        parsed = quick.digest.parsed
        name = quick.feed or digest_name(quick.digest)
        self.name.setText(name)
        count = ngettext("{n} update", "{n} updates", len(quick.items)).format(n=len(quick.items))
        sources = {each.url or each.title for item in quick.items for each in item.sources}
        said = ngettext("{n} source", "{n} sources", len(sources)).format(n=len(sources))
        when = parsed.date.isoformat() if parsed.date else ""
        self.eyebrow.setText(" · ".join(each for each in (name, when, count, said) if each))
        self.title.setText(parsed.title)
        self.overview.setText(parsed.overview)
        self.overview.setVisible(bool(parsed.overview))
        self.queue_all.setEnabled(bool(quick.items))
        self._show_foot(parsed)
        clear(self._notes)
        first = (_("The digest says it is incomplete"),) if parsed.incomplete else ()
        lines = (*first, *parsed.notices, *parsed.not_understood)
        if lines:
            self._notes.addWidget(note("warn", lines[0], lines[1:]))

    @property
    def current(self) -> Item | None:
        """The item that is chosen."""
        row = self.table.currentIndex().row()
        return self.model.items[row] if 0 <= row < len(self.model.items) else None

    @property
    def current_id(self) -> str | None:
        """The id of the item that is chosen."""
        return self.current.id if self.current is not None else None

    def choose(self, id_: str | None) -> bool:
        """Choose an item by its id; False where it is not here."""
        ids = [each.id for each in self.model.items]
        return id_ in ids and self.table.choose(ids.index(id_))

    def step(self, step: int) -> bool:
        """Go to the next (1) or previous (-1) item."""
        return self.table.choose(self.table.currentIndex().row() + step)

    def show_running(self, id_: str | None) -> None:
        """Show which item a check runs for."""
        self.model.running = id_
        self.table.lay()
        self.table.viewport().update()

    def page(self) -> bool:
        """Scroll one page on; False at the end."""
        bar = self.area.verticalScrollBar()
        if bar.value() >= bar.maximum():
            return False
        bar.setValue(bar.value() + max(20, bar.pageStep() - look().px(40)))
        return True

    def _moved(self, index: QModelIndex, _before: QModelIndex) -> None:
        item = self.current
        if item is None or not index.isValid():
            return
        self.text.show_body(text.chosen(item, self.model.told[index.row()]))
        starred, t = item.marks.starred, look().tokens
        show_tool(self.star, "star-on" if starred else "star", t.star if starred else "")
        self.selected.emit(item.id)
        QTimer.singleShot(0, self, self._reveal)

    def _reveal(self) -> None:
        row = self.table.currentIndex().row()
        if row < 0:
            return
        top = self.table.y() + self.table.viewport().y() + self.table.rowViewportPosition(row)
        bar, high = self.area.verticalScrollBar(), self.table.rowHeight(row)
        if row == 0 and top + high < bar.pageStep():
            bar.setValue(0)
        elif top < bar.value() or high > bar.pageStep():
            bar.setValue(top)
        elif top + high > bar.value() + bar.pageStep():
            bar.setValue(top + high - bar.pageStep())

    def _clicked(self, index: QModelIndex) -> None:
        if self.model.stacked or COLUMNS[index.column()] != STATE:
            return
        if not self.model.told_of(index.row()).state:
            self.wanted.emit("queue")

    def resizeEvent(self, event: QResizeEvent) -> None:
        narrow = event.size().width() < look().px(STACKED)
        ways = QBoxLayout.Direction
        self._below.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)
        super().resizeEvent(event)
