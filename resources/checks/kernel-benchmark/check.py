"""Race a candidate against its baseline: right first, then no tricks, then time."""

from __future__ import annotations

import pairs
from cheats import all_of_them, honest, inputs
from examine import Examined, compare, examine, poor
from readproof_harness import Check

HERE = ("correct", "honest", "faster")
ON_GPU = ("gpu_correct", "gpu_honest", "gpu_faster")
STEPS = 12_000
ROUNDS, REPEATS = 96, 5
STRETCH = 12  # rounds with one copy of each program


def main() -> None:
    """Run the control, then the pair on the CPU, then on a GPU where there is one."""
    with Check() as check:
        control(check)
        on_cpu(check)
        on_gpu(check)


def work(steps: int) -> int:
    """Something that takes a time in proportion to its steps."""
    found = 0
    for each in range(steps):
        found += each & 3
    return found


def control(check: Check) -> None:
    """Cheats have to be caught, the same told equal to itself, planted slowness seen."""
    check.step("control", 0, 3)
    caught = 0
    cheats = all_of_them()
    for name, cheat in cheats.items():
        found = examine(cheat, inputs, honest)
        caught += bool(found.refused)
        check.case("control", f"cheat: {name}", caught=bool(found.refused), why=found.refused)
    check.measure("cheats", len(cheats))
    check.measure("cheats_caught", caught)
    check.measure("honest_caught", int(bool(examine(honest, inputs, honest).refused)))
    check.step("control", 1, 3)
    check.race("control", candidate=same, baseline=same, name="aa", rounds=24, repeats=3)
    check.step("control", 2, 3)
    check.race("control", candidate=slower, baseline=same, name="planted", rounds=24, repeats=3)
    check.control_done()


def same() -> int:
    """The control's baseline."""
    return work(STEPS)


def slower() -> int:
    """A fifth more of it."""
    return work(STEPS * 6 // 5)


def on_cpu(check: Check) -> None:
    """Compare, look for tricks, race, and compare once more."""
    check.step("measure", 0, 3, "correct")
    try:
        pair = pairs.chosen(check)
        given = pair.inputs(1)
    except pairs.NoPair as none:
        for claim in HERE:
            check.obstacle(claim, none.code, **none.params)
        return
    if any(getattr(each, "is_cuda", False) for each in given):
        for claim in HERE:
            check.obstacle(claim, "not_supported", what="input on a GPU, timed by the CPU's clock,")
        return
    check.measure("pair", pair.name)
    check.measure("against", pair.against)
    if poor(given):
        for claim in HERE:
            check.obstacle(claim, "not_supported", what="input of zeros or one constant")
        return
    found = examined(check, pair)
    if found is None or refused(check, "faster", found.refused):
        return
    check.step("measure", 1, 3, "faster")
    check.race(
        "faster",
        candidate=pair.arm(0),
        baseline=pair.arm(1),
        again=pair.arm(2),
        inputs=pair.fresh(STRETCH * 3 * REPEATS),
        rounds=ROUNDS,
        repeats=REPEATS,
        seconds=20.0,
        block=STRETCH,
    )
    check.step("measure", 2, 3, "correct")
    for seed in range(501, 504):  # what skips its work after many calls is seen now
        compare(found, pair.candidate, pair.inputs(seed), pair.reference)
    report(check, found)


def examined(check: Check, pair: pairs.Pair) -> Examined | None:
    """Examine the candidate; one that raises is a program that failed, not one that is wrong."""
    try:
        found = examine(pair.candidate, pair.inputs, pair.reference)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[-300:]
        for claim in HERE:
            check.obstacle(claim, "tool_failed", tool=pair.name, said=said)
        return None
    report(check, found)
    return found


def report(check: Check, found: Examined) -> None:
    """Report what is known of the candidate so far."""
    check.measure("compared", found.compared)
    check.measure("wrong", found.wrong)
    check.measure("worst", found.worst)
    check.measure("tricks", len(found.tricks))
    check.measure("tricks_found", ", ".join(found.tricks) or "0")


def refused(check: Check, claim: str, why: str) -> bool:
    """Say that times of such a candidate mean nothing."""
    if why:
        check.obstacle(claim, "wrong_result", said=why)
    return bool(why)


def on_gpu(check: Check) -> None:
    """The same on the device, where there is one and PyTorch."""
    if not any(check.wants(claim) for claim in ON_GPU):
        return
    try:
        from gpu import measured

        found = check.device.run("race", measured, check)
    except pairs.NoPair as none:
        code, params = none.code, none.params
    except ImportError as error:
        code, params = "import_failed", {"package": "torch", "said": str(error)[:300]}
    except Exception as error:
        code, params = "device_failed", {"said": f"{type(error).__name__}: {error}"[-300:]}
    else:
        if found is not None:
            from_gpu(check, found)
            return
        code, params = "device_failed", {"said": "no result"}
    for claim in ON_GPU:
        check.obstacle(claim, code, **params)


def from_gpu(check: Check, found: dict[str, object]) -> None:
    """Report what came from the device; its times only of what is right and plays no tricks."""
    tricks = dict(found.get("tricks") or {})  # type: ignore[call-overload]
    if found.get("torch"):
        check.package("torch", str(found["torch"]))
    if found.get("poor"):
        for claim in ON_GPU:
            check.obstacle(claim, "not_supported", what="input of zeros or one constant")
        return
    for name in ("compared", "wrong"):
        check.measure(f"gpu_{name}", int(str(found[name])))
    check.measure("gpu_tricks", len(tricks))
    check.measure("gpu_tricks_found", ", ".join(tricks) or "0")
    why = [f"{found['wrong']} of {found['compared']} results are wrong"] if found["wrong"] else []
    why += [f"{name}: {said}" for name, said in tricks.items()]
    if refused(check, "gpu_faster", "; ".join(why)):
        return
    times = found["times"]
    check.raced(
        "gpu_faster",
        times["baseline"],  # type: ignore[index]
        times["again"],  # type: ignore[index]
        times["candidate"],  # type: ignore[index]
        before=found.get("before"),
        after=found.get("after"),
    )


if __name__ == "__main__":
    main()
