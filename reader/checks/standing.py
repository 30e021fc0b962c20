"""The managed environments that stand: where, how large, used when; and which may go.

One lies under `environments/<key>/` in the data folder; the key stands for what is installed, so
that checks with equal needs share it. `.complete` is written last: a folder without it is
half-made and goes at the next start. `.used` is touched by every run in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from reader import settings
from reader.checks.tree import kill_marked
from reader.model import Packages

COMPLETE = ".complete"
BUILDING = ".building"
USED = ".used"
DAY = 86400.0
UNUSED_DAYS = 30  # one that was used since is not taken to make room


@dataclass(frozen=True, slots=True)
class Managed:
    """One managed environment: its key, what it holds, how large it is, and when it was used."""

    key: str
    folder: Path
    python: str
    requires: tuple[str, ...]
    bytes: int
    used: float = 0.0  # seconds since 1970: the last run in it, else when it was built


def install_key(packages: Packages, folder: Path | None = None) -> str:
    """Return what stands for the content of an environment, but for the Python's version."""
    lock = ""
    for name in filter(None, (packages.lock, packages.lighter)):
        if folder is not None:
            lock += (folder / name).read_text(encoding="utf-8")
    parts = [*sorted(packages.requires), lock, platform.system(), platform.machine()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def managed_all(root: Path | None = None) -> list[Managed]:
    """Return every complete managed environment."""
    found = []
    for complete in sorted(root_of(root).glob(f"*/{COMPLETE}")):
        try:
            about = json.loads(complete.read_text(encoding="utf-8"))
            found.append(
                Managed(
                    key=complete.parent.name,
                    folder=complete.parent,
                    python=str(about["python"]),
                    requires=tuple(about["requires"]),
                    bytes=int(about["bytes"]),
                    used=_used(complete),
                )
            )
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found


def _used(complete: Path) -> float:
    used = complete.with_name(USED)
    return (used if used.exists() else complete).stat().st_mtime


def size(packages: Packages, folder: Path | None = None, *, root: Path | None = None) -> int:
    """Return the bytes of the managed environment for these packages; 0 when there is none."""
    key = install_key(packages, folder)
    return sum(each.bytes for each in managed_all(root) if each.key.startswith(key))


def remove(key: str, *, root: Path | None = None) -> bool:
    """Remove one managed environment; return whether it was there."""
    for each in root_of(root).glob("*"):
        if each.is_dir() and each.name == key:
            (each / COMPLETE).unlink(missing_ok=True)  # half-removed is half-made
            shutil.rmtree(each)
            return True
    return False


def reap(root: Path | None = None) -> None:
    """Remove what a build that was killed has left; builds under way elsewhere stay."""
    for folder in root_of(root).glob("*-py*"):
        if folder.is_dir() and not (folder / COMPLETE).exists() and not _being_built(folder):
            kill_marked(str(folder))
            shutil.rmtree(folder, ignore_errors=True)


def touch(folder: Path) -> None:
    """Keep that an environment was used now; a disk that refuses only ages it."""
    try:
        (folder / USED).touch()
    except OSError:
        return


def unused(kept: Sequence[Managed], now: float, days: float) -> list[Managed]:
    """Return those that no run has used for so many days, longest unused first. Pure."""
    old = [each for each in kept if now - each.used >= days * DAY]
    return sorted(old, key=lambda each: each.used)


def to_free(kept: Sequence[Managed], now: float, needed: int) -> list[Managed]:
    """Return what to remove so that `needed` more bytes are free; nothing where that fails. Pure.

    The longest unused go first, and none that was used within UNUSED_DAYS.
    """
    chosen: list[Managed] = []
    for each in unused(kept, now, UNUSED_DAYS):
        if needed <= 0:
            break
        chosen.append(each)
        needed -= each.bytes
    return chosen if needed <= 0 else []


def mark(file: Path, about: dict[str, Any]) -> None:
    temporary = file.with_suffix(".new")
    temporary.write_text(json.dumps(about), encoding="utf-8")
    temporary.replace(file)


def _being_built(folder: Path) -> bool:
    try:
        about = json.loads((folder / BUILDING).read_text(encoding="utf-8"))
        process = psutil.Process(int(about["pid"]))
        return abs(process.create_time() - float(about["began"])) < 1
    except (OSError, ValueError, KeyError, TypeError):
        # no mark yet: the folder was made this very moment, or its maker died right there
        return _age(folder) < 10
    except psutil.Error:
        return False


def _age(folder: Path) -> float:
    try:
        return time.time() - folder.stat().st_mtime
    except OSError:
        return 0.0


def python_of(place: Path) -> Path:
    return place / "Scripts" / "python.exe" if os.name == "nt" else place / "bin" / "python"


def root_of(root: Path | None) -> Path:
    return root or settings.data_folder() / "environments"
