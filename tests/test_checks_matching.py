"""Which check fits which story: its very source first, and "none fits" is an answer."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from reader import settings
from reader.checks import manifest, matching
from reader.model import Check, Item, Labels, Marks, ParsedDigest, Source
from tests.shared import need_shared


def an_item(title: str, summary: str = "", *urls: str) -> Item:
    return Item(
        id="i1", digest="d1", title=title, title_derived=False, feed=None, section="", number=1,
        published=None, url=None, summary=summary, why="", body="", layers=(), layers_unknown=(),
        labels=Labels(), group=None, happened_at=None, commit=None, reported_result=None,
        scenario=None, first_step=None, action_window=None, refs=(), score=None,
        sources=tuple(Source("s", url) for url in urls), marks=Marks(),
    )  # fmt: skip


@cache
def bundled() -> list[Check]:
    return manifest.load_all()[0]


def names(item: Item) -> list[str]:
    return [match.check.name for match in matching.fitting(bundled(), item)]


TRITON = "https://github.com/triton-lang/triton"
TVM = "https://github.com/apache/tvm"
OF_TRITON_39 = sorted(
    file.parent.name for file in settings.resource_path("checks").glob("triton-39-*/check.toml")
)
TABLE = [
    (("Anything", "", f"{TRITON}/commit/c349ce5"), ["triton-sched4reg"]),
    (
        ("x", "", f"{TRITON}/commit/c349ce5a0b1c2d3e4f5061728394a5b6c7d8e9f0"),
        ["triton-sched4reg"],
    ),
    (("x", "", f"{TVM}/commit/0d9c9384"), ["tvm-required-block-size"]),
    (("x", "", f"{TVM}/commit/66efb012"), ["tvm-device-guard"]),
    (("Triton 的寄存器压力调度 sched4reg", "每个 kernel 可选"), ["triton-sched4reg"]),
    (("TVM：CUDADeviceGuard 恢复当前设备", ""), ["tvm-device-guard"]),
    (("Triton 3.9.0 Release Notes", "barriers, division",
      f"{TRITON}/releases/tag/v3.9.0"), OF_TRITON_39),
    (("Triton 为 acquire/release 原子语义插入屏障", ""), ["triton-39-atomics"]),
    (("Triton 3.8.0", "faster loops", f"{TRITON}/releases/tag/v3.8.0"), []),
    (("Our own allocator", "atomic_load and acq_rel in C11"), []),
    (("tvm v0.27.0", "Relax, TIRx, PTX 方言", f"{TVM}/releases/tag/v0.27.0"), []),
    (("A register allocator for GPUs", "register pressure, scheduling"), []),
    (("PyTorch 2.14", "device guard rails for users"), []),
    (("Triton 3.10.0", "tl.atomic_load is faster",
      f"{TRITON}/releases/tag/v3.10.0"), []),
    (("Triton 3.10 的 tl.atomic_poll", "tl.atomic_load 更快"), []),
    (("Triton 3.9.1", "tl.atomic_load mended", f"{TRITON}/releases/tag/v3.9.1"),
     ["triton-39-atomics"]),
    (("Inductor", "approximate division through Triton",
      "https://github.com/pytorch/pytorch/releases/tag/v2.14.0"), []),
    (("Triton 的新除法", "近似的 FP32 除法要自己打开"), ["triton-39-division"]),
    (("Triton Inference Server", "approximate division of requests"), []),
    (("Agents write kernels", "guided by Nsight Compute 的 profiling 指标"), []),
    (("ExecuTorch", "PT2E 量化：quantize-dequantize 成对出现"), []),
    (("PyTorch mends a leak", "cudaSetDevice, the device guard and the current device"), []),
    (("OpenReg, a reference for PrivateUse1", "streams and events"), []),
    (("Scaled products", "tl.dot_scaled in another language"), []),
    (("Link-time optimization for Rust", ""), []),
    (("", ""), []),
]  # fmt: skip


@pytest.mark.parametrize(("said", "expected"), TABLE, ids=[str(row[0][0])[:20] for row in TABLE])
def test_the_table(said: tuple[str, ...], expected: list[str]) -> None:
    assert names(an_item(said[0], said[1], *said[2:])) == expected


def test_real_digests_meet_their_labels() -> None:
    from tests.bench.matching import count

    found = count(need_shared("digests").parent, bundled())
    assert found.precision >= 0.95, found.wrong
    assert found.recall >= 0.8, found.missed


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_starter_item_meets_its_check_or_none(language: str) -> None:
    from reader import digest

    met: list[list[str]] = []
    for file in sorted(Path(settings.resource_path("starter", language)).glob("*.md")):
        read = digest.read(file.read_text(encoding="utf-8"))
        assert isinstance(read, ParsedDigest)
        for item in read.items:
            urls = [source.url for source in item.sources if source.url]
            met.append(names(an_item(item.title, f"{item.summary} {item.body}", *urls)))
    assert len(met) == 13
    assert met[:3] == [["triton-sched4reg"], ["tvm-required-block-size"], ["tvm-device-guard"]]
    assert {name for each in met[3:] for name in each} >= {"iree-313", "triton-39-atomics"}
