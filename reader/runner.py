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
    toolkit,
)
from reader.checks.process import LegPlan, run_leg
from reader.errors import CheckError, Interrupted, Usage
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

    cuda: Path | str | None = None  # the toolkit's folder
    python: Path | str | None = None  # the interpreter to use as it is
    archs: tuple[str, ...] = ()  # empty: the check's own
    seconds: int | None = None  # a leg's time limit; None: the check's own
    build: bool = False  # whether an environment may be built
    check_folders: tuple[str, ...] | None = None  # the user's own; None: as the settings say
    seed: int = 0
    device_results: Path | None = None  # tests only: what a GPU would have given


class EnvironmentNeeded(CheckError):
    """No Python here has what the check needs; ask, then run again with `build`."""

    def __init__(self, packages: Packages, takes: builds.Estimate) -> None:
        self.packages = packages
        self.size_mb = packages.size_mb
        self.takes = takes  # as text: the time with what it stands on
        text = _("this check needs an environment with {packages}, about {mb} MB; to build: {time}")
        names = ", ".join(packages.requires) or f"Python {packages.python}"
        super().__init__(text.format(packages=names, mb=packages.size_mb, time=takes))


@dataclass(frozen=True, slots=True)
class _Prepared:
    """All that one leg needs, found before anything is recorded."""

    check: Check
    machine: Machine
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

    Raises EnvironmentNeeded, ToolkitError, EnvironmentFault or another CheckError before anything
    is recorded. Once recorded, whatever happens ends in the record: a failure as FAILED with
    could_not_run, a stop as CANCELLED with what was measured so far.
    """
    options = options or RunOptions()
    check = find_check(name, options.check_folders)
    if not manifest.trusted(check):
        raise CheckError(
            _("{name} is a check of your own that is not trusted yet; read it and trust it").format(
                name=name
            )
        )
    prepared = _prepare(check, options, task, progress)
    with Store.open(store_path) as store:
        store.runs.reap()
        record = machine.as_record(prepared.machine)
        run = store.runs.start(check, item, record, datetime.now(UTC))
        return _recorded(store, run, prepared, options, task, progress, record)


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
    check: Check, options: RunOptions, task: Task[Any] | None, progress: Watch
) -> _Prepared:
    progress(RunProgress("preflight", 0, 2, message=_("Looking at this machine")))
    here = machine.describe()
    kit = choose_toolkit(check, options.cuda)
    unmet = {
        each.claim: each.why_not
        for each in judge.preflight(check, here, [kit] if kit else [], tools_on_path(check))
        if each.why_not is not None
    }
    if options.device_results is not None:
        unmet = {claim: why for claim, why in unmet.items() if "gpu" not in why.code}
    progress(RunProgress("preflight", 1, 2, message=_("Looking for a Python that fits")))
    python = _interpreter(check, options, task, progress)
    progress(RunProgress("preflight", 2, 2))
    return _Prepared(check, here, kit, python, unmet)


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


def _interpreter(
    check: Check, options: RunOptions, task: Task[Any] | None, progress: Watch
) -> Interpreter:
    packages = check.packages
    if options.python:
        return interpreters.asked(options.python, packages)
    own = environment.satisfying(packages)
    if own is not None:
        return own
    ready = environment.managed(packages, check.folder)
    if ready is not None and not interpreters.broken(ready, packages):
        return ready
    if not options.build:
        raise EnvironmentNeeded(packages, environment.build_time([(packages, check.folder)]))
    return environment.build(packages, check.folder, progress, _stopper(task))


def _stopper(task: Task[Any] | None) -> Callable[[], bool]:
    return (lambda: False) if task is None else (lambda: task.cancelled)


def _recorded(
    store: Store,
    run: str,
    prepared: _Prepared,
    options: RunOptions,
    task: Task[Any] | None,
    progress: Watch,
    record: dict[str, Any],
) -> Run:
    """Run the leg and record how it ended, also when it ends by an exception."""
    legs: list[Leg] = []
    status = RunStatus.FAILED
    try:
        legs.append(_leg(store, run, prepared, options, task, progress))
        status = _status(legs)
        progress(RunProgress("judge", 0, 1))
    except (KeyboardInterrupt, Interrupted):
        status = RunStatus.CANCELLED
        raise
    finally:
        finished = store.runs.finish(
            run,
            status=status,
            legs=legs,
            verdicts=judge.judge(prepared.check, legs),
            at=datetime.now(UTC),
            machine=record | {"after": _after()},
        )
    progress(RunProgress("judge", 1, 1))
    return finished


def _leg(
    store: Store,
    run: str,
    prepared: _Prepared,
    options: RunOptions,
    task: Task[Any] | None,
    progress: Watch,
) -> Leg:
    def keep(name: str, path: Path) -> None:
        store.runs.keep(run, name, path)

    plan = LegPlan(
        check=prepared.check,
        interpreter=prepared.interpreter,
        machine=prepared.machine,
        toolkit=prepared.toolkit,
        archs=options.archs,
        seconds=options.seconds,
        seed=options.seed,
        unmet=prepared.unmet,
        device_results=options.device_results,
    )
    return run_leg(plan, keep=keep, progress=progress, cancelled=_stopper(task))


def _status(legs: Sequence[Leg]) -> RunStatus:
    faults = [leg.fault for leg in legs]
    if any(fault is not None and fault.code == "cancelled" for fault in faults):
        return RunStatus.CANCELLED
    return RunStatus.FAILED if all(faults) else RunStatus.FINISHED


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
