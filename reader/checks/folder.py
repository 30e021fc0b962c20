"""A check's folder on disk: its files, its content hash, and whether the user trusts it."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from reader import settings
from reader.errors import ManifestError
from reader.language import _
from reader.model import Check

MAX_FILES = 500
MAX_BYTES = 16 * 1024 * 1024
_SKIPPED = {"__pycache__"}


def files(folder: Path) -> list[Path]:
    """Return the files of a check's folder, sorted by relative name.

    Raises ManifestError for links that lead out of it, things that are no files, and folders
    that are too large to be a check.
    """
    root = folder.resolve()
    found = []
    size = 0
    for path in _walk(folder):
        if not path.resolve().is_relative_to(root):
            raise ManifestError(
                _("{path}: this link leads out of the check's folder; copy the file in").format(
                    path=path
                )
            )
        if not path.is_file():
            raise ManifestError(_("{path}: only plain files belong in a check").format(path=path))
        size += path.stat().st_size
        found.append(path)
        if len(found) > MAX_FILES or size > MAX_BYTES:
            raise ManifestError(
                _("{folder}: a check holds at most {files} files and {mb} MB").format(
                    folder=folder, files=MAX_FILES, mb=MAX_BYTES // 1024 // 1024
                )
            )
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def _walk(folder: Path) -> Iterator[Path]:
    for base, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each not in _SKIPPED]
        for name in names:
            if not name.endswith(".pyc"):
                yield Path(base, name)
        for name in folders:
            if Path(base, name).is_symlink():
                yield Path(base, name)  # refused: a link to a folder is no plain file


def content_hash(folder: Path) -> str:
    """Return the sha256 over every file's relative name and content, in order of name."""
    total = hashlib.sha256()
    for path in files(folder):
        content = path.read_bytes()
        name = path.relative_to(folder).as_posix()
        total.update(f"{name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()


def copy(folder: Path, target: Path) -> None:
    """Copy a check's files, links resolved, into the new folder `target`."""
    for path in files(folder):
        place = target / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())


def trusted(check: Check, data: Path | None = None) -> bool:
    """Return whether the check may run: it ships with the app, or the user trusts this hash."""
    return check.bundled or check.hash in _trust_list(_trust_file(data))


def trust(check: Check, data: Path | None = None) -> None:
    """Remember that the user trusts this very content; any edit needs it again."""
    file = _trust_file(data)
    listed = _trust_list(file)
    listed[check.hash] = {"name": check.name, "at": datetime.now(UTC).isoformat()}
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(listed, stream, indent=1)
    Path(temporary).replace(file)


def trusted_before(name: str, data: Path | None = None) -> bool:
    """Return whether the user once trusted a check of this name, whatever it held then."""
    entries = _trust_list(_trust_file(data)).values()
    return any(isinstance(each, dict) and each.get("name") == name for each in entries)


def _trust_file(data: Path | None) -> Path:
    return (data or settings.data_folder()) / "trusted-checks.json"


def _trust_list(file: Path) -> dict[str, object]:
    try:
        listed = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # an unreadable list trusts nothing
    return listed if isinstance(listed, dict) else {}
