"""Where larger inputs lie beside the checkout, on machines that have them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared_folder() -> Path | None:
    """Return the folder of shared inputs, or None on a machine without it."""
    named = os.environ.get("READPROOF_SHARED")
    for folder in (Path(named) if named else None, Path(__file__).parents[2] / "shared"):
        if folder is not None and folder.is_dir():
            return folder
    return None


def need_shared(*parts: str) -> Path:
    """Return a path inside the shared inputs, or skip the test and say why."""
    folder = shared_folder()
    if folder is None or not folder.joinpath(*parts).exists():
        pytest.skip("the shared inputs are not on this machine")
    return folder.joinpath(*parts)
