"""Link separately compiled GPU parts by NVIDIA's LTO and compare with the whole program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import gpu
from jitlink import JitLink, LinkError
from readproof_harness import Check
from toolchain import KERNELS, PARTS, Toolchain, ToolError, packaged

if TYPE_CHECKING:
    from collections.abc import Callable

    from sass import Kernel

CLAIMS = ("lto_equal", "plain_apart", "fallback", "flags_kept", "mixed_refused")
FTZ = "-ftz=true"
Kernels = dict[str, "Kernel"]


class Bench:
    """What every measurement needs: both toolchains' parts and the JIT linker."""

    def __init__(self, check: Check, root: Path) -> None:
        self.check, self.root = check, root
        self.tools = Toolchain(check, root, root, "packaged")
        self.jit = JitLink(next(iter(sorted(root.glob("lib*/libnvJitLink.so.*")))))

    def jitted(self, files: list[Path], arch: str, *options: str) -> Kernels:
        """Return what nvJitLink makes of LTO files."""
        cubin = self.tools.scratch / "jitted.cubin"
        cubin.write_bytes(self.jit.link(files, [f"-arch={arch}", "-lto", *options]))
        return self.tools.read(cubin)


def main() -> None:
    """Measure what the packages of the environment do, then the user's own toolkit."""
    with Check() as check:
        try:
            bench = Bench(check, packaged())
        except (ImportError, OSError, StopIteration, AttributeError) as error:
            said = f"{type(error).__name__}: {error}"[:300]
            for claim in (*CLAIMS, "toolkit_equal", "gpu_correct", "gpu_latency"):
                check.obstacle(claim, "import_failed", package="nvidia-cuda-nvcc", said=said)
            return
        said = bench.tools.run("nvcc", "--version")
        version = said.rpartition("release ")[2].split(",")[0].strip()
        check.tool("nvcc", bench.root / "bin" / "nvcc", version)
        check.tool("nvJitLink", bench.root / "lib", bench.jit.version)
        check.measure("packaged_version", version)
        check.measure("jit_version", bench.jit.version)
        for group, claims in (
            (control, CLAIMS),
            (composed, ("lto_equal", "plain_apart", "fallback")),
            (flags, ("flags_kept",)),
            (mixed, ("mixed_refused",)),
            (toolkit, ("toolkit_equal",)),
            (on_gpu, ("gpu_correct", "gpu_latency")),
        ):
            guarded(check, bench, group, claims)


def guarded(
    check: Check, bench: Bench, group: Callable[[Check, Bench], None], claims: tuple[str, ...]
) -> None:
    """Run one group of measurements; a tool that fails is an obstacle for its claims."""
    try:
        group(check, bench)
    except ToolError as error:
        for claim in claims:
            check.obstacle(claim, "tool_failed", tool=error.tool, said=error.said)
    except LinkError as error:
        for claim in claims:
            check.obstacle(claim, "tool_failed", tool="nvJitLink", said=str(error)[-300:])


def control(check: Check, bench: Bench) -> None:
    """The same twice has to be equal; a part that may not be inlined has to be seen."""
    arch = check.archs[0]
    check.step("control", 0, 1)
    whole = bench.tools.read(bench.tools.compile("whole", arch, "cubin"))
    again = bench.tools.read(bench.tools.compile("whole", arch, "cubin", "-lineinfo"))
    files = [
        bench.tools.compile(
            part, arch, "ltoir", *(["-DPART=__noinline__"] if part == "dot" else [])
        )
        for part in PARTS
    ]
    planted = bench.jitted(files, arch)
    check.measure("repeated_same", same(whole, again))
    check.measure("planted_same", same(whole, planted))
    check.measure("planted_calls", total(planted, "calls") - total(whole, "calls"))
    check.control_done()


def same(one: Kernels, other: Kernels) -> int:
    """Count the kernels with the same instructions, registers and stack."""
    return sum(name in other and one[name] == other[name] for name in KERNELS if name in one)


def total(kernels: Kernels, field: str) -> int:
    """Sum a figure over the kernels themselves, leaving out what they call."""
    return sum(int(getattr(kernels[name], field)) for name in KERNELS if name in kernels)


def instructions(kernels: Kernels) -> dict[str, int]:
    """Return the number of instructions of each kernel."""
    return {name: len(kernels[name].code) for name in KERNELS if name in kernels}


def ratio(over: Kernels, under: Kernels) -> float:
    """Return the largest ratio of instructions over all kernels."""
    counts, base = instructions(over), instructions(under)
    return max(counts.get(name, 0) / base[name] for name in base)


def composed(check: Check, bench: Bench) -> None:
    """Each architecture: whole, linked by nvlink's LTO and by nvJitLink, and linked plainly."""
    found: dict[str, list[Kernels]] = {"whole": [], "lto": [], "jit": [], "plain": []}
    tools = bench.tools
    for done, arch in enumerate(check.archs):
        check.step("measure", done, len(check.archs), "lto_equal")
        whole = tools.compile("whole", arch, "cubin")
        parts = [tools.compile(part, arch, "ltoir") for part in PARTS]
        plain = [tools.compile(part, arch, "rdc") for part in PARTS]
        linked = tools.nvlink(parts, arch, f"linked.{arch}.cubin", lto=True)
        apart = tools.nvlink(plain, arch, f"plain.{arch}.cubin", lto=False)
        for name, kernels in (
            ("whole", tools.read(whole)),
            ("lto", tools.read(linked)),
            ("jit", bench.jitted(parts, arch)),
            ("plain", tools.read(apart)),
        ):
            found[name].append(kernels)
            rows(check, arch, name, kernels)
        check.artefact(f"whole.{arch}.cubin", whole.read_bytes())
        check.artefact(f"linked.{arch}.cubin", linked.read_bytes())
    check.measure("kernels", sum(len(instructions(each)) for each in found["whole"]))
    for name, each in found.items():
        for field in ("calls", "local", "stack", "registers"):
            check.measure(f"{name}_{field}", sum(total(kernels, field) for kernels in each))
        pairs = list(zip(each, found["whole"]))  # noqa: B905 — Python 3.9
        check.measure(f"{name}_same", sum(same(one, other) for one, other in pairs))
        check.measure(f"{name}_ratio", max(ratio(one, other) for one, other in pairs))
    pairs = list(zip(found["lto"], found["jit"]))  # noqa: B905 — Python 3.9
    check.measure("linkers_same", sum(same(one, other) for one, other in pairs))


def rows(check: Check, arch: str, way: str, kernels: Kernels) -> None:
    """Keep the row behind each figure."""
    for name in KERNELS:
        if name in kernels:
            each = kernels[name]
            check.case(
                "plain_apart" if way == "plain" else "lto_equal",
                f"{arch} {name} {way}",
                instructions=len(each.code),
                registers=each.registers,
                calls=each.calls,
                stack=each.stack,
                local=each.local,
            )


def flags(check: Check, bench: Bench) -> None:
    """Give every part -ftz=true: does the link keep it, and does saying it again help?"""
    kept = relinked = count = by_nvlink = 0
    worst = 1.0
    for arch in check.archs[:1]:
        check.step("measure", 0, 1, "flags_kept")
        whole = bench.tools.read(bench.tools.compile("whole", arch, "cubin", FTZ))
        parts = [bench.tools.compile(part, arch, "ltoir", FTZ) for part in PARTS]
        silent, said = bench.jitted(parts, arch), bench.jitted(parts, arch, "-ftz=1")
        carried = [bench.tools.compile(part, arch, "fatbin", FTZ) for part in PARTS]
        linked = bench.tools.nvlink(carried, arch, f"ftz.{arch}.cubin", lto=True)
        count += len(instructions(whole))
        kept += same(whole, silent)
        relinked += same(whole, said)
        by_nvlink += same(whole, bench.tools.read(linked))
        worst = max(worst, ratio(silent, whole))
        check.case(
            "flags_kept",
            arch,
            whole=instructions(whole),
            linked=instructions(silent),
            told_again=instructions(said),
        )
    check.measure("ftz_kernels", count)
    check.measure("ftz_same", kept)
    check.measure("ftz_ratio", worst)
    check.measure("ftz_told_same", relinked)
    check.measure("ftz_nvlink_same", by_nvlink)


def mixed(check: Check, bench: Bench) -> None:
    """Link parts of which one has other flags than the rest."""
    arch = check.archs[0]
    check.step("measure", 0, 1, "mixed_refused")
    equal = [bench.tools.compile(part, arch, "fatbin", FTZ) for part in PARTS]
    bench.tools.nvlink(equal, arch, "equal.cubin", lto=True)  # equal flags have to be taken
    files = [bench.tools.compile("dot", arch, "fatbin"), *equal[1:]]
    try:
        bench.tools.nvlink(files, arch, "mixed.cubin", lto=True)
        check.measure("mixed_refused", False)
        check.measure("mixed_said", "–")
    except ToolError as error:
        if "do not match" not in error.said:
            raise
        check.measure("mixed_refused", True)
        check.measure("mixed_said", error.said)
    try:
        bench.jitted(files, arch)
        check.measure("mixed_jit_taken", True)
    except LinkError:
        check.measure("mixed_jit_taken", False)


def toolkit(check: Check, bench: Bench) -> None:
    """Compile by the user's own nvcc, link by nvlink where it can, else by nvJitLink."""
    if not check.wants("toolkit_equal") or check.toolkit is None:
        return
    own = Toolchain(check, Path(check.toolkit["root"]), bench.root, "toolkit")
    check.tool("nvcc (toolkit)", check.toolkit["nvcc"], check.toolkit["release"])
    check.measure("toolkit_version", check.toolkit["version"])
    count = equal = alone = 0
    linker, worst = "nvlink", 1.0
    for done, arch in enumerate(check.archs):
        check.step("measure", done, len(check.archs), "toolkit_equal")
        whole = own.read(own.compile("whole", arch, "cubin"))
        parts = [own.compile(part, arch, "ltoir") for part in PARTS]
        try:
            linked = own.read(own.nvlink(parts, arch, f"linked.{arch}.cubin", lto=True))
            one = whole
        except ToolError as error:
            check.log(f"nvlink -lto of CUDA {check.toolkit['version']}: {error.said}")
            linker = f"nvJitLink {bench.jit.version}"
            linked = bench.jitted(parts, arch)
            one = bench.jitted([own.compile("whole", arch, "ltoir")], arch)
        count += len(instructions(whole))
        equal += same(whole, linked)
        alone += same(one, linked)
        worst = max(worst, ratio(linked, one))
        rows(check, arch, f"CUDA {check.toolkit['version']} whole", whole)
        rows(check, arch, f"CUDA {check.toolkit['version']} {linker}", linked)
    check.measure("toolkit_kernels", count)
    check.measure("toolkit_linker", linker)
    check.measure("toolkit_same", equal)
    check.measure("toolkit_same_backend", alone)
    check.measure("toolkit_ratio", worst)


def on_gpu(check: Check, bench: Bench) -> None:
    """Numbers first, then time."""
    if not check.wants("gpu_latency") or not check.device.available:
        return
    gpus = check.device.gpus
    arch = "sm_" + (gpus[0]["compute_capability"] if gpus else "9.0").replace(".", "")
    check.step("gpu", 0, 4, "gpu_latency")
    parts = [bench.tools.compile(part, arch, "ltoir") for part in PARTS]
    cubins = {
        "whole": str(bench.tools.compile("whole", arch, "cubin")),
        "linked": str(bench.tools.nvlink(parts, arch, "gpu.cubin", lto=True)),
    }
    measure_on_gpu(check, cubins)


def measure_on_gpu(check: Check, cubins: dict[str, str]) -> None:
    """Run both builds on the device: every kernel's numbers, then a race for each."""
    try:
        compared = check.device.run("compared", gpu.compare, cubins, check.seed)
        raced = {
            name: check.device.run(f"times_{name}", gpu.times, cubins, name, check.seed)
            for name in (KERNELS if compared and not compared["wrong"] else ())
        }
    except (gpu.DriverError, OSError) as error:
        for claim in ("gpu_correct", "gpu_latency"):
            check.obstacle(claim, "device_failed", said=str(error)[-300:])
        return
    if not compared:
        for claim in ("gpu_correct", "gpu_latency"):
            check.obstacle(claim, "device_failed", said="no result")
        return
    check.measure("gpu_elements", compared["elements"])
    check.measure("gpu_wrong", compared["wrong"])
    if compared["wrong"]:
        said = f"{compared['wrong']} / {compared['elements']}"
        check.obstacle("gpu_latency", "wrong_result", said=said)
    for name, arms in raced.items():
        if arms:
            check.raced(
                "gpu_latency", arms["baseline"], arms["again"], arms["candidate"], name=name
            )


if __name__ == "__main__":
    main()
