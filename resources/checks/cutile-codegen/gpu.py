"""The kernels on a GPU against float64, launched by cuTile; arrays through the driver alone."""

from __future__ import annotations

import ctypes
import random
import struct
from typing import Any

SIZE = 128  # of each matrix, two tiles of 64 a side
TOLERANCE = 2e-2  # a result is rounded to float16, of sums of 128 products


class DriverError(Exception):
    """The driver refused a call."""


class Array:
    """A matrix of float16 on the device, as __cuda_array_interface__ shows it."""

    def __init__(self, cuda: Any, values: list[float]) -> None:
        self._cuda, self.count = cuda, len(values)
        data = struct.pack(f"<{self.count}e", *values)
        pointer = ctypes.c_uint64()
        call(cuda, "cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(len(data)))
        call(cuda, "cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))
        self._pointer = pointer
        self.__cuda_array_interface__ = {
            "shape": (SIZE, SIZE),
            "typestr": "<f2",
            "data": (pointer.value, False),
            "strides": None,
            "version": 3,
        }

    def values(self) -> list[float]:
        """Return what stands on the device."""
        data = ctypes.create_string_buffer(2 * self.count)
        call(self._cuda, "cuCtxSynchronize")
        call(self._cuda, "cuMemcpyDtoH_v2", data, self._pointer, ctypes.c_size_t(2 * self.count))
        return list(struct.unpack(f"<{self.count}e", data.raw))


def call(cuda: Any, name: str, *args: Any) -> None:
    """Call a function of the driver; raises DriverError."""
    status = getattr(cuda, name)(*args)
    if status:
        raise DriverError(f"{name}: {status}")


def product(a: list[float], b: list[float], size: int = SIZE) -> list[float]:
    """Return the product of two square matrices in float64."""
    columns = [b[j::size] for j in range(size)]
    rows = [a[i * size : (i + 1) * size] for i in range(size)]
    return [
        sum(x * y for x, y in zip(row, column))  # noqa: B905 — Python 3.9
        for row in rows
        for column in columns
    ]


def wrong(found: list[float], wanted: list[float]) -> int:
    """Count the elements that are further off than allowed."""
    pairs = zip(found, wanted)  # noqa: B905 — Python 3.9
    return sum(not abs(got - want) <= TOLERANCE * max(1.0, abs(want)) for got, want in pairs)


def compare(seed: int) -> dict[str, int]:
    """Multiply two matrices on the GPU: elements, and those that are wrong."""
    import cuda.tile as ct
    from kernels.tiles import matmul

    cuda = ctypes.CDLL("libcuda.so.1")
    call(cuda, "cuInit", 0)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call(cuda, "cuDeviceGet", ctypes.byref(device), 0)
    call(cuda, "cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call(cuda, "cuCtxSetCurrent", context)
    rng = random.Random(seed)  # noqa: S311 — inputs, no secrets
    a, b = ([rng.randint(-8, 8) / 8 for _ in range(SIZE * SIZE)] for _ in range(2))
    out = Array(cuda, [0.0] * (SIZE * SIZE))
    grid = (SIZE // 64, SIZE // 64, 1)
    ct.launch(0, grid, matmul, (Array(cuda, a), Array(cuda, b), out, 64, 64, 64))
    return {"elements": SIZE * SIZE, "wrong": wrong(out.values(), product(a, b))}
