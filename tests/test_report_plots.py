"""The report's pictures: well-formed, closed in themselves, and what they are drawn from."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import pytest

from reader.model import (
    Evidence,
    Leg,
    Reason,
    Run,
    RunStatus,
    Text,
    Verdict,
    VerdictKind,
)
from reader.report import svg
from reader.report.history import history
from reader.report.page import _cell
from reader.report.plots import Bar, Resources, intervals, resources

V = VerdictKind
START = datetime(2026, 11, 1, tzinfo=UTC)
RACE = {
    "race_ratio": 0.9, "race_low": 0.88, "race_high": 0.93, "race_noise": 0.02, "race_rounds": 3,
}  # fmt: skip


def leg_of(*cases: dict[str, Any], name: str = "main", **environment: Any) -> Leg:
    return Leg(name, environment, None, "", {}, cases, "", (), 0, 1.0)


def run_of(n: int, verdict: V, *legs: Leg, measured: dict[str, Any] | None = None) -> Run:
    at = START + timedelta(days=n)
    given = Verdict("fast", Evidence.KERNEL, verdict, Reason("x"), measured or {}, Text("", ""), 1)
    status = RunStatus.FINISHED
    return Run(f"r{n}", "timing", "hash", None, status, at, at, {}, legs or (leg_of(),), (given,))


def drawn(picture: str) -> ElementTree.Element:
    """Return the picture parsed; it holds nothing that a report must not."""
    assert not re.search(r"<script|style=|href|NaN|nan|inf\b", picture)
    return ElementTree.fromstring(picture)


def texts(picture: str) -> list[str]:
    return [each.text or "" for each in drawn(picture).iter() if each.tag.endswith("text")]


def race(name: str = "race") -> dict[str, Any]:
    return {
        "claim": "fast", "name": name, "race": True, "baseline": [1.0, 1.1, 0.9],
        "again": [1.01, 1.09, 0.91], "candidate": [0.9, 0.99, 5.0], "before": {"load": 0.1},
    }  # fmt: skip


def test_a_race_is_drawn_with_its_noise_and_every_sample() -> None:
    run = run_of(1, V.CONFIRMED, leg_of(race()), measured=RACE)
    found = intervals(run, run.verdicts[0])
    assert found is not None
    picture = svg.interval_plot(found, "the title <&>")
    root = drawn(picture)
    assert len([each for each in root.iter() if each.tag.endswith("circle")]) == 6  # also 5 times
    assert "0.9×  0.88–0.93" in texts(picture)
    assert "1×" in texts(picture)
    assert "var(--confirmed)" in picture
    assert "var(--noise)" in picture
    titles = [each.text for each in root.iter() if each.tag.endswith("title")]
    assert titles == ["the title <&>"]


def test_of_several_races_the_one_that_decided_is_drawn() -> None:
    other = race("other") | {"candidate": [2.0, 2.2, 1.8]}
    measured = RACE | {"race_name": "other"}
    run = run_of(1, V.REFUTED, leg_of(race(), other), measured=measured)
    found = intervals(run, run.verdicts[0])
    assert found is not None
    assert found.rows[0].samples == pytest.approx((2.0, 2.0, 2.0))


CASES = [
    {"claim": "fast", "name": "sm_120 add", "registers": 24},
    {"claim": "fast", "name": "sm_90 add", "registers_false": 127, "registers_true": 93,
     "spilled_false": 0, "spilled_true": 48, "occupancy_true": 50},
    {"claim": "other", "name": "sm_90 add", "registers": 1},
    {"claim": "fast", "name": "no target", "registers": 1},
    {"claim": "fast", "name": "sm_80 none", "registers": True},
]  # fmt: skip


def test_registers_are_told_by_target_in_their_order() -> None:
    found = resources(run_of(1, V.CONFIRMED, leg_of(*CASES)), "fast")
    assert found == Resources(
        (
            ("sm_90", "add", (Bar("false", 127, 0), Bar("true", 93, 48))),
            ("sm_120", "add", (Bar("", 24, None),)),
        )
    )
    said = texts(svg.resource_plot(found, "registers"))
    assert said == ["sm_90", "add", "127  false", "93 + 48 B  true", "sm_120", "add", "24"]
    assert resources(run_of(1, V.CONFIRMED), "fast") is None
    two = leg_of(CASES[0], name="3.8"), leg_of(CASES[0], name="3.9")
    both = resources(run_of(1, V.CONFIRMED, *two), "fast")
    assert both is not None
    assert [name for _target, name, _bars in both.groups] == ["add [3.8]", "add [3.9]"]


def test_a_history_names_what_had_changed_where_it_flipped() -> None:
    old, new = leg_of(packages={"triton": "3.8.0"}), leg_of(packages={"triton": "3.9.0"})
    runs = [run_of(1, V.CONFIRMED, old), run_of(2, V.COULD_NOT_RUN, old), run_of(3, V.REFUTED, new)]
    (found,) = history(runs, "fast")
    picture = svg.history_plot(found, {kind: kind.value for kind in V}, "history")
    said = texts(picture)
    assert "triton 3.9.0" in said
    assert {"confirmed", "refuted", "could_not_run", "2026-11-02"} <= set(said)
    assert "inconclusive" not in said
    many = [run_of(n, V.CONFIRMED, old) for n in range(60)]
    (long,) = history(many, "fast")
    root = drawn(svg.history_plot(long, {kind: kind.value for kind in V}, "history"))
    places = [float(c.get("cx", 0)) for c in root.iter() if c.tag.endswith("circle")]
    assert len(places) == 60
    assert max(places) < svg.WIDTH


def test_hostile_words_stay_words() -> None:
    evil = '</text><script>alert(1)</script>"'
    case = CASES[1] | {"name": f"sm_90 {evil}"}
    found = resources(run_of(1, V.CONFIRMED, leg_of(case)), "fast")
    assert found is not None
    assert "<script" not in svg.resource_plot(replace(found), evil)


def test_a_cell_of_many_numbers_is_their_middle() -> None:
    assert _cell([0.001 * n for n in range(1, 12)], "en") == "0.006 [0.001, 0.011] × 11"
    assert _cell([1, 2], "en") == "1, 2"
    assert _cell({"load": 0.5, "gpus": []}, "en") == "load 0.5, gpus "
    assert _cell("word", "en") == "word"
