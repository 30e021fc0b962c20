"""SvgPlot: a picture of the report in the window, in the colours of its theme."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from reader.gui.theme import look
from reader.language import _
from reader.model import VerdictKind
from reader.report import svg
from reader.report.svg import Colours
from reader.report.words import verdict_word

if TYPE_CHECKING:
    from reader.report.page import ClaimPart


def colours() -> Colours:
    """Return the theme's colours by the names that the pictures use."""
    t = look().tokens
    plain = {"ink": t.ink, "ink2": t.ink2, "ink3": t.ink3, "line": t.line2, "noise": t.noise}
    return plain | {each.value: t.state(each.value) for each in VerdictKind}


class SvgPlot(QWidget):
    """Draws what `draw` makes of the theme's colours, never wider than it was made."""

    def __init__(self, draw: Callable[[Colours], str], said: str) -> None:
        super().__init__()
        self._draw = draw
        self.setAccessibleName(said)
        self.setToolTip(said)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        size = self._renderer().defaultSize()
        self._ratio = size.height() / max(1, size.width())
        self._widest = look().px(size.width())
        self.setFixedHeight(round(self._widest * self._ratio))

    def _renderer(self) -> QSvgRenderer:
        # Drawn anew each time: the theme may be another by then.
        return QSvgRenderer(self._draw(colours()).encode())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        wide = min(self.width(), self._widest)
        self._renderer().render(painter, QRectF(0, 0, wide, wide * self._ratio))
        painter.end()


def plots_of(claim: ClaimPart) -> list[QWidget]:
    """Return the pictures of a claim beside its intervals: registers by target, its verdicts."""
    made: list[QWidget] = []
    if (bars := claim.resources) is not None:
        said = _("Registers and spilled bytes by target")
        made.append(SvgPlot(lambda hues: svg.resource_plot(bars, said, hues), said))
    if (found := claim.history) is not None:
        told = _("The verdicts of this claim, run by run")
        names = {kind: verdict_word(kind) for kind in VerdictKind}
        made.append(SvgPlot(lambda hues: svg.history_plot(found, names, told, hues), told))
    return made
