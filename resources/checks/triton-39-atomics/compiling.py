"""Triton's compiler as this check uses it: kernel, target and semantics; never from a cache."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

POINTER = [["tt.divisibility", 16]]
SIGNATURE = {"x": "*i32", "flag": "*i32"}
WARPS = 4  # with one warp alone a barrier would be of no use, and Triton leaves it out


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

    def has(self, name: str) -> bool:
        """Whether `triton.language` offers a name."""
        return hasattr(self._triton.language, name)

    def ptx(self, name: str, arch: int, sem: str | None) -> str:
        """Return the PTX of a kernel for sm_`arch`; None leaves `sem` to its default."""
        source = self._triton.compiler.ASTSource(
            getattr(self._kernels, name),
            signature=SIGNATURE | {"sem": "constexpr"},
            constexprs={"sem": sem},
            attrs={(place,): POINTER for place in range(2)},
        )
        target = self._target("cuda", arch, 32)
        compiled: Any = self._triton.compile(source, target=target, options={"num_warps": WARPS})
        return str(compiled.asm["ptx"])
