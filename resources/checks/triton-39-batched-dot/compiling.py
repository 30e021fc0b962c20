"""Triton's compiler as this check uses it: kernel, shape, type and target; never from a cache."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

POINTER = [["tt.divisibility", 16]]
# mma.sync with its shape; not wgmma.mma_async, which computes for four warps at once.
_MMA = re.compile(r"[\s{]*(?:@!?%\w+\s+)?mma\.sync\.[\w.]*?\bm(\d+)n(\d+)k(\d+)\b")


@dataclass(frozen=True)
class Shape:
    """A batch of products of M×K by K×N matrices, by a block of so many warps."""

    batch: int
    m: int
    n: int
    k: int
    warps: int

    @property
    def name(self) -> str:
        """What a file of it is called."""
        return f"{self.batch}x{self.m}x{self.n}x{self.k}.{self.warps}_warps"

    def __str__(self) -> str:
        return f"{self.batch}×{self.m}×{self.n}×{self.k}, {self.warps} warps"


@dataclass(frozen=True)
class Built:
    """One compiled kernel."""

    ptx: str
    cubin: bytes
    shared: int
    threads: int


def instructions(ptx: str) -> list[tuple[int, int, int]]:
    """Return the shape of every mma.sync in a text of PTX; each warp executes all of them."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", ptx, flags=re.DOTALL)
    found = (_MMA.match(line) for line in text.splitlines())
    return [
        (int(match.group(1)), int(match.group(2)), int(match.group(3))) for match in found if match
    ]


def over_ideal(ptx: str, shape: Shape) -> float:
    """Return the work of one warp's mma.sync over its share of the product: 1 is ideal.

    Zero where there is no mma.sync at all.
    """
    done = sum(m * n * k for m, n, k in instructions(ptx))
    share = shape.batch * shape.m * shape.n * shape.k / shape.warps
    return done / share


class Compiler:
    """`triton.compile` for a target that need not be here."""

    def __init__(self, cache: Path) -> None:
        # Before the import: Triton reads some of them once.
        os.environ["TRITON_ALWAYS_COMPILE"] = "1"
        os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
        os.environ["TRITON_CACHE_DIR"] = str(cache)
        import kernels.kernels as kernels  # it imports triton
        import triton
        from triton.backends.compiler import GPUTarget

        self._triton = triton
        self._kernels = kernels
        self._target = GPUTarget
        self.version = str(triton.__version__)
        self.cuobjdump = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"

    def build(self, name: str, shape: Shape, arch: int, kind: str = "fp16") -> Built:
        """Compile a kernel for sm_`arch` with inputs of a type; raises what Triton raises."""
        out = "i32" if kind == "i8" else "fp32"
        sizes = {
            "batch": shape.batch,
            "rows": shape.m,
            "columns": shape.n,
            "depth": shape.k,
        }
        source = self._triton.compiler.ASTSource(
            getattr(self._kernels, name),
            signature={"a": f"*{kind}", "b": f"*{kind}", "out": f"*{out}"}
            | dict.fromkeys(sizes, "constexpr"),
            constexprs=sizes,
            attrs={(place,): POINTER for place in range(3)},
        )
        target = self._target("cuda", arch, 32)
        options = {"num_warps": shape.warps}
        compiled: Any = self._triton.compile(source, target=target, options=options)
        return Built(
            str(compiled.asm["ptx"]),
            bytes(compiled.asm["cubin"]),
            int(compiled.metadata.shared),
            32 * shape.warps,
        )
