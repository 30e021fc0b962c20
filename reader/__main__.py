"""`readproof`: words go to the command line, none open the window."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reader.cli.session import Session


def main() -> int:
    """Run one call and return its exit code."""
    from reader import cli

    return cli.main(sys.argv[1:], _window)


def _window(session: Session) -> int:
    """Open the window; without a display walk the same path in the terminal."""
    from reader.cli import display, voice, walk
    from reader.language import _

    if not display.present():
        voice.note(_("There is no display, so the same path goes through the terminal."))
        return walk.walk(session)
    display.check_libraries()
    try:
        from reader.gui import run

        return run(session.store_path, session.config_path, session.language)
    except ImportError as error:
        if ".so" not in str(error) and "PySide6" not in str(error):
            raise
        raise display.missing_library(error) from error


if __name__ == "__main__":
    sys.exit(main())
