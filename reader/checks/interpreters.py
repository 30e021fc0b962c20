"""The Pythons of this machine, each asked once what it is and what it has installed."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from reader import tasks
from reader.checks.ask import ask
from reader.errors import EnvironmentFault
from reader.language import _
from reader.model import Interpreter, Packages

SECONDS = 15.0  # for a Python to say what it is
IMPORT_SECONDS = 120.0  # for heavy packages to import
FLAGS = ("-B", "-E", "-s", "-X", "utf8")  # no .pyc written, no PYTHON*, no user site-packages
_QUESTION = """
import sys, json
import importlib.metadata as m
found = {}
for d in m.distributions():
    try:
        found.setdefault(d.metadata["Name"], d.version)
    except Exception:
        pass
found = {n: v for n, v in found.items() if isinstance(n, str) and isinstance(v, str)}
v = "%d.%d.%d" % sys.version_info[:3]
print(json.dumps({"version": v, "path": sys.executable, "packages": found}))
"""
_NAMES = re.compile(r"python(3(\.\d+)?)?(\.exe)?")
_CONDA_HOMES = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba")


def interpreters() -> list[Interpreter]:
    """Return the Pythons found in venv, conda, PATH, pyenv and uv, each once, in that order."""
    candidates: dict[str, str] = {}
    seen: set[tuple[Path, Path]] = set()
    for path, origin in _candidates():
        if path.is_file() and os.access(path, os.X_OK) and (one := _file(path)) not in seen:
            seen.add(one)
            candidates[str(path)] = origin
    answers: dict[str, Interpreter | BaseException] = {}
    for (path_text, _origin), answer in tasks.each(
        lambda each: _asked(each[0], each[1]), candidates.items(), workers=4
    ):
        answers[path_text] = answer
    found: dict[tuple[Path, str], Interpreter] = {}
    for path_text in candidates:
        answer = answers[path_text]
        if isinstance(answer, Interpreter):  # python3 and python3.11 of one folder are one
            found.setdefault((Path(answer.path).parent.resolve(), answer.version), answer)
    return list(found.values())


def _file(path: Path) -> tuple[Path, Path]:
    """Return folder and file that one Python is told by.

    python3 and python3.11 of /usr/bin, and both again by /bin, are one and asked once. A venv's
    link leads to the same file, but from a folder of its own; and a link to a program that is no
    Python by its name (mise) may be another Python by each of its names.
    """
    folder, file = path.parent.resolve(), path.resolve()
    return folder, file if _NAMES.fullmatch(file.name) else folder / path.name


def asked(executable: Path | str, packages: Packages) -> Interpreter:
    """Return the Python that the user named; raises EnvironmentFault with what it lacks."""
    try:
        interpreter = _asked(str(Path(executable).expanduser()), "asked")
    except (OSError, ValueError, KeyError) as error:
        raise EnvironmentFault(
            _("{path} is no working Python ({why}); name another with --python").format(
                path=executable, why=_why(error)
            )
        ) from error
    lacks = missing(interpreter, packages) or broken(interpreter, packages)
    if lacks:
        raise EnvironmentFault(
            _(
                "{path} does not fit this check, it lacks: {what}; "
                "install that there, or leave out --python to have an environment built"
            ).format(path=executable, what=", ".join(lacks))
        )
    return interpreter


def missing(interpreter: Interpreter, packages: Packages) -> list[str]:
    """Return what the check needs and this Python does not have, by its own records."""
    lacks = []
    if Version(interpreter.version) not in SpecifierSet(packages.python):
        lacks.append(f"Python {packages.python}")
    installed = {canonicalize_name(name): version for name, version in interpreter.packages}
    for text in packages.accepts or packages.requires:
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        version = installed.get(canonicalize_name(requirement.name))
        if version is None or not _fits(version, requirement):
            lacks.append(f"{requirement.name}{requirement.specifier}")
    return lacks


def _fits(version: str, requirement: Requirement) -> bool:
    try:
        return requirement.specifier.contains(Version(version), prereleases=True)
    except InvalidVersion:
        return False


def broken(interpreter: Interpreter, packages: Packages) -> list[str]:
    """Return the modules that do not import there, each with the last words of its error."""
    faults = []
    for module in packages.import_names:
        try:
            status, _out, err = ask(
                [interpreter.path, *FLAGS, "-c", f"import {module}"], IMPORT_SECONDS
            )
            said = (err.strip().splitlines() or [""])[-1][:200]
        except TimeoutError:
            status, said = 124, _("no answer in {n} s").format(n=int(IMPORT_SECONDS))
        except OSError as error:
            status, said = 127, str(error)
        if status != 0:
            faults.append(f"import {module} ({said})")
    return faults


def fitting(among: Sequence[Interpreter], packages: Packages) -> Interpreter | None:
    """Return the first that has everything and imports it."""
    for interpreter in among:
        if not missing(interpreter, packages) and not broken(interpreter, packages):
            return interpreter
    return None


def described(path: Path, origin: str) -> Interpreter | None:
    """Return the Python at `path`, None when it does not work."""
    try:
        return _asked(str(path), origin)
    except (OSError, ValueError, KeyError):
        return None


def _asked(path: str, origin: str) -> Interpreter:
    """Ask one Python; raises OSError (TimeoutError too), ValueError or KeyError."""
    status, out, err = ask([path, *FLAGS, "-c", _QUESTION], SECONDS)
    if status != 0:
        raise ValueError((err.strip().splitlines() or [str(status)])[-1][:200])
    answer = json.loads(out.strip().splitlines()[-1] if out.strip() else "{}")
    return Interpreter(
        path=answer["path"] or path,
        version=answer["version"],
        origin=origin,
        packages=tuple(sorted(answer["packages"].items())),
    )


def _why(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return _("no answer in {n} s").format(n=int(SECONDS))
    return str(error.strerror if isinstance(error, OSError) and error.strerror else error)


def _candidates() -> Iterator[tuple[Path, str]]:
    home = Path.home()
    for variable, origin in (("VIRTUAL_ENV", "venv"), ("CONDA_PREFIX", "conda")):
        if os.environ.get(variable):
            yield _python_in(Path(os.environ[variable])), origin
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if folder:
            yield from ((path, "path") for path in _named_python(Path(folder)))
    if not getattr(sys, "frozen", False):
        yield Path(sys.executable), "path"
    for name in _CONDA_HOMES:
        yield _python_in(home / name), "conda"
        yield from ((_python_in(env), "conda") for env in _inside(home / name / "envs"))
    yield from ((_python_in(env), "conda") for env in _conda_list(home))
    pyenv = Path(os.environ.get("PYENV_ROOT") or home / ".pyenv")
    yield from ((_python_in(each), "pyenv") for each in _inside(pyenv / "versions"))
    uv = os.environ.get("UV_PYTHON_INSTALL_DIR")
    share = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    for root in (Path(uv) if uv else share / "uv" / "python", home / ".local/share/uv/python"):
        yield from ((_python_in(each), "uv") for each in _inside(root))


def _named_python(folder: Path) -> list[Path]:
    return [path for path in _inside(folder) if _NAMES.fullmatch(path.name)]


def _python_in(prefix: Path) -> Path:
    return prefix / "python.exe" if os.name == "nt" else prefix / "bin" / "python3"


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _conda_list(home: Path) -> list[Path]:
    try:
        lines = (home / ".conda" / "environments.txt").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [Path(line) for line in lines if line.strip()]
