"""A PT2E graph of quantize, dequantize and matmul: is it kept, made integer, and still right?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wheels import HOST, Broken, Iree, dice

if TYPE_CHECKING:
    from readproof_harness import Check

ROWS, DEPTH, COLUMNS = 16, 32, 8
SCALE, ZERO, WEIGHT_SCALE = 0.05, 3, 0.02
SWITCH = "--iree-global-opt-enable-qdq-to-integer-math"
TORCH = ("--iree-input-type=torch",)
PLAIN = """func.func @main(%x: !torch.vtensor<[16,32],f32>, %w: !torch.vtensor<[32,8],f32>)
    -> !torch.vtensor<[16,8],f32> {
  %r = torch.aten.mm %x, %w :
      !torch.vtensor<[16,32],f32>, !torch.vtensor<[32,8],f32> -> !torch.vtensor<[16,8],f32>
  return %r : !torch.vtensor<[16,8],f32>
}
"""
INTS = """  %min = torch.constant.int -128
  %max = torch.constant.int 127
  %si8 = torch.constant.int 1
  %f32 = torch.constant.int 6
"""
# Each granularity: its parameters, and the words that follow the range.
GRANULARITIES = {
    "per_channel_group": ("[8,4]", "  %group = torch.constant.int 8\n", ", %group", ", %group"),
    "per_token": ("[8,1]", "", "", ""),
}


def matmul(operator: bool) -> str:
    """Return the graph; as `torch.operator` where the version has no op of that name."""
    x, w = f"!torch.vtensor<[{ROWS},{DEPTH}],f32>", f"!torch.vtensor<[{DEPTH},{COLUMNS}],si8>"
    q, d = x.replace("f32", "si8"), w.replace("si8", "f32")
    out = f"!torch.vtensor<[{ROWS},{COLUMNS}],f32>"
    ints = ", ".join(["!torch.float", *["!torch.int"] * 4])

    def op(name: str, tensor: str, params: str, kind: str, made: str) -> str:
        none = "" if name.startswith("quantize") else ", %none"
        type_none = none and ", !torch.none"
        called = f'"torch.quantized_decomposed.{name}_per_tensor"'
        called = f"torch.operator {called}" if operator else called
        words = f"({tensor}, {params}, %min, %max, %si8{none})"
        return f"{called}{words} : ({kind}, {ints}{type_none}) -> {made}"

    return f"""func.func @main(%x: {x}, %w: {w}) -> {out} {{
{INTS}  %none = torch.constant.none
  %s = torch.constant.float {SCALE:e}
  %z = torch.constant.int {ZERO}
  %ws = torch.constant.float {WEIGHT_SCALE:e}
  %wz = torch.constant.int 0
  %xq = {op("quantize", "%x", "%s, %z", x, q)}
  %xd = {op("dequantize", "%xq", "%s, %z", q, x)}
  %wd = {op("dequantize", "%w", "%ws, %wz", w, d)}
  %r = torch.aten.mm %xd, %wd : {x}, {d} -> {out}
  return %r : {out}
}}
"""


def there_and_back(granularity: str) -> str:
    """Return a graph that quantizes and dequantizes by some granularity."""
    params, constant, first, second = GRANULARITIES[granularity]
    x, q = "!torch.vtensor<[8,32],f32>", "!torch.vtensor<[8,32],si8>"
    s, z = f"!torch.vtensor<{params},f32>", f"!torch.vtensor<{params},si8>"
    name = f"torch.quantized_decomposed.{{}}_{granularity}"
    ints = ["!torch.int"] * (4 if first else 3)
    quantize, dequantize = name.format("quantize"), name.format("dequantize")
    return f"""func.func @main(%x: {x}, %s: {s}, %z: {z}) -> {x} {{
{INTS}{constant}  %q = "{quantize}"(%x, %s, %z, %min, %max, %si8{first}) :
      ({x}, {s}, {z}, {", ".join(ints)}) -> {q}
  %d = "{dequantize}"(%q, %s, %z, %min, %max, %si8{second}, %f32) :
      ({q}, {s}, {z}, {", ".join([*ints, "!torch.int"])}) -> {x}
  return %d : {x}
}}
"""


def kept(text: str) -> int:
    """Count the LinalgExt operations that keep the meaning of quantization."""
    return len(re.findall(r"= iree_linalg_ext\.(?:de)?quantize_affine ", text))


def integer(text: str) -> int:
    """Count contractions of i8 operands that add up in i32."""
    bodies = re.findall(
        r"\^bb0\(%\w+: i8, %\w+: i8, %\w+: i32\):(.*?)linalg\.yield", text, re.DOTALL
    )
    named = re.findall(r"linalg\.\w*matmul\w* [^\n]*i8>, tensor<[^\n]*i8>\)[^\n]*xi32>", text)
    return sum("arith.muli" in body and "arith.addi" in body for body in bodies) + len(named)


def reference(x: list[float], w: list[int]) -> list[float]:
    """Return the product of the dequantized operands in float64, by the definition."""
    back = [SCALE * (max(-128, min(127, round(v / SCALE) + ZERO)) - ZERO) for v in x]
    return [
        sum(back[i * DEPTH + k] * WEIGHT_SCALE * w[k * COLUMNS + j] for k in range(DEPTH))
        for i in range(ROWS)
        for j in range(COLUMNS)
    ]


def numbers(said: str) -> list[float]:
    """Return the values that iree-run-module printed for its one result."""
    _, _, text = said.partition("xf32=")
    return [float(each) for each in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]


def measure(check: Check, iree: Iree) -> None:
    """Import the graph, look at the contraction, run it both ways and compare the numbers."""
    try:
        plain = _optimised(iree, _saved(check, "plain", PLAIN), "true")
        check.measure("plain_integer", integer(plain))
        graph = _imported(check, iree)
        if graph is None:
            check.measure("qdq_integer", 0)
            return
        on, off = (_optimised(iree, graph, switch) for switch in ("true", "false"))
        check.artefact("qdq.integer.mlir", on)
        check.measure("qdq_integer", integer(on))
        check.measure("qdq_integer_off", integer(off))
        _run_both(check, iree, graph)
    except Broken as broken:
        for claim in ("qdq", "qdq_numbers"):
            check.obstacle(claim, "tool_failed", tool=broken.tool, said=broken.said)


def _imported(check: Check, iree: Iree) -> str | None:
    """Return the file with the graph in the form this version takes, None where it takes none."""
    accepted, operations = None, 0
    for operator in (False, True):
        source = _saved(check, "qdq", matmul(operator))
        ended = iree.run("iree-compile", *TORCH, "--compile-to=input", source)
        check.case("qdq", f"operator {operator}", exit=ended.returncode, said=ended.stderr[:200])
        if ended.returncode == 0:
            accepted = source
            operations = kept(ended.stdout)
            check.artefact("qdq.input.mlir", ended.stdout)
            break
    check.measure("qdq_accepted", accepted is not None)
    check.measure("qdq_kept", operations)
    whole = 0
    for name in GRANULARITIES:
        source = _saved(check, name, there_and_back(name))
        ended = iree.run("iree-compile", *TORCH, "--compile-to=input", source)
        whole += ended.returncode == 0 and kept(ended.stdout) == 2
        check.case("qdq", name, exit=ended.returncode, kept=kept(ended.stdout))
    check.measure("granularities", len(GRANULARITIES))
    check.measure("granularities_kept", whole)
    return accepted


def _saved(check: Check, name: str, text: str) -> str:
    path = check.scratch / f"{name}.mlir"
    path.write_text(text, encoding="utf-8")
    return str(path)


def _optimised(iree: Iree, source: str, switch: str) -> str:
    """Return the module after global optimization; a version without the switch gets none."""
    words = (*TORCH, *HOST, "--compile-to=global-optimization", source)
    ended = iree.run("iree-compile", f"{SWITCH}={switch}", *words)
    if "Unknown command line argument" in ended.stderr:
        return iree.must("iree-compile", *words)
    if ended.returncode:
        raise Broken("iree-compile", ended)
    return ended.stdout


def _run_both(check: Check, iree: Iree, source: str) -> None:
    """Run the graph as integers and as floats on this CPU, against float64."""
    draw = dice(check.seed)
    # no value near the middle of two steps: f32 and float64 may round such ones apart
    steps = [draw.randint(-140, 140) + draw.uniform(-0.4, 0.4) for _ in range(ROWS * DEPTH)]
    x = [round(SCALE * step, 5) for step in steps]
    w = [draw.randint(-128, 127) for _ in range(DEPTH * COLUMNS)]
    wanted = reference(x, w)
    largest = max(map(abs, wanted))
    for name, switch in (("integer", "true"), ("float", "false")):
        module = str(check.scratch / f"{name}.vmfb")
        ended = iree.run("iree-compile", f"{SWITCH}={switch}", *TORCH, *HOST, source, "-o", module)
        if "Unknown command line argument" in ended.stderr:
            return
        if ended.returncode:
            raise Broken("iree-compile", ended)
        inputs = (
            f"--input={ROWS}x{DEPTH}xf32={' '.join(map(str, x))}",
            f"--input={DEPTH}x{COLUMNS}xi8={' '.join(map(str, w))}",
        )
        words = (f"--module={module}", "--function=main", "--device=local-sync", *inputs)
        said = iree.must("iree-run-module", *words, "--output_max_element_count=4096")
        found = numbers(said)
        if len(found) == len(wanted):
            error = max(abs(a - b) for a, b in zip(found, wanted, strict=True)) / largest
            check.measure(f"qdq_error_{name}", float(f"{error:.2g}"))
        check.artefact(f"qdq.{name}.txt", said)
