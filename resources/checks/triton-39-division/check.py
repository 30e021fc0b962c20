"""Divide in every way this leg's Triton knows: opcodes in PTX, and errors in numbers."""

from __future__ import annotations

import json
import math
import sys
from array import array
from itertools import product

import gpu
from compiling import Compiler, approximate, divisions
from quotients import operands, worst
from readproof_harness import Check

CODEGEN = ("approx_new", "only_when_asked", "default_same")
CLAIMS = (*CODEGEN, "not_with_rounding", "interpreter_error", "gpu_error", "gpu_plain_error")
# The ways of dividing that ask for no approximation, and what their opcodes are compared by.
OTHERS = ("slash", "fdiv", "fdiv_rounded", "div_rn", "softmax", "sigmoid")
COMPARED = ("slash", "fdiv", "fdiv_rounded", "div_rn")
# Nothing of this divides approximately: a comment, a file's name, exact ones, another function.
DECOYS = """
  // div.approx.f32 %r1, %r2, %r3;
  .file 1 "div.approx.f32"
  div.full.f32 %r1, %r2, %r3;
  @%p1 div.rn.f32 %r1, %r2, %r3;
  rcp.rn.f32 %r1, %r2;
  ex2.approx.f32 %r1, %r2;
  mul.f32 %r1, %r2, %r3;
"""
PLANTED_ULPS = 3
MOST_ULPS = 1e9  # stands for what is no number at all


def main() -> None:
    """Measure what this leg's Triton does, and say what kept it from the rest."""
    with Check() as check:
        try:
            compiler = Compiler(check.scratch / "cache")
        except Exception as error:
            obstacles(check, CLAIMS, "import_failed", "triton", error)
            return
        check.package("triton", compiler.version)
        archs = [number(each) for each in check.archs]
        control(check, compiler, archs)
        check.measure("approx_present", compiler.has_approx())
        plain(check, compiler, archs)
        approx(check, compiler, archs)
        interpreted(check, compiler)
        on_gpu(check, compiler)


def number(arch: str) -> int:
    """Return 90 for sm_90 and sm_90a: Triton adds the letter itself."""
    return int("".join(c for c in arch if c.isdigit()))


def obstacles(check: Check, claims: tuple[str, ...], code: str, name: str, error: object) -> None:
    """Say of some claims why they could not be measured."""
    said = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else str(error)
    check.log(said[:2000])
    which = {"package": name} if code == "import_failed" else {"tool": name}
    for claim in claims:
        check.obstacle(claim, code, said=said[-300:], **which)


def control(check: Check, compiler: Compiler, archs: list[int]) -> None:
    """An approximate division by hand has to be seen, and an error put in on purpose."""
    check.measure("planted", len(archs))
    check.measure("decoys_found", int(approximate(divisions(DECOYS))))
    over, under = operands(check.seed, 1024)
    exact = array("f", (x / y for x, y in zip(over, under)))  # noqa: B905 — Python 3.9
    check.measure("exact_ulps", worst(exact, over, under))
    spoilt = 7
    unit = math.ldexp(1.0, math.frexp(exact[spoilt])[1] - 24)
    exact[spoilt] += PLANTED_ULPS * unit
    check.measure("planted_ulps", worst(exact, over, under))
    found = 0
    for done, arch in enumerate(archs):
        check.step("control", done, len(archs))
        try:
            found += approximate(divisions(compiler.build("planted", arch).ptx))
        except Exception as error:
            check.log(f"sm_{arch} planted: {error}"[:2000])
            return  # the control has not been run to its end
    check.measure("planted_found", found)
    check.control_done()


def plain(check: Check, compiler: Compiler, archs: list[int]) -> None:
    """Compile every division that asks for no approximation and list what divides in it."""
    forms: dict[str, set[str]] = {name: set() for name in OTHERS}
    approximated = 0
    wanted = list(product(OTHERS, archs))
    for done, (name, arch) in enumerate(wanted):
        check.step("measure", done, len(wanted), "only_when_asked")
        try:
            text = compiler.build(name, arch).ptx
        except Exception as error:
            obstacles(check, CODEGEN, "tool_failed", "triton.compile", error)
            return
        found = divisions(text)
        approximated += approximate(found)
        forms[name].add(" ".join(found) or "–")
        check.artefact(f"{name}.sm_{arch}.ptx", text)
    for name in OTHERS:
        check.case("only_when_asked", name, opcodes=", ".join(sorted(forms[name])))
    check.measure("others", len(wanted))
    check.measure("others_approximate", approximated)
    listed = (f"{name}: {', '.join(sorted(forms[name]))}" for name in COMPARED)
    check.measure("plain_opcodes", "; ".join(listed))
    check.measure("slash_opcode", ", ".join(sorted(forms["slash"])))
    check.measure("rounded_opcode", ", ".join(sorted(forms["fdiv_rounded"])))


def approx(check: Check, compiler: Compiler, archs: list[int]) -> None:
    """Ask for approximation: what divides then, and what is refused."""
    check.measure("targets", len(archs))
    compiled = instructions = 0
    said = ""
    for arch in archs:
        try:
            text = compiler.build("approximate", arch).ptx
        except Exception as error:
            said = f"sm_{arch}: {error}"
            check.log(said[:2000])
            continue
        compiled += 1
        instructions += divisions(text) == ("div.approx.f32",)
        check.artefact(f"approximate.sm_{arch}.ptx", text)
        check.case("approx_new", f"sm_{arch}", opcodes=" ".join(divisions(text)))
    if compiled < len(archs) and compiler.has_approx():
        obstacles(check, ("approx_new",), "tool_failed", "triton.compile", said)
        return
    check.measure("approx_compiled", compiled)
    check.measure("approx_instructions", instructions)
    if said:
        check.case("approx_new", "refused", said=said[-200:])
    if compiled:
        refused(check, compiler, archs[0])


def refused(check: Check, compiler: Compiler, arch: int) -> None:
    """Try what the documentation rules out: together with rounding, and on float64."""
    tried = (("refused_rounding", "fp32", "ieee_rounding"), ("approximate", "fp64", "float32"))
    right = 0
    for name, kind, word in tried:
        said = "it compiles"
        try:
            compiler.build(name, arch, kind)
        except Exception as error:
            said = f"{error} {error.__cause__ or ''}"
            right += word in said
        check.case("not_with_rounding", f"{name} {kind}", said=said[-200:])
    check.measure("ruled_out", len(tried))
    check.measure("ruled_out_refused", right)


def interpreted(check: Check, compiler: Compiler) -> None:
    """Divide in Triton's interpreter and compare with float64."""
    check.step("interpreter")
    names = ["approximate", "slash"] if compiler.has_approx() else ["slash"]
    script = check.folder / "interpreted.py"
    ended = check.run(
        [sys.executable, script, str(check.seed), *names], seconds=120, cwd=check.folder
    )
    if ended.returncode:
        said = ended.stderr[-300:]
        obstacles(check, ("interpreter_error",), "tool_failed", "TRITON_INTERPRET=1", said)
        return
    found = json.loads(ended.stdout.strip().splitlines()[-1])
    check.measure("quotients", found["quotients"])
    check.measure("interpreter_slash_ulps", round(found["worst"]["slash"], 3))
    if "approximate" in found["worst"]:
        check.measure("interpreter_ulps", round(found["worst"]["approximate"], 3))


def on_gpu(check: Check, compiler: Compiler) -> None:
    """Divide on GPU 0, approximately and plainly, and compare with float64."""
    for claim, name, measure in (
        ("gpu_error", "approximate", "gpu_ulps"),
        ("gpu_plain_error", "slash", "gpu_plain_ulps"),
    ):
        if not check.device.available:
            check.obstacle(claim, "gpu_missing", needed=1, found=0)
            continue
        if name == "approximate" and not compiler.has_approx():
            continue  # what is not there has no error; the other leg has it
        check.step("gpu", claim=claim)
        found = check.device.gpus[0]["compute_capability"] if check.device.gpus else "9.0"
        try:
            built = compiler.build(name, number(found))
            error = check.device.run(measure, gpu.error, built, name, check.seed)
        except Exception as failed:
            check.obstacle(claim, "device_failed", said=str(failed)[:300])
            continue
        if error is None:
            check.obstacle(claim, "device_failed", said=measure)
        else:
            check.measure(measure, round(min(error, MOST_ULPS), 3))


if __name__ == "__main__":
    main()
