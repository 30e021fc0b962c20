"""This machine once looked at, and what of each check can be shown on it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reader.cli.session import Session
from reader.language import _, language
from reader.model import Check, Evidence, Interpreter, Machine, Preflight, Run, Toolkit
from reader.report.words import in_language, sentence

if TYPE_CHECKING:
    from reader.checks.builds import Estimate


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The machine, its toolkits and its Pythons, found once for a whole command."""

    machine: Machine
    toolkits: tuple[Toolkit, ...]
    broken: tuple[tuple[str, str], ...]  # toolkits that do not work: folder, why
    interpreters: tuple[Interpreter, ...]

    @classmethod
    def look(cls, session: Session) -> Surroundings:
        """Find out what stands on this machine; takes up to a few seconds."""
        from reader.checks import environment, machine, toolkit

        extra = [session.settings.cuda] if session.settings.cuda else []
        usable, broken = toolkit.survey(extra)
        return cls(
            machine.describe(),
            tuple(usable),
            tuple((str(each.root), each.why) for each in broken),
            tuple(environment.interpreters()),
        )

    def environment(self, check: Check) -> Interpreter | None:
        """Return the Python a check would run in without building anything."""
        from reader.checks import environment

        found = environment.ready(check, self.interpreters)
        return found[0] if all(found) else None

    def preflight(self, check: Check) -> tuple[Preflight, ...]:
        """Return per claim whether it can be shown here."""
        from reader.checks import judge

        tools = {tool for claim in check.claims for tool in claim.needs.tools}
        here = [each for each in sorted(tools) if shutil.which(each)]
        return judge.preflight(check, self.machine, self.toolkits, here)

    def document(self, check: Check, why: str | None) -> dict[str, Any]:
        """Return a check as the command line promises it; `why` says why it fits an item."""
        tongue = language()
        preflights = self.preflight(check)
        ready = self.environment(check)
        return {
            "id": check.name,
            "title": in_language(check.title, tongue),
            "summary": in_language(check.summary, tongue) or None,
            "claims": [
                {
                    "id": claim.id,
                    "kind": claim.kind.value,
                    "text": in_language(claim.text, tongue),
                    "method": in_language(claim.method, tongue) or None,
                    "expected": in_language(claim.expected, tongue) or None,
                    "here": preflight.here,
                    "why_not": sentence(preflight.why_not, check) if preflight.why_not else None,
                    "shown_on_gpu": claim.shown_on_gpu,
                    "needs_gpu": bool(claim.needs.gpus),
                }
                for claim, preflight in zip(check.claims, preflights, strict=True)
            ],
            "needs": needs(check),
            "fits": any(each.here for each in preflights),
            "environment": {
                "present": ready is not None,
                "size_mb": check.packages.size_mb,
                "python": ready.path if ready else None,
                "build_s": 0 if ready else round(self.build_time(check).seconds),
            },
            "matches": [*check.matches.urls, *check.matches.projects],
            "why": why,
            "bundled": check.bundled,
            "hash": check.hash,
        }

    def environment_line(self, check: Check) -> str:
        """Return one line on whether the check's Python stands ready."""
        ready = self.environment(check)
        if ready is not None:
            return _("environment ready: {path}").format(path=ready.path)
        return _("environment to build: {packages}, about {size} MB; {time}").format(
            packages=", ".join(check.packages.requires),
            size=check.packages.size_mb,
            time=self.build_time(check),
        )

    def build_time(self, check: Check) -> Estimate:
        """Return how long what is not there yet takes to build; as text with its basis."""
        from reader.checks import environment

        found = environment.ready(check, self.interpreters)
        pairs = zip(environment.wanted(check), found, strict=True)
        missing = [packages for packages, python in pairs if python is None]
        return environment.build_time(missing, check.folder)


def freshness(session: Session, checks: Sequence[Check]) -> Callable[[Run], Run]:
    """Return what says of a run what has changed on this machine since."""
    from reader import runner
    from reader.checks import interpreters, machine, toolkit

    here = machine.describe()
    usable = toolkit.find([session.settings.cuda] if session.settings.cuda else [])
    asked: dict[str, Interpreter | None] = {}

    def fresh(run: Run) -> Run:
        # Those that were built for checks are pinned; a person's own may have been updated.
        own = [leg.environment for leg in run.legs if leg.environment.get("origin") != "managed"]
        for path in (str(each["path"]) for each in own if each.get("path")):
            if path not in asked:
                asked[path] = interpreters.described(Path(path), "asked")
        pythons = [each for each in asked.values() if each is not None]
        return runner.with_staleness([run], checks, here, usable, pythons)[0]

    return fresh


def needs(check: Check) -> dict[str, Any]:
    """Return what a check needs for all of its claims."""
    claims = check.claims
    tools = dict.fromkeys(tool for claim in claims for tool in claim.needs.tools)
    capabilities = [
        each.needs.compute_capability for each in claims if each.needs.compute_capability
    ]
    toolkits = [each.needs.toolkit for each in claims if each.needs.toolkit is not None]
    return {
        "python": check.packages.python,
        "packages": list(check.packages.requires),
        "gpus": max((each.needs.gpus for each in claims), default=0),
        "compute_capability": max(capabilities, key=_figures, default=None),
        "toolkit": max(toolkits, key=_figures, default=None),
        "tools": list(tools),
        "kinds": [each.value for each in Evidence if each in {claim.kind for claim in claims}],
    }


def _figures(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
