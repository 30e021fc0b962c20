"""Texts that nobody meant as a digest: anything at all, too much of it, and markup traps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader.digest import NotADigest, forms, read
from reader.model import Form, ParsedDigest
from tests.digest_forms import in_form
from tests.test_digest import sample

PIECES = st.sampled_from(
    [
        "## 今日概览\n",
        "今日概览\n",
        "### 1. v1.2\n",
        "**为什么重要：** 因为\n",
        "来源： 原始来源 1\n",
        "事件评分：７／1\n",
        "| 分组 | 更新 | 行动窗口 |\n|---|---|---|\n| a | b |\n",
        "分组\t更新\t行动窗口\n",
        "\t\t\t\n",
        "---\n",
        "> ⚠️ 数据不完整\n",
        "References\n1\n",
        "数据与生成说明\n",
        "- 采集窗口：2026-99-99T99:99\n",
        "## A：B\n",
        "9 月 99 日 25:61",
        "<T>",
        "<a href='#1'>1</a>",
        "<table><tr><td>",
        "</p>",
        "<!--",
        "`",
        "**",
        "[x](",
    ]
)


@given(st.text(), st.sampled_from([None, *Form]))
def test_any_text_is_read_without_an_error(text: str, form: Form | None) -> None:
    assert isinstance(read(text, form=form), (ParsedDigest, NotADigest))


@given(st.lists(PIECES | st.text(max_size=8), max_size=25), st.sampled_from([None, *Form]))
def test_any_pieces_are_read_without_an_error(pieces: list[str], form: Form | None) -> None:
    found = read("\n".join(pieces), form=form)
    if isinstance(found, ParsedDigest):
        assert found.items or found.no_news
        assert bool(found.remainder) <= bool(found.not_understood)


def test_what_is_too_long_is_refused_with_its_size() -> None:
    found = read("今日概览\n" * 10_000_000)
    assert isinstance(found, NotADigest)
    assert found.reason == "not divided"
    assert "50 million" in found.notices[0]


def test_files_embedded_in_a_page_do_not_count() -> None:
    page = in_form(sample("daily-traps.md"), Form.PAGE)
    image = f'<img src="data:image/png;base64,{"A" * forms.LIMIT}">'
    heavy = page.replace("<footer>", image + "<footer>")
    assert read(heavy) == read(page)


@pytest.mark.parametrize(
    "trap",
    [
        "<div>" * 100_000,
        "<a " * 150_000,
        '<a "' * 125_000,
        "<!--" * 125_000,
        "<p>" + "[" * 250_000,
        "# " + " " * 250_000 + "x",
        "[x](" * 125_000,
        "**a " * 125_000,
        "`" * 250_000 + "x",
        "{:" * 200_000,
        "|" * 250_000 + "\n" + "|-" * 125_000 + " x",
        "> " * 200_000,
        "今日概览\n" * 75_000,
        "1. 标题\n" * 75_000,
        "。1 2" * 100_000,
        "'\"" * 200_000,
        "<em>a_b" * 50_000,
    ],
)
@pytest.mark.parametrize("form", list(Form))
def test_traps_take_time_in_proportion(trap: str, form: Form) -> None:
    """Hundreds of kilobytes of one trap: what is not linear does not end within the suite."""
    head = "## 今日概览\n\n## 数据与生成说明\n\n" if form is Form.MARKDOWN else ""
    assert isinstance(read(head + trap, form=form), (ParsedDigest, NotADigest))


def test_scripts_and_markup_never_become_text() -> None:
    page = in_form(sample("daily-traps.md"), Form.PAGE)
    evil = page.replace(
        "本期共有五条", "<script>alert(1)</script><svg><text>x</text></svg>本期共有五条"
    )
    assert read(evil) == read(page)
