"""Small widgets and layouts that every pane is put together from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QSplitterHandle,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from reader.gui import icons
from reader.gui.theme import look

L = TypeVar("L", bound=QBoxLayout)


def flow(layout: L, gap: int, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> L:
    """Set gap and margins (left, top, right, bottom), in sizes of the drawings."""
    here = look()
    layout.setSpacing(here.px(gap))
    left, top, right, bottom = (here.px(each) for each in margins)
    layout.setContentsMargins(left, top, right, bottom)
    return layout


def refresh_style(widget: QWidget) -> None:
    """Let the style sheet look at a widget's properties again."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def polish(widget: QWidget) -> None:
    """Let the style work out a page before it is shown: showing it is then far quicker."""
    for each in (widget, *widget.findChildren(QWidget)):
        each.ensurePolished()


def label(text: str, role: str = "", *, wrap: bool = False, select: bool = False) -> QLabel:
    """Return a label; `role` names its type in the style sheet. Text is never markup."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        made.setProperty("role", role)
    made.setWordWrap(wrap)
    if select:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def tint(made: QLabel, colour: str, role: str) -> None:
    """Give a label without a role colour and font: far cheaper than a style sheet of its own."""
    palette = made.palette()
    palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
    made.setPalette(palette)
    made.setFont(look().font(role))


def yielding(made: QLabel) -> QLabel:
    """Let a label give way where there is little room, instead of holding its pane open."""
    made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    made.setMinimumWidth(1)
    return made


def icon_label(name: str, colour: str, size: int = 16) -> QLabel:
    """Return an icon as a label."""
    made = QLabel()
    made.setPixmap(icons.pixmap(name, colour, look().px(size), look().tokens.on))
    return made


def keycap(text: str) -> QLabel:
    """Return a key as it looks on a keyboard."""
    made = label(text, "key")
    made.setAlignment(Qt.AlignmentFlag.AlignCenter)
    made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return made


class Keys(QWidget):
    """Keycaps with what they do."""

    def __init__(self, keys: Iterable[str], text: str, role: str = "meta") -> None:
        super().__init__()
        row = flow(QHBoxLayout(self), 5)
        for each in keys:
            row.addWidget(keycap(each), 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(label(text, role), 1)


def button(
    text: str,
    action: Callable[[], object] | None = None,
    *,
    kind: str = "",
    icon: str = "",
    size: str = "",
    key: str = "",
    name: str = "",
) -> QPushButton:
    """Return a button; `key` stands behind its text, `kind` is go, on, flat or link."""
    # The style leaves too little room between picture and words.
    words = f" {text}" if icon else text
    made = QPushButton(f"{words}  {key}" if key else words)
    if kind:
        made.setProperty("kind", kind)
    if size:
        made.setProperty("size", size)
    if icon:
        set_icon(made, icon, kind)
    made.setAccessibleName(name or text)
    made.setAutoDefault(False)
    if action is not None:
        made.clicked.connect(lambda _on=False: action())
    return made


def set_icon(made: QPushButton, icon: str, kind: str = "") -> None:
    """Give a button its icon in the colour of its kind."""
    t = look().tokens
    colour = {"go": t.on_accent, "on": t.accent_ink, "flat": t.ink2}.get(kind, t.ink)
    made.setIcon(icons.icon(icon, colour))
    made.setIconSize(QSize(look().px(16), look().px(16)))


def tool(icon: str, name: str, action: Callable[[], object]) -> QToolButton:
    """Return a button of an icon alone, named for tooltip and screen reader."""
    made = QToolButton()
    made.setAccessibleName(name)
    made.setToolTip(name)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    made.clicked.connect(lambda _on=False: action())
    show_tool(made, icon)
    return made


def show_tool(made: QToolButton, icon: str, colour: str = "") -> None:
    """Give an icon button its picture."""
    size = look().px(16)
    made.setIcon(icons.icon(icon, colour or look().tokens.ink2))
    made.setIconSize(QSize(size, size))
    made.setFixedSize(look().px(28), look().px(28))


def search_field(name: str) -> QLineEdit:
    """Return a field to search in, with the key that leads to it."""
    made = QLineEdit()
    made.setPlaceholderText(name)
    made.setAccessibleName(name)
    made.setFixedWidth(look().px(196))
    made.setClearButtonEnabled(True)
    glass = QAction(icons.icon("search", look().tokens.ink3), "", made)
    made.addAction(glass, QLineEdit.ActionPosition.LeadingPosition)
    inner = flow(QHBoxLayout(made), 0, (0, 0, 8, 0))
    cap = keycap("/")
    inner.addStretch(1)
    inner.addWidget(cap, 0, Qt.AlignmentFlag.AlignVCenter)
    made.textChanged.connect(lambda text: cap.setVisible(not text))
    return made


def rule() -> QFrame:
    """Return a line of one pixel."""
    made = QFrame()
    made.setProperty("rule", "line")
    made.setFixedHeight(1)
    return made


def head(height: int = 44, margins: tuple[int, int] = (16, 16)) -> tuple[QWidget, QHBoxLayout]:
    """Return the bar on top of a pane and its row."""
    made = QWidget()
    made.setObjectName("head")
    made.setFixedHeight(look().px(height))
    return made, flow(QHBoxLayout(made), 8, (margins[0], 0, margins[1], 0))


def surface(name: str, parent: QWidget | None = None) -> tuple[QWidget, QVBoxLayout]:
    """Return a pane on one of the surfaces side, list, page, and its column."""
    made = QWidget(parent)
    made.setObjectName(name)
    made.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return made, flow(QVBoxLayout(made), 0)


def holds_focus(widget: QWidget) -> bool:
    """Say whether the keyboard is in a widget or inside it."""
    focus = QApplication.focusWidget()
    return focus is not None and (focus is widget or widget.isAncestorOf(focus))


def clear(layout: QBoxLayout) -> None:
    """Take everything out of a layout and let it go."""
    while (item := layout.takeAt(0)) is not None:
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()
        elif isinstance(inner, QBoxLayout):
            clear(inner)


class _Handle(QSplitterHandle):
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, t = QPainter(self), look().tokens
        across = self.orientation() is Qt.Orientation.Horizontal
        colour = QColor(t.line if across else t.line2)
        if across:
            painter.fillRect(self.width() // 2, 0, 1, self.height(), colour)
        else:
            painter.fillRect(0, self.height() // 2, self.width(), 1, colour)
        painter.end()


class Panes(QSplitter):
    """A splitter whose handle is a line of one pixel that is easy to catch."""

    def __init__(self, orientation: Qt.Orientation) -> None:
        super().__init__(orientation)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)

    def createHandle(self) -> QSplitterHandle:
        return _Handle(self.orientation(), self)
