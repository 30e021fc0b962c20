"""The Python a check runs in: the user's own where it fits, else one that is built on request.

A managed environment lies under `environments/<key>/` in the data folder; the key stands for what
is installed, so that checks with equal needs share it. `.complete` is written last: a folder
without it is half-made and goes at the next start.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from reader import settings
from reader.checks import builds
from reader.checks import interpreters as pythons
from reader.checks.interpreters import asked, interpreters
from reader.checks.log import Log
from reader.checks.tree import MARKER, Tree, disk_use, kill_marked
from reader.errors import EnvironmentFault, Interrupted
from reader.language import _
from reader.model import Check, Interpreter, Packages, RunProgress

__all__ = [
    "Managed",
    "asked",
    "build",
    "build_time",
    "interpreters",
    "managed",
    "managed_all",
    "ready",
    "reap",
    "remove",
    "satisfying",
    "size",
    "wanted",
]

COMPLETE = ".complete"
BUILDING = ".building"
SPARE_MB = 512  # free disk that stays free
SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Managed:
    """One managed environment: its key, what it holds, and how large it is."""

    key: str
    folder: Path
    python: str
    requires: tuple[str, ...]
    bytes: int


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
    for place in sorted(_root(root).glob(f"{install_key(packages, folder)}-py*")):
        if not (place / COMPLETE).is_file():
            continue
        found = pythons.described(_python(place), "managed")
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
    for mark in sorted(_root(root).glob(f"*/{COMPLETE}")):
        try:
            about = json.loads(mark.read_text(encoding="utf-8"))
            found.append(
                Managed(
                    key=mark.parent.name,
                    folder=mark.parent,
                    python=str(about["python"]),
                    requires=tuple(about["requires"]),
                    bytes=int(about["bytes"]),
                )
            )
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found


def size(packages: Packages, folder: Path | None = None, *, root: Path | None = None) -> int:
    """Return the bytes of the managed environment for these packages; 0 when there is none."""
    key = install_key(packages, folder)
    return sum(each.bytes for each in managed_all(root) if each.key.startswith(key))


def build_time(
    missing: Sequence[Packages], folder: Path | None, *, root: Path | None = None
) -> builds.Estimate:
    """Return how long these environments will take to build, as far as this machine knows."""
    pairs = [(install_key(packages, folder), packages.size_mb) for packages in missing]
    return builds.estimate(pairs, builds.earlier(_root(root)))


def remove(key: str, *, root: Path | None = None) -> bool:
    """Remove one managed environment; return whether it was there."""
    for each in _root(root).glob("*"):
        if each.is_dir() and each.name == key:
            (each / COMPLETE).unlink(missing_ok=True)  # half-removed is half-made
            shutil.rmtree(each)
            return True
    return False


def reap(root: Path | None = None) -> None:
    """Remove what a build that was killed has left; builds under way elsewhere stay."""
    for folder in _root(root).glob("*-py*"):
        if folder.is_dir() and not (folder / COMPLETE).exists() and not _being_built(folder):
            kill_marked(str(folder))
            shutil.rmtree(folder, ignore_errors=True)


def build(
    packages: Packages,
    folder: Path | None,
    progress: Callable[[RunProgress], None],
    cancelled: Callable[[], bool],
    *,
    root: Path | None = None,
    among: Sequence[Interpreter] | None = None,
) -> Interpreter:
    """Build the managed environment; what does not come to its end leaves nothing behind.

    Raises EnvironmentFault with what to do, Interrupted when `cancelled` says so.
    """
    reap(root)
    base = _base(packages, interpreters() if among is None else among)
    version = Version(base.version)
    name = f"{install_key(packages, folder)}-py{version.major}.{version.minor}"
    place = _root(root) / name
    _check_disk(place, packages.size_mb)
    if (place / COMPLETE).exists():
        remove(name, root=root)  # whoever asks for it anew has found it broken
    try:
        place.mkdir()
    except FileExistsError as error:
        raise EnvironmentFault(
            _("this environment is being built by another window; try again when it has ended")
        ) from error
    except OSError as error:
        raise EnvironmentFault(_no_folder(place, error)) from error
    began = time.monotonic()
    try:
        _mark(place / BUILDING, {"pid": os.getpid(), "began": psutil.Process().create_time()})
        made = _fill(place, base, packages, folder, progress, cancelled)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    took = round(time.monotonic() - began, 1)
    key = install_key(packages, folder)
    builds.record(place.parent, builds.Built(key, packages.size_mb, took))
    return made


def _fill(
    place: Path,
    base: Interpreter,
    packages: Packages,
    folder: Path | None,
    progress: Callable[[RunProgress], None],
    cancelled: Callable[[], bool],
) -> Interpreter:
    def run(argv: Sequence[str], step: int, message: str) -> None:
        progress(RunProgress("environment", step, 3, message=message))
        status, said = _stream(argv, place, progress, cancelled)
        if status != 0:
            raise EnvironmentFault(_failed(argv, said))

    run([base.path, "-E", "-s", "-m", "venv", str(place)], 0, _("Making the environment"))
    if packages.requires or packages.lock:
        message = _("Installing {packages}").format(packages=", ".join(packages.requires))
        progress(RunProgress("environment", 1, 3, message=message))
        light = [str(_python(place)), *_pip(replace(packages, lock=packages.lighter), folder)]
        if not packages.lighter or _stream(light, place, progress, cancelled)[0] != 0:
            run([str(_python(place)), *_pip(packages, folder)], 1, message)
    progress(RunProgress("environment", 2, 3, message=_("Looking whether everything imports")))
    found = pythons.described(_python(place), "managed")
    if found is None:
        raise EnvironmentFault(_("the new environment's Python does not start"))
    lacks = pythons.missing(found, packages) or pythons.broken(found, packages)
    if lacks:
        raise EnvironmentFault(
            _("the new environment still lacks: {what}").format(what=", ".join(lacks))
        )
    about = {
        "python": found.version,
        "requires": list(packages.requires),
        "bytes": disk_use(place),
    }
    _mark(place / COMPLETE, about)
    (place / BUILDING).unlink(missing_ok=True)
    progress(RunProgress("environment", 3, 3))
    return found


def _pip(packages: Packages, folder: Path | None) -> list[str]:
    words = ["-E", "-s", "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    words += ["--progress-bar", "off", "--only-binary", ":all:"]
    if packages.lock and folder is not None:
        return [*words, "--require-hashes", "-r", str(folder / packages.lock)]
    return [*words, *packages.requires]


def _stream(
    argv: Sequence[str],
    place: Path,
    progress: Callable[[RunProgress], None],
    cancelled: Callable[[], bool],
) -> tuple[int, str]:
    """Run to the end, forwarding lines; return exit status and last words; raises Interrupted."""
    log = Log(progress)
    log.step = "environment"
    process = subprocess.Popen(
        list(argv),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_environment(place),
        start_new_session=True,
    )
    tree = Tree(process, str(place))
    deadline = time.monotonic() + SECONDS
    try:
        while process.poll() is None:
            _forward(process, log, 0.1)
            if cancelled():
                raise Interrupted(_("stopped: the environment was not built"))
            if time.monotonic() > deadline:
                return 124, log.last_words
        _forward(process, log, 0.0)
    finally:
        tree.end(0.5 if process.poll() is None else 0.0)
        log.feed(b"", last=True)
        if process.stdout is not None:
            process.stdout.close()
    return process.returncode, log.last_words


def _forward(process: subprocess.Popen[bytes], log: Log, patience: float) -> None:
    if process.stdout is None or process.stdout.closed:
        return
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(patience):
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                time.sleep(patience)  # it closed its output and goes on
                return
            log.feed(data)
            patience = 0.0


def _environment(place: Path) -> dict[str, str]:
    """Return the user's environment, with index and proxy, without what bends a Python."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON") and name not in ("VIRTUAL_ENV", "PIP_TARGET", "PIP_USER")
    }
    return kept | {MARKER: str(place), "PYTHONUTF8": "1"}


def _base(packages: Packages, among: Sequence[Interpreter]) -> Interpreter:
    """Return the Python to build on: the running one where it fits, else the newest that does."""
    wanted = SpecifierSet(packages.python)
    fitting = [each for each in among if Version(each.version) in wanted]
    if not fitting:
        raise EnvironmentFault(
            _("no Python {wanted} on this machine; install one and try again").format(
                wanted=packages.python
            )
        )
    running = Path(sys.base_prefix).resolve()
    newest = sorted(fitting, key=lambda each: Version(each.version), reverse=True)
    ranked = sorted(newest, key=lambda each: not _under(each.path, running))
    for candidate in ranked:
        if _can_make(candidate):
            return candidate
    raise EnvironmentFault(
        _("{path} cannot make environments; install its venv package ({package})").format(
            path=ranked[0].path,
            package="python{}-venv".format(".".join(ranked[0].version.split(".")[:2])),
        )
    )


def _under(path: str, prefix: Path) -> bool:
    return Path(path).resolve().is_relative_to(prefix)


def _can_make(interpreter: Interpreter) -> bool:
    from reader.checks.ask import ask

    try:
        question = [interpreter.path, "-E", "-s", "-c", "import venv, ensurepip"]
        return ask(question, pythons.SECONDS)[0] == 0
    except OSError:
        return False


def _check_disk(place: Path, size_mb: int) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(place.parent).free // 1024 // 1024
    except OSError as error:
        raise EnvironmentFault(_no_folder(place, error)) from error
    needed = size_mb + size_mb // 2 + SPARE_MB  # wheels and what they hold lie side by side
    if free < needed:
        raise EnvironmentFault(
            _("{folder} has {free} MB free, this environment needs {needed} MB").format(
                folder=place.parent, free=free, needed=needed
            )
        )


def _no_folder(place: Path, error: OSError) -> str:
    return _("{folder} cannot be written ({why}); make it writable or choose another").format(
        folder=place.parent, why=error.strerror or error
    )


def _failed(argv: Sequence[str], said: str) -> str:
    step = "pip" if "pip" in argv else "venv"
    return _(
        "the environment could not be built, {step} said: {said}. "
        "Check the network, or name a Python that has the packages with --python"
    ).format(step=step, said=said or _("nothing"))


def _mark(file: Path, about: dict[str, Any]) -> None:
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


def _python(place: Path) -> Path:
    return place / "Scripts" / "python.exe" if os.name == "nt" else place / "bin" / "python"


def _root(root: Path | None) -> Path:
    return root or settings.data_folder() / "environments"
