"""The divisions on a GPU, against float64. Needs the driver, nothing else."""

from __future__ import annotations

import ctypes
from array import array
from typing import Any

from compiling import Built
from quotients import operands, worst


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

    def launch(self, built: Built, name: str, blocks: int, args: list[Any]) -> None:
        """Launch with Triton's two scratch pointers behind the kernel's own arguments."""
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), built.cubin)
        self.call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
        every = [*args, ctypes.c_uint64(0), ctypes.c_uint64(0)]
        pointers = (ctypes.c_void_p * len(every))(
            *(ctypes.cast(ctypes.byref(each), ctypes.c_void_p) for each in every)
        )
        shape = (blocks, 1, 1, built.threads, 1, 1)
        self.call("cuLaunchKernel", kernel, *shape, built.shared, None, pointers, None)


def error(built: Built, name: str, seed: int) -> float:
    """Return the worst error of a division on GPU 0, in units in the last place."""
    driver = Driver()
    over, under = operands(seed)
    out = array("f", bytes(4 * len(over)))
    args = [driver.upload(each) for each in (over, under, out)]
    driver.launch(built, name, len(over) // 128, args)
    driver.download(args[-1], out)
    return worst(out, over, under)
