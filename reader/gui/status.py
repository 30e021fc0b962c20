"""The line at the foot: what is kept and under way at the left, key hints at the right."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from reader.gui import words
from reader.gui.commands import hints
from reader.gui.parts import Keys, button, clear, flow, icon_label, label, polish
from reader.gui.theme import look
from reader.gui.views import Shelf
from reader.language import _, ngettext

PACE_MS = 60


def kept_line(shelf: Shelf) -> str:
    """Return what can be read without a network, in one line."""
    stories = ngettext("{n} story", "{n} stories", shelf.stories)
    stories = stories.format(n=words.amount(shelf.stories))
    if shelf.last_sync is None:
        digests = ngettext("{n} digest", "{n} digests", shelf.digests).format(n=shelf.digests)
        return " · ".join((_("offline: reading, searching and verifying work"), stories, digests))
    parts = [
        _("synced {when}").format(when=words.moment_of(shelf.last_sync, datetime.now(UTC))),
        _("{ok} of {all} sources").format(ok=shelf.sources_ok, all=shelf.sources),
    ]
    if shelf.images_missing:
        text = ngettext("{n} image still missing", "{n} images still missing", shelf.images_missing)
        parts.append(text.format(n=shelf.images_missing))
    else:
        parts.append(_("all images kept: ready for the train"))
    return " · ".join(parts)


class StatusLine(QWidget):
    """Shows one sentence, one progress, and the keys of the pane that has the focus."""

    cancelled = Signal()
    followed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("status")
        self.setFixedHeight(look().px(28))
        row = flow(QHBoxLayout(self), 12, (14, 1, 14, 0))
        self._running = flow(QHBoxLayout(), 6)
        row.addLayout(self._running)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(look().px(120))
        self.bar.setAccessibleName(_("Progress"))
        self.doing = label("", "meta")
        self.stop = button(_("Cancel"), self.cancelled.emit, kind="flat", size="sm")
        self.text = label("", "meta")
        for each in (self.bar, self.doing, self.stop):
            each.hide()
            row.addWidget(each)
        row.addWidget(self.text)
        row.addStretch(1)
        self._keys = flow(QHBoxLayout(), 14)
        row.addLayout(self._keys)
        self._pane: tuple[str, bool] = ("", False)
        self._sets: dict[tuple[str, bool], QWidget] = {}  # made once: making them is slow
        self._kept = self._sentence = ""
        self._coming: tuple[int, int, str] | None = None
        self._pace = QTimer(self)
        self._pace.setSingleShot(True)
        self._pace.setInterval(PACE_MS)
        self._pace.timeout.connect(self._show_progress)

    def show_shelf(self, shelf: Shelf) -> None:
        """Show what is kept."""
        self._kept = kept_line(shelf)
        self.text.setText(self._sentence or self._kept)

    def say(self, sentence: str) -> None:
        """Show a sentence in the place of what is kept; an empty one brings that back."""
        self._sentence = sentence
        self.text.setText(sentence or self._kept)
        self.text.setToolTip(sentence)

    def show_keys(self, pane: str, wide: int = 1440) -> None:
        """Show the keys of a pane, as many as there is room for."""
        narrow = wide < look().px(1000)
        if (pane, narrow) == self._pane:
            return
        before = self._sets.get(self._pane)
        if before is not None:
            before.hide()
        self._pane = (pane, narrow)
        self.make_keys(pane, wide).show()

    def make_keys(self, pane: str, wide: int) -> QWidget:
        """Return the keys of a pane, made when they are first asked for."""
        wanted = (pane, wide < look().px(1000))
        if wanted not in self._sets:
            self._sets[wanted] = made = QWidget()
            made.hide()
            row = flow(QHBoxLayout(made), 14)
            for keys, text in hints(pane)[-2 if wanted[1] else 0 :]:
                row.addWidget(Keys(keys, text))
            self._keys.addWidget(made)
            polish(made)
        return self._sets[wanted]

    def progress(self, done: int, total: int, text: str) -> None:
        """Show how far a sync or import is; of many reports in a moment only the last is shown."""
        self._coming = (done, total, text)
        if not self._pace.isActive():
            self._pace.start()

    def _show_progress(self) -> None:
        if self._coming is None:
            return
        done, total, text = self._coming
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        self.doing.setText(f"{done} / {total}  {text}"[:60] if total else text[:60])
        for each in (self.bar, self.doing, self.stop):
            each.show()
        self.text.hide()

    def progress_ended(self) -> None:
        """Take the progress away."""
        self._coming = None
        self._pace.stop()
        for each in (self.bar, self.doing, self.stop):
            each.hide()
        self.text.show()

    def running(self, running: int, waiting: int) -> None:
        """Show how many checks run and wait."""
        clear(self._running)
        if not running:
            return
        t = look().tokens
        self._running.addWidget(icon_label("v-running", t.running, 14))
        text = label(_("verifying {n}").format(n=running), "meta")
        text.setStyleSheet(f"color: {t.accent_ink}; font-weight: 600;")
        self._running.addWidget(text)
        if waiting:
            self._running.addWidget(label(_("{n} waiting behind it").format(n=waiting), "meta"))
