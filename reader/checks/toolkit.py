"""The CUDA toolkits of this machine: where they are, what they say of themselves, what they hold.

A toolkit is found by its tools, never by version.json; a wrapper script is followed to the root
that its nvcc itself names.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from reader.checks.ask import ask
from reader.errors import ToolkitError
from reader.language import _
from reader.model import Check, Toolkit

SECONDS = 10.0  # for a tool to tell its version
PROGRAMS = (
    "nvcc",
    "ptxas",
    "ptxas-blackwell",
    "nvlink",
    "fatbinary",
    "cuobjdump",
    "nvdisasm",
    "compute-sanitizer",
    "ncu",
)
LIBRARIES = {
    "libnvvm": ("nvvm/lib64/libnvvm.so*", "nvvm/lib/libnvvm.so*", "nvvm/lib/libnvvm.*dylib"),
    "nvJitLink": (
        "lib64/libnvJitLink.so*",
        "lib/libnvJitLink.so*",
        "targets/*/lib/libnvJitLink.so*",
        "../nvjitlink/lib/libnvJitLink.so*",
    ),
}
_RELEASE = re.compile(r"release (\d+\.\d+), V(\d+(?:\.\d+)+)")
_TOP = re.compile(r"^#\$ _?TOP=(.+)$|^#\$ _HERE_=(.+)$", re.MULTILINE)
_PIP = ("nvidia/cu1[0-9]", "nvidia/cuda_nvcc", "triton/backends/nvidia")


@dataclass(frozen=True, slots=True)
class Unusable:
    """A toolkit that is there but does not work, and why."""

    root: Path
    why: str


def find(extra: Iterable[Path | str] = ()) -> list[Toolkit]:
    """Return the usable toolkits, those of PATH and environment first; `extra` are folders too."""
    return survey(extra)[0]


def survey(extra: Iterable[Path | str] = ()) -> tuple[list[Toolkit], list[Unusable]]:
    """Return the usable toolkits and those that do not work, each once."""
    extra = tuple(extra)
    seen: set[Path] = set()
    found: list[Toolkit] = []
    broken: list[Unusable] = []
    for root, origin in _candidates(extra):
        real = _real(root)
        if real is None or real in seen:
            continue
        seen.add(real)
        try:
            toolkit = _described(root, origin)
        except ToolkitError as error:
            broken.append(Unusable(root, str(error)))
            continue
        if toolkit is not None:
            found.append(toolkit)
    return found, broken


def at(path: Path | str) -> Toolkit:
    """Return the toolkit at a root, its bin folder, or one of its tools; raises ToolkitError."""
    given = Path(path).expanduser()
    if not given.exists():
        raise ToolkitError(
            _("{path}: there is nothing there; name a folder that holds bin/nvcc").format(path=path)
        )
    if given.is_file():
        given = _root_of(given)
    root = given.parent if given.name == "bin" else given
    toolkit = _described(root, "asked")
    if toolkit is None:
        raise ToolkitError(
            _("{path}: no nvcc and no ptxas in {bin}; name the folder of a CUDA toolkit").format(
                path=path, bin=root / "bin"
            )
        )
    return toolkit


def choose(toolkits: Sequence[Toolkit], check: Check) -> Toolkit | None:
    """Return the first toolkit that meets most of the claims' needs; None without any."""
    if not toolkits:
        return None
    return max(toolkits, key=lambda each: _met(each, check))  # the first of equals


def wanted(check: Check) -> bool:
    """Whether the manifest asks for a toolkit: by version, by one of its programs, or by legs."""
    needs = [claim.needs for claim in check.claims]
    named = any(tool in PROGRAMS or tool in LIBRARIES for each in needs for tool in each.tools)
    return check.each_toolkit or named or any(each.toolkit is not None for each in needs)


def _met(toolkit: Toolkit, check: Check) -> int:
    tools = dict(toolkit.tools)
    met = 0
    for claim in check.claims:
        old = claim.needs.toolkit and Version(toolkit.version) < Version(claim.needs.toolkit)
        lacks = [tool for tool in claim.needs.tools if tool in PROGRAMS and tool not in tools]
        met += not old and not lacks
    return met


def _candidates(extra: Iterable[Path | str]) -> Iterator[tuple[Path, str]]:
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for name in ("nvcc", "ptxas"):
            tool = Path(folder or ".", name)
            if folder and tool.is_file() and os.access(tool, os.X_OK):
                yield _root_of(tool), "path"
    for variable in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]), "environment"
    yield from ((root, "system") for root in _system())
    for each in extra:
        yield Path(each), "asked"
    named = [os.environ.get("CONDA_PREFIX"), os.environ.get("VIRTUAL_ENV"), sys.prefix]
    for prefix in (*(Path(each) for each in named if each), *map(Path, extra)):
        if (prefix / "conda-meta").is_dir():
            yield prefix, "conda"
        yield from ((root, "pip") for root in in_prefix(prefix))


def _system() -> list[Path]:
    roots = [*Path("/usr/local").glob("cuda*"), *Path("/opt").glob("cuda*")]
    roots += [Path("/usr/lib/cuda"), Path("/usr/lib/nvidia-cuda-toolkit")]
    return sorted((root for root in roots if root.is_dir()), key=_by_version, reverse=True)


def _by_version(root: Path) -> tuple[Version, str]:
    number = root.name.removeprefix("cuda").lstrip("-")
    try:
        return Version(number), root.name
    except InvalidVersion:
        return Version("0"), root.name


def in_prefix(prefix: Path) -> list[Path]:
    """Return the roots of toolkits that pip put into a Python's site-packages."""
    return sorted(
        root
        for site in prefix.glob("lib/python3*/site-packages")
        for pattern in _PIP
        for root in site.glob(pattern)
        if (root / "bin").is_dir()
    )


def _real(root: Path) -> Path | None:
    try:
        return root.resolve(strict=True)
    except (OSError, RuntimeError):
        return None


def _root_of(tool: Path) -> Path:
    """Return the toolkit a program belongs to; a wrapper script's nvcc is asked."""
    real = tool.resolve()
    if _is_script(real):
        top = _asked_for_top(tool) if tool.name == "nvcc" else None
        if top is not None:
            return top
        for target in _named_in_script(real, tool.name):
            return target.resolve().parent.parent
    return real.parent.parent


def _is_script(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(2) == b"#!"
    except OSError:
        return False


def _named_in_script(script: Path, name: str) -> list[Path]:
    text = script.read_bytes()[:10_000].decode("utf-8", "replace")
    found = [Path(word) for word in re.findall(rf"(/[^\s\"']+/{re.escape(name)})\b", text)]
    return [path for path in found if path.is_file() and path != script]


def _asked_for_top(nvcc: Path) -> Path | None:
    try:
        said = _say([str(nvcc), "-v", "--dryrun", "-x", "cu", os.devnull])
    except ToolkitError:
        return None
    for top, here in _TOP.findall(said):
        root = Path(top) if top else Path(here).parent
        if root.is_dir():
            return Path(os.path.normpath(root))
    return None


def _described(root: Path, origin: str) -> Toolkit | None:
    """Return the toolkit at `root`, None where there is none; raises ToolkitError if broken."""
    tools = _tools(root)
    asked = next((tools[name] for name in ("nvcc", "ptxas") if name in tools), None)
    if asked is None:
        return None
    said = _say([asked, "--version"])
    release = _RELEASE.search(said)
    if release is None:
        raise ToolkitError(
            _("{tool} does not tell its version; reinstall that toolkit or choose another").format(
                tool=asked
            )
        )
    return Toolkit(
        root=root,
        version=release.group(1),
        release=release.group(2),
        tools=tuple(sorted(tools.items())),
        origin=origin,
    )


def _tools(root: Path) -> dict[str, str]:
    tools = {
        name: str(root / "bin" / name)
        for name in PROGRAMS
        if (root / "bin" / name).is_file() and os.access(root / "bin" / name, os.X_OK)
    }
    for name, patterns in LIBRARIES.items():
        for pattern in patterns:
            found = sorted(root.glob(pattern))
            if found:
                tools[name] = str(found[0])
                break
    return tools


def _say(argv: list[str]) -> str:
    """Return what a tool says; raises ToolkitError when it fails or takes too long."""
    try:
        status, out, err = ask(argv, SECONDS)
    except TimeoutError as error:
        raise ToolkitError(
            _("{tool} gave no answer in {n} s; reinstall that toolkit or choose another").format(
                tool=argv[0], n=int(SECONDS)
            )
        ) from error
    except OSError as error:
        raise ToolkitError(
            _("{tool} cannot be started ({why}); choose another toolkit").format(
                tool=argv[0], why=error.strerror or error
            )
        ) from error
    said = out + err
    if status != 0:
        last = (said.strip().splitlines() or [""])[-1][:200]
        raise ToolkitError(
            _("{tool} ended with status {n} ({said}); choose another toolkit").format(
                tool=argv[0], n=status, said=last
            )
        )
    return said
