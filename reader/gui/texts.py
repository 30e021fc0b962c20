"""The place of a story's text: one text, or a digest's item and its original side by side."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent

from reader.gui.browser import MARGIN, Browser
from reader.gui.desk import Desk
from reader.gui.parts import Panes
from reader.gui.theme import look
from reader.language import _

ABREAST = 720  # from this width on two texts stand abreast, below it one under the other


class Texts(Panes):
    """One text, and beside it another where that is asked for."""

    followed = Signal(str)

    def __init__(self, desk: Desk) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.first, self.second = Browser(desk), Browser(desk)
        for each in (self.first, self.second):
            each.followed.connect(self.followed)
            self.addWidget(each)
        self.second.setAccessibleName(_("Source, beside"))
        self.second.hide()

    @property
    def two(self) -> bool:
        """Whether two texts are shown."""
        return not self.second.isHidden()

    def show_text(self, body: str, beside: str | None = None) -> None:
        """Show a text from its beginning, with another beside it or alone."""
        if self.two is not (beside is not None):
            self.second.setVisible(not self.two)
            self.first.edge = self.second.margin = MARGIN // 2 if self.two else MARGIN
            self.first.fit()
            self.second.fit()
            self._turn()
            self.setSizes([self.width() // 2, self.width() // 2])
        self.first.show_body(body)
        if beside is not None:
            self.second.show_body(beside)

    def _turn(self) -> None:
        wide = self.width() >= look().px(ABREAST)
        self.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._turn()
        super().resizeEvent(event)
