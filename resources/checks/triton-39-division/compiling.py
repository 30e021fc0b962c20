"""Triton's compiler as this check uses it: kernel, target and type; never from a cache."""

from __future__ import annotations

import inspect
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

POINTER = [["tt.divisibility", 16]]
ARGUMENTS = ("x", "y", "out")
WARPS = 4
# Divisions and reciprocals, whatever predicate stands before them; never a comment or a file name.
_DIVISION = re.compile(r"[\s{]*(?:@!?%\w+\s+)?((?:div|rcp)\.[\w.]*f(?:16|32|64))\s")


@dataclass(frozen=True)
class Built:
    """One compiled kernel."""

    ptx: str
    cubin: bytes
    shared: int
    threads: int = 32 * WARPS


def divisions(ptx: str) -> tuple[str, ...]:
    """Return the opcodes that divide, each once, in order of the alphabet."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", ptx, flags=re.DOTALL)
    found = (_DIVISION.match(f"{each} ") for line in text.splitlines() for each in line.split(";"))
    return tuple(sorted({match.group(1) for match in found if match}))


def approximate(opcodes: tuple[str, ...]) -> bool:
    """Tell whether any of these divides approximately."""
    return any("approx" in opcode.split(".") for opcode in opcodes)


class Compiler:
    """`triton.compile` for a target that need not be here."""

    def __init__(self, cache: Path) -> None:
        # Before the import: Triton reads some of them once.
        os.environ["TRITON_ALWAYS_COMPILE"] = "1"
        os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
        os.environ["TRITON_CACHE_DIR"] = str(cache)
        os.environ.pop("TRITON_INTERPRET", None)
        import kernels.kernels as kernels  # it imports triton
        import triton
        from triton.backends.compiler import GPUTarget

        self._triton = triton
        self._kernels = kernels
        self._target = GPUTarget
        self.version = str(triton.__version__)

    def has_approx(self) -> bool:
        """Whether `fdiv` can be asked to approximate."""
        return "approx" in inspect.signature(self._triton.language.fdiv).parameters

    def build(self, name: str, arch: int, kind: str = "fp32") -> Built:
        """Compile a kernel for sm_`arch` with operands of a type; raises what Triton raises."""
        source = self._triton.compiler.ASTSource(
            getattr(self._kernels, name),
            signature=dict.fromkeys(ARGUMENTS, f"*{kind}"),
            constexprs={},
            attrs={(place,): POINTER for place in range(len(ARGUMENTS))},
        )
        target = self._target("cuda", arch, 32)
        compiled: Any = self._triton.compile(source, target=target, options={"num_warps": WARPS})
        return Built(
            str(compiled.asm["ptx"]), bytes(compiled.asm["cubin"]), int(compiled.metadata.shared)
        )
