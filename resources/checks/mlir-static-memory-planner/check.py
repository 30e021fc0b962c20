"""Have MLIR's static memory planner plan programs, and look at its plans with a checker of ours."""

from __future__ import annotations

import statistics

import flows
import growth
import programs
from planner import Broken, Planner
from readproof_harness import Check

PLANNED = ("one_arena", "no_overlap", "best_fit_saves", "arena_freed")
CLAIMS = (*PLANNED, "aliases", "branches", "guard", "arena_fits", "linear")
PROGRAMS = 25
NEEDED, SMALL = 230, 16  # bytes of the program whose arena is an argument, and too few
ALGORITHMS = ("trivial", "best-fit")


def main() -> None:
    """Measure what the pass does, and say what kept it from the rest."""
    with Check() as check:
        try:
            planner = Planner(check)
        except Broken as broken:
            for claim in CLAIMS:
                check.obstacle(claim, "tool_failed", tool="mlir-opt", said=str(broken))
            return
        check.measure("planner", f"{'mlir-opt' if planner.own else 'iree-opt'} {planner.version}")
        check.step("control")
        for claims, measure in (
            (PLANNED, random_programs),
            (("aliases", "branches", "guard"), names),
            (("arena_fits",), argument),
            (("linear",), growth.measure),
        ):
            try:
                measure(check, planner)
            except Broken as broken:
                for claim in claims:
                    check.obstacle(claim, "tool_failed", tool="mlir-opt", said=str(broken))
        check.control_done()


def random_programs(check: Check, planner: Planner) -> None:
    """Plan 25 programs with both algorithms; a spoiled plan of each has to be noticed."""
    counted = ("arenas", "overlaps", "misplaced", "worse", "found", "buffers", "freed")
    count = dict.fromkeys(counted, 0)
    ratios: dict[str, list[float]] = {name: [] for name in ALGORITHMS}
    planned: dict[str, int] = dict.fromkeys(ALGORITHMS, 0)
    for number in range(PROGRAMS):
        check.step("measure", number, PROGRAMS, "no_overlap")
        buffers = programs.generated(check.seed * 1000 + number)
        count["buffers"] += len(buffers)
        text = programs.written(buffers, planner.alloc)
        check.artefact(f"program.{number}.mlir", text)
        arenas = []
        for algorithm in ALGORITHMS:
            ended = planner.run(text, algorithm)
            plan = programs.read(ended.stdout)
            check.artefact(f"program.{number}.{algorithm}.mlir", ended.stdout or ended.stderr)
            if plan is None or not programs.whole(plan, buffers):
                continue
            count["arenas"] += 1
            count["overlaps"] += programs.overlaps(buffers, plan.offsets)
            count["misplaced"] += programs.misplaced(buffers, plan)
            ratios[algorithm].append(plan.arena / programs.peak(buffers))
            planned[algorithm] += plan.arena
            count["freed"] += plan.freed
            arenas.append(plan.arena)
            if algorithm == "best-fit":
                spoiled = programs.spoiled(buffers, plan.offsets)
                count["found"] += programs.overlaps(buffers, spoiled) > 0
        count["worse"] += len(arenas) == len(ALGORITHMS) and arenas[1] > arenas[0]
        row = dict(zip(ALGORITHMS, arenas, strict=False))
        check.case("best_fit_saves", f"program {number}", peak=programs.peak(buffers), **row)
    check.measure("programs", PROGRAMS)
    check.measure("buffers", count["buffers"])
    check.measure("plans", PROGRAMS * len(ALGORITHMS))
    check.measure("arenas", count["arenas"])
    check.measure("planted", len(ratios["best-fit"]))
    check.measure("planted_found", count["found"])
    check.measure("decoys_found", decoys())
    if all(ratios.values()):
        check.measure("arenas_freed", count["freed"])
        check.measure("overlaps", count["overlaps"])
        check.measure("misplaced", count["misplaced"])
        check.measure("best_fit_worse", count["worse"])
        check.measure("trivial_bytes", planned["trivial"])
        check.measure("best_fit_bytes", planned["best-fit"])
        check.measure("trivial_ratio", round(statistics.fmean(ratios["trivial"]), 3))
        check.measure("best_fit_ratio", round(statistics.fmean(ratios["best-fit"]), 3))


def decoys() -> int:
    """Count what the checker finds where there is no fault: side by side, and one after another."""
    first = programs.Buffer(8, "i8", 0, born=0, dies=2)
    beside = programs.Buffer(8, "i8", 0, born=1, dies=3)
    later = programs.Buffer(8, "i8", 0, born=2, dies=4)
    return programs.overlaps([first, beside, later], [0, 8, 0])


def names(check: Check, planner: Planner) -> None:
    """Plan the programs in which a buffer goes by several names."""
    handled = [_planned(check, planner, "aliases", flow) for flow in flows.FLOWS]
    check.measure("flows", len(handled))
    check.measure("flows_planned", sum(handled))
    branches = [_planned(check, planner, "branches", flow) for flow in flows.BRANCHES]
    check.measure("branches", len(branches))
    check.measure("branches_planned", sum(branches))
    refusals = [planner.run(flow.text, "best-fit").stderr for flow in flows.BRANCHES]
    check.measure("branches_said", next((_error(each) for each in refusals if each), "–"))
    kept, unsafe = 0, []
    for flow in flows.GUARDED:
        ended = planner.run(flow.text, "best-fit")
        safe = bool(ended.returncode) or "memref.dealloc" in ended.stdout
        said = _error(ended.stderr)
        check.case("guard", flow.name, exit=ended.returncode, kept=safe, said=said)
        kept += safe
        if not safe:
            unsafe.append(flow.name)
            check.artefact(f"guard.{len(unsafe)}.mlir", flow.text + "\n// becomes\n" + ended.stdout)
    check.measure("guards", len(flows.GUARDED))
    check.measure("guards_kept", kept)
    check.measure("guards_lost", ", ".join(unsafe) or "–")


def _planned(check: Check, planner: Planner, claim: str, flow: flows.Flow) -> bool:
    """Whether the program was planned and what must stay apart does."""
    ended = planner.run(flow.text, "best-fit")
    plan = programs.read(ended.stdout)
    good = ended.returncode == 0 and plan is not None and len(plan.offsets) == flow.buffers
    if good and plan is not None:
        at = plan.offsets
        good = not plan.left and all(abs(at[a] - at[b]) >= 100 for a, b in flow.apart)
    check.case(claim, flow.name, planned=good, exit=ended.returncode, said=_error(ended.stderr))
    return good


def argument(check: Check, planner: Planner) -> None:
    """Hand the pass an arena that is large enough, then one that is far too small."""
    fits = planner.run(flows.in_argument(NEEDED), "best-fit", "arg")
    small = planner.run(flows.in_argument(SMALL), "best-fit", "arg")
    check.measure("arena_needed", NEEDED)
    check.measure("arena_given", SMALL)
    check.measure("fitting_planned", fits.returncode == 0 and "memref.view" in fits.stdout)
    check.measure("small_noticed", bool(small.returncode or small.stderr.strip()))
    check.artefact("small.arena.mlir", small.stdout or small.stderr)


def _error(said: str) -> str:
    return next((line.partition("error: ")[2] for line in said.splitlines() if "error" in line), "")


if __name__ == "__main__":
    main()
