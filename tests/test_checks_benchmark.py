"""kernel-benchmark without waiting: cheats caught, wrong kernels refused, a GPU handed in."""

from __future__ import annotations

import importlib
import math
import random
from array import array
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reader.model import VerdictKind as V
from tests.test_checks_scripts import handed, modules, parameters, verdicts

__all__ = ["handed"]

NAME = "kernel-benchmark"
CONTROL = {"cheats": 8, "cheats_caught": 8, "honest_caught": 0}
A_GPU = [{"name": "a GPU", "compute_capability": "9.0"}]
GPU_CLAIMS = ("gpu_correct", "gpu_honest", "gpu_faster")


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Any]:
    """Import the check's modules as a leg does."""
    with modules(NAME, tmp_path) as folder:
        yield SimpleNamespace(
            folder=folder,
            **{
                name: importlib.import_module(name)
                for name in ("check", "cheats", "examine", "gpu", "pairs", "values")
            },
        )


@pytest.fixture
def behaved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the control's races have gone as they should; here it is not run."""
    from reader.checks import races

    numbers = {"aa_apart": 0, "planted_ratio": 1.2}
    monkeypatch.setattr(races, "of_control", lambda _leg, _threshold: numbers)


TRICKS = {
    "wrong tail": "",
    "too few bits": "",
    "nothing done": "",
    "kept by place": "cached_result",
    "kept by content": "skipped_work",
    "one output": "shared_output",
    "in place": "output_over_input",
    "later": "deferred_work",
}


def test_every_cheat_is_caught_for_what_it_does(script: Any) -> None:
    cheats = script.cheats.all_of_them()
    assert cheats.keys() == TRICKS.keys()
    for name, cheat in cheats.items():
        found = script.examine.examine(cheat, script.cheats.inputs, script.cheats.honest)
        assert found.refused, name
        assert bool(found.wrong) == (not TRICKS[name]) or TRICKS[name] in found.tricks, name
    honest = script.cheats.honest
    assert not script.examine.examine(honest, script.cheats.inputs, honest).refused


def test_errors_are_measured_against_the_largest_value(script: Any) -> None:
    error, bound = script.values.error, script.values.bound
    assert error(array("f", [1.0, 2.0]), [1.0, 2.0]) == 0.0
    assert error([1.0, 2.2], [1.0, 2.0]) == pytest.approx(0.1)
    for wrong in ([1.0], [1.0, math.nan], [1.0, math.inf], []):
        assert error(wrong, [1.0, 2.0]) == math.inf
    assert bound(array("f", [1.0])) > bound(array("d", [1.0])) > 0
    assert bound(array("i", [1])) == 0.0
    half = SimpleNamespace(dtype="torch.float16")
    assert bound(half) == script.values.BOUNDS["float16"]
    assert script.values.bound(SimpleNamespace(dtype="torch.float8_e4m3fn")) == 0.25
    assert script.examine.poor([array("d", bytes(800))])
    assert script.examine.poor([[3.0] * 100])
    assert not script.examine.poor(script.cheats.inputs(1))


MINE = """
from array import array
import random

def inputs(seed):
    dice = random.Random(seed)
    return [array("d", (dice.random() for _each in range(64)))]

def reference(x):
    return [2.0 * each for each in x]

def good(x):
    return array("d", (each + each for each in x))

def wrong(x):
    return array("d", (each * 2.001 for each in x))

def raises(x):
    raise RuntimeError("not on this machine")

def zeros(seed):
    return [array("d", bytes(512))]
"""


def users(tmp_path: Path, script: Any, candidate: str, text: str = MINE, **more: Any) -> Any:
    """Return a check of the user's own pair; its race is noted, not run."""
    file = tmp_path / "mine.py"
    file.write_text(text, "utf-8")
    chosen = {"candidate": f"{file}:{candidate}", "baseline": f"{file}:good"} | more
    given = parameters(NAME, script.folder, tmp_path, chosen=chosen)
    one = script.check.Check(given)
    one.raced_claims = []

    def note(claim: str, **others: Any) -> None:
        one.raced_claims.append(claim)
        script.check.Check.raced(one, claim, *[[1.0] * 12] * 3)
        assert len({tuple(others["inputs"](n)[0]) for n in range(16)}) == 16
        one.arms = {name: others[name] for name in ("candidate", "baseline", "again")}

    one.race = note
    return one


def test_a_users_pair_is_right_and_then_timed(tmp_path: Path, script: Any, behaved: None) -> None:
    check = users(tmp_path, script, "good")
    script.check.on_cpu(check)
    check.control_done()
    check.finish()
    found = verdicts(NAME, tmp_path, CONTROL)
    assert check.raced_claims == ["faster"]
    assert (found["correct"], found["honest"]) == (V.CONFIRMED, V.CONFIRMED)
    assert found["faster"] is not V.CONFIRMED  # it is the baseline


def test_each_arm_is_another_copy_of_its_program_and_turns(tmp_path: Path, script: Any) -> None:
    """Where code lies in memory makes it faster or slower: one copy of it tells too little."""
    check = users(tmp_path, script, "good")
    pair = script.pairs.chosen(check)
    assert len(pair.copies) == script.pairs.COPIES
    every = [call for arms in pair.copies for call in arms]
    assert len({id(call.__code__) for call in every}) == 3 * script.pairs.COPIES
    give = pair.fresh(15)
    turns = []
    for n in range(60):
        given = give(n)
        turns.append(pair.turn)
        assert pair.arm(2)(*given) == pair.baseline(*given)
    assert turns == [n // 15 for n in range(60)]


def test_a_wrong_kernel_is_refused_and_never_timed(
    tmp_path: Path, script: Any, behaved: None
) -> None:
    check = users(tmp_path, script, "wrong")
    script.check.on_cpu(check)
    check.control_done()
    check.finish()
    found = verdicts(NAME, tmp_path, CONTROL)
    assert not check.raced_claims
    assert (found["correct"], found["faster"]) == (V.REFUTED, V.COULD_NOT_RUN)


@pytest.mark.parametrize(
    ("text", "candidate", "more"),
    [
        (MINE, "raises", {}),
        (MINE, "gone", {}),
        ("import nothing_of_this_name\n", "good", {}),
        (MINE.replace("inputs(seed)", "other(seed)"), "good", {}),
        (MINE.replace("inputs(seed)", "o(s)").replace("zeros(seed)", "inputs(s)"), "good", {}),
        (MINE, "good", {"baseline": ""}),
    ],
    ids=["raises", "gone", "does not import", "no inputs", "zeros", "no baseline"],
)
def test_a_broken_set_up_refutes_nothing(
    tmp_path: Path, script: Any, behaved: None, text: str, candidate: str, more: dict[str, str]
) -> None:
    check = users(tmp_path, script, candidate, text, **more)
    check.chosen = {name: value for name, value in check.chosen.items() if value}
    script.check.on_cpu(check)
    check.control_done()
    check.finish()
    found = verdicts(NAME, tmp_path, CONTROL)
    assert {found[claim] for claim in script.check.HERE} == {V.COULD_NOT_RUN}


def test_the_bundled_pair_without_a_compiler(
    tmp_path: Path, script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    check = script.check.Check(parameters(NAME, script.folder, tmp_path))
    with pytest.raises(script.pairs.NoPair, match="tool_missing"):
        script.pairs.chosen(check)


# ── a GPU's results, handed in ─────────────────────────────────────────────────────────────────


def device(factor: float, **others: Any) -> dict[str, Any]:
    """Return what a GPU would have given for a candidate that takes so many times as long."""
    dice = random.Random(5)
    arms = [[[1e-3 * (1 + dice.gauss(0, 0.003))] for _r in range(40)] for _arm in range(3)]
    times = dict(zip(("baseline", "again", "candidate"), arms, strict=True))
    times["candidate"] = [[each * factor for each in round_] for round_ in times["candidate"]]
    state = {"gpus": [{"throttle": "0x0000000000000004"}]}
    good = {
        "pair": "a / b", "compared": 6, "wrong": 0, "poor": False, "tricks": {}, "torch": "2.13.0",
        "times": times, "before": state, "after": state,
    }  # fmt: skip
    return {"race": good | others}


HOT = {"gpus": [{"throttle": "0x40"}]}
DEVICE = [
    ("faster", device(0.8), (V.CONFIRMED, V.CONFIRMED, V.CONFIRMED)),
    ("the same", device(1.0), (V.CONFIRMED, V.CONFIRMED, V.REFUTED)),
    ("slower", device(1.2), (V.CONFIRMED, V.CONFIRMED, V.REFUTED)),
    ("wrong", device(0.5, wrong=2), (V.REFUTED, V.CONFIRMED, V.COULD_NOT_RUN)),
    ("another stream", device(0.5, tricks={"other_stream": "3 times"}),
     (V.CONFIRMED, V.REFUTED, V.COULD_NOT_RUN)),
    ("zeros", device(0.5, poor=True), (V.COULD_NOT_RUN,) * 3),
    ("too hot", device(0.8, after=HOT), (V.CONFIRMED, V.CONFIRMED, V.INCONCLUSIVE)),
    ("nothing", {}, (V.COULD_NOT_RUN,) * 3),
]  # fmt: skip


@pytest.mark.parametrize(
    ("results", "expected"), [r[1:] for r in DEVICE], ids=[r[0] for r in DEVICE]
)
def test_what_a_gpu_gives_is_judged(
    tmp_path: Path,
    script: Any,
    behaved: None,
    handed: Any,
    results: dict[str, Any],
    expected: tuple[V, ...],
) -> None:
    handed(results)
    check = script.check.Check(parameters(NAME, script.folder, tmp_path, gpus=A_GPU))
    script.check.on_gpu(check)
    check.control_done()
    check.finish()
    found = verdicts(NAME, tmp_path, CONTROL)
    assert tuple(found[claim] for claim in GPU_CLAIMS) == expected


class FakeCuda:
    """A device whose clock goes on only while it works; the other stream is seen by no event."""

    def __init__(self) -> None:
        self.now = 0.0
        self.current = 0.0  # work waiting on the current stream, seconds
        self.other = 0.0
        self.flushed = 0

    def Event(self, **_options: Any) -> Any:  # noqa: N802 — its name in PyTorch
        cuda = self
        at: list[float] = []

        def synchronize() -> None:
            cuda.now += cuda.current
            cuda.current = 0.0
            at[0] = cuda.now

        return SimpleNamespace(
            record=lambda: at.append(cuda.now),
            synchronize=synchronize,
            elapsed_time=lambda end: 1000 * (end.at[0] - at[0]),
            at=at,
        )

    def synchronize(self) -> None:
        self.now += max(self.current, self.other)
        self.current = self.other = 0.0

    def get_device_properties(self, _device: int) -> Any:
        return SimpleNamespace(L2_cache_size=100)


def test_the_clock_flushes_the_cache_and_sees_other_streams(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuda = FakeCuda()
    sizes: list[int] = []

    def empty(size: int, **_others: Any) -> Any:
        sizes.append(size)
        return SimpleNamespace(zero_=lambda: setattr(cuda, "flushed", cuda.flushed + 1))

    monkeypatch.setattr(script.gpu.time, "perf_counter", lambda: cuda.now)
    clock = script.gpu.Clock(SimpleNamespace(cuda=cuda, empty=empty, int8="int8"))
    assert sizes == [400]  # four times the L2

    def seen(seconds: float) -> None:
        cuda.current += seconds

    def unseen(seconds: float) -> None:
        cuda.current += 1e-4
        cuda.other += seconds

    assert clock(seen, 0.01) == pytest.approx(0.01)
    assert clock.worst == 0.0
    assert clock(unseen, 0.01) == pytest.approx(1e-4)
    assert clock.worst > script.gpu.UNSEEN
    assert cuda.flushed == 2
