"""The main window: three panes, a page for each view, and what happens between them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QCloseEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from reader import settings as settings_room
from reader.gui import icons, views, workbench
from reader.gui.acts import Acts
from reader.gui.commands import commands
from reader.gui.deeds import Deeds
from reader.gui.desk import Desk
from reader.gui.jobs import Job, Jobs
from reader.gui.memory import Memory
from reader.gui.parts import Panes, flow
from reader.gui.reading import VERIFY, Opened, Reading, open_story
from reader.gui.sidebar import Sidebar
from reader.gui.status import StatusLine
from reader.gui.story_list import StoryList
from reader.gui.theme import look
from reader.gui.verify import VerifyPanel
from reader.gui.views import Listing, Shelf, View
from reader.gui.workbench import Bench, Offer
from reader.language import _
from reader.model import Digest, Row, Run, RunProgress

if TYPE_CHECKING:
    from reader.gui.first_start import Welcome
    from reader.gui.queue import Queued
    from reader.gui.quick_look.facts import Quick
    from reader.gui.quick_look.page import QuickLook
    from reader.gui.running import RunningView
    from reader.gui.verdicts import Judged, VerdictView
    from reader.store import Store
    from reader.tasks import Task

PAGES = ("stories", "queue", "runs", "feeds", "start")
WIDE, NARROW = 1200, 860
SAID_MS = 6000
PAINT_MS = 30  # what the first paint does not need waits this long for it


class Window(QMainWindow):
    """One window on one store."""

    def __init__(self, desk: Desk, config: Path, settings: settings_room.Settings) -> None:
        super().__init__()
        self.desk, self.config, self.settings = desk, config, settings
        self.memory = Memory.load(config)
        self.bench: Bench | None = None
        self.shelf: Shelf | None = None
        self.view = views.view("today")
        self.started = False
        self._opened_id: str | None = None
        self._is_quick = False  # the digest of the view is a quick look
        self._in_panes = ""  # the view whose items are read in panes, though it has a page
        self._running_view: RunningView | None = None
        self._single = self._closed = False
        self._said = QTimer(self)
        self._said.setSingleShot(True)
        self._said.setInterval(SAID_MS)
        self._said.timeout.connect(lambda: self.status.say(""))
        self.setMinimumSize(480, 420)
        self.setAcceptDrops(True)
        self.setWindowIcon(icons.icon("mark", "#000", 64))
        self.jobs = Jobs(desk, settings.check_folders, settings.cuda)
        self.acts, self.deeds = Acts(self), Deeds(self)
        self._build()
        self._connect_jobs()
        self._shortcuts()
        desk.changed.connect(self.refresh)
        desk.failed.connect(self.say)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._focus_moved)
        self._restore_size()

    # ── building ─────────────────────────────────────────────────────────────────────────────

    def _build(self) -> None:
        central = QWidget()
        column = flow(QVBoxLayout(central), 0)
        self.panes = Panes(Qt.Orientation.Horizontal)
        self.sidebar = Sidebar()
        self.pages = QStackedWidget()
        self.panes.addWidget(self.sidebar)
        self.panes.addWidget(self.pages)
        self.panes.setStretchFactor(1, 1)
        self.panes.setSizes([look().px(self.memory.sidebar), look().px(1224)])
        self._stories()
        self.quick: QuickLook | None = None  # made when the first one is opened
        self.faces = QStackedWidget()
        self.faces.addWidget(self.story_panes)
        self.pages.addWidget(self.faces)
        self.status = StatusLine()
        column.addWidget(self.panes, 1)
        column.addWidget(self.status)
        self.setCentralWidget(central)
        self._connect()

    def _other_pages(self) -> None:
        """Make the pages that the first paint does not show, once."""
        if self.pages.count() > 1:
            return
        from reader.gui.feeds import FeedsPage
        from reader.gui.first_start import FirstStart
        from reader.gui.queue import QueuePage
        from reader.gui.runs import RunsPage

        self.queue, self.runs = QueuePage(self.desk), RunsPage(self.desk)
        self.feeds, self.start = FeedsPage(self.desk), FirstStart()
        for page in (self.queue, self.runs, self.feeds, self.start):
            self.pages.addWidget(page)
            page.wanted.connect(self.command)
        self._connect_pages()

    def _stories(self) -> None:
        self.list, self.reading, self.verify = (
            StoryList(self.desk),
            Reading(self.desk),
            VerifyPanel(),
        )
        right = QWidget()
        column = flow(QVBoxLayout(right), 0)
        column.addWidget(self.reading, 1)
        column.addWidget(self.verify)
        self.right = right
        self.story_panes = Panes(Qt.Orientation.Horizontal)
        self.story_panes.addWidget(self.list)
        self.story_panes.addWidget(right)
        self.story_panes.setStretchFactor(1, 1)
        self.story_panes.setSizes([look().px(self.memory.list), look().px(760)])

    def _connect(self) -> None:
        self.sidebar.chosen.connect(self.show_view)
        self.sidebar.menu_wanted.connect(self.deeds.menu)
        self.sidebar.sync_wanted.connect(lambda: self.command("sync"))
        self.sidebar.machine.clicked.connect(lambda: self.command("doctor"))
        self.list.selected.connect(self._selected)
        self.list.filters_changed.connect(lambda _filters: self.load(keep=False))
        self.list.opened.connect(lambda: self.command("open"))
        self.reading.star.connect(lambda: self.command("star"))
        self.reading.tags.connect(lambda: self.command("tags"))
        self.reading.browse.connect(lambda: self.command("browse"))
        self.reading.queue.connect(lambda: self.command("queue"))
        self.reading.followed.connect(self.follow)
        self.reading.noted.connect(self.acts.note)
        self.reading.tab_changed.connect(self._tab_changed)
        self.verify.run.connect(lambda _name: self.command("run"))
        self.verify.show_run.connect(self.show_run)
        self.verify.toolkit_chosen.connect(self.deeds.choose_toolkit)
        self.list.empty.wanted.connect(self.command)
        self.status.cancelled.connect(self.jobs.cancel_sync)

    def _connect_pages(self) -> None:
        self.queue.run.connect(self.run_check)
        self.queue.open_item.connect(self.show_story)
        self.queue.open_run.connect(self.show_run)
        self.queue.tags.connect(lambda: self.command("tags"))
        self.queue.state.connect(lambda: self.command("state"))
        self.runs.view.rerun.connect(lambda _run: self.command("run"))
        self.runs.view.export.connect(lambda _run: self.command("export"))
        self.runs.view.compare.connect(self.deeds.compare)
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
        self.jobs.run_started.connect(self._run_started)
        self.jobs.run_progress.connect(self._run_progress)
        self.jobs.run_ended.connect(self._run_ended)
        self.jobs.build_wanted.connect(self.deeds.ask_build)
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
        self._other_pages()
        self.deeds.do(name)

    def rebuild(self) -> None:
        """Make every pane anew: after a change of language, colours or size."""
        view, current = views.view(self.view.key, self.view.title), self.list.current_id
        filters = self.list.filters
        self._keep_sizes()
        self._running_view = None
        self._opened_id = None
        self._build()
        self._other_pages()
        self.list.filters = filters
        self.list.select_later = current
        if self.bench is not None:
            self.sidebar.machine.show_bench(self.bench)
            self.verify.show_toolkits(self.bench.toolkits, self.settings.cuda)
        self.show_view(view)
        self.refresh()
        if self.jobs.job is not None:
            self._run_started(self.jobs.job)
        self._fit(self.width())

    # ── opening ──────────────────────────────────────────────────────────────────────────────

    def open(self) -> None:
        """Read the first view; machine and checks follow after the first paint."""
        self.show_view(self.view)
        self.recount()
        QTimer.singleShot(PAINT_MS, self._after_paint)

    def _after_paint(self) -> None:
        if self._closed:
            return
        self._other_pages()
        self.desk.watch()
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
            self._load_offers(self.reading.opened)
        self.desk.run(_warm, name="warm")

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
            self._other_pages()
        self.pages.setCurrentIndex(PAGES.index(page))
        if changed and page == "stories":
            from reader.gui.filters import Filters

            self.list.filters = Filters()
            self.list.search.clear()
        if changed and self._in_panes != view.key:
            self._in_panes = ""
        if not view.key.startswith("digest:"):
            self._is_quick = False
            self.faces.setCurrentWidget(self.story_panes)
        self.load(keep=not changed)
        self.sidebar.show_shelf(self.shelf, _chosen(view))
        self._show_keys()
        self.focus_list()

    def focus_list(self) -> None:
        """Give the keyboard to the list of the view that is open."""
        match PAGES[self.pages.currentIndex()]:
            case "queue":
                self.queue.table.setFocus()
            case "runs":
                self.runs.focus()
            case "feeds":
                self.feeds.table.setFocus()
            case "start":
                self.start.list.setFocus()
            case _:
                quick = self.quick_shown
                (quick.table if quick is not None else self.list.table).setFocus()

    def load(self, *, keep: bool) -> None:
        """Read the view that is open."""
        page = PAGES[self.pages.currentIndex()]
        if page == "queue":
            self.queue.load(self.bench)
        elif page == "runs":
            self.runs.load(self.bench)
        elif page == "feeds":
            self.feeds.load()
        elif page == "start":
            from reader.gui.first_start import welcome

            bench = self.bench
            self.desk.ask(lambda store: welcome(store, bench), self._welcome, key="start")
        else:
            self._load_stories(keep=keep)

    def _load_stories(self, *, keep: bool) -> None:
        view, filters, bench = self.view, self.list.filters, self.bench
        rank = views.ranker(bench) if bench else None

        def read(store: Store) -> tuple[Listing, Quick | None]:
            listing = views.load(store, view.key, filters, rank)
            if not view.key.startswith("digest:"):
                return listing, None
            from reader.gui.quick_look import facts

            return listing, facts.load(store, view.key, bench)

        self.desk.ask(read, lambda found: self._listed(view, *found, keep=keep), key="list")

    def _listed(self, view: View, listing: Listing, quick: Quick | None, *, keep: bool) -> None:
        if view.key != self.view.key:
            return
        self._is_quick = quick is not None
        on_page = quick is not None and self._in_panes != view.key and not self.list.filters.chips()
        if quick is not None and on_page and not keep and quick.items:
            self.list.select_later = self.list.select_later or quick.items[0].id
        if keep and view.key == "unread" and not self.list.filters.chips():
            listing = views.keep_read(listing, self.list.model.ids())
        self.list.show_listing(view, listing, keep=keep)
        if quick is not None and not self.list.filters.chips():
            self.list.model.hold(list(quick.rows))
        self._show_face(quick if on_page else None)

    def _show_face(self, quick: Quick | None) -> None:
        """Show a quick look on its page, anything else in panes; the keyboard goes along."""
        focus = QApplication.focusWidget()
        held = focus is None or self.faces.isAncestorOf(focus)
        before = self.faces.currentWidget()
        if quick is None:
            self.faces.setCurrentWidget(self.story_panes)
        else:
            page = self.quick or self._make_quick()
            self.faces.setCurrentWidget(page)
            page.show_running(self.jobs.job.item if self.jobs.job is not None else None)
            page.show_quick(quick, self.list.current_id)
        if held and self.faces.currentWidget() is not before:
            self.focus_list()
        self._show_keys()

    def _make_quick(self) -> QuickLook:
        from reader.gui.quick_look.page import QuickLook

        self.quick = page = QuickLook(self.desk)
        page.selected.connect(self._quick_selected)
        page.wanted.connect(self.command)
        page.followed.connect(self.follow)
        self.faces.addWidget(page)
        return page

    def _quick_selected(self, id_: str) -> None:
        place = self.list.model.place_of(id_)
        if place is not None and self.list.current_id != id_:
            self.list.select(place)

    @property
    def quick_shown(self) -> QuickLook | None:
        """The page of a quick look, where that is what the window shows."""
        here = PAGES[self.pages.currentIndex()] == "stories"
        return self.quick if here and self.faces.currentWidget() is self.quick else None

    def show_panes(self) -> None:
        """Leave a quick look's page for list and article; Back returns."""
        if self.quick_shown is not None:
            self._in_panes = self.view.key
            self._show_face(None)

    def leave_panes(self) -> bool:
        """Return from list and article to a quick look's page; False where they have none."""
        if not (self._is_quick and self._in_panes == self.view.key):
            return False
        self._in_panes = ""
        self._fit(self.width())
        self.load(keep=True)
        return True

    def _welcome(self, found: Welcome) -> None:
        self.start.show_welcome(found, self.bench)

    def refresh(self) -> None:
        """Read the open view and the counts again; the selection stays."""
        self.load(keep=True)
        self.recount()
        self._reload_story()

    def recount(self) -> None:
        """Read the sidebar's counts again."""
        self.desk.ask(views.shelf, self._counted, key="shelf")

    def _counted(self, shelf: Shelf) -> None:
        from datetime import UTC, datetime

        from reader.gui import words

        self.shelf = shelf
        self.sidebar.show_shelf(shelf, _chosen(self.view))
        self.status.show_shelf(shelf)
        text = _("offline")
        if shelf.last_sync is not None:
            when = words.moment_of(shelf.last_sync, datetime.now(UTC))
            text = _("Synced {when}").format(when=when)
        self.sidebar.synced.setText(text)

    # ── stories ──────────────────────────────────────────────────────────────────────────────

    def _selected(self, row: Row | None) -> None:
        if self.view.lists_stories:
            self.acts.arrived(row)
        if row is not None and self.quick_shown is not None:
            self.quick_shown.choose(row.id)
        if row is None:
            self._opened_id = None
            self.reading.show_story(None)
            self.verify.show_offers([])
            self.verify.setVisible(False)
            return
        if self.reading.opened and self.reading.opened.story.id == row.id:
            self.reading.show_marks(row.marks)
        if row.id != self._opened_id:
            self._opened_id = row.id
            self._open_story(row.id)

    def _open_story(self, id_: str) -> None:
        self.desk.ask(lambda store: open_story(store, id_), self._opened, key="story")

    def _reload_story(self) -> None:
        if self._opened_id is not None and PAGES[self.pages.currentIndex()] == "stories":
            self._open_story(self._opened_id)

    def _opened(self, opened: Opened) -> None:
        if opened.story.id != self._opened_id:
            return
        before = self.reading.opened
        running = self._runs_here(opened.story.id)
        if before is None or before != opened:
            same = before is not None and before.story.id == opened.story.id
            self.reading.show_story(
                opened, checking=running or (same and self.reading.tab == VERIFY)
            )
        self._load_offers(opened)

    def _load_offers(self, opened: Opened) -> None:
        from reader.model import Digest

        story, bench = opened.story, self.bench
        if isinstance(story, Digest):
            self.verify.setVisible(False)
            return
        if bench is None:
            self.verify.setVisible(True)
            self.verify.show_offers([], waiting=True)
            return
        self.desk.ask(
            lambda store: workbench.offers(store, bench, story), self._offered, key="offers"
        )

    def _offered(self, offers: Sequence[Offer]) -> None:
        self.verify.show_offers(offers)
        self.verify.setVisible(self.reading.tab != VERIFY)
        self._show_keys()

    def _tab_changed(self, tab: str) -> None:
        opened = self.reading.opened
        self.verify.setVisible(tab != VERIFY and opened is not None)
        self._show_keys()

    def show_story(self, id_: str) -> None:
        """Show one story, in the view that has it."""
        if self.list.model.place_of(id_) is not None and self.view.lists_stories:
            self.show_panes()
            self.list.select(self.list.model.place_of(id_) or 0)
            return
        self.desk.ask(lambda store: views.home_of(store, id_), lambda key: self._show_in(key, id_))

    def _show_in(self, key: str, id_: str) -> None:
        self.list.select_later = id_
        self._in_panes = key if id_.startswith("i") else ""
        title = "" if not key.startswith("digest:") else _("Digest")
        self.show_view(views.view(key, title))

    def follow(self, link: str) -> None:
        """Follow a link of an article: to a kept original, else to the browser."""
        kind, _colon, rest = link.partition(":")
        if kind == "story":
            self.show_story(rest)
        elif kind in ("http", "https", "mailto"):
            self.desk.ask(
                lambda store: store.library.original(link) if kind != "mailto" else None,
                lambda id_: self.show_story(id_) if id_ else self._browse(link),
            )

    def _browse(self, link: str) -> None:
        QDesktopServices.openUrl(QUrl(link))
        self.say(_("Opened in the browser: {url}").format(url=link))

    def chosen_queue(self) -> list[Queued]:
        """Return what is chosen in the queue, where the queue is open."""
        return self.queue.chosen() if PAGES[self.pages.currentIndex()] == "queue" else []

    # ── checks ───────────────────────────────────────────────────────────────────────────────

    def _runs_here(self, story: str) -> bool:
        return self.jobs.job is not None and self.jobs.job.item == story

    def run_check(self, check: str, item: str) -> None:
        """Run a check for an item without its page; an empty name is the one that fits best."""
        bench = self.bench
        if bench is None:
            self.say(_("looking at this machine…"))
            return

        def work(store: Store) -> tuple[Offer | None, str]:
            story = store.library.get(item)
            if isinstance(story, Digest):
                return None, ""
            fitting = workbench.offers(store, bench, story)
            named = (each for each in fitting if check in ("", each.check.name))
            return next(named, None), story.title

        def ready(found: tuple[Offer | None, str]) -> None:
            offer, title = found
            if offer is not None:
                self.jobs.run(Job(offer, item, title))
            elif not check:
                self.say(_("No bundled check fits it yet."))

        self.desk.ask(work, ready)

    def _run_started(self, job: Job) -> None:
        from reader.gui.running import RunningView

        view = RunningView(job.offer, job.title)
        view.cancel.connect(lambda: self.command("cancel"))
        self._running_view = view
        # Each step takes a while: the event loop has its turn between them.
        QTimer.singleShot(0, lambda: self._place_running(view, job))
        self.list.table.delegate.running = job.item
        if self.quick is not None:
            self.quick.show_running(job.item)
        self.list.table.viewport().update()
        self._show_keys()

    def _place_running(self, view: RunningView, job: Job) -> None:
        if self._running_view is not view:
            return
        self._put_check(view)
        if self.reading.opened is not None and self.reading.opened.story.id == job.item:
            QTimer.singleShot(0, lambda: self.reading.offer_verify(turn=True))

    def _put_check(self, widget: QWidget) -> None:
        from reader.gui.parts import clear

        column = self.reading.check.layout()
        if isinstance(column, QVBoxLayout):
            clear(column)
            column.addWidget(widget)

    def _run_progress(self, progress: RunProgress) -> None:
        if self._running_view is not None:
            self._running_view.watch(progress)

    def _run_ended(self, job: Job | None, run: Run | None) -> None:
        if self._running_view is not None:
            self._running_view.ended()
        self._running_view = None
        self.list.table.delegate.running = None
        if self.quick is not None:
            self.quick.show_running(None)
        self.refresh()
        if run is None or job is None:
            self.reading.show_tab("digest")
            return
        from reader.gui.verdicts import judged

        bench = self.bench
        self.desk.ask(lambda store: judged(store, run.id, bench), self._show_verdict)

    def _show_verdict(self, found: Judged) -> None:
        self.runs.current = found.run.id
        from reader.gui.verdicts import VerdictView

        view = VerdictView()
        view.rerun.connect(lambda _run: self.command("run"))
        view.export.connect(lambda _run: self.command("export"))
        view.compare.connect(self.deeds.compare)
        self._put_check(view)
        # Each step takes a while: the event loop has its turn between them.
        QTimer.singleShot(0, lambda: self._place_verdict(view, found))
        self.say(_("Run {id}: {title}").format(id=found.run.id, title=self._tally(found.run)))

    def _place_verdict(self, view: VerdictView, found: Judged) -> None:
        if self.reading.check.isAncestorOf(view):
            view.show_run(found)
            opened = self.reading.opened
            if opened is not None and opened.story.id == found.run.item:
                QTimer.singleShot(0, lambda: self.reading.offer_verify(turn=True))

    def _tally(self, run: Run) -> str:
        from collections import Counter

        from reader.gui import words

        found = Counter(each.verdict for each in run.verdicts)
        said = ", ".join(f"{count} {words.verdict_name(kind)}" for kind, count in found.items())
        return said or run.status.value

    def show_run(self, run_id: str) -> None:
        """Show a run among the runs."""
        self.runs.current = run_id
        self.go("runs")
        self.runs.open(run_id)

    def _first_run(self, check: str, item: str) -> None:
        self._leave_start()
        self.show_story(item)
        self.run_check(check, item)

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
            self._show_keys()

    def _show_keys(self) -> None:
        page = PAGES[self.pages.currentIndex()]
        pane = page
        if page == "stories":
            focus = QApplication.focusWidget()
            pane = "reading" if focus is not None and self.right.isAncestorOf(focus) else "stories"
            if self.reading.tab == VERIFY and self.jobs.running:
                pane = "running"
            if self.quick_shown is not None:
                pane = "quick"
        self.status.show_keys(pane, self.width())

    # ── size and end ─────────────────────────────────────────────────────────────────────────

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit(event.size().width())
        super().resizeEvent(event)

    def _fit(self, width: int) -> None:
        self.sidebar.setVisible(width >= look().px(WIDE))
        self._single = width < look().px(NARROW)
        self.right.setVisible(not self._single or self.list.isHidden())
        if not self._single:
            self.list.show()
        self._show_keys()

    def go_in(self) -> None:
        """Show what is selected: in a narrow window the article takes the list's place."""
        if self._single:
            self.list.hide()
            self.right.show()
        self.reading.browser.setFocus()

    def go_back(self) -> None:
        """Return from the article to the list."""
        if PAGES[self.pages.currentIndex()] == "runs" and self.runs.back():
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

    def _restore_size(self) -> None:
        if not (
            self.memory.geometry
            and self.restoreGeometry(QByteArray.fromBase64(self.memory.geometry.encode()))
        ):
            self.resize(look().px(1440), look().px(866))

    def _keep_sizes(self) -> None:
        scale = max(1, look().px(1000)) / 1000
        if self.sidebar.isVisible():
            self.memory.sidebar = round(self.sidebar.width() / scale)
        if self.list.isVisible():
            self.memory.list = round(self.list.width() / scale)
        self.memory.geometry = bytes(self.saveGeometry().toBase64().data()).decode()

    def _save_memory(self) -> None:
        memory, config = self.memory.copy(), self.config
        self.desk.run(lambda _task: memory.save(config), name="memory")

    def closeEvent(self, event: QCloseEvent) -> None:
        self._closed = True
        self._keep_sizes()
        self.acts.flush()
        self._save_memory()
        self.jobs.cancel_run()
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
