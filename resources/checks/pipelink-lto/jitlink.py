"""nvJitLink through ctypes: it links LTO objects without a driver and without libnvvm."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LTOIR, FATBIN = 3, 4  # nvJitLinkInputType


class LinkError(Exception):
    """The link failed; its text is the log."""


class JitLink:
    """The library of one release; its functions bear the release they were made for."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        major, minor = ctypes.c_uint(), ctypes.c_uint()
        self._library.nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"

    def _call(self, name: str, *args: Any) -> int:
        major = self.version.partition(".")[0]
        return int(getattr(self._library, f"__nvJitLink{name}_{major}_0")(*args))

    def _text(self, handle: ctypes.c_void_p, name: str) -> bytes:
        size = ctypes.c_size_t()
        if self._call(f"Get{name}Size", handle, ctypes.byref(size)) or not size.value:
            return b""
        text = ctypes.create_string_buffer(size.value)
        self._call(f"Get{name}", handle, text)
        return text.raw

    def link(self, files: Sequence[Path], options: Sequence[str]) -> bytes:
        """Return the linked cubin; raises LinkError."""
        words = [each.encode() for each in options]
        handle = ctypes.c_void_p()
        array = (ctypes.c_char_p * len(words))(*words)
        if self._call("Create", ctypes.byref(handle), len(words), array):
            raise LinkError(f"nvJitLink takes no {' '.join(options)}")
        try:
            for file in files:
                kind = FATBIN if file.suffix == ".fatbin" else LTOIR
                if self._call("AddFile", handle, kind, str(file).encode()):
                    raise LinkError(self._log(handle))
            if self._call("Complete", handle):
                raise LinkError(self._log(handle))
            return self._text(handle, "LinkedCubin")
        finally:
            self._call("Destroy", ctypes.byref(handle))

    def _log(self, handle: ctypes.c_void_p) -> str:
        return self._text(handle, "ErrorLog").decode(errors="replace").strip("\0\n ") or "failed"
