"""Generate TIRx kernels with an exact block size, compile them, and report what is in the PTX."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import launching
from codegen import FLAG, REQUIRED, RIVALS, Tvm
from readproof_harness import Check

WANTED = {
    "block": "__block_size__((128, 1, 1), (1, 1, 1))",
    "cluster": "__block_size__((128, 1, 1), (2, 1, 1))",
}
CLUSTERS = {"block": 1, "cluster": 2}
NO_ARCH = "not supported for this GPU architecture"
CONFLICT = "cannot both be specified"
FROM_TVM = ("source", "metadata", "tvm_exclusive")
USERS = ("reqntid", "nvcc_exclusive", "cuda13")
PIPS = ("reqntid_pip", "nvcc_exclusive_pip")
ON_GPU = ("wrong_block", "grid_divisible")


class Nvcc:
    """One compiler: whose it is, its path and version."""

    def __init__(self, owner: str, path: str, version: str) -> None:
        self.owner = owner
        self.path = path
        self.version = version
        self.broken: dict[str, Any] | None = None


def main() -> None:
    """Measure what this machine can, and say what kept it from the rest."""
    with Check() as check:
        compilers = [each for each in (users(check), pips(check)) if each]
        try:
            tvm = Tvm()
            sources = {shape: tvm.source(shape, REQUIRED) for shape in WANTED}
            plain = tvm.source("block", {})
        except Exception as error:
            said = f"{type(error).__name__}: {error}"[-400:]
            for claim in (*FROM_TVM, *USERS, *PIPS, "sm80_refused", *ON_GPU):
                check.obstacle(claim, "import_failed", package="apache-tvm", said=said)
            return
        check.package("apache-tvm", tvm.version)
        check.package("apache-tvm-ffi", tvm.ffi_version)
        check.artefact("plain.cu", plain)
        for shape, source in sources.items():
            check.artefact(f"{shape}.cu", source)
        control(check, compilers, plain)
        generated(check, sources)
        metadata(check, tvm)
        both = exclusive(check, tvm)
        for nvcc in compilers:
            check.step("measure", 0, len(compilers), f"reqntid{suffix(nvcc)}")
            ptx(check, nvcc, sources)
            combination(check, nvcc, both)
        without_clusters(check, compilers, sources)
        older(check, compilers, sources)
        launching.on_gpu(check, tvm, sources, compilers)


def suffix(nvcc: Nvcc) -> str:
    """Return what the names of this compiler's measurements and claims end in."""
    return "" if nvcc.owner == "toolkit" else "_pip"


def users(check: Check) -> Nvcc | None:
    """Return the chosen toolkit's nvcc."""
    path = (check.toolkit or {}).get("nvcc")
    if not check.toolkit or not path:
        for claim in USERS:
            check.obstacle(claim, "tool_missing", tool="nvcc")
        return None
    version = check.toolkit["version"]
    check.tool("nvcc", path, check.toolkit["release"])
    check.measure("toolkit_version", version)
    check.measure("toolkit_major", int(version.split(".")[0]))
    return Nvcc("toolkit", path, version)


def pips(check: Check) -> Nvcc | None:
    """Return the nvcc of the check's own environment."""
    spec = importlib.util.find_spec("nvidia")
    places = list(spec.submodule_search_locations or ()) if spec else []
    found = [path for place in places for path in Path(place).glob("cu*/bin/nvcc")]
    if found:
        said = check.run([found[0], "--version"], seconds=30)
        version = re.search(r"release (\d+\.\d+), V([\d.]+)", said.stdout)
        if version:
            check.tool("nvcc (pip)", found[0], version.group(2))
            check.measure("pip_version", version.group(1))
            return Nvcc("pip", str(found[0]), version.group(1))
    for claim in PIPS:
        check.obstacle(claim, "tool_missing", tool="nvcc (pip)")
    return None


def compile_ptx(check: Check, nvcc: Nvcc, name: str, arch: str, source: str) -> tuple[str, str]:
    """Return the PTX, or "" and what nvcc said; it assembles too, as a build would."""
    if nvcc.broken:
        return "", ""
    file = check.scratch / f"{name}.cu"
    file.write_text(source, encoding="utf-8")
    out = check.scratch / f"{name}.{arch}.{nvcc.owner}"
    flags = ["-std=c++17", "-w", f"-arch={arch}"]
    ran = check.run([nvcc.path, *flags, "-ptx", file, "-o", f"{out}.ptx"], seconds=45)
    if ran.returncode == 0:
        text = Path(f"{out}.ptx").read_text(encoding="utf-8")
        check.artefact(f"{name}.{arch}.{nvcc.owner}.ptx", text)
        return text, ""
    said = ran.stderr + ran.stdout
    if not (NO_ARCH in said or CONFLICT in said or "__block_size__" in said):
        why = first_error(said) or f"exit {ran.returncode}"
        nvcc.broken = {"code": "tool_failed", "tool": nvcc.path, "said": why}
    return "", said


def first_error(said: str) -> str:
    """Return what a compiler said from its first error on, else its last words."""
    at = said.find("error")
    return said[max(0, at - 80) :][:300].strip() if at >= 0 else said.strip()[-300:]


def control(check: Check, compilers: list[Nvcc], plain: str) -> None:
    """A kernel without the attribute: launch bounds, and nothing exact."""
    check.step("control")
    compiled = exact = bounds = 0
    for nvcc in compilers:
        text, _said = compile_ptx(check, nvcc, "plain", "sm_90", plain)
        compiled += text != ""
        exact += ".reqntid" in text
        bounds += ".maxntid" in text
    check.measure("plain_block_size", plain.count("__block_size__"))
    check.measure("plain_launch_bounds", "__launch_bounds__(128)" in plain)
    check.measure("plain_reqntid", exact)
    check.measure("plain_maxntid", bounds)
    check.measure("plain_compiled", compiled)
    check.control_done()


def signature(source: str) -> str:
    """Return the line that defines the kernel."""
    lines = [line for line in source.splitlines() if "__global__" in line and line.endswith("{")]
    return lines[0] if lines else ""


def generated(check: Check, sources: dict[str, str]) -> None:
    """Look for the exact block size, and for launch bounds, in the generated source."""
    exact = bounds = 0
    for shape, source in sources.items():
        line = signature(source)
        exact += WANTED[shape] in line
        bounds += "__launch_bounds__" in line
        check.case("source", shape, signature=line)
    check.measure("sources", len(sources))
    check.measure("sources_exact", exact)
    check.measure("sources_with_bounds", bounds)


def metadata(check: Check, tvm: Tvm) -> None:
    """Compare the launch parameters with and without the attribute: a flag, and no value."""
    flagged = values = plain_flagged = 0
    try:
        for shape in WANTED:
            before, passed_before = tvm.launch(shape, {})
            after, passed_after = tvm.launch(shape, REQUIRED)
            flagged += after == [*before, FLAG]
            plain_flagged += FLAG in before
            values += passed_after - passed_before
            check.case("metadata", shape, without=before, required=after, passed=passed_after)
    except Exception as error:
        check.obstacle("metadata", "tool_failed", tool="tvm", said=str(error)[-300:])
        return
    check.measure("kernels_flagged", flagged)
    check.measure("plain_flagged", plain_flagged)
    check.measure("values_added", values)


def exclusive(check: Check, tvm: Tvm) -> str | None:
    """Combine with each rival attribute; return the source that has both, if TVM gives one."""
    refused = 0
    both = None
    for name, rival in RIVALS.items():
        try:
            line = signature(source := tvm.source("block", REQUIRED | rival))
            both = both or (source if "__block_size__" in line else None)
            check.case("tvm_exclusive", name, refused=False, signature=line)
        except Exception as error:
            said = str(error)[-300:]
            if "required_block_size" not in said:
                check.obstacle("tvm_exclusive", "tool_failed", tool="tvm", said=said)
                return both
            refused += 1
            check.case("tvm_exclusive", name, refused=True, said=said)
    check.measure("rivals", len(RIVALS))
    check.measure("rivals_refused", refused)
    return both


def ptx(check: Check, nvcc: Nvcc, sources: dict[str, str]) -> None:
    """Compile both kernels for each target and look for the exact size in the PTX."""
    claim = f"reqntid{suffix(nvcc)}"
    compiled = exact = 0
    for arch in check.archs:
        for shape, source in sources.items():
            text, said = compile_ptx(check, nvcc, shape, arch, source)
            if nvcc.broken:
                check.obstacle(claim, **nvcc.broken)
                return
            size = re.search(r"\.reqntid\s+128(, 1, 1)?\s", text) is not None
            cluster = re.search(rf"\.reqnctapercluster\s+{CLUSTERS[shape]}\b", text) is not None
            compiled += text != ""
            exact += size and cluster
            lines = re.findall(r"^\.(?:req|max|blocksare)\w*[^\n]*", text, re.MULTILINE)
            check.case(claim, f"{shape} {arch}", directives=" ".join(lines), said=said[-200:])
    check.measure(f"ptx_tried{suffix(nvcc)}", len(check.archs) * len(sources))
    check.measure(f"ptx_compiled{suffix(nvcc)}", compiled)
    check.measure(f"ptx_exact{suffix(nvcc)}", exact)


def combination(check: Check, nvcc: Nvcc, both: str | None) -> None:
    """Assemble a kernel that has exact size and launch bounds."""
    claim = f"nvcc_exclusive{suffix(nvcc)}"
    if both is None:
        check.obstacle(claim, "not_supported", what="__block_size__ + __launch_bounds__ (TVM)")
        return
    check.artefact("both.cu", both)
    text, said = compile_ptx(check, nvcc, "both", check.archs[0], both)
    if nvcc.broken:
        check.obstacle(claim, **nvcc.broken)
        return
    refused = CONFLICT in said
    if not text and not refused:
        check.obstacle(claim, "tool_failed", tool=nvcc.path, said=said[-300:])
        return
    check.measure(f"both_refused{suffix(nvcc)}", refused)
    check.case(claim, check.archs[0], refused=refused, version=nvcc.version, said=said[-300:])


def without_clusters(check: Check, compilers: list[Nvcc], sources: dict[str, str]) -> None:
    """Ask every compiler of CUDA 13 or newer for sm_80, which has no clusters."""
    tried = refused = 0
    for nvcc in compilers:
        if int(nvcc.version.split(".")[0]) < 13:
            continue
        text, said = compile_ptx(check, nvcc, "block", "sm_80", sources["block"])
        if text or NO_ARCH in said:
            tried += 1
            refused += not text
            check.case("sm80_refused", f"CUDA {nvcc.version}", refused=not text, said=said[:200])
    if not tried:
        broken = next((nvcc.broken for nvcc in compilers if nvcc.broken), None)
        check.obstacle("sm80_refused", **(broken or {"code": "tool_missing", "tool": "nvcc"}))
        return
    check.measure("sm80_tried", tried)
    check.measure("sm80_refused", refused)


def older(check: Check, compilers: list[Nvcc], sources: dict[str, str]) -> None:
    """Ask a toolkit before CUDA 13, where that is the chosen one, for an exact block size."""
    for nvcc in compilers:
        if nvcc.owner == "toolkit" and int(nvcc.version.split(".")[0]) < 13:
            text, said = compile_ptx(check, nvcc, "block", "sm_90", sources["block"])
            if nvcc.broken:
                check.obstacle("cuda13", **nvcc.broken)
                return
            check.measure("older_refused", not text)
            check.case("cuda13", f"CUDA {nvcc.version}", refused=not text, said=said[-300:])


if __name__ == "__main__":
    main()
