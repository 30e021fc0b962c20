"""The same digest in four forms, the real ones where they lie, and the starter digests."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from reader.digest import NotADigest, read
from reader.digest.forms import detect_form
from reader.model import DigestKind, Form, Layer, ParsedDigest
from tests.digest_forms import in_form, up_to_form
from tests.shared import need_shared

DATA = Path(__file__).parent / "data" / "digests"
STARTER = Path(__file__).parents[1] / "resources" / "starter"
CHINA = timezone(timedelta(hours=8))
SAMPLES = ("daily-traps", "daily-no-news", "daily-english", "quick-look")


def digest(content: str) -> ParsedDigest:
    """Read a text that has to be a digest."""
    found = read(content)
    assert isinstance(found, ParsedDigest), found
    return found


def sample(name: str) -> str:
    """Return one of the project's own fixtures."""
    return (DATA / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("name", SAMPLES)
def test_every_form_gives_the_same_digest(name: str, form: Form) -> None:
    text = sample(f"{name}.md")
    other = in_form(text, form)
    assert detect_form(other) is form
    assert up_to_form(digest(other), form) == up_to_form(digest(text), form)


@pytest.mark.parametrize("name", ["daily-traps.md", "daily-untitled.txt", "quick-look.md"])
def test_golden_pairs(name: str) -> None:
    expected = json.loads((DATA / name).with_suffix(".json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(asdict(digest(sample(name))), default=str)) == expected


@pytest.mark.parametrize("form", list(Form))
def test_the_ten_posts_in_every_form(form: Form) -> None:
    posts = sorted(need_shared("digests").glob("*.md"))
    assert len(posts) == 10
    for post in posts:
        text = post.read_text(encoding="utf-8")
        found = digest(in_form(text, form))
        assert up_to_form(found, form) == up_to_form(digest(text), form), post.name
        assert (found.remainder, found.not_understood) == ("", ())


def test_the_ten_posts_give_what_is_in_them() -> None:
    folder = need_shared("digests")
    found = {
        path.name[:10]: digest(path.read_text("utf-8")) for path in sorted(folder.glob("*.md"))
    }
    items = {name: len(each.items) for name, each in found.items()}
    assert list(items.values()) == [1, 0, 5, 0, 1, 1, 2, 2, 0, 2]
    assert [name for name, each in found.items() if each.no_news] == [
        "2026-08-30",
        "2026-09-08",
        "2026-10-04",
    ]
    assert [name for name, each in found.items() if each.incomplete] == [
        "2026-08-28",
        "2026-09-08",
        "2026-09-26",
    ]
    assert "HTTP 406" in found["2026-09-26"].notices[0]
    assert dict(found["2026-10-06"].raw_counts)["iree-org/iree"] == 1
    assert len(found["2026-10-06"].watch) == 7
    for name, each in found.items():
        assert each.date == date.fromisoformat(name)
        assert each.cutoff_at == datetime(
            each.date.year, each.date.month, each.date.day, 8, tzinfo=CHINA
        )
        assert each.cutoff_at - (each.window_since or each.cutoff_at) == timedelta(days=1)
        assert each.generation_mode == "deepseek"
        for item in each.items:
            assert item.score
            assert item.layers
            assert item.sources[0].url
    assert found["2026-10-06"].items[0].title == "iree v3.12.0"
    assert "#iree_gpu.pipeline<TileAndFuse>" in found["2026-10-06"].items[0].summary


def test_the_daily_seeds() -> None:
    folder = need_shared("seeds")
    one, two = (digest(next(folder.glob(f"{n}_*")).read_text("utf-8")) for n in ("001", "002"))
    assert [item.score for item in one.items] == [89.8, 76.8, 67.5, 67.2, 62.4]
    assert [item.score for item in two.items] == [89.2, 86.2, 77.6, 71.8, 61.4]
    assert [(i.title, i.number) for i in one.items if i.title_derived] == [("PipeLink", None)]
    assert [item.section for item in two.items] == ["重点变化"] * 3 + ["开源项目动态"] * 2
    assert "--iree-load-plugin" in two.items[2].summary
    for each in (one, two):
        assert each.title.startswith(("Triton 3.9.0", "AWS 开源 Trainium"))
        assert "阅读" not in each.overview + each.disclaimer
        assert len(each.watch) == 5
        assert each.raw_counts
        assert each.disclaimer
        assert (each.remainder, each.not_understood) == ("", ())
        assert all(item.summary and item.why and item.layers for item in each.items)


def test_what_the_page_puts_around_a_copied_post_is_left_out() -> None:
    text = sample("daily-untitled.txt")
    found = digest(text)
    assert found.title == "示例链接器让组件分开编译，一项调度工作省去重编译"
    assert (found.remainder, found.not_understood) == ("", ())
    back, title, rest = "← 返回博客主页", found.title, text.split(found.title, 1)[1]
    for head in (  # the link and the counter stand together, apart, or under a banner
        f"{back}\n阅读 0\n\n{title}",
        f"{title}\n{back}\n\n阅读 0\n",
        f"{title}\n{back} 阅读 0\n{title}\n",
        f"{title}\n\n{back}\n阅读 1,204 次\n{title}\n",
    ):
        assert digest(head + rest) == found, head


@pytest.mark.parametrize("beside", ["← 返回博客主页", "001_5a1e", "阅读 0", ""])
def test_copied_text_keeps_its_own_title(beside: str) -> None:
    """Whoever imports a file has only its first line or its name to give."""
    for text in (sample("daily-untitled.txt"), in_form(sample("quick-look.md"), Form.TEXT)):
        assert read(text, title=beside) == read(text)


@pytest.mark.parametrize("beside", ["← 返回博客主页", "001_5a1e", ""])
def test_the_seeds_keep_their_own_titles(beside: str) -> None:
    for path in sorted(need_shared("seeds").glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        assert read(text, title=beside) == read(text), path.name


def test_copied_text_without_a_title_takes_the_one_beside_it() -> None:
    text = sample("daily-untitled.txt").split("省去重编译\n")[1]
    for lead in ("", "一段引言，说明这一期写了什么。\n\n"):
        found = read(lead + text, title="订阅源给的标题")
        assert isinstance(found, ParsedDigest)
        assert found.title == "订阅源给的标题"
        assert (found.remainder, lead.strip() in found.overview) == ("", True)


def test_the_quick_look_seed() -> None:
    found = digest(next(need_shared("seeds").glob("000_*")).read_text("utf-8"))
    assert found.kind is DigestKind.QUICK_LOOK
    assert found.date == date(2026, 8, 30)
    assert [item.commit for item in found.items] == ["c349ce5", "0d9c9384", "66efb012"]
    assert [item.refs for item in found.items] == [(1, 2), (3, 4), (4, 5)]
    assert found.items[1].happened_at == datetime(2026, 8, 29, 9, 42, tzinfo=CHINA)
    for item in found.items:
        assert item.reported_result
        assert item.scenario
        assert item.first_step
        assert item.action_window
        assert item.group
        assert item.body
        assert not any(
            text.rstrip("。").endswith((" 1", " 2", " 5")) for text in item.body.split("\n")
        )
    assert "2902 passed、94 skipped、3 xpassed" in (found.items[2].reported_result or "")
    assert [step.condition for step in found.steps][-1] == "所有三项更新"
    assert len(found.steps) == 4
    assert found.empty_sections[0].startswith("推荐系统：本窗口暂留空位")
    assert [(r.n, r.host) for r in found.references] == [(n, "github.com") for n in range(1, 6)]
    assert (found.remainder, found.not_understood) == ("", ())


def test_what_came_beside_the_text_fills_gaps() -> None:
    text = in_form(sample("daily-traps.md"), Form.FEED_HTML)
    url = "https://example.org/ai-compiler/daily/2026/11/05/post.html"
    found = read(text, title="A feed's title", url=url)
    assert isinstance(found, ParsedDigest)
    assert found.site == "example.org"
    assert found.title.startswith("示例编译器 4.2")
    bare = read(text.replace("<h1>", "<p hidden>").split("</h1>")[-1], title="A feed's title")
    assert isinstance(bare, ParsedDigest)
    assert bare.title == "A feed's title"


def test_no_digest_says_why() -> None:
    assert read(" \n") == NotADigest("empty", ("There is no text in it.",))
    for name in ("ordinary.md", "hackernews.md"):
        assert read(sample(name)) == NotADigest("ordinary post")
    ordinary = in_form(sample("ordinary.md"), Form.PAGE)
    assert read(ordinary) == NotADigest("ordinary post")


def test_labels_are_the_sites_own() -> None:
    found = digest(sample("daily-traps.md")).items[0]
    assert found.layers == (Layer.KERNEL_CODEGEN, Layer.FRONTEND)
    assert found.layers_unknown == ("quantum_backend",)
