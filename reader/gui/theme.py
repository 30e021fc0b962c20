"""The look in one place: colours, type, sizes, palette and style sheet, light and dark."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from reader.gui.colours import accented, high_contrast, system_accent
from reader.gui.sheet import sheet


@dataclass(frozen=True, slots=True)
class Tokens:
    """Every colour of the window, by its use."""

    window: str
    list: str
    page: str
    field: str
    hover: str
    code: str
    line: str
    line2: str
    select: str
    select_dim: str
    ink: str
    ink2: str
    ink3: str
    accent: str
    accent_ink: str
    on_accent: str
    cell_on: str
    cell: str
    noise: str
    add: str
    delete: str
    mark: str
    confirmed_soft: str
    refuted_soft: str
    stale_soft: str
    warn_soft: str
    star: str
    confirmed: str
    refuted: str
    inconclusive: str
    not_applicable: str
    could_not_run: str
    stale: str
    running: str
    queued: str
    on: str

    def state(self, name: str) -> str:
        """Return the colour of a verdict or state by its name."""
        alias = {"dropped": "not_applicable", "waiting": "could_not_run"}
        return str(getattr(self, alias.get(name, name)))


_LIGHT = """
#F1F1EE #F8F8F6 #FEFEFD #FFFFFF #EAEAE6 #F4F4F1 #E0E0DB #C6C6C0 #DFEAF6 #E6E6E2
#1B1C1E #4E5054 #65676B #0B62BE #0A529F #FFFFFF #3F5F86 #D6D6D0 #E2E2DC
#E3F2E8 #F9E4E2 #FFEFB0 #E5F2EA #FAE8E6 #EFE9F8 #FBF1DC #9A6B00
#17754A #B42318 #8A5800 #62656A #525C6B #6A46A8 #0B62BE #3B5F73 #FFFFFF
"""
_DARK = """
#17181A #1B1C1F #202124 #141517 #26272B #191A1C #2F3034 #45474C #22344A #2A2B2F
#E6E5E1 #B4B4AF #9D9DA0 #5FA8F2 #8BC0F7 #0C1520 #7FA6D6 #3A3C41 #35373B
#1B3226 #3B2220 #54470F #1B3226 #3B2220 #2E2640 #362C17 #DDB14A
#5CC48D #F2857A #DDA848 #9DA0A5 #A3AEBE #B79CEC #5FA8F2 #8FB6CA #17181A
"""
LIGHT, DARK = Tokens(*_LIGHT.split()), Tokens(*_DARK.split())

BASE = 13
# role → size in pixels at a base of 13, line height, weight 600
ROLES: dict[str, tuple[int, int, bool]] = {
    "article": (23, 32, True),
    "inspector": (18, 26, True),
    "body": (15, 27, False),
    "pane": (16, 24, True),
    "title": (14, 20, True),
    "title_read": (14, 20, False),
    "ui": (13, 20, False),
    "label": (13, 20, True),
    "meta": (12, 18, False),
    "meta_label": (12, 18, True),
    "keycap": (11, 16, False),
    "code": (12, 19, False),
}
_SANS = {
    "linux": ("Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei"),
    "windows": ("Segoe UI Variable Text", "Segoe UI", "Microsoft YaHei UI"),
    "macos": ("PingFang SC",),
}
_MONO = {
    "linux": ("JetBrains Mono", "DejaVu Sans Mono", "Noto Sans Mono CJK SC"),
    "windows": ("Cascadia Mono", "Consolas", "Microsoft YaHei UI"),
    "macos": ("SF Mono", "Menlo", "PingFang SC"),
}
# What fontconfig answers when no desktop has chosen a font; any of these reads better.
_BARE = ("DejaVu Sans", "Sans", "Sans Serif", "Bitstream Vera Sans")
_BETTER = ("Inter", "Noto Sans", "Cantarell", "Ubuntu", "Roboto", "Liberation Sans")


class Look(QObject):
    """The look in force: tokens, zoom, fonts; one for the application."""

    changed = Signal()
    current: ClassVar[Look]
    found: ClassVar[QPalette | None] = None  # the system's palette, before ours was set

    def __init__(self, theme: str = "", zoom: int = 100) -> None:
        super().__init__()
        self.theme, self.zoom = theme, zoom
        if Look.found is None:  # later it is ours
            Look.found = QPalette(QGuiApplication.palette())
        self._system = Look.found
        self._dark = False
        self._families, self._mono, self._base = _families()
        self.tokens = self._chosen()
        self._fonts: dict[str, QFont] = {}
        Look.current = self
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._system_changed)
        if hasattr(hints, "accessibility"):
            hints.accessibility().contrastPreferenceChanged.connect(self._system_changed)

    @property
    def dark(self) -> bool:
        """Whether the dark colours are in use."""
        return self._dark

    def _chosen(self) -> Tokens:
        scheme = QGuiApplication.styleHints().colorScheme()
        self._dark = self.theme == "dark" or (not self.theme and scheme is Qt.ColorScheme.Dark)
        if not self.theme and _wants_contrast():
            ground = self._system.color(QPalette.ColorRole.Base)
            self._dark = ground.lightness() < 128
            return high_contrast(DARK if self._dark else LIGHT, self._system)
        tokens, accent = DARK if self._dark else LIGHT, system_accent(self._system)
        return accented(tokens, accent, dark=self._dark) if accent else tokens

    def _system_changed(self) -> None:
        if not self.theme:
            self.apply()

    def set(self, *, theme: str | None = None, zoom: int | None = None) -> None:
        """Change theme (light, dark, empty: the system's) or zoom in per cent, and apply it."""
        before = self.theme, self.zoom
        self.theme = self.theme if theme is None else theme
        self.zoom = self.zoom if zoom is None else min(200, max(80, zoom))
        if (self.theme, self.zoom) != before:
            self.apply()

    def apply(self) -> None:
        """Give the application its palette, font and style sheet, and tell every view."""
        self.tokens = self._chosen()
        self._fonts.clear()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.setPalette(self.palette())
            app.setFont(self.font("ui"))
            styled = sheet(self)
            if app.styleSheet() != styled:  # every widget there is would be looked through again
                app.setStyleSheet(styled)
        self.changed.emit()

    def px(self, size: float) -> int:
        """Return a size of the drawings in pixels at the zoom and font size in use."""
        return round(size * self._base / BASE * self.zoom / 100)

    def font(self, role: str) -> QFont:
        """Return the font of a role; every number in it is tabular."""
        if role not in self._fonts:
            size, _line, bold = ROLES[role]
            font = QFont()
            font.setFamilies(list(self._mono if role == "code" else self._families))
            font.setPixelSize(self.px(size))
            font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
            if role != "code":
                font.setFeature(QFont.Tag("tnum"), 1)
            self._fonts[role] = font
        return self._fonts[role]

    def line(self, role: str) -> int:
        """Return the line height of a role in pixels."""
        return self.px(ROLES[role][1])

    @property
    def families(self) -> str:
        """The text families as CSS writes them."""
        return ", ".join(f'"{name}"' for name in self._families)

    @property
    def mono(self) -> str:
        """The code families as CSS writes them."""
        return ", ".join(f'"{name}"' for name in self._mono)

    def palette(self) -> QPalette:
        """Return the palette for what the platform's style paints itself."""
        t, palette = self.tokens, QPalette()
        role = QPalette.ColorRole
        for each, name in (
            (role.Window, t.window),
            (role.WindowText, t.ink),
            (role.Base, t.field),
            (role.AlternateBase, t.list),
            (role.Text, t.ink),
            (role.Button, t.window),
            (role.ButtonText, t.ink),
            (role.ToolTipBase, t.field),
            (role.ToolTipText, t.ink),
            (role.PlaceholderText, t.ink3),
            (role.Highlight, t.select),
            (role.HighlightedText, t.ink),
            (role.Link, t.accent_ink),
            (role.LinkVisited, t.accent_ink),
            (role.Accent, t.accent),
            (role.Mid, t.line2),
            (role.Light, t.page),
            (role.Dark, t.line2),
        ):
            palette.setColor(each, QColor(name))
        for each in (role.Text, role.WindowText, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, each, QColor(t.ink3))
        return palette


def _wants_contrast() -> bool:
    hints = QGuiApplication.styleHints()
    if not hasattr(hints, "accessibility"):  # older than Qt 6.10
        return False
    return bool(hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast)


def look() -> Look:
    """Return the look in force."""
    return Look.current


def colours(tokens: Tokens) -> dict[str, str]:
    """Return every colour by name, for the style sheet."""
    return {field.name: getattr(tokens, field.name) for field in fields(tokens)}


def _families() -> tuple[list[str], list[str], int]:
    import sys

    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")
    own = QApplication.font()
    shown = QFontInfo(own)
    known = set(QFontDatabase.families())
    first = shown.family()
    base = shown.pixelSize() if shown.pixelSize() > BASE else BASE
    if system == "linux" and first in _BARE:
        first = next((name for name in _BETTER if name in known), first)
    sans = [first, *(name for name in _SANS[system] if name in known)]
    mono = [name for name in _MONO[system] if name in known] or ["monospace"]
    return list(dict.fromkeys(sans)), mono, base
