"""What breaks a naive reader of digests, each trap in our own words."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

import pytest

from reader.digest import NotADigest, read
from reader.digest.typography import settled
from reader.model import Form, ParsedDigest
from tests.digest_forms import in_form
from tests.test_digest import CHINA, SAMPLES, digest, sample

ITEM = """### 1. Example Title

示例摘要，说明做了什么。

**为什么重要：** 示例理由。

**涉及层级：** `runtime`

**来源：** [原始来源 1](https://example.org/one)

**事件评分：** 70.0/100
"""
DAILY = f"""# 示例标题

## 今日概览

示例概览。

## 重点变化

{ITEM}
## 数据与生成说明

- 生成模式：`deepseek`
"""


def one(changed: str, form: Form = Form.MARKDOWN) -> ParsedDigest:
    """Read the small daily with its item changed."""
    return digest(in_form(DAILY.replace(ITEM, changed), form))


def test_an_item_without_title_is_an_item() -> None:
    items = digest(sample("daily-untitled.txt")).items
    assert [(item.title, item.title_derived, item.number) for item in items] == [
        ("Example Toolkit 2.0 Notes", False, 1),
        ("SpliceKit", True, None),
    ]


@pytest.mark.parametrize("form", list(Form))
def test_a_heading_without_words_is_an_item_too(form: Form) -> None:
    found = one(
        ITEM
        + "\n"
        + ITEM.replace("1. Example Title", "2.").replace("示例摘要", "NovaKit 给出了摘要"),
        form,
    )
    assert [(item.title, item.title_derived) for item in found.items][1:] == [("NovaKit", True)]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The SpliceKit linker joins parts.", "SpliceKit"),
        ("该论文提出 Nova-2，一个编译器。", "Nova-2"),
        ("Apache TVM 发布 v0.30.0，带来新接口。", "Apache TVM"),
        ("一项研究比较了几种做法。", "一项研究比较了几种做法"),
    ],
)
def test_derived_titles(text: str, title: str) -> None:
    item = one(
        ITEM.replace("### 1. Example Title\n", "").replace("示例摘要，说明做了什么。", text)
    ).items[0]
    assert (item.title, item.title_derived) == (title, True)


def test_a_version_gets_its_project_from_the_address() -> None:
    link = "https://github.com/tile-ai/tilelang/releases/tag/v0.1.15"
    text = ITEM.replace("Example Title", "Release v0.1.15").replace("https://example.org/one", link)
    assert (one(text).items[0].title, one(text).items[0].title_derived) == (
        "tilelang v0.1.15",
        False,
    )
    assert one(text, Form.TEXT).items[0].title == "Release v0.1.15"
    assert one(text.replace("Release v0", "Tilelang v0")).items[0].title == "Tilelang v0.1.15"


def test_numbering_restarts_in_each_section() -> None:
    items = digest(sample("daily-traps.md")).items
    assert [(item.section, item.number) for item in items] == [
        ("重点变化", 1),
        ("重点变化", 2),
        ("论文速递", 1),
        ("硬件动态", 1),
    ]


@pytest.mark.parametrize(
    ("written", "score"),
    [
        ("７９．５／100", 79.5),
        ("79.5", 79.5),
        ("79.5 分", 79.5),
        ("8.5/10", 85.0),
        ("100/100", 100.0),
        ("0/100", 0.0),
    ],
)
def test_scores(written: str, score: float) -> None:
    assert one(ITEM.replace("70.0/100", written)).items[0].score == score


def test_a_score_that_is_none_is_kept_and_named() -> None:
    found = one(ITEM.replace("70.0/100", "待定"))
    assert found.items[0].score is None
    assert "待定" in found.items[0].body
    assert "待定" in found.not_understood[0]


def test_labels_in_any_order_and_half_width() -> None:
    lines = ITEM.split("\n\n")
    turned = "\n\n".join([lines[0], lines[1], lines[5].strip(), lines[4], lines[3], lines[2], ""])
    assert one(turned).items == one(ITEM).items
    assert one(ITEM.replace("：** ", ":** ")).items == one(ITEM).items
    assert one(ITEM.replace("\n\n**", "\n**")).items == one(ITEM).items


def test_code_and_markup_like_words_survive_as_text() -> None:
    for form in (Form.MARKDOWN, Form.FEED_HTML, Form.PAGE):
        summary = digest(in_form(sample("daily-traps.md"), form)).items[0].summary
        for word in (
            "#example_gpu.pipeline<TileAndFuse>",
            "tirx.ptx.*",
            "T.Parallel",
            'backend="inductor"',
            "--example-load-plugin",
        ):
            assert word in summary, (form, word)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("说“汇编不同”的人", "说“汇编不同”的人"),
        ('说"汇编不同"的人', "说“汇编不同”的人"),
        ("backend=”inductor”", 'backend="inductor"'),
        ("it’s “late”", 'it\'s "late"'),
        ("通过 –iree-load-plugin 装载", "通过 --iree-load-plugin 装载"),
        ("10–20 次", "10–20 次"),
        ("大版本——HAL 升级", "大版本——HAL 升级"),
        ("等等……还有", "等等……还有"),
        ("and… so", "and... so"),
        ("⚠️ 本期", "⚠️ 本期"),
        ("👩‍💻 写的", "👩‍💻 写的"),
        ("5” 屏的“中文”", '5" 屏的“中文”'),
        ("vector«T» ", "vector<<T>>"),
    ],
)
def test_one_spelling(typed: str, kept: str) -> None:
    assert settled(typed) == kept
    assert settled(kept) == kept


def test_incomplete_days_name_the_failed_sources() -> None:
    found = digest(sample("daily-no-news.md"))
    assert (found.incomplete, found.no_news, found.items) == (True, True, ())
    assert found.notices == ("数据源 example-papers 采集失败：读取超时",)
    assert found.raw_counts == ()
    assert len(digest(sample("daily-traps.md")).notices) == 2


@pytest.mark.parametrize(
    "words", ["今日没有值得一提的更新。", "No major updates today.", "本日平静。"]
)
def test_no_news_in_other_words(words: str) -> None:
    found = digest(f"# 日报\n\n## 今日概览\n\n{words}\n\n## 数据与生成说明\n\n- 生成模式：手写\n")
    assert found.no_news
    assert found.overview == words


def test_english_labels_and_sections() -> None:
    items = digest(sample("daily-english.md")).items
    assert [(item.number, item.score) for item in items] == [(None, 71.5), (1, 64.4)]
    assert items[0].first_step == "Compile with and without it, and diff the PTX."
    assert digest(sample("daily-english.md")).raw_counts == (("NVIDIA", 2), ("arXiv", 4))


def test_names_that_differ_by_an_owner_are_different_counts() -> None:
    counts = dict(digest(sample("daily-traps.md")).raw_counts)
    assert counts == {"PyTorch": 2, "pytorch/pytorch": 1, "LLVM": 1, "llvm/llvm-project": 3}


def test_reference_marks_go_and_figures_stay() -> None:
    for form in Form:
        item = digest(in_form(sample("quick-look.md"), form)).items[0]
        assert item.refs == (1, 2)
        assert "不同。3 项测试都在 CPU 上跑完。" in item.body
        assert item.summary.endswith("只对一个目标生效。")
        assert item.reported_result == "两种次序给出不同的汇编；24 次交替编译没有串扰。"


def test_times_of_a_quick_look_have_their_zone() -> None:
    text = sample("quick-look.md")
    assert digest(text).items[1].happened_at == datetime(2026, 11, 9, 22, 40, tzinfo=CHINA)
    moved = text.replace("（UTC+08:00）", "（UTC）").replace("时间（+08:00）", "时间（UTC）")
    assert digest(moved).items[1].happened_at == datetime(2026, 11, 9, 22, 40, tzinfo=UTC)


def test_a_row_without_year_in_january_looks_back() -> None:
    text = (
        sample("quick-look.md")
        .replace("11 月 10 日编译", "2027 年 1 月 1 日编译")
        .replace(" (2026)", "")
    )
    text = text.replace("date: 2026-11-10\n", "").replace("11 月 9 日 22:40", "12 月 31 日 22:40")
    text = text.replace("在 2026 年 12 月 31 日 22:40（UTC+08:00）", "近日")
    found = digest(text)
    assert found.date == date(2027, 1, 1)
    assert found.items[1].happened_at == datetime(2026, 12, 31, 22, 40, tzinfo=CHINA)


def test_line_ends_marks_and_spaces_of_other_systems() -> None:
    text = sample("daily-traps.md")
    odd = "\ufeff" + text.replace("\n", "\r\n").replace("的上界", "\u00a0的上界")
    assert digest(odd).items[0] == digest(text).items[0]
    assert digest("\ufeff\n" + sample("daily-untitled.txt")) == digest(sample("daily-untitled.txt"))


def test_text_that_belongs_nowhere_is_kept_and_named() -> None:
    found = one(ITEM + "\n一段没有标签的话，谁也不知道它属于哪里。\n")
    assert len(found.items) == 1
    assert found.remainder == "一段没有标签的话，谁也不知道它属于哪里。"
    assert "重点变化" in found.not_understood[0]


def test_a_daily_that_cannot_be_divided_names_the_part() -> None:
    front = '---\ncategories: [ai-compiler, daily]\ngeneration_mode: "x"\n---\n\n'
    text = f"{front}# 题\n\n## 某节\n\n{'一段话。' * 60}\n"
    found = read(text)
    assert isinstance(found, NotADigest)
    assert found.reason == "not divided"
    assert "某节" in found.notices[0]


def test_two_digests_in_one_text() -> None:
    glued = sample("daily-untitled.txt") + "\n" + in_form(sample("daily-traps.md"), Form.TEXT)
    found = digest(glued)
    assert [item.title for item in found.items] == ["Example Toolkit 2.0 Notes", "SpliceKit"]
    assert "示例编译器 v4.2.0" in found.remainder
    assert any("Another digest" in each for each in found.not_understood)


def test_copied_text_with_banner_and_contents() -> None:
    text = in_form(sample("daily-traps.md"), Form.TEXT)
    title = digest(text).title
    contents = (
        "目录\n今日概览\n重点变化\n1. v4.2.0\n论文速递\n硬件动态\n值得继续观察\n数据与生成说明\n"
    )
    assert digest(f"{title}\n{contents}\n{text}") == digest(text)


def test_copied_items_without_numbers() -> None:
    text = in_form(sample("daily-traps.md"), Form.TEXT)
    bare = digest(re.sub(r"(?m)^\d\. (?=\D)", "", text)).items
    assert [(i.title, i.section, i.score) for i in bare] == [
        (i.title, i.section, i.score) for i in digest(text).items
    ]


def test_a_table_whose_tabs_were_lost() -> None:
    text = in_form(sample("quick-look.md"), Form.TEXT)
    assert digest(text.replace("\t", "\n")) == digest(text)


def test_a_page_that_marks_no_article() -> None:
    for name in SAMPLES:
        page = in_form(sample(f"{name}.md"), Form.PAGE)
        bare = digest(page.replace('id="post-article"', ""))
        assert bare.items == digest(page).items
        assert bare.remainder == "首页"


def test_items_in_unexpected_sections() -> None:
    moved = DAILY.replace("## 重点变化", "## 值得继续观察").replace(
        "示例概览。", f"示例概览。\n\n{ITEM}"
    )
    found = digest(moved)
    assert [item.section for item in found.items] == ["今日概览", "值得继续观察"]
    assert found.overview == "示例概览。"
