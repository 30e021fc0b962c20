"""The bar over the queue: open or settled, what fits this machine, tags, due dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from reader.gui import words
from reader.gui.filters import menu_button, show_chosen
from reader.gui.parts import flow
from reader.gui.queued import Queued, QueueFilters, due_names
from reader.language import _


class QueueBar(QWidget):
    """Narrows the queue; counts stand beside every choice."""

    changed = Signal(object)  # QueueFilters

    def __init__(self) -> None:
        super().__init__()
        self.filters = QueueFilters()
        self._found: Sequence[Queued] = ()
        self._today = date.min
        self.setProperty("edge", "bottom")
        self.row = flow(QHBoxLayout(self), 6, (12, 6, 12, 6))
        self.settled = menu_button(self, _("Open and settled"), self._settled_menu)
        self.fits = QPushButton(_("Fits this machine"), self)
        self.fits.setCheckable(True)
        self.fits.setAutoDefault(False)
        self.fits.setAccessibleName(_("Fits this machine"))
        self.fits.clicked.connect(lambda on: self._set(replace(self.filters, fits=on)))
        self.tags = menu_button(self, _("Tags"), self._tags_menu)
        self.due = menu_button(self, _("Due"), self._due_menu)
        for each in (self.settled, self.fits, self.tags, self.due):
            self.row.addWidget(each)
        self.row.addStretch(1)

    def _set(self, filters: QueueFilters) -> None:
        self.changed.emit(filters)

    def show_state(self, filters: QueueFilters, found: Sequence[Queued], today: date) -> None:
        """Show the filters in force over the whole queue."""
        self.filters, self._found, self._today = filters, found, today
        names = {None: [], True: [_("Settled")], False: [_("Still open")]}
        show_chosen(self.settled, _("Open and settled"), names[filters.settled])
        self.fits.setChecked(filters.fits)
        show_chosen(self.tags, _("Tags"), [f"#{each}" for each in filters.tags])
        show_chosen(self.due, _("Due"), [due_names()[filters.due]] if filters.due else [])

    def _add(self, menu: QMenu, text: str, wanted: QueueFilters, *, chosen: bool) -> None:
        left = len(wanted.keep(self._found, self._today))
        action = menu.addAction(f"{text}\t{words.amount(left)}")
        action.setCheckable(True)
        action.setChecked(chosen)
        action.triggered.connect(lambda _on=False: self._set(wanted))

    def _settled_menu(self, menu: QMenu) -> None:
        choices = ((_("Open and settled"), None), (_("Still open"), False), (_("Settled"), True))
        for text, value in choices:
            wanted = replace(self.filters, settled=value)
            self._add(menu, text, wanted, chosen=self.filters.settled is value)

    def _tags_menu(self, menu: QMenu) -> None:
        known = Counter(tag for each in self._found for tag in each.entry.tags)
        held = self.filters.tags
        for tag in sorted({*known, *held}):
            rest = tuple(each for each in held if each != tag)
            wanted = replace(self.filters, tags=rest if tag in held else (*held, tag))
            self._add(menu, f"#{tag}", wanted, chosen=tag in held)
        if not known and not held:
            menu.addAction(_("No tags in the queue")).setEnabled(False)

    def _due_menu(self, menu: QMenu) -> None:
        for key, text in {"": _("Any date"), **due_names()}.items():
            wanted = replace(self.filters, due=key)
            self._add(menu, text, wanted, chosen=self.filters.due == key)
