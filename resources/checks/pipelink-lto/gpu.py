"""The linked and the whole program on a GPU: numbers against float64, and time by events."""

from __future__ import annotations

import ctypes
import math
import random
from array import array
from pathlib import Path
from typing import Any

from toolchain import KERNELS

ROWS, LANES, WIDTH = 4096, 32, 8
CHECKED = 4  # rows that are compared
TOLERANCE = 1e-4  # of float32 sums of at most 256 terms, and exp
ROUNDS, LAUNCHES, WARM_UP = 60, 50, 5


class DriverError(Exception):
    """The driver refused a call."""


class Driver:
    """libcuda through ctypes, device 0, its primary context."""

    def __init__(self) -> None:
        self._cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *args: Any) -> None:
        """Call a function of the driver; raises DriverError."""
        status = getattr(self._cuda, name)(*args)
        if status:
            raise DriverError(f"{name}: {status}")

    def upload(self, data: array[float]) -> ctypes.c_uint64:
        """Return the device address of a copy."""
        size = ctypes.c_size_t(len(data) * 4)
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), size)
        self.call("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(data.buffer_info()[0]), size)
        return pointer

    def download(self, pointer: ctypes.c_uint64, count: int) -> array[float]:
        """Return floats from the device."""
        data = array("f", bytes(4 * count))
        self.call("cuCtxSynchronize")
        host = ctypes.c_void_p(data.buffer_info()[0])
        self.call("cuMemcpyDtoH_v2", host, pointer, ctypes.c_size_t(4 * count))
        return data

    def function(self, cubin: bytes, name: str) -> ctypes.c_void_p:
        """Load a cubin and return its kernel."""
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        self.call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
        return kernel

    def launch(self, kernel: ctypes.c_void_p, args: list[ctypes.c_uint64]) -> None:
        """Launch a warp for each row."""
        pointers = (ctypes.c_void_p * len(args))(
            *(ctypes.cast(ctypes.byref(each), ctypes.c_void_p) for each in args)
        )
        self.call("cuLaunchKernel", kernel, ROWS, 1, 1, LANES, 1, 1, 0, None, pointers, None)


def inputs(name: str, seed: int) -> list[array[float]]:
    """Return a kernel's inputs: what it reads by row, then what all rows share."""
    rng = random.Random(seed)  # noqa: S311 - inputs, no secrets
    rows = ROWS * WIDTH * (1 if name == "attended" else LANES)
    shared = [LANES * WIDTH] if name == "normed" else [LANES * WIDTH, LANES * WIDTH]
    return [array("f", (rng.gauss(0, 1) for _ in range(size))) for size in (rows, *shared)]


def reference(name: str, given: list[array[float]]) -> list[float]:
    """Return the first rows in float64."""
    out: list[float] = []
    for row in range(CHECKED):
        if name == "attended":
            query = given[0][row * WIDTH : (row + 1) * WIDTH]
            keys = [given[1][n * WIDTH : (n + 1) * WIDTH] for n in range(LANES)]
            scores = [sum(q * k for q, k in zip(query, key, strict=True)) for key in keys]
            weights = [math.exp(each - max(scores)) for each in scores]
            out += [w * v / sum(weights) for w, v in zip(weights, given[2][:LANES], strict=True)]
            continue
        block = given[0][row * WIDTH * LANES : (row + 1) * WIDTH * LANES]
        if name == "normed":
            scale = 1 / math.sqrt(sum(x * x for x in block) / (WIDTH * LANES) + 1e-6)
            out += [silu(x * scale * w) for x, w in zip(block, given[1], strict=True)]
            continue
        for lane in range(LANES):
            column = block[lane::LANES]
            gate, up = (
                sum(x * y for x, y in zip(column, each[lane * WIDTH :], strict=False))
                for each in given[1:]
            )
            out.append(silu(gate) * 0.125 * up * math.exp(-0.125))
    return out


def silu(x: float) -> float:
    """Return x / (1 + e^-x)."""
    return x / (1 + math.exp(-x))


def wrong(result: array[float], wanted: list[float]) -> int:
    """Count the elements further off than allowed."""
    pairs = zip(result, wanted, strict=True)
    return sum(not abs(got - want) <= TOLERANCE * max(1.0, abs(want)) for got, want in pairs)


def prepare(driver: Driver, name: str, seed: int) -> tuple[list[ctypes.c_uint64], list[float]]:
    """Return the arguments on the device and what the first rows should be."""
    given = inputs(name, seed)
    out = array("f", bytes(4 * ROWS * LANES * WIDTH))
    return [driver.upload(each) for each in (*given, out)], reference(name, given)


def compare(cubins: dict[str, str], seed: int) -> dict[str, int]:
    """Run every kernel of every build: elements compared, and those that are wrong."""
    driver, elements, off = Driver(), 0, 0
    for name in KERNELS:
        args, wanted = prepare(driver, name, seed)
        for cubin in cubins.values():
            driver.launch(driver.function(Path(cubin).read_bytes(), name), args)
            elements += len(wanted)
            off += wrong(driver.download(args[-1], len(wanted)), wanted)
    return {"elements": elements, "wrong": off}


def times(cubins: dict[str, str], name: str, seed: int) -> dict[str, list[float]]:
    """Return seconds a launch by arm, in shuffled order: baseline, again, candidate."""
    driver, rng = Driver(), random.Random(seed)  # noqa: S311 - a mere order
    args, _wanted = prepare(driver, name, seed)
    builds = {"baseline": "whole", "again": "whole", "candidate": "linked"}
    kernels = {
        arm: driver.function(Path(cubins[build]).read_bytes(), name)
        for arm, build in builds.items()
    }
    start, stop = ctypes.c_void_p(), ctypes.c_void_p()
    for event in (start, stop):
        driver.call("cuEventCreate", ctypes.byref(event), 0)
    found: dict[str, list[float]] = {arm: [] for arm in builds}
    for number in range(ROUNDS + WARM_UP):
        for arm in rng.sample(sorted(builds), len(builds)):
            driver.call("cuEventRecord", start, None)
            for _ in range(LAUNCHES):
                driver.launch(kernels[arm], args)
            driver.call("cuEventRecord", stop, None)
            driver.call("cuEventSynchronize", stop)
            spent = ctypes.c_float()
            driver.call("cuEventElapsedTime", ctypes.byref(spent), start, stop)
            if number >= WARM_UP:
                found[arm].append(spent.value / 1000 / LAUNCHES)
    return found
