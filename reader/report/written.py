"""A file as the user asked for it: whole or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path

from reader.errors import Expected
from reader.language import _


def write(path: Path, text: str) -> None:
    """Put a file in its place once it is whole; a pipe or a device (/dev/stdout) simply takes it.

    Raises Expected when it cannot be written; what stood there before is then untouched.
    """
    body = text.encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(body)
            return
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".readproof-") as folder:
            temporary = Path(folder, "new")
            temporary.write_bytes(body)
            temporary.replace(path)
    except OSError as error:
        raise Expected(
            _("{path} cannot be written: {why}").format(path=path, why=error.strerror or error)
        ) from error
