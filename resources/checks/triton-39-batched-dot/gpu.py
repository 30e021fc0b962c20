"""A batched product on a GPU: numbers against float64, and time. Needs the driver alone."""

from __future__ import annotations

import ctypes
import math
import random
import statistics
import struct
from array import array
from typing import Any

from compiling import Built, Shape

ROUNDS = 60
LAUNCHES = 20
BLOCKS = 512  # several for each multiprocessor of any GPU
COMPARED = 2  # blocks whose result is compared
TOLERANCE = 2e-3  # float32 sums of at most 128 products below 4


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

    def kernel(self, built: Built, name: str) -> ctypes.c_void_p:
        """Load a cubin and return its kernel."""
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), built.cubin)
        self.call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
        if built.shared > 48 * 1024:
            self.call("cuFuncSetAttribute", kernel, 8, built.shared)  # dynamic shared memory
        return kernel

    def launch(self, kernel: ctypes.c_void_p, built: Built, args: list[Any]) -> None:
        """Launch with Triton's two scratch pointers behind the kernel's own arguments."""
        every = [*args, ctypes.c_uint64(0), ctypes.c_uint64(0)]
        pointers = (ctypes.c_void_p * len(every))(
            *(ctypes.cast(ctypes.byref(each), ctypes.c_void_p) for each in every)
        )
        shape = (BLOCKS, 1, 1, built.threads, 1, 1)
        self.call("cuLaunchKernel", kernel, *shape, built.shared, None, pointers, None)


def measured(built: Built, shape: Shape, seed: int) -> dict[str, Any]:
    """Run the batched kernel on GPU 0: wrong elements, and microseconds of each round."""
    driver = Driver()
    left = _halves(BLOCKS * shape.batch * shape.m * shape.k, seed)
    right = _halves(BLOCKS * shape.batch * shape.k * shape.n, seed + 1)
    out = array("f", bytes(4 * BLOCKS * shape.batch * shape.m * shape.n))
    args: list[Any] = [driver.upload(each) for each in (left, right, out)]
    kernel = driver.kernel(built, "batched")
    driver.launch(kernel, built, args)
    driver.download(args[-1], out)
    return {
        "elements": COMPARED * shape.batch * shape.m * shape.n,
        "wrong": _wrong(left, right, out, shape),
        "microseconds": _times(driver, kernel, built, args),
    }


def _times(driver: Driver, kernel: ctypes.c_void_p, built: Built, args: list[Any]) -> list[float]:
    start, stop = ctypes.c_void_p(), ctypes.c_void_p()
    driver.call("cuEventCreate", ctypes.byref(start), 0)
    driver.call("cuEventCreate", ctypes.byref(stop), 0)
    samples = []
    for number in range(ROUNDS + 5):
        driver.call("cuEventRecord", start, None)
        for _ in range(LAUNCHES):
            driver.launch(kernel, built, args)
        driver.call("cuEventRecord", stop, None)
        driver.call("cuEventSynchronize", stop)
        spent = ctypes.c_float()
        driver.call("cuEventElapsedTime", ctypes.byref(spent), start, stop)
        if number >= 5:  # the first rounds warm up
            samples.append(spent.value * 1000 / LAUNCHES)
    return samples


def _halves(n: int, seed: int) -> array[Any]:
    """Return float16 numbers: a stretch of random ones, repeated at an odd length."""
    rng = random.Random(seed)  # noqa: S311 — inputs, no secrets
    stretch = [rng.uniform(-2, 2) for _ in range(min(n, 65521))]
    many = array("H", struct.pack(f"<{len(stretch)}e", *stretch))
    return (many * math.ceil(n / len(many)))[:n]


def _wrong(left: array[Any], right: array[Any], out: array[Any], shape: Shape) -> int:
    """Count the elements of the first blocks that are off the product in float64."""
    wrong = 0
    for product in range(COMPARED * shape.batch):
        a = _floats(left, product * shape.m * shape.k, shape.m * shape.k)
        b = _floats(right, product * shape.k * shape.n, shape.k * shape.n)
        columns = [b[j :: shape.n] for j in range(shape.n)]
        at = product * shape.m * shape.n
        for i in range(shape.m):
            row = a[i * shape.k : (i + 1) * shape.k]
            for column in columns:
                want = sum(x * y for x, y in zip(row, column, strict=True))
                wrong += not abs(out[at] - want) <= TOLERANCE * max(1.0, abs(want))
                at += 1
    return wrong


def _floats(halves: array[Any], at: int, n: int) -> list[float]:
    return list(struct.unpack(f"<{n}e", halves[at : at + n].tobytes()))


def interval(samples: list[float]) -> tuple[float, float, float]:
    """Return the median and its interval at 99 %, by order of the samples alone."""
    ordered, n = sorted(samples), len(samples)
    away = math.ceil(2.576 * math.sqrt(n) / 2)
    low, high = max(0, n // 2 - away), min(n - 1, n // 2 + away)
    return statistics.median(ordered), ordered[low], ordered[high]
