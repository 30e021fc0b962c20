"""The Python a check runs in: the user's own where it fits, else one that is built on request."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reader.checks import builds
from reader.checks import interpreters as pythons
from reader.checks.building import build
from reader.checks.interpreters import asked, interpreters
from reader.checks.standing import (
    COMPLETE,
    Managed,
    install_key,
    managed_all,
    python_of,
    reap,
    remove,
    root_of,
    size,
    touch,
    unused,
)
from reader.model import Check, Interpreter, Packages

__all__ = [
    "Managed",
    "asked",
    "build",
    "build_time",
    "install_key",
    "interpreters",
    "managed",
    "managed_all",
    "ready",
    "reap",
    "remove",
    "satisfying",
    "size",
    "touch",
    "unused",
    "wanted",
]


def satisfying(
    packages: Packages, among: Sequence[Interpreter] | None = None
) -> Interpreter | None:
    """Return an interpreter of the user's that has exactly what is needed; never written to."""
    return pythons.fitting(interpreters() if among is None else among, packages)


def managed(
    packages: Packages, folder: Path | None = None, *, root: Path | None = None
) -> Interpreter | None:
    """Return the complete managed environment for these packages, None when there is none.

    `folder` is the check's, where its lock file lies.
    """
    for place in sorted(root_of(root).glob(f"{install_key(packages, folder)}-py*")):
        if not (place / COMPLETE).is_file():
            continue
        found = pythons.described(python_of(place), "managed")
        if found is not None and not pythons.missing(found, packages):
            return found
    return None


def wanted(check: Check) -> tuple[Packages, ...]:
    """Return the environments a check runs in: one, or one for each of its sides."""
    return tuple(dict.fromkeys(side.packages for side in check.sides)) or (check.packages,)


def ready(
    check: Check, among: Sequence[Interpreter] | None = None, *, root: Path | None = None
) -> tuple[Interpreter | None, ...]:
    """Return the Python for each of `wanted`, the user's own first; None where one is to build."""
    return tuple(
        satisfying(packages, among) or managed(packages, check.folder, root=root)
        for packages in wanted(check)
    )


def build_time(
    missing: Sequence[Packages], folder: Path | None, *, root: Path | None = None
) -> builds.Estimate:
    """Return how long these environments will take to build, as far as this machine knows."""
    pairs = [(install_key(packages, folder), packages.size_mb) for packages in missing]
    return builds.estimate(pairs, builds.earlier(root_of(root)))
