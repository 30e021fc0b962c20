"""What touches the user's own stack comes first, and says why."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from reader import language, today
from reader.model import (
    Evidence,
    Gpu,
    Interpreter,
    Machine,
    Marks,
    Row,
    StoryKind,
    Toolkit,
)

NOW = datetime(2026, 10, 28, 9, tzinfo=UTC)
STACK = today.Stack({"triton": ("3.8.0",), "cuda": ("13.0",)}, ("sm_90",))


def row(title: str, *, score: float | None = None, hardware: tuple[str, ...] = (), url: str = "",
        read: bool = False) -> Row:  # fmt: skip
    return Row(
        id="i1", kind=StoryKind.ITEM, title=title, title_derived=False, snippet="", published=NOW,
        score=score, layers=(), layers_ours=False, hardware=hardware, evidence=Evidence.NONE,
        feed=None, feed_title="", feed_kind=None, digest=None, section="", url=url or None,
        marks=Marks(read=read),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("title", "hardware", "text"),
    [
        ("Triton 3.9.0 Release Notes", (), "you have 3.8"),
        ("Triton 3.8.1", (), "you have 3.8.0"),
        ("Triton Inference Server 2.6", (), None),
        ("CUDA Toolkit 13.4", (), "you have 13.0"),
        ("A Hopper kernel", ("hopper",), "your sm_90"),
        ("An sm_90a kernel", ("sm_90a",), "your sm_90"),
        ("All of NVIDIA", ("nvidia",), None),
        ("A Blackwell kernel", ("sm_100",), None),
        ("TVM 0.27", (), None),
    ],
)
def test_a_badge_says_why(title: str, hardware: tuple[str, ...], text: str | None) -> None:
    language.set_language("en")
    found = today.badge(row(title, hardware=hardware), STACK)
    assert (found.text() if found else None) == text


def test_a_badge_speaks_chinese() -> None:
    language.set_language("zh")
    try:
        found = today.badge(row("Triton 3.9.0"), STACK)
        assert found is not None
        assert found.text() == "你装的是 3.8"
    finally:
        language.set_language("en")


def test_the_own_stack_comes_before_a_higher_score() -> None:
    rows = [row("TVM", score=95.0), row("IREE", score=90.0), row("Triton 3.9", score=60.0)]
    assert [each.title for each in today.ranked(rows, STACK)] == ["Triton 3.9", "TVM", "IREE"]


def test_the_stack_is_what_the_user_works_with() -> None:
    mine = Interpreter(
        "/usr/bin/python3", "3.12.1", "venv", (("triton", "3.8.0"), ("torch", "2.13"))
    )
    ours = Interpreter("/data/env", "3.12.1", "managed", (("triton", "3.9.0"),))
    kits = [Toolkit(Path("/usr/local/cuda"), "13.0", "13.0.88", (), "system")]
    gpu = Gpu("H100", "9.0", 80000, "abc")
    machine = Machine("Linux", "x86", 2, 1000, 0.1, (gpu,))
    stack = today.stack_of([mine, ours], kits, machine)
    assert stack.projects["triton"] == ("3.8.0",)
    assert stack.projects["cuda"] == ("13.0",)
    assert stack.archs == ("sm_90",)
