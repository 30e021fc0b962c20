"""The topic filter for broad sources: compilers, kernels, GPUs, in both languages. Pure."""

from __future__ import annotations

import re

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


def on_topic(entry: ParsedEntry) -> bool:
    """Tell whether an entry is about compilers, kernels or the hardware they run on."""
    text = f"{entry.title}\n{entry.summary}\n{entry.content_html}"
    return _WORDS.search(text) is not None or _CHINESE.search(text) is not None
