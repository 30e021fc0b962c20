"""Count the mma.sync of batched products with this leg's Triton, against the ideal."""

from __future__ import annotations

import re

import gpu
from compiling import Built, Compiler, Shape, instructions, over_ideal
from readproof_harness import Check

CODEGEN = ("ideal", "every_target", "every_type", "no_stack")
ON_GPU = ("gpu_right", "gpu_faster", "gpu_forty")
# Batches as large as the block's warps and smaller ones: 3.8 gave every warp a batch of its own.
SHAPES = (
    Shape(4, 16, 16, 16, 4),
    Shape(4, 32, 32, 32, 4),
    Shape(2, 64, 64, 32, 4),
    Shape(1, 64, 64, 32, 4),
    Shape(8, 32, 32, 32, 8),
    Shape(4, 64, 64, 32, 8),
    Shape(2, 64, 64, 32, 8),
    Shape(2, 128, 64, 32, 8),
    Shape(1, 64, 64, 64, 8),
    Shape(4, 32, 32, 32, 16),
    Shape(2, 64, 64, 32, 16),
    Shape(1, 128, 128, 32, 16),
)
COMMON = Shape(2, 64, 64, 32, 8)  # for other targets and types
WIDEST = Shape(1, 128, 128, 32, 16)  # where 3.8 did most in vain; timed on a GPU
TYPES = (("bf16", 80), ("fp32", 80), ("i8", 80), ("fp8e4nv", 89))
TWO = Shape(1, 64, 64, 32, 4)  # of the control
DECOYS = """
  // mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1};
  wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f1}, %rd1, %rd2;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1}, [%r2];
  /* mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 */
"""
ABOUT = 0.9  # a tenth less still is about as much


def main() -> None:
    """Measure what this leg's Triton does, and say what kept it from the rest."""
    with Check() as check:
        try:
            compiler = Compiler(check.scratch / "cache")
        except Exception as error:
            said = f"{type(error).__name__}: {error}"[:300]
            for claim in (*CODEGEN, *ON_GPU):
                check.obstacle(claim, "import_failed", package="triton", said=said)
            return
        check.package("triton", compiler.version)
        archs = [number(each) for each in check.archs]
        control(check, compiler, archs[0])
        shapes(check, compiler, archs[0])
        targets(check, compiler, archs)
        types(check, compiler)
        on_gpu(check, compiler)


def number(arch: str) -> int:
    """Return 90 for sm_90 and sm_90a: Triton adds the letter itself."""
    return int("".join(c for c in arch if c.isdigit()))


def build(
    check: Check, compiler: Compiler, shape: Shape, arch: int, kind: str, claims: tuple[str, ...]
) -> Built | None:
    """Compile the batched kernel, or say why the claims could not be measured."""
    try:
        return compiler.build("batched", shape, arch, kind)
    except Exception as error:
        said = f"sm_{arch} {kind} {shape}: {type(error).__name__}: {error}"
        check.log(said[:2000])
        for claim in claims:
            check.obstacle(claim, "tool_failed", tool="triton.compile", said=said[-300:])
        return None


def control(check: Check, compiler: Compiler, arch: int) -> None:
    """Two dimensions are ideal in any version; twice the work has to be seen."""
    check.step("control", 0, 2)
    check.measure("decoys_found", len(instructions(DECOYS)))
    try:
        check.measure("plain_ratio", over_ideal(compiler.build("plain", TWO, arch).ptx, TWO))
        check.step("control", 1, 2)
        check.measure("planted_ratio", over_ideal(compiler.build("planted", TWO, arch).ptx, TWO))
    except Exception as error:
        check.log(f"sm_{arch} control: {error}"[:2000])
        return  # the control has not been run to its end
    check.control_done()


def shapes(check: Check, compiler: Compiler, arch: int) -> None:
    """Compile every shape, count what each warp does, and look for what does not fit registers."""
    ratios: dict[Shape, float] = {}
    stacks: dict[Shape, int] = {}
    for done, shape in enumerate(SHAPES):
        check.step("measure", done, len(SHAPES), "ideal")
        built = build(check, compiler, shape, arch, "fp16", ("ideal", "no_stack"))
        if built is None:
            return
        ratios[shape] = over_ideal(built.ptx, shape)
        stack = stack_of(check, compiler, built, shape)
        if stack is not None:
            stacks[shape] = stack
        check.case(
            "ideal",
            str(shape),
            mma=len(instructions(built.ptx)),
            over_ideal=round(ratios[shape], 3),
            stack=stack,
        )
        check.artefact(f"batched.{shape.name}.sm_{arch}.ptx", built.ptx)
    worst = max(ratios, key=lambda each: ratios[each])
    check.measure("shapes", len(ratios))
    check.measure("at_ideal", sum(each == 1 for each in ratios.values()))
    check.measure("worst", round(ratios[worst], 3))
    check.measure("worst_shape", str(worst))
    if len(stacks) == len(ratios):
        check.measure("stack", max(stacks.values()))
        check.measure("stack_shapes", sum(each > 0 for each in stacks.values()))


def stack_of(check: Check, compiler: Compiler, built: Built, shape: Shape) -> int | None:
    """Return the bytes of stack a thread uses: where values go that fit no register."""
    file = check.scratch / "one.cubin"
    file.write_bytes(built.cubin)
    ended = check.run([compiler.cuobjdump, "-res-usage", file])
    found = re.search(r"\bSTACK:(\d+)", ended.stdout)
    if ended.returncode or found is None:
        said = f"{shape}: {ended.stderr or ended.stdout}"[-300:]
        check.obstacle("no_stack", "tool_failed", tool="cuobjdump", said=said)
        return None
    return int(found.group(1))


def targets(check: Check, compiler: Compiler, archs: list[int]) -> None:
    """One shape on every target."""
    ratios = []
    for done, arch in enumerate(archs):
        check.step("measure", done, len(archs), "every_target")
        built = build(check, compiler, COMMON, arch, "fp16", ("every_target",))
        if built is None:
            return
        ratios.append(over_ideal(built.ptx, COMMON))
        check.case("every_target", f"sm_{arch}", over_ideal=round(ratios[-1], 3))
    check.measure("targets", len(ratios))
    check.measure("targets_at_ideal", sum(each == 1 for each in ratios))
    check.measure("targets_worst", round(max(ratios), 3))


def types(check: Check, compiler: Compiler) -> None:
    """One shape in every other type that mma.sync takes."""
    ratios = []
    for done, (kind, arch) in enumerate(TYPES):
        check.step("measure", done, len(TYPES), "every_type")
        built = build(check, compiler, COMMON, arch, kind, ("every_type",))
        if built is None:
            return
        ratios.append(over_ideal(built.ptx, COMMON))
        check.case("every_type", f"{kind} sm_{arch}", over_ideal=round(ratios[-1], 3))
    check.measure("types", len(ratios))
    check.measure("types_at_ideal", sum(each == 1 for each in ratios))
    check.measure("types_worst", round(max(ratios), 3))


def on_gpu(check: Check, compiler: Compiler) -> None:
    """Run the shape where most was done in vain on GPU 0: numbers, and time."""
    if not check.device.available:
        for claim in ON_GPU:
            check.obstacle(claim, "gpu_missing", needed=1, found=0)
        return
    check.step("gpu")
    found = check.device.gpus[0]["compute_capability"] if check.device.gpus else "8.0"
    before = check.state()
    try:
        built = compiler.build("batched", WIDEST, number(found))
        got = check.device.run("widest", gpu.measured, built, WIDEST, check.seed)
    except Exception as error:
        got, said = None, str(error)[:300]
    else:
        said = "widest"
    if got is None:
        for claim in ON_GPU:
            check.obstacle(claim, "device_failed", said=said)
        return
    middle, low, high = gpu.interval(got["microseconds"])
    check.measure("gpu_elements", got["elements"])
    check.measure("gpu_wrong", got["wrong"])
    check.measure("gpu_us", round(middle, 3))
    check.measure("gpu_us_low", round(low, 3))
    check.measure("gpu_us_high", round(high, 3))
    check.measure("gpu_us_forty", round(40 * ABOUT * high, 3))
    check.case(
        "gpu_faster",
        str(WIDEST),
        microseconds=got["microseconds"],
        before=before,
        after=check.state(),
    )


if __name__ == "__main__":
    main()
