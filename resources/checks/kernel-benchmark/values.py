"""What kernels take and give: arrays, NumPy's or PyTorch's, seen as plain numbers."""

from __future__ import annotations

import math
from array import array
from typing import Any

# How far a result may be off from a float64 reference, as a part of the largest value in it.
BOUNDS = {
    "float64": 1e-12,
    "float32": 1e-5,
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float8": 2.5e-1,
}
CODES = {"f": "float32", "d": "float64"}


def flat(value: Any) -> list[float]:
    """Return all numbers of a value in their order."""
    if isinstance(value, (int, float)):
        return [float(value)]
    if hasattr(value, "detach"):
        value = value.detach().cpu().double()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (int, float)):
        return [float(value)]
    found: list[float] = []
    for each in value:
        found += flat(each) if not isinstance(each, (int, float)) else [float(each)]
    return found


def dtype(value: Any) -> str:
    """Return what kind of numbers a value holds, float64 where it does not say."""
    if isinstance(value, array):
        return CODES.get(value.typecode, "int")
    if hasattr(value, "dtype"):
        name = str(value.dtype).rpartition(".")[2]
        return "float8" if name.startswith("float8") else name
    if isinstance(value, (list, tuple)) and value:
        return dtype(value[0])
    return "float64"


def bound(value: Any) -> float:
    """Return how far off a result may be; whole numbers may not be at all."""
    return BOUNDS.get(dtype(value), 0.0)


def error(got: Any, want: list[float]) -> float:
    """Return the largest difference as a part of the largest value wanted; inf for another form."""
    numbers = flat(got)
    if len(numbers) != len(want) or not want:
        return math.inf
    scale = max(map(abs, want)) or 1.0
    worst = max(abs(one - other) for one, other in zip(numbers, want))
    return math.inf if math.isnan(worst) or any(map(math.isnan, numbers)) else worst / scale


def address(value: Any) -> int | None:
    """Return where a value's numbers lie in memory, None where it does not say."""
    if hasattr(value, "data_ptr"):
        return int(value.data_ptr())
    if isinstance(value, array):
        return value.buffer_info()[0]
    interface = getattr(value, "__array_interface__", None)
    return int(interface["data"][0]) if interface else None


def overwrite(target: Any, source: Any) -> bool:
    """Put other numbers into the same memory; say whether that could be done."""
    if hasattr(target, "copy_"):
        target.copy_(source)
    elif hasattr(target, "__setitem__") and hasattr(target, "__len__"):
        target[:] = source
    else:
        return False
    return True


def variety(value: Any) -> float:
    """Return the share of numbers that differ from all others: 0 for zeros or a constant."""
    numbers = flat(value)
    return (len(set(numbers)) - 1) / max(1, len(numbers) - 1)
