"""A list with nothing in it: why, and the next step."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from reader.gui.filters import Filters
from reader.gui.parts import button, clear, flow, icon_label, keycap, label, rule
from reader.gui.theme import look
from reader.gui.views import Listing, View
from reader.language import _, ngettext


class EmptyPage(QWidget):
    """Says why a list is empty; text stands at the left, with one action."""

    loosened = Signal(object)  # the filters that remain
    wanted = Signal(str)  # the name of a command

    def __init__(self) -> None:
        super().__init__()
        self._state: object = None
        self._column = flow(QVBoxLayout(self), 6, (48, 64, 48, 48))
        self._column.setAlignment(Qt.AlignmentFlag.AlignTop)

    def show_state(self, view: View, filters: Filters, listing: Listing) -> None:
        """Say why this view shows nothing through these filters."""
        state = (view.key, view.title, filters, listing.loosened)
        if state == self._state:
            return
        clear(self._column)
        if filters.chips():
            self._loosen(filters, listing)
        else:
            self._say(view)
        self._state = state

    def say(
        self, icon: str, title: str, lines: tuple[str, ...], action: tuple[str, str, str]
    ) -> None:
        """Show a page: icon, title, lines, and an action as text, key and command."""
        self._state = None
        clear(self._column)
        self._column.addWidget(icon_label(icon, look().tokens.ink3, 24))
        self._column.addSpacing(look().px(6))
        self._column.addWidget(label(title, "pane", wrap=True))
        for line in lines:
            self._column.addWidget(label(line, "two", wrap=True))
        text, key, command = action
        if text:
            row = flow(QHBoxLayout(), 0, (0, 12, 0, 0))
            made = button(text, lambda: self.wanted.emit(command), key=key)
            self.setFocusProxy(made)
            row.addWidget(made)
            row.addStretch(1)
            self._column.addLayout(row)

    def _say(self, view: View) -> None:
        texts = {
            "today": (
                _("Nothing new today"),
                (_("What arrives with the next sync stands here."),),
                (_("Read the unread"), "g u", "unread"),
            ),
            "unread": (
                _("All read"),
                (_("Everything that came has been read."),),
                (_("Look at the queue"), "g q", "queue"),
            ),
            "starred": (
                _("No stars yet"),
                (_("Press s on a story to keep it here."),),
                (_("To today"), "g t", "today"),
            ),
            "digests": (
                _("No digests yet"),
                (_("Import one, or subscribe to a digest site."),),
                (_("Import…"), "", "import"),
            ),
        }
        other = (
            _("Nothing here yet"),
            (_("The next sync may bring something."),),
            (_("Sync all"), "S", "sync"),
        )
        title, lines, action = texts.get(view.key, other)
        self.say(view.icon if view.icon != "tag" else "tag", title, lines, action)

    def _loosen(self, filters: Filters, listing: Listing) -> None:
        chips = filters.chips()
        counts = listing.loosened or (0,) * len(chips)
        pairs = zip(chips, counts, strict=False)
        self.offer_ways([(name, rest, count) for (name, rest), count in pairs], Filters())

    def offer_ways(self, ways: Sequence[tuple[str, object, int]], none: object) -> None:
        """Offer the removal of each filter, by how many stories it brings; and of all."""
        self._state = None
        clear(self._column)
        title = (
            _("Nothing matches this filter") if len(ways) == 1 else _("Nothing has all of these")
        )
        self._column.addWidget(label(title, "pane"))
        self._column.addWidget(label(_("Loosen one:"), "two"))
        self._column.addSpacing(look().px(6))
        for name, rest, count in sorted(ways, key=lambda way: -way[2]):
            line = ngettext("{n} story", "{n} stories", count).format(n=count)
            self._line(_("Without {filter}").format(filter=name), label(line, "two"), rest)
        self._line(_("Clear all filters"), keycap("Esc"), none)

    def _line(self, text: str, right: QWidget, rest: object) -> None:
        self._column.addWidget(rule())
        row = flow(QHBoxLayout(), 8, (0, 4, 0, 4))
        made = button(text, lambda: self.loosened.emit(rest), kind="link")
        self.setFocusProxy(made)
        row.addWidget(made)
        row.addStretch(1)
        row.addWidget(right)
        self._column.addLayout(row)
