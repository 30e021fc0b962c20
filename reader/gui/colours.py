"""Colours worked out: contrast as WCAG counts it, the system's accent, high contrast."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QPalette

if TYPE_CHECKING:
    from reader.gui.theme import Tokens

TEXT, LARGE, STRONG = 4.5, 3.0, 7.0  # least contrasts: text, glyphs, high contrast
STEPS = 50


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    def linear(part: float) -> float:
        return float(part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4)

    made = QColor(colour)
    red, green, blue = (linear(each) for each in (made.redF(), made.greenF(), made.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mixed(one: str, other: str, part: float) -> str:
    """Return `part` of one colour over another."""
    a, b = QColor(one), QColor(other)
    pairs = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    return QColor(*(round(x * part + y * (1 - part)) for x, y in pairs)).name().upper()


def until(colour: str, ground: str, least: float) -> str:
    """Darken or lighten a colour until it has that contrast on a ground."""
    end = "#000000" if contrast("#000000", ground) > contrast("#FFFFFF", ground) else "#FFFFFF"
    for step in range(STEPS + 1):
        found = mixed(end, colour, step / STEPS)
        if contrast(found, ground) >= least:
            return found
    return end


def system_accent(palette: QPalette) -> str | None:
    """Return the accent that the platform sets, where it sets one of its own."""
    group, role = QPalette.ColorGroup.Active, QPalette.ColorRole.Accent
    return palette.color(group, role).name() if palette.isBrushSet(group, role) else None


def accented(tokens: Tokens, accent: str, *, dark: bool) -> Tokens:
    """Return the tokens with another accent, and the colours that follow from it."""
    colour = until(accent, tokens.page, TEXT)
    white, black = contrast("#FFFFFF", colour), contrast("#0C1520", colour)
    changes = {
        "accent": colour,
        "accent_ink": until(accent, tokens.page, STRONG),
        "on_accent": "#FFFFFF" if white >= black else "#0C1520",
        "select": mixed(colour, tokens.list, 0.25 if dark else 0.12),
    }
    return replace(tokens, **changes)


def high_contrast(tokens: Tokens, palette: QPalette) -> Tokens:
    """Return the palette's own colours; what means something keeps its hue, far from the ground."""
    role = QPalette.ColorRole
    ground = palette.color(role.Base).name().upper()
    ink = until(palette.color(role.Text).name(), ground, STRONG)
    accent = until(palette.color(role.Highlight).name(), ground, STRONG)
    quiet = ("window", "list", "page", "field", "hover", "code", "on")
    inks = ("ink", "ink2", "ink3", "line", "line2", "cell_on")
    soft = ("confirmed_soft", "refuted_soft", "stale_soft", "warn_soft", "noise", "select_dim")
    made: dict[str, str] = dict.fromkeys(quiet, ground) | dict.fromkeys(inks, ink)
    made |= {"accent": accent, "accent_ink": accent, "cell": mixed(ink, ground, 0.3)}
    made |= dict.fromkeys(soft, mixed(ink, ground, 0.1))
    made["on_accent"] = until(ground, accent, TEXT)
    made["select"] = _select(accent, ground, ink)
    for name in ("add", "delete", "mark"):
        made[name] = mixed(str(getattr(tokens, name)), ground, 0.3)
    states = ("confirmed", "refuted", "inconclusive", "not_applicable", "could_not_run")
    for name in (*states, "stale", "running", "queued", "star"):
        made[name] = until(str(getattr(tokens, name)), ground, STRONG)
    return replace(tokens, **made)


def _select(accent: str, ground: str, ink: str) -> str:
    for part in range(40, 0, -2):
        found = mixed(accent, ground, part / 100)
        if contrast(ink, found) >= STRONG:
            return found
    return ground
