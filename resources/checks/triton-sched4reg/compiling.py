"""Triton's compiler as this check uses it: kernel, target and option; never from a cache."""

from __future__ import annotations

import collections
import os
import re
from pathlib import Path
from typing import Any

WARPS = 4
POINTER = [["tt.divisibility", 16]]
# name → signature, constants; shapes chosen so that registers are neither idle nor all spilled
KERNELS: dict[str, tuple[dict[str, str], dict[str, int]]] = {
    "layernorm": (
        {"x": "*fp32", "weight": "*fp32", "bias": "*fp32", "out": "*fp32", "n": "i32"}
        | {"eps": "fp32"},
        {"block": 2048},
    ),
    "matmul": (
        {"a": "*fp16", "b": "*fp16", "c": "*fp32", "k": "i32"},
        {"m": 128, "n": 128, "step": 64},
    ),
    "products": ({"x": "*i32", "y": "*i32", "out": "*i32", "n": "i32"}, {"block": 1024}),
}
_OPCODE = re.compile(r"\s*(?:@!?%\w+\s+)?([a-z][a-z0-9_]*(?:[.:][a-z0-9_:]+)*)[\s;]")


class Built:
    """One compiled kernel."""

    def __init__(self, compiled: Any) -> None:
        self.ptx: str = compiled.asm["ptx"]
        self.cubin: bytes = compiled.asm["cubin"]
        self.shared: int = compiled.metadata.shared
        self.threads: int = compiled.metadata.num_warps * 32
        self.recorded = getattr(compiled.metadata, "sched4reg", None)

    @property
    def target(self) -> str:
        """The `.target` of the PTX, such as sm_90a."""
        found = re.search(r"^\.target (\w+)", self.ptx, re.MULTILINE)
        return found.group(1) if found else ""


class Compiler:
    """`triton.compile` for a target that need not be here."""

    def __init__(self, caches: Path) -> None:
        # Before the import: Triton reads some of them once.
        os.environ["TRITON_ALWAYS_COMPILE"] = "1"
        os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
        self._caches = caches
        self._fresh = 0
        self.fresh_cache()
        import kernels.kernels as kernels  # it imports triton
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.backends.nvidia import compiler as nvidia

        self._triton = triton
        self._kernels = kernels
        self._target = GPUTarget
        self.nvidia = nvidia
        self.version = str(triton.__version__)

    @property
    def has_option(self) -> bool:
        """Whether this Triton knows the option; older ones ignore unknown options in silence."""
        return "sched4reg" in self.nvidia.CUDAOptions.__dataclass_fields__

    def fresh_cache(self) -> None:
        """Go on with an empty cache folder."""
        self._fresh += 1
        folder = self._caches / f"cache{self._fresh}"
        folder.mkdir(parents=True)
        os.environ["TRITON_CACHE_DIR"] = str(folder)

    def build(
        self, name: str, arch: int, sched4reg: bool | None, ptx_version: int | None = None
    ) -> Built:
        """Compile `name` for sm_`arch`; None leaves the option out. Raises what Triton raises."""
        signature, constants = KERNELS[name]
        options: dict[str, Any] = {"num_warps": WARPS}
        if sched4reg is not None:
            options["sched4reg"] = sched4reg
        if ptx_version is not None:
            options["ptx_version"] = ptx_version
        attributes = {(n,): POINTER for n, t in enumerate(signature.values()) if t[0] == "*"}
        source = self._triton.compiler.ASTSource(
            getattr(self._kernels, name),
            signature=signature | dict.fromkeys(constants, "constexpr"),
            constexprs=constants,
            attrs=attributes,
        )
        target = self._target("cuda", arch, 32)
        return Built(self._triton.compile(source, target=target, options=options))

    def own_ptxas(self, arch: int) -> tuple[str, str]:
        """Return path and version of the ptxas that Triton itself uses for an architecture."""
        tool = self.nvidia.get_ptxas(arch)
        return str(tool.path), str(tool.version)

    def ptx_version(self, cuda: str) -> int:
        """Return the newest PTX version that the ptxas of a CUDA version reads, such as 90."""
        return int(self.nvidia.ptx_get_version(cuda))


def opcodes(ptx: str) -> collections.Counter[str]:
    """Count the instructions of a PTX text by opcode with all its suffixes."""
    lines = re.sub(r"//[^\n]*", "", ptx).splitlines()
    found = (_OPCODE.match(line) for line in lines)
    return collections.Counter(match.group(1) for match in found if match)
