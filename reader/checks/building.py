"""Building a managed environment: whole from pinned wheels, or nothing is left of it."""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import psutil
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from reader import settings
from reader.checks import builds
from reader.checks import interpreters as pythons
from reader.checks.interpreters import interpreters
from reader.checks.log import Log
from reader.checks.standing import (
    BUILDING,
    COMPLETE,
    install_key,
    managed_all,
    mark,
    python_of,
    reap,
    remove,
    root_of,
    to_free,
)
from reader.checks.tree import MARKER, Tree, disk_use
from reader.errors import EnvironmentFault, Interrupted
from reader.language import _
from reader.model import Interpreter, Packages, RunProgress

SPARE_MB = 512  # free disk that stays free
SECONDS = 3600
PIP_INSTALL = (
    *("-E", "-s", "-m", "pip", "install", "--no-input", "--disable-pip-version-check"),
    *("--progress-bar", "off", "--only-binary", ":all:"),
)
# What pip may be told by its environment, where the user has not told it otherwise: a line that
# breaks is taken up again where it broke (by a pip that can), and whole wheels are in its cache.
RESUMING = Version("25.1")  # the first pip that can
LARGE_MB = 100  # below it a download is begun anew as soon as it is mended
PATIENCE = {"PIP_RETRIES": "8", "PIP_RESUME_RETRIES": "20", "PIP_DEFAULT_TIMEOUT": "60"}


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
    place = root_of(root) / name
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
        mark(place / BUILDING, {"pid": os.getpid(), "began": psutil.Process().create_time()})
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
        if packages.size_mb >= LARGE_MB and _pip_of(place) < RESUMING:
            lock = str(settings.resource_path("pip.lock"))
            newer = [str(python_of(place)), *PIP_INSTALL, "--require-hashes", "-r", lock]
            _stream(newer, place, progress, cancelled)  # else the one that is there will do
        light = [str(python_of(place)), *_pip(replace(packages, lock=packages.lighter), folder)]
        if not packages.lighter or _stream(light, place, progress, cancelled)[0] != 0:
            run([str(python_of(place)), *_pip(packages, folder)], 1, message)
    progress(RunProgress("environment", 2, 3, message=_("Looking whether everything imports")))
    found = pythons.described(python_of(place), "managed")
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
    mark(place / COMPLETE, about)
    (place / BUILDING).unlink(missing_ok=True)
    progress(RunProgress("environment", 3, 3))
    return found


def _pip_of(place: Path) -> Version:
    """Return the version of an environment's own pip; 0 where that is not to be seen."""
    for each in place.glob("[Ll]ib*/**/site-packages/pip-*.dist-info"):
        return Version(each.name.removeprefix("pip-").removesuffix(".dist-info"))
    return Version("0")


def _pip(packages: Packages, folder: Path | None) -> list[str]:
    if packages.lock and folder is not None:
        return [*PIP_INSTALL, "--require-hashes", "-r", str(folder / packages.lock)]
    return [*PIP_INSTALL, *packages.requires]


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
    return PATIENCE | kept | {MARKER: str(place), "PYTHONUTF8": "1"}


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
    """Refuse where the disk is too small, unless what lies unused there makes the room."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(place.parent).free // 1024 // 1024
    except OSError as error:
        raise EnvironmentFault(_no_folder(place, error)) from error
    needed = size_mb + size_mb // 2 + SPARE_MB  # wheels and what they hold lie side by side
    if free >= needed:
        return
    others = [each for each in managed_all(place.parent) if each.folder != place]
    freeing = to_free(others, time.time(), (needed - free) * 1024 * 1024)
    if not freeing:
        raise EnvironmentFault(
            _("{folder} has {free} MB free, this environment needs {needed} MB").format(
                folder=place.parent, free=free, needed=needed
            )
        )
    for each in freeing:
        remove(each.key, root=place.parent)


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
