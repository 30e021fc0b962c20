"""Plausible posts that nobody has seen yet: other names, other labels, other blocks in an item."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reader.digest import NotADigest, read
from reader.digest.forms import detect_form
from reader.model import Form, ParsedDigest, Step
from tests.digest_forms import in_form, up_to_form
from tests.test_digest import digest, sample
from tests.test_digest_nothing_lost import lost

HEAD = """---
layout: default
categories: [ai-compiler, daily]
title: "示例日报"
date: 2026-11-20
generation_mode: "deepseek"
---

# 示例日报

## 今日概览

示例概览，说明这一天有什么。

"""
DATA = """
## 数据与生成说明

- 采集窗口：`2026-11-19T08:00:00+08:00` 至 `2026-11-20T08:00:00+08:00`
- 生成模式：`deepseek`
- 文章由示例程序写成。
- 原始条目：PyTorch 2 条
"""
ALPHA = """### 1. Alpha Lowering

示例甲换了一种下降方式。

**为什么重要：** 能省编译时间。

**涉及层级：** `runtime`、`frontend`

**来源：** [原始来源 1](https://example.org/alpha)

**事件评分：** 70.0/100

"""
BETA = """### 2. Beta Driver

示例乙修正了一处同步。

**为什么重要：** 旧版可能给出旧数据。

**涉及层级：** `runtime`

**来源：** [原始来源 1](https://example.org/beta)

**事件评分：** 61.0/100

"""
TABLE = "| 形状 | 旧 | 新 |\n| --- | --- | --- |\n| 128x128 | 3.1 ms | 2.9 ms |\n\n"
TABLE_TEXT = "形状\t旧\t新\n128x128\t3.1 ms\t2.9 ms"


def post(items: str, after: str = "") -> str:
    """Return a daily with these items under one section, and sections after it."""
    return f"{HEAD}## 重点变化\n\n{items}{after}{DATA}"


def with_extra(extra: str) -> str:
    """Return a daily whose first item has more blocks between its summary and its labels."""
    return post(ALPHA.replace("**为什么", f"{extra}**为什么", 1) + BETA)


def same_in_every_form(text: str) -> ParsedDigest:
    """Return the digest of a post that all four forms give alike, with nothing lost in any."""
    expected = digest(text)
    for form in Form:
        found = digest(in_form(text, form))
        assert up_to_form(found, form) == up_to_form(expected, form), form
        assert lost(text, found, form) == [], form
    return expected


def titles(found: ParsedDigest) -> list[tuple[int | None, str, str, float | None]]:
    """Return what tells the items apart."""
    return [(item.number, item.title, item.section, item.score) for item in found.items]


BOTH = [(1, "Alpha Lowering", "重点变化", 70.0), (2, "Beta Driver", "重点变化", 61.0)]


# ── other sections, numbers and labels ─────────────────────────────────────────────────────────


def test_sections_under_other_names() -> None:
    text = f"{HEAD}## 编译器内核\n\n{ALPHA}## 运行时与工具链（含驱动）\n\n{BETA}"
    found = same_in_every_form(f"{text}## 明日看点\n\n- 甲的下一步\n- 乙的下一步\n{DATA}")
    assert [item.section for item in found.items] == ["编译器内核", "运行时与工具链（含驱动）"]
    assert found.items[1].body == ""  # the list under an unknown heading is none of the item's
    assert found.remainder == "明日看点\n\n甲的下一步\n\n乙的下一步"
    assert found.not_understood == ("Text in “明日看点” that belongs to no item",)


def test_a_section_after_the_notes_is_none_of_them() -> None:
    found = same_in_every_form(post(ALPHA + BETA) + "\n## 订阅与反馈\n\n欢迎来信。\n\n- 邮件列表\n")
    assert found.disclaimer == "文章由示例程序写成。"
    assert found.remainder == "订阅与反馈\n\n欢迎来信。\n\n邮件列表"


def test_sections_with_signs_and_numerals() -> None:
    text = post(ALPHA, "## 二、论文速递 📄\n\n" + BETA)
    text = text.replace("## 重点", "## 一、重点").replace("## 今日", "## 🔭 今日")
    found = same_in_every_form(text)
    assert [item.section for item in found.items] == ["一、重点变化", "二、论文速递 📄"]
    assert found.overview == "示例概览，说明这一天有什么。"


def test_headings_one_level_deeper() -> None:
    deeper = post(ALPHA + BETA).replace("\n### ", "\n#### ").replace("\n## ", "\n### ")
    assert titles(same_in_every_form(deeper)) == BOTH


def test_items_without_numbers() -> None:
    found = same_in_every_form(post((ALPHA + BETA).replace("1. ", "").replace("2. ", "")))
    assert titles(found) == [(None, *each[1:]) for each in BOTH]


def test_titles_in_bold_instead_of_headings() -> None:
    bold = ALPHA.replace("### 1. Alpha Lowering", "**1. Alpha Lowering**")
    bold += BETA.replace("### 2. Beta Driver", "**2. Beta Driver**")
    found = same_in_every_form(post(bold))
    assert titles(found) == BOTH
    assert not any(item.title_derived for item in found.items)


def test_english_labels_under_chinese_sections() -> None:
    text = post(ALPHA + BETA)
    for chinese, english in (
        ("为什么重要：", "Why it matters:"),
        ("涉及层级：", "Layers:"),
        ("**来源：", "**Source:"),
        ("事件评分：", "Event score:"),
    ):
        text = text.replace(chinese, english)
    assert same_in_every_form(text).items == digest(post(ALPHA + BETA)).items


def test_labels_in_a_list() -> None:
    listed = post(ALPHA + BETA).replace("\n\n**", "\n- **").replace("。\n- **为", "。\n\n- **为")
    assert same_in_every_form(listed).items == digest(post(ALPHA + BETA)).items


def test_items_that_lack_labels() -> None:
    bare = (
        "### 3. Gamma\n\n只有一段摘要。\n\n### 4. Delta\n\n**来源：** [甲](https://example.org/d)\n"
    )
    found = same_in_every_form(post(ALPHA + bare))
    assert [(item.title, item.score) for item in found.items] == [
        ("Alpha Lowering", 70.0),
        ("Gamma", None),
        ("Delta", None),
    ]
    assert (found.items[1].summary, found.items[2].summary) == ("只有一段摘要。", "")


def test_an_unknown_label_stays_with_its_item() -> None:
    found = same_in_every_form(post(ALPHA + "**可信度：** 中\n\n" + BETA))
    assert found.items[0].body == "可信度： 中"
    assert found.remainder == ""


@pytest.mark.parametrize("written", ["120/100", "-3/100", "N/A", "70/0", "七十分"])
def test_a_score_out_of_range_is_kept_and_named(written: str) -> None:
    found = same_in_every_form(post(ALPHA.replace("70.0/100", written) + BETA))
    assert [item.score for item in found.items] == [None, 61.0]
    assert found.items[0].body == written
    assert written in found.not_understood[0]


# ── other blocks inside an item ────────────────────────────────────────────────────────────────


def test_a_table_inside_an_item() -> None:
    for text in (with_extra(TABLE), post(ALPHA + TABLE + BETA)):
        found = same_in_every_form(text)
        assert titles(found) == BOTH
        assert [item.body for item in found.items] == [TABLE_TEXT, ""]


def test_a_table_of_two_columns_in_copied_text() -> None:
    rows = "| 名称 | 数 |\n| --- | --- |\n| 寄存器 | 93 |\n\n"
    assert same_in_every_form(with_extra(rows)).items[0].body == "名称\t数\n寄存器\t93"
    signs = in_form(with_extra("- 其一\n- 其二\n\n"), Form.TEXT)  # some programs put tabs there
    assert digest(signs.replace("• ", "•\t")) == digest(signs)


def test_a_table_of_items_is_kept_as_text() -> None:
    found = same_in_every_form(post(TABLE + ALPHA + BETA))
    assert titles(found) == BOTH
    assert found.remainder == TABLE_TEXT
    assert found.not_understood == ("Text in “重点变化” that belongs to no item",)


def test_nested_lists() -> None:
    nested = "- 外层一\n  - 内层甲\n  - 内层乙\n- 外层二\n\n"
    text = with_extra(nested).replace(DATA, f"## 值得继续观察\n\n- 看点\n  - 其下\n{DATA}")
    found = same_in_every_form(text)
    assert found.items[0].body.split() == [
        "-",
        "外层一",
        "-",
        "内层甲",
        "-",
        "内层乙",
        "-",
        "外层二",
    ]
    assert found.watch == ("看点", "其下")


CODE = """```python
# 不是标题
def k(x):
    return x ** 2  # **为什么重要：** 不是标签
```

"""


def test_code_inside_an_item() -> None:
    text = with_extra(CODE)
    kept = "# 不是标题\ndef k(x):\n    return x ** 2 # **为什么重要：** 不是标签"
    for form in Form:
        found = digest(in_form(text, form))
        assert titles(found) == BOTH, form
        if form is not Form.TEXT:  # copied text does not tell code from prose
            assert found.items[0].body == kept, form
        assert lost(text.replace("```python", "```"), found, form) == [], form


def test_a_comment_in_copied_code_makes_no_markdown() -> None:
    assert detect_form(in_form(with_extra(CODE), Form.TEXT)) is Form.TEXT
    underlined = "今日概览\n----\n\n示例。\n\n# 尾\n"
    assert detect_form(underlined) is Form.MARKDOWN


def test_paragraphs_of_summary_and_reason() -> None:
    long = ALPHA.replace("方式。", "方式。\n\n第二段说了结果。\n\n第三段提醒读者。")
    long = long.replace("时间。", "时间。\n\n理由的第二段。\n\n- 理由之一\n- 理由之二")
    item = same_in_every_form(post(long + BETA)).items[0]
    assert item.summary == "示例甲换了一种下降方式。"
    assert item.body == "第二段说了结果。\n\n第三段提醒读者。"
    assert item.why == "能省编译时间。\n\n理由的第二段。\n\n- 理由之一\n\n- 理由之二"


def test_images_leave_their_words() -> None:
    text = with_extra(
        '![三层结构](https://example.org/a.png)\n\n<img src="/b.png" alt="另一张">\n\n'
    )
    for form in (Form.MARKDOWN, Form.FEED_HTML, Form.PAGE):
        found = digest(in_form(text, form))
        assert found.items[0].body == "三层结构\n\n另一张", form
    assert titles(digest(in_form(text, Form.TEXT))) == BOTH


def test_a_heading_inside_an_item() -> None:
    found = same_in_every_form(with_extra("#### 细节\n\n一段细节。\n\n"))
    assert titles(found) == BOTH
    assert found.items[0].body == "细节\n\n一段细节。"


def test_sources_without_words() -> None:
    line = (
        "https://example.org/bare，<https://example.org/auto>、[甲](https://example.org/c) 和某文"
    )
    text = post(ALPHA.replace("[原始来源 1](https://example.org/alpha)", line) + BETA)
    urls = {source.url for source in digest(text).items[0].sources}
    assert urls == {f"https://example.org/{name}" for name in ("bare", "auto", "c")} | {None}
    for form in (Form.FEED_HTML, Form.PAGE):
        assert digest(in_form(text, form)).items == digest(text).items


def test_front_matter_nobody_closed() -> None:
    text = post(ALPHA + BETA)
    opened = text.replace('"deepseek"\n---\n', '"deepseek"\n', 1)
    assert opened != text
    assert digest(opened) == digest(text)


def test_items_as_a_bare_list_are_no_items() -> None:
    text = post("1. **Alpha**：换了下降方式。\n2. **Beta**：修正了同步。\n")
    for form in Form:
        found = read(in_form(text, form))
        assert isinstance(found, NotADigest)
        assert (found.reason, "重点变化" in found.notices[0]) == ("not divided", True)


# ── quick looks ────────────────────────────────────────────────────────────────────────────────


def test_a_quick_look_without_times() -> None:
    text = sample("quick-look.md")
    for cell in (" 时间（+08:00） |", " 11 月 10 日 03:05 |", " 11 月 9 日 22:40 |", " --- |"):
        text = text.replace(cell, "", 1)
    found = same_in_every_form(text)
    assert found.items == digest(sample("quick-look.md")).items  # the sections tell the times


def test_a_column_nobody_knows_is_kept() -> None:
    text = sample("quick-look.md").replace("| 行动窗口 |", "| 行动窗口 | 风险 |")
    text = text.replace("| --- |\n", "| --- | --- |\n").replace("随时可做 |", "随时可做 | 低 |")
    text = text.replace("| 放进回归测试 |", "| 放进回归测试 | 中等 |")
    bodies = [item.body for item in same_in_every_form(text).items]
    assert [body.split("\n\n")[-1] for body in bodies] == ["风险：低", "风险：中等"]


def test_a_row_without_section_and_a_section_without_row() -> None:
    text = sample("quick-look.md")
    section = text[text.index("## CUDA runtime：") : text.index("## 推荐系统")]
    row = next(line for line in text.splitlines() if line.startswith("| CUDA runtime"))
    whole = digest(text).items[1]
    alone = same_in_every_form(text.replace(section, "")).items[1]
    assert (alone.title, alone.first_step, alone.summary) == (whole.title, whole.first_step, "")
    told = same_in_every_form(text.replace(row + "\n", "")).items[1]
    assert (told.commit, told.summary, told.first_step) == ("0f1e2d3c", whole.summary, None)


def test_a_section_that_is_no_item_is_kept_and_named() -> None:
    note = "## 编者的话\n\n这一段是编者写的，没有对应的行。\n\n## 推荐系统："
    text = sample("quick-look.md").replace("## 推荐系统：", note)
    for form in (Form.MARKDOWN, Form.FEED_HTML, Form.PAGE):
        found = digest(in_form(text, form))
        assert found.items == digest(sample("quick-look.md")).items
        assert found.remainder == "编者的话\n\n这一段是编者写的，没有对应的行。"
        assert "编者的话" in found.not_understood[0]
    assert lost(text, digest(in_form(text, Form.TEXT)), Form.TEXT) == []


def test_numbered_steps() -> None:
    text = sample("quick-look.md").replace("- **寄存", "1. **寄存").replace("- **多", "2. **多")
    steps = same_in_every_form(text).steps
    assert steps == digest(sample("quick-look.md")).steps
    assert steps[1] == Step("多 GPU 的运行时", "把释放放进回归，覆盖异常路径。")


def test_code_and_a_table_inside_a_story() -> None:
    extra = f"```bash\nif x; then\n  ptxas -v k.ptx\nfi\n```\n\n{TABLE}“汇编不同”"
    text = sample("quick-look.md").replace("“汇编不同”", extra, 1)
    for form in (Form.MARKDOWN, Form.FEED_HTML, Form.PAGE):
        body = digest(in_form(text, form)).items[0].body
        assert f"if x; then\n  ptxas -v k.ptx\nfi\n\n{TABLE_TEXT}" in body
    copied = digest(in_form(text, Form.TEXT))
    assert copied.items[0].body.split() == digest(text).items[0].body.split()
    plain = digest(sample("quick-look.md"))
    assert up_to_form(copied, Form.TEXT).items[1] == up_to_form(plain, Form.TEXT).items[1]
    assert replace(copied.items[0], body="").title == plain.items[0].title
