"""Triton's compiler as this check uses it: its front end by itself, and the whole of it."""

from __future__ import annotations

import ast
import inspect
import os
import resource
import textwrap
import time
from pathlib import Path
from typing import Any

SIGNATURE = {"x": "*fp32", "n": "i32"}
YARD_REPEATS = 20


def spent() -> float:
    """Return the seconds of processor time that this process and its ended children took.

    Others on the machine do not slow that clock; on a quiet machine it is the time one waits.
    """
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Compiler:
    """`triton.compile` for a target that need not be here, and its first stage by itself."""

    def __init__(self, cache: Path, arch: int) -> None:
        # Before the import: Triton reads some of them once.
        os.environ["TRITON_ALWAYS_COMPILE"] = "1"
        os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
        os.environ["TRITON_CACHE_DIR"] = str(cache)
        import kernels.kernels as kernels  # it imports triton
        import triton
        from triton._C.libtriton import ir
        from triton.backends.compiler import GPUTarget
        from triton.compiler import make_backend

        self._triton, self._kernels, self._ir = triton, kernels, ir
        self._target = GPUTarget("cuda", arch, 32)
        self._backend = make_backend(self._target)
        self._options = self._backend.parse_options({})
        self.version = str(triton.__version__)

    def _source(self, depth: int) -> Any:
        kernel = getattr(self._kernels, f"nest{depth}")
        return self._triton.compiler.ASTSource(kernel, signature=dict(SIGNATURE), constexprs={})

    def first_ir(self, depth: int, times: int = 1) -> tuple[float, str]:
        """Return the seconds the front end takes from source to IR, and the IR."""
        source = self._source(depth)
        context = self._ir.context()
        self._ir.load_dialects(context)
        self._backend.load_dialects(context)
        generators = self._backend.get_codegen_implementation(self._options)
        modules = self._backend.get_module_map()
        began = spent()
        for _time in range(times):
            module = source.make_ir(self._target, self._options, generators, modules, context)
        return spent() - began, str(module)

    def front(self, depth: int, times: int = 1) -> float:
        """Return the seconds the front end takes, so many times over."""
        return self.first_ir(depth, times)[0]

    def whole(self, depth: int) -> float:
        """Return the seconds from source to cubin."""
        source = self._source(depth)
        began = spent()
        self._triton.compile(source, target=self._target)
        return spent() - began

    def yard(self) -> float:
        """Return the seconds of work that is none of Triton's: a measure of the moment."""
        text = textwrap.dedent(inspect.getsource(ast.NodeVisitor))
        began = spent()
        for _time in range(YARD_REPEATS):
            sum(isinstance(node, ast.Name) for node in ast.walk(ast.parse(text)))
        return spent() - began
