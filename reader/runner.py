"""One Run of a Check: prepare, measure, judge, keep; and whether an earlier Run still holds."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reader import settings
from reader.checks import (
    builds,
    environment,
    interpreters,
    judge,
    machine,
    manifest,
    matching,
    parameters,
    toolkit,
)
from reader.checks.process import LegPlan, run_leg
from reader.errors import CheckError, EnvironmentFault, Interrupted, ToolkitError, Usage
from reader.language import _
from reader.model import (
    Check,
    Interpreter,
    Item,
    Leg,
    Machine,
    Packages,
    QueueEntry,
    QueueState,
    Reason,
    Run,
    RunProgress,
    RunStatus,
    Toolkit,
)
from reader.store import Store
from reader.tasks import Task

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


@dataclass(frozen=True, slots=True)
class _Prepared:
    """All that one leg needs, found before anything is recorded."""

    name: str
    toolkit: Toolkit | None
    interpreter: Interpreter
    unmet: Mapping[str, Reason]


def _silent(_progress: RunProgress) -> None:
    """Watch nothing."""


def run_check(
    store_path: Path,
    name: str,
    *,
    item: str | None = None,
    options: RunOptions | None = None,
    task: Task[Any] | None = None,
    progress: Watch = _silent,
) -> Run:
    """Run a check by name and return the finished record; asks nothing.

    Raises EnvironmentNeeded or another CheckError before anything is recorded; ToolkitError and
    EnvironmentFault too, but for an item the failure is a Run with could_not_run and the reason.
    Once recorded, whatever happens ends in the record: a failure as FAILED with could_not_run, a
    stop as CANCELLED (or what the options say) with what was measured so far.
    """
    options = options or RunOptions()
    check = find_check(name, options.check_folders)
    if not manifest.trusted(check):
        raise CheckError(
            _("{name} is a check of your own that is not trusted yet; read it and trust it").format(
                name=name
            )
        )
    options = replace(options, parameters=parameters.chosen(check, options.parameters))
    here = machine.describe()
    try:
        prepared = _prepare(check, here, options, task, progress)
    except (ToolkitError, EnvironmentFault) as error:
        if item is not None:
            _record_failure(store_path, check, here, item, error)
        raise
    with Store.open(store_path) as store:
        store.runs.reap()
        record = machine.as_record(here)
        run = store.runs.start(check, item, record, datetime.now(UTC))
        running = _Running(store, run, check, here, options, task, progress)
        return running.through(prepared, record)


def _record_failure(
    store_path: Path, check: Check, here: Machine, item: str, error: ToolkitError | EnvironmentFault
) -> None:
    """Keep a run that never came to measuring, so that the item's history says why."""
    code = "toolkit_failed" if isinstance(error, ToolkitError) else "environment_failed"
    fault = Reason(code, (("said", str(error)),))
    names = [side.name for side in check.sides] or ["main"]
    legs = [_no_leg(name, check, fault) for name in names]
    now = datetime.now(UTC)
    with Store.open(store_path) as store:
        run = store.runs.start(check, item, machine.as_record(here), now)
        verdicts = judge.judge(check, legs)
        store.runs.finish(run, status=RunStatus.FAILED, legs=legs, verdicts=verdicts, at=now)


def _no_leg(name: str, check: Check, fault: Reason) -> Leg:
    return Leg(
        name=name,
        environment={},
        toolkit=None,
        target=" ".join(check.archs),
        measured={},
        cases=(),
        log="",
        command=(),
        exit_status=None,
        seconds=0.0,
        fault=fault,
        control_done=False,
    )


def find_check(name: str, check_folders: Sequence[str] | None = None) -> Check:
    """Return a bundled check or one of the user's own; raises Usage or its ManifestError."""
    if check_folders is None:
        check_folders = settings.load(settings.default_config()).check_folders
    checks, faults = manifest.load_all(check_folders)
    for check in checks:
        if check.name == name:
            return check
    for fault in faults:
        if fault.folder is not None and fault.folder.name == name:
            raise fault
    names = ", ".join(check.name for check in checks)
    raise Usage(_("There is no check {name}. There are: {names}.").format(name=name, names=names))


def _prepare(
    check: Check,
    here: Machine,
    options: RunOptions,
    task: Task[Any] | None,
    progress: Watch,
) -> list[_Prepared]:
    """Return what each leg needs: one a side of the check, or one a toolkit."""
    progress(RunProgress("preflight", 0, 2, message=_("Looking at this machine")))
    kits = _toolkits(check, options)
    progress(RunProgress("preflight", 1, 2, message=_("Looking for a Python that fits")))
    pythons = _interpreters(check, options, task, progress)
    progress(RunProgress("preflight", 2, 2))
    if check.sides:
        unmet = _unmet(check, here, kits[0], options)
        return [
            _Prepared(side.name, kits[0], pythons[side.packages], unmet) for side in check.sides
        ]
    names = toolkit_legs(kits) if len(kits) > 1 else ["main"]
    python = pythons[check.packages]
    return [
        _Prepared(name, kit, python, _unmet(check, here, kit, options))
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
        found[packages] = environment.build(packages, check.folder, progress, _stopper(task))
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


def _stopper(task: Task[Any] | None) -> Callable[[], bool]:
    return (lambda: False) if task is None else (lambda: task.cancelled)


@dataclass(frozen=True, slots=True)
class _Running:
    """One run under way: its record and who watches."""

    store: Store
    run: str
    check: Check
    machine: Machine
    options: RunOptions
    task: Task[Any] | None
    progress: Watch

    def through(self, prepared: Sequence[_Prepared], record: dict[str, Any]) -> Run:
        """Run the legs one after another and record how they ended, also by an exception."""
        legs: list[Leg] = []
        status = RunStatus.FAILED
        try:
            for each in prepared:
                legs.append(self._leg(each, alone=len(prepared) == 1))
                if _stopped(legs):
                    break
            status = self.options.stopped if _stopped(legs) else _status(legs)
            self.progress(RunProgress("judge", 0, 1))
        except (KeyboardInterrupt, Interrupted):
            status = self.options.stopped
            raise
        finally:
            finished = self.store.runs.finish(
                self.run,
                status=status,
                legs=legs,
                verdicts=judge.judge(self.check, legs),
                at=datetime.now(UTC),
                machine=record | {"after": _after()},
            )
        self.progress(RunProgress("judge", 1, 1))
        return finished

    def _leg(self, prepared: _Prepared, *, alone: bool) -> Leg:
        def keep(name: str, path: Path) -> None:
            self.store.runs.keep(self.run, name if alone else f"{prepared.name}.{name}", path)

        def watch(progress: RunProgress) -> None:
            said = progress.message or progress.claim or ""
            if not alone and progress.line is None:
                progress = replace(progress, message=f"{prepared.name}: {said}".rstrip(": "))
            self.progress(progress)

        options = self.options
        plan = LegPlan(
            check=self.check,
            interpreter=prepared.interpreter,
            machine=self.machine,
            toolkit=prepared.toolkit,
            name=prepared.name,
            archs=options.archs,
            seconds=options.seconds,
            seed=options.seed,
            unmet=prepared.unmet,
            chosen=options.parameters,
            device_results=options.device_results,
        )
        return run_leg(plan, keep=keep, progress=watch, cancelled=_stopper(self.task))


def _stopped(legs: Sequence[Leg]) -> bool:
    codes = {leg.fault.code for leg in legs if leg.fault is not None}
    return bool(codes & {"cancelled", "interrupted"})


def _status(legs: Sequence[Leg]) -> RunStatus:
    return RunStatus.FAILED if all(leg.fault for leg in legs) else RunStatus.FINISHED


def _after() -> dict[str, Any]:
    """Return what of the machine may have moved during the run: load, clocks, throttling."""
    now = machine.describe()
    return {"load": now.load, "gpus": [dict(gpu.details) for gpu in now.gpus]}


def judge_again(store: Store, run_id: str) -> Run:
    """Judge a run's stored raw results by today's rules and the check's content as it was."""
    run = store.runs.get(run_id)
    with tempfile.TemporaryDirectory(prefix="readproof-check-") as place:
        folder = Path(place, run.check)
        for name, body in store.runs.content(run_id).items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
        check = manifest.load(folder, bundled=False)
    return store.runs.judged_again(run_id, judge.judge(check, run.legs))


def next_queued(store: Store, checks: Sequence[Check]) -> tuple[QueueEntry, Check] | None:
    """Return the most urgent queue entry that waits for its first run, with the check to run."""
    for entry in store.queue.all(QueueState.QUEUED):
        by_name = [check for check in checks if check.name == entry.check]
        if by_name:
            return entry, by_name[0]
        story = None if entry.check else store.library.get(entry.item)
        if isinstance(story, Item):
            fitting = matching.fitting(checks, story)
            if fitting:
                return entry, fitting[0].check
    return None


def staleness(
    run: Run,
    check_hash: str | None,
    now: Machine,
    toolkits: Sequence[Toolkit],
    pythons: Sequence[Interpreter] = (),
) -> tuple[Reason, ...]:
    """Return what has changed since the run: check, judge, driver, GPUs, toolkit, packages. Pure.

    None for `check_hash` stands for a check that is not there any more.
    """
    reasons = []
    if check_hash != run.check_hash:
        reasons.append(Reason("stale_check"))
    if any(verdict.judge != judge.JUDGE_VERSION for verdict in run.verdicts):
        reasons.append(Reason("stale_judge"))
    pairs = (
        ("stale_driver", run.machine.get("driver"), now.driver),
        ("stale_gpu", _gpu_names(run.machine), ", ".join(gpu.name for gpu in now.gpus)),
    )
    for code, before, after in pairs:
        if (before or "") != (after or ""):
            reasons.append(Reason(code, (("before", before or "–"), ("after", after or "–"))))
    for leg in run.legs:
        reasons += _stale_toolkit(leg, toolkits)
        reasons += _stale_packages(leg, pythons)
    return tuple(reasons)


def _gpu_names(record: Mapping[str, Any]) -> str:
    return ", ".join(str(gpu.get("name")) for gpu in record.get("gpus") or ())


def _stale_toolkit(leg: Leg, toolkits: Sequence[Toolkit]) -> list[Reason]:
    if leg.toolkit is None:
        return []
    root, before = str(leg.toolkit.get("root")), leg.toolkit.get("release")
    after = next((each.release for each in toolkits if str(each.root) == root), "–")
    if after == before:
        return []
    return [Reason("stale_toolkit", (("root", root), ("before", before), ("after", after)))]


def _stale_packages(leg: Leg, pythons: Sequence[Interpreter]) -> list[Reason]:
    same = next((each for each in pythons if each.path == leg.environment.get("path")), None)
    if same is None:
        return []
    now = dict(same.packages)
    return [
        Reason("stale_package", (("package", name), ("before", before), ("after", after)))
        for name, before in sorted((leg.environment.get("packages") or {}).items())
        if (after := now.get(name, "–")) != before
    ]


def with_staleness(
    runs: Sequence[Run],
    checks: Sequence[Check],
    now: Machine,
    toolkits: Sequence[Toolkit],
    pythons: Sequence[Interpreter] = (),
) -> list[Run]:
    """Return the runs with `stale` filled in."""
    hashes = {check.name: check.hash for check in checks}
    return [
        replace(run, stale=staleness(run, hashes.get(run.check), now, toolkits, pythons))
        for run in runs
    ]
