"""Whose planner is measured: the user's own mlir-opt where it has the pass, else the wheels'."""

from __future__ import annotations

import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readproof_harness import Check, Finished

PLANNING = "static-memory-planner-analysis"
# How memref.alloc has been told its alignment: before LLVM 24, since, and in any version.
SYNTAXES = (
    "memref.alloc() {{alignment = {align} : i64}} : {type}",
    "memref.alloc() alignment = {align} : {type}",
    '"memref.alloc"() <{{alignment = {align} : i64, operandSegmentSizes = array<i32: 0, 0>}}>'
    " : () -> {type}",
)
PROBE = """func.func @probe() {{
  %a = {alloc}
  memref.dealloc %a : memref<8xi8>
  return
}}
"""


class Broken(Exception):
    """The tool did not do its work, or not in its time; nothing follows for a claim."""


class Planner:
    """One program that has the pass, and the way it writes an aligned allocation."""

    def __init__(self, check: Check) -> None:
        self.check = check
        self.own = False
        self.said = ""
        for path, own in ((shutil.which("mlir-opt"), True), (_of_the_wheels(), False)):
            if path is not None and self._works(path):
                self.own = own
                self.version = _version(check, path)
                check.tool(Path(path).name, path, self.version)
                return
        raise Broken(self.said or "no mlir-opt and no iree-opt")

    def alloc(self, kind: str, align: int = 0) -> str:
        """Return an allocation in the syntax of this version."""
        if not align:
            return f"memref.alloc() : {kind}"
        return self.syntax.format(align=align, type=kind)

    def run(self, text: str, algorithm: str, mode: str = "", *, timing: bool = False) -> Finished:
        """Have the pass plan a program; raises Broken where the tool itself failed."""
        ended = self._run(self.path, text, algorithm, mode, timing)
        if ended.returncode in (124, 126, 127) or ended.returncode < 0:
            raise Broken(ended.stderr[-300:] or f"exit {ended.returncode}")
        return ended

    def _works(self, path: str) -> bool:
        """Whether the pass plans a program of one buffer, in any syntax."""
        for syntax in SYNTAXES:
            text = PROBE.format(alloc=syntax.format(align=64, type="memref<8xi8>"))
            ended = self._run(path, text, "best-fit", "", False)
            if ended.returncode == 0 and "memref.view" in ended.stdout:
                self.path, self.syntax = path, syntax
                return True
            self.said = (ended.stderr or f"exit {ended.returncode}")[-300:]
        return False

    def _run(self, path: str, text: str, algorithm: str, mode: str, timing: bool) -> Finished:
        chosen = f"{PLANNING}{{algorithm={algorithm}{mode and f' arena-mode={mode}'}}}"
        words = [path, "--allow-unregistered-dialect", *(["--mlir-timing"] if timing else [])]
        words += [f"--pass-pipeline=builtin.module(func.func({chosen}))"]
        return self.check.run(words, seconds=60, text_in=text)


def _of_the_wheels() -> str | None:
    try:
        spec = find_spec("iree.compiler")
    except ImportError:
        return None
    if spec is None or spec.origin is None:
        return None
    return str(Path(spec.origin).parent / "_mlir_libs" / "iree-opt")


def _version(check: Check, path: str) -> str:
    said = check.run([path, "--version"], seconds=20).stdout
    own = re.search(r"(?:compiler|LLVM) version (\S+)", said)
    return own.group(1) if own else said.strip()[:60]
