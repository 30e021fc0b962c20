"""The right pane: a story's header with its labels, then its text, its notes, or its check."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from reader.gui import article, changed, claimed, words
from reader.gui.desk import Desk
from reader.gui.marks import EvidenceRow, LayerStrip
from reader.gui.notes import note
from reader.gui.opened import Opened, Story, open_story
from reader.gui.parts import (
    button,
    clear,
    flow,
    head,
    label,
    refresh_style,
    rule,
    set_icon,
    show_tool,
    tool,
)
from reader.gui.texts import Texts
from reader.gui.theme import look
from reader.gui.views import digest_name
from reader.language import _
from reader.model import Digest, Entry, Item, Labels, Marks

DIGEST, SOURCE, CHANGES, VERIFY, NOTES = "digest", "source", "changes", "verify", "notes"
__all__ = ["CHANGES", "DIGEST", "NOTES", "SOURCE", "VERIFY", "Opened", "Reading", "open_story"]


class Reading(QWidget):
    """Shows the story that is selected."""

    star, tags, browse, queue = Signal(), Signal(), Signal(), Signal()
    followed = Signal(str)
    noted = Signal(str, str)  # id, text
    tab_changed = Signal(str)
    wanted = Signal(str)  # a command

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(look().px(420))
        self.opened: Opened | None = None
        self._places: dict[str, int] = {}
        self._own: set[str] = set()  # entries of which the feed's text is shown, not the page
        self.abreast = False  # digest and original stand side by side
        self._tabs: list[str] = []
        column = flow(QVBoxLayout(self), 0)
        column.addWidget(self._head())
        column.addWidget(rule())
        self.stack = QStackedWidget()
        self.texts = Texts(desk)
        self.browser = self.texts.first
        self.texts.followed.connect(self._follow)
        self.stack.addWidget(self._page())
        self.notes = QPlainTextEdit()
        self.stack.addWidget(self._notes())
        self.check = QWidget()
        flow(QVBoxLayout(self.check), 0)
        self.stack.addWidget(self.check)
        column.addWidget(self.stack, 1)
        self.show_story(None)

    def _head(self) -> QWidget:
        bar, row = head(44, (44, 20))
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(_("Parts of the story"))
        self.tabs.currentChanged.connect(self._turned)
        row.addWidget(self.tabs, 0, Qt.AlignmentFlag.AlignBottom)
        row.addStretch(1)
        self.star_button = tool("star", _("Star") + " (s)", self.star.emit)
        self.tag_button = tool("tag", _("Tags") + " (t)", self.tags.emit)
        self.browse_button = tool("globe", _("Open in the browser") + " (b)", self.browse.emit)
        self.queue_button = button(_("Mark to verify"), self.queue.emit, icon="queue", key="v")
        self._tools = (self.star_button, self.tag_button, self.browse_button, self.queue_button)
        for each in self._tools:
            row.addWidget(each)
        return bar

    def _page(self) -> QWidget:
        page = QWidget()
        column = flow(QVBoxLayout(page), 0)
        self._banner = flow(QVBoxLayout(), 0)
        column.addLayout(self._banner)
        inner = flow(QVBoxLayout(), 0, (44, 18, 44, 0))
        self.eyebrow = label("", "meta3")
        self.title = label("", "article", wrap=True, select=True)
        self.title.setContentsMargins(0, look().px(3), 0, look().px(8))
        inner.addWidget(self.eyebrow)
        inner.addWidget(self.title)
        self._facts = QWidget()
        inner.addWidget(self._facts)
        self._line = rule()
        inner.addSpacing(look().px(10))
        inner.addWidget(self._line)
        column.addLayout(inner)
        column.addWidget(self.texts, 1)
        self._grid = QGridLayout(self._facts)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(look().px(16))
        self._grid.setVerticalSpacing(look().px(3))
        self._grid.setColumnStretch(1, 1)
        self.strip, self.squares = LayerStrip(), EvidenceRow()
        self.layers, self.hardware = label("", wrap=True), label("", wrap=True)
        self._whose = label("", "three")
        self._fill_grid()
        return page

    def _fill_grid(self) -> None:
        names = flow(QHBoxLayout(), 12)
        names.addWidget(self.strip, 0, Qt.AlignmentFlag.AlignVCenter)
        names.addWidget(self.layers, 1)
        names.addWidget(self._whose)
        for row, name in enumerate((_("Layers"), _("Hardware"), _("Evidence"))):
            self._grid.addWidget(label(name, "three"), row, 0)
        self._grid.addLayout(names, 0, 1)
        self._grid.addWidget(self.hardware, 1, 1)
        self._grid.addWidget(self.squares, 2, 1)

    def _notes(self) -> QWidget:
        page = QWidget()
        column = flow(QVBoxLayout(page), 10, (44, 18, 44, 18))
        column.addWidget(label(_("Notes"), "inspector"))
        column.addWidget(label(_("Yours alone; they travel with the data file."), "three"))
        self.notes.setProperty("kind", "field")
        self.notes.setAccessibleName(_("Notes"))
        self.notes.setPlaceholderText(_("What did you find, what is still to be tried?"))
        column.addWidget(self.notes, 1)
        row = flow(QHBoxLayout(), 8)
        row.addStretch(1)
        row.addWidget(button(_("Keep the note"), self._keep_note, kind="go", key="Ctrl+Enter"))
        column.addLayout(row)
        return page

    def _keep_note(self) -> None:
        if self.opened is not None:
            self.noted.emit(self.opened.story.id, self.notes.toPlainText())

    def keep_note(self) -> None:
        """Keep what stands in the note field."""
        if self.tab == NOTES:
            self._keep_note()

    @property
    def tab(self) -> str:
        """Which part is shown."""
        index = self.tabs.currentIndex()
        return self._tabs[index] if 0 <= index < len(self._tabs) else DIGEST

    def show_story(self, opened: Opened | None, *, checking: bool = False) -> None:
        """Show a story, at the place where it was left."""
        before = self.opened
        if before is not None:
            self._places[before.story.id] = self.browser.verticalScrollBar().value()
        same = before is not None and opened is not None and before.story.id == opened.story.id
        self.opened = opened
        for each in self._tools:
            each.setEnabled(opened is not None)
        tab = self.tab if same else ""
        self._make_tabs(checking)
        if opened is None:
            self._nothing()
            return
        self.show_marks(opened.story.marks)
        if not (same and self.notes.hasFocus()):
            self.notes.setPlainText(opened.story.marks.note or "")
        wanted = VERIFY if checking and tab in ("", VERIFY) else tab
        if wanted in self._tabs:
            self.tabs.setCurrentIndex(self._tabs.index(wanted))
        self._turned()

    def _make_tabs(self, checking: bool) -> None:
        opened = self.opened
        named: list[tuple[str, str]] = []
        if opened is not None:
            story = opened.story
            if isinstance(story, Item):
                named.append((DIGEST, _("Digest item")))
                for place in range(len(opened.originals)):
                    text = _("Source {n}").format(n=place + 1) if place else _("Source")
                    named.append((f"{SOURCE}{place or ''}", text))
            else:
                named.append((DIGEST, _("Digest") if isinstance(story, Digest) else _("Source")))
            if any(held.history for held in opened.held.values()):
                named.append((CHANGES, _("Changes")))
            if checking:
                named.append((VERIFY, _("Verify")))
            named.append((NOTES, _("Notes")))
        self.tabs.blockSignals(True)
        while self.tabs.count():
            self.tabs.removeTab(0)
        self._tabs = [key for key, _text in named]
        for _key, text in named:
            self.tabs.addTab(text)
        self.tabs.blockSignals(False)

    def show_tab(self, name: str) -> None:
        """Turn to a part of the story."""
        if name in self._tabs:
            self.tabs.setCurrentIndex(self._tabs.index(name))

    def offer_verify(self, *, turn: bool) -> None:
        """Offer the part that shows the run, and turn to it when asked."""
        if VERIFY not in self._tabs and self.opened is not None:
            tab = self.tab
            self._make_tabs(checking=True)
            self.show_tab(tab)
        if turn:
            self.show_tab(VERIFY)

    def _turned(self, _index: int = 0) -> None:
        opened, tab = self.opened, self.tab
        if opened is None:
            return
        self.stack.setCurrentIndex({NOTES: 1, VERIFY: 2}.get(tab, 0))
        if tab not in (NOTES, VERIFY):
            self._show_text(opened, self._shown(opened))
        self.tab_changed.emit(tab)

    def _shown(self, opened: Opened) -> Story:
        """Return the story of the part that is open."""
        if self.tab.startswith(SOURCE):
            place = int(self.tab.removeprefix(SOURCE) or 0)
            if place < len(opened.originals):
                return opened.originals[place]
        if self.tab == CHANGES and isinstance(opened.story, Item):
            changed = (each for each in opened.originals if opened.beside(each).history)
            return next(changed, opened.story)
        return opened.story

    def _follow(self, link: str) -> None:
        """Do what a link of an article says; those that lead out go to the window."""
        kind, _colon, rest = link.partition(":")
        opened = self.opened
        if kind == "changes":
            self.show_tab(CHANGES)
        elif kind == "fetch":
            self.wanted.emit("fetch")
        elif kind == "text" and opened is not None:
            (self._own.add if rest == "own" else self._own.discard)(self._shown(opened).id)
            self._turned()
        else:
            self.followed.emit(link)

    def set_abreast(self, abreast: bool) -> None:
        """Let digest and original stand side by side, or one at a time."""
        self.abreast = abreast
        self._turned()

    def _show_text(self, opened: Opened, story: Story) -> None:
        title = story.parsed.title if isinstance(story, Digest) else story.title
        self.title.setText(title)
        self.eyebrow.setText(_eyebrow(opened, story))
        self._show_labels(story)
        self._show_banner(story)
        body, held = "", opened.beside(story)
        if self.tab == CHANGES:
            body = changed.changes(look(), held.history)
        elif isinstance(story, Item):
            body = article.item(look(), story, opened.missing, opened.claimed)
        elif isinstance(story, Entry):
            body = article.entry(look(), story, held, own=story.id in self._own)
        else:
            body = article.digest(story, opened.items)
        self.texts.show_text(body, self._beside(opened, story))
        if self.tab != CHANGES:
            claimed.underline(self.browser.document(), opened.claimed)
        place = 0 if self.tab == CHANGES else self._places.get(story.id, 0)
        self.browser.verticalScrollBar().setValue(place)

    def _beside(self, opened: Opened, story: Story) -> str | None:
        """Return the original to stand beside an item, where that is wanted and it is kept."""
        original = opened.original
        if not self.abreast or original is None or not isinstance(story, Item):
            return None
        return article.beside(look(), original, _eyebrow(opened, original), opened.beside(original))

    def _show_labels(self, story: Story) -> None:
        labelled = not isinstance(story, Digest)
        self._facts.setVisible(labelled)
        if isinstance(story, Digest):
            return
        theirs = story.layers if isinstance(story, Item) else ()
        layers = theirs or story.labels.layers
        self.strip.show_layers(layers)
        names = [words.layer_name(each) for each in layers]
        extra = list(story.layers_unknown) if isinstance(story, Item) else []
        self.layers.setText(" · ".join([*names, *extra]) or _("none named"))
        self._whose.setText("" if theirs else _("judged here"))
        self.hardware.setText(_hardware(story.labels))
        self.squares.show_kinds(story.labels.evidence_all or (story.labels.evidence,))

    def _show_banner(self, story: Story) -> None:
        clear(self._banner)
        lines = story.notices if isinstance(story, Entry) else ()
        if isinstance(story, Digest):
            lines = story.parsed.not_understood
        if lines:
            title = _("Kept as published, not divided into stories")
            if isinstance(story, Digest):
                title = _("Parts of it were not understood; they stand below as text")
            self._banner.addWidget(note("warn", title, lines, flat=True))

    def show_marks(self, marks: Marks) -> None:
        """Show star and queue state."""
        t = look().tokens
        show_tool(
            self.star_button,
            "star-on" if marks.starred else "star",
            t.star if marks.starred else "",
        )
        queued = marks.queue_state is not None
        text = _("In the queue") if queued else _("Mark to verify")
        self.queue_button.setText(f" {text}  v")
        self.queue_button.setAccessibleName(text)
        self.queue_button.setProperty("kind", "on" if queued else "")
        set_icon(self.queue_button, "queue", "on" if queued else "")
        refresh_style(self.queue_button)

    def _nothing(self) -> None:
        self.stack.setCurrentIndex(0)
        clear(self._banner)
        self.title.setText("")
        self.eyebrow.setText("")
        self._facts.hide()
        self.browser.show_body("")

    def page(self) -> bool:
        """Scroll one page on; False at the end."""
        return self.browser.page() if self.stack.currentIndex() == 0 else False


def _hardware(labels: Labels) -> str:
    return " · ".join(words.hardware_name(each) for each in labels.hardware) or _("none named")


def _eyebrow(opened: Opened, story: Story) -> str:
    now = datetime.now(UTC)
    if isinstance(story, Item):
        name = opened.feed or digest_name(opened.digest)
        place = f"{story.section} {story.number or ''}".strip()
        when = story.published.astimezone().date().isoformat() if story.published else ""
        return " · ".join(each for each in (name, when, place) if each)
    if isinstance(story, Digest):
        parsed = story.parsed
        when = parsed.date.isoformat() if parsed.date else ""
        count = _("{n} stories").format(n=len(opened.items))
        parts = [opened.feed or digest_name(story), when, count, parsed.generation_mode or ""]
        return " · ".join(each for each in parts if each)
    feed = opened.feed if story is opened.story else ""
    parts = [
        feed,
        ", ".join(story.authors[:3]),
        words.moment_of(story.published, now),
        *words.arrival(story.categories),
        _("version {n}").format(n=story.versions) if story.versions > 1 else "",
        _("kept offline"),
    ]
    return " · ".join(each for each in parts if each)
