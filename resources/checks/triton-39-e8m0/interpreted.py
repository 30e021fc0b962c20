"""Triton's interpreter on NumPy arrays alone: the few methods of a tensor that it asks for."""

from __future__ import annotations

import os
from typing import Any

# Before Triton is imported: it decides when a kernel is declared.
os.environ["TRITON_INTERPRET"] = "1"

ONES = {"e4m3": 0x38, "e5m2": 0x3C, "e2m1": 0x22, "bf16": 0x3F80}  # 1.0; of e2m1 two in a byte
TWO = 0x4000  # in bfloat16
THIRTY_SECOND = 0x3D00  # 2⁻⁵ in bfloat16


class OnHost:
    """An array as the interpreter wants one."""

    def __init__(self, values: Any, kind: str) -> None:
        self.values, self.dtype = values, kind

    def data_ptr(self) -> int:
        """Return where the values lie."""
        return int(self.values.ctypes.data)

    def untyped_storage(self) -> OnHost:
        """Return itself: memory and tensor are one here."""
        return self

    def cpu(self) -> OnHost:
        """Return itself: it is there already."""
        return self

    def new_empty(self, *_size: Any, **_more: Any) -> OnHost:
        """Return what `set_` makes a view of this memory."""
        return OnHost(None, self.dtype)

    def set_(self, storage: OnHost, *_layout: Any) -> None:
        """Be a view of a memory."""
        self.values = storage.values

    def copy_(self, _other: OnHost) -> None:
        """Do nothing: the memory was the same."""

    def size(self) -> tuple[int, ...]:
        """Return the shape."""
        return tuple(self.values.shape)

    def stride(self) -> tuple[int, ...]:
        """Return the distance of neighbours."""
        return tuple(each // self.values.itemsize for each in self.values.strides)

    def storage_offset(self) -> int:
        """Return where the tensor begins in its memory."""
        return 0


def decoded(side: str, form: str, value_bits: int | None = None) -> list[float]:
    """Return what the scales 0x00 … 0xFF do to one, by a product of this side and format.

    Other bits than those of one show whether what is multiplied is seen at all.
    """
    import kernels.kernels as kernels
    import numpy as np

    packed = 2 if form == "e2m1" else 1
    wide = form == "bf16"
    bits = ONES[form] if value_bits is None else value_bits
    value = np.full((256, 32 // packed), bits, np.uint16 if wide else np.uint8)
    other = np.full((32, 16), THIRTY_SECOND, np.uint16)
    scale, out = np.arange(256, dtype=np.uint8), np.zeros((256, 16), np.float32)
    with np.errstate(all="ignore"):  # infinities are what is looked for
        getattr(kernels, side)[(1,)](
            OnHost(value, "bfloat16" if wide else "uint8"),
            OnHost(scale, "uint8"),
            OnHost(other, "bfloat16"),
            OnHost(out, "float32"),
            form,
            packed,
        )
    rows = out if side == "left" else out.reshape(16, 256).T
    if not all(np.array_equal(rows[:, 0], rows[:, each], equal_nan=True) for each in range(16)):
        raise ValueError("one scale gave several results")
    return [float(each) for each in rows[:, 0]]
