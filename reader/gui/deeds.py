"""Commands of the window, one method each, named as in `commands`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QCursor, QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMenu

from reader import language as tongue
from reader import settings as settings_room
from reader.gui import dialogs, views
from reader.gui.commands import commands
from reader.gui.filters import Filters
from reader.gui.jobs import Job
from reader.gui.reading import NOTES
from reader.gui.theme import look
from reader.language import _

if TYPE_CHECKING:
    from reader.gui.window import Window
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

    def do(self, name: str) -> None:
        """Do the command of a name."""
        if name in VIEWS:
            self._window.go(VIEWS[name])
            return
        own: Callable[[], object] | None = getattr(self, f"{name}_", None) or getattr(
            self, name, None
        )
        deed = own or getattr(self._window.acts, name)
        deed()

    @property
    def page(self) -> str:
        """The page that is open."""
        from reader.gui.window import PAGES

        return PAGES[self._window.pages.currentIndex()]

    # ── moving ───────────────────────────────────────────────────────────────────────────────

    def next(self) -> None:
        """Go on by one."""
        self._move(1)

    def previous(self) -> None:
        """Go back by one."""
        self._move(-1)

    def _move(self, step: int) -> None:
        window = self._window
        mover: dict[str, Callable[[int], object]] = {
            "stories": (window.quick_shown or window.list).step,
            "queue": window.queue.table.step,
            "runs": window.runs.step,
            "feeds": window.feeds.table.step,
            "start": window.start.step,
        }
        mover[self.page](step)

    def next_unread(self) -> None:
        """Go to the next unread story, or say that the list is done."""
        if self.page == "stories" and not self._window.list.next_unread():
            self._done()

    def _done(self) -> None:
        window = self._window
        if window.view.key == "today":
            window.say(_("Done for today: everything here is read."))
        else:
            window.say(_("Nothing unread is left in this list."))

    def page_(self) -> None:
        """Page on, then go to the next unread."""
        shown = self._window.quick_shown or self._window.reading
        if self.page == "stories" and not shown.page():
            self.next_unread()

    def open(self) -> None:
        """Open what is selected."""
        window = self._window
        if self.page == "start":
            window.start.start()
        elif self.page == "runs":
            window.runs.open()
        elif self.page == "queue" and window.queue.current:
            window.show_story(window.queue.current.entry.item)
        elif self.page == "feeds" and window.feeds.current:
            window.go(f"feed:{window.feeds.current.id}")
        elif self.page == "stories":
            row = window.list.current
            if row is not None and row.id.startswith("d") and window.view.key == "digests":
                window.show_view(views.view(f"digest:{row.id}", _("Digest")))
            else:
                window.show_panes()
                window.go_in()

    def back(self) -> None:
        """Go back to the list, or to the digests."""
        if self._window.leave_panes():
            return
        if self._window.view.key.startswith("digest:"):
            self._window.go("digests")
        else:
            self._window.go_back()

    def search(self) -> None:
        """Go to the search field."""
        if self.page != "stories":
            self._window.go("unread")
        self._window.show_panes()
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
        if self.page != "stories":
            tree = window.sidebar.tree
            (window.focus_list if tree.hasFocus() else tree.setFocus)()
            return
        panes = [
            window.sidebar.tree,
            window.list.table,
            window.reading.browser,
            window.verify.table,
        ]
        quick = window.quick_shown
        if quick is not None:
            panes = [window.sidebar.tree, quick.table, quick.text, quick.aside]
        panes = [each for each in panes if each.isVisible()]
        here = next((n for n, each in enumerate(panes) if each.hasFocus()), -1)
        panes[(here + 1) % len(panes)].setFocus()

    def browse(self) -> None:
        """Open the source in the browser."""
        window = self._window
        if self.page == "feeds" and window.feeds.current:
            QDesktopServices.openUrl(QUrl(window.feeds.current.url))
        elif window.reading.opened is not None:
            url = window.reading.opened.story.url
            if url:
                QDesktopServices.openUrl(QUrl(url))
            else:
                window.say(_("It names no address."))

    def cancel(self) -> None:
        """Cancel what runs, else clear the filters, else leave the search field."""
        window = self._window
        if window.jobs.cancel_run():
            if window._running_view is not None:
                window._running_view.cancelling()
            return
        if window.jobs.syncing:
            window.jobs.cancel_sync()
        elif self.page == "stories" and window.list.filters.chips():
            window.list.change(Filters())
        window.focus_list()

    # ── checks ───────────────────────────────────────────────────────────────────────────────

    def run(self) -> None:
        """Run the check that is offered, or run again what is shown."""
        window = self._window
        if self.page == "queue":
            each = window.queue.current
            if each is not None and each.offer is not None:
                window.run_check(each.offer.check.name, each.entry.item)
        elif self.page == "runs":
            self._again()
        elif self.page == "start":
            window.start.try_first()
        elif window.quick_shown is not None:
            # The panes behind the page may still be at the row before.
            if window.quick_shown.current_id is not None:
                window.run_check("", window.quick_shown.current_id)
        elif window.reading.opened is not None:
            offer, story = window.verify.offer, window.reading.opened.story
            if offer is None:
                window.say(_("No bundled check fits it yet."))
            else:
                window.jobs.run(Job(offer, story.id, getattr(story, "title", "")))

    def _again(self) -> None:
        shown = self._window.runs.view.judged
        if shown is not None and shown.run.item:
            self._window.show_story(shown.run.item)
            self._window.run_check(shown.run.check, shown.run.item)

    def run_all(self) -> None:
        """Run every queued entry that has a check with something to show here."""
        window = self._window
        for each in window.queue.found.values():
            if each.offer is not None and each.offer.here and each.state in ("queued", "stale"):
                window.jobs.run(Job(each.offer, each.entry.item, each.entry.title))

    def log(self) -> None:
        """Show the log of what runs or ran."""
        window = self._window
        if self.page == "runs":
            window.runs.view.show_log()
        elif window._running_view is not None:
            window.show_panes()
            window.reading.show_tab("verify")
            window._running_view.log.setFocus()
        else:
            from reader.gui.verdicts import VerdictView

            found = window.reading.check.findChild(VerdictView)
            if found is not None:
                window.show_panes()
                window.reading.show_tab("verify")
                found.show_log()

    def ask_build(self, job: Job, megabytes: int, packages: str) -> None:
        """Ask before an environment is built."""
        text = _(
            "{check} needs its own Python environment with {packages}, about {size} MB on disk. "
            "It is fetched from the package index, shared by checks with the same needs, "
            "and can be removed."
        ).format(check=job.check, packages=packages, size=megabytes)
        dialogs.ask_yes(
            self._window,
            _("Build an environment?"),
            text,
            _("Build and run"),
            lambda: self._window.jobs.build(job),
        )

    def compare(self, one: str | None = None, other: str | None = None) -> None:
        """Show what changed between two runs."""
        window = self._window
        shown = window.runs.view.judged
        if one is None or other is None:
            if shown is None or shown.earlier is None:
                window.say(_("There is no earlier run of this check."))
                return
            one, other = shown.earlier, shown.run.id
        first, second = one, other

        def work(store: Any) -> list[tuple[str, str]]:
            from reader.report.difference import difference
            from reader.report.words import amount

            found = difference(store.runs.get(first), store.runs.get(second))
            return [
                (
                    f"{each['part']} · {each['name']}",
                    f"{amount(each['first'])} → {amount(each['second'])}",
                )
                for each in found
            ]

        def show(lines: list[tuple[str, str]]) -> None:
            title = _("What changed from {one} to {other}").format(one=first, other=second)
            dialogs.TextPage(
                window, title, lines or [(_("The two runs do not differ."), "")]
            ).open()

        window.desk.ask(work, show)

    def export(self) -> None:
        """Write a report of the run, the queue or the item that is shown."""
        window = self._window
        run = item = None
        queue = self.page == "queue"
        if self.page == "runs" and window.runs.view.judged:
            run = window.runs.view.judged.run.id
        elif self.page == "stories" and window.reading.opened:
            item = window.reading.opened.story.id
        if not (run or item or queue):
            return
        name = f"readproof-{run or item or 'queue'}.html"
        chooser = QFileDialog(window, _("Export report"), name)
        chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        chooser.setNameFilters(["HTML (*.html)", "Markdown (*.md)", "JSON (*.json)"])
        chooser.setDefaultSuffix("html")
        chooser.selectFile(name)
        chooser.fileSelected.connect(
            lambda path: window.jobs.export_report(
                Path(path), self._exported, run=run, item=item, queue=queue
            )
        )
        chooser.open()

    def _exported(self, target: Path) -> None:
        self._window.say(_("Written: {path}").format(path=target))

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
        """Ask for an address and subscribe to it."""
        window = self._window

        def given(url: str) -> None:
            if not url.strip():
                return
            window.say(_("looking for a feed…"))
            window.desk.run(
                lambda _task: _subscribe(window.desk.path, url), self._added, name="subscribe"
            )

        lead = _("A feed, a site, a GitHub repository, an arXiv category, or a folder.")
        dialogs.ask_line(
            window,
            _("Add feed"),
            lead,
            "",
            _("Subscribe"),
            given,
            hint="https://github.com/triton-lang/triton",
        )

    def _added(self, ids: list[str]) -> None:
        self._window.refresh()
        self._window.jobs.sync(ids)

    def remove(self) -> None:
        """Unsubscribe from the feed, or take the entry out of the queue."""
        window = self._window
        if self.page == "queue":
            window.acts.remove_queued(window.chosen_queue())
            return
        feed = window.feeds.current if self.page == "feeds" else None
        if feed is None:
            return
        text = _("What you starred, tagged, noted or queued of it stays.")

        def yes() -> None:
            window.desk.write(
                lambda store: store.feeds.remove(feed.id),
                lambda kept: window.say(_("Unsubscribed; {n} entries stay.").format(n=kept)),
            )

        title = _("Unsubscribe from {title}?").format(title=feed.title or feed.url)
        dialogs.ask_yes(window, title, text, _("Unsubscribe"), yes)

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
            lambda path: window.jobs.export_data(Path(path), self._exported)
        )
        chooser.open()

    # ── the window itself ────────────────────────────────────────────────────────────────────

    def note(self) -> None:
        """Write a note on the story that is shown."""
        window = self._window
        if self.page == "stories":
            window.show_panes()
            window.reading.show_tab(NOTES)
            window.reading.notes.setFocus()

    def keep_note(self) -> None:
        """Keep what was written."""
        self._window.reading.keep_note()
        self._window.focus_list()

    def bigger(self) -> None:
        """Zoom in."""
        self._zoom(look().zoom + 10)

    def smaller(self) -> None:
        """Zoom out."""
        self._zoom(look().zoom - 10)

    def normal(self) -> None:
        """Show everything at its own size."""
        self._zoom(100)

    def _zoom(self, zoom: int) -> None:
        zoom = min(200, max(80, zoom))
        look().set(zoom=zoom)
        self._settled(zoom=zoom)

    def light(self) -> None:
        """Use the light colours."""
        self._theme("light")

    def dark(self) -> None:
        """Use the dark colours."""
        self._theme("dark")

    def system_theme(self) -> None:
        """Follow the system's colours."""
        self._theme("")

    def _theme(self, theme: str) -> None:
        look().set(theme=theme)
        self._settled(theme=theme)

    def chinese(self) -> None:
        """Speak Chinese."""
        self._speak("zh")

    def english(self) -> None:
        """Speak English."""
        self._speak("en")

    def _speak(self, language: str) -> None:
        from reader.gui.app import translate

        tongue.set_language(language)
        translate()
        self._settled(language=language)
        self._window.rebuild()

    def choose_toolkit(self, folder: str) -> None:
        """Let this and later runs use a CUDA toolkit; remembered."""
        self._window.jobs.choose_toolkit(folder)
        self._settled(cuda=folder)

    def _settled(self, **changes: Any) -> None:
        window = self._window
        window.settings = replace(window.settings, **changes)
        chosen, config = window.settings, window.config
        window.desk.run(lambda _task: settings_room.save(config, chosen), name="settings")

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


def _subscribe(path: Path, url: str) -> list[str]:
    from reader import sync

    return [each.id for each in sync.subscribe(path, url)]
