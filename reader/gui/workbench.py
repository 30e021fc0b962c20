"""This machine and the checks: what fits a story, and what of it can be shown here."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reader.model import (
    Check,
    Entry,
    Interpreter,
    Item,
    Machine,
    Preflight,
    Toolkit,
    Verdict,
    VerdictKind,
)

if TYPE_CHECKING:
    from reader.checks.builds import Estimate
    from reader.store import Store


@dataclass(frozen=True, slots=True)
class Bench:
    """What stands on this machine, looked at once; made on a worker."""

    checks: tuple[Check, ...]
    machine: Machine
    toolkits: tuple[Toolkit, ...]
    broken: tuple[tuple[str, str], ...]  # toolkits that do not work: folder, why
    interpreters: tuple[Interpreter, ...]
    free_gb: int
    faults: tuple[str, ...] = ()

    @property
    def pythons(self) -> list[str]:
        """The minor versions of Python that are here, newest first."""
        found = {tuple(int(n) for n in each.version.split(".")[:2]) for each in self.interpreters}
        return [".".join(map(str, each)) for each in sorted(found, reverse=True)]

    def build(self, check: Check) -> Build | None:
        """Return what is to be built before a check can run; None where everything stands."""
        from reader.checks import environment

        found = environment.ready(check, self.interpreters)
        pairs = zip(environment.wanted(check), found, strict=True)
        missing = [packages for packages, python in pairs if python is None]
        if not missing:
            return None
        names = dict.fromkeys(name for packages in missing for name in packages.requires)
        return Build(
            ", ".join(names) or "Python",
            sum(packages.size_mb for packages in missing),
            environment.build_time(missing, check.folder),
        )

    def preflight(self, check: Check) -> tuple[Preflight, ...]:
        """Say per claim whether it can be shown here."""
        from reader.checks import judge

        tools = {tool for claim in check.claims for tool in claim.needs.tools}
        here = [each for each in sorted(tools) if shutil.which(each)]
        return judge.preflight(check, self.machine, self.toolkits, here)


@dataclass(frozen=True, slots=True)
class Build:
    """What a check needs built before it runs: all its environments that are not there."""

    packages: str
    size_mb: int
    takes: Estimate


@dataclass(frozen=True, slots=True)
class Offer:
    """One check that fits a story, with all that the verify panel says of it."""

    check: Check
    why: str
    preflight: tuple[Preflight, ...]
    build: Build | None  # what has to be built first
    verdicts: tuple[tuple[str, Verdict], ...] = ()  # the newest, by claim
    last_run: str | None = None
    stale: bool = False

    @property
    def here(self) -> int:
        """How many claims can be shown on this machine."""
        return sum(each.here for each in self.preflight)

    def verdict(self, claim: str) -> VerdictKind | None:
        """Return the newest verdict of a claim."""
        found = dict(self.verdicts).get(claim)
        return found.verdict if found else None


def look(store_path: Path, check_folders: Sequence[str], cuda: str) -> Bench:
    """Find out what stands on this machine; takes up to a few seconds."""
    from reader.checks import environment, machine, manifest, toolkit

    checks, faults = manifest.load_all(check_folders)
    usable, broken = toolkit.survey([cuda] if cuda else [])
    return Bench(
        tuple(checks),
        machine.describe(),
        tuple(usable),
        tuple((str(each.root), str(each.why)) for each in broken),
        tuple(environment.interpreters()),
        shutil.disk_usage(store_path.parent).free // 10**9,
        tuple(map(str, faults)),
    )


def offers(store: Store, bench: Bench, story: Item | Entry) -> list[Offer]:
    """Return the checks that fit a story, best first, with their newest verdicts."""
    from reader.checks import matching, reasons
    from reader.language import language

    if not isinstance(story, Item):
        return []
    runs = store.runs.all(item=story.id)
    found = []
    for match in matching.fitting(bench.checks, story):
        verdicts: dict[str, Verdict] = {}
        last = None
        for run in runs:
            if run.check == match.check.name:
                last = last or run.id
                for verdict in run.verdicts:
                    verdicts.setdefault(verdict.claim, verdict)
        why = reasons.render(match.why, match.check, language())
        found.append(
            Offer(
                match.check,
                why,
                bench.preflight(match.check),
                bench.build(match.check),
                tuple(verdicts.items()),
                last,
            )
        )
    return found
