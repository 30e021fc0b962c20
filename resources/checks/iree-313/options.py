"""Options that are new: a compiler plugin loaded at run time, and rows for each dispatch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wheels import HOST, Broken, Iree

if TYPE_CHECKING:
    from readproof_harness import Check

LIBRARY = "libm.so.6"  # a library of every Linux that is no plugin: it can be opened and refused
ADD = """func.func @add(%a: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = arith.addf %a, %b : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
"""


def plugin(check: Check, iree: Iree) -> None:
    """Ask for a plugin by option and by environment; an unknown option is the control."""
    source = check.scratch / "add.mlir"
    source.write_text(ADD, encoding="utf-8")
    words = ("--compile-to=input", str(source))
    try:
        iree.must("iree-compile", *words)
        unknown = iree.run("iree-compile", "--iree-no-such-option=x", *words)
        option = iree.run("iree-compile", f"--iree-load-plugin={LIBRARY}", *words)
        missing = iree.run("iree-compile", "--iree-load-plugin=/nowhere/plugin.so", *words)
        variable = iree.run("iree-compile", *words, env={"IREE_LOAD_PLUGINS": LIBRARY})
    except Broken as broken:
        check.obstacle("plugin", "tool_failed", tool=broken.tool, said=broken.said)
        return
    check.measure("unknown_refused", outcome(unknown.returncode, unknown.stderr) == "unknown")
    check.measure("plugin_option", outcome(option.returncode, option.stderr))
    check.measure("plugin_missing", outcome(missing.returncode, missing.stderr))
    check.measure("plugin_variable", outcome(variable.returncode, variable.stderr))
    found = [outcome(each.returncode, each.stderr) for each in (option, variable)]
    check.measure("plugin_ways", sum(each == "opened" for each in found))
    for name, each in (("option", option), ("missing", missing), ("variable", variable)):
        check.case("plugin", name, exit=each.returncode, said=each.stderr.strip()[:300])


def outcome(status: int, said: str) -> str:
    """Return what became of a plugin: unknown option, ignored, not found, or opened (and refused).

    A library without the entry point is refused for lacking it, so it has been opened.
    """
    if "Unknown command line argument" in said:
        return "unknown"
    if status == 0:
        return "ignored"
    if "could not load plugin library" in said:
        return "not found"
    if "iree_get_compiler_plugin_info" in said:
        return "opened"
    return "failed"


def statistics(check: Check, iree: Iree) -> None:
    """Ask the benchmark for a row a dispatch: it takes flags that it does not know in silence."""
    source, module = check.scratch / "add.mlir", check.scratch / "add.vmfb"
    source.write_text(ADD, encoding="utf-8")
    try:
        iree.must("iree-compile", *HOST, str(source), "-o", str(module))
        base = [f"--module={module}", "--function=add", "--device=local-sync"]
        base += ["--input=1024xf32=1", "--input=1024xf32=2", "--benchmark_min_time=0.02s"]
        plain = iree.must("iree-benchmark-module", *base)
        unknown = iree.run("iree-benchmark-module", *base, "--no_such_statistics=true")
        asked = iree.run("iree-benchmark-module", *base, "--dispatch_statistics=true")
    except Broken as broken:
        check.obstacle("statistics", "tool_failed", tool=broken.tool, said=broken.said)
        return
    if asked.returncode or not rows(plain):
        said = (asked.stderr or plain)[-300:]
        check.obstacle("statistics", "tool_failed", tool="iree-benchmark-module", said=said)
        return
    check.measure("unknown_accepted", unknown.returncode == 0)
    check.measure("unknown_rows", len(dispatches(unknown.stdout)) + len(dispatches(plain)))
    found = dispatches(asked.stdout)
    check.measure("statistics_rows", len(found))
    check.measure("statistics_row", found[0] if found else "–")
    check.artefact("benchmark.txt", asked.stdout)


def rows(said: str) -> list[str]:
    """Return the rows of a benchmark."""
    return [line.strip() for line in said.splitlines() if line.startswith("BM_")]


def dispatches(said: str) -> list[str]:
    """Return the rows that belong to one dispatch: they count its calls."""
    found = [re.sub(r"\s+", " ", row) for row in rows(said)]
    return [row for row in found if "_dispatch_" in row and "calls=" in row]
