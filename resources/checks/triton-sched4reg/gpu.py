"""The two builds on a GPU: numbers against float64, and time. Needs the driver, nothing else."""

from __future__ import annotations

import ctypes
import random
import struct
from array import array
from typing import Any

from compiling import KERNELS, Built

ROUNDS = 60
LAUNCHES = 20


def seeded(seed: int) -> random.Random:
    """Return a generator that can be repeated."""
    return random.Random(seed)  # noqa: S311 - inputs and order, no secrets


class DriverError(Exception):
    """The driver refused a call."""


class Driver:
    """libcuda through ctypes, device 0, its primary context."""

    def __init__(self) -> None:
        self._cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *args: Any) -> None:
        """Call a function of the driver; raises DriverError."""
        status = getattr(self._cuda, name)(*args)
        if status:
            raise DriverError(f"{name}: {status}")

    def upload(self, data: array[Any]) -> ctypes.c_uint64:
        """Return the device address of a copy."""
        size = len(data) * data.itemsize
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        host = ctypes.c_void_p(data.buffer_info()[0])
        self.call("cuMemcpyHtoD_v2", pointer, host, ctypes.c_size_t(size))
        return pointer

    def download(self, pointer: ctypes.c_uint64, data: array[Any]) -> None:
        """Fill `data` from the device."""
        host = ctypes.c_void_p(data.buffer_info()[0])
        self.call("cuCtxSynchronize")
        self.call("cuMemcpyDtoH_v2", host, pointer, ctypes.c_size_t(len(data) * data.itemsize))

    def function(self, built: Built, name: str) -> ctypes.c_void_p:
        """Load a cubin and return its kernel."""
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), built.cubin)
        self.call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
        if built.shared > 48 * 1024:
            self.call("cuFuncSetAttribute", kernel, 8, built.shared)  # dynamic shared memory
        return kernel

    def launch(self, kernel: ctypes.c_void_p, grid: int, built: Built, args: list[Any]) -> None:
        """Launch with Triton's two scratch pointers behind the kernel's own arguments."""
        every = [*args, ctypes.c_uint64(0), ctypes.c_uint64(0)]
        pointers = (ctypes.c_void_p * len(every))(
            *(ctypes.cast(ctypes.byref(each), ctypes.c_void_p) for each in every)
        )
        shape = (grid, 1, 1, built.threads, 1, 1)
        self.call("cuLaunchKernel", kernel, *shape, built.shared, None, pointers, None)


class Problem:
    """Inputs of one kernel, the reference in float64, and how far a result may be off."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.grid = 1
        self.tolerance = 0.0
        self.inputs: list[array[Any]] = []
        self.out: array[Any] = array("f")
        self.scalars: list[Any] = []
        self.reference: list[float] = []
        getattr(self, name)(seeded(seed))

    def layernorm(self, rng: random.Random) -> None:
        """Eight rows; float32 sums of 2048 terms."""
        n, self.grid, self.tolerance = KERNELS["layernorm"][1]["block"], 8, 2e-4
        x = array("f", (rng.gauss(0, 1) for _ in range(self.grid * n)))
        weight = array("f", (rng.uniform(0.5, 1.5) for _ in range(n)))
        bias = array("f", (rng.uniform(-1, 1) for _ in range(n)))
        for row in range(self.grid):
            values = x[row * n : (row + 1) * n]
            mean = sum(values) / n
            scale = (sum((v - mean) ** 2 for v in values) / n + 1e-5) ** -0.5
            self.reference += [
                (v - mean) * scale * w + b for v, w, b in zip(values, weight, bias, strict=True)
            ]
        self.inputs = [x, weight, bias]
        self.out = array("f", bytes(4 * self.grid * n))
        self.scalars = [ctypes.c_int(n), ctypes.c_float(1e-5)]

    def matmul(self, rng: random.Random) -> None:
        """One tile; inputs are eighths, so that float16 holds them exactly."""
        shape = KERNELS["matmul"][1]
        m, n, k, self.tolerance = shape["m"], shape["n"], 2 * shape["step"], 1e-3
        a = [rng.randint(-16, 16) / 8 for _ in range(m * k)]
        b = [rng.randint(-16, 16) / 8 for _ in range(k * n)]
        columns = [b[j::n] for j in range(n)]
        for i in range(m):
            row = a[i * k : (i + 1) * k]
            self.reference += [
                sum(x * y for x, y in zip(row, column, strict=True)) for column in columns
            ]
        self.inputs = [_halves(a), _halves(b)]
        self.out = array("f", bytes(4 * m * n))
        self.scalars = [ctypes.c_int(k)]

    def products(self, rng: random.Random) -> None:
        """Integers that wrap round at 32 bits; not one may be off."""
        n = 4 * KERNELS["products"][1]["block"]
        self.grid = 4
        x = array("i", (rng.randint(-(2**31), 2**31 - 1) for _ in range(n)))
        y = array("i", (rng.randint(-(2**31), 2**31 - 1) for _ in range(n)))
        first = [a * b for a, b in zip(x, y, strict=True)]
        second = [(a + 3) * (b + 5) for a, b in zip(x, y, strict=True)]
        third = [(p * q + a) * 7 for p, q, a in zip(first, second, x, strict=True)]
        self.reference = [(v + 2**31) % 2**32 - 2**31 for v in (*first, *second, *third)]
        self.inputs = [x, y]
        self.out = array("i", bytes(12 * n))
        self.scalars = [ctypes.c_int(n)]

    def wrong(self, result: array[Any]) -> int:
        """Count the elements that are further off than allowed."""
        pairs = zip(result, self.reference, strict=True)
        return sum(
            not abs(got - want) <= self.tolerance * max(1.0, abs(want)) for got, want in pairs
        )


def _halves(values: list[float]) -> array[Any]:
    return array("H", struct.pack(f"<{len(values)}e", *values))


def count_wrong(name: str, built: Built, seed: int) -> dict[str, int]:
    """Run one build and compare: elements, and those that are wrong."""
    driver, problem = Driver(), Problem(name, seed)
    out = driver.upload(problem.out)
    args = [*(driver.upload(each) for each in problem.inputs), out, *problem.scalars]
    driver.launch(driver.function(built, name), problem.grid, built, args)
    driver.download(out, problem.out)
    return {"elements": len(problem.out), "wrong": problem.wrong(problem.out)}


def time_samples(name: str, builds: dict[str, Built], seed: int) -> dict[str, list[float]]:
    """Return microseconds a launch, ROUNDS of them for each build, in shuffled order."""
    driver, problem, rng = Driver(), Problem(name, seed), seeded(seed)
    args = [driver.upload(each) for each in (*problem.inputs, problem.out)] + problem.scalars
    kernels = {label: driver.function(built, name) for label, built in builds.items()}
    start, stop = ctypes.c_void_p(), ctypes.c_void_p()
    driver.call("cuEventCreate", ctypes.byref(start), 0)
    driver.call("cuEventCreate", ctypes.byref(stop), 0)
    samples: dict[str, list[float]] = {label: [] for label in builds}
    for number in range(ROUNDS + 5):
        for label in rng.sample(sorted(builds), len(builds)):
            driver.call("cuEventRecord", start, None)
            for _ in range(LAUNCHES):
                driver.launch(kernels[label], problem.grid, builds[label], args)
            driver.call("cuEventRecord", stop, None)
            driver.call("cuEventSynchronize", stop)
            spent = ctypes.c_float()
            driver.call("cuEventElapsedTime", ctypes.byref(spent), start, stop)
            if number >= 5:  # the first rounds warm up
                samples[label].append(spent.value * 1000 / LAUNCHES)
    return samples
