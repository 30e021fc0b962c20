"""Makes a measured program false: a package like the installed one, but for a few lines.

Nothing in a check knows of this. The false package is a tree of links to the real one with some
files rewritten, and an interpreter of its own finds it before the real one.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

Change = Sequence[tuple[str, str]]


def site_of(python: str) -> Path:
    """Return where an interpreter's packages lie."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    said = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    return Path(said.stdout.strip())


def overlay(real: Path, folder: Path, changes: Mapping[str, Change]) -> None:
    """Make `folder` a copy of the package `real` by links, with the named files rewritten.

    Each change is (old text, new text); an old text that is not there fails the test.
    """
    folder.mkdir(parents=True)
    here = {name.split("/", 1)[0] for name in changes}
    for each in real.iterdir():
        if each.name == "__pycache__":
            continue
        target = folder / each.name
        if each.name not in here:
            target.symlink_to(each)
        elif each.is_dir():
            inner = {
                name.split("/", 1)[1]: change
                for name, change in changes.items()
                if name.startswith(f"{each.name}/")
            }
            overlay(each, target, inner)
        else:
            target.write_text(_rewritten(each, changes[each.name]), encoding="utf-8")


def _rewritten(file: Path, change: Change) -> str:
    text = file.read_text(encoding="utf-8")
    for old, new in change:
        assert old in text, f"{file} no longer says: {old}"
        text = text.replace(old, new)
    return text


def interpreter(python: str, folder: Path, before: Path) -> str:
    """Return a new interpreter in `folder` that looks in `before`, then where `python` looks."""
    base = subprocess.run(
        [python, "-c", "import sys; print(sys._base_executable)"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    subprocess.run([base, "-m", "venv", "--without-pip", str(folder)], check=True)
    made = str(folder / "bin" / "python")
    (site_of(made) / "falsified.pth").write_text(f"{before}\n{site_of(python)}\n", encoding="utf-8")
    return made
