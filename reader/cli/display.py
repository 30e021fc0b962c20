"""Whether a window can open here, found out without loading Qt."""

from __future__ import annotations

import ctypes
import os
import re
import socket
import sys
from pathlib import Path

from reader.errors import Expected
from reader.language import _

# What Qt's own plugin for X11 is linked against and Debian does not bring by itself.
X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}


def present() -> bool:
    """Return whether a display answers; a platform that was asked for by name counts as one."""
    if os.environ.get("QT_QPA_PLATFORM") or not sys.platform.startswith("linux"):
        return True
    return _wayland() or _x11()


def _wayland() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY", "")
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    return bool(name) and _answers(Path(folder) / name if folder else Path(name))


def _x11() -> bool:
    named = re.fullmatch(r"(.*):(\d+)(?:\.\d+)?", os.environ.get("DISPLAY", ""))
    if named is None:
        return False
    host, number = named[1], int(named[2])
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"  # noqa: S108  where X servers listen, by convention
        return _answers(Path(path)) or _answers(f"\0{path}")
    try:
        with socket.create_connection((host.strip("[]"), 6000 + number), timeout=3):
            return True
    except OSError:
        return False


def _answers(address: Path | str) -> bool:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(3)
            connection.connect(str(address))
            return True
    except OSError:
        return False


def check_libraries() -> None:
    """Raise Expected where a library that Qt needs for an X11 window is missing: Qt would abort."""
    asked = os.environ.get("QT_QPA_PLATFORM", "")
    if not sys.platform.startswith("linux") or asked not in ("", "xcb") or _wayland():
        return
    missing = []
    for library, package in X11_LIBRARIES.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            missing.append(package)
    if missing:
        raise Expected(_install(" ".join(missing)))


def missing_library(error: ImportError) -> Expected:
    """Return what to do about an import of Qt that failed."""
    library = re.search(r"(lib[\w.+-]+\.so[.\d]*)", str(error))
    if library is not None:
        return Expected(
            _(
                "The window cannot open: the library {name} is missing. Install your system's "
                "package with it (see README), or use the command line: readproof --help"
            ).format(name=library[1])
        )
    return Expected(
        _("The window cannot open: {why}. The command line works: readproof --help").format(
            why=error
        )
    )


def _install(packages: str) -> str:
    return _(
        "The window cannot open: Qt's libraries are missing. On Debian or Ubuntu: "
        "apt-get install {packages}"
    ).format(packages=packages)
