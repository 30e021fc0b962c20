"""The words both generators use, in Chinese and English: sections, labels, columns, furniture."""

from __future__ import annotations

import re

from reader.digest.typography import plain

# What a section is for, and the headings it goes by (lower case, without numbers and signs).
SECTIONS: dict[str, tuple[str, ...]] = {
    "overview": (
        "今日概览", "今日概况", "本期概览", "本日概览", "今日综述", "概览", "摘要", "今日要点",
        "导语", "overview", "today's overview", "today at a glance", "summary", "at a glance",
    ),
    "highlights": (
        "重点变化", "重点更新", "今日重点", "重要变化", "重点", "重点动态",
        "key changes", "highlights", "main changes", "top stories", "major changes",
    ),
    "papers": (
        "论文速递", "论文", "论文动态", "研究进展", "学术论文", "论文速览",
        "papers", "paper digest", "research", "research papers", "new papers",
    ),
    "projects": (
        "开源项目动态", "开源动态", "开源项目", "项目动态", "社区动态", "工业界动态",
        "projects", "open source projects", "open-source projects", "open source", "project news",
    ),
    "watch": (
        "值得继续观察", "继续观察", "值得关注", "值得持续关注", "后续观察", "观察列表",
        "watch", "worth watching", "watch list", "watchlist", "keep watching", "what to watch",
    ),
    "data": (
        "数据与生成说明", "数据说明", "生成说明", "数据与说明", "关于本期数据",
        "数据来源与生成说明", "data and generation notes", "data and how this was made",
        "data notes", "about this issue",
        "data and generation", "about the data", "generation notes",
    ),
    "verdict": ("快速判断", "快速判断表", "速览表", "quick look", "quick verdict", "the table"),
    "steps": (
        "按系统形状排验证", "按系统形态排验证", "按系统排验证", "验证顺序",
        "verify by the shape of your system", "what to verify first", "verify by system shape",
    ),
    "references": ("references", "参考", "参考资料", "参考文献", "引用", "来源列表"),
}  # fmt: skip

# What a labelled line says, and the labels it goes by.
LABELS: dict[str, tuple[str, ...]] = {
    "why": ("为什么重要", "为何重要", "重要性", "重要意义", "why it matters", "why this matters"),
    "layers": ("涉及层级", "涉及的层级", "涉及层次", "层级", "layers", "layer", "layers touched"),
    "source": ("来源", "信息来源", "原始来源", "数据来源", "source", "sources", "source(s)"),
    "score": ("事件评分", "评分", "综合评分", "重要性评分", "event score", "score"),
    "first_step": ("第一步验证", "最小验证", "first step", "first verification step"),
    "action_window": ("行动窗口", "action window"),
    "reported_result": (
        "来源已报告结果",
        "已报告结果",
        "reported result",
        "reported by the source",
    ),
    "scenario": ("适用场景", "scenario", "where it applies", "applies to"),
}
LINE_ONLY = frozenset(("source", "score", "scenario", "first_step"))  # too common inside prose

# The columns of a quick look's table.
COLUMNS: dict[str, tuple[str, ...]] = {
    "group": ("分组", "类别", "分类", "group", "area"),
    "title": ("更新", "条目", "更新内容", "update", "item", "what changed"),
    "time": ("时间", "时间(+08:00)", "日期", "time", "date", "when"),
    "reported_result": ("来源已报告结果", "已报告结果", "结果", "reported result", "result"),
    "scenario": ("适用场景", "场景", "scenario", "where it applies", "applies to"),
    "first_step": ("第一步验证", "首步验证", "最小验证", "first step", "first verification step"),
    "action_window": ("行动窗口", "行动", "action window", "action"),
    "score": ("事件评分", "评分", "score", "event score"),
    "layers": ("涉及层级", "层级", "layers"),
}

# The lines of the section about data.
NOTES: dict[str, tuple[str, ...]] = {
    "window": ("采集窗口", "时间窗口", "采集时间窗口", "collection window", "window"),
    "mode": ("生成模式", "生成方式", "generation mode", "mode"),
    "counts": ("原始条目", "原始条目数", "原始数据", "raw entries", "raw items", "raw counts"),
    "notice": ("失败来源", "采集失败", "failed sources", "failed source"),
}

NO_NEWS = re.compile(
    r"无重大更新|无重要更新|无重大变化|没有(?:发现)?(?:需要)?(?:重点)?(?:报道|更新|重大)|没有发现|暂无(?:重大|重要)?更新"
    r"|未发现(?:需要|值得|重大|重要)|无(?:新增)?(?:合格)?(?:条目|更新)$|今日无|本日无"
    r"|no (?:major|significant|notable|important) (?:updates?|news|changes?)"
    r"|nothing (?:major|notable|new)|no news|no items? (?:today|met|passed)",
    re.IGNORECASE,
)
EMPTY_SECTION = re.compile(
    r"留空|空位|空缺|空窗|无(?:新增|合格|更新)|暂无|没有(?:新增|合格|更新|条目|收录|新的)"
    r"|left empty|no new|nothing (?:new|to report)|empty this|none this",
    re.IGNORECASE,
)
INCOMPLETE = re.compile(
    r"数据不完整|数据(?:不全|缺失)|采集(?:不完整|失败)|data (?:are|is) incomplete|incomplete data"
    r"|incomplete issue|issue is incomplete",
    re.IGNORECASE,
)
INCOMPLETE_FIXED = re.compile(
    r"[⚠\ufe0f\s!]*(?:本期|今日|本日)?数据不完整\s*[：:。.]?"
    r"|[⚠\ufe0f\s!]*(?:this issue's |today's )?data (?:are|is) incomplete\s*[：:.]?",
    re.IGNORECASE,
)
FAILED_SOURCE = re.compile(
    r"采集失败|抓取失败|获取失败|数据源|请求失败|could not be (?:collected|fetched)|failed", re.I
)

_FURNITURE = re.compile(
    r"(?:←|<-|«|‹)?\s*(?:返回博客主页|返回首页|返回主页|back to (?:the )?(?:blog|home)[\w ]*)"
    r"|(?:阅读|浏览|阅读量|views?|reads?)\s*[：:]?\s*(?:\d[\d,.]*)?\s*(?:次|k|万)?"
    r"|\d[\d,.]*\s*(?:次阅读|次浏览|views|reads)"
    r"|(?:目录|文章目录|本页目录|table of contents|contents|on this page)",
    re.IGNORECASE,
)
_COMMENTS = re.compile(
    r"(?:评论|评论区|发表评论|comments?|\d+ (?:条评论|comments?))", re.IGNORECASE
)
_ORDINAL = re.compile(r"^(?:[\d]{1,3}[.、．)]|[一二三四五六七八九十]{1,3}[、.．])\s*")
_SIGNS = re.compile(r"^[^\w]+|[^\w)）]+$")


def _index(table: dict[str, tuple[str, ...]]) -> dict[str, str]:
    return {each: name for name, spellings in table.items() for each in spellings}


_SECTION, _COLUMN = _index(SECTIONS), _index(COLUMNS)


def _label_pattern(table: dict[str, tuple[str, ...]]) -> re.Pattern[str]:
    every = sorted((each for spellings in table.values() for each in spellings), key=len)
    either = "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in reversed(every))
    return re.compile(rf"\s*({either})\s*\d{{0,2}}\s*[：:]\s*", re.IGNORECASE)


_LABEL, _NOTE = _label_pattern(LABELS), _label_pattern(NOTES)
_LABEL_OF, _NOTE_OF = _index(LABELS), _index(NOTES)
_INNER = sorted(
    (
        each
        for name, spellings in LABELS.items()
        if name not in LINE_ONLY
        for each in spellings
        if len(each) > 5 or not each.isascii()
    ),
    key=len,
    reverse=True,
)
_INNER_LABEL = re.compile(
    r"(?<=[。！？.!?）)”\"\d\w]) (?=(?:"
    + "|".join(map(re.escape, _INNER))
    + r"|来源|事件评分|第一步验证|Sources?|Event score|First step)[：:])"
)
_UNKNOWN_LABEL = re.compile(r"[^\s，。；、：:,.;!?！？]{2,12}[：:]\s*\S")


def section_of(text: str) -> str | None:
    """Return what a section is for by its heading, or None for a heading nobody knows."""
    return _SECTION.get(_named(text)) if len(text) <= 60 else None


def column_of(text: str) -> str | None:
    """Return which of an item's fields a table's column holds."""
    name = _named(text) if len(text) <= 40 else ""
    return _COLUMN.get(name) or _COLUMN.get(re.sub(r"\s*\(.*\)$", "", name))


def label_of(text: str) -> tuple[str, str] | None:
    """Return which field a labelled line holds and its value, or None for other text."""
    return _labelled(text, _LABEL, _LABEL_OF)


def note_of(text: str) -> tuple[str, str] | None:
    """Return which note about the data a line holds and its value."""
    return _labelled(text, _NOTE, _NOTE_OF)


def _labelled(text: str, pattern: re.Pattern[str], names: dict[str, str]) -> tuple[str, str] | None:
    found = pattern.match(text)
    if not found:
        return None
    return names[re.sub(r"\s+", " ", found[1].lower())], text[found.end() :].strip()


def labelled_parts(text: str) -> list[str]:
    """Split a paragraph in front of the labels that stand inside it."""
    return _INNER_LABEL.split(text)


def has_unknown_label(text: str) -> bool:
    """Return whether a line starts with a short word and a colon, as a label would."""
    return _UNKNOWN_LABEL.match(text) is not None


def is_furniture(text: str) -> bool:
    """Return whether a line belongs to the page around a post."""
    return len(text) <= 40 and _FURNITURE.fullmatch(text) is not None


def starts_comments(text: str) -> bool:
    """Return whether a line opens the comments under a post."""
    return len(text) <= 20 and _COMMENTS.fullmatch(text) is not None


def _named(text: str) -> str:
    name = plain(text).lower().replace("\u2019", "'").strip()
    name = _ORDINAL.sub("", _SIGNS.sub("", name))
    return _SIGNS.sub("", name).strip()
