"""The main window: three panes, a page for each view, and what happens between them."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import (
    QCloseEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QWidget,
)

from reader import settings as settings_room
from reader.gui import icons, views, workbench
from reader.gui.acts import Acts
from reader.gui.commands import commands
from reader.gui.deeds import Deeds
from reader.gui.desk import Desk
from reader.gui.folder_watch import FolderWatch
from reader.gui.frame import PAGES, Frame
from reader.gui.idle import Idle
from reader.gui.jobs import Jobs
from reader.gui.leaving import Leaving
from reader.gui.memory import Memory
from reader.gui.proofs import Proofs
from reader.gui.reading import VERIFY
from reader.gui.stories import Stories
from reader.gui.views import Shelf, View
from reader.gui.workbench import Bench
from reader.language import _

if TYPE_CHECKING:
    from reader.gui.first_start import Welcome
    from reader.gui.queued import Queued
    from reader.store import Store
    from reader.tasks import Task

PANES = ("stories", "reading", "quick", "running", "queue", "runs", "feeds")
SAID_MS = 6000
PAINT_MS = 30  # what the first paint does not need waits this long for it


class Window(Frame):
    """One window on one store."""

    def __init__(self, desk: Desk, config: Path, settings: settings_room.Settings) -> None:
        super().__init__(desk, Memory.load(config))
        self.config, self.settings = config, settings
        self.bench: Bench | None = None
        self.shelf: Shelf | None = None
        self.view = views.view("today")
        self.started = False
        self._closed = False
        self._said = QTimer(self)
        self._said.setSingleShot(True)
        self._said.setInterval(SAID_MS)
        self._said.timeout.connect(lambda: self.status.say(""))
        self.setAcceptDrops(True)
        self.setWindowIcon(icons.icon("mark", "#000", 64))
        self.jobs = Jobs(desk, settings.check_folders, settings.cuda)
        self.jobs.config = config
        self.jobs.chosen = settings
        self.folders = FolderWatch(desk, self.jobs, self)
        self.acts, self.deeds = Acts(self), Deeds(self)
        self.stories, self.proofs = Stories(self), Proofs(self)
        self.idle, self.leaving = Idle(self), Leaving(desk)
        self.build()
        self._connect_jobs()
        self._shortcuts()
        desk.changed.connect(self.refresh)
        desk.failed.connect(self.say)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._focus_moved)
        self.restore_size()

    # ── building ─────────────────────────────────────────────────────────────────────────────

    def connect_panes(self) -> None:
        self.sidebar.chosen.connect(self.show_view)
        self.sidebar.menu_wanted.connect(self.deeds.menu)
        self.sidebar.sync_wanted.connect(lambda: self.command("sync"))
        self.sidebar.machine.clicked.connect(lambda: self.command("doctor"))
        self.list.selected.connect(self.stories.selected)
        self.list.filters_changed.connect(lambda _filters: self.load(keep=False))
        self.list.opened.connect(lambda: self.command("open"))
        self.reading.star.connect(lambda: self.command("star"))
        self.reading.tags.connect(lambda: self.command("tags"))
        self.reading.browse.connect(lambda: self.command("browse"))
        self.reading.queue.connect(lambda: self.command("queue"))
        self.reading.followed.connect(self.stories.follow)
        self.reading.noted.connect(self.acts.note)
        self.reading.wanted.connect(self.command)
        self.reading.tab_changed.connect(self.stories.tab_changed)
        self.verify.run.connect(lambda _name: self.command("run"))
        self.verify.show_run.connect(self.proofs.show_run)
        self.verify.toolkit_chosen.connect(self.deeds.looks.choose_toolkit)
        self.list.empty.wanted.connect(self.command)
        self.status.cancelled.connect(self.jobs.cancel_sync)

    def connect_pages(self) -> None:
        self.queue.run.connect(self.proofs.run_check)
        self.queue.open_item.connect(self.stories.show_story)
        self.queue.open_run.connect(self.proofs.show_run)
        self.queue.tags.connect(lambda: self.command("tags"))
        self.queue.state.connect(lambda: self.command("state"))
        self.runs.view.rerun.connect(lambda _run: self.command("run"))
        self.runs.view.export.connect(lambda _run: self.command("export"))
        self.runs.view.compare.connect(self.deeds.trials.compare)
        self.feeds.try_now.connect(lambda id_: self.jobs.sync([id_]))
        self.feeds.browse.connect(lambda url: QDesktopServices.openUrl(QUrl(url)))
        self.feeds.remove.connect(lambda _id: self.command("remove"))
        self.feeds.open_feed.connect(lambda id_: self.go(f"feed:{id_}"))
        self.start.read.connect(self._start_reading)
        self.start.run.connect(self._first_run)

    def _connect_jobs(self) -> None:
        self.jobs.sync_progress.connect(self._sync_progress)
        self.jobs.sync_ended.connect(self._sync_ended)
        self.jobs.imported.connect(self.deeds.imported)
        self.jobs.run_started.connect(self.proofs.started)
        self.jobs.run_progress.connect(self.proofs.progress)
        self.jobs.run_ended.connect(self.proofs.ended)
        self.jobs.build_wanted.connect(self.deeds.trials.ask_build)
        self.jobs.trust_wanted.connect(self.deeds.trials.ask_trust)
        self.jobs.counted.connect(self._counted_jobs)
        self.jobs.failed.connect(self.say)

    def _shortcuts(self) -> None:
        for each in commands():
            for key in each.keys:
                shortcut = QShortcut(QKeySequence(key), self)
                shortcut.activated.connect(lambda each=each, key=key: self._pressed(each.name, key))
        for place in range(9):
            shortcut = QShortcut(QKeySequence(f"Alt+{place + 1}"), self)
            shortcut.activated.connect(lambda place=place: self.list.layers.toggle(place))
        QShortcut(QKeySequence("F5"), self).activated.connect(self.refresh)

    def _pressed(self, name: str, key: str) -> None:
        widget = QApplication.focusWidget()
        if key in ("Space", "Return", "Enter"):
            if isinstance(widget, QAbstractButton):
                widget.click()
                return
            if isinstance(widget, QComboBox):
                widget.showPopup()
                return
        self.command(name)

    def command(self, name: str) -> None:
        """Do what a command says."""
        self.other_pages()
        self.deeds.do(name)

    def rebuild(self) -> None:
        """Make every pane anew: after a change of language, colours or size."""
        view, current = views.view(self.view.key, self.view.title), self.list.current_id
        filters = self.list.filters
        self.keep_sizes()
        self.idle.forget()
        self.proofs.rebuilt()
        self.stories.rebuilt()
        self.build()
        self.other_pages()
        self.list.filters = filters
        self.list.select_later = current
        if self.bench is not None:
            self._prepare_rest()
            self.sidebar.machine.show_bench(self.bench)
            self.verify.show_toolkits(self.bench.toolkits, self.settings.cuda)
        self.show_view(view)
        self.refresh()
        if self.jobs.job is not None:
            self.proofs.started(self.jobs.job)
        self.fit(self.width())

    # ── opening ──────────────────────────────────────────────────────────────────────────────

    def open(self) -> None:
        """Read the first view; machine and checks follow after the first paint."""
        self.show_view(self.view)
        self.recount()
        QTimer.singleShot(PAINT_MS, self._after_paint)

    def _after_paint(self) -> None:
        if self._closed:
            return
        self.idle.add([self.next_page] * (len(PAGES) - 1))
        self.desk.watch()
        self.folders.look()
        path, chosen = self.desk.path, self.settings
        self.desk.ask(_prepare, self._prepared)
        self.desk.run(
            lambda _task: workbench.look(path, chosen.check_folders, chosen.cuda),
            self._looked,
            name="machine",
        )

    def _prepared(self, first: bool) -> None:
        if first and not self.memory.welcomed:
            self.go("start")
        self.refresh()

    def _looked(self, bench: Bench) -> None:
        self.bench = bench
        self.sidebar.machine.show_bench(bench)
        self.verify.show_toolkits(bench.toolkits, self.settings.cuda)
        if bench.faults:
            self.say(bench.faults[0])
        self.refresh()
        if self.reading.opened is not None:
            self.stories.load_offers(self.reading.opened)
        self.desk.run(_warm, lambda _done: self._prepare_rest(), name="warm")

    def _prepare_rest(self) -> None:
        """Make what a first run or quick look needs, in small pieces, before it is asked for."""
        self.idle.add([*self.proofs.preparations(), *self.stories.preparations()])
        self.idle.add(partial(self.status.make_keys, pane, self.width()) for pane in PANES)

    # ── views ────────────────────────────────────────────────────────────────────────────────

    def go(self, key: str) -> None:
        """Open a view by its key."""
        if not self.sidebar.select(key):
            self.show_view(views.view(key))

    def show_view(self, view: View) -> None:
        """Open a view."""
        changed = view.key != self.view.key
        self.acts.forget() if changed and hasattr(self, "acts") else None
        self.view = view
        self.setWindowTitle(f"Readproof — {view.title}")
        page = view.key if view.key in PAGES else "stories"
        if page != "stories":
            self.other_pages()
        self.pages.setCurrentIndex(PAGES.index(page))
        if changed and page == "stories":
            from reader.gui.filters import Filters

            self.list.filters = Filters()
            self.list.search.clear()
        if changed:
            self.stories.view_changes(view)
        if not view.key.startswith("digest:"):
            self.stories.leave_quick()
        self.load(keep=not changed)
        self.sidebar.show_shelf(self.shelf, _chosen(view))
        self.show_keys()
        self.focus_list()

    def focus_list(self) -> None:
        """Give the keyboard to the list of the view that is open."""
        match self.page:
            case "queue":
                (self.queue.table if self.queue.found else self.queue.empty).setFocus()
            case "runs":
                self.runs.focus()
            case "feeds":
                (self.feeds.table if self.feeds.found else self.feeds.empty).setFocus()
            case "start":
                self.start.list.setFocus()
            case _:
                quick = self.stories.quick_shown
                (quick.table if quick is not None else self.list.table).setFocus()

    def load(self, *, keep: bool) -> None:
        """Read the view that is open."""
        page = self.page
        if page == "queue":
            self.queue.load(self.bench)
        elif page == "runs":
            self.runs.load(self.bench)
        elif page == "feeds":
            self.feeds.load(self.leaving.ids)
        elif page == "start":
            from reader.gui.first_start import welcome

            bench = self.bench
            self.desk.ask(lambda store: welcome(store, bench), self._welcome, key="start")
        else:
            self.stories.load(keep=keep)

    def _welcome(self, found: Welcome) -> None:
        self.start.show_welcome(found, self.bench)

    def refresh(self) -> None:
        """Read the open view and the counts again; the selection stays."""
        self.load(keep=True)
        self.recount()
        self.stories.reload()

    def recount(self) -> None:
        """Read the sidebar's counts again."""
        self.desk.ask(views.shelf, self._counted, key="shelf", about="shelf")

    def _counted(self, shelf: Shelf) -> None:
        from datetime import UTC, datetime

        from reader.gui import words

        self.shelf = shelf = views.without(shelf, self.leaving.ids)
        self.sidebar.show_shelf(shelf, _chosen(self.view))
        self.status.show_shelf(shelf)
        text = _("offline")
        if shelf.last_sync is not None:
            when = words.moment_of(shelf.last_sync, datetime.now(UTC))
            text = _("Synced {when}").format(when=when)
        self.sidebar.synced.setText(text)

    # ── stories ──────────────────────────────────────────────────────────────────────────────

    def chosen_queue(self) -> list[Queued]:
        """Return what is chosen in the queue, where the queue is open."""
        return self.queue.chosen() if self.page == "queue" else []

    # ── checks ───────────────────────────────────────────────────────────────────────────────

    def _first_run(self, check: str, item: str) -> None:
        self._leave_start()
        self.stories.show_story(item)
        self.proofs.run_check(check, item)

    def _start_reading(self, digest: str) -> None:
        self._leave_start()
        if digest:
            self.show_view(views.view(f"digest:{digest}", _("Digest")))
        else:
            self.go("today")

    def _leave_start(self) -> None:
        self.memory.welcomed = True
        self._save_memory()

    # ── the line at the foot ─────────────────────────────────────────────────────────────────

    def say(self, sentence: str) -> None:
        """Say something for a while."""
        self.status.say(sentence)
        self._said.start()

    def said_written(self, target: Path) -> None:
        """Say where something was written to."""
        self.say(_("Written: {path}").format(path=target))

    def _sync_progress(self, done: int, total: int, text: str) -> None:
        self.status.progress(done, total, text)

    def _counted_jobs(self, running: int, waiting: int) -> None:
        self.status.running(running, waiting)

    def _sync_ended(self, text: str) -> None:
        self.status.progress_ended()
        if text:
            self.say(text)
        self.refresh()

    def _focus_moved(self, _before: QWidget | None, now: QWidget | None) -> None:
        if now is not None and not self._closed:
            self.show_keys()

    def show_keys(self) -> None:
        page = self.page
        pane = page
        if page == "stories":
            focus = QApplication.focusWidget()
            pane = "reading" if focus is not None and self.right.isAncestorOf(focus) else "stories"
            if self.reading.tab == VERIFY and self.jobs.running:
                pane = "running"
            if self.stories.quick_shown is not None:
                pane = "quick"
        self.status.show_keys(pane, self.width())

    # ── size and end ─────────────────────────────────────────────────────────────────────────

    def go_back(self) -> None:
        """Return from the article to the list."""
        if self.page == "runs" and self.runs.back():
            return
        if self._single:
            self.right.hide()
            self.list.show()
        self.focus_list()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        self.jobs.import_paths(paths)

    def _save_memory(self) -> None:
        memory, config = self.memory.copy(), self.config
        self.desk.keep(lambda: memory.save(config))

    def closeEvent(self, event: QCloseEvent) -> None:
        self._closed = True
        self.idle.forget()
        self.keep_sizes()
        self.acts.flush()
        self.leaving.finish()
        self._save_memory()
        self.jobs.cancel_run()
        self.hide()  # what is under way may take a moment to end
        self.desk.close()
        super().closeEvent(event)


def _warm(_task: Task[None]) -> None:
    """Import what the first sync, run and report need while nothing else happens."""
    for name in ("reader.sync.engine", "reader.parse.documents", "reader.runner", "reader.report"):
        import_module(name)


def _prepare(store: Store) -> bool:
    """Bring a new store its starter, old runs to their end; True where nothing was ever synced."""
    from reader import sync

    sync.starter(store)
    store.runs.reap()
    return not store.feeds.all() and not store.runs.all()


def _chosen(view: View) -> str:
    """Return the line of the sidebar that a view belongs to."""
    return "digests" if view.key.startswith("digest:") else view.key
