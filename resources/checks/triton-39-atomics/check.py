"""Compile small kernels around atomics with this leg's Triton and look for barriers in the PTX."""

from __future__ import annotations

from itertools import product

from compiling import Compiler
from ptx import around, ordered, shape
from readproof_harness import Check

CLAIMS = (
    "barrier_before",
    "barrier_after",
    "relaxed_free",
    "default_changed",
    "calls_new",
    "call_defaults",
)
KERNELS = ("add", "publish", "exchange", "lock")
SEMANTICS = ("relaxed", "acquire", "release", "acq_rel")
CALLS = {"atomic_load": "load", "atomic_store": "store", "atomic_poll": "poll"}
SAID = {"atomic_load": "acquire", "atomic_store": "release"}  # what the source says of defaults
# A used result of a compare-and-swap goes through shared memory and brings a barrier of its own.
USES_RESULT = ("lock",)
# Barriers that are none of an atomic's: of one warp, beyond another access, in a comment.
DECOYS = """
  st.global.b32 [%rd1], %r1;
  bar.sync 0;
  ld.shared.b32 %r2, [%r3];
  bar.warp.sync -1;
  // bar.sync 0;
  @%p1 atom.global.gpu.relaxed.add.u32 %r4, [%rd2], 1;
  st.shared.b32 [%r5], %r4;
  bar.sync 0;
"""

Texts = dict[tuple[str, int, str], str]  # kernel, target, semantics ("" for the default)


def main() -> None:
    """Measure what this leg's Triton does, and say what kept it from the rest."""
    with Check() as check:
        try:
            compiler = Compiler(check.scratch / "cache")
        except Exception as error:
            said = f"{type(error).__name__}: {error}"[:300]
            for claim in CLAIMS:
                check.obstacle(claim, "import_failed", package="triton", said=said)
            return
        check.package("triton", compiler.version)
        archs = [number(each) for each in check.archs]
        control(check, compiler, archs)
        texts = compile_all(check, compiler, archs)
        if texts:
            barriers(check, texts)
            relaxed(check, texts)
            defaults(check, texts, archs)
        calls(check, compiler, archs)


def number(arch: str) -> int:
    """Return 90 for sm_90 and sm_90a: Triton adds the letter itself."""
    return int("".join(c for c in arch if c.isdigit()))


def control(check: Check, compiler: Compiler, archs: list[int]) -> None:
    """Barriers written by hand have to be seen, and decoys left alone."""
    check.measure("planted", 2 * len(archs))
    check.measure("decoys_found", sum(around(DECOYS)))
    found = 0
    for done, arch in enumerate(archs):
        check.step("control", done, len(archs))
        try:
            found += sum(around(compiler.ptx("planted", arch, "relaxed")))
        except Exception as error:
            check.log(f"sm_{arch} planted: {error}"[:2000])
            return  # the control has not been run to its end
    check.measure("planted_found", found)
    check.control_done()


def compile_all(check: Check, compiler: Compiler, archs: list[int]) -> Texts:
    """Compile every kernel for every target with each semantics and with none given."""
    wanted = list(product(KERNELS, archs, ("", *SEMANTICS)))
    texts: Texts = {}
    for done, (name, arch, sem) in enumerate(wanted):
        if done % 5 == 0:
            check.step("measure", done, len(wanted), "barrier_before")
        try:
            texts[name, arch, sem] = compiler.ptx(name, arch, sem or None)
        except Exception as error:
            said = f"sm_{arch} {name} {sem}: {error}"
            check.log(said[:2000])
            for claim in CLAIMS[:4]:
                check.obstacle(claim, "tool_failed", tool="triton.compile", said=said[-300:])
            return {}
    for (name, arch, sem), text in texts.items():
        if sem in ("relaxed", "acq_rel"):
            check.artefact(f"{name}.sm_{arch}.{sem}.ptx", text)
    return texts


def barriers(check: Check, texts: Texts) -> None:
    """Count the releasing atomics with a barrier before, the acquiring ones with one after."""
    releasing = leading = acquiring = trailing = 0
    for (name, arch, sem), text in texts.items():
        if sem not in SEMANTICS:
            continue
        before, after = around(text)
        if sem in ("release", "acq_rel"):
            releasing += 1
            leading += before
        if sem in ("acquire", "acq_rel") and name not in USES_RESULT:
            acquiring += 1
            trailing += after
        claim = "relaxed_free" if sem == "relaxed" else "barrier_before"
        check.case(claim, f"sm_{arch} {name} {sem}", shape=shape(text))
    check.measure("releasing", releasing)
    check.measure("leading", leading)
    check.measure("acquiring", acquiring)
    check.measure("trailing", trailing)
    arch = next(iter(texts))[1]
    check.measure("shape_acq_rel", shape(texts["publish", arch, "acq_rel"]))


def relaxed(check: Check, texts: Texts) -> None:
    """Count the barriers around relaxed atomics."""
    free = [text for (_name, _arch, sem), text in texts.items() if sem == "relaxed"]
    check.measure("relaxed", len(free))
    check.measure("relaxed_barriers", sum(sum(around(text)) for text in free))
    arch = next(iter(texts))[1]
    check.measure("shape_relaxed", shape(texts["publish", arch, "relaxed"]))


def defaults(check: Check, texts: Texts, archs: list[int]) -> None:
    """Compare the PTX without `sem` with that of acq_rel."""
    pairs = [
        (texts[name, arch, ""], texts[name, arch, "acq_rel"])
        for name, arch in product(KERNELS, archs)
    ]
    check.measure("defaults", len(pairs))
    check.measure("defaults_acq_rel", sum(default == given for default, given in pairs))
    for name in KERNELS:
        check.case("default_changed", name, default=ordered(texts[name, archs[0], ""]))


def calls(check: Check, compiler: Compiler, archs: list[int]) -> None:
    """Look for the new calls, compile each, and read what they order by default."""
    present = [name for name in CALLS if compiler.has(name)]
    check.measure("calls", len(CALLS))
    check.measure("calls_present", len(present))
    compiled = as_said = 0
    for name in present:
        found = set()
        try:
            for arch in archs:
                text = compiler.ptx(CALLS[name], arch, None)
                check.artefact(f"{name}.sm_{arch}.ptx", text)
                found.add(ordered(text))
                check.case("calls_new", f"sm_{arch} {name}", shape=shape(text))
        except Exception as error:
            said = f"{name}: {error}"
            check.log(said[:2000])
            check.obstacle("calls_new", "tool_failed", tool="triton.compile", said=said[-300:])
            check.obstacle("call_defaults", "tool_failed", tool="triton.compile", said=said[-300:])
            continue
        compiled += 1
        as_said += found == {SAID.get(name)}
        check.measure(f"{name}_default", ", ".join(sorted(found)))
    check.measure("calls_compiled", compiled)
    if present:
        check.measure("call_defaults", len(SAID))
        check.measure("call_defaults_as_said", as_said)


main()
