"""Icons: one SVG a name, coloured in text, rendered for the screen's pixel ratio, and cached."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from reader import settings


@lru_cache(maxsize=128)
def _text(name: str) -> str:
    return settings.resource("icons", f"{name}.svg").read_text(encoding="utf-8")


def _coloured(name: str, colour: str, on: str) -> str:
    return _text(name).replace("currentColor", colour).replace("var(--on)", on)


@lru_cache(maxsize=512)
def _renderer(name: str, colour: str, on: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_coloured(name, colour, on).encode()))


@lru_cache(maxsize=1024)
def pixmap(
    name: str, colour: str, size: int = 16, on: str = "#FFFFFF", ratio: float = 0
) -> QPixmap:
    """Return an icon as a picture of `size` logical pixels; `on` is the colour beneath glyphs."""
    ratio = ratio or _ratio()
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    _renderer(name, colour, on).render(painter)
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


def icon(name: str, colour: str, size: int = 16) -> QIcon:
    """Return an icon for a button or menu."""
    return QIcon(pixmap(name, colour, size))


def paint(
    painter: QPainter, name: str, x: float, y: float, size: float, colour: str, on: str = "#FFFFFF"
) -> None:
    """Paint an icon with its upper left corner at x, y."""
    _renderer(name, colour, on).render(painter, QRectF(x, y, size, size))


def _ratio() -> float:
    screen = QGuiApplication.primaryScreen()
    return screen.devicePixelRatio() if screen else 1.0


@lru_cache(maxsize=16)
def file(name: str, colour: str) -> str:
    """Return the path of a coloured icon on disk, for the style sheet, which reads only files."""
    import hashlib
    import tempfile
    from pathlib import Path

    text = _coloured(name, colour, "none")
    key = hashlib.sha256(text.encode()).hexdigest()[:12]
    folder = settings.cache_folder() / "icons"
    target = folder / f"{name}-{key}.svg"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as stream:
                stream.write(text)
            Path(stream.name).replace(target)
    except OSError:
        return ""
    return target.as_posix()
