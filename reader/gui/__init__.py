"""The window, and the one door to Qt: nothing outside this folder imports PySide6."""

from __future__ import annotations

from pathlib import Path

from reader.errors import Expected
from reader.language import _

LIBRARIES = "libgl1 libegl1 libxcb-cursor0 libxkbcommon-x11-0 fonts-noto-cjk"


def run(store_path: Path, config_path: Path, language: str | None = None) -> int:
    """Open the window on a store and return the exit code when it is closed.

    A second start on the same store raises the first window and returns 0. Raises Expected
    with the line to type when a library of the system that Qt needs is missing.
    """
    try:
        from reader.gui import app
    except ImportError as error:
        if ".so" not in str(error):
            raise  # no library of the system's: PySide6 itself, or a bug of ours
        raise Expected(
            _(
                "A library of the system that the window needs is missing ({detail}). "
                "Install it: {line}"
            ).format(
                detail=error,
                line=f"sudo apt-get install {LIBRARIES}",
            )
        ) from error
    return app.run(store_path, config_path, language)
