"""All that a run needs, found before anything is recorded: toolkits, Pythons, needs not met."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reader import settings
from reader.checks import environment, interpreters, judge, toolkit
from reader.errors import EnvironmentFault, Usage
from reader.language import _
from reader.model import (
    Check,
    Interpreter,
    Machine,
    Packages,
    Reason,
    RunProgress,
    Toolkit,
)
from reader.runner.options import EnvironmentNeeded, RunOptions, Watch
from reader.tasks import Task


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that one leg needs, found before anything is recorded."""

    name: str
    toolkit: Toolkit | None
    interpreter: Interpreter
    unmet: Mapping[str, Reason]


def prepare(
    check: Check,
    here: Machine,
    options: RunOptions,
    task: Task[Any] | None,
    progress: Watch,
) -> list[Prepared]:
    """Return what each leg needs: one a side of the check, or one a toolkit."""
    progress(RunProgress("preflight", 0, 2, message=_("Looking at this machine")))
    kits = _toolkits(check, options)
    progress(RunProgress("preflight", 1, 2, message=_("Looking for a Python that fits")))
    pythons = _interpreters(check, options, task, progress)
    progress(RunProgress("preflight", 2, 2))
    if check.sides:
        unmet = _unmet(check, here, kits[0], options)
        return [Prepared(side.name, kits[0], pythons[side.packages], unmet) for side in check.sides]
    names = toolkit_legs(kits) if len(kits) > 1 else ["main"]
    python = pythons[check.packages]
    return [
        Prepared(name, kit, python, _unmet(check, here, kit, options))
        for name, kit in zip(names, kits, strict=True)
    ]


def toolkit_legs(kits: Sequence[Toolkit | None]) -> list[str]:
    """Return a name for the leg of each toolkit: cuda-13.0, and cuda-13.0-2 where that is taken."""
    names: list[str] = []
    for kit in kits:
        name = f"cuda-{kit.version}" if kit else "no-cuda"
        taken = sum(1 for each in names if each == name or each.startswith(f"{name}-"))
        names.append(f"{name}-{taken + 1}" if taken else name)
    return names


def _unmet(
    check: Check, here: Machine, kit: Toolkit | None, options: RunOptions
) -> dict[str, Reason]:
    unmet = {
        each.claim: each.why_not
        for each in judge.preflight(check, here, [kit] if kit else [], tools_on_path(check))
        if each.why_not is not None
    }
    if options.device_results is not None:
        unmet = {claim: why for claim, why in unmet.items() if "gpu" not in why.code}
    return unmet


def _several(named: Path | str | tuple[Path | str, ...] | None) -> tuple[Path | str, ...]:
    if isinstance(named, tuple):
        return tuple(dict.fromkeys(named))
    return (named,) if named else ()


def _toolkits(check: Check, options: RunOptions) -> list[Toolkit | None]:
    named = _several(options.cuda)
    if len(named) > 1 and not check.each_toolkit:
        raise Usage(
            _("{name} does not compare toolkits; name one with --cuda").format(name=check.name)
        )
    return [choose_toolkit(check, each) for each in named] or [choose_toolkit(check)]


def tools_on_path(check: Check) -> list[str]:
    """Return which of the tools that the check's claims need stand on PATH."""
    tools = {tool for claim in check.claims for tool in claim.needs.tools}
    return [tool for tool in sorted(tools) if shutil.which(tool)]


def choose_toolkit(check: Check, asked: Path | str | None = None) -> Toolkit | None:
    """Return the toolkit asked for, else the one chosen last, else the first with the tools.

    Raises ToolkitError when the one asked for is not usable; none at all is a normal state.
    """
    if asked:
        return toolkit.at(asked)
    chosen = settings.load(settings.default_config()).cuda
    found = toolkit.find([chosen] if chosen else [])
    if chosen:
        last = Path(chosen).expanduser().resolve()
        found.sort(key=lambda each: each.root.resolve() != last)
    return toolkit.choose(found, check)


def _interpreters(
    check: Check, options: RunOptions, task: Task[Any] | None, progress: Watch
) -> dict[Packages, Interpreter]:
    """Return a Python for each of the check's environments; builds those that are not there.

    Of Pythons that the user named each has to fit somewhere; an environment that none of them
    fits is found or built as ever.
    """
    wanted = environment.wanted(check)
    found = _named_pythons(wanted, _several(options.python))
    missing = []
    for packages in wanted:
        if packages not in found:
            there = _standing(packages, check.folder)
            if there is None:
                missing.append(packages)
            else:
                found[packages] = there
    if missing and not options.build:
        raise EnvironmentNeeded(missing, environment.build_time(missing, check.folder))
    for packages in missing:
        found[packages] = environment.build(packages, check.folder, progress, stopper(task))
    for python in found.values():
        if python.origin == "managed":
            environment.touch(Path(python.path).parent.parent)
    return found


def _named_pythons(
    wanted: Sequence[Packages], named: Sequence[Path | str]
) -> dict[Packages, Interpreter]:
    found: dict[Packages, Interpreter] = {}
    for each in named:
        faults: list[EnvironmentFault] = []
        for packages in wanted:
            try:
                found.setdefault(packages, interpreters.asked(each, packages))
            except EnvironmentFault as fault:
                faults.append(fault)
        if len(faults) == len(wanted):
            raise faults[0]
    return found


def _standing(packages: Packages, folder: Path) -> Interpreter | None:
    """Return the user's own Python that fits, else the one that was built."""
    own = environment.satisfying(packages)
    if own is not None:
        return own
    ready = environment.managed(packages, folder)
    return ready if ready is not None and not interpreters.broken(ready, packages) else None


def stopper(task: Task[Any] | None) -> Callable[[], bool]:
    return (lambda: False) if task is None else (lambda: task.cancelled)
