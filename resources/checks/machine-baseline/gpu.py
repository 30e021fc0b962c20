"""The same figures of GPU 0, through its driver alone: copies, multiply-adds, launches, clocks."""

from __future__ import annotations

import ctypes
import statistics
from typing import Any

COPY = 256 * 1024 * 1024
REPEATS = 15
LAUNCHES = 200
STEPS = 4096  # rounds of the loop
PER_ROUND = 16  # multiply-adds in a round
THREADS, PER_PROCESSOR = 256, 16


class DriverError(Exception):
    """The driver refused a call."""


def ptx() -> str:
    """Return an empty kernel and one that multiplies and adds, for any GPU since 2014."""
    names = [f"%f{n}" for n in range(1, PER_ROUND + 1)]
    lines = [f"mov.f32 {name}, 0f3F800000;" for name in names]
    loop = [f"fma.rn.f32 {name}, {name}, %f0, %f0;" for name in names]
    sums = [f"add.f32 %f1, %f1, {name};" for name in names[1:]]
    return "\n".join(
        [
            ".version 6.0", ".target sm_50", ".address_size 64",
            ".visible .entry nothing() { ret; }",
            ".visible .entry work(.param .u64 out, .param .u32 steps) {",
            f".reg .f32 %f<{PER_ROUND + 1}>; .reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .pred %p;",
            "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [steps];",
            "mov.f32 %f0, 0f3F000000; mov.u32 %r2, 0;",
            *lines, "again:", *loop, "add.u32 %r2, %r2, 1;",
            "setp.lt.u32 %p, %r2, %r1; @%p bra again;",
            *sums, "st.global.f32 [%rd1], %f1; ret; }",
        ]
    ) + "\n"  # fmt: skip


class Driver:
    """libcuda through ctypes, device 0, its primary context."""

    def __init__(self, library: Any = None) -> None:
        self._cuda = library if library is not None else ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *args: Any) -> None:
        """Call a function of the driver; raises DriverError."""
        status = getattr(self._cuda, name)(*args)
        if status:
            raise DriverError(f"{name}: {status}")

    def attribute(self, which: int) -> int:
        """Return an attribute of the device."""
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), which, self.device)
        return value.value

    def memory(self, size: int) -> ctypes.c_uint64:
        """Return the address of new memory."""
        place = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(size))
        return place

    def seconds(self, work: Any) -> float:
        """Return what the work takes between two events; the median of repeats after a warm-up."""
        start, stop = ctypes.c_void_p(), ctypes.c_void_p()
        for event in (start, stop):
            self.call("cuEventCreate", ctypes.byref(event), 0)
        taken = []
        for repeat in range(REPEATS + 3):
            self.call("cuEventRecord", start, None)
            work()
            self.call("cuEventRecord", stop, None)
            self.call("cuEventSynchronize", stop)
            spent = ctypes.c_float()
            self.call("cuEventElapsedTime", ctypes.byref(spent), start, stop)
            if repeat >= 3:
                taken.append(spent.value / 1000)
        return statistics.median(taken)


def measured(check: Any) -> dict[str, Any]:
    """Return plain numbers, as a test may hand them in."""
    before = check.state()
    driver = Driver()
    one, other = driver.memory(COPY), driver.memory(COPY)
    size = ctypes.c_size_t(COPY)
    copy = driver.seconds(lambda: driver.call("cuMemcpyDtoDAsync_v2", other, one, size, None))
    module, work, nothing = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    driver.call("cuModuleLoadData", ctypes.byref(module), ptx().encode())
    for kernel, name in ((work, b"work"), (nothing, b"nothing")):
        driver.call("cuModuleGetFunction", ctypes.byref(kernel), module, name)
    blocks = PER_PROCESSOR * driver.attribute(16)  # number of multiprocessors

    def compute(steps: int) -> None:
        given = (one, ctypes.c_uint32(steps))
        places = (ctypes.c_void_p * 2)(
            *(ctypes.cast(ctypes.byref(each), ctypes.c_void_p) for each in given)
        )
        shape = (blocks, 1, 1, THREADS, 1, 1)
        driver.call("cuLaunchKernel", work, *shape, 0, None, places, None)

    def launch() -> None:
        for _each in range(LAUNCHES):
            driver.call("cuLaunchKernel", nothing, 1, 1, 1, 1, 1, 1, 0, None, None, None)

    once, twice = (driver.seconds(lambda n=n: compute(n)) for n in (STEPS, 2 * STEPS))
    done = 2 * PER_ROUND * STEPS * blocks * THREADS
    return {
        "bandwidth": 2 * COPY / copy / 1e9,
        "tflops": done / (twice - once) / 1e12 if twice > once else 0.0,
        "launch": driver.seconds(launch) / LAUNCHES * 1e6,
        "doubled": twice / once,
        "before": before,
        "after": check.state(),
    }
