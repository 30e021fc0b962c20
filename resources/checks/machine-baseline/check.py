"""What this machine can do: the figures that all other measurements are read against."""

from __future__ import annotations

import ctypes
import os
import shutil
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from readproof_harness import Check

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK = 128 * 1024 * 1024
REPEATS = 15
ROUNDS = 40_000
LANES = 128  # as in flops.c
FLAGS = ("-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", "-std=c99")
STEPS = 12_000


def main() -> None:
    """Run the control, then the CPU's figures, then a GPU's where there is one."""
    with Check() as check:
        control(check)
        bandwidth(check)
        compute(check)
        latency(check)
        steady(check)
        on_gpu(check)


def took(work: Callable[[], Any], repeats: int = REPEATS) -> list[float]:
    """Return the seconds of each repeat, after two that warm up."""
    found = []
    for repeat in range(repeats + 2):
        began = time.perf_counter()
        work()
        if repeat >= 2:
            found.append(time.perf_counter() - began)
    return found


def loop(steps: int) -> int:
    """Something that takes a time in proportion to its steps."""
    found = 0
    for each in range(steps):
        found += each & 3
    return found


def once() -> int:
    """A piece of work."""
    return loop(STEPS)


def twice() -> int:
    """Twice as much of it."""
    return loop(2 * STEPS)


def control(check: Check) -> None:
    """Twice the work has to take about twice the time, or the clock is not one."""
    check.step("control")
    check.race("control", candidate=twice, baseline=once, name="doubled", rounds=24, repeats=3)
    check.control_done()


def bandwidth(check: Check) -> None:
    """Copy a block that no cache holds, and count what is read and what is written."""
    check.step("measure", 0, 4, "figures")
    one, other = ctypes.create_string_buffer(BLOCK), ctypes.create_string_buffer(BLOCK)
    ctypes.memset(one, 1, BLOCK)
    times = took(lambda: ctypes.memmove(other, one, BLOCK))
    check.case("figures", "copy", seconds=times, bytes=2 * BLOCK)
    check.measure("bandwidth", 2 * BLOCK / min(times) / 1e9)
    check.measure("bandwidth_usual", 2 * BLOCK / statistics.median(times) / 1e9)


def compute(check: Check) -> None:
    """Multiply and add on one core, compiled here."""
    check.step("measure", 1, 4, "compute")
    names = ("cc", "gcc", "clang")
    compiler = os.environ.get("CC") or next(filter(shutil.which, names), None)
    if compiler is None:
        check.obstacle("compute", "tool_missing", tool="cc")
        return
    library = check.scratch / "flops.so"
    words = [*compiler.split(), *FLAGS, str(check.folder / "flops.c"), "-o", str(library)]
    done = check.run(words, seconds=60)
    if done.returncode:
        check.obstacle("compute", "tool_failed", tool=compiler, said=done.stderr[-300:])
        return
    said = check.run([compiler.split()[0], "--version"], seconds=20).stdout.splitlines()
    check.tool("cc", compiler, said[0] if said else "")
    built = ctypes.CDLL(str(library))
    built.work.restype = ctypes.c_double
    times = took(lambda: built.work(ctypes.c_long(ROUNDS)))
    check.case("compute", "multiply-add", seconds=times, operations=2 * LANES * ROUNDS)
    check.measure("gflops", 2 * LANES * ROUNDS / min(times) / 1e9)
    calls = took(lambda: [built.nothing() for _each in range(1_000)])
    check.measure("call", min(calls) / 1_000 * 1e9)


def latency(check: Check) -> None:
    """Start a process, and look how finely the clock tells."""
    check.step("measure", 2, 4, "figures")
    words = [sys.executable, "-I", "-S", "-c", ""]
    starts = took(lambda: subprocess.run(words, check=True), 9)
    check.case("figures", "start of a process", seconds=starts)
    check.measure("start", min(starts) * 1e3)
    ticks = []
    for _each in range(2_000):
        begun = time.perf_counter_ns()
        ended = time.perf_counter_ns()
        if ended > begun:
            ticks.append(ended - begun)
    check.measure("tick", float(statistics.median(ticks)) if ticks else 0.0)
    state = check.state()
    check.measure("cpus", os.cpu_count() or 1)
    check.measure("clock", str(state.get("cpu_mhz", "–")))
    check.measure("load", float(state.get("load", 0.0)))


def steady(check: Check) -> None:
    """Race a program against itself: what remains is this machine's noise."""
    check.step("measure", 3, 4, "steady")
    check.race("steady", candidate=once, baseline=once, seconds=8.0)


def on_gpu(check: Check) -> None:
    """The GPU's figures, where there is one."""
    if not check.wants("gpu_figures"):
        return
    try:
        from gpu import measured

        found = check.device.run("figures", measured, check)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[-300:]
        check.obstacle("gpu_figures", "device_failed", said=said)
        return
    if not found:
        check.obstacle("gpu_figures", "device_failed", said="no result")
        return
    for name in ("bandwidth", "tflops", "launch", "doubled"):
        check.measure(f"gpu_{name}", float(found[name]))
    before, after = found.get("before") or {}, found.get("after") or {}
    clocks = [(state.get("gpus") or [{}])[0].get("sm_mhz", "–") for state in (before, after)]
    check.measure("gpu_clock", " / ".join(clocks))
    check.case("gpu_figures", "state", before=before, after=after)


if __name__ == "__main__":
    main()
