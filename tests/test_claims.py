"""Claims in a text: what can be tested is found in both languages; what only looks so is not."""

from __future__ import annotations

import pytest

from reader import claims
from reader.claims import Factor, Kind
from reader.claims.sentences import spans
from tests.bench.claims import count
from tests.shared import need_shared

P, C, G, B = Kind.PERFORMANCE, Kind.CORRECTNESS, Kind.CODEGEN, Kind.BEHAVIOUR
CLAIMS = [
    ("在 B200 上，新的归约最高提速 3.5 倍。", P),
    ("The new reduction is up to 3.5x faster on H100.", P),
    ("链接后的 kernel 与整体编译相差在 0.4% 以内。", P),
    ("Linked kernels stay within 0.4% of the monolithic latency.", P),
    ("Peak memory dropped by 12 percent at batch 16.", P),
    ("打包的复杂度由 O(N²) 降为 O(N log N)。", P),
    ("A geometric mean speedup of 1.18 over the library.", P),
    ("Decode runs at 512K tokens/s.", P),
    ("一次启动耗时从 41 ms 降到 6 ms。", P),
    ("The linked kernel is within 0.4 % of one compiled whole.", P),
    ("Nested loops take a tenth of the time.", P),
    ("前端耗时少了一个数量级。", P),
    ("Startup latency is halved.", P),
    ("修复 scan 在空行上的误编译。", C),
    ("This fixes a miscompile of nested reductions.", C),
    ("The suite reports 1204 passed, 3 skipped.", C),
    ("多流的回归用例全部通过。", C),
    ("Outputs are bitwise identical for every batch size.", C),
    ("Tests on four GPUs pass.", C),
    ("两种选项会生成不同的 PTX。", G),
    ("The source holds __cluster_dims__ and the PTX .reqntid.", G),
    ("FP8 now compiles for sm_120.", B),
    ("The back end now emits wgmma.mma_async.sync for sm_90.", G),
    ("The pass inserts a CTA barrier after each atomic.", G),
    ("RMW 的默认语义改为 relaxed。", B),
    ("The default is now acq_rel.", B),
    ("Fast math is off by default.", B),
    ("旧的 lib.old_call 接口已被移除。", B),
    ("The old pass names are no longer supported.", B),
    ("要求 CUDA Toolkit 13 及更新版本。", B),
    ("It requires CUDA 13.2 or newer.", B),
    ("新增 tl.fancy_load，默认关闭。", B),
    ("Adds --plan-arena to the optimizer.", B),
    ("旧模型包与新 runtime 不兼容。", B),
]
TRAPS = [
    "2026 年 8 月 30 日 03:37 合入 abc1234。",
    "Merged on 30 August 2026 at 03:37.",
    "Triton 3.9.0 正式发布。",
    "PyTorch 2.14.0 is out.",
    "事件评分： 89.8/100",
    "It scores 79.5/100 with our readers.",
    "累计约 720 个 PR。",
    "This release holds 214 commits by 31 contributors.",
    "Version 3.9 supports Python.",
    "可以先这样验证：固定 shape，比较延迟是否降低 5%。",
    "If the latency drops by 5%, ship it.",
    "最小验证可以固定 batch 后看提速几倍。",
    "You should see whether it is 2x faster.",
    "后续有望提速 2 倍。",
    "GPT-2 and Mamba-2 are models.",
    "We introduce MemoBench, a benchmark of memory.",
    "1 in 31 US teams answered.",
    "会议在 5 月 3 日开始，共 40 场。",
    "阈值取 1%。",
    "岭回归方法能通过分布看出精度。",
    "该工作说明了一个方向。",
    "这些文件由它产生，只对那个 ptxas 版本有用。",
    "论文研究不同批次的结果是否逐位相同。",
    "It asks whether outputs are bitwise identical.",
    "",
]


@pytest.mark.parametrize(("sentence", "kind"), CLAIMS)
def test_a_testable_sentence_has_its_kind(sentence: str, kind: Kind) -> None:
    assert claims.kind_of(sentence) is kind


@pytest.mark.parametrize("sentence", TRAPS)
def test_what_only_looks_so_is_no_claim(sentence: str) -> None:
    assert claims.kind_of(sentence) is None


def test_places_are_those_of_the_text() -> None:
    text = "  First line. Latency is 2x lower.\n默认改为 acquire；无关。"
    found = list(claims.find(text))
    assert [each.text for each in found] == ["Latency is 2x lower.", "默认改为 acquire；"]
    assert all(text[each.start : each.end] == each.text for each in found)


def test_points_inside_names_end_no_sentence() -> None:
    text = "Since v3.9.0 tl.load (e.g. in a.b) is 2x faster. 下一句！再一句"
    assert [text[a:b] for a, b in spans(text)] == [
        "Since v3.9.0 tl.load (e.g. in a.b) is 2x faster.", "下一句！", "再一句",
    ]  # fmt: skip


def test_where_a_text_weighs_only_its_numbers_count() -> None:
    assert claims.kind_of("默认改为 acquire。", opinion=True) is None
    assert claims.kind_of("提速约 4 倍。", opinion=True) is P


def test_conditions_are_read() -> None:
    said = "On H100 with CUDA 13.2+ and batch 16, FP8 GEMM with M≤8 is up to 2.5x faster, about 3%."
    read = claims.conditions(said)
    assert (read.hardware, read.gpus) == (("hopper",), ("H100",))
    assert read.versions == (("CUDA", "13.2+"),)
    assert read.shapes == ("batch 16", "M≤8")
    assert read.dtypes == ("FP8",)
    assert read.factors == (Factor(2.5, "×", "most"), Factor(3.0, "%", "about"))
    assert claims.conditions("最高提速 40 倍").factors == (Factor(40.0, "×", "most"),)
    assert claims.conditions("2026 年 3 月的 GPT-2").versions == ()


def test_real_digests_meet_their_labels() -> None:
    found = count(need_shared("digests").parent)
    assert found.precision >= 0.9, found.wrong
    assert found.recall >= 0.8, found.missed


def test_a_long_line_is_no_sentence_and_costs_little() -> None:
    assert list(claims.find("0x" * 200_000)) == []
    assert list(claims.find("提速 " * 100_000)) == []
