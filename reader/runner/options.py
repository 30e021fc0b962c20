"""What the user chose for a run, and what he has to be asked before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reader.checks import builds
from reader.errors import CheckError
from reader.language import _
from reader.model import Packages, RunProgress, RunStatus

Watch = Callable[[RunProgress], None]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the user chose for one run; everything has a default."""

    # the toolkit's folder; several where the check compares toolkits
    cuda: Path | str | tuple[Path | str, ...] | None = None
    # the interpreter to use as it is; several, or one of them, where the check compares versions
    python: Path | str | tuple[Path | str, ...] | None = None
    archs: tuple[str, ...] = ()  # empty: the check's own
    seconds: int | None = None  # a leg's time limit; None: the check's own
    build: bool = False  # whether an environment may be built
    check_folders: tuple[str, ...] | None = None  # the user's own; None: as the settings say
    seed: int = 0
    parameters: tuple[tuple[str, str], ...] = ()  # of those that the check declares, by name
    stopped: RunStatus = RunStatus.CANCELLED  # what a run that was stopped is recorded as
    device_results: Path | None = None  # tests only: what a GPU would have given


class EnvironmentNeeded(CheckError):
    """No Python here has what the check needs; ask, then run again with `build`."""

    def __init__(self, missing: Sequence[Packages], takes: builds.Estimate) -> None:
        requires = dict.fromkeys(each for packages in missing for each in packages.requires)
        self.size_mb = sum(packages.size_mb for packages in missing)
        # what is still to be built, of several environments their sum
        self.packages = replace(missing[0], requires=tuple(requires), size_mb=self.size_mb)
        self.takes = takes  # as text: the time with what it stands on
        text = _("this check needs an environment with {packages}, about {mb} MB; to build: {time}")
        names = ", ".join(requires) or f"Python {missing[0].python}"
        super().__init__(text.format(packages=names, mb=self.size_mb, time=takes))


def silent(_progress: RunProgress) -> None:
    """Watch nothing."""
