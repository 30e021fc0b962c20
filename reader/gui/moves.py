"""Commands that move: along a list, into a story and back, between digests and panes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from reader.gui import views
from reader.gui.filters import Filters
from reader.gui.reading import NOTES
from reader.language import _

if TYPE_CHECKING:
    from reader.gui.window import Window


class Moves:
    """Goes where a command says."""

    def __init__(self, window: Window) -> None:
        self._window = window

    def next(self) -> None:
        """Go on by one."""
        self._move(1)

    def previous(self) -> None:
        """Go back by one."""
        self._move(-1)

    def _move(self, step: int) -> None:
        window = self._window
        mover: dict[str, Callable[[int], object]] = {
            "stories": (window.stories.quick_shown or window.list).step,
            "queue": window.queue.table.step,
            "runs": window.runs.step,
            "feeds": window.feeds.table.step,
            "start": window.start.step,
        }
        mover[self._window.page](step)

    def next_unread(self) -> None:
        """Go to the next unread story, or say that the list is done."""
        if self._window.page == "stories" and not self._window.list.next_unread():
            self._done()

    def _done(self) -> None:
        window = self._window
        if window.view.key == "today":
            window.say(_("Done for today: everything here is read."))
        else:
            window.say(_("Nothing unread is left in this list."))

    def page_(self) -> None:
        """Page on, then go to the next unread."""
        shown = self._window.stories.quick_shown or self._window.reading
        if self._window.page == "stories" and not shown.page():
            self.next_unread()

    def open(self) -> None:
        """Open what is selected."""
        window = self._window
        if self._window.page == "start":
            window.start.start()
        elif self._window.page == "runs":
            window.runs.open()
        elif self._window.page == "queue" and window.queue.current:
            window.stories.show_story(window.queue.current.entry.item)
        elif self._window.page == "feeds" and window.feeds.current:
            window.go(f"feed:{window.feeds.current.id}")
        elif self._window.page == "stories":
            row = window.list.current
            if row is not None and row.id.startswith("d") and window.view.key == "digests":
                window.show_view(views.view(f"digest:{row.id}", _("Digest")))
            else:
                window.stories.show_panes()
                window.go_in()

    def back(self) -> None:
        """Go back to the list, or to the digests."""
        if self._window.stories.leave_panes():
            return
        if self._window.view.key.startswith("digest:"):
            self._window.go("digests")
        else:
            self._window.go_back()

    def search(self) -> None:
        """Go to the search field."""
        if self._window.page == "queue":
            self._window.queue.search.setFocus()
            self._window.queue.search.selectAll()
            return
        if self._window.page != "stories":
            self._window.go("unread")
        self._window.stories.show_panes()
        self._window.list.search.setFocus()
        self._window.list.search.selectAll()

    def older(self) -> None:
        """Open the digest before this one."""
        self._digest(1)

    def newer(self) -> None:
        """Open the digest after this one."""
        self._digest(-1)

    def _digest(self, step: int) -> None:
        window = self._window
        key = window.view.key
        opened = window.reading.opened
        here = key.partition(":")[2] if key.startswith("digest:") else None
        if here is None and opened is not None:
            here = getattr(opened.story, "digest", None)

        def found(ids: list[str]) -> None:
            place = ids.index(here) + step if here in ids else 0
            if 0 <= place < len(ids):
                window.show_view(views.view(f"digest:{ids[place]}", _("Digest")))

        window.desk.ask(lambda store: store.library.ids(views.query_of("digests")), found)

    def next_pane(self) -> None:
        """Give the keyboard to the next pane."""
        window = self._window
        if self._window.page != "stories":
            tree = window.sidebar.tree
            (window.focus_list if tree.hasFocus() else tree.setFocus)()
            return
        panes = [
            window.sidebar.tree,
            window.list.table,
            window.reading.browser,
            window.verify.table,
        ]
        quick = window.stories.quick_shown
        if quick is not None:
            panes = [window.sidebar.tree, quick.table, quick.text, quick.aside]
        panes = [each for each in panes if each.isVisible()]
        here = next((n for n, each in enumerate(panes) if each.hasFocus()), -1)
        panes[(here + 1) % len(panes)].setFocus()

    def browse(self) -> None:
        """Open the source in the browser."""
        window = self._window
        if self._window.page == "feeds" and window.feeds.current:
            QDesktopServices.openUrl(QUrl(window.feeds.current.url))
        elif window.reading.opened is not None:
            url = window.reading.opened.story.url
            if url:
                QDesktopServices.openUrl(QUrl(url))
            else:
                window.say(_("It names no address."))

    def cancel(self) -> None:
        """Leave the search field, else cancel what runs, else clear the filters."""
        window = self._window
        if self._searching():
            self._clear()
            return
        if window.jobs.cancel_run():
            if window.proofs.view is not None:
                window.proofs.view.cancelling()
            return
        if window.jobs.syncing:
            window.jobs.cancel_sync()
            window.focus_list()
        else:
            self._clear()

    def _searching(self) -> bool:
        """Whether the keyboard is in a search field: what runs goes on then."""
        fields = {"queue": self._window.queue.search, "stories": self._window.list.search}
        field = fields.get(self._window.page)
        return field is not None and field.hasFocus()

    def _clear(self) -> None:
        """Clear the filters, and give the keyboard back to the list."""
        window = self._window
        if window.page == "queue":
            window.queue.clear_filters()
        elif window.page == "stories" and window.list.filters.chips():
            window.list.change(Filters())
        window.focus_list()

    def note(self) -> None:
        """Write a note on the story that is shown."""
        window = self._window
        if self._window.page == "stories":
            window.stories.show_panes()
            window.reading.show_tab(NOTES)
            window.reading.notes.setFocus()

    def keep_note(self) -> None:
        """Keep what was written."""
        self._window.reading.keep_note()
        self._window.focus_list()
