"""The report's pictures in the window: in the theme's colours, no wider than there is room."""

from __future__ import annotations

from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from reader.gui.svg_plot import SvgPlot, colours
from reader.gui.theme import LIGHT, Look
from reader.report import svg
from reader.report.plots import Bar, Resources


def test_it_paints_bars_in_the_colours_of_the_theme(qtbot: QtBot) -> None:
    Look("light").apply()
    found = Resources((("sm_90", "add", (Bar("", 128, None),)),))
    plot = SvgPlot(lambda hues: svg.resource_plot(found, "registers", hues), "registers")
    qtbot.addWidget(plot)
    plot.resize(720, plot.height())
    image = plot.grab().toImage()
    seen = {image.pixelColor(x, y).name() for x in range(0, 720, 3) for y in range(image.height())}
    assert len(seen) > 2
    assert colours()["confirmed"] == LIGHT.state("confirmed")
    assert all(QColor(each).isValid() for each in colours().values())
    assert set(colours()) == set(svg.NAMES)
    assert plot.accessibleName() == "registers"
