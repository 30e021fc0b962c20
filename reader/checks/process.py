"""One leg: the check's script in its own Python, process group and scratch folder, watched.

Whatever goes wrong ends as `Leg.fault`; nothing that a script does raises here.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil

from reader.checks import folder as check_folder
from reader.checks import harness, parameters, result
from reader.checks import toolkit as toolkits
from reader.checks.log import Log
from reader.checks.manifest import SCRIPT
from reader.checks.tree import MARKER, Tree, disk_use, kill_marked
from reader.errors import Interrupted
from reader.model import Check, Interpreter, Leg, Machine, Reason, RunProgress, Toolkit

FLAGS = ("-B", "-E", "-s", "-u", "-X", "utf8")
GRACE = 2.0  # seconds between asking and killing
FREE_MB = 256  # a leg stops before it fills the disk
_PREFIX = "readproof-leg-"
_RESERVED = {"result.json", "log.txt", "parameters.json", "samples.jsonl"}
# What of the user's environment reaches a leg; all that changes results is recorded.
_PASSED = re.compile(
    r"PATH|LANG|LC_.*|TZ|SYSTEMROOT|CC|CXX|CUDAHOSTCXX|NVCC_(CCBIN|PREPEND_FLAGS|APPEND_FLAGS)"
    r"|LD_LIBRARY_PATH|DYLD_.*"
    r"|(CUDA|NVIDIA|CUBLAS|CUDNN|NCCL|TRITON|TORCH|PYTORCH|OMP|MKL|OPENBLAS|TVM)_.*"
)
_NOT_RECORDED = re.compile(r"PATH|LANG|LC_.*|TZ|SYSTEMROOT")
# These would make a leg use what it should not, such as a cache of earlier runs.
_DROPPED = {"TRITON_CACHE_DIR", "TRITON_HOME", "TRITON_DUMP_DIR", "TRITON_OVERRIDE_DIR"}

Keep = Callable[[str, Path], None]


@dataclass(slots=True)
class _Scratch:
    """The folders and files of one leg."""

    root: Path
    check: Path = field(init=False)
    work: Path = field(init=False)
    out: Path = field(init=False)
    artefacts: Path = field(init=False)

    def __post_init__(self) -> None:
        self.check, self.work = self.root / "check", self.root / "work"
        self.out, self.artefacts = self.root / "out", self.root / "out" / "artefacts"
        for each in ("work", "out/artefacts", "home", "tmp", "cache"):
            (self.root / each).mkdir(parents=True)

    @property
    def result(self) -> Path:
        return self.out / "result.json"

    @property
    def samples(self) -> Path:
        return self.out / "samples.jsonl"

    @property
    def parameters(self) -> Path:
        return self.root / "parameters.json"


def _drop(_name: str, _path: Path) -> None:
    """Keep nothing."""


def _silent(_progress: RunProgress) -> None:
    """Watch nothing."""


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class LegPlan:
    """What one leg is to run with."""

    check: Check
    interpreter: Interpreter
    machine: Machine
    toolkit: Toolkit | None = None
    name: str = "main"
    archs: tuple[str, ...] = ()  # empty: the check's own
    seconds: int | None = None  # None: the check's own limit
    seed: int = 0
    unmet: Mapping[str, Reason] = field(default_factory=dict)  # claim → need not met here
    chosen: parameters.Chosen = ()  # the user's, of the check's parameters
    device_results: Path | None = None  # tests only: what a GPU would have given


def run_leg(
    plan: LegPlan,
    *,
    keep: Keep = _drop,
    progress: Callable[[RunProgress], None] = _silent,
    cancelled: Callable[[], bool] = _never,
) -> Leg:
    """Run one leg to its end and return what it gave, or why it gave nothing.

    `keep(name, path)` is called for result, log, parameters and artefacts while they exist.
    """
    remove_abandoned()
    root = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    log = Log(progress)
    began = time.monotonic()
    ran = _Ran()
    try:
        scratch = _Scratch(root)
        ran.fault = _prepare(plan, scratch)
        if ran.fault is None:
            _execute_or_stop(plan, scratch, log, cancelled, ran)
        return _leg(plan, scratch, log, ran, time.monotonic() - began, keep)
    finally:
        shutil.rmtree(root, ignore_errors=True)


@dataclass(slots=True)
class _Ran:
    """How the process went."""

    fault: Reason | None = None
    exit_status: int | None = None
    command: tuple[str, ...] = ()
    overrides: dict[str, str] = field(default_factory=dict)
    notices: list[dict[str, Any]] = field(default_factory=list)
    peak_memory: int = 0


def _prepare(plan: LegPlan, scratch: _Scratch) -> Reason | None:
    """Copy the check and write its parameters; a folder that changed meanwhile does not run."""
    check = plan.check
    check_folder.copy(check.folder, scratch.check)
    if check_folder.content_hash(scratch.check) != check.hash:
        return Reason("check_changed")
    shutil.copyfile(harness.__file__, scratch.check / "readproof_harness.py")
    scratch.parameters.write_text(
        json.dumps(_parameters(plan, scratch), ensure_ascii=False, indent=1), encoding="utf-8"
    )
    return None


def _parameters(plan: LegPlan, scratch: _Scratch) -> dict[str, Any]:
    toolkit = None
    if plan.toolkit is not None:
        toolkit = toolkit_record(plan.toolkit)
        toolkit.update(toolkit.pop("tools"))
    return {
        "schema": harness.SCHEMA,
        "check": plan.check.name,
        "hash": plan.check.hash,
        "leg": plan.name,
        "archs": list(plan.archs or plan.check.archs),
        "toolkit": toolkit,
        "gpus": [asdict(gpu) for gpu in plan.machine.gpus],
        "claims": [c.id for c in plan.check.claims if c.id not in plan.unmet],
        "seed": plan.seed,
        "chosen": dict(plan.chosen),
        "folder": str(scratch.check),
        "scratch": str(scratch.work),
        "result": str(scratch.result),
        "samples": str(scratch.samples),
        "artefacts": str(scratch.artefacts),
    }


def toolkit_record(toolkit: Toolkit) -> dict[str, Any]:
    """Return a toolkit as a run keeps it."""
    return {
        "root": str(toolkit.root),
        "version": toolkit.version,
        "release": toolkit.release,
        "origin": toolkit.origin,
        "tools": dict(toolkit.tools),
    }


def _environment(plan: LegPlan, scratch: _Scratch) -> dict[str, str]:
    passed = {
        name: value
        for name, value in os.environ.items()
        if _PASSED.fullmatch(name) and name not in _DROPPED
    }
    own = {
        MARKER: scratch.root.name,
        "READPROOF_PARAMETERS": str(scratch.parameters),
        "HOME": str(scratch.root / "home"),
        "TMPDIR": str(scratch.root / "tmp"),
        "TEMP": str(scratch.root / "tmp"),
        "TMP": str(scratch.root / "tmp"),
        "XDG_CACHE_HOME": str(scratch.root / "cache"),
        "TRITON_CACHE_DIR": str(scratch.root / "cache" / "triton"),
        "TRITON_HOME": str(scratch.root / "home"),
        "CUDA_CACHE_PATH": str(scratch.root / "cache" / "cuda"),
        "TORCHINDUCTOR_CACHE_DIR": str(scratch.root / "cache" / "inductor"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONUTF8": "1",
    }
    if plan.device_results is not None:
        own["READPROOF_DEVICE_RESULTS"] = str(plan.device_results)
    return passed | own


def overrides(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the user's that may change a result."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if _PASSED.fullmatch(name) and not _NOT_RECORDED.fullmatch(name) and name not in _DROPPED
    }


def _execute_or_stop(
    plan: LegPlan, scratch: _Scratch, log: Log, cancelled: Callable[[], bool], ran: _Ran
) -> None:
    """Execute; whoever breaks in, be it while it is being ended, finds what was measured so far."""
    try:
        _execute(plan, scratch, log, cancelled, ran)
    except (KeyboardInterrupt, Interrupted):
        kill_marked(scratch.root.name)
        ran.fault = Reason("interrupted")


def _execute(
    plan: LegPlan, scratch: _Scratch, log: Log, cancelled: Callable[[], bool], ran: _Ran
) -> None:
    ran.command = (plan.interpreter.path, *FLAGS, SCRIPT)
    ran.overrides = overrides(os.environ)
    try:
        process = subprocess.Popen(
            [plan.interpreter.path, *FLAGS, str(scratch.check / SCRIPT)],
            cwd=scratch.work,
            env=_environment(plan, scratch),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        ran.fault = Reason("not_started", (("why", str(error)),))
        return
    tree = Tree(process, scratch.root.name)
    try:
        ran.fault = _watch(plan, scratch, process, tree, log, cancelled, ran)
    finally:
        status = process.poll()
        outlived = tree.end(0.0 if status is not None else GRACE)
        log.feed(b"", last=True)
        if process.stdout is not None:
            process.stdout.close()
    ran.exit_status = process.returncode
    if ran.fault is None and ran.exit_status != 0:
        ran.fault = _crash(ran.exit_status, log)
    if outlived:
        ran.notices.append({"code": "processes_left", "params": {"count": outlived}})


def _crash(status: int, log: Log) -> Reason:
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = str(-status)
        return Reason("crashed_by_signal", (("signal", name), ("said", log.last_words)))
    return Reason("crashed", (("exit", status), ("said", log.last_words)))


def _watch(
    plan: LegPlan,
    scratch: _Scratch,
    process: subprocess.Popen[bytes],
    tree: Tree,
    log: Log,
    cancelled: Callable[[], bool],
    ran: _Ran,
) -> Reason | None:
    """Read the pipe until the script ends or has to be ended; return why it had to."""
    seconds = plan.seconds or plan.check.limits.seconds
    deadline = time.monotonic() + seconds
    look_again = 0.0
    pipe = process.stdout.fileno() if process.stdout is not None else -1
    os.set_blocking(pipe, False)
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            ended = process.poll() is not None
            closed = _read(selector, pipe, log, 0.05 if ended else 0.1)
            if ended:
                return None  # what the pipe still held has been read
            if cancelled():
                return Reason("cancelled")
            now = time.monotonic()
            if now > deadline:
                return Reason("timed_out", (("seconds", seconds),))
            if now >= look_again:
                over = _over(plan.check, scratch, tree, ran)
                if over is not None:
                    return over
                look_again = time.monotonic() + 0.2
            if closed:
                time.sleep(0.02)


def _read(selector: selectors.BaseSelector, pipe: int, log: Log, patience: float) -> bool:
    """Take what is in the pipe, at most a megabyte; return whether it is closed."""
    for _chunk in range(16):
        if not selector.get_map() or not selector.select(patience):
            return not selector.get_map()
        try:
            data = os.read(pipe, 65536)
        except BlockingIOError:
            return False
        if not data:
            selector.unregister(pipe)
            return True
        log.feed(data)
        patience = 0.0
    return False


def _over(check: Check, scratch: _Scratch, tree: Tree, ran: _Ran) -> Reason | None:
    limits = check.limits
    memory = tree.memory()
    ran.peak_memory = max(ran.peak_memory, memory)
    allowed = min(limits.memory_mb * 1024 * 1024, int(psutil.virtual_memory().total * 0.9))
    if memory > allowed:
        return Reason("memory_limit", (("mb", allowed // 1024 // 1024),))
    if disk_use(scratch.root) > limits.disk_mb * 1024 * 1024:
        return Reason("disk_limit", (("mb", limits.disk_mb),))
    if shutil.disk_usage(scratch.root).free < FREE_MB * 1024 * 1024:
        return Reason("disk_full", (("mb", FREE_MB), ("folder", str(scratch.root.parent))))
    return None


def _leg(plan: LegPlan, scratch: _Scratch, log: Log, ran: _Ran, seconds: float, keep: Keep) -> Leg:
    found: dict[str, Any] = {}
    if ran.fault is None:
        try:
            found = result.read(scratch.result, plan.check)
        except result.Rejected as rejected:
            ran.fault = rejected.reason
    if ran.fault is not None:
        measured, cases = result.samples(scratch.samples, plan.check)
        found = {"measured": measured, "cases": cases}
    _keep_files(plan, scratch, log, found, ran, keep)
    obstacles = {
        claim: {"code": why.code, "params": dict(why.params)} for claim, why in plan.unmet.items()
    }
    return Leg(
        name=plan.name,
        environment=_record(plan, found, ran),
        toolkit=_toolkit_used(plan, found),
        target=" ".join(plan.archs or plan.check.archs),
        measured=found["measured"],
        cases=tuple(found["cases"]),
        log=log.text,
        command=ran.command,
        exit_status=ran.exit_status,
        seconds=round(seconds, 3),
        fault=ran.fault,
        obstacles=found.get("obstacles", {}) | obstacles,
        control_done=bool(found.get("control_done", False)),
    )


def _toolkit_used(plan: LegPlan, found: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the toolkit where it had a part in the leg: asked for, needed, or really used.

    One that merely lies on the machine would make the run stale whenever it is updated.
    """
    kit = plan.toolkit
    if kit is None:
        return None
    tools = set(dict(kit.tools).values())
    programs = [tool["path"] for tool in found.get("tools", {}).values()]
    programs += [command["argv"][0] for command in found.get("commands", ()) if command["argv"]]
    had_a_part = (
        kit.origin == "asked"
        or toolkits.wanted(plan.check)
        or not tools.isdisjoint(map(str, programs))
    )
    return toolkit_record(kit) if had_a_part else None


def _record(plan: LegPlan, found: Mapping[str, Any], ran: _Ran) -> dict[str, Any]:
    """Return everything about the environment that one needs to repeat the leg."""
    return {
        "path": plan.interpreter.path,
        "version": plan.interpreter.version,
        "origin": plan.interpreter.origin,
        "packages": dict(plan.interpreter.packages) | dict(found.get("versions", {})),
        "reported": sorted(found.get("versions", {})),
        "tools": found.get("tools", {}),
        "commands": found.get("commands", []),
        "overrides": ran.overrides,
        "seed": plan.seed,
        "parameters": parameters.record(plan.check, plan.chosen),
        "peak_memory_mb": ran.peak_memory // 1024 // 1024,
        "simulated": plan.device_results is not None,
        "notices": ran.notices,
    }


def _keep_files(
    plan: LegPlan, scratch: _Scratch, log: Log, found: Mapping[str, Any], ran: _Ran, keep: Keep
) -> None:
    """Hand over result, log, parameters and artefacts; what is too large is said."""
    log_file = scratch.root / "log.txt"
    log_file.write_text(log.text, encoding="utf-8", errors="replace")
    keep("log.txt", log_file)
    left = scratch.result if ran.fault is None else scratch.samples
    for path in (scratch.parameters, left):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= result.MAX_BYTES:
            keep(path.name, path)
    room = plan.check.limits.artefacts_mb * 1024 * 1024
    for name in found.get("artefacts", ()):
        path = scratch.artefacts / name
        if name in _RESERVED or path.is_symlink() or not path.is_file():
            ran.notices.append({"code": "artefact_missing", "params": {"name": name}})
        elif path.stat().st_size > room:
            params = {"name": name, "mb": plan.check.limits.artefacts_mb}
            ran.notices.append({"code": "artefact_too_large", "params": params})
        else:
            room -= path.stat().st_size
            keep(name, path)


def remove_abandoned() -> None:
    """End and remove what legs of an app that was killed have left behind."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        number = folder.name.removeprefix(_PREFIX).split("-")[0]
        if number.isdigit() and not psutil.pid_exists(int(number)):
            kill_marked(folder.name)
            shutil.rmtree(folder, ignore_errors=True)
