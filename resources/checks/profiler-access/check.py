"""Say whether this machine can profile a GPU's kernels, and if not which setting forbids it."""

from __future__ import annotations

import os
from pathlib import Path

from attempt import DENIED, Said, build, over_bare, profile, sets
from planted import ANSWERS, TREES, answer, tree
from readproof_harness import Check
from setting import Setting, profilers, version

ON_GPU = ("counters", "foretold", "dearer", "smallest")


def main() -> None:
    """Read the settings, then attempt it where there is a GPU."""
    with Check() as check:
        root = Path(check.chosen.get("root", "/")).expanduser()
        control(check)
        setting = Setting(root)
        report(check, setting)
        ncu = nsight(check, root)
        attempt(check, setting, ncu)


def control(check: Check) -> None:
    """Planted machines and planted answers of ncu have to be told apart."""
    right = 0
    for name, (files, forbidden, kept) in TREES.items():
        found = Setting(tree(check.scratch / "planted" / name, files))
        right += (bool(found.forbids), found.kept) == (forbidden, kept)
    for said, outcome in ANSWERS.items():
        right += answer(Said(said)) == outcome
    check.measure("planted", len(TREES) + len(ANSWERS))
    check.measure("planted_right", right)
    check.control_done()


def report(check: Check, setting: Setting) -> None:
    """Report what the files say."""
    check.measure("driver_loaded", setting.driver)
    check.measure("admin_only", setting.admin_only)
    check.measure("kept", setting.kept)
    check.measure("kept_in", setting.kept_in or "–")
    check.measure("sys_admin", setting.sys_admin)
    check.measure("perfmon", setting.perfmon)
    check.measure("wsl", setting.wsl)
    check.measure("in_container", bool(setting.container))
    check.measure("container", setting.container or "–")
    check.measure("forbidden", bool(setting.forbids))
    check.measure("forbids", setting.forbids or "–")
    check.measure("change", setting.change)
    told = setting.admin_only >= 0
    check.measure("setting_known", told and not setting.wsl)
    check.measure("both_known", told and setting.kept >= 0)
    for name in ("admin_only", "kept", "sys_admin", "perfmon", "container", "wsl"):
        check.case("permitted", name, value=getattr(setting, name))


def nsight(check: Check, root: Path) -> str | None:
    """Find every ncu and ask the first that answers for its version; return its path."""
    path = os.environ.get("PATH", "") if root == Path("/") else ""
    if check.toolkit and root == Path("/"):
        path = os.pathsep.join([path, str(Path(check.toolkit["root"], "bin"))])
    found = profilers(root, path)
    check.measure("ncu_count", len(found))
    failed: dict[str, str] = {}
    for ncu in found:
        ended = check.run([ncu, "--version"], seconds=60)
        number = version(ended.stdout)
        said = (ended.stderr or ended.stdout).strip()[-300:]
        check.case("ncu_installed", str(ncu), version=number, exit=ended.returncode)
        failed = failed or {"tool": str(ncu), "said": said or f"exit {ended.returncode}"}
        if ended.returncode == 0 and number:
            check.tool("ncu", ncu, number)
            check.measure("ncu_works", True)
            check.measure("ncu_path", str(ncu))
            check.measure("ncu_version", number)
            return str(ncu)
    if failed:
        check.obstacle("ncu_installed", "tool_failed", **failed)
    else:
        check.measure("ncu_works", False)
        check.measure("ncu_path", "–")
        check.measure("ncu_version", "–")
    return None


def attempt(check: Check, setting: Setting, ncu: str | None) -> None:
    """Profile a small program: only that settles it."""
    wanted = [claim for claim in ON_GPU if check.wants(claim)]
    if not wanted or not check.device.available:
        return
    if ncu is None:
        for claim in wanted:
            check.obstacle(claim, "tool_missing", tool="ncu")
        return
    program = check.scratch / "probe" if check.device.simulated else build(check)
    if isinstance(program, str):
        for claim in wanted:
            check.obstacle(claim, "tool_failed", tool="nvcc", said=program)
        return
    check.step("gpu", 0, 2, "counters")
    ended = check.device.run("attempt", profile, check, ncu, str(program), ["--set", "basic"])
    said = Said(ended["said"]) if ended else None
    if ended is None or said is None or not (said.counters or said.denied):
        for claim in wanted:
            tail = (ended or {"said": "no result"})["said"][-300:]
            check.obstacle(claim, "tool_failed", tool="ncu", said=tail)
        return
    check.artefact("ncu.basic.csv", ended["said"])
    check.measure("counters_came", said.counters)
    check.measure("counters_denied", said.denied)
    check.measure("denial", DENIED if said.denied else "–")
    check.measure("foretold_right", bool(setting.forbids) == said.denied)
    if said.denied:
        for claim in ("dearer", "smallest"):
            check.obstacle(claim, "tool_failed", tool="ncu", said=DENIED)
        return
    compare_sets(check, ncu, str(program))


def compare_sets(check: Check, ncu: str, program: str) -> None:
    """Compare what the sets of sections cost and name."""
    check.step("gpu", 1, 2, "dearer")
    found = check.device.run("sets", sets, check, ncu, program)
    if not found:
        for claim in ("dearer", "smallest"):
            check.obstacle(claim, "tool_failed", tool="ncu", said="no result")
        return
    for name, factor in over_bare(found["seconds"]).items():
        check.measure(f"{name}_over_bare", factor)
        check.case("dearer", name, seconds=found["seconds"][name])
    over = over_bare(found["seconds"])
    check.measure("full_over_small", over["full"] / over["small"])
    small, full = (Said(found["said"][name]).limiters for name in ("small", "full"))
    check.measure("kernels", len(full))
    check.measure("same_limiter", sum(small.get(name) == full[name] for name in full))
    right = {"moves": "memory", "computes": "compute"}
    check.measure("limiter_right", sum(small.get(name) == what for name, what in right.items()))


if __name__ == "__main__":
    main()
