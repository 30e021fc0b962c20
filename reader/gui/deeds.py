"""Commands of the window, one method each, named as in `commands`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QFileDialog, QMenu

from reader.gui import dialogs
from reader.gui.beside import Beside
from reader.gui.commands import commands
from reader.gui.looks import Looks
from reader.gui.moves import Moves
from reader.gui.trials import Trials
from reader.language import _
from reader.model import Entry, Item

if TYPE_CHECKING:
    from reader.gui.window import Window
    from reader.rules import Rule
    from reader.sync import ImportResult

VIEWS = {
    "today": "today",
    "unread": "unread",
    "starred": "starred",
    "queue_view": "queue",
    "runs": "runs",
    "digests": "digests",
    "feeds": "feeds",
    "start": "start",
}


class Deeds:
    """Does what commands say."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self.moves, self.trials, self.looks = Moves(window), Trials(window), Looks(window)
        self.beside = Beside(window)

    def do(self, name: str) -> None:
        """Do the command of a name."""
        if name in VIEWS:
            self._window.go(VIEWS[name])
            return
        parts = (self.moves, self.trials, self.looks, self.beside, self._window.acts)
        for part in (self, *parts):
            deed = getattr(part, f"{name}_", None) or getattr(part, name, None)
            if deed is not None:
                deed()
                return
        raise LookupError(name)

    # ── feeds and files ──────────────────────────────────────────────────────────────────────

    def sync(self) -> None:
        """Fetch all feeds."""
        if self._window.shelf is not None and not self._window.shelf.sources:
            self._window.go("feeds")
            self._window.say(_("There is nothing to fetch yet: subscribe first."))
            return
        self._window.jobs.sync()

    def bundled(self) -> None:
        """Subscribe to the sources that ship with the app, then fetch them."""
        window = self._window
        window._leave_start()

        def work(store: Any) -> None:
            from reader import sync

            sync.subscribe_bundled(store)

        def done(_result: None) -> None:
            window.go("today" if window.view.key == "start" else window.view.key)
            window.jobs.sync()

        window.desk.write(work, done)

    def add(self) -> None:
        """Ask for an address, show what would come, and subscribe to it."""
        from reader.gui.add_source import AddSource

        AddSource(self._window, self._window.desk, self._added).open()

    def source(self) -> None:
        """Change what comes of the feed that is open or chosen."""
        from reader.gui.add_source import AddSource

        window = self._window
        feed = window.feeds.current if window.page == "feeds" else None
        if feed is None:
            window.go("feeds")
            window.say(_("Choose a feed first."))
            return
        AddSource(window, window.desk, self._added, feed.url).open()

    def rules(self) -> None:
        """Show the rules over what comes in."""
        self._rules()

    def rule_like(self) -> None:
        """Begin a rule with the story that is shown."""
        from reader.gui.rules import like

        opened = self._window.reading.opened
        story = opened.story if opened is not None else None
        if opened is None or not isinstance(story, Item | Entry):
            self._window.say(_("Choose a story first."))
            return
        self._rules(like(story, opened.feed))

    def _rules(self, draft: Rule | None = None) -> None:
        from reader.gui.rules import Rules

        shown = Rules(self._window, self._window.desk, self._window.config, self._window.refresh)
        if draft is not None:
            shown.draft(draft)
        shown.open()

    def _added(self, ids: list[str]) -> None:
        for id_ in ids:
            self._window.leaving.take_back(id_)
        self._window.refresh()
        self._window.jobs.sync(ids)

    def remove(self) -> None:
        """Unsubscribe from the feed, or take the entry out of the queue."""
        window = self._window
        if self._window.page == "queue":
            window.acts.remove_queued(window.chosen_queue())
            return
        feed = window.feeds.current if self._window.page == "feeds" else None
        if feed is None:
            return
        text = _("What you starred, tagged, noted or queued of it stays.")

        title = _("Unsubscribe from {title}?").format(title=feed.title or feed.url)
        dialogs.ask_yes(
            window, title, text, _("Unsubscribe"), lambda: window.acts.unsubscribe(feed)
        )

    def import_(self) -> None:
        """Choose files to import."""
        chooser = QFileDialog(self._window, _("Import digests, feeds, OPML or a data file"))
        chooser.setFileMode(QFileDialog.FileMode.ExistingFiles)
        chooser.filesSelected.connect(
            lambda paths: self._window.jobs.import_paths([Path(each) for each in paths])
        )
        chooser.open()

    def imported(self, result: ImportResult) -> None:
        """Say what an import brought, and what it refused."""
        window = self._window
        window._leave_start()
        text = _("{digests} digests with {items} stories, {entries} posts, {feeds} feeds")
        window.say(
            text.format(
                digests=result.digests,
                items=result.items,
                entries=result.entries,
                feeds=result.feeds,
            )
        )
        lines = [(path, why) for path, why in result.refused]
        lines += [(_("Notice"), each) for each in result.notices]
        if lines:
            dialogs.TextPage(window, _("What the import says"), lines).open()
        if window.view.key == "start":
            window.go("today")

    def export_data(self) -> None:
        """Write everything that is the user's to one file."""
        window = self._window
        chooser = QFileDialog(window, _("Export data…"), "readproof-data.zip")
        chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        chooser.selectFile("readproof-data.zip")
        chooser.fileSelected.connect(
            lambda path: window.jobs.export_data(Path(path), window.said_written)
        )
        chooser.open()

    # ── the window itself ────────────────────────────────────────────────────────────────────

    def doctor(self) -> None:
        """Say what this machine has."""
        from reader.gui.doctor import lines

        bench = self._window.bench
        if bench is None:
            self._window.say(_("looking at this machine…"))
            return
        dialogs.TextPage(
            self._window, _("This machine"), lines(bench, self._window.desk.path)
        ).open()

    def keys(self) -> None:
        """Show all keys."""
        dialogs.KeysOverview(self._window).open()

    def palette(self) -> None:
        """Show all commands."""
        dialogs.Palette(self._window, self.do).open()

    def quit(self) -> None:
        """Close the window."""
        self._window.close()

    def menu(self) -> None:
        """Show every command behind the menu button."""
        menu = QMenu(self._window)
        groups: dict[str, QMenu] = {}
        for each in commands():
            if each.group not in groups:
                groups[each.group] = menu.addMenu(each.group)
            caps = f"\t{' '.join(each.caps)}" if each.caps else ""
            action = groups[each.group].addAction(f"{each.text}{caps}")
            action.triggered.connect(lambda _on=False, name=each.name: self.do(name))
        button = self._window.sidebar.menu
        place = (
            button.mapToGlobal(button.rect().bottomLeft()) if button.isVisible() else QCursor.pos()
        )
        menu.popup(place)
