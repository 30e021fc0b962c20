"""Races: a script takes times, the app says what they mean, and how many rounds would settle it."""

from __future__ import annotations

import ast
import json
import random
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reader.checks import fields, harness, judge, lines, manifest, parameters, races, reasons
from reader.checks.timing import LEAST_ROUNDS, compare
from reader.errors import ManifestError, Usage
from reader.model import Check, Parameter, Race, Text, VerdictKind
from tests.checks_here import a_leg, small
from tests.timings import planted, recorded

V = VerdictKind
CONTROL = {"planted_found": 1, "sums": 1, "odd_sums": 0}
COOL = {"gpus": [{"throttle": "0x0000000000000004"}]}  # at its power cap: as ever under load
HOT = {"gpus": [{"throttle": "0x0000000000000060"}]}


def times(factor: float, spread: float = 0.004, rounds: int = 40, seed: int = 1) -> dict[str, Any]:
    """Return a race whose candidate takes so many times as long."""
    dice = random.Random(seed)
    arms = [[100 * (1 + dice.gauss(0, spread)) for _r in range(rounds)] for _arm in range(3)]
    arms[0] = [each * factor for each in arms[0]]
    return dict(zip(("candidate", "baseline", "again"), arms, strict=True))


def raced(claim: str, factor: float, name: str = "race", **others: Any) -> dict[str, Any]:
    """Return the case that a script leaves of a race."""
    about: dict[str, Any] = {k: others.pop(k) for k in ("before", "after") if k in others}
    return {"claim": claim, "name": name, "race": True, **times(factor, **others), **about}


def racing(race: Race) -> Check:
    """Return the small check, its second claim decided by a race alone."""
    check = small("confirms")
    first, second = check.claims
    claim = replace(second, confirm=(), refute=(), race=race)
    return replace(check, claims=(first, claim))


FASTER, TWICE = Race(0.02), Race(0.02, by=2.0)
SAME, SLOWER = Race(0.02, "same"), Race(0.02, "slower")
DIFFERENT = Race(0.02, "different")
TABLE: list[tuple[str, Race, list[dict[str, Any]], V, str]] = [
    ("faster as said", FASTER, [raced("fast", 0.9)], V.CONFIRMED, "race_confirmed"),
    ("slower instead", FASTER, [raced("fast", 1.1)], V.REFUTED, "race_refuted"),
    ("no difference", FASTER, [raced("fast", 1.0)], V.REFUTED, "race_refuted"),
    ("below the noise", FASTER, [raced("fast", 0.96, spread=0.2)], V.INCONCLUSIVE, "race_open"),
    ("too few", FASTER, [raced("fast", 0.5, rounds=8)], V.INCONCLUSIVE, "race_open"),
    ("twice as said", TWICE, [raced("fast", 0.45)], V.CONFIRMED, "race_confirmed"),
    ("nearly twice", TWICE, [raced("fast", 0.504)], V.CONFIRMED, "race_confirmed"),
    ("faster, not twice", TWICE, [raced("fast", 0.7)], V.REFUTED, "race_refuted"),
    ("slower, not twice", TWICE, [raced("fast", 1.7)], V.REFUTED, "race_refuted"),
    ("the same", SAME, [raced("fast", 1.0)], V.CONFIRMED, "race_confirmed"),
    ("not the same", SAME, [raced("fast", 0.9)], V.REFUTED, "race_refuted"),
    ("not surely the same", SAME, [raced("fast", 1.0, spread=0.2)], V.INCONCLUSIVE, "race_open"),
    ("slower as said", SLOWER, [raced("fast", 1.1)], V.CONFIRMED, "race_confirmed"),
    ("faster instead", SLOWER, [raced("fast", 0.9)], V.REFUTED, "race_refuted"),
    ("different: faster", DIFFERENT, [raced("fast", 0.9)], V.CONFIRMED, "race_confirmed"),
    ("different: slower", DIFFERENT, [raced("fast", 1.1)], V.CONFIRMED, "race_confirmed"),
    ("not different", DIFFERENT, [raced("fast", 1.0)], V.REFUTED, "race_refuted"),
    ("two, one lost", FASTER, [raced("fast", 0.9), raced("fast", 1.1, "b")], V.REFUTED,
     "race_refuted"),
    ("two, both won", FASTER, [raced("fast", 0.9), raced("fast", 0.8, "b")], V.CONFIRMED,
     "race_confirmed"),
    ("of another claim", FASTER, [raced("even", 0.9)], V.COULD_NOT_RUN, "measurement_missing"),
    ("no times", FASTER, [raced("fast", 0.9) | {"again": ["x"] * 40}], V.COULD_NOT_RUN,
     "measurement_missing"),
    ("a hot GPU", FASTER, [raced("fast", 0.9, after=HOT)], V.INCONCLUSIVE, "race_braked"),
    ("a busy GPU", FASTER, [raced("fast", 0.9, before=COOL, after=COOL)], V.CONFIRMED,
     "race_confirmed"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("race", "cases", "verdict", "code"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_the_table(race: Race, cases: list[dict[str, Any]], verdict: V, code: str) -> None:
    check = racing(race)
    found = judge.judge(check, [a_leg(CONTROL, cases=tuple(cases))])[1]
    assert (found.verdict, found.reason.code) == (verdict, code)
    for tongue in ("zh", "en"):
        said = reasons.render(found.reason, check, tongue)
        assert "{" not in said
        assert "?" not in said


def test_what_a_race_measures_stands_beside_the_verdict() -> None:
    found = judge.judge(racing(FASTER), [a_leg(CONTROL, cases=(raced("fast", 0.9),))])[1]
    assert found.measured["race_ratio"] == pytest.approx(0.9, abs=0.01)
    assert found.measured["race_low"] < 0.9 < found.measured["race_high"]
    assert found.measured["race_rounds"] + found.measured["race_warm_up"] == 40
    assert 0 < found.measured["race_noise"] < 0.01


def test_what_is_open_says_how_many_rounds_would_settle_it() -> None:
    case = raced("fast", 0.96, spread=0.2)
    found = judge.judge(racing(FASTER), [a_leg(CONTROL, cases=(case,))])[1]
    needed = dict(found.reason.params)["needed"]
    assert needed > 40
    assert str(f"{needed:,}") in reasons.render(found.reason, None, "en")


def test_conditions_hold_beside_the_race() -> None:
    """A race that is won does not confirm what a measurement speaks against."""
    check = racing(FASTER)
    claim = replace(check.claims[1], refute=("odd_sums > 0",), confirm=("race_ratio < 0.95",))
    check = replace(check, claims=(check.claims[0], claim))
    for measured, factor, verdict in (
        (CONTROL, 0.9, V.CONFIRMED),
        (CONTROL, 0.965, V.INCONCLUSIVE),
        (CONTROL | {"odd_sums": 1}, 0.9, V.REFUTED),
    ):
        leg = a_leg(measured, cases=(raced("fast", factor),))
        assert judge.judge(check, [leg])[1].verdict is verdict


def test_a_control_that_tells_the_same_apart_settles_nothing() -> None:
    check = replace(racing(FASTER), control=("aa_apart == 0", "planted_ratio > 1.1"))
    for aa, plant, verdict in (
        (1.0, 1.2, V.CONFIRMED),
        (1.1, 1.2, V.INCONCLUSIVE),
        (1.0, 1.0, V.INCONCLUSIVE),
    ):
        cases = (raced("control", aa, "aa"), raced("control", plant, "planted"))
        leg = a_leg(CONTROL, cases=(*cases, raced("fast", 0.9)))
        assert judge.judge(check, [leg])[1].verdict is verdict


def test_recorded_runs_of_the_same_program_are_never_refuted_nor_confirmed_as_faster() -> None:
    for run in recorded()[:10]:
        assert races.decide(compare(*run), TWICE)[0] is not V.CONFIRMED
        assert races.decide(compare(*run), FASTER)[0] is not V.CONFIRMED
        slow = compare(*planted(run, 1.2))
        assert races.decide(slow, SLOWER)[0] is V.CONFIRMED


# ── the manifest ───────────────────────────────────────────────────────────────────────────────


def table(raw: dict[str, Any]) -> fields.Table:
    return fields.Table(raw, (), Path("check.toml"), lines.Lines(""))


@pytest.mark.parametrize(
    "raw",
    [
        {"expects": "faster"},
        {"threshold": 0, "expects": "faster"},
        {"threshold": "2 %", "expects": "faster"},
        {"threshold": 0.02, "expects": "best"},
        {"threshold": 0.02, "expects": "faster", "by": 0.5},
        {"threshold": 0.02, "expects": "same", "by": 2},
        {"threshold": 0.02, "expects": "same", "other": 2},
    ],
)
def test_a_race_that_is_not_written_right(raw: dict[str, Any]) -> None:
    with pytest.raises(ManifestError, match=r"check\.toml"):
        manifest._race(table(raw))


def test_a_race_and_parameters_in_a_manifest(tmp_path: Path) -> None:
    source = small("confirms").folder
    folder = tmp_path / "confirms"
    folder.mkdir()
    text = (source / "check.toml").read_text("utf-8")
    text = text.replace('confirm = ["speedup >= 2"]', 'confirm = ["race_low > 0.1"]')
    text = text.replace('refute = ["speedup < 1"]', 'race = { threshold = 0.02, expects="faster"}')
    text = text.replace("[control]\n", '[control]\nraces = ["aa"]\nthreshold = 0.05\n')
    text = text.replace('expect = ["planted_found >= 1"]', 'expect = ["aa_apart == 0"]')
    text += '\n[parameters.candidate]\nfunction = true\ntext.zh = "a"\ntext.en = "b"\n'
    (folder / "check.toml").write_text(text, "utf-8")
    (folder / "check.py").write_text("", "utf-8")
    check = manifest.load(folder, bundled=False)
    assert check.claims[1].race == Race(0.02)
    assert check.control_threshold == 0.05
    assert check.parameters == (Parameter("candidate", Text("a", "b"), True),)


def test_parameters_are_known_and_their_files_are_there(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def f(): ...\n", "utf-8")
    both = (Parameter("candidate", Text("a", "b"), True), Parameter("dtype", Text("a", "b")))
    check = replace(small("confirms"), parameters=both)
    found = parameters.chosen(check, [("candidate", f"{file}:f"), ("dtype", "float16")])
    assert found == (("candidate", f"{file}:f"), ("dtype", "float16"))
    kept = parameters.record(check, found)
    assert len(kept["candidate"]["sha256"]) == 64
    assert kept["dtype"] == {"value": "float16"}
    for name, value in (("other", "x"), ("candidate", f"{file}:1"), ("candidate", "gone.py:f")):
        with pytest.raises(Usage):
            parameters.chosen(check, [(name, value)])


# ── the harness ────────────────────────────────────────────────────────────────────────────────


def a_check(tmp_path: Path, **others: Any) -> harness.Check:
    artefacts = tmp_path / "artefacts"
    artefacts.mkdir()
    return harness.Check(
        {
            "archs": [], "toolkit": None, "seed": 3, "claims": ["fast"], "folder": str(tmp_path),
            "scratch": str(tmp_path), "gpus": [], "artefacts": str(artefacts), "check": "x",
            "samples": str(tmp_path / "samples.jsonl"), "result": str(tmp_path / "result.json"),
            "hash": "x", **others,
        }
    )  # fmt: skip


def result_of(check: harness.Check) -> Mapping[str, Any]:
    check.finish()
    found: Mapping[str, Any] = json.loads(Path(check.parameters["result"]).read_text("utf-8"))
    return found


def test_a_race_shuffles_three_arms_and_keeps_every_sample(tmp_path: Path) -> None:
    check = a_check(tmp_path)
    order: list[str] = []
    seen: list[int] = []

    def timer(call: Any, n: int) -> float:
        order.append(call.__name__)
        seen.append(n)
        return 2.0 if call.__name__ == "new" else 1.0

    def new(_n: int) -> None: ...

    def old(_n: int) -> None: ...

    check.race(
        "fast", candidate=new, baseline=old, timer=timer, inputs=lambda n: [n], rounds=20, repeats=2
    )
    (case,) = result_of(check)["cases"]
    assert case["race"] is True
    assert case["baseline"] == case["again"] == [1.0] * 20
    assert case["candidate"] == [2.0] * 20
    assert "load" in case["before"]
    assert order.count("new") == 40
    assert order.count("old") == 80
    assert len({tuple(order[at : at + 6]) for at in range(0, 120, 6)}) > 5  # shuffled, each anew
    assert seen == list(range(120))  # fresh inputs for every sample
    whole = json.loads((tmp_path / "artefacts" / "race.fast.race.json").read_text("utf-8"))
    assert whole["candidate"] == [[2.0, 2.0]] * 20


def test_a_race_over_its_time_ends_with_rounds_enough(tmp_path: Path) -> None:
    check = a_check(tmp_path)
    check.race("fast", candidate=int, baseline=int, seconds=0.0, repeats=1)
    (case,) = result_of(check)["cases"]
    assert len(case["candidate"]) == LEAST_ROUNDS
    assert case["calls"] > 1  # a single call is too quick for the clock
    assert case["candidate"][0] < 1e-3


def test_what_a_gpu_says_of_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drivers of either age are asked by the name they know."""
    check = a_check(tmp_path, gpus=[{"name": "a GPU", "compute_capability": "9.0"}])

    def old_driver(argv: list[str], **_others: Any) -> harness.Finished:
        known = "throttle_reasons" in argv[1]
        said = "1980, 2619, 41, 310.2, 0x0000000000000001\n" if known else ""
        return harness.Finished(argv, 0 if known else 2, said, "", 0.1)

    monkeypatch.setattr(check, "run", old_driver)
    (gpu,) = check.state()["gpus"]
    assert gpu == {
        "sm_mhz": "1980", "memory_mhz": "2619", "celsius": "41", "watts": "310.2",
        "throttle": "0x0000000000000001",
    }  # fmt: skip


OLDEST = (3, 9)


def test_the_harness_is_one_file_of_the_standard_library_for_python_3_9() -> None:
    text = Path(harness.__file__).read_text("utf-8")
    tree = ast.parse(text, feature_version=OLDEST)
    roots = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            roots.add(str(node.module).split(".")[0])
        # What came after 3.9 and does not show in the grammar.
        assert not isinstance(node, ast.Call) or all(k.arg != "strict" for k in node.keywords)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            assert not isinstance(node.args[1], ast.BinOp)
    assert roots <= sys.stdlib_module_names
    assert "match" not in {type(node).__name__.lower() for node in ast.walk(tree)}


def test_an_older_python_is_told_so() -> None:
    code = (
        "import sys; sys.version_info = (3, 8, 18, 'final', 0)\n"
        f"exec(compile(open({harness.__file__!r}).read(), 'h', 'exec'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Python 3.9 or newer, and this is Python 3.8.18" in done.stderr
