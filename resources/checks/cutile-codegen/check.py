"""Compile cuTile kernels for five architectures and look which instructions came of them."""

from __future__ import annotations

import importlib.util
from collections import Counter
from importlib import metadata
from pathlib import Path

import gpu
from compiling import SIZES, Compiler
from opcodes import COPIES, EXPECTED, LOCAL, TENSOR, copy_right, opcodes, tensor_right, told
from readproof_harness import Check

CLAIMS = ("compiles", "tensor_cores", "copies", "no_local", "gpu_correct")
Found = dict[tuple[str, str], Counter[str]]  # kernel and target


def main() -> None:
    """Compile, disassemble, count; then numbers on a GPU."""
    with Check() as check:
        try:
            compiler = Compiler()
        except Exception as error:
            said = f"{type(error).__name__}: {error}"[:300]
            for claim in CLAIMS:
                check.obstacle(claim, "import_failed", package="cuda.tile", said=said)
            return
        check.package("cuda-tile", metadata.version("cuda-tile"))
        archs = [each for each in check.archs if each in EXPECTED]
        if not archs:
            for claim in CLAIMS[:4]:
                check.obstacle(claim, "not_supported", what=", ".join(check.archs))
            return
        if control(check, compiler, archs):
            found = measured(check, compiler, archs)
            if found:
                report(check, found)
        on_gpu(check)


def disassembler() -> str | None:
    """Return the nvdisasm of the environment."""
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for each in sorted(Path(folder).glob("cu*/bin/nvdisasm")):
            return str(each)
    return None


def counted(check: Check, compiler: Compiler, name: str, arch: str) -> Counter[str] | None:
    """Compile one case and count its opcodes; None with an obstacle where a tool failed."""
    tool = disassembler()
    if tool is None:
        said = "nvdisasm"
        for claim in CLAIMS[1:4]:
            check.obstacle(claim, "tool_missing", tool=said)
        return None
    try:
        cubin = compiler.cubin(name, arch)
    except Exception as error:
        said = f"{arch} {name}: {type(error).__name__}: {error}"[:300]
        check.log(said)
        for claim in CLAIMS[:4]:
            check.obstacle(claim, "tool_failed", tool="tileiras", said=said)
        return None
    file = check.artefact(f"{name}.{arch}.cubin", cubin)
    ended = check.run([tool, "-c", file], seconds=60)
    found = opcodes(ended.stdout)
    if ended.returncode or not found:
        for claim in CLAIMS[:4]:
            check.obstacle(claim, "tool_failed", tool="nvdisasm", said=ended.stderr[-300:] or "–")
        return None
    return found


def control(check: Check, compiler: Compiler, archs: list[str]) -> bool:
    """A kernel without a product may have no tensor core in it, on any target."""
    hits = 0
    for done, arch in enumerate(archs):
        check.step("control", done, len(archs))
        found = counted(check, compiler, "plain", arch)
        if found is None:
            return False
        hits += sum(found[each] for each in TENSOR)
    check.measure("plain_tensor", hits)
    check.measure(
        "decoys_found",
        sum(opcodes("// HMMA\n.L_HGMMA:\n /*0000*/ MOV R1, UTCHMMA ;")[each] for each in TENSOR),
    )
    check.control_done()
    return True


def measured(check: Check, compiler: Compiler, archs: list[str]) -> Found:
    """Compile every kernel for every target; empty where one could not be."""
    found: Found = {}
    wanted = [(name, arch) for name in SIZES for arch in archs]
    for done, (name, arch) in enumerate(wanted):
        check.step("measure", done, len(wanted), "tensor_cores")
        counts = counted(check, compiler, name, arch)
        if counts is None:
            return {}
        found[name, arch] = counts
    return found


def report(check: Check, found: Found) -> None:
    """Turn the counts into measurements."""
    check.measure("cubins", len(found))
    check.measure("wanted", len(SIZES) * len({arch for _name, arch in found}))
    check.measure("tensor_right", sum(tensor_right(each, key[1]) for key, each in found.items()))
    check.measure("copies_right", sum(copy_right(each, key[1]) for key, each in found.items()))
    local = {key: sum(each[name] for name in LOCAL) for key, each in found.items()}
    check.measure("local_cubins", sum(count > 0 for count in local.values()))
    check.measure("local_accesses", sum(local.values()))
    kept = [f"{arch} {told(each)}" for (name, arch), each in found.items() if name == "matmul_64"]
    check.measure("shown", "; ".join(kept))
    for (name, arch), each in found.items():
        counts = {opcode: each[opcode] for opcode in (*TENSOR, *COPIES, *LOCAL)}
        check.case("tensor_cores", f"{arch} {name}", instructions=sum(each.values()), **counts)


def on_gpu(check: Check) -> None:
    """Multiply on the device and compare."""
    if not check.wants("gpu_correct") or not check.device.available:
        return
    check.step("gpu", 0, 1, "gpu_correct")
    try:
        got = check.device.run("compared", gpu.compare, check.seed)
    except Exception as error:
        check.obstacle(
            "gpu_correct", "device_failed", said=f"{type(error).__name__}: {error}"[:300]
        )
        return
    if not got:
        check.obstacle("gpu_correct", "device_failed", said="no result")
        return
    check.measure("gpu_elements", got["elements"])
    check.measure("gpu_wrong", got["wrong"])


if __name__ == "__main__":
    main()
