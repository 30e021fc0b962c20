"""Reports: what stands in them, in which words, and that nothing from content becomes markup."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reader.model import (
    Artefact,
    Check,
    Claim,
    Evidence,
    Item,
    Labels,
    Leg,
    Limits,
    Marks,
    Matches,
    Needs,
    Packages,
    QueueEntry,
    QueueState,
    Reason,
    Run,
    RunStatus,
    Text,
    Verdict,
    VerdictKind,
)
from reader.report import FORMATS, Recorded, Report, Subject, render
from reader.report.difference import difference
from reader.report.fingerprint import fingerprint
from reader.report.markdown import code, escape
from reader.report.words import amount, lasted

HOSTILE = (
    "<img src=x onerror=alert(1)>|</table></details>"
    '<script>alert("2")</script>`x|y`[a](javascript:b)'
)
AT = datetime(2026, 10, 28, 8, 21, 4, tzinfo=UTC)
SAYS = Text("多出的屏障在每个原子操作前后各一条", "One more barrier before and after each atomic")

CLAIMS = (
    Claim(
        id="barriers",
        kind=Evidence.CODEGEN,
        text=Text("`acq_rel` 原子前后各有一道屏障", "`acq_rel` atomics stand between two barriers"),
        method=Text("数两个版本的 PTX 里的 `bar.sync`", "Count `bar.sync` in both versions"),
        expected=SAYS,
        because=(
            (
                VerdictKind.CONFIRMED,
                Text(
                    "{pairs} 组里 {guarded} 组有屏障",
                    "{guarded} of {pairs} have barriers",
                ),
            ),
        ),
        shows=("pairs", "guarded"),
    ),
    Claim(
        id="default",
        kind=Evidence.PROPERTY,
        text=Text("默认语义在这一版改变", "The default semantics changed in this release"),
        method=Text("比较两版的默认", "Compare the defaults of both"),
        expected=Text("这一版起为 acq_rel", "acq_rel from this release on"),
    ),
    Claim(
        id="registers",
        kind=Evidence.REGRESSION,
        text=Text("寄存器不变", "Registers stay the same"),
        method=Text("读 ptxas", "Read ptxas"),
        expected=Text("没有提到", "Not mentioned"),
    ),
    Claim(
        id="amd",
        kind=Evidence.CODEGEN,
        text=Text("AMD 后端同样", "The AMD back end does the same"),
        method=Text("编译 gfx942", "Compile for gfx942"),
        expected=Text("同样", "The same"),
    ),
    Claim(
        id="speed",
        kind=Evidence.KERNEL,
        text=Text("kernel 最高快 2 倍", "The kernel is up to twice as fast"),
        method=Text("计时", "Time it"),
        expected=Text("2 倍", "2×"),
        needs=Needs(gpus=1, compute_capability="9.0"),
    ),
)

CHECK = Check(
    name="atomics",
    title=Text("原子操作前后的屏障", "Barriers around atomics"),
    summary=Text("", ""),
    claims=CLAIMS,
    control=("planted >= 1",),
    control_text=Text("放入一个没有屏障的 kernel", "A kernel without barriers must be told apart"),
    packages=Packages(requires=("example==3.9.0",), size_mb=11),
    limits=Limits(),
    matches=Matches(),
    archs=("sm_90", "sm_100"),
    measures=(("pairs", ""), ("guarded", ""), ("milliseconds", "ms"), ("spread", "%")),
    folder=Path("atomics"),
    hash="9c41d0" + "0" * 58,
)

VERDICTS = (
    Verdict(
        claim="barriers",
        kind=Evidence.CODEGEN,
        verdict=VerdictKind.CONFIRMED,
        reason=Reason("confirmed", (("claim", "barriers"), ("pairs", 12), ("guarded", 12))),
        measured={"pairs": 12, "guarded": 12, "milliseconds": 1843.21},
        expected=SAYS,
        judge=1,
    ),
    Verdict(
        claim="default",
        kind=Evidence.PROPERTY,
        verdict=VerdictKind.REFUTED,
        reason=Reason("refuted", (("claim", "default"), ("condition", "changed == 0"))),
        measured={"guarded": 0},
        expected=CLAIMS[1].expected,
        judge=1,
    ),
    Verdict(
        claim="registers",
        kind=Evidence.REGRESSION,
        verdict=VerdictKind.INCONCLUSIVE,
        reason=Reason("undecided", (("claim", "registers"), ("condition", "spread < 1"))),
        measured={"spread": 2.25},
        expected=CLAIMS[2].expected,
        judge=1,
    ),
    Verdict(
        claim="amd",
        kind=Evidence.CODEGEN,
        verdict=VerdictKind.NOT_APPLICABLE,
        reason=Reason("not_applicable", (("claim", "amd"), ("condition", "amd == 1"))),
        measured={},
        expected=CLAIMS[3].expected,
        judge=1,
    ),
    Verdict(
        claim="speed",
        kind=Evidence.KERNEL,
        verdict=VerdictKind.COULD_NOT_RUN,
        reason=Reason("gpu_missing", (("needed", 1), ("found", 0), ("why", ""))),
        measured={},
        expected=CLAIMS[4].expected,
        judge=1,
    ),
)

LEG = Leg(
    name="one",
    environment={
        "path": "/opt/py/bin/python",
        "version": "3.11.7",
        "origin": "managed",
        "packages": {"example": "3.9.0", "numpy": "2.3.1"},
    },
    toolkit={"root": "/usr/local/cuda-13.0", "version": "13.0", "release": "13.0.88"},
    target="sm_90, sm_100",
    measured={"pairs": 12},
    cases=tuple(
        {"claim": "barriers", "name": f"atomic_add · sm_{arch}", "before": 0, "after": 2}
        for arch in (80, 90, 100, 120)
    ),
    log="",
    command=("/opt/py/bin/python", "check.py", "a b"),
    exit_status=0,
    seconds=4.5,
)

RUN = Run(
    id="r42",
    check="atomics",
    check_hash=CHECK.hash,
    item="i7",
    status=RunStatus.FINISHED,
    started=AT,
    finished=AT.replace(minute=23, second=8),
    machine={
        "system": "Linux 6.8 x86_64",
        "cpu": "Example CPU",
        "cores": 2,
        "memory_mb": 4096,
        "load": 0.31,
        "gpus": [],
        "driver": None,
        "overrides": {"CUDA_VISIBLE_DEVICES": "0"},
    },
    legs=(LEG,),
    verdicts=VERDICTS,
    artefacts=(Artefact("add.sm_90.ptx", "/data/runs/42/add.sm_90.ptx", "ab" * 32, 18231),),
)

ITEM = Item(
    id="i7",
    digest="d1",
    title="v3.9.0: atomics between barriers",
    title_derived=False,
    feed=None,
    section="",
    number=1,
    published=AT,
    url="https://example.org/releases/v3.9.0",
    summary="",
    why="",
    body="",
    layers=(),
    layers_unknown=(),
    labels=Labels(),
    group=None,
    happened_at=None,
    commit=None,
    reported_result=None,
    scenario=None,
    first_step=None,
    action_window=None,
    refs=(),
    score=80.0,
    sources=(),
    marks=Marks(),
)

QUEUED = QueueEntry("q3", "i7", ITEM.title, QueueState.REFUTED, due=date(2026, 12, 5), note="check")


def report_on(*runs: Run, item: Item | None = ITEM, check: Check | None = CHECK) -> Report:
    """Return a report on one story with these runs, newest first."""
    recorded = tuple(Recorded(run, check) for run in runs)
    return Report("item", (Subject(item, QUEUED if item else None, recorded),), AT)


class Outline(HTMLParser):
    """Collects the tags, attributes and texts of a document, and that they nest."""

    VOID = frozenset({"meta", "path", "circle", "rect"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that closes itself."""
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        """Every end closes what was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Collect text outside the style sheet."""
        if self.open[-1:] != ["style"]:
            self.words += data


@pytest.mark.parametrize("language", ["zh", "en"])
def test_html_says_everything_in_its_language(language: str) -> None:
    outline = Outline(render(report_on(RUN), "html", language))
    assert outline.open == []
    assert dict(outline.attributes)["lang"] == ("zh-Hans" if language == "zh" else "en")
    for claim in CLAIMS:
        text = claim.text.zh if language == "zh" else claim.text.en
        assert text.replace("`", "") in outline.words
    words = {
        "zh": ["证实", "证伪", "不能定论", "不适用", "未能运行", "预期"],
        "en": ["Confirmed", "Refuted", "Inconclusive", "Not applicable", "Could not run"],
    }
    for word in words[language]:
        assert word in outline.words
    for fact in ("13.0.88", "3.11.7", "example 3.9.0", "Example CPU", CHECK.hash, "ab" * 32):
        assert fact in outline.words
    assert "1,843 ms" in outline.words


def test_html_is_one_safe_file() -> None:
    text = render(report_on(RUN), "html", "en")
    outline = Outline(text)
    assert not {"script", "link", "img", "iframe", "object", "form"} & set(outline.tags)
    assert not [name for name, _value in outline.attributes if name.startswith("on")]
    assert not [name for name, _value in outline.attributes if name in ("style", "src")]
    assert "default-src 'none'" in text
    assert "url(" not in text
    assert "@import" not in text
    links = [value for name, value in outline.attributes if name == "href"]
    assert all(link and (link.startswith("#") or link == ITEM.url) for link in links)


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_text_stays_text(format: str) -> None:  # noqa: A002
    hostile = Text(HOSTILE, HOSTILE)
    check = replace(
        CHECK,
        title=hostile,
        control_text=hostile,
        claims=tuple(replace(each, text=hostile, method=hostile) for each in CLAIMS),
        measures=(("pairs", HOSTILE),),
    )
    case = {"claim": "barriers", "name": HOSTILE, HOSTILE: HOSTILE}
    leg = replace(LEG, name=HOSTILE, target=HOSTILE, cases=(case,), command=(HOSTILE,))
    run = replace(
        RUN,
        check=HOSTILE,
        machine={**RUN.machine, "cpu": HOSTILE},
        legs=(leg,),
        verdicts=tuple(
            replace(each, expected=hostile, measured={HOSTILE: HOSTILE}) for each in VERDICTS
        ),
        artefacts=(Artefact(HOSTILE, HOSTILE, "ab" * 32, 1),),
    )
    item = replace(ITEM, title=HOSTILE, url="javascript:alert(1)")
    text = render(report_on(run, item=item, check=check), format, "en")
    if format == "json":
        assert json.loads(text)["subjects"][0]["item"]["title"] == HOSTILE
        return
    if format == "junit":
        names = {each.tag for each in ET.fromstring(text).iter()}
        assert names <= JUNIT
        return
    if format == "html":
        outline = Outline(text)
        assert outline.open == []
        assert not {"script", "img"} & set(outline.tags)
        assert not [v for n, v in outline.attributes if n == "href" and (v or "")[:1] != "#"]
        return
    outside_code = re.sub(r"(?<!\\)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    allowed = re.sub(r"</?(details|summary)>", "", outside_code)
    assert not re.search(r"(?<!\\)<(?!http)", allowed)
    assert "](javascript" not in outside_code


def test_markdown_tables_hold_their_columns() -> None:
    text = render(report_on(RUN), "md", "en")
    width = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = len(re.findall(r"(?<!\\)\|", line))
        assert width in (0, cells), line
        width = cells


@pytest.mark.parametrize("words", ["a`b", "``", "`", "a\nb", "", "x``y`"])
def test_code_spans_hold_any_text(words: str) -> None:
    span = code(words)
    assert "\n" not in span
    if words:
        fence = re.match("`+", span)
        assert fence
        inner = span[len(fence[0]) : -len(fence[0])]
        assert fence[0] not in re.findall("`+", inner)


def test_escape_keeps_code_and_hides_markup() -> None:
    assert escape("`a|b` *c* <d>") == "`a|b` \\*c\\* \\<d\\>"


def test_json_holds_what_the_command_line_promises() -> None:
    document = json.loads(render(report_on(RUN), "json", "en"))
    run = document["subjects"][0]["runs"][0]
    assert set(run) >= {
        *("run", "check", "check_hash", "item", "status", "started", "finished", "machine"),
        *("legs", "verdicts", "artefacts"),
    }
    assert set(run["legs"][0]) >= {"environment", "toolkit", "target", "measured", "log"}
    assert set(run["verdicts"][0]) >= {
        *("claim", "kind", "verdict", "reason", "measured", "expected"),
    }
    assert set(run["artefacts"][0]) >= {"name", "path", "sha256"}
    assert document["subjects"][0]["queue"]["due"] == "2026-12-05"


def test_could_not_run_ends_in_the_command_for_another_machine() -> None:
    text = render(report_on(RUN), "md", "en")
    command = "readproof check run atomics --arch sm_90 --arch sm_100"
    assert f"**On a machine with an NVIDIA GPU, compute capability ≥ 9.0**: `{command}`" in text
    assert "never shown on a GPU" in text
    assert f"{command} --cuda" not in text  # that folder is this machine's
    assert "run atomics --item i7 --arch sm_90 --arch sm_100 --cuda /usr/local/cuda-13.0" in text


def test_the_newest_verdict_counts_but_no_laptop_takes_a_proof_away() -> None:
    desk = replace(
        RUN,
        id="r40",
        started=AT.replace(day=20),
        verdicts=(replace(VERDICTS[4], verdict=VerdictKind.CONFIRMED),),
    )
    older = replace(
        RUN,
        id="r39",
        started=AT.replace(day=19),
        verdicts=(replace(VERDICTS[0], verdict=VerdictKind.REFUTED),),
    )
    subject = report_on(RUN, desk, older).subjects[0]
    found = {each.verdict.claim: each for each in subject.findings}
    assert found["speed"].verdict.verdict is VerdictKind.CONFIRMED
    assert found["speed"].recorded.run.id == "r40"
    assert found["barriers"].verdict.verdict is VerdictKind.CONFIRMED
    assert found["barriers"].recorded.run.id == "r42"


def test_a_run_whose_check_is_gone_still_reports() -> None:
    for format in FORMATS:  # noqa: A001
        text = render(report_on(RUN, item=None, check=None), format, "zh")
        assert "atomics" in text
        assert "barriers" in text


JUNIT = {
    "testsuites", "testsuite", "properties", "property", "testcase", "failure", "skipped",
    "system-out",
}  # fmt: skip


def test_junit_shows_verdicts_as_a_ci_server_shows_tests() -> None:
    broken = replace(VERDICTS[0], measured={"log": "\x1b[31m\x00red\ud800"})
    run = replace(RUN, verdicts=(broken, *VERDICTS[1:]))
    text = render(report_on(run), "junit", "en")
    assert text.startswith("<?xml")
    (suite,) = ET.fromstring(text)
    assert {name: suite.get(name) for name in ("name", "tests", "failures", "skipped")} == {
        "name": "atomics",
        "tests": "5",
        "failures": "1",
        "skipped": "3",
    }
    cases = {each.get("name"): each for each in suite.iter("testcase")}
    assert [each.tag for each in cases["barriers"]] == ["system-out"]
    assert "red" in (cases["barriers"].findtext("system-out") or "")
    failure = cases["default"].find("failure")
    assert failure is not None
    assert failure.get("type") == "refuted"
    skipped = cases["speed"].find("skipped")
    assert skipped is not None
    assert (skipped.get("message") or "").startswith("could_not_run: ")
    assert len(ET.fromstring(render(report_on(), "junit", "zh"))) == 0


def test_nothing_run_says_so() -> None:
    assert "Nothing has been run for it yet." in render(report_on(), "md", "en")
    assert "The queue is empty." in escape(render(Report("queue", (), AT), "html", "en"))


def test_many_cases_are_capped_and_say_how_many_are_missing() -> None:
    cases = tuple({"claim": "barriers", "name": f"case {n}"} for n in range(500))
    run = replace(RUN, legs=(replace(LEG, cases=cases),))
    text = render(report_on(run), "md", "en")
    assert "440 more rows are in the JSON report." in text
    assert (
        len(
            json.loads(render(report_on(run), "json"))["subjects"][0]["runs"][0]["legs"][0]["cases"]
        )
        == 500
    )


def test_the_fingerprint_ignores_load_and_notices_versions() -> None:
    busy = replace(RUN, machine={**RUN.machine, "load": 9.0})
    assert fingerprint(busy) == fingerprint(RUN)
    newer = replace(LEG, environment={**LEG.environment, "packages": {"example": "3.10.0"}})
    assert fingerprint(replace(RUN, legs=(newer,))) != fingerprint(RUN)


def test_difference_names_what_changed_and_only_that() -> None:
    assert difference(RUN, replace(RUN, machine={**RUN.machine, "load": 3.0})) == []
    toolkit = {**(LEG.toolkit or {}), "release": "13.5.12"}
    other = replace(
        RUN,
        id="r43",
        machine={**RUN.machine, "driver": "580.1"},
        legs=(replace(LEG, toolkit=toolkit, measured={"pairs": 11}),),
        verdicts=(replace(VERDICTS[0], verdict=VerdictKind.REFUTED), *VERDICTS[1:]),
    )
    assert difference(RUN, other) == [
        {"part": "machine", "name": "driver", "first": None, "second": "580.1"},
        {"part": "versions", "name": "toolkit.release", "first": "13.0.88", "second": "13.5.12"},
        {"part": "results", "name": "pairs", "first": 12, "second": 11},
        {"part": "verdicts", "name": "barriers", "first": "confirmed", "second": "refuted"},
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (12345, "12,345"),
        (0.123456, "0.1235"),
        ("x" * 900, "x" * 400 + "…"),
        (True, "yes"),
        (None, ""),
        ([1, 2.5], "1, 2.5"),
        ({"a": 1}, "a 1"),
    ],
)
def test_amounts(value: object, text: str) -> None:
    assert amount(value) == text


def test_durations() -> None:
    assert lasted(2.04) == "2.0 s"
    assert lasted(124) == "2 min 4 s"
