"""Texts that nobody meant as a digest: anything at all, too much of it, and markup traps."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader.digest import NotADigest, forms, read
from reader.model import Form, ParsedDigest
from tests.digest_forms import in_form
from tests.test_digest import digest, sample

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


@pytest.mark.parametrize(
    "address", ["http://[", "//[", "https://[::1", "http://[x]/", "http://a\u2100b.org/", "http://"]
)
def test_addresses_that_are_none_lose_nothing_else(address: str) -> None:
    plain = in_form(sample("daily-traps.md"), Form.PAGE)
    page = plain.replace("https://example.org/2026/11/post.html", address)
    assert page != plain
    for found in (read(page), read(plain.replace("canonical", "x"), url=address)):
        assert isinstance(found, ParsedDigest)
        assert found.site is None
        assert found == read(plain.replace("canonical", "x"))
    text = sample("quick-look.md")
    titles = [item.title for item in digest(text).items]
    cited = text.replace("(https://example.org/commit/a1b2c3d) example.org", f"({address})")
    assert cited != text
    for form in Form:
        changed = read(in_form(cited, form))
        assert isinstance(changed, ParsedDigest)
        assert [item.title for item in changed.items] == titles


@given(st.text(), st.text(), st.datetimes() | st.none())
def test_anything_may_stand_beside_the_text(title: str, url: str, when: datetime | None) -> None:
    for name in ("daily-no-news.md", "quick-look.md"):
        for address in (url, f"https://{url}"):
            found = read(sample(name), title=title, url=address, published=when)
            assert isinstance(found, ParsedDigest)


@pytest.mark.parametrize("digit", ["²", "①", "٣", "𝟙", "9" * 5000])
@pytest.mark.parametrize("form", list(Form))
def test_digits_that_are_none_are_read_without_an_error(digit: str, form: Form) -> None:
    daily, quick = sample("daily-traps.md"), sample("quick-look.md")
    for text in (
        daily.replace("### 2.", f"### {digit}."),
        daily.replace("### 2. Layouts", f"### {digit}\n\nLayouts"),
        daily.replace("66.0/100", f"{digit}/100"),
        daily.replace("3 条", f"{digit} 条"),
        quick.replace("[^1]", f"[^{digit}]"),
        quick.replace("11 月 10", f"11 月 {digit}"),
        quick.replace("1. [示例", f"[^{digit}]: [示例"),
        quick.replace("1. [示例", f"{digit}. [示例"),
    ):
        assert isinstance(read(in_form(text, form)), ParsedDigest)
    odd = in_form(quick, Form.FEED_HTML).replace("<ol>", f'<ol start="{digit}">')
    assert isinstance(read(odd), ParsedDigest)


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
