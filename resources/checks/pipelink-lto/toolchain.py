"""The compiler and linkers of one toolkit: each way from the parts to a cubin."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from sass import Kernel, kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from readproof_harness import Check

PARTS = ("dot", "activation", "reduction", "kernels")
KERNELS = ("gated", "attended", "normed")


class ToolError(Exception):
    """A tool failed: its name and what it said."""

    def __init__(self, tool: str, said: str) -> None:
        super().__init__(said)
        self.tool, self.said = tool, said[-300:]


def packaged() -> Path:
    """Return where the NVIDIA packages of this environment lie."""
    for each in sorted(Path(sysconfig.get_path("purelib"), "nvidia").glob("cu*"), reverse=True):
        if (each / "bin" / "nvcc").exists():
            return each
    import nvidia  # a namespace package: where the interpreter really finds it

    for folder in nvidia.__path__:
        for each in sorted(Path(folder).glob("cu*"), reverse=True):
            if (each / "bin" / "nvcc").exists():
                return each
    raise ImportError("no nvcc in the packages nvidia-cuda-*")


class Toolchain:
    """nvcc and nvlink of one root, the disassembler of the environment."""

    def __init__(self, check: Check, root: Path, disassembler: Path, name: str) -> None:
        self.check, self.root, self.disassembler = check, root, disassembler
        self.scratch = check.scratch / name
        self.scratch.mkdir(exist_ok=True)
        self.parts = check.folder / "parts"
        whole = "".join((self.parts / f"{each}.cu").read_text() for each in PARTS)
        (self.scratch / "whole.cu").write_text(whole, encoding="utf-8")

    def run(self, tool: str, *words: str) -> str:
        """Run a tool of this root; raises ToolError."""
        place = self.disassembler if tool in ("nvdisasm", "cuobjdump") else self.root
        path = os.pathsep.join([str(place / "bin"), os.environ.get("PATH", "")])
        ended = self.check.run([place / "bin" / tool, *words], seconds=120, env={"PATH": path})
        if ended.returncode:
            raise ToolError(tool, (ended.stderr or ended.stdout).strip())
        return ended.stdout

    def source(self, part: str) -> str:
        """Return the source of a part, or of all in one."""
        folder = self.scratch if part == "whole" else self.parts
        return str(folder / f"{part}.cu")

    def compile(self, part: str, arch: str, kind: str, *flags: str) -> Path:
        """Compile a part as `cubin`, for LTO as `ltoir` or `fatbin`, for a plain link as `rdc`."""
        ways = {
            "cubin": ["-cubin"],
            "rdc": ["-dc", "-cubin"],
            "ltoir": ["-dc", "-dlto", "-ltoir"],
            "fatbin": ["-dc", "-dlto", "-fatbin"],
        }
        mark = "".join(c for flag in flags for c in flag if c.isalnum())
        ends = "rdc.cubin" if kind == "rdc" else kind  # nvlink goes by the end of the name
        out = self.scratch / f"{part}.{arch}.{mark}.{ends}"
        if out.exists():
            return out
        words = [f"-arch={arch}", *ways[kind], *flags, "-I", str(self.parts)]
        self.run("nvcc", *words, self.source(part), "-o", str(out))
        return out

    def nvlink(self, files: Sequence[Path], arch: str, out: str, *, lto: bool) -> Path:
        """Link by nvlink."""
        target = self.scratch / out
        words = [f"-arch={arch}", *map(str, files), "-o", str(target)]
        if lto:
            words += ["-lto", f"-nvvmpath={self.nvvm()}"]
        self.run("nvlink", *words)
        return target

    def nvvm(self) -> Path:
        """Return a folder as nvlink wants it: some layouts have libnvvm elsewhere."""
        if (self.root / "nvvm" / "lib64" / "libnvvm.so").exists():
            return self.root / "nvvm"
        folder = self.scratch / "nvvm"
        link = folder / "lib64" / "libnvvm.so"
        found = sorted(self.root.glob("lib*/libnvvm.so*"))
        if found and not link.is_symlink():
            link.parent.mkdir(parents=True)
            link.symlink_to(found[0])
        return folder

    def read(self, cubin: Path) -> dict[str, Kernel]:
        """Return the functions of a cubin."""
        listing = self.run("nvdisasm", "-c", str(cubin))
        found = kernels(listing, self.run("cuobjdump", "-res-usage", str(cubin)))
        if not set(KERNELS) <= set(found):
            raise ToolError("nvdisasm", f"{cubin.name}: {', '.join(found) or '–'}")
        return found
