"""The tools of this leg's IREE, and what became of one compilation."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readproof_harness import Check, Finished

FOLDERS = {
    "iree-compile": ("iree.compiler", "_mlir_libs"),
    "iree-opt": ("iree.compiler", "_mlir_libs"),
    "iree-benchmark-module": ("iree._runtime_libs", "."),
    "iree-run-module": ("iree._runtime_libs", "."),
}
HOST = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
)


class Broken(Exception):
    """A tool did not do its work, or not in its time; nothing follows for a claim."""

    def __init__(self, tool: str, ended: Finished) -> None:
        super().__init__(tool)
        self.tool = tool
        self.said = (ended.stderr or ended.stdout)[-300:] or f"exit {ended.returncode}"


class Iree:
    """The wheels of this leg."""

    def __init__(self, check: Check) -> None:
        self.check = check
        self.version = version("iree-base-compiler")
        self.runtime = version("iree-base-runtime")
        self._paths = {name: _place(*where) / name for name, where in FOLDERS.items()}

    def run(
        self, tool: str, *words: str, seconds: float = 60, env: dict[str, str] | None = None
    ) -> Finished:
        """Run a tool; raises Broken where it is missing or over its time."""
        path = self._paths[tool]
        self.check.tool(tool, path, self.version)
        ended = self.check.run([path, *words], seconds=seconds, env=env)
        if ended.returncode in (124, 126, 127):
            raise Broken(tool, ended)
        return ended

    def must(self, tool: str, *words: str, seconds: float = 60) -> str:
        """Run a tool that has to succeed and return what it printed."""
        ended = self.run(tool, *words, seconds=seconds)
        if ended.returncode:
            raise Broken(tool, ended)
        return ended.stdout


@dataclass(frozen=True)
class Compiled:
    """One matmul for one target: the PTX, or why there is none."""

    arch: str
    ptx: str
    said: str  # the compiler's first error

    @property
    def no_target(self) -> bool:
        """Whether this build of IREE knows nothing of the architecture."""
        return not self.ptx and "missing GPU target" in self.said

    @property
    def ptx_version(self) -> float:
        """The PTX version it is written in: 8.7; 0 where there is no PTX."""
        found = re.search(r"^\.version (\d+\.\d+)", self.ptx, re.MULTILINE)
        return float(found.group(1)) if found else 0.0


def mma(ptx: str, operands: str = "") -> int:
    """Count the mma.sync of a PTX, perhaps only those of some operand type (e4m3)."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", "", ptx, flags=re.DOTALL)
    return len(re.findall(rf"^\s*(?:@\S+\s+)?mma\.sync\.\S*{operands}", code, re.MULTILINE))


def first_error(said: str) -> str:
    """Return the first line that names an error, else the last words."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    named = [line for line in lines if re.search(r"error", line, re.IGNORECASE)]
    return (named or lines[-1:] or [""])[0].rpartition("rror: ")[2][:200]


def dice(seed: int) -> random.Random:
    """Return what inputs and resampling are drawn with: the same at every run."""
    return random.Random(seed)  # noqa: S311 - nothing is secret


def _place(package: str, inside: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(package)
    return Path(spec.origin).parent / inside
