"""A process of its own: divide in Triton's interpreter, on NumPy alone, and print the worst error.

Triton chooses between compiling and interpreting when a kernel is declared, so one process does
one of them.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from typing import Any

from quotients import operands, worst

os.environ["TRITON_INTERPRET"] = "1"


class OnHost:
    """An array as Triton's interpreter wants one: the few methods of a tensor it asks for."""

    dtype = "float32"

    def __init__(self, values: array[Any]) -> None:
        self.values = values

    def data_ptr(self) -> int:
        """Return where the values lie."""
        return self.values.buffer_info()[0]

    def untyped_storage(self) -> OnHost:
        """Return itself: memory and tensor are one here."""
        return self

    def cpu(self) -> OnHost:
        """Return itself: it is there already."""
        return self

    def new_empty(self, *_size: Any, **_more: Any) -> OnHost:
        """Return what `set_` makes a view of this memory."""
        return OnHost(array("f"))

    def set_(self, storage: OnHost, *_layout: Any) -> None:
        """Be a view of a memory."""
        self.values = storage.values

    def copy_(self, _other: OnHost) -> None:
        """Do nothing: the memory was the same."""

    def size(self) -> tuple[int]:
        """Return the shape."""
        return (len(self.values),)

    def stride(self) -> tuple[int]:
        """Return the distance of neighbours."""
        return (1,)

    def storage_offset(self) -> int:
        """Return where the tensor begins in its memory."""
        return 0


def divided(name: str, over: array[Any], under: array[Any]) -> array[Any]:
    """Return the quotients that a kernel gives."""
    import kernels.kernels as kernels

    out = array("f", bytes(4 * len(over)))
    grid = (len(over) // 128,)
    getattr(kernels, name)[grid](OnHost(over), OnHost(under), OnHost(out))
    return out


def main() -> None:
    """Print the worst error of each kernel named, as JSON."""
    over, under = operands(int(sys.argv[1]))
    found = {name: worst(divided(name, over, under), over, under) for name in sys.argv[2:]}
    print(json.dumps({"worst": found, "quotients": len(over)}))


if __name__ == "__main__":
    main()
