"""Questions that need a few words: feed address, tags, due date, state; keys; commands; doctor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from PySide6.QtCore import QDate, Qt
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QDateEdit,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from reader.gui.commands import Command, commands
from reader.gui.parts import Keys, button, flow, label
from reader.gui.theme import look
from reader.language import _


class Ask(QDialog):
    """A window of a few words that ends in yes or no; never blocks."""

    def __init__(self, parent: QWidget, title: str, lead: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setModal(True)
        self.setMinimumWidth(min(look().px(440), parent.window().width()))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.column = flow(QVBoxLayout(self), 10, (20, 18, 20, 16))
        self.column.addWidget(label(title, "inspector", wrap=True))
        if lead:
            self.column.addWidget(label(lead, "two", wrap=True))
        self.body = flow(QVBoxLayout(), 8)
        self.column.addLayout(self.body)

    def finish(self, yes: str, then: Callable[[], None]) -> None:
        """Add the two buttons; `then` is called on yes."""
        kinds = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        ok = box.button(kinds.Ok)
        ok.setText(yes)
        ok.setProperty("kind", "go")
        ok.setDefault(True)
        for each in (ok, box.button(kinds.Cancel)):
            each.setIcon(QIcon())  # some platforms put small pictures of their own there
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        self.accepted.connect(then)
        self.column.addWidget(box)
        self.open()


def fit(dialog: QDialog, wide: int, high: int) -> None:
    """Give a page the size of the drawings, but no more than its window has."""
    over = dialog.parentWidget()
    room = over.window().size() if over is not None else dialog.screen().availableSize()
    edge = look().px(24)
    dialog.resize(
        min(look().px(wide), max(240, room.width() - edge)),
        min(look().px(high), max(200, room.height() - edge)),
    )


def ask_line(
    parent: QWidget,
    title: str,
    lead: str,
    value: str,
    yes: str,
    then: Callable[[str], None],
    *,
    hint: str = "",
) -> QLineEdit:
    """Ask for one line of text."""
    asked = Ask(parent, title, lead)
    field = QLineEdit(value)
    field.setAccessibleName(title)
    field.setPlaceholderText(hint)
    asked.body.addWidget(field)
    asked.finish(yes, lambda: then(field.text()))
    field.setFocus()
    return field


def ask_date(parent: QWidget, value: date | None, then: Callable[[date | None], None]) -> None:
    """Ask for a due date, or none."""
    asked = Ask(parent, _("Due date"), "")
    start = value or date.today() + timedelta(days=2)  # noqa: DTZ011  (a day as the user sees it)
    field = QDateEdit(QDate(start.year, start.month, start.day))
    field.setCalendarPopup(True)
    field.setAccessibleName(_("Due date"))
    field.setDisplayFormat("yyyy-MM-dd")
    asked.body.addWidget(field)

    def none() -> None:
        asked.reject()
        then(None)

    row = flow(QHBoxLayout(), 8)
    row.addWidget(button(_("No date"), none, kind="flat"))
    row.addStretch(1)
    asked.body.addLayout(row)

    def chosen() -> None:
        day = field.date()
        then(date(day.year(), day.month(), day.day()))

    asked.finish(_("Set"), chosen)
    field.setFocus()


def ask_choice(
    parent: QWidget, title: str, choices: Sequence[tuple[str, Callable[[], None]]]
) -> None:
    """Ask for one of a few choices."""
    asked = Ask(parent, title)
    listed = QListWidget()
    listed.setAccessibleName(title)
    for text, _then in choices:
        listed.addItem(QListWidgetItem(text))
    listed.setCurrentRow(0)
    listed.setFixedHeight(look().px(30) * len(choices) + look().px(10))
    listed.itemDoubleClicked.connect(lambda _item: asked.accept())
    asked.body.addWidget(listed)

    def chosen() -> None:
        _text, then = choices[max(0, listed.currentRow())]
        then()

    asked.finish(_("Set"), chosen)
    listed.setFocus()


def ask_yes(parent: QWidget, title: str, text: str, yes: str, then: Callable[[], None]) -> None:
    """Ask before something that takes room or time."""
    asked = Ask(parent, title, text)
    asked.finish(yes, then)


def tell(parent: QWidget, title: str, text: str, details: str = "") -> None:
    """Tell something that should not be missed."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(title)
    box.setText(text)
    if details:
        box.setDetailedText(details)
    box.open()


class KeysOverview(QDialog):
    """All keys on one page."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("All keys"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = flow(QVBoxLayout(self), 12, (24, 20, 24, 18))
        column.addWidget(label(_("All keys"), "inspector"))
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAccessibleName(_("All keys"))
        area.setWidget(self._page())
        column.addWidget(area, 1)
        row = flow(QHBoxLayout(), 0)
        row.addStretch(1)
        row.addWidget(button(_("Close"), self.accept, key="Esc"))
        column.addLayout(row)
        fit(self, 940, 700)

    def _page(self) -> QWidget:
        page = QWidget()
        row = flow(QHBoxLayout(page), 36)
        groups: dict[str, list[Command]] = {}
        for each in commands():
            if each.caps:
                groups.setdefault(each.group, []).append(each)
        columns = [flow(QVBoxLayout(), 4) for _place in range(3)]
        high = [0, 0, 0]
        for name, inside in groups.items():
            place = high.index(min(high))
            high[place] += len(inside) + 2
            self._group(columns[place], name, inside)
        for column in columns:
            column.addStretch(1)
            row.addLayout(column, 1)
        return page

    def _group(self, column: QVBoxLayout, name: str, inside: Sequence[Command]) -> None:
        column.addWidget(label(name, "caption"))
        for each in inside:
            caps = [cap for part in each.caps for cap in part.split(" ")]
            column.addWidget(Keys(caps, each.text))
        if name == _("Read"):
            column.addWidget(Keys(("Alt+1", "…", "Alt+9"), _("filter by a layer")))
        column.addSpacing(look().px(14))


class Palette(QDialog):
    """Every command by its name."""

    def __init__(self, parent: QWidget, chosen: Callable[[str], None]) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Commands"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fit(self, 520, 420)
        self._chosen = chosen
        self._commands = [each for each in commands() if each.name != "palette"]
        column = flow(QVBoxLayout(self), 8, (14, 14, 14, 14))
        self.field = QLineEdit()
        self.field.setPlaceholderText(_("Type a command"))
        self.field.setAccessibleName(_("Type a command"))
        self.field.textChanged.connect(self._filter)
        self.list = QListWidget()
        self.list.setAccessibleName(_("Commands"))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.itemClicked.connect(lambda _item: self._accept())
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        self._filter("")

    def _filter(self, text: str) -> None:
        self.list.clear()
        wanted = text.casefold().split()
        for each in self._commands:
            name = f"{each.text} {each.name} {each.group}".casefold()
            if all(word in name for word in wanted):
                caps = f"    {' '.join(each.caps)}" if each.caps else ""
                item = QListWidgetItem(f"{each.text}{caps}")
                item.setData(Qt.ItemDataRole.UserRole, each.name)
                self.list.addItem(item)
        self.list.setCurrentRow(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if step:
            row = self.list.currentRow() + step
            self.list.setCurrentRow(max(0, min(self.list.count() - 1, row)))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._accept()
        else:
            super().keyPressEvent(event)

    def _accept(self) -> None:
        item = self.list.currentItem()
        self.accept()
        if item is not None:
            self._chosen(str(item.data(Qt.ItemDataRole.UserRole)))


class TextPage(QDialog):
    """A page of lines: the doctor's report, a comparison, what an import refused."""

    def __init__(self, parent: QWidget, title: str, lines: Sequence[tuple[str, str]]) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fit(self, 720, 520)
        column = flow(QVBoxLayout(self), 12, (24, 20, 24, 18))
        column.addWidget(label(title, "inspector"))
        page = QWidget()
        grid = QGridLayout(page)
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(look().px(20))
        grid.setVerticalSpacing(look().px(5))
        for place, (name, text) in enumerate(lines):
            first = label(name, "caption" if not text else "three", wrap=bool(text))
            grid.addWidget(first, place, 0, 1, 1 if text else 2, Qt.AlignmentFlag.AlignTop)
            if text:
                grid.addWidget(label(text, "", wrap=True, select=True), place, 1)
        grid.setRowStretch(len(lines), 1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAccessibleName(title)
        area.setWidget(page)
        column.addWidget(area, 1)
        row = flow(QHBoxLayout(), 0)
        row.addStretch(1)
        row.addWidget(button(_("Close"), self.accept, key="Esc"))
        column.addLayout(row)
