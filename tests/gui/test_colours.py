"""The system's accent and its high contrast, kept readable."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from reader.gui import theme
from reader.gui.colours import accented, contrast, high_contrast, system_accent, until
from reader.gui.theme import DARK, LIGHT, Tokens

ACCENTS = ("#FFD400", "#E01B24", "#3584E4", "#000000", "#FFFFFF", "#33D17A", "#9141AC", "#808080")
INKS = ("ink", "ink2", "ink3", "accent", "accent_ink", "confirmed", "refuted", "inconclusive",
        "not_applicable", "could_not_run", "stale", "running", "queued")  # fmt: skip


def test_contrast_is_counted_as_wcag_does() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)
    assert until("#0B62BE", "#FEFEFD", 4.5) == "#0B62BE"


@pytest.mark.parametrize("accent", ACCENTS)
@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_any_accent_stays_readable(tokens: Tokens, accent: str) -> None:
    made = accented(tokens, accent, dark=tokens is DARK)
    assert contrast(made.accent, made.page) >= 4.5
    assert contrast(made.accent_ink, made.page) >= 4.5
    assert contrast(made.on_accent, made.accent) >= 4.0
    assert contrast(made.ink, made.select) >= 4.5
    same = {name for name, value in asdict(tokens).items() if getattr(made, name) == value}
    assert set(asdict(tokens)) - same <= {"accent", "accent_ink", "on_accent", "select"}


def test_only_an_accent_that_the_platform_sets_counts(qapp: QApplication) -> None:
    palette = QPalette()
    palette.setResolveMask(0)
    assert system_accent(palette) is None
    palette.setColor(QPalette.ColorRole.Accent, QColor("#e01b24"))
    assert system_accent(palette) == "#e01b24"


@pytest.mark.parametrize(
    ("ground", "ink", "mark"),
    [("#000000", "#FFFFFF", "#1AEBFF"), ("#FFFFFF", "#000000", "#37006E"),
     ("#202020", "#FFFF00", "#00FF00")],
)  # fmt: skip
def test_high_contrast_takes_the_palettes_own_colours(ground: str, ink: str, mark: str) -> None:
    role, palette = QPalette.ColorRole, QPalette()
    for each, colour in ((role.Base, ground), (role.Text, ink), (role.Highlight, mark)):
        palette.setColor(each, QColor(colour))
    made = high_contrast(DARK if ground != "#FFFFFF" else LIGHT, palette)
    assert made.page == made.list == made.window == ground
    assert made.ink == made.ink3 == made.line == ink
    for name in INKS:
        assert contrast(getattr(made, name), made.page) >= 7, name
    assert contrast(made.ink, made.select) >= 7
    assert contrast(made.on_accent, made.accent) >= 4.5


def test_the_window_follows_the_palette_it_found(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = theme.Look("")
    palette = QPalette(made._system)
    palette.setColor(QPalette.ColorRole.Accent, QColor("#E01B24"))
    made._system = palette
    made.apply()
    assert QColor(made.tokens.accent).hue() == pytest.approx(QColor("#E01B24").hue(), abs=6)
    monkeypatch.setattr(theme, "_wants_contrast", lambda: True)
    palette.setColor(QPalette.ColorRole.Base, QColor("#000000"))
    palette.setColor(QPalette.ColorRole.Text, QColor("#FFFFFF"))
    made.apply()
    assert made.dark
    assert (made.tokens.page, made.tokens.ink) == ("#000000", "#FFFFFF")
    made.set(theme="light")
    assert not made.dark
    assert made.tokens.page == LIGHT.page
    theme.Look("light").apply()
