"""From measurements to verdicts, by table; and every reason says itself in both languages."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from reader.checks import judge, reasons
from reader.model import Gpu, Leg, Machine, Reason, VerdictKind
from tests.checks_here import MACHINE, a_leg, small

V = VerdictKind
GOOD = {"planted_found": 1, "sums": 100, "odd_sums": 0, "milliseconds": 12.5}
BROKEN = Reason("crashed", (("exit", 1), ("said", "boom")))
NO_GPU = {"fast": {"code": "gpu_missing", "params": {"needed": 1, "found": 0}}}

TABLE: list[tuple[str, dict[str, Any], dict[str, Any], V, V]] = [
    # what happened, measured, the leg besides, verdict of "even", verdict of "fast"
    ("all well", GOOD | {"speedup": 3}, {}, V.CONFIRMED, V.CONFIRMED),
    ("no GPU", GOOD, {"obstacles": NO_GPU}, V.CONFIRMED, V.COULD_NOT_RUN),
    ("an odd sum", GOOD | {"odd_sums": 1}, {"obstacles": NO_GPU}, V.REFUTED, V.COULD_NOT_RUN),
    ("slower", GOOD | {"speedup": 0.5}, {}, V.CONFIRMED, V.REFUTED),
    ("a little faster", GOOD | {"speedup": 1.2}, {}, V.CONFIRMED, V.INCONCLUSIVE),
    ("nothing to add", GOOD | {"sums": 0, "speedup": 3}, {}, V.NOT_APPLICABLE, V.CONFIRMED),
    ("control fails", GOOD | {"planted_found": 0, "speedup": 3}, {},
     V.INCONCLUSIVE, V.INCONCLUSIVE),
    ("control fails, refuting", GOOD | {"planted_found": 0, "odd_sums": 9, "speedup": 0.1}, {},
     V.INCONCLUSIVE, V.INCONCLUSIVE),
    ("control not ended", GOOD | {"speedup": 3}, {"control_done": False},
     V.INCONCLUSIVE, V.INCONCLUSIVE),
    ("control not measured", {"sums": 1, "odd_sums": 0, "speedup": 3}, {},
     V.INCONCLUSIVE, V.INCONCLUSIVE),
    ("a measurement missing", {"planted_found": 1, "sums": 1, "speedup": 3}, {},
     V.COULD_NOT_RUN, V.CONFIRMED),
    ("a word for a number", GOOD | {"odd_sums": "many", "speedup": 3}, {},
     V.COULD_NOT_RUN, V.CONFIRMED),
    ("crashed", GOOD | {"odd_sums": 5, "speedup": 0.1}, {"fault": BROKEN},
     V.COULD_NOT_RUN, V.COULD_NOT_RUN),
]  # fmt: skip


@pytest.mark.parametrize(
    ("measured", "others", "even", "fast"),
    [row[1:] for row in TABLE],
    ids=[row[0] for row in TABLE],
)
def test_the_table(measured: dict[str, Any], others: dict[str, Any], even: V, fast: V) -> None:
    verdicts = judge.judge(small("confirms"), [a_leg(measured, **others)])
    assert [each.verdict for each in verdicts] == [even, fast]
    for each in verdicts:
        for tongue in ("zh", "en"):
            said = reasons.render(each.reason, small("confirms"), tongue)
            assert said
            assert "{" not in said
            assert "?" not in said.rstrip("?")
            assert each.reason.code not in said.split()


def test_without_a_leg_nothing_is_shown() -> None:
    verdicts = judge.judge(small("confirms"), [])
    assert {each.verdict for each in verdicts} == {V.COULD_NOT_RUN}


def test_of_several_legs_the_one_that_refutes_is_heard() -> None:
    legs = [
        a_leg(GOOD, name="old", obstacles=NO_GPU),
        a_leg(GOOD | {"odd_sums": 2}, name="new", obstacles=NO_GPU),
    ]
    even = judge.judge(small("confirms"), legs)[0]
    assert even.verdict is V.REFUTED
    assert dict(even.reason.params)["leg"] == "new"


def test_conditions_may_compare_legs() -> None:
    check = small("confirms")
    claim = replace(
        check.claims[0],
        applies=(),
        confirm=("new.sums > old.sums",),
        refute=("new.sums < old.sums",),
    )
    check = replace(check, claims=(claim,))
    old, new = a_leg(GOOD, name="old"), a_leg(GOOD | {"sums": 101}, name="new")
    assert judge.judge(check, [old, new])[0].verdict is V.CONFIRMED
    worse = replace(new, measured=GOOD | {"sums": 99})
    assert judge.judge(check, [old, worse])[0].verdict is V.REFUTED
    broken = replace(new, fault=BROKEN)
    assert judge.judge(check, [old, broken])[0].verdict is V.COULD_NOT_RUN


def test_judging_again_gives_the_same() -> None:
    legs: list[Leg] = [a_leg(GOOD, obstacles=NO_GPU)]
    assert judge.judge(small("confirms"), legs) == judge.judge(small("confirms"), legs)


def test_a_checks_own_sentence_carries_its_numbers() -> None:
    even = judge.judge(small("confirms"), [a_leg(GOOD, obstacles=NO_GPU)])[0]
    assert (
        reasons.render(even.reason, small("confirms"), "en") == "All 100 sums are even, in 12.5 ms"
    )
    assert reasons.render(even.reason, small("confirms"), "zh").startswith("100 个和全是偶数")


def test_preflight_says_what_is_missing() -> None:
    even, fast = judge.preflight(small("confirms"), MACHINE, [])
    assert even.here
    assert not fast.here
    assert fast.why_not is not None
    assert fast.why_not.code == "gpu_missing"
    old = replace(MACHINE, gpus=(Gpu("T4", "7.5", 16000, "x"),))
    weak = judge.preflight(small("confirms"), old, [])[1]
    assert weak.why_not is not None
    assert weak.why_not.code == "capability_missing"
    new: Machine = replace(MACHINE, gpus=(Gpu("H100", "9.0", 80000, "x"),))
    assert judge.preflight(small("confirms"), new, [])[1].here


@pytest.mark.parametrize("code", sorted(reasons.SENTENCES))
def test_every_reason_has_both_languages(code: str) -> None:
    names = re.findall(r"\{(\w+)\}", reasons.SENTENCES[code])
    reason = Reason(code, tuple((name, "X7") for name in names))
    zh, en = reasons.render(reason, None, "zh"), reasons.render(reason, None, "en")
    assert zh != en
    assert re.search(r"[\u4e00-\u9fff]", zh)
    assert zh.count("X7") == en.count("X7") == len(names)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1234, "registers", "1,234 registers"),
        (0.15234, "ms", "0.1523 ms"),
        (1.5, "×", "1.5×"),
        (True, "", "yes"),
        (12.0, "%", "12%"),
        ("a\x1b[31mb", "", "a [31mb"),
        ([1, 2], "", "1, 2"),
        (1e-9, "", "1.000e-09"),
    ],
)
def test_numbers_read_as_a_person_writes_them(value: Any, unit: str, text: str) -> None:
    assert reasons.number(value, unit, "en") == text
