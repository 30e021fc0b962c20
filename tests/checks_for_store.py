"""A check for tests of the store: its folder is real, nothing of it is run."""

from __future__ import annotations

from pathlib import Path

from reader.model import Check, Limits, Matches, Packages, Text

HASH = "c0ffee" * 10


def a_check(folder: Path, name: str = "planted-leak") -> Check:
    """Return a check whose files lie below `folder`."""
    home = folder / "checks" / name
    (home / "kernels").mkdir(parents=True, exist_ok=True)
    (home / "check.toml").write_text('schema = 1\nname = "planted-leak"\n')
    (home / "kernels" / "a.cu").write_text("__global__ void k() {}\n")
    text = Text("漏", "leak")
    return Check(
        name, text, text, (), (), text, Packages(), Limits(), Matches(), (), (), home, HASH
    )
