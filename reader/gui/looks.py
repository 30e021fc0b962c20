"""Commands about how the window looks and speaks, and what it remembers of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reader import language as tongue
from reader import settings as settings_room
from reader.gui.theme import look

if TYPE_CHECKING:
    from reader.gui.window import Window


class Looks:
    """Changes zoom, colours, language and toolkit; kept in the settings."""

    def __init__(self, window: Window) -> None:
        self._window = window

    def bigger(self) -> None:
        """Zoom in."""
        self._zoom(look().zoom + 10)

    def smaller(self) -> None:
        """Zoom out."""
        self._zoom(look().zoom - 10)

    def normal(self) -> None:
        """Show everything at its own size."""
        self._zoom(100)

    def _zoom(self, zoom: int) -> None:
        zoom = min(200, max(80, zoom))
        look().set(zoom=zoom)
        self._settled(zoom=zoom)

    def light(self) -> None:
        """Use the light colours."""
        self._theme("light")

    def dark(self) -> None:
        """Use the dark colours."""
        self._theme("dark")

    def system_theme(self) -> None:
        """Follow the system's colours."""
        self._theme("")

    def _theme(self, theme: str) -> None:
        look().set(theme=theme)
        self._settled(theme=theme)

    def chinese(self) -> None:
        """Speak Chinese."""
        self._speak("zh")

    def english(self) -> None:
        """Speak English."""
        self._speak("en")

    def _speak(self, language: str) -> None:
        from reader.gui.app import translate

        tongue.set_language(language)
        translate()
        self._settled(language=language)
        self._window.rebuild()

    def choose_toolkit(self, folder: str) -> None:
        """Let this and later runs use a CUDA toolkit; remembered."""
        self._window.jobs.choose_toolkit(folder)
        self._settled(cuda=folder)

    def _settled(self, **changes: Any) -> None:
        window = self._window
        window.settings = replace(window.settings, **changes)
        chosen, config = window.settings, window.config
        window.desk.keep(lambda: settings_room.save(config, chosen))
