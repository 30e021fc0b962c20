"""The topic filter for broad sources: compilers, kernels, GPUs, in both languages. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from reader.model import ParsedEntry

_WORDS = re.compile(
    r"""\b(?:compil(?:er|ers|ation|ing)|just-in-time|jit|llvm|mlir|xla|stablehlo|tvm|triton|iree
    |torchinductor|torch\.compile|tilelang|halide|cutlass|cutile|cute\s?dsl|thunderkittens|helion
    |pallas|mojo|ptx|sass|cuda|rocm|hip|sycl|opencl|vulkan|warp(?:s|\s+speciali[sz]ation)?
    |tensor\s?cores?|tensor\s+programs?|gpus?|tpus?|npus?|gpgpu|accelerators?|systolic|trainium
    |gemms?|matmuls?|flash-?\s?attention|paged\s?attention
    |(?:gpu|cuda|triton|tensor|attention|fused|compute|matmul|gemm|sparse|custom)\s+kernels?
    |kernel\s+(?:fusion|generation|optimi[sz]ation|launch(?:es)?|performance|code|synthesis)
    |(?:operator|op|layer)\s+fusion|auto-?tun(?:ing|er|ers|e)|superoptimi[sz]\w+|polyhedral
    |code\s+generation\s+for\s+(?:\w+\s+){0,2}(?:gpu|accelerator|hardware)\w*|codegen
    |(?:loop|instruction|tile)\s+(?:tiling|scheduling|fusion|transformation)s?|tiling
    |register\s+allocation|vectori[sz]ation|simd|risc-v|fpgas?|intermediate\s+representations?
    |program\s+synthesis\s+for\s+kernels|collective\s+communication|nccl|nvlink|rdma|megakernels?
    |quanti[sz]ed\s+(?:kernel|inference|gemm)\w*|fp8|fp4|mxfp\d|inference\s+(?:engine|serving)\w*
    |memory\s+(?:planning|hierarchy|coalescing)|roofline)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_CHINESE = re.compile(
    "编译|編譯|算子|内核|核函数|张量核|张量程序|显卡|加速器|代码生成|自动调优|寄存器|向量化|访存|"
    "流水线|指令调度|融合|量化推理|推理引擎|集合通信|异构计算|昇腾|寒武纪"
)


# What a person may call a topic → what texts call it. Names are compared without their plural.
_TOPICS = {
    ("compiler", "compilation", "编译", "编译器", "编译技术"): (
        r"compil(?:er|ers|ation|ing)|just-in-time|jit|llvm|mlir|xla|stablehlo|tvm|iree|codegen"
        r"|code\s+generation|polyhedral|superoptimi[sz]\w+|intermediate\s+representations?"
        r"|torchinductor|torch\.compile|lowering|编译"
    ),
    ("kernel", "kernels", "算子", "内核", "核函数"): (
        r"(?:gpu|cuda|triton|tensor|attention|fused|compute|matmul|gemm|sparse|custom)\s+kernels?"
        r"|kernel\s+(?:fusion|generation|optimi[sz]ation|launch(?:es)?|performance|code|synthesis)"
        r"|megakernels?|gemms?|matmuls?|flash-?\s?attention|triton|tilelang|cutlass|cute\s?dsl"
        r"|thunderkittens|算子|核函数|内核"
    ),
    ("gpu", "显卡", "图形处理器"): (
        r"gpus?|gpgpu|cuda|rocm|hip|ptx|sass|tensor\s?cores?|warps?|nvidia|hopper|blackwell|显卡"
    ),
    ("accelerator", "hardware", "加速器", "硬件"): (
        r"accelerators?|gpus?|tpus?|npus?|fpgas?|asics?|systolic|trainium|tensor\s?cores?"
        r"|昇腾|寒武纪|加速器"
    ),
    ("quantization", "quantisation", "quantized", "low precision", "量化"): (
        r"quanti[sz]\w+|fp8|fp4|mxfp\d|int8|int4|low[\s-]precision|量化"
    ),
    ("autotuning", "tuning", "自动调优"): r"auto-?tun\w+|schedule\s+search|自动调优",
    ("inference", "serving", "推理"): (
        r"inference|serving|paged\s?attention|kv[\s-]cache|speculative\s+decoding|推理"
    ),
    ("distributed", "communication", "分布式", "通信"): (
        r"distributed|collective\s+communication|all-?reduce|nccl|nvlink|rdma|tensor\s+parallel\w*"
        r"|pipeline\s+parallel\w*|分布式|集合通信"
    ),
    ("attention", "注意力"): r"(?:flash|paged)?-?\s?attention|注意力",
    ("scheduling", "调度"): r"schedul(?:er|ers|ing)|调度",
    ("memory", "访存", "内存"): (
        r"memory\s+(?:planning|hierarchy|coalescing|bandwidth|access\w*)|shared\s+memory|访存"
    ),
    ("benchmark", "性能测试"): r"benchmarks?|benchmarking|性能测试",
    ("risc-v", "riscv"): r"risc-?v",
}


def on_topic(entry: ParsedEntry, topics: tuple[str, ...] = ()) -> bool:
    """Tell whether an entry is about one of the topics, in plain words of either language.

    Without any: about compilers, kernels or the hardware they run on.
    """
    text = f"{entry.title}\n{entry.summary}\n{entry.content_html}"
    if topics:
        return _pattern(topics).search(text) is not None
    return _WORDS.search(text) is not None or _CHINESE.search(text) is not None


def split_topics(words: str) -> tuple[str, ...]:
    """Return the topics of a list as a person types it: "kernels, compilers, GPU"."""
    parts = re.split(r"[,;，；、\n]|\s+(?:and|or|和|或)\s+", words)
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


@lru_cache(maxsize=64)
def _pattern(topics: tuple[str, ...]) -> re.Pattern[str]:
    known = {name: pattern for names, pattern in _TOPICS.items() for name in names}
    found = []
    for topic in topics:
        word = " ".join(topic.casefold().split())
        found.append(known.get(word) or known.get(word.removesuffix("s")) or _literal(word))
    return re.compile(
        "|".join(f"(?<![A-Za-z0-9_])(?:{each})(?![A-Za-z0-9_])" for each in found), re.IGNORECASE
    )


def _literal(word: str) -> str:
    """Return a pattern for words as typed: blanks and hyphens are one, so are one and many."""
    parts = [re.escape(part) for part in re.split(r"[\s-]+", word) if part]
    joined = r"[\s-]+".join(parts)
    if re.search(r"[a-z]$", word):
        joined = joined.removesuffix("s") + "(?:e?s)?"
    return joined
