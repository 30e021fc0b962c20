"""A CUDA toolkit for tests: the machine's own, else a pinned one from the package index."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from reader.checks import toolkit

LOCK = Path(__file__).with_name("toolkit.lock")


def cache_folder() -> Path:
    """Return where tests keep what they fetched, over sessions; READPROOF_TEST_CACHE names it."""
    named = os.environ.get("READPROOF_TEST_CACHE")
    folder = Path(named) if named else Path(tempfile.gettempdir(), f"readproof-tests-{os.getuid()}")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def toolkit_folder(*, machine: bool = True) -> Path:
    """Return a toolkit's folder with a working nvcc of CUDA 13 or newer.

    The machine's own where it has one (and `machine` is true), else the one of `toolkit.lock`,
    fetched once into the cache.
    """
    if machine:
        for found in toolkit.find():
            if "nvcc" in dict(found.tools) and int(found.version.split(".")[0]) >= 13:
                return found.root
    return fetched()


def fetched() -> Path:
    """Return the pinned toolkit from the package index, each file checked by its hash."""
    key = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    place = cache_folder() / f"toolkit-{key}"
    if not place.is_dir():
        building = Path(tempfile.mkdtemp(dir=place.parent, prefix="toolkit-building-"))
        words = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        words += ["--no-deps", "--require-hashes", "--only-binary", ":all:"]
        subprocess.run([*words, "--target", str(building), "-r", str(LOCK)], check=True)
        try:
            building.rename(place)
        except OSError:  # another session was faster
            shutil.rmtree(building)
    (root,) = place.glob("nvidia/cu*")
    return root


if __name__ == "__main__":
    print(toolkit_folder())
