"""Claims of a text beside verdicts: a check's claim covers the sentence that says it, or none."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

from reader import claims
from reader.model import Evidence, Reason, Run, RunStatus, Text, Verdict, VerdictKind
from reader.report import claimed
from tests.test_checks_matching import an_item

ITEM = replace(
    an_item(
        "Widgets 2.1", "The default is now acq_rel for CAS. Loads are up to 4x faster on H100."
    ),
    why="如果升级，装载延迟降低约 4 倍。",
    reported_result="w.load_all 已被移除。",
)
AT = datetime(2026, 11, 3, tzinfo=UTC)


def a_verdict(claim: str, expected: str, kind: VerdictKind = VerdictKind.CONFIRMED) -> Verdict:
    said = Text(zh="来源怎么说。", en=expected)
    return Verdict(claim, Evidence.PROPERTY, kind, Reason("confirmed"), {}, said, 1)


def a_run(number: str, check: str, *verdicts: Verdict) -> Run:
    return Run(number, check, "h", "i1", RunStatus.FINISHED, AT, AT, {}, verdicts=verdicts)


def test_each_verdict_covers_the_sentence_that_says_it() -> None:
    runs = [
        a_run("r2", "cas", a_verdict("d", "The source: the default of CAS is now acq_rel.")),
        a_run("r1", "cas", a_verdict("d", "The default of CAS is acq_rel.", VerdictKind.REFUTED)),
        a_run("r0", "speed", a_verdict("s", "The source: something else altogether, of nobody.")),
    ]
    found = claimed.of_item(ITEM, runs)
    assert [(each.found.field, each.check, each.run) for each in found] == [
        ("summary", "cas", "r2"), ("summary", "", ""), ("reported_result", "", ""),
    ]  # fmt: skip


def test_the_chinese_of_a_check_covers_a_chinese_sentence() -> None:
    item = replace(ITEM, summary="将 CAS 的默认语义改为 acq_rel；装载提速 4 倍。", why="")
    verdict = replace(
        a_verdict("d", "Nothing of it here at all"),
        expected=Text("来源：CAS 默认语义改为 acq_rel。", "x"),
    )
    first, second, _third = claimed.of_item(item, [a_run("r1", "cas", verdict)])
    assert (first.run, second.run) == ("r1", "")


def test_the_document_is_plain_and_places_are_of_the_field() -> None:
    found = claimed.of_item(ITEM, [])
    said = json.loads(json.dumps([claimed.document(each) for each in found]))
    assert [each["kind"] for each in said] == ["behaviour", "performance", "behaviour"]
    assert said[1]["conditions"]["hardware"] == ["H100", "hopper"]
    assert said[1]["conditions"]["factors"] == [{"value": 4.0, "unit": "×", "bound": "most"}]
    for each in said:
        assert getattr(ITEM, each["field"])[each["start"] : each["end"]] == each["text"]
    assert said[0]["verdict"] is None


def test_conditions_are_words() -> None:
    said = claims.conditions("On Hopper with CUDA 13.2+ and batch 16 it is 2x faster in FP8.")
    assert claims.holds_for(said, "en") == ("Hopper", "CUDA 13.2+", "batch 16", "FP8")
