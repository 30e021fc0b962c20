"""Compile three kernels with sched4reg off and on for each target, and report what differs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import gpu
from compiling import KERNELS, Built, Compiler, opcodes
from readproof_harness import Check
from resources_used import Usage, occupancy

CODEGEN = ("option_per_kernel", "ptx_differs", "same_opcodes", "isolation")
REGISTERS = ("registers", "registers_toolkit")
ON_GPU = ("gpu_correct", "gpu_latency")
COMPILES = 24
WORKERS = (1, 4, 24)
PLANTED = (3, 8, 15, 20)  # which of the 24 compiles the test double swaps
TOO_OLD = ("Unsupported .version", "is not defined for option 'gpu-name'", "requires PTX ISA")

Key = tuple[str, int]
Pairs = dict[Key, tuple[Built, Built]]


def main() -> None:
    """Measure what this machine can, and say what kept it from the rest."""
    with Check() as check:
        try:
            compiler = Compiler(check.scratch)
            present = compiler.has_option
        except Exception as error:
            said = f"{type(error).__name__}: {error}"[:300]
            everything(check, "import_failed", package="triton", said=said)
            return
        check.package("triton", compiler.version)
        check.measure("option_present", present)
        if not present:
            return
        check.step("control", 0, 3)
        plant_leak(check)
        pairs = compile_pairs(check, compiler)
        if not pairs:
            return
        codegen(check, pairs)
        defaults(check, compiler, pairs)
        isolation(check, compiler)
        registers(check, compiler, pairs)
        on_gpu(check, compiler)


def everything(check: Check, code: str, **params: Any) -> None:
    """Say of every claim why it could not be measured."""
    for claim in (*CODEGEN, *REGISTERS, *ON_GPU):
        check.obstacle(claim, code, **params)


def compile_pairs(check: Check, compiler: Compiler) -> Pairs:
    """Compile every kernel for every target with the option off and on."""
    wanted = [(name, number(arch)) for arch, name in product(check.archs, KERNELS)]
    pairs: Pairs = {}
    failed = 0
    said = ""
    for done, (name, arch) in enumerate(wanted):
        check.step("measure", done, len(wanted), "ptx_differs")
        try:
            pairs[name, arch] = (
                compiler.build(name, arch, False),
                compiler.build(name, arch, True),
            )
        except Exception as error:
            failed += 1
            said = f"sm_{arch} {name}: {error}"
            check.log(said[:2000])
    check.measure("pairs", len(pairs))
    check.measure("pairs_failed", failed)
    if not pairs:
        everything(check, "tool_failed", tool="triton.compile", said=said[-400:])
    return pairs


def number(arch: str) -> int:
    """Return 90 for sm_90 and sm_90a: Triton adds the letter itself."""
    return int("".join(c for c in arch if c.isdigit()))


def codegen(check: Check, pairs: Pairs) -> None:
    """Compare the PTX of each pair, text and opcodes."""
    differ = same = 0
    for (name, arch), (off, on) in pairs.items():
        counted = opcodes(off.ptx), opcodes(on.ptx)
        differ += off.ptx != on.ptx
        same += counted[0] == counted[1]
        check.case(
            "ptx_differs",
            f"sm_{arch} {name}",
            differs=off.ptx != on.ptx,
            same_opcodes=counted[0] == counted[1],
            instructions=sum(counted[0].values()),
        )
        check.artefact(f"{name}.sm_{arch}.false.ptx", off.ptx)
        check.artefact(f"{name}.sm_{arch}.true.ptx", on.ptx)
    check.measure("pairs_different", differ)
    check.measure("pairs_same_opcodes", same)


def defaults(check: Check, compiler: Compiler, pairs: Pairs) -> None:
    """Compile again with equal options and fresh caches (the control), and with none given."""
    again = unlike = recorded = 0
    for done, ((name, arch), (off, on)) in enumerate(pairs.items()):
        check.step("control", done, len(pairs))
        compiler.fresh_cache()
        again += compiler.build(name, arch, False).ptx != off.ptx
        compiler.fresh_cache()
        unlike += compiler.build(name, arch, None).ptx != off.ptx
        recorded += off.recorded is False and on.recorded is True
    check.measure("equal_options_different", again)
    check.measure("default_unlike_false", unlike)
    check.measure("pairs_recorded", recorded)
    check.control_done()


def alternate(compile_one: Callable[[int, bool], str], workers: int) -> list[tuple[bool, str]]:
    """Compile 24 times, off and on in turn, by so many workers."""
    policies = [bool(n % 2) for n in range(COMPILES)]
    with ThreadPoolExecutor(workers) as pool:
        return list(zip(policies, pool.map(compile_one, range(COMPILES), policies), strict=True))


def leaks(built: list[tuple[bool, str]], reference: dict[bool, str]) -> tuple[int, int]:
    """Count the compiles that gave the other policy's text, and those that gave neither."""
    wrong = [text for policy, text in built if text != reference[policy]]
    strays = sum(text not in reference.values() for text in wrong)
    return len(wrong) - strays, strays


def plant_leak(check: Check) -> None:
    """Let a double swap the policies of four compiles: the detector has to find just those."""
    reference = {False: "the text of false", True: "the text of true"}

    def leaky(n: int, policy: bool) -> str:
        return reference[policy is not (n in PLANTED)]

    found, _strays = leaks(alternate(leaky, WORKERS[1]), reference)
    check.measure("planted_leaks", len(PLANTED))
    check.measure("planted_leaks_found", found)


def isolation(check: Check, compiler: Compiler) -> None:
    """Alternate the policies in one process with 1, 4 and 24 threads."""
    arch = number(check.archs[0])
    reference = {policy: compiler.build("products", arch, policy).ptx for policy in (False, True)}
    check.measure("policies_distinct", reference[False] != reference[True])
    leaked = strays = 0
    try:
        for workers in WORKERS:
            check.step("measure", workers, WORKERS[-1], "isolation")
            compiler.fresh_cache()
            built = alternate(lambda _n, p: compiler.build("products", arch, p).ptx, workers)
            found, neither = leaks(built, reference)
            leaked, strays = leaked + found, strays + neither
            check.case("isolation", f"{workers} workers", leaks=found, strays=neither)
    except Exception as error:
        check.obstacle("isolation", "tool_failed", tool="triton.compile", said=str(error)[:400])
        return
    check.measure("isolation_compiles", COMPILES * len(WORKERS))
    check.measure("leaks", leaked)
    check.measure("strays", strays)


def registers(check: Check, compiler: Compiler, pairs: Pairs) -> None:
    """Count registers, spills and occupancy by Triton's own ptxas and by the user's."""

    def own(arch: int) -> str:
        path, version = compiler.own_ptxas(arch)
        check.tool(f"ptxas (triton, sm_{arch})", path, version)
        return path

    assemble(check, "registers", "", pairs, own)
    if not check.wants("registers_toolkit"):
        return
    path = (check.toolkit or {}).get("ptxas")
    if not check.toolkit or not path:
        check.obstacle("registers_toolkit", "tool_missing", tool="ptxas")
        return
    check.tool("ptxas", path, check.toolkit["release"])
    check.measure("toolkit_version", check.toolkit["version"])
    readable = for_toolkit(check, compiler, pairs, check.toolkit["version"])
    if readable:
        assemble(check, "registers_toolkit", "toolkit_", readable, lambda _arch: path)


def for_toolkit(check: Check, compiler: Compiler, pairs: Pairs, version: str) -> Pairs:
    """Return the pairs in a PTX version that the toolkit reads, compiled again where needed."""
    newest = compiler.ptx_version(version)
    readable: Pairs = {}
    for (name, arch), pair in pairs.items():
        if compiler.ptx_version(compiler.own_ptxas(arch)[1]) <= newest:
            readable[name, arch] = pair
            continue
        try:
            readable[name, arch] = (
                compiler.build(name, arch, False, newest),
                compiler.build(name, arch, True, newest),
            )
        except Exception as error:
            check.log(f"sm_{arch} {name} as PTX {newest}: {error}"[:500])
    check.measure("toolkit_ptx", f"{newest // 10}.{newest % 10}")
    if not readable:
        check.obstacle("registers_toolkit", "not_supported", what=f"PTX (ptxas, CUDA {version})")
    return readable


def assemble(
    check: Check, claim: str, prefix: str, pairs: Pairs, ptxas: Callable[[int], str]
) -> None:
    """Assemble each pair and report what changes."""
    rows: list[tuple[str, Usage, Usage]] = []
    problem: dict[str, str] = {}
    for (name, arch), pair in pairs.items():
        tool = ptxas(arch)
        usages: list[Usage] = []
        for built in pair:
            source = check.scratch / "kernel.ptx"
            source.write_text(built.ptx, encoding="utf-8")
            output = check.scratch / "kernel.cubin"
            # Triton passes the second to its own ptxas; the user's runs with its defaults.
            flags = ["-v", *([] if prefix else ["--regAllocOptLevel=2"])]
            flags.append(f"--gpu-name={built.target}")
            ran = check.run([tool, *flags, source, "-o", output], seconds=60)
            try:
                if ran.returncode:
                    raise ValueError(ran.stderr[-300:])
                usages.append(Usage(ran.stderr + ran.stdout))
            except ValueError as error:
                said = str(error) or f"exit {ran.returncode}"
                problem = {"code": "tool_failed", "tool": tool, "said": said}
                if any(each in said for each in TOO_OLD):
                    what = f"{built.target} (ptxas, CUDA {(check.toolkit or {}).get('version')})"
                    problem = {"code": "not_supported", "what": f"{what}: {said}"}
                break
        if len(usages) == 2:
            rows.append((f"sm_{arch} {name}", usages[0], usages[1]))
            describe(check, claim, name, arch, pair, usages)
        elif problem["code"] == "tool_failed":
            break  # a ptxas that fails or hangs would do so for each pair
    if not rows or problem.get("code") == "tool_failed":
        check.obstacle(claim, **(problem or {"code": "tool_failed", "tool": "ptxas"}))
        return
    summarise(check, prefix, rows)


def describe(
    check: Check, claim: str, name: str, arch: int, pair: tuple[Built, Built], usages: list[Usage]
) -> None:
    """Keep the row behind a pair's registers."""
    values: dict[str, Any] = {}
    for label, built, usage in zip(("false", "true"), pair, usages, strict=True):
        values[f"registers_{label}"] = usage.registers
        values[f"spilled_{label}"] = usage.spilled
        percent = occupancy(arch, usage.registers, built.threads, built.shared)
        values[f"occupancy_{label}"] = percent
    check.case(claim, f"sm_{arch} {name}", **values)


def summarise(check: Check, prefix: str, rows: list[tuple[str, Usage, Usage]]) -> None:
    """Report how many pairs change, and the two that change most."""
    steps = [(on.registers - off.registers, name, off, on) for name, off, on in rows]
    check.measure(f"{prefix}pairs_assembled", len(rows))
    check.measure(f"{prefix}registers_lower", sum(step < 0 for step, *_ in steps))
    check.measure(f"{prefix}registers_higher", sum(step > 0 for step, *_ in steps))
    check.measure(f"{prefix}registers_changed", sum(step != 0 for step, *_ in steps))
    spills = sum(off.spilled != on.spilled for _name, off, on in rows)
    check.measure(f"{prefix}spills_changed", spills)
    for label, pick in (("drop", min), ("rise", max)):
        _step, name, off, on = pick(steps, key=lambda row: row[0])
        check.measure(f"{prefix}{label}_where", name)
        check.measure(f"{prefix}{label}_false", off.registers)
        check.measure(f"{prefix}{label}_true", on.registers)


def on_gpu(check: Check, compiler: Compiler) -> None:
    """Run both builds of each kernel on GPU 0."""
    if not check.device.available:
        for claim in ON_GPU:
            check.obstacle(claim, "gpu_missing", needed=1, found=0)
        return
    found = check.device.gpus[0]["compute_capability"] if check.device.gpus else "9.0"
    arch = number(found)
    check.step("gpu")
    try:
        builds = {
            name: (compiler.build(name, arch, False), compiler.build(name, arch, True))
            for name in KERNELS
        }
        correctness(check, builds)
        latency(check, *builds["layernorm"])
    except Exception as error:
        for claim in ON_GPU:
            check.obstacle(claim, "device_failed", said=str(error)[:300])


def correctness(check: Check, builds: dict[str, tuple[Built, Built]]) -> None:
    """Count wrong elements of both builds against the float64 reference."""
    elements = wrong = 0
    for name, pair in builds.items():
        for label, built in zip(("false", "true"), pair, strict=True):
            key = f"wrong_{name}_{label}"
            found = check.device.run(key, gpu.count_wrong, name, built, check.seed)
            if found is None:
                check.obstacle("gpu_correct", "device_failed", said=key)
                return
            elements, wrong = elements + found["elements"], wrong + found["wrong"]
            check.case("gpu_correct", f"{name} {label}", **found)
    check.measure("gpu_elements", elements)
    check.measure("gpu_wrong", wrong)


def latency(check: Check, off: Built, on: Built) -> None:
    """Compare the times of both builds, beside those of one build against itself (A/A)."""
    builds = {"false": off, "again": off, "true": on}
    times = check.device.run("latency", gpu.time_samples, "layernorm", builds, check.seed)
    if times is None:
        check.obstacle("gpu_latency", "device_failed", said="latency")
        return
    check.raced("gpu_latency", times["false"], times["again"], times["true"], unit="microseconds")


if __name__ == "__main__":
    main()
