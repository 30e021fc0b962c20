"""The log of a run: its lines as they come, warnings apart, folded away when it is in the way."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QIcon,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from reader.gui import words
from reader.gui.parts import button, flow, head, label, refresh_style, set_icon, show_tool, tool
from reader.gui.theme import look
from reader.language import _, ngettext

MOST_LINES = 20_000
HEAP = 400  # lines shown in one turn of the event loop
FLUSH_MS = 60
_LOUD = re.compile(
    r"\b(?:warn(?:ing)?s?|errors?|fatal|fail(?:ed|ure|ures)?|traceback|exception|\w+Error)\b"
    r"|警告|错误|失败",
    re.IGNORECASE,
)


def is_warning(line: str) -> bool:
    """Say whether a line of a log warns of something."""
    return _LOUD.search(line) is not None


class _Tint(QSyntaxHighlighter):
    """Gives warnings their colour."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._loud = QTextCharFormat()
        self._loud.setForeground(QColor(look().tokens.inconclusive))

    def highlightBlock(self, text: str) -> None:
        if is_warning(text):
            self.setFormat(0, len(text), self._loud)


class Log(QPlainTextEdit):
    """Lines of a log; follows its end until it is scrolled."""

    followed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "log")
        self.setReadOnly(True)
        self.setMaximumBlockCount(MOST_LINES)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAccessibleName(_("Log"))
        self.setTabChangesFocus(True)
        self._tint = _Tint(self.document())
        self.follows = True
        self._waiting: deque[str] = deque(maxlen=MOST_LINES)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._flush)
        self.verticalScrollBar().actionTriggered.connect(self._scrolled)

    def add(self, line: str) -> None:
        """Add a line; many lines in a moment are shown together."""
        self._waiting.append(line)
        if not self._timer.isActive():
            self._timer.start(FLUSH_MS)

    def show_lines(self, lines: list[str]) -> None:
        """Show these lines instead, a heap at a time."""
        self.clear()
        self._waiting.clear()
        self._waiting.extend(lines)
        self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        heap = [self._waiting.popleft() for _place in range(min(HEAP, len(self._waiting)))]
        self.appendPlainText("\n".join(heap))
        if self.follows:
            self.to_end()
        if self._waiting:
            self._timer.start(0)

    def to_end(self) -> None:
        """Go to the last line."""
        self.moveCursor(QTextCursor.MoveOperation.End)
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _scrolled(self, _action: int) -> None:
        bar = self.verticalScrollBar()
        self.follow(bar.sliderPosition() >= bar.maximum() - 4)

    def follow(self, on: bool) -> None:
        """Follow the end, or stay where it is."""
        if on != self.follows:
            self.follows = on
            self.followed.emit(on)


class LogPanel(QWidget):
    """The log with its head: how many lines, warnings only, follow, copy, fold."""

    def __init__(self, *, foldable: bool = True) -> None:
        super().__init__()
        self._all: deque[str] = deque(maxlen=MOST_LINES)
        self._count = self._loud = 0
        self._counting = QTimer(self)
        self._counting.setSingleShot(True)
        self._counting.setInterval(FLUSH_MS)
        self._counting.timeout.connect(self._show_counts)
        self.folded = False
        self.log = Log()
        self.log.followed.connect(self._show_follow)
        column = flow(QVBoxLayout(self), 0)
        column.addWidget(self._head(foldable))
        column.addWidget(self.log, 1)
        self._show_counts()

    def _head(self, foldable: bool) -> QWidget:
        bar, row = head(36, (36 if foldable else 44, 20))
        self.fold_tool = tool("down", _("Fold the log"), lambda: self.fold(not self.folded))
        row.addWidget(self.fold_tool)
        row.addWidget(label(_("Log"), "label"))
        self.lines = label("", "two")
        row.addWidget(self.lines)
        row.addStretch(1)
        self.warnings = _switch(self._only_warnings)
        self.following = _switch(self._follow)
        self.following.setText(_("Follow"))
        self.following.setAccessibleName(_("Follow"))
        self.following.setChecked(True)
        self.copy = button(_("Copy"), self._copy, kind="flat", size="sm")
        for each in (self.warnings, self.following, self.copy):
            row.addWidget(each)
        self._show_follow(True)
        for part in (self.fold_tool, self.following):
            part.setVisible(foldable)  # a log that is complete has nothing to follow
        return bar

    def add(self, line: str) -> None:
        """Add a line."""
        self._all.append(line)
        self._count += 1
        loud = is_warning(line)
        self._loud += loud
        if loud or not self.warnings.isChecked():
            self.log.add(line)
        if not self._counting.isActive():
            self._counting.start()

    def start(self) -> None:
        """Begin a new log."""
        self.show_text("")
        self.log.follow(True)

    def show_text(self, text: str) -> None:
        """Show a log that is complete."""
        lines = text.splitlines()
        self._all = deque(lines, maxlen=MOST_LINES)
        self._count, self._loud = len(lines), sum(map(is_warning, lines))
        self.warnings.setChecked(False)
        self._show_counts()
        self.log.show_lines(list(self._all))

    def fold(self, folded: bool) -> None:
        """Fold the log to its head, or out again."""
        self.folded = folded
        self.log.setVisible(not folded)
        self.setMaximumHeight(look().px(36) if folded else 16_777_215)
        show_tool(self.fold_tool, "right" if folded else "down")
        name = _("Unfold the log") if folded else _("Fold the log")
        self.fold_tool.setAccessibleName(name)
        self.fold_tool.setToolTip(name)

    def _only_warnings(self, only: bool) -> None:
        _show_switch(self.warnings, only)
        self.log.show_lines([each for each in self._all if not only or is_warning(each)])

    def _follow(self, on: bool) -> None:
        self.log.follow(on)
        if on:
            self.log.to_end()

    def _show_follow(self, on: bool) -> None:
        self.following.setChecked(on)
        _show_switch(self.following, on)

    def _show_counts(self) -> None:
        count = ngettext("{n} line", "{n} lines", self._count)
        self.lines.setText(count.format(n=words.amount(self._count)))
        text = f"{_('Warnings only')} {words.amount(self._loud)}"
        self.warnings.setText(f" {text}" if self.warnings.isChecked() else text)
        self.warnings.setAccessibleName(text)
        self.warnings.setEnabled(bool(self._loud) or self.warnings.isChecked())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._all))


def _switch(action: Callable[[bool], object]) -> QPushButton:
    made = button("", kind="flat", size="sm")
    made.setCheckable(True)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    made.clicked.connect(action)
    return made


def _show_switch(made: QPushButton, on: bool) -> None:
    made.setProperty("kind", "on" if on else "flat")
    if on:
        set_icon(made, "read", "on")
    else:
        made.setIcon(QIcon())
    refresh_style(made)
