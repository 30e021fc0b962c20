"""Rules of the user's: the list of them, an editor, what they would have done, and undo."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from reader.errors import Expected
from reader.gui.desk import Desk
from reader.gui.dialogs import fit
from reader.gui.parts import button, flow, label, rule
from reader.gui.theme import look
from reader.language import _, ngettext
from reader.rules import FIELDS, Action, Rule, written

if TYPE_CHECKING:
    from reader.model import Entry, Item
    from reader.store import Store

PAUSE_MS = 250  # after the last letter, before the store is asked
TITLES = 6  # of what a rule would have been about
DAYS = 30


@dataclass(frozen=True, slots=True)
class _Tried:
    """What a rule would have been about."""

    count: int
    titles: tuple[str, ...]


_EMPTY = written.lines("", {}, {}, [])  # what an editor says in which nothing is typed


class Rules(QDialog):
    """All rules on the left, one of them on the right; nothing is written before "Keep"."""

    def __init__(
        self, parent: QWidget, desk: Desk, config: Path, changed: Callable[[], None]
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Rules"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._desk, self._file, self._changed = desk, written.place(config), changed
        self._own: list[Rule] = []
        self._seen: tuple[Rule, ...] = ()  # what stands in the file
        self._asked = 0  # how often it was asked what a rule would be about
        self._draft: Rule | None = None  # to be shown as soon as the file is read
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._try)
        column = flow(QVBoxLayout(self), 12, (24, 20, 24, 18))
        column.addWidget(label(_("Rules over what comes in"), "inspector"))
        lead = _("They mark what is new. What you have marked yourself is left alone.")
        column.addWidget(label(lead, "two", wrap=True))
        row = flow(QHBoxLayout(), 20)
        row.addLayout(self._left(), 2)
        row.addLayout(self._right(), 5)
        column.addLayout(row, 1)
        column.addWidget(rule())
        column.addLayout(self._foot())
        fit(self, 900, 640)
        self.keep.setEnabled(False)  # until it is known what stands in the file
        self.load()

    # ── made once ────────────────────────────────────────────────────────────────────────────

    def _left(self) -> QVBoxLayout:
        column = flow(QVBoxLayout(), 8)
        self.list = QListWidget()
        self.list.setAccessibleName(_("Rules"))
        self.list.currentRowChanged.connect(self._chosen)
        column.addWidget(self.list, 1)
        row = flow(QHBoxLayout(), 8)
        row.addWidget(button(_("New rule"), lambda: self.edit(None), icon="plus"))
        self.gone = button(_("Remove"), self._remove, kind="flat")
        row.addWidget(self.gone)
        row.addStretch(1)
        column.addLayout(row)
        return column

    def _right(self) -> QVBoxLayout:
        column = flow(QVBoxLayout(), 10)
        self.name = QLineEdit()
        self.name.setAccessibleName(_("Name of the rule"))
        self.name.setPlaceholderText(_("Name of the rule"))
        self.on = QCheckBox(_("works"))
        self.on.setChecked(True)
        top = flow(QHBoxLayout(), 10)
        top.addWidget(self.name, 1)
        top.addWidget(self.on)
        column.addLayout(top)
        grid = flow_grid()
        heads = (_("field"), _("when it has"), _("unless it has"))
        for place, text in enumerate(heads):
            grid.addWidget(label(text, "caption"), 0, place)
        self.when: dict[str, QLineEdit] = {}
        self.unless: dict[str, QLineEdit] = {}
        hints = _hints()
        for place, field in enumerate(FIELDS, 1):
            named = hints[field]
            grid.addWidget(label(named[0], "two"), place, 0)
            for at, fields in enumerate((self.when, self.unless), 1):
                line = QLineEdit()
                line.setAccessibleName(
                    f"{named[0]}, {(_('when it has'), _('unless it has'))[at - 1]}"
                )
                line.setPlaceholderText(named[1] if at == 1 else "")
                line.textEdited.connect(lambda _text: self._pause.start())
                fields[field] = line
                grid.addWidget(line, place, at)
        column.addLayout(grid)
        column.addLayout(self._acts())
        self.tried = label("", "label", wrap=True)
        self.titles = label("", "three", wrap=True)
        column.addWidget(self.tried)
        column.addWidget(self.titles)
        column.addStretch(1)
        return column

    def _acts(self) -> QHBoxLayout:
        row = flow(QHBoxLayout(), 14)
        row.addWidget(label(_("then"), "caption"))
        words = {
            Action.MUTE: _("mute"),
            Action.READ: _("mark read"),
            Action.STAR: _("star"),
            Action.QUEUE: _("queue"),
        }
        self.acts = {each: QCheckBox(text) for each, text in words.items()}
        for box in self.acts.values():
            row.addWidget(box)
        self.tags = QLineEdit()
        self.tags.setAccessibleName(_("Tags"))
        self.tags.setPlaceholderText(_("tags, separated by commas"))
        row.addWidget(self.tags, 1)
        return row

    def _foot(self) -> QHBoxLayout:
        row = flow(QHBoxLayout(), 8)
        self.said = label("", "meta", wrap=True)
        row.addWidget(button(_("Undo the last"), self._undo, icon="undo"))
        row.addWidget(button(_("Open the file"), self._open_file, kind="flat"))
        row.addWidget(self.said, 1)
        row.addWidget(button(_("Close"), self.reject, key="Esc"))
        self.keep = button(_("Keep"), self._keep, kind="go")
        row.addWidget(self.keep)
        return row

    # ── the file ─────────────────────────────────────────────────────────────────────────────

    def load(self) -> None:
        """Read the file."""
        file = self._file
        self._desk.run(
            lambda _task: written.load(file), self._loaded, failed=self._failed, name="rules"
        )

    def _loaded(self, own: tuple[Rule, ...]) -> None:
        self._own, self._seen = list(own), own
        self.keep.setEnabled(True)
        if self._text() != _EMPTY and self._draft is None:
            return  # somebody was quicker with a new rule than the disk
        self._list(0)
        if self._draft is not None:
            self.edit(self._draft)
        elif not own:
            self.edit(None)

    def _failed(self, error: BaseException) -> None:
        # What cannot be read is not written over either: it is mended by hand.
        self.said.setText(str(error))

    def _list(self, at: int) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        for each in self._own:
            off = "" if each.on else f"  ({_('off')})"
            self.list.addItem(QListWidgetItem(f"{each.name}{off}"))
        self.list.blockSignals(False)
        self.gone.setEnabled(bool(self._own))
        if self._own:
            self.list.setCurrentRow(min(at, len(self._own) - 1))

    def _chosen(self, place: int) -> None:
        if 0 <= place < len(self._own):
            self._show(self._own[place])

    def _remove(self) -> None:
        place = self.list.currentRow()
        if 0 <= place < len(self._own):
            gone = self._own.pop(place)
            self._write(_("Removed: {name}. What it has done stays.").format(name=gone.name))
            self._list(place)
            if not self._own:
                self.edit(None)

    # ── the editor ───────────────────────────────────────────────────────────────────────────

    def draft(self, made: Rule) -> None:
        """Begin with a rule that is not kept yet."""
        self._draft = made
        self.edit(made)

    def edit(self, made: Rule | None) -> None:
        """Show a new rule."""
        self.list.setCurrentRow(-1)
        self._show(made or Rule(""))
        self.name.setFocus()

    def _show(self, shown: Rule) -> None:
        self.name.setText(shown.name)
        self.on.setChecked(shown.on)
        for fields, words in ((self.when, shown.when), (self.unless, shown.unless)):
            for name, line in fields.items():
                line.setText(", ".join(words.get(name, ())))
        for act, box in self.acts.items():
            box.setChecked(act in shown.then)
        self.tags.setText(", ".join(shown.tags))
        self._try()

    def _text(self) -> str:
        """Return what is typed as the file would say it; it may be no rule yet."""
        then = [each.value for each, box in self.acts.items() if box.isChecked()]
        then += [written.TAG + each for each in _split(self.tags.text())]
        when, unless = (
            {name: _split(line.text()) for name, line in fields.items() if _split(line.text())}
            for fields in (self.when, self.unless)
        )
        return written.lines(self.name.text().strip(), when, unless, then, on=self.on.isChecked())

    def _try(self) -> None:
        """Say what the rule would have been about; its name and acts do not matter yet."""
        self._asked += 1
        turn = self._asked
        try:
            (tried,) = written.parse(_tryable(self._text()), self._file)
        except Expected:
            self.tried.setText("")
            self.titles.setText(_("Write into a field what a story has to have."))
            return

        def work(store: Store) -> _Tried:
            from reader.sync import ruling

            found = ruling.matching(store, tried, datetime.now(UTC), DAYS)
            return _Tried(len(found), tuple(each.title for each in found[:TITLES]))

        self._desk.ask(work, partial(self._show_tried, turn), key="rules")

    def _show_tried(self, turn: int, found: _Tried) -> None:
        if turn != self._asked:
            return  # something else is typed by now
        count = found.count
        text = ngettext("{n} story in {days} days", "{n} stories in {days} days", count)
        self.tried.setText(text.format(n=count, days=DAYS))
        more = found.count - len(found.titles)
        titles = [f"· {each}" for each in found.titles]
        titles += [_("… and {count} more").format(count=more)] if more else []
        self.titles.setText("\n".join(titles))

    def _keep(self) -> None:
        try:
            (made,) = written.parse(self._text(), self._file)
            place = self.list.currentRow()
            own = list(self._own)
            if 0 <= place < len(own):
                own[place] = made
            else:
                own = [each for each in own if each.name != made.name] + [made]
            written.parse("\n".join(map(written.written, own)), self._file)
        except Expected as error:
            self.said.setText(str(error).removeprefix(f"{self._file}: "))
            return
        self._own, self._draft = own, None
        self._write(
            _("Kept. It works on what comes in from now on.")
            if made.on
            else _("Kept. It rests until it is turned on.")
        )
        self._list(own.index(made))

    def _write(self, said: str) -> None:
        file, own, seen = self._file, tuple(self._own), self._seen
        self._seen = own
        self.said.setText("")
        self._desk.keep(lambda: written.save(file, own, seen=seen), partial(self._written, said))

    def _written(self, said: str, _result: None) -> None:
        self.said.setText(said)

    # ── what was done ────────────────────────────────────────────────────────────────────────

    def _undo(self) -> None:
        def work(store: Store) -> Any:
            from reader.errors import Usage
            from reader.sync import ruling

            try:
                return ruling.undo(store)
            except Usage as error:
                return str(error)

        self._desk.write(work, self._undone)

    def _undone(self, one: Any) -> None:
        if isinstance(one, str):
            self.said.setText(one)
            return
        text = ngettext("{rule}: {n} story as before", "{rule}: {n} stories as before", one.stories)
        self.said.setText(text.format(rule=one.rule, n=one.stories))
        self._changed()

    def _open_file(self) -> None:
        if not self._file.exists():
            self.said.setText(_("There is no file yet; keep a rule first."))
            return
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._file)))


def flow_grid() -> QGridLayout:
    """Return the grid of fields."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(look().px(10))
    grid.setVerticalSpacing(look().px(6))
    grid.setColumnStretch(1, 3)
    grid.setColumnStretch(2, 2)
    return grid


def like(story: Item | Entry, feed: str) -> Rule:
    """Return a rule to begin with: about what comes from the same feed, and calls itself alike."""
    # A comma stands between two words in the editor.
    when = {"feed": (re.sub(r"[,，]", "*", feed),)} if feed else {}
    if not when and story.url:
        from reader import rules

        places = sorted(rules.subject_of(story, {}).names["source"], key=len)
        when = {"source": (places[-1],)} if places else {}
    return Rule("", when or {"title": (story.title,)})


def _tryable(text: str) -> str:
    """Return the table with a name and an act, so that its conditions alone are judged."""
    lines = [each for each in text.splitlines() if not each.startswith(("name =", "then ="))]
    return "\n".join([lines[0], 'name = "tried"', *lines[1:], 'then = ["read"]']) + "\n"


def _split(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (each.strip() for each in text.replace("，", ",").split(","))))


def _hints() -> dict[str, tuple[str, str]]:
    """Return the name of each field, and an example of what may stand in it."""
    return {
        "title": (_("title"), "nightly, rc*"),
        "text": (_("text"), "acq_rel, 寄存器"),
        "layer": (_("layer"), "kernel_codegen"),
        "hardware": (_("hardware"), "nvidia, sm_90a"),
        "evidence": (_("evidence"), "end_to_end"),
        "source": (_("source"), "triton-lang/triton, arxiv.org"),
        "release": (_("release"), "nightly, prerelease"),
        "feed": (_("feed"), _("its title or address")),
    }
