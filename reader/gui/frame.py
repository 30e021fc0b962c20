"""The frame of the window: its panes, its pages, and how they share the width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from reader.gui.desk import Desk
from reader.gui.memory import Memory
from reader.gui.parts import Panes, flow, polish
from reader.gui.reading import Reading
from reader.gui.sidebar import Sidebar
from reader.gui.status import StatusLine
from reader.gui.story_list import StoryList
from reader.gui.theme import look
from reader.gui.verify import VerifyPanel

if TYPE_CHECKING:
    from reader.gui.feeds import FeedsPage
    from reader.gui.first_start import FirstStart
    from reader.gui.queue import QueuePage
    from reader.gui.runs import RunsPage

PAGES = ("stories", "queue", "runs", "feeds", "start")
WIDE, NARROW = 1200, 860


class Frame(QMainWindow):
    """Sidebar, pages and status line; what they do is the window's."""

    def __init__(self, desk: Desk, memory: Memory) -> None:
        super().__init__()
        self.desk, self.memory = desk, memory
        self._single = False  # too narrow for list and article beside one another
        self.setMinimumSize(480, 420)

    def command(self, name: str) -> None:
        """Do what a command says."""
        raise NotImplementedError

    def connect_panes(self) -> None:
        """Join what was built to what it does."""
        raise NotImplementedError

    def connect_pages(self) -> None:
        """Join the other pages to what they do."""
        raise NotImplementedError

    def show_keys(self) -> None:
        """Show the keys of the pane that has the keyboard."""
        raise NotImplementedError

    def build(self) -> None:
        """Make the panes that the first paint shows."""
        central = QWidget()
        column = flow(QVBoxLayout(central), 0)
        self.panes = Panes(Qt.Orientation.Horizontal)
        self.sidebar = Sidebar()
        self.pages = QStackedWidget()
        self.panes.addWidget(self.sidebar)
        self.panes.addWidget(self.pages)
        self.panes.setStretchFactor(1, 1)
        self.panes.setSizes([look().px(self.memory.sidebar), look().px(1224)])
        self._build_stories()
        self.faces = QStackedWidget()
        self.faces.addWidget(self.story_panes)
        self.pages.addWidget(self.faces)
        self.status = StatusLine()
        column.addWidget(self.panes, 1)
        column.addWidget(self.status)
        self.setCentralWidget(central)
        self.connect_panes()

    def other_pages(self) -> None:
        """Make the pages that the first paint does not show, once."""
        while self.pages.count() < len(PAGES):
            self.next_page()

    def next_page(self) -> None:
        """Make one of those pages, so that they can be made one at a time."""
        place = self.pages.count()
        if place >= len(PAGES):
            return
        page = self._page(PAGES[place])
        polish(page)
        self.pages.addWidget(page)
        page.wanted.connect(self.command)
        if place == len(PAGES) - 1:
            self.connect_pages()

    def _page(self, name: str) -> QueuePage | RunsPage | FeedsPage | FirstStart:
        from reader.gui.feeds import FeedsPage
        from reader.gui.first_start import FirstStart
        from reader.gui.queue import QueuePage
        from reader.gui.runs import RunsPage

        match name:
            case "queue":
                self.queue = QueuePage(self.desk)
                return self.queue
            case "runs":
                self.runs = RunsPage(self.desk)
                return self.runs
            case "feeds":
                self.feeds = FeedsPage(self.desk)
                return self.feeds
            case _:
                self.start = FirstStart()
                return self.start

    def _build_stories(self) -> None:
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

    @property
    def page(self) -> str:
        """The page that is open."""
        return PAGES[self.pages.currentIndex()]

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit(event.size().width())
        super().resizeEvent(event)

    def fit(self, width: int) -> None:
        """Share a width: three panes, two, or one."""
        self.sidebar.setVisible(width >= look().px(WIDE))
        self._single = width < look().px(NARROW)
        self.right.setVisible(not self._single or self.list.isHidden())
        if not self._single:
            self.list.show()
        self.show_keys()

    def go_in(self) -> None:
        """Show what is selected: in a narrow window the article takes the list's place."""
        if self._single:
            self.list.hide()
            self.right.show()
        self.reading.browser.setFocus()

    def restore_size(self) -> None:
        """Take the size that the window had, else one that fits most screens."""
        if not (
            self.memory.geometry
            and self.restoreGeometry(QByteArray.fromBase64(self.memory.geometry.encode()))
        ):
            self.resize(look().px(1440), look().px(866))

    def keep_sizes(self) -> None:
        """Remember the sizes of window and panes."""
        scale = max(1, look().px(1000)) / 1000
        if self.sidebar.isVisible():
            self.memory.sidebar = round(self.sidebar.width() / scale)
        if self.list.isVisible():
            self.memory.list = round(self.list.width() / scale)
        self.memory.geometry = bytes(self.saveGeometry().toBase64().data()).decode()
