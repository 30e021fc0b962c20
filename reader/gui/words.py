"""Words of the window that several views share: names, states, days, counts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from reader.language import _, language
from reader.model import (
    Evidence,
    FeedKind,
    Health,
    Layer,
    QueueState,
    StoryKind,
    Text,
    VerdictKind,
)

# The nine names short enough for a ninth of the list's width.
_SHORT = {
    Layer.FRONTEND: Text("前端", "Front"),
    Layer.GRAPH_IR: Text("图 IR", "Graph"),
    Layer.TENSOR_IR: Text("张量 IR", "Tensor"),
    Layer.OPTIMIZATION: Text("优化", "Opt"),
    Layer.KERNEL_CODEGEN: Text("代码生成", "Code"),
    Layer.HARDWARE_BACKEND: Text("后端", "HW"),
    Layer.RUNTIME: Text("运行时", "Run"),
    Layer.DISTRIBUTED: Text("分布式", "Dist"),
    Layer.BENCHMARK: Text("基准", "Bench"),
}
GLYPHS = {
    "confirmed": "v-confirmed",
    "refuted": "v-refuted",
    "inconclusive": "v-inconclusive",
    "not_applicable": "v-na",
    "could_not_run": "v-cnr",
    "stale": "v-stale",
    "running": "v-running",
    "queued": "v-queued",
    "waiting": "v-cnr",
    "dropped": "v-na",
}
EVIDENCE_ORDER = (
    Evidence.CODEGEN,
    Evidence.PROPERTY,
    Evidence.REGRESSION,
    Evidence.KERNEL,
    Evidence.END_TO_END,
)
FEED_ICONS = {
    FeedKind.DIGEST_SITE: "digest",
    FeedKind.GITHUB_RELEASES: "release",
    FeedKind.GITHUB_COMMITS: "commit",
    FeedKind.ARXIV: "paper",
    FeedKind.FEED: "blog",
    FeedKind.FOLDER: "folder",
}


def text_of(text: Text) -> str:
    """Return a two-language text in the language in use."""
    return text.zh if language() == "zh" else text.en


def layer_short(layer: Layer) -> str:
    """Return the shortest name of a layer."""
    return text_of(_SHORT[layer])


def layer_name(layer: Layer) -> str:
    """Return the name of a layer as a reader says it."""
    from reader import classify

    return str(classify.layer_name(layer, language()))


def hardware_name(node: str) -> str:
    """Return the name of a node of the hardware tree."""
    from reader import classify

    return str(classify.hardware_name(node, language()))


def evidence_name(kind: Evidence) -> str:
    """Return the name of a kind of evidence."""
    return {
        Evidence.NONE: _("no evidence"),
        Evidence.CODEGEN: _("codegen"),
        Evidence.PROPERTY: _("property"),
        Evidence.REGRESSION: _("regression"),
        Evidence.KERNEL: _("kernel time"),
        Evidence.END_TO_END: _("end to end"),
    }[kind]


def state_name(name: str) -> str:
    """Return the word of a verdict or state, by the name of its colour and glyph."""
    return {
        "confirmed": _("Confirmed"),
        "refuted": _("Refuted"),
        "inconclusive": _("Inconclusive"),
        "not_applicable": _("Not applicable"),
        "could_not_run": _("Could not run"),
        "stale": _("Stale"),
        "running": _("Running"),
        "queued": _("Queued"),
        "waiting": _("Waiting"),
        "dropped": _("Dropped"),
    }[name]


def verdict_name(kind: VerdictKind) -> str:
    """Return the word of a verdict."""
    return state_name(kind.value)


def queue_name(state: QueueState) -> str:
    """Return the word of a queue entry's state."""
    return state_name(state.value)


def health_name(health: Health | None) -> str:
    """Return the word for how a feed is doing."""
    return {
        None: _("Never fetched"),
        Health.OK: _("New"),
        Health.QUIET: _("Quiet"),
        Health.UNCHANGED: _("Unchanged"),
        Health.DUPLICATES: _("All duplicates"),
        Health.STALE: _("Stale batch"),
        Health.FAILED: _("Failed"),
        Health.GONE: _("Gone"),
    }[health]


def feed_kind(kind: FeedKind | None) -> str:
    """Return what sort of source a feed is."""
    return {
        None: "",
        FeedKind.FEED: "RSS / Atom",
        FeedKind.DIGEST_SITE: _("Digest site"),
        FeedKind.GITHUB_RELEASES: "GitHub Releases",
        FeedKind.GITHUB_COMMITS: _("GitHub commits"),
        FeedKind.ARXIV: "arXiv",
        FeedKind.FOLDER: _("Local folder"),
    }[kind]


def story_kind(kind: StoryKind) -> str:
    """Return the word for what a story is."""
    return {
        StoryKind.ITEM: _("Digest item"),
        StoryKind.ENTRY: _("Source"),
        StoryKind.DIGEST: _("Digest"),
    }[kind]


_DAYS_ZH = "一二三四五六日"
_DAYS_EN = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS_EN = "January February March April May June July August September October November December"


def day(moment: datetime | date, *, weekday: bool = False, year: bool = False) -> str:
    """Return a day as a person says it, in local time."""
    when = moment.astimezone().date() if isinstance(moment, datetime) else moment
    if language() == "zh":
        text = f"{when.month} 月 {when.day} 日"
        if year:
            text = f"{when.year} 年 {text}"
        return f"{text} 周{_DAYS_ZH[when.weekday()]}" if weekday else text
    month = _MONTHS_EN.split()[when.month - 1]
    text = f"{when.day} {month if weekday or year else month[:3]}"
    if year:
        text = f"{text} {when.year}"
    return f"{_DAYS_EN[when.weekday()]} {text}" if weekday else text


def time_of(moment: datetime) -> str:
    """Return the hour and minute in local time."""
    return moment.astimezone().strftime("%H:%M")


def moment_of(moment: datetime | None, now: datetime) -> str:
    """Return an instant: the hour today, the day before that, with the year before this one.

    What names only a day stands at midnight UTC; its hour would be made up.
    """
    if moment is None:
        return ""
    plain = moment.astimezone(UTC)
    if (plain.hour, plain.minute, plain.second) == (0, 0, 0):
        return day(plain.date(), year=plain.year != now.astimezone(UTC).year)
    local, today = moment.astimezone(), now.astimezone()
    if local.date() == today.date():
        return time_of(moment)
    return f"{day(moment, year=local.year != today.year)} {time_of(moment)}"


def due_of(due: date | None, today: date) -> tuple[str, bool]:
    """Return a due date in words, and whether it has passed."""
    if due is None:
        return _("no date"), False
    late = (today - due).days
    if late > 0:
        return (_("1 day late") if late == 1 else _("{n} days late").format(n=late)), True
    if late == 0:
        return _("today"), False
    if due - today < timedelta(days=7):
        return day(due, weekday=True), False
    return day(due), False


def amount(number: int) -> str:
    """Return a count with thousands apart."""
    return f"{number:,}"


def arrival(categories: Iterable[str]) -> list[str]:
    """Return what kind of release or paper an entry is, where it is not the plain kind."""
    said = {
        "prerelease": _("pre-release"),
        "nightly": _("nightly"),
        "cross": _("cross-listed"),
        "replaced": _("new version"),
        "withdrawn": _("withdrawn"),
    }
    return [said[each] for each in dict.fromkeys(categories) if each in said]
