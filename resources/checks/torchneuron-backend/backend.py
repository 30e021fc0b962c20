"""A PrivateUse1 back end in Python alone, in a process of its own: a rename cannot be undone.

Its tensors hold CPU tensors, and every operation of its own is counted, so that a result that
was quietly computed elsewhere is not taken for one of the back end. Prints one JSON document.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import torch
from torch.utils import backend_registration

NAME = "readproof"
CALLS: dict[str, int] = {}


def refused(call: Any) -> str:
    """Return the name of the error that a call raises, empty where it raises none."""
    try:
        call()
    except (RuntimeError, NotImplementedError) as error:
        return type(error).__name__
    return ""


def held(tensor: Any) -> Any:
    """Return the CPU tensor behind one of ours."""
    return tensor.held if tensor.device.type == NAME else tensor


def wrapped(tensor: Any) -> Any:
    """Return a tensor of our device that holds `tensor`."""
    made = torch._C._acc.create_empty_tensor(tensor.size(), tensor.dtype)
    made.held = tensor
    return made


def empty(size: Any, *_rest: Any, dtype: Any = None, **_more: Any) -> Any:
    """Allocate on our device."""
    return wrapped(torch.empty(size, dtype=dtype))


def copy_from(source: Any, target: Any, _non_blocking: bool = False) -> Any:
    """Copy to, from and on our device."""
    if target.device.type == NAME:
        target.held = held(source).clone()
    else:
        target.copy_(held(source))
    return target


def operations(fault: bool) -> dict[str, Any]:
    """Return what the back end implements; with a fault its sum is off by one."""
    off = 1 if fault else 0
    return {
        "empty.memory_format": empty,
        "empty_strided": empty,
        "_copy_from": copy_from,
        "add.Tensor": lambda a, b, alpha=1: wrapped(held(a) + alpha * held(b) + off),
        "mul.Tensor": lambda a, b: wrapped(held(a) * held(b)),
        "mm": lambda a, b: wrapped(held(a) @ held(b)),
        "relu": lambda a: wrapped(held(a).relu()),
    }


def counted(name: str, call: Any) -> Any:
    """Return the operation with a count of its calls."""

    def counting(*args: Any, **named: Any) -> Any:
        CALLS[name] = CALLS.get(name, 0) + 1
        return call(*args, **named)

    return counting


def register(fault: bool) -> Any:
    """Rename PrivateUse1 and give it its operations; return what keeps them."""
    backend_registration._setup_privateuseone_for_python_backend(NAME)
    library = torch.library.Library("aten", "IMPL")
    for name, call in operations(fault).items():
        library.impl(name, counted(name, call), "PrivateUse1")
    return library


def round_trip() -> int:
    """Count the results that come back bit for bit as the CPU computes them, of four."""
    draw = torch.Generator().manual_seed(7)
    a, b = (torch.randn(8, 8, generator=draw) for _ in range(2))
    x, y = a.to(NAME), b.to(NAME)
    pairs = [(x, a), (x + y, a + b), (x @ y, a @ b), ((x * y).relu(), (a * b).relu())]
    return sum(
        mine.device.type == NAME and bool(torch.equal(mine.cpu(), right)) for mine, right in pairs
    )


def main(fault: bool) -> dict[str, Any]:
    """Register, make the round trip, and look what torch makes of the device."""
    found: dict[str, Any] = {"before": refused(lambda: torch.empty(1, device=NAME))}
    began = time.perf_counter()
    try:
        library = register(fault)
    except (RuntimeError, AssertionError) as error:
        return found | {"registered": False, "said": str(error)[-300:]}
    found |= {"registered": True, "seconds": time.perf_counter() - began, "kept": bool(library)}
    try:
        found["returned"] = round_trip()
    except Exception as error:
        found |= {"returned": 0, "said": f"{type(error).__name__}: {error}"[-300:]}
    found["calls"] = dict(CALLS)
    # What nobody implemented has to be refused, not computed elsewhere.
    found["missing"] = refused(lambda: wrapped(torch.ones(2)).sin())
    found["again"] = refused(lambda: torch.utils.rename_privateuse1_backend(f"{NAME}2"))
    try:
        current = torch.accelerator.current_accelerator()
        available = torch.accelerator.is_available()
        found["accelerator"] = current.type if current is not None and available else ""
    except (RuntimeError, AttributeError) as error:
        found |= {"accelerator": "", "accelerator_said": str(error)[-300:]}
    return found


if __name__ == "__main__":
    print(json.dumps(main("fault" in sys.argv[1:])))
