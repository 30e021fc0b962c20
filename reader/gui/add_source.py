"""Adding a source: paste anything, see what would come, then subscribe; all by the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from reader.gui import words
from reader.gui.desk import Desk
from reader.gui.parts import button, clear, flow, label
from reader.gui.theme import look
from reader.language import _, ngettext
from reader.model import FeedKind, Wanted

if TYPE_CHECKING:
    from reader.store import Store
    from reader.sync.previews import Preview, Sample
    from reader.tasks import Task

LIKELY = ("http://", "https://", "git@github.com", "feed:", "arxiv:")
MOST_SHOWN = 12  # things that were found, before the list scrolls
KEY = "add source"


class AddSource(QDialog):
    """A field, what stands behind its words, and two keys: Enter looks, Enter again subscribes."""

    def __init__(
        self,
        parent: QWidget,
        desk: Desk,
        added: Callable[[list[str]], object],
        address: str | None = None,
    ) -> None:
        super().__init__(parent)
        self._desk, self._added = desk, added
        self._shown: Preview | None = None
        self._task: Task[Any] | None = None
        self._closed = False
        self.finished.connect(self._close)
        self.setWindowTitle(_("Add feed"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(min(look().px(600), max(320, parent.window().width() - 24)))
        column = flow(QVBoxLayout(self), 10, (20, 18, 20, 16))
        column.addWidget(label(_("Add feed"), "inspector"))
        lead = _(
            "A feed or site, a GitHub repository or user, an arXiv category, search or paper, a "
            "folder, or a list of subscriptions."
        )
        column.addWidget(label(lead, "two", wrap=True))
        self.field = QLineEdit(_copied() if address is None else address)
        self.field.setAccessibleName(_("Address"))
        self.field.setPlaceholderText("https://github.com/triton-lang/triton")
        self.field.selectAll()
        self.field.textChanged.connect(self._typed)
        column.addWidget(self.field)
        self.said = label("", "two", wrap=True)
        column.addWidget(self.said)
        self.finds = self._list(_("Found"))
        self.finds.currentRowChanged.connect(self._chosen)
        self.samples = self._list(_("The last five posts"))
        self.samples.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.samples.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        column.addWidget(self.finds)
        self._wishes = flow(QVBoxLayout(), 4)
        column.addLayout(self._wishes)
        column.addWidget(self.samples, 1)
        self._buttons(column)
        self._boxes: dict[str, QCheckBox] = {}
        self.topics: QLineEdit | None = None
        self._typed(self.field.text())
        self.field.setFocus()
        if address:
            self.act()

    @staticmethod
    def _list(name: str) -> QListWidget:
        made = QListWidget()
        made.setAccessibleName(name)
        made.setWordWrap(True)
        made.hide()
        return made

    def _buttons(self, column: QVBoxLayout) -> None:
        row = flow(QHBoxLayout(), 8)
        row.addStretch(1)
        row.addWidget(button(_("Cancel"), self.reject, key="Esc"))
        self.go = button(_("Look"), self.act, kind="go", key="Enter", name=_("Look"))
        row.addWidget(self.go)
        column.addLayout(row)

    # ── looking ──────────────────────────────────────────────────────────────────────────────

    def act(self) -> None:
        """Look, or subscribe where what is typed was looked up."""
        if self._task is not None:
            return
        if self._shown is not None:
            self._subscribe()
        elif self.field.text().strip():
            self._look()

    def _typed(self, text: str) -> None:
        self._forget()
        self.said.setText("")
        self.go.setEnabled(bool(text.strip()))

    def _forget(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._shown, self._task = None, None
        for each in (self.finds, self.samples):
            each.hide()
        clear(self._wishes)
        self._boxes, self.topics = {}, None
        self._name_go(_("Look"))

    def _name_go(self, text: str) -> None:
        self.go.setText(f"{text}  Enter")
        self.go.setAccessibleName(text)

    def _look(self, at: int = 0) -> None:
        """Look words up, or into another of what was found."""
        path, typed, wanted = self._desk.path, self.field.text(), self.wanted()
        found = self._shown.found if self._shown is not None else ()

        def work(_task: Task[Preview]) -> Preview:
            from reader.sync import previews

            if not found:
                return previews.preview(path, typed, wanted=wanted)
            chosen = [found[at], *found[:at], *found[at + 1 :]]
            return replace(previews.look(path, chosen, wanted=wanted), found=found)

        self.said.setText(_("looking for a feed…"))
        self._task = self._desk.run(
            work,
            lambda shown: self._looked(typed, shown),
            key=KEY,
            failed=lambda error: self._failed(typed, error),
            name="look",
        )

    def _is_past(self, typed: str) -> bool:
        """Whether nobody waits for what these words lead to any more."""
        return self._closed or typed != self.field.text()

    def _failed(self, typed: str, error: BaseException) -> None:
        if self._is_past(typed):
            return
        self._task = None
        self.said.setText(str(error))

    def _looked(self, typed: str, shown: Preview) -> None:
        if self._is_past(typed):
            return
        first, self._shown, self._task = self._shown is None, shown, None
        if first:
            self._show_finds(shown)
            self._show_wishes(shown)
        self._show_samples(shown)
        self.said.setText("\n".join(_said(shown, self._at())))
        self._name_go(_("Save") if shown.subscribed else _("Subscribe"))
        self.go.setEnabled(True)

    def _at(self) -> int:
        return max(0, self.finds.currentRow())

    def _show_finds(self, shown: Preview) -> None:
        self.finds.blockSignals(True)
        self.finds.clear()
        for each in shown.found:
            self.finds.addItem(QListWidgetItem(f"{each.title or each.url}\n{each.how}"))
        self.finds.setCurrentRow(0)
        self.finds.blockSignals(False)
        self.finds.setVisible(len(shown.found) > 1)
        self.finds.setMaximumHeight(look().px(40) * min(MOST_SHOWN, len(shown.found)))

    def _show_samples(self, shown: Preview) -> None:
        self.samples.clear()
        for each in shown.samples:
            self.samples.addItem(QListWidgetItem(_line(each)))
        self.samples.setVisible(bool(shown.samples))
        self.samples.setMinimumHeight(look().px(44) * len(shown.samples))

    def _chosen(self, row: int) -> None:
        """Look into another of what was found, without asking for it again in a list."""
        if self._shown is not None and row >= 0 and not self._shown.is_list:
            self._look(row)

    # ── what is wanted of it ─────────────────────────────────────────────────────────────────

    def _show_wishes(self, shown: Preview) -> None:
        if shown.is_list:
            return
        kind, usual = shown.best.kind, shown.wanted
        named = {
            FeedKind.GITHUB_RELEASES: (
                ("prereleases", _("Also pre-releases")),
                ("nightly", _("Also nightly builds")),
            ),
            FeedKind.ARXIV: (
                ("cross", _("Also cross-listed papers")),
                ("replaced", _("Also new versions of older papers")),
            ),
            FeedKind.DIGEST_SITE: (("history", _("Also its history, in the background")),),
        }.get(kind, ())
        row = flow(QHBoxLayout(), 16)
        for name, text in named:
            box = QCheckBox(text)
            box.setChecked(bool(getattr(usual, name)))
            box.toggled.connect(lambda _on: self._look(self._at()))
            self._boxes[name] = box
            row.addWidget(box)
        row.addStretch(1)
        self._wishes.addLayout(row)
        self.topics = QLineEdit(", ".join(usual.topics))
        self.topics.setAccessibleName(_("Only these topics"))
        self.topics.setPlaceholderText(_("Only these topics: kernels, compilers, GPU"))
        self.topics.editingFinished.connect(self._topics_typed)
        self._wishes.addWidget(self.topics)

    def _topics_typed(self) -> None:
        if self.topics is not None and self.topics.isModified():
            self.topics.setModified(False)
            self._look(self._at())

    def wanted(self) -> Wanted | None:
        """Return what is wanted of the source; None where nothing was said."""
        given: dict[str, Any] = {name: box.isChecked() for name, box in self._boxes.items()}
        if self.topics is not None:
            from reader.sync.topics import split_topics

            given["topics"] = split_topics(self.topics.text())
        stands = self._shown.wanted if self._shown is not None else Wanted()
        wanted = replace(stands, **given)
        return None if wanted == stands else wanted

    # ── subscribing ──────────────────────────────────────────────────────────────────────────

    def _subscribe(self) -> None:
        shown, wanted, path = self._shown, self.wanted(), self._desk.path
        if shown is None:
            return
        if shown.subscribed and self._at() == 0:
            self._save(shown.subscribed, shown.wanted, wanted)
            return
        taken = list(shown.found) if shown.is_list else [shown.found[self._at()]]

        def work(_task: Task[list[str]]) -> list[str]:
            from reader.sync import subscribing

            return [each.id for each in subscribing.subscribe_to(path, taken, wanted=wanted)]

        self._desk.run(work, self._added, name="subscribe")
        self.accept()

    def _save(self, feed: str, before: Wanted, wanted: Wanted | None) -> None:
        """Keep what is wanted now of a source that is subscribed to."""

        def work(store: Store) -> list[str]:
            if wanted is not None:
                topics = bool(wanted.topics) if wanted.topics != before.topics else None
                store.feeds.describe(feed, wanted=wanted, topic_filter=topics)
            return [feed]

        self._desk.write(work, self._added)
        self.accept()

    def _close(self) -> None:
        """Let go of what is under way."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.topics is not None and self.topics.hasFocus() and self.topics.isModified():
                self._topics_typed()
            else:
                self.act()
            return
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up) and self.finds.isVisible():
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            self.finds.setCurrentRow(max(0, min(self.finds.count() - 1, self._at() + step)))
            return
        super().keyPressEvent(event)


def _copied() -> str:
    """Return what is in the clipboard where it looks like an address."""
    text = QGuiApplication.clipboard().text().strip()
    return text if len(text) < 2000 and text.casefold().startswith(LIKELY) else ""


def _said(shown: Preview, at: int) -> list[str]:
    """Return what was found, in a few lines."""
    if shown.is_list:
        text = ngettext(
            "A list of {count} subscription.", "A list of {count} subscriptions.", shown.count
        )
        return [text.format(count=shown.count)]
    chosen = shown.found[at]
    lines = [shown.title or chosen.title or chosen.url, f"{chosen.how} · {chosen.url}"]
    if shown.subscribed:
        lines.append(_("You are subscribed to it already."))
    lines += [each for each in (shown.error, shown.note) if each]
    if not shown.samples and not shown.error:
        lines.append(_("nothing in it now"))
    return lines


def _line(sample: Sample) -> str:
    """Return one post: its day and title, and its labels below."""
    day = sample.published.astimezone().strftime("%Y-%m-%d") if sample.published else "–"
    labels = [*sample.categories[:3], *map(words.layer_name, sample.labels.layers)]
    labels += [words.hardware_name(each) for each in sample.labels.hardware]
    if sample.items:
        text = ngettext("{count} story", "{count} stories", sample.items)
        labels.append(text.format(count=sample.items))
    return f"{day}  {sample.title}\n{' · '.join(labels) or '–'}"
