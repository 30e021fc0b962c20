"""Matmuls for CUDA targets: which compile, in which PTX version, with which mma."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from wheels import Broken, Compiled, Iree, first_error, mma

if TYPE_CHECKING:
    from readproof_harness import Check

SIZE = 256
KNOWN = "sm_80"  # a target of both versions: where it fails, the set-up is at fault
FP8_FIRST = ("sm_89", "sm_120")  # where IREE itself knows an FP8 mma
# The PTX that each needs: FP8 mma.sync came with 8.4, the targets with 8.7 and 8.8 (PTX ISA).
NEEDED = {"sm_89": 8.4, "sm_120": 8.7, "sm_121": 8.8}
CLAIMS = ("ptx_version", "fp8", "fp8_everywhere", "fp8_sass")


def program(element: str) -> str:
    """Return a matmul of `element` operands that adds up in f32."""
    operand, total = f"tensor<{SIZE}x{SIZE}x{element}>", f"tensor<{SIZE}x{SIZE}xf32>"
    return f"""func.func @mm(%a: {operand}, %b: {operand}) -> {total} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {total}
  %f = linalg.fill ins(%z : f32) outs(%e : {total}) -> {total}
  %r = linalg.matmul ins(%a, %b : {operand}, {operand}) outs(%f : {total}) -> {total}
  return %r : {total}
}}
"""


def compiled(iree: Iree, element: str, arch: str) -> Compiled:
    """Compile one matmul for one target; raises Broken where the tool itself failed."""
    place = iree.check.scratch / f"{element}.{arch}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    source = place / "mm.mlir"
    source.write_text(program(element), encoding="utf-8")
    ended = iree.run(
        "iree-compile",
        "--iree-hal-target-device=cuda",
        f"--iree-cuda-target={arch}",
        f"--iree-hal-dump-executable-binaries-to={place}",
        str(source),
        "-o",
        str(place / "mm.vmfb"),
    )
    text = "".join(each.read_text(encoding="utf-8") for each in sorted(place.glob("*.ptx")))
    if ended.returncode or not text:
        said = first_error(ended.stderr)
        if not said:
            raise Broken("iree-compile", ended)
        return Compiled(arch, "", said)
    iree.check.artefact(f"{element}.{arch}.ptx", text)
    return Compiled(arch, text, "")


def measure(check: Check, iree: Iree) -> bool:
    """Compile for each target asked for; False where the control could not be run."""
    try:
        base = compiled(iree, "f16", KNOWN)
        plain = compiled(iree, "f32", KNOWN)
        if not base.ptx or not plain.ptx:
            _stopped(check, "iree-compile", f"{KNOWN}: {base.said or plain.said}")
            return False
        check.measure("mma_planted", mma(base.ptx))
        check.measure("mma_decoys", mma(plain.ptx, "e4m3") + mma(base.ptx, "e4m3"))
        check.measure("mma_comments", mma("// mma.sync.aligned.m16n8k32.e4m3\n/*\nmma.sync.x\n*/"))
        archs = [arch.rstrip("af") for arch in check.archs]
        halves: dict[str, Compiled] = {}
        eights: dict[str, Compiled] = {}
        for done, arch in enumerate(archs):
            check.step("measure", done, len(archs), "fp8")
            halves[arch] = compiled(iree, "f16", arch)
            if not halves[arch].no_target:
                eights[arch] = compiled(iree, "f8E4M3FN", arch)
    except Broken as broken:
        _stopped(check, broken.tool, broken.said)
        return False
    report(check, halves, eights)
    assembled(check, eights)
    return True


def report(check: Check, halves: dict[str, Compiled], eights: dict[str, Compiled]) -> None:
    """Count what compiled, target by target."""
    missing = [arch for arch, each in halves.items() if each.no_target]
    check.measure("no_target", ", ".join(missing) or "–")
    asked = [arch for arch in eights if arch in NEEDED]
    check.measure("targets", len(asked))
    enough = [arch for arch in asked if halves[arch].ptx_version >= NEEDED[arch]]
    check.measure("ptx_enough", len(enough))
    check.measure("ptx_versions", ", ".join(_version(halves[arch]) for arch in asked) or "–")
    first = [arch for arch in asked if arch in FP8_FIRST]
    good = [arch for arch in asked if mma(eights[arch].ptx, "e4m3")]
    check.measure("fp8_targets", len(first))
    check.measure("fp8_compiled", sum(arch in good for arch in first))
    check.measure("fp8_all_compiled", len(good))
    counts = [f"{arch} {mma(each.ptx, 'e4m3')}" for arch, each in eights.items() if each.ptx]
    check.measure("fp8_mma", ", ".join(counts) or "0")
    refused = [f"{arch}: {each.said}" for arch, each in eights.items() if not each.ptx]
    check.measure("fp8_refused", "; ".join(refused)[:300] or "–")
    for name, each in (("f16", halves), ("f8E4M3FN", eights)):
        for arch, one in each.items():
            check.case(
                "fp8", f"{arch} {name}", ptx=one.ptx_version, mma=mma(one.ptx), said=one.said
            )


def assembled(check: Check, eights: dict[str, Compiled]) -> None:
    """Have ptxas take the FP8 kernels and count the tensor core instructions in the SASS."""
    ready = {arch: each for arch, each in eights.items() if arch in FP8_FIRST and each.ptx}
    if not ready or not check.wants("fp8_sass") or not check.toolkit:
        return
    disassembler = _disassembler(check)
    if disassembler is None:
        check.obstacle("fp8_sass", "tool_missing", tool="nvdisasm")
        return
    taken, counts = 0, []
    for arch, each in ready.items():
        cubin = check.scratch / f"{arch}.cubin"
        source = check.scratch / f"{arch}.ptx"
        source.write_text(each.ptx, encoding="utf-8")
        ptxas = check.run([check.toolkit["ptxas"], f"-arch={arch}", source, "-o", cubin])
        if ptxas.returncode:
            code = "not_supported" if "nsupported .version" in ptxas.stderr else "tool_failed"
            check.obstacle("fp8_sass", code, tool="ptxas", said=ptxas.stderr[-300:])
            return
        sass = check.run([disassembler, "-c", cubin])
        if sass.returncode:
            check.obstacle("fp8_sass", "tool_failed", tool="nvdisasm", said=sass.stderr[-300:])
            return
        check.artefact(f"f8E4M3FN.{arch}.sass", sass.stdout)
        count = sass.stdout.count("QMMA.")
        counts.append(f"{arch} {count}")
        taken += count == mma(each.ptx, "e4m3")
    check.tool("ptxas", check.toolkit["ptxas"], check.toolkit.get("release", ""))
    check.tool("nvdisasm", disassembler, "")
    check.measure("sass_targets", len(ready))
    check.measure("sass_equal", taken)
    check.measure("sass_qmma", ", ".join(counts))


def _disassembler(check: Check) -> str | None:
    toolkit = (check.toolkit or {}).get("nvdisasm")
    if toolkit:
        return toolkit
    from importlib.util import find_spec

    spec = find_spec("nvidia")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = [each for folder in folders for each in Path(folder).glob("cu*/bin/nvdisasm")]
    return str(found[0]) if found else None


def _version(each: Compiled) -> str:
    return f"{each.arch} {each.ptx_version}" if each.ptx else f"{each.arch} –"


def _stopped(check: Check, tool: str, said: str) -> None:
    for claim in CLAIMS:
        check.obstacle(claim, "tool_failed", tool=tool, said=said)
