"""Today: which stories come first and why: what touches the user's own stack; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from packaging.version import InvalidVersion, Version

from reader import classify
from reader.language import _
from reader.model import Interpreter, Machine, Row, Toolkit

# Distribution names of a project, and the words by which a story names it.
_PROJECTS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "triton": (("triton", "pytorch-triton"), r"triton(?! inference)"),
    "pytorch": (("torch",), r"pytorch|torch\.compile|inductor"),
    "tvm": (("apache-tvm", "apache-tvm-tirx"), r"tvm|tirx"),
    "iree": (("iree-base-compiler", "iree-compiler"), r"iree"),
    "helion": (("helion",), r"helion"),
    "tilelang": (("tilelang",), r"tilelang"),
    "cutile": (("cuda-tile",), r"cutile|cuda tile"),
    "jax": (("jax",), r"jax"),
    "cuda": ((), r"cuda toolkit|cuda \d+\.\d"),
}
_VERSION = r"\s*(?:toolkit\s*|release\s*)?v?(\d+\.\d+(?:\.\d+)*)"


@dataclass(frozen=True, slots=True)
class Stack:
    """What stands on the user's machine: projects with versions, and GPU architectures."""

    projects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # newest first
    archs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Badge:
    """Why a story touches the stack: the project with the version here, or an architecture."""

    project: str | None = None
    here: str | None = None
    arch: str | None = None

    def text(self) -> str:
        """Return the badge as a person reads it, in the language in use."""
        if self.arch is not None:
            return _("your {arch}").format(arch=self.arch)
        return _("you have {version}").format(version=self.here)


def stack_of(
    interpreters: Sequence[Interpreter], toolkits: Sequence[Toolkit], machine: Machine
) -> Stack:
    """Return the stack that interpreters, toolkits and machine show; our own environments aside."""
    found: dict[str, set[str]] = {}
    for interpreter in interpreters:
        if interpreter.origin == "managed":
            continue  # built for a check, not what the user works with
        installed = dict(interpreter.packages)
        for project, (distributions, _words) in _PROJECTS.items():
            found.setdefault(project, set()).update(
                installed[name] for name in distributions if name in installed
            )
    found.setdefault("cuda", set()).update(
        toolkit.version for toolkit in toolkits if toolkit.origin != "pip"
    )
    projects = {name: _newest_first(versions) for name, versions in found.items() if versions}
    archs = [f"sm_{gpu.compute_capability.replace('.', '')}" for gpu in machine.gpus]
    return Stack(projects, tuple(dict.fromkeys(archs)))


def _newest_first(versions: Iterable[str]) -> tuple[str, ...]:
    def key(text: str) -> Version:
        try:
            return Version(text)
        except InvalidVersion:
            return Version("0")

    return tuple(sorted(versions, key=key, reverse=True))


def badge(row: Row, stack: Stack) -> Badge | None:
    """Return why a story touches the stack, or None.

    A project counts when the title or the address names it: a word deep in a summary does not.
    """
    named = f"{row.title} {row.url or ''}"
    for project, versions in stack.projects.items():
        words = _PROJECTS[project][1]
        if re.search(rf"(?<![A-Za-z0-9_])(?:{words})(?![A-Za-z0-9_])", named, re.IGNORECASE):
            return Badge(project=project, here=_short(versions[0], _version(words, row.title)))
    hardware = classify.with_ancestors(row.hardware)
    for arch in stack.archs:
        named_here = {each.rstrip("af") for each in hardware if each.startswith("sm_")}
        if arch in named_here or any(family in row.hardware for family in _family(arch)):
            return Badge(arch=arch)
    return None


def _family(arch: str) -> tuple[str, ...]:
    return classify.ancestors(arch)[:1]  # "Hopper" touches an sm_90; "NVIDIA" alone says little


def _version(words: str, title: str) -> str | None:
    found = re.search(rf"(?:{words}){_VERSION}", title, re.IGNORECASE)
    return None if found is None else found[1]


def _short(here: str, theirs: str | None) -> str:
    """Return our version with as many parts as tell it from theirs: 3.8 beside 3.9.0."""
    parts = here.split("+")[0].split(".")
    if theirs is not None and parts[:2] != theirs.split(".")[:2]:
        return ".".join(parts[:2])
    return ".".join(parts[:3])


def ranked(rows: Sequence[Row], stack: Stack) -> list[Row]:
    """Return rows with what touches the stack first, then by score, then by date, newest first."""

    def key(row: Row) -> tuple[bool, float, float]:
        published = row.published.timestamp() if row.published is not None else 0.0
        return badge(row, stack) is None, -(row.score or 0.0), -published

    return sorted(rows, key=key)
