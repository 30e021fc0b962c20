"""A check put to the test: as it stands, made false, its control broken, its script broken.

`test.toml` in the check's folder says which text makes the measured thing false; what is changed
is a copy. A check that has never been seen to refute proves nothing by confirming.
"""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reader.checks import judge, manifest
from reader.checks.process import LegPlan, run_leg
from reader.errors import ManifestError
from reader.language import _
from reader.model import Check, Leg, Verdict, VerdictKind

FILE = "test.toml"
TRUE, FALSE, CONTROL, BROKEN = "true", "false", "control", "broken"
_CRASH = "raise SystemExit('made to fail by check test')\n"
Legs = Callable[[Check], list[LegPlan]]


@dataclass(frozen=True, slots=True)
class Case:
    """One way to put the check to the test, and what each claim's verdict has to be."""

    name: str
    expect: tuple[tuple[str, VerdictKind], ...]
    replace: tuple[tuple[str, str, str], ...] = ()  # file, old text, new text


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a case: `wrong` names the claims whose verdict was another.

    `unseen` are those that need what this machine lacks; nothing is said of them.
    """

    case: Case
    verdicts: tuple[Verdict, ...]
    wrong: tuple[str, ...]
    unseen: tuple[str, ...]
    log: str


def cases(check: Check) -> tuple[Case, ...]:
    """Return the cases of the check's test.toml, and the broken one that every check has.

    Raises ManifestError where the file does not say what it should.
    """
    file = check.folder / FILE
    raw = _read(file)
    found = [_case(check, file, name, raw[name]) for name in (TRUE, FALSE, CONTROL) if name in raw]
    strange = sorted(set(raw) - {TRUE, FALSE, CONTROL})
    if strange:
        raise ManifestError(
            _("{file}: {name} is none of true, false, control").format(file=file, name=strange[0])
        )
    broken = tuple((claim.id, VerdictKind.COULD_NOT_RUN) for claim in check.claims)
    return (*found, Case(BROKEN, broken))


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ManifestError(
            _("{file}: it cannot be read as TOML: {why}").format(file=file, why=error)
        ) from error


def _case(check: Check, file: Path, name: str, raw: Any) -> Case:
    ids = [claim.id for claim in check.claims]
    words = [kind.value for kind in VerdictKind]
    expect = raw.get("expect") if isinstance(raw, dict) else None
    if not isinstance(expect, dict) or not all(
        claim in ids and verdict in words for claim, verdict in expect.items()
    ):
        raise ManifestError(
            _("{file}, [{name}]: expect names claims of the check, each with a verdict").format(
                file=file, name=name
            )
        )
    changes = raw.get("replace", [])
    if not isinstance(changes, list) or not all(map(_is_change, changes)):
        raise ManifestError(
            _("{file}, [{name}]: replace is a list of file, old and new").format(
                file=file, name=name
            )
        )
    if any(each["file"] == manifest.MANIFEST for each in changes):
        raise ManifestError(
            _("{file}, [{name}]: make the measured thing false, not what is expected of it").format(
                file=file, name=name
            )
        )
    return Case(
        name,
        tuple((claim, VerdictKind(verdict)) for claim, verdict in expect.items()),
        tuple((each["file"], each["old"], each["new"]) for each in changes),
    )


def _is_change(raw: Any) -> bool:
    return isinstance(raw, dict) and all(
        isinstance(raw.get(key), str) for key in ("file", "old", "new")
    )


def tried(check: Check, legs: Legs) -> Iterator[Tried]:
    """Run one case after the other; `legs` plans the legs of a check as a run would.

    Raises ManifestError where a case changes text that is not there.
    """
    for case in cases(check):
        with tempfile.TemporaryDirectory(prefix="readproof-trial-") as scratch:
            copy = _changed(check, case, Path(scratch))
            plans = legs(copy)
            done = [run_leg(plan) for plan in plans]
        unseen = {claim for plan in plans for claim in plan.unmet}
        yield _judged(copy, case, done, unseen)


def _changed(check: Check, case: Case, scratch: Path) -> Check:
    folder = scratch / check.folder.name
    shutil.copytree(check.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    inside = folder.resolve()
    for name, old, new in case.replace:
        file = folder / name
        text = ""
        if file.resolve().is_relative_to(inside) and file.is_file():
            text = file.read_text(encoding="utf-8")
        if old not in text or not old:
            raise ManifestError(
                _("{file}, [{name}]: {changed} does not hold the text to replace: {old}").format(
                    file=FILE, name=case.name, changed=name, old=old[:80]
                )
            )
        file.write_text(text.replace(old, new), encoding="utf-8")
    if case.name == BROKEN:
        (folder / manifest.SCRIPT).write_text(_CRASH, encoding="utf-8")
    copy = manifest.load(folder, bundled=check.bundled)
    return replace(copy, packages=check.packages, sides=check.sides)


def _judged(check: Check, case: Case, legs: list[Leg], unseen: set[str]) -> Tried:
    verdicts = judge.judge(check, legs)
    given: Mapping[str, VerdictKind] = {each.claim: each.verdict for each in verdicts}
    hidden = tuple(claim for claim, _wanted in case.expect if claim in unseen)
    wrong = tuple(
        claim
        for claim, wanted in case.expect
        if claim not in hidden and given.get(claim) is not wanted
    )
    return Tried(case, verdicts, wrong, hidden, "\n".join(leg.log for leg in legs if leg.log))


def lacks(check: Check, written: tuple[Case, ...]) -> list[str]:
    """Return what the check lacks before others can rely on it, one sentence each."""
    by_name = {case.name: case for case in written if case.name != BROKEN}
    found = []
    for name, said in (
        (TRUE, _("test.toml has no [true]: what it says of the thing as it is")),
        (FALSE, _("test.toml has no [false]: nobody has seen it refute")),
        (CONTROL, _("test.toml has no [control]: nobody has seen its control fail")),
    ):
        if name not in by_name:
            found.append(said)
    seen = {pair for name in (TRUE, FALSE) if name in by_name for pair in by_name[name].expect}
    for claim in check.claims:
        if by_name and (claim.id, VerdictKind.REFUTED) not in seen:
            found.append(_("no case sees {claim} refuted").format(claim=claim.id))
        if by_name and (claim.id, VerdictKind.CONFIRMED) not in seen:
            found.append(_("no case sees {claim} confirmed").format(claim=claim.id))
        if not claim.refute and claim.race is None:
            found.append(_("{claim} has no refute rule").format(claim=claim.id))
        if claim.text.zh == claim.text.en:
            found.append(_("{claim} says the same in both languages").format(claim=claim.id))
    matches = check.matches
    if not (matches.urls or matches.projects or matches.words):
        found.append(_("[matches] is empty: it fits no item"))
    return found
