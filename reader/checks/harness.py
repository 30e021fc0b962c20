"""What a check's script may use: it measures and reports, it never judges.

Only the standard library, and nothing newer than Python 3.9 (annotations are never evaluated):
this file is copied beside the script as `readproof_harness.py` and runs in the check's own
Python. A script looks like this:

    from readproof_harness import Check

    with Check() as check:                      # leaving the block writes the result file
        check.step("control", 0, 1)
        check.measure("planted_leaks_found", 1)
        check.control_done()
        check.step("measure")
        built = check.run([check.toolkit["nvcc"], "-ptx", …], seconds=60)
        if built.returncode:
            check.obstacle("codegen", "tool_failed", tool="nvcc", said=built.stderr[-300:])
        check.measure("registers", 93)
        check.case("codegen", "sm_90 matmul", before=127, after=93)
        check.artefact("matmul.sm_90.ptx", text)
        samples = check.device.run("latency", measure_latency, kernel)   # None: no GPU
        check.race("faster", candidate=new, baseline=old)   # the app computes the interval

Obstacles say why a claim could not be measured (gpu_missing, tool_missing, tool_failed,
option_absent, import_failed, not_supported, device_failed); they never decide it. A result that
names a verdict is rejected as lying.
"""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if sys.version_info < (3, 9):  # noqa: UP036 — this file runs in any Python a user names
    found = ".".join(map(str, sys.version_info[:3]))
    sys.exit("a check needs Python 3.9 or newer, and this is Python " + found)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

SCHEMA = 1
ROUNDS, REPEATS = 40, 5  # of a race: rounds of shuffled repeats
LEAST_ROUNDS = 12  # fewer tell nothing, so no race ends before
LEAST_SECONDS = 1e-3  # a sample is made of as many calls as take so long
MARK = "\x1ereadproof "  # starts a progress line on standard output
MAX_COMMANDS = 500


class Finished:
    """A program that has ended: exit status, what it said, how long it took (seconds)."""

    def __init__(
        self, argv: Sequence[str], returncode: int, stdout: str, stderr: str, seconds: float
    ) -> None:
        self.argv = list(argv)
        self.returncode = returncode  # 124: over its time; 127: there is no such program
        self.stdout = stdout
        self.stderr = stderr
        self.seconds = seconds

    @property
    def timed_out(self) -> bool:
        """Whether it was stopped because its time was up."""
        return self.returncode == 124


class Device:
    """The only door to a GPU, so that a test can hand in what a GPU would have given."""

    def __init__(self, gpus: list[dict[str, Any]], simulated: dict[str, Any] | None) -> None:
        self.gpus = gpus  # each has name and compute_capability
        self._simulated = simulated

    @property
    def simulated(self) -> bool:
        """Whether results are handed in by a test."""
        return self._simulated is not None

    @property
    def available(self) -> bool:
        """Whether `run` will give anything."""
        return self.simulated or bool(self.gpus)

    def run(self, key: str, measure: Callable[..., T], *args: Any) -> T | None:
        """Return `measure(*args)`, or what a test handed in as `key`; None without a GPU."""
        if self._simulated is not None:
            return self._simulated.get(key)
        return measure(*args) if self.gpus else None


class Check:
    """One leg of a run, seen from the script."""

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        if parameters is None:
            _end_with_parent()
            text = Path(os.environ["READPROOF_PARAMETERS"]).read_text(encoding="utf-8")
            parameters = json.loads(text)
        self.parameters: dict[str, Any] = parameters
        self.leg: str = parameters.get(
            "leg", "main"
        )  # which of several environments or toolkits this is
        self.archs: list[str] = parameters["archs"]
        # root, version, release and the path of each tool by its name (nvcc, ptxas, nvlink …)
        self.toolkit: dict[str, str] | None = parameters["toolkit"]
        self.seed: int = parameters["seed"]
        self.claims: list[str] = parameters["claims"]  # those whose needs this machine meets
        # what the user chose of the parameters that the manifest declares
        self.chosen: dict[str, str] = parameters.get("chosen", {})
        self.folder = Path(parameters["folder"])  # a copy of the check's own files
        self.scratch = Path(parameters["scratch"])  # for anything else; removed after the run
        self.device = Device(parameters["gpus"], _simulated())
        self._artefacts = Path(parameters["artefacts"])
        self._samples = Path(parameters["samples"])
        self._result: dict[str, Any] = {
            "schema": SCHEMA,
            "check": parameters["check"],
            "hash": parameters["hash"],
            "measured": {},
            "cases": [],
            "obstacles": {},
            "artefacts": [],
            "versions": {},
            "tools": {},
            "commands": [],
            "control_done": False,
        }

    def __enter__(self) -> Check:
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if kind is None:
            self.finish()

    def wants(self, claim: str) -> bool:
        """Whether this machine meets what the claim needs; else there is nothing to measure."""
        return claim in self.claims

    def step(self, name: str, done: int = 0, total: int = 0, claim: str | None = None) -> None:
        """Say where the run stands: `control`, `measure` or a word of the script's own."""
        record = {"step": name, "done": done, "total": total, "claim": claim}
        print(MARK + json.dumps(record), flush=True)

    def log(self, text: str) -> None:
        """Write a line to the run's log."""
        print(text, flush=True)

    def measure(self, name: str, value: float | str | bool) -> None:
        """Report a measurement that the manifest declares."""
        self._result["measured"][name] = value
        self._sample({"measured": {name: value}})

    def case(self, claim: str, name: str, **values: Any) -> None:
        """Report one row behind a claim's measurements: a name and its values."""
        row = {"claim": claim, "name": name, **values}
        self._result["cases"].append(row)
        self._sample({"case": row})

    def obstacle(self, claim: str, code: str, **params: Any) -> None:
        """Say why a claim could not be measured; the first reason for a claim stands."""
        self._result["obstacles"].setdefault(claim, {"code": code, "params": params})
        self.log(f"cannot measure {claim}: {code} {json.dumps(params, default=str)}")

    def control_done(self) -> None:
        """Say that the negative control has been run to its end."""
        self._result["control_done"] = True

    def artefact(self, name: str, content: str | bytes) -> Path:
        """Keep a file with the run, such as PTX or a source; return where it lies now."""
        path = self._artefacts / name.replace("/", "_").replace("\\", "_")
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        path.write_bytes(data)
        if path.name not in self._result["artefacts"]:
            self._result["artefacts"].append(path.name)
        return path

    def tool(self, name: str, path: str | Path, version: str) -> None:
        """Record a tool that was really used."""
        self._result["tools"][name] = {"path": str(path), "version": version}

    def package(self, name: str, version: str) -> None:
        """Record a Python package that was really used."""
        self._result["versions"][name] = version

    def run(
        self,
        argv: Sequence[str | Path],
        seconds: float = 60,
        cwd: str | Path | None = None,
        env: dict[str, str] | None = None,
        text_in: str | None = None,
    ) -> Finished:
        """Run a program to its end or its time limit; `env` adds to the environment.

        A program that is missing or over its time does not raise: it ends with 127 or 124.
        """
        words = [str(each) for each in argv]
        began = time.monotonic()
        status, out, err = _run(words, seconds, str(cwd or self.scratch), env, text_in)
        ended = Finished(words, status, out, err, time.monotonic() - began)
        if len(self._result["commands"]) < MAX_COMMANDS:
            record = {"argv": words, "exit": status, "seconds": round(ended.seconds, 3)}
            if env:
                record["env"] = dict(env)
            self._result["commands"].append(record)
        return ended

    def race(
        self,
        claim: str,
        *,
        candidate: Callable[..., Any],
        baseline: Callable[..., Any],
        again: Callable[..., Any] | None = None,
        name: str = "race",
        inputs: Callable[[int], Sequence[Any]] | None = None,
        timer: Callable[..., float] | None = None,
        rounds: int = ROUNDS,
        repeats: int = REPEATS,
        seconds: float = 20.0,
        block: int = 0,
    ) -> None:
        """Time a candidate beside its baseline, and the baseline beside itself (the A/A control).

        Every round times all three `repeats` times in shuffled order. `inputs(n)` gives the
        arguments of the n-th sample, outside what is timed; `timer(call, *arguments)` returns
        seconds where the clock is not enough (a GPU's events). Ends early over `seconds`, never
        before there are rounds enough. `block` says how many rounds belong together, where `again`
        and the others are another copy of their programs in each. The claim has a [claims.race],
        or is `control`.
        """
        arms = (baseline, again or baseline, candidate)
        give = inputs or (lambda _n: ())
        calls = 1
        if timer is None:
            calls = max(_calls(arm, give(0)) for arm in arms)
        kept: list[list[list[float]]] = [[], [], []]
        before, dice = self.state(), random.Random(self.seed)  # noqa: S311 — a mere order
        began, sample, collecting = time.monotonic(), 0, gc.isenabled()
        gc.disable()
        try:
            for done in range(rounds):
                if done >= LEAST_ROUNDS and time.monotonic() - began > seconds:
                    break
                order = [0, 1, 2] * repeats
                dice.shuffle(order)
                for times in kept:
                    times.append([])
                for which in order:
                    given, sample = give(sample), sample + 1
                    took = (timer or _timed)(arms[which], *given)
                    for _more in range(calls - 1):
                        took += _timed(arms[which], *given)
                    kept[which][-1].append(took / calls)
        finally:
            if collecting:
                gc.enable()
        about: dict[str, Any] = {"calls": calls, "before": before, "after": self.state()}
        if block:
            about["block"] = block
        self.raced(claim, *kept, name=name, **about)

    def raced(
        self,
        claim: str,
        baseline: Sequence[Any],
        again: Sequence[Any],
        candidate: Sequence[Any],
        *,
        name: str = "race",
        **about: Any,
    ) -> None:
        """Report the times of a race: for each round one time, or those of its repeats.

        A round counts with the least of its repeats, for what disturbs only ever adds; all of
        them are kept as an artefact, and no round is dropped.
        """
        whole = {"baseline": baseline, "again": again, "candidate": candidate}
        self.artefact(f"race.{claim}.{name}.json", json.dumps(whole))
        least = {
            arm: [min(each) if isinstance(each, (list, tuple)) else each for each in times]
            for arm, times in whole.items()
        }
        self.case(claim, name, race=True, **least, **about)

    def beside(self, claim: str, name: str, samples: Sequence[float]) -> None:
        """Report times of a check with two legs, to be read beside those of the other.

        One for each round, each over that of work which is the same in both legs. The app makes
        NAME_ratio, NAME_low and NAME_high of them: the first leg's over the second's.
        """
        self.case(claim, name, beside=True, samples=list(samples))

    def state(self) -> dict[str, Any]:
        """Return what of the machine may move while one measures: load, clocks, throttling."""
        found: dict[str, Any] = {}
        if hasattr(os, "getloadavg"):
            found["load"] = round(os.getloadavg()[0], 2)
        clocks = [
            int(text)
            for text in map(_line, Path("/sys/devices/system/cpu").glob("cpu*/cpufreq/*cur_freq"))
            if text.isdigit()
        ]
        if clocks:
            found["cpu_mhz"] = round(sum(clocks) / len(clocks) / 1000)
            found["governor"] = _line(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))
        if self.device.gpus:
            found["gpus"] = self._gpu_state()
        return found

    def _gpu_state(self) -> list[dict[str, str]]:
        fields = ["clocks.sm", "clocks.mem", "temperature.gpu", "power.draw"]
        # Drivers since 535 call the reasons events, older ones throttling.
        for reasons in ("clocks_event_reasons.active", "clocks_throttle_reasons.active"):
            asked = f"--query-gpu={','.join([*fields, reasons])}"
            said = self.run(["nvidia-smi", asked, "--format=csv,noheader,nounits"], seconds=20)
            if said.returncode == 0:
                names = ("sm_mhz", "memory_mhz", "celsius", "watts", "throttle")
                rows = [line.split(",") for line in said.stdout.splitlines() if line.strip()]
                return [dict(zip(names, map(str.strip, row))) for row in rows]  # noqa: B905 — Python 3.9
        return []

    def finish(self) -> None:
        """Write the result file, whole or not at all."""
        target = Path(self.parameters["result"])
        temporary = target.with_suffix(".new")
        text = json.dumps(self._result, allow_nan=False, ensure_ascii=False, default=str)
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(target)

    def _sample(self, record: dict[str, Any]) -> None:
        """Append to what survives a run that is stopped half-way."""
        with self._samples.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(record, default=str) + "\n")


def _timed(call: Callable[..., Any], *given: Any) -> float:
    began = time.perf_counter()
    call(*given)
    return time.perf_counter() - began


def _calls(call: Callable[..., Any], given: Sequence[Any]) -> int:
    """Warm up, and return how many calls take long enough to be timed."""
    took = min(_timed(call, *given) for _each in range(3))
    return max(1, min(10_000, round(LEAST_SECONDS / max(took, 1e-9))))


def _line(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""


def _end_with_parent() -> None:
    """Have Linux end the script when the app that started it is killed outright."""
    if sys.platform.startswith("linux"):
        import ctypes

        try:
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # 1: PR_SET_PDEATHSIG
        except (OSError, AttributeError):
            return  # the next run ends what is left over


def _simulated() -> dict[str, Any] | None:
    path = os.environ.get("READPROOF_DEVICE_RESULTS")
    if not path:
        return None
    results: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return results


def _run(
    words: list[str],
    seconds: float,
    cwd: str,
    env: dict[str, str] | None,
    text_in: str | None,
) -> tuple[int, str, str]:
    """Run in a session of its own, so that all its children end with it when time is up."""
    try:
        process = subprocess.Popen(
            words,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE if text_in is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=sys.platform != "win32",
        )
    except OSError as error:
        return 127, "", str(error)
    try:
        out, err = process.communicate(text_in, timeout=seconds)
    except subprocess.TimeoutExpired:
        _kill(process)
        out, err = process.communicate()
        return 124, out, err + f"\nstopped after {seconds} s"
    return process.returncode, out, err


def _kill(process: subprocess.Popen[str]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
