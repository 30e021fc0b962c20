"""What this machine has, as lines of a page."""

from __future__ import annotations

from pathlib import Path

from reader.gui import words
from reader.gui.workbench import Bench
from reader.language import _


def lines(bench: Bench, store: Path) -> list[tuple[str, str]]:
    """Return names and texts; a line without text is a heading."""
    machine = bench.machine
    found: list[tuple[str, str]] = [
        (_("Machine"), ""),
        (_("System"), machine.system),
        ("CPU", f"{machine.cpu} · {machine.cores}"),
        (_("Memory"), f"{machine.memory_mb / 1024:.0f} GB"),
        (_("Disk"), _("{n} GB free").format(n=bench.free_gb)),
    ]
    found += [
        ("GPU", f"{gpu.name} · {gpu.compute_capability} · {gpu.memory_mb / 1024:.0f} GB")
        for gpu in machine.gpus
    ] or [("GPU", machine.no_gpu_reason or _("none found"))]
    if machine.driver:
        found.append((_("Driver"), machine.driver))
    found.append((_("CUDA toolkits"), ""))
    found += [
        (each.version, f"{each.root} · {', '.join(name for name, _path in each.tools)}")
        for each in bench.toolkits
    ] or [(_("none found"), _("checks that need nvcc wait"))]
    found += [(_("broken"), f"{root}: {why}") for root, why in bench.broken]
    found.append(("Python", ""))
    found += [(each.version, f"{each.path} · {each.origin}") for each in bench.interpreters]
    found.append((_("Checks"), ""))
    for check in bench.checks:
        here = sum(each.here for each in bench.preflight(check))
        text = _("{n} claims, {here} can be settled here").format(n=len(check.claims), here=here)
        found.append((check.name, f"{words.text_of(check.title)} · {text}"))
    found += [(_("broken"), each) for each in bench.faults]
    return [*found, (_("Store"), ""), (_("File"), str(store))]
