"""One Run of a Check: prepare, measure, judge, keep."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reader import settings
from reader.checks import judge, machine, manifest, matching, parameters
from reader.checks.process import LegPlan, run_leg
from reader.errors import EnvironmentFault, Interrupted, NotTrusted, ToolkitError, Usage
from reader.language import _
from reader.model import (
    Check,
    Item,
    Leg,
    Machine,
    QueueEntry,
    QueueState,
    Reason,
    Run,
    RunProgress,
    RunStatus,
)
from reader.runner.options import RunOptions, Watch, silent
from reader.runner.preparing import Prepared, prepare, stopper
from reader.store import Store
from reader.tasks import Task


def run_check(
    store_path: Path,
    name: str,
    *,
    item: str | None = None,
    options: RunOptions | None = None,
    task: Task[Any] | None = None,
    progress: Watch = silent,
) -> Run:
    """Run a check by name and return the finished record; asks nothing.

    Raises EnvironmentNeeded or another CheckError before anything is recorded; ToolkitError and
    EnvironmentFault too, but for an item the failure is a Run with could_not_run and the reason.
    Interrupted, where it was stopped while an environment was built: that is a Run as well.
    Once recorded, whatever happens ends in the record: a failure as FAILED with could_not_run, a
    stop as CANCELLED (or what the options say) with what was measured so far.
    """
    options = options or RunOptions()
    check = find_check(name, options.check_folders)
    if not manifest.trusted(check):
        raise NotTrusted(
            _("{name} is a check of your own that is not trusted yet; read it and trust it").format(
                name=name
            )
        )
    options = replace(options, parameters=parameters.chosen(check, options.parameters))
    here = machine.describe()
    try:
        prepared = prepare(check, here, options, task, progress)
    except (ToolkitError, EnvironmentFault) as error:
        if item is not None:
            code = "toolkit_failed" if isinstance(error, ToolkitError) else "environment_failed"
            fault = Reason(code, (("said", str(error)),))
            _record_unmeasured(store_path, check, here, item, fault, RunStatus.FAILED)
        raise
    except (KeyboardInterrupt, Interrupted) as error:
        fault = Reason("interrupted_building")
        kept = _record_unmeasured(store_path, check, here, item, fault, options.stopped)
        text = _("Interrupted; the run is kept as {id}.")
        raise Interrupted(text.format(id=kept)) from error
    with Store.open(store_path) as store:
        store.runs.reap()
        record = machine.as_record(here)
        run = store.runs.start(check, item, record, datetime.now(UTC))
        running = _Running(store, run, check, here, options, task, progress)
        return running.through(prepared, record)


def _record_unmeasured(
    store_path: Path,
    check: Check,
    here: Machine,
    item: str | None,
    fault: Reason,
    status: RunStatus,
) -> str:
    """Keep a run that never came to measuring, so that the history says why; return its id."""
    names = [side.name for side in check.sides] or ["main"]
    legs = [_no_leg(name, check, fault) for name in names]
    now = datetime.now(UTC)
    with Store.open(store_path) as store:
        run = store.runs.start(check, item, machine.as_record(here), now)
        verdicts = judge.judge(check, legs)
        store.runs.finish(run, status=status, legs=legs, verdicts=verdicts, at=now)
    return run


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

    def through(self, prepared: Sequence[Prepared], record: dict[str, Any]) -> Run:
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

    def _leg(self, prepared: Prepared, *, alone: bool) -> Leg:
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
        return run_leg(plan, keep=keep, progress=watch, cancelled=stopper(self.task))


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
