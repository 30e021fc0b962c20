"""The stories of the window: list and article beside one another, or a quick look on its page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from reader.gui import views, workbench
from reader.gui.idle import in_turns
from reader.gui.parts import polish
from reader.gui.reading import VERIFY, Opened, open_story
from reader.gui.views import Listing, View
from reader.gui.workbench import Offer
from reader.language import _
from reader.model import Digest, Item, Row

if TYPE_CHECKING:
    from reader.gui.quick_look.facts import Quick
    from reader.gui.quick_look.page import QuickLook
    from reader.gui.window import Window
    from reader.store import Store


class Stories:
    """Shows the stories of a view, and one of them."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self.quick: QuickLook | None = None  # made when the first one is opened
        self._opened_id: str | None = None
        self._anew = False  # the list that comes next is another, not the same read again
        self._is_quick = False  # the digest of the view is a quick look
        self._in_panes = ""  # the view whose items are read in panes, though it has a page

    def rebuilt(self) -> None:
        """Forget the panes that were: others stand in their place."""
        self.quick = self._opened_id = None

    def view_changes(self, view: View) -> None:
        """Leave what belongs to the view before."""
        if self._in_panes != view.key:
            self._in_panes = ""

    def leave_quick(self) -> None:
        """Show list and article: the view is no digest."""
        self._is_quick = False
        self._window.faces.setCurrentWidget(self._window.story_panes)

    def load(self, *, keep: bool) -> None:
        """Read the list of the view that is open."""
        window = self._window
        view, filters, bench = window.view, window.list.filters, window.bench
        rank = views.ranker(bench) if bench else None
        self._anew = self._anew or not keep
        before = None
        if not self._anew and view.key == "unread" and not filters.chips():
            before = window.list.model.ids()

        def read(store: Store) -> tuple[Listing, Quick | None]:
            listing = views.load(store, view.key, filters, rank)
            if before is not None:
                listing = views.keep_read(listing, before)
            if not view.key.startswith("digest:"):
                return listing, None
            from reader.gui.quick_look import facts

            return listing, facts.load(store, view.key, bench)

        window.desk.ask(
            read,
            lambda found: self._listed(view, *found),
            key="list",
            about=(view.key, filters),
        )

    def _listed(self, view: View, listing: Listing, quick: Quick | None) -> None:
        if view.key != self._window.view.key:
            return
        keep, self._anew = not self._anew, False
        chips = self._window.list.filters.chips()
        self._is_quick = quick is not None
        on_page = quick is not None and self._in_panes != view.key and not chips
        if quick is not None and on_page and not keep and quick.items:
            self._window.list.select_later = self._window.list.select_later or quick.items[0].id
        self._window.list.show_listing(view, listing, keep=keep)
        if quick is not None and not chips:
            self._window.list.model.hold(list(quick.rows))
        self._show_face(quick if on_page else None)

    def _show_face(self, quick: Quick | None) -> None:
        """Show a quick look on its page, anything else in panes; the keyboard goes along."""
        focus = QApplication.focusWidget()
        held = focus is None or self._window.faces.isAncestorOf(focus)
        before = self._window.faces.currentWidget()
        if quick is None:
            self._window.faces.setCurrentWidget(self._window.story_panes)
        else:
            page = self.quick or self._make_quick()
            self._window.faces.setCurrentWidget(page)
            page.show_running(
                self._window.jobs.job.item if self._window.jobs.job is not None else None
            )
            page.show_quick(quick, self._window.list.current_id)
        if held and self._window.faces.currentWidget() is not before:
            self._window.focus_list()
        self._window.show_keys()

    def _make_quick(self) -> QuickLook:
        from reader.gui.quick_look.page import QuickLook

        self.quick = page = QuickLook(self._window.desk)
        page.selected.connect(self._quick_selected)
        page.wanted.connect(self._window.command)
        page.followed.connect(self.follow)
        self._window.faces.addWidget(page)
        return page

    def preparations(self) -> list[Callable[[], object]]:
        """Return what the first quick look needs, in pieces that may be made before it."""
        return [partial(import_module, "reader.gui.quick_look.page"), self._prepare_quick]

    def _prepare_quick(self) -> None:
        if self.quick is None:
            in_turns(self._window, [partial(polish, self._make_quick())])

    def _quick_selected(self, id_: str) -> None:
        place = self._window.list.model.place_of(id_)
        if place is not None and self._window.list.current_id != id_:
            self._window.list.select(place)

    @property
    def quick_shown(self) -> QuickLook | None:
        """The page of a quick look, where that is what the window shows."""
        here = self._window.page == "stories"
        return self.quick if here and self._window.faces.currentWidget() is self.quick else None

    def show_panes(self) -> None:
        """Leave a quick look's page for list and article; Back returns."""
        if self.quick_shown is not None:
            self._in_panes = self._window.view.key
            self._show_face(None)

    def leave_panes(self) -> bool:
        """Return from list and article to a quick look's page; False where they have none."""
        if not (self._is_quick and self._in_panes == self._window.view.key):
            return False
        self._in_panes = ""
        self._window.fit(self._window.width())
        self._window.load(keep=True)
        return True

    def selected(self, row: Row | None) -> None:
        """Show the story of the row that is chosen."""
        if self._window.view.lists_stories:
            self._window.acts.arrived(row)
        if row is not None and self.quick_shown is not None:
            self.quick_shown.choose(row.id)
        if row is None:
            self._opened_id = None
            self._window.reading.show_story(None)
            self._window.verify.show_offers([])
            self._window.verify.setVisible(False)
            return
        if self._window.reading.opened and self._window.reading.opened.story.id == row.id:
            self._window.reading.show_marks(row.marks)
        if row.id != self._opened_id:
            self._opened_id = row.id
            self._open_story(row.id)

    def _open_story(self, id_: str) -> None:
        self._window.desk.ask(lambda store: open_story(store, id_), self._opened, key="story")

    def reload(self) -> None:
        """Read the story that is shown again."""
        if self._opened_id is not None and self._window.page == "stories":
            self._open_story(self._opened_id)

    def _opened(self, opened: Opened) -> None:
        if opened.story.id != self._opened_id:
            return
        before = self._window.reading.opened
        running = self._window.proofs.runs_here(opened.story.id)
        if running:
            self._window.proofs.turn_to_run()
        if before is None or before != opened:
            same = before is not None and before.story.id == opened.story.id
            self._window.reading.show_story(
                opened, checking=running or (same and self._window.reading.tab == VERIFY)
            )
        self.load_offers(opened)

    def load_offers(self, opened: Opened) -> None:
        """Find the checks that fit a story."""
        story, bench = opened.story, self._window.bench
        if isinstance(story, Digest):
            self._window.verify.setVisible(False)
            return
        if bench is None:
            self._window.verify.setVisible(True)
            self._window.verify.show_offers([], waiting=True)
            return
        self._window.desk.ask(
            lambda store: workbench.offers(store, bench, story), self._offered, key="offers"
        )

    def _offered(self, offers: Sequence[Offer]) -> None:
        opened = self._window.reading.opened
        item = opened.story.id if opened and isinstance(opened.story, Item) else None
        self._window.verify.show_offers(offers, item=item)
        self._window.verify.setVisible(self._window.reading.tab != VERIFY)
        self._window.show_keys()

    def tab_changed(self, tab: str) -> None:
        """Show the checks beside every part of a story but the one that shows a run."""
        opened = self._window.reading.opened
        self._window.verify.setVisible(tab != VERIFY and opened is not None)
        self._window.show_keys()

    def show_story(self, id_: str) -> None:
        """Show one story, in the view that has it."""
        if self._window.list.model.place_of(id_) is not None and self._window.view.lists_stories:
            self.show_panes()
            self._window.list.select(self._window.list.model.place_of(id_) or 0)
            return
        self._window.desk.ask(
            lambda store: views.home_of(store, id_), lambda key: self._show_in(key, id_)
        )

    def _show_in(self, key: str, id_: str) -> None:
        self._window.list.select_later = id_
        self._in_panes = key if id_.startswith("i") else ""
        title = "" if not key.startswith("digest:") else _("Digest")
        self._window.show_view(views.view(key, title))

    def follow(self, link: str) -> None:
        """Follow a link of an article: to a kept original, else to the browser."""
        kind, _colon, rest = link.partition(":")
        if kind == "story":
            self.show_story(rest)
        elif kind in ("http", "https", "mailto"):
            self._window.desk.ask(
                lambda store: store.library.original(link) if kind != "mailto" else None,
                lambda id_: self.show_story(id_) if id_ else self._browse(link),
            )

    def _browse(self, link: str) -> None:
        QDesktopServices.openUrl(QUrl(link))
        self._window.say(_("Opened in the browser: {url}").format(url=link))
