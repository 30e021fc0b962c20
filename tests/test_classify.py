"""Labels of sentences of our own, in both languages, with what a reader of the field would say."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reader import classify
from reader.classify import evidence, terms
from reader.classify.rules import load
from reader.model import Evidence, Layer

L = Layer

STORIES = [
    ("编译器把循环融合改为独立的优化 pass，搜索空间缩小一半", {L.OPTIMIZATION}, set()),
    ("NCCL 新增跨节点的集合通信重叠，张量并行的等待变短", {L.DISTRIBUTED}, {"nvidia"}),
    ("The importer now reads ONNX opset 22 and keeps dynamic shapes", {L.FRONTEND}, set()),
    ("Subgraphs are rewritten on StableHLO before partitioning", {L.GRAPH_IR}, set()),
    ("linalg 的分块接口支持 memref 的别名", {L.TENSOR_IR}, set()),
    ("wgmma 的寄存器排布改变，Hopper 内核少一次搬运", {L.KERNEL_CODEGEN}, {"hopper"}),
    ("New RISC-V vector backend with RVV 1.0 intrinsics", {L.HARDWARE_BACKEND}, {"rvv"}),
    ("CUDA Graphs 捕获时不再同步流，启动开销下降", {L.RUNTIME}, {"nvidia"}),
    ("On KernelBench the geomean is 1.3x over the baseline", {L.BENCHMARK}, set()),
    ("昇腾 950 后端支持新的指令集", {L.HARDWARE_BACKEND}, {"ascend"}),
    ("gfx942 上的 MFMA 指令选择", {L.KERNEL_CODEGEN, L.HARDWARE_BACKEND}, {"cdna3"}),
    ("vLLM offloads the KV cache to host memory", {L.RUNTIME}, set()),
    ("torch.compile: fewer graph breaks in Dynamo", {L.FRONTEND}, set()),
    ("Trainium2 上的 NKI 内核", {L.KERNEL_CODEGEN, L.HARDWARE_BACKEND}, {"trainium"}),
    ("TPU 后端的分片传播（Shardy）", {L.DISTRIBUTED, L.HARDWARE_BACKEND}, {"tpu"}),
    ("SME2 microkernels for Arm CPUs", {L.KERNEL_CODEGEN}, {"sme", "cpu"}),
    ("Layout inference in TileLang now runs on affine maps", {L.TENSOR_IR}, set()),
    ("Metal 后端修复 fp16 累加", {L.HARDWARE_BACKEND}, {"apple"}),
    ("Autotuning finds tile sizes for sm_90a and sm_120", {L.OPTIMIZATION}, {"sm_90a", "sm_120"}),
    ("compute capability 8.9 需要新的 PTX 版本", {L.KERNEL_CODEGEN}, {"sm_89", "nvidia"}),
]


@pytest.mark.parametrize(("text", "layers", "hardware"), STORIES)
def test_a_story_gets_its_layers_and_hardware(
    text: str, layers: set[Layer], hardware: set[str]
) -> None:
    found = classify.labels("", text)
    assert layers <= set(found.layers)
    assert hardware - {"nvidia", "cpu"} <= set(found.hardware)
    assert hardware <= set(classify.with_ancestors(found.hardware))


@pytest.mark.parametrize(
    "text",
    [
        "A Turing complete macro language",
        "Mali 以外的国家",  # a country, but the name is taken: documented by the next assertion
        "the Ada language and its compiler",
        "arms race between vendors",
        "metal casting",
        "Triton Inference Server 2.60",
        "M≤8 的矩阵",
        "a hash_sm_9x suffix",
        "the tile in the kitchen",
        "poplars by the river",
    ],
)
def test_false_friends_name_no_hardware(text: str) -> None:
    assert set(classify.labels("", text).hardware) <= {"mali"}


def test_only_the_most_specific_node_is_named() -> None:
    found = classify.labels("NVIDIA Hopper", "sm_90a kernels on the H100").hardware
    assert found == ("sm_90a",)
    assert classify.with_ancestors(found) == ("sm_90a", "hopper", "nvidia")


@pytest.mark.parametrize(
    ("typed", "node"),
    [
        ("Hopper", "hopper"),
        ("SM_90A", "sm_90a"),
        ("sm90", "sm_90"),
        ("英伟达", "nvidia"),
        ("risc-v", "riscv"),
        ("MI300X", "cdna3"),
        ("昇腾", "ascend"),
        ("Apple", "apple"),
        ("sm_999", None),
        ("toaster", None),
        ("", None),
    ],
)
def test_a_person_types_hardware(typed: str, node: str | None) -> None:
    assert classify.find_node(typed) == node


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("两种选项生成不同的 PTX。", Evidence.CODEGEN),
        ("The new pass emits wgmma instead of mma.sync.", Evidence.CODEGEN),
        ("新增属性，与 launch bounds 互斥。", Evidence.PROPERTY),
        ("RMW defaults to acq_rel semantics.", Evidence.PROPERTY),
        ("全部回归测试通过。", Evidence.REGRESSION),
        ("2,902 tests passed, 94 skipped.", Evidence.REGRESSION),
        ("GEMM 内核提速 1.4 倍。", Evidence.KERNEL),
        ("The attention kernel is 24% faster on gfx950.", Evidence.KERNEL),
        ("训练吞吐提升 27%。", Evidence.END_TO_END),
        ("Serving reaches 441K tokens/s, a 9% higher throughput.", Evidence.END_TO_END),
        ("天气不错。", Evidence.NONE),
    ],
)
def test_the_strongest_evidence_counts(text: str, kind: Evidence) -> None:
    assert classify.labels("", text).evidence is kind


@pytest.mark.parametrize(
    "text",
    [
        "PTX 不同；端到端吞吐数字仍要自测 2 倍以上才算。",
        "No throughput numbers are given, 2x or otherwise; the emitted PTX differs.",
        "生成的 PTX 有变化，加速 2 倍的内核数字尚未给出。",
    ],
)
def test_what_was_not_measured_is_no_evidence(text: str) -> None:
    found = classify.labels("", text).evidence_all
    assert Evidence.CODEGEN in found
    assert Evidence.END_TO_END not in found
    assert Evidence.KERNEL not in found


def test_every_node_and_layer_has_both_names() -> None:
    for node in classify.tree().values():
        assert node.zh
        assert node.en
        assert node.parent is None or node.parent in classify.tree()
    for layer in Layer:
        assert classify.layer_name(layer, "zh") != classify.layer_name(layer, "en")
    for kind in Evidence:
        assert classify.evidence_name(kind, "zh")
        assert classify.evidence_name(kind, "en")


# ── quick and plain ways find the same ─────────────────────────────────────────────────────────

NEEDLES = sorted(
    {
        terms.needle(each)
        for name in ("layers", "hardware", "evidence")
        for each in terms._strings(load(name))
    }
)
PIECES = st.sampled_from(
    [
        *(each.strip() for each in NEEDLES),
        *"。；！？，：\n.;!?", ". ", "; ", "! ", " ", "-", "x", "1.4x ", "快 2 倍", "sm_90a ",
        "Arm ", "SVE",
        "cc 9.0", "turing complete ", "not measured", "没有报告", "kernel ", "faster ",
        "İK", "e.g. ", "a..b",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=30).map("".join) | st.lists(
    PIECES, max_size=30
).map(" ".join)


@settings(max_examples=120, deadline=None)
@given(text=TEXTS)
def test_the_lexicon_finds_what_a_plain_search_finds(text: str) -> None:
    prepared = terms.Prepared(text)
    assert prepared.present == {each for each in NEEDLES if terms.stands(each, prepared)}
    assert prepared.present == terms.Lexicon(NEEDLES).within(prepared)  # nothing remembered


@settings(max_examples=120, deadline=None)
@given(text=TEXTS)
def test_sentences_looked_at_for_a_reason_show_what_all_of_them_show(text: str) -> None:
    everything = {name: evidence._terms(name).needles for name in evidence._NAMES}
    found: set[Evidence] = set()
    for sentence in re.split(r"[。；！？\n]+|[;!?]\s|(?<![0-9A-Z])\.\s", text):
        found |= evidence._of_sentence(sentence, everything, set(evidence._KINDS))
    shown = evidence.shown(text, terms.Prepared(text))
    assert shown == tuple(kind for kind in evidence._KINDS if kind in found)


_NUMBER = re.compile(
    r"\d+(?:\.\d+)?\s*(?:[x×]|倍|%|％|成|(?:[kKM]?\s*)(?:tokens?|images?|samples?|requests?)\b|"
    r"[μu]s\b|ms\b|秒|毫秒|微秒|[TG]FLOP|TB/s|GB/s)|\bO\(N",
    re.IGNORECASE,
)


AMOUNTS: tuple[str, ...] = (
    "1",
    "2.5",
    ".",
    " ",
    "x",
    "X",
    "us",
    "u",
    "s",
    "k tokens",
    "K",
    "Requests",
    "倍",
)
AMOUNTS += ("GB/s", "O(N", "o(n", "(", "μs", "\u00b5s")


@settings(max_examples=120, deadline=None)
@given(text=st.lists(st.sampled_from(AMOUNTS) | st.text(max_size=3), max_size=12).map("".join))
def test_a_number_is_found_from_its_end(text: str) -> None:
    assert evidence._has_number(text) == (_NUMBER.search(text) is not None)
