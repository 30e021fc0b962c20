"""The feeds: how each is doing, fourteen days of it, and what to do where something is wrong."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from reader.gui import marks, words
from reader.gui.desk import Desk
from reader.gui.empty import EmptyPage
from reader.gui.notes import note
from reader.gui.parts import Panes, button, clear, flow, head, holds_focus, label, rule, tool
from reader.gui.queue import HeadLine
from reader.gui.rows import AnyRow, FeedRow, HeadRow, LineTable, feed_columns
from reader.gui.theme import look
from reader.language import _, ngettext
from reader.model import Feed, FeedKind, Fetch, Health

if TYPE_CHECKING:
    from reader.store import Store
    from reader.sync.health import Standing

NEED_A_LOOK = (Health.FAILED, Health.GONE, Health.STALE)


@dataclass(frozen=True, slots=True)
class Fed:
    """A feed with its last attempts."""

    feed: Feed
    history: tuple[Fetch, ...]
    standing: Standing


def fed(store: Store) -> list[Fed]:
    """Read every feed with its history; on a worker."""
    from reader.sync import health

    found = store.feeds.all()
    known = health.standings(store, found, datetime.now(UTC))
    return [
        Fed(each, tuple(store.feeds.history(each.id, marks.DAYS)), known[each.id]) for each in found
    ]


def days_of(history: tuple[Fetch, ...], now: datetime) -> tuple[Fetch | None, ...]:
    """Return one attempt a day: the one that brought most, else the last, oldest day first."""
    found: dict[int, Fetch] = {}
    today = now.astimezone().date()
    for each in history:
        ago = (today - each.at.astimezone().date()).days
        before = found.get(ago)
        if before is None or each.new >= before.new:
            found[ago] = each
    return tuple(found.get(ago) for ago in reversed(range(marks.DAYS)))


def _said(feed: Feed) -> str:
    if feed.health in NEED_A_LOOK and feed.failing_since:
        return _("since {when}").format(when=words.moment_of(feed.failing_since, datetime.now(UTC)))
    if feed.health is Health.UNCHANGED:
        return _("the server says so") if feed.etag or feed.last_modified else ""
    if feed.last_changed:
        return _("last post {when}").format(when=words.day(feed.last_changed))
    return ""


def _word(each: Fed) -> str:
    if each.standing.state is Health.OK:
        new = each.history[-1].new if each.history else 0
        return _("{n} new").format(n=new) if new else _("Unchanged")
    return words.health_name(each.standing.state)


def rows(found: list[Fed], now: datetime) -> list[AnyRow]:
    """Return the feeds under their headings; those that need a look first."""
    groups: dict[str, list[Fed]] = {
        _("Needs a look"): [],
        _("Digests"): [],
        _("Releases and commits"): [],
        _("Papers"): [],
        _("Blogs and others"): [],
    }
    look_at, digests, releases, papers, others = groups
    for each in found:
        kind = each.feed.kind
        if each.feed.health in NEED_A_LOOK:
            groups[look_at].append(each)
        elif kind is FeedKind.DIGEST_SITE:
            groups[digests].append(each)
        elif kind in (FeedKind.GITHUB_RELEASES, FeedKind.GITHUB_COMMITS):
            groups[releases].append(each)
        elif kind is FeedKind.ARXIV:
            groups[papers].append(each)
        else:
            groups[others].append(each)
    shown: list[AnyRow] = []
    for title, inside in groups.items():
        if inside:
            shown.append(HeadRow(title, len(inside)))
            shown += [_row(each, now) for each in inside]
    return shown


def _row(each: Fed, now: datetime) -> FeedRow:
    feed, state = each.feed, each.standing.state
    healthy = state if state is not Health.OK or _is_new(each) else Health.UNCHANGED
    below = words.feed_kind(feed.kind)
    if feed.topic_filter:
        below = f"{below} · {_('compilers and kernels only')}"
    return FeedRow(
        feed.id,
        feed.title or feed.url,
        below,
        healthy,
        _word(each),
        _said(feed),
        days_of(each.history, now),
        feed.entries,
        words.moment_of(feed.next_check, now) if feed.next_check else "",
    )


def _is_new(each: Fed) -> bool:
    return bool(each.history and each.history[-1].new)


class FeedsPage(QWidget):
    """Lists the feeds with their inspector."""

    wanted, try_now, browse, remove, open_feed = (
        Signal(str),
        Signal(str),
        Signal(str),
        Signal(str),
        Signal(str),
    )

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.found: dict[str, Fed] = {}
        # Rows coming in select one twice; the inspector is made once, in a turn of its own.
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._inspect)
        row = flow(QHBoxLayout(self), 0)
        self.panes = Panes(Qt.Orientation.Horizontal)
        row.addWidget(self.panes)
        self.panes.addWidget(self._list())
        self.inspector = QWidget()
        self.inspector.setObjectName("page")
        self.inspector.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.inspector.setMinimumWidth(look().px(320))
        self._column = flow(QVBoxLayout(self.inspector), 0)
        self.panes.addWidget(self.inspector)
        self.panes.setStretchFactor(0, 1)
        self.panes.setSizes([look().px(852), look().px(372)])

    def _list(self) -> QWidget:
        page = QWidget()
        page.setObjectName("list")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = flow(QVBoxLayout(page), 0)
        bar, row = head()
        self.caption = label("", "three")
        row.addWidget(label(_("Feeds"), "pane"))
        row.addWidget(self.caption, 1)
        row.addWidget(button(_("Add"), lambda: self.wanted.emit("add"), icon="plus", key="a"))
        row.addWidget(button(_("Sync all"), lambda: self.wanted.emit("sync"), icon="sync", key="S"))
        column.addWidget(bar)
        heads = (_("Source"), _("Health today"), _("Last 14 days"), _("Kept"), _("Next check"))
        self.heads = HeadLine(heads, feed_columns)
        column.addWidget(self.heads)
        self.table = LineTable(_("Feeds"), feed_columns)
        self.table.moved.connect(lambda _id: self._soon.start())
        self.table.opened.connect(self.open_feed)
        column.addWidget(self.table, 1)
        self.legend = _legend()
        column.addWidget(rule())
        column.addWidget(self.legend)
        self.empty = EmptyPage()
        self.empty.wanted.connect(self.wanted)
        column.addWidget(self.empty, 1)
        return page

    def load(self, leaving: Collection[str] = ()) -> None:
        """Read the feeds again, but for those that are about to go."""

        def stay(found: list[Fed]) -> None:
            self._show([each for each in found if each.feed.id not in leaving])

        self._desk.ask(fed, stay, key="feeds", about="feeds")

    def _show(self, found: list[Fed]) -> None:
        now = datetime.now(UTC)
        self.found = {each.feed.id: each for each in found}
        bad = sum(each.feed.health in NEED_A_LOOK for each in found)
        count = ngettext("{n} source", "{n} sources", len(found)).format(n=len(found))
        text = f"{words.day(now, weekday=True)} · {count}"
        if bad:
            text += ", " + _("{n} need a look").format(n=bad)
        self.caption.setText(text)
        held = holds_focus(self.table) or holds_focus(self.empty)
        self.empty.setVisible(not found)
        for widget in (self.table, self.heads, self.legend, self.inspector):
            widget.setVisible(bool(found))
        if held and found:
            self.table.setFocus()
        if not found:
            self.empty.say(
                "feeds",
                _("No subscriptions yet"),
                (_("The sources that ship with Readproof are one key away; so is your own."),),
                (_("Subscribe to the bundled sources"), "", "bundled"),
            )
            if held:
                self.empty.setFocus()
            return
        self.table.show_rows(rows(found, now))
        self.table.select_first()
        self._soon.start()

    @property
    def current(self) -> Feed | None:
        """The feed that is selected."""
        found = self.found.get(self.table.current_id or "")
        return found.feed if found else None

    def _inspect(self) -> None:
        clear(self._column)
        each = self.found.get(self.table.current_id or "")
        if each is None:
            return
        self._column.addWidget(self._inspector_head(each))
        self._column.addWidget(rule())
        page = QWidget()
        column = flow(QVBoxLayout(page), 6, (24, 16, 24, 24))
        feed = each.feed
        column.addWidget(label(feed.title or feed.url, "inspector", wrap=True))
        column.addWidget(label(words.feed_kind(feed.kind), "two"))
        if feed.health in NEED_A_LOOK:
            kind = "warn" if feed.health is Health.STALE else "refuted"
            lines = (
                feed.error or "",
                each.standing.advice,
                _("Nothing was lost: what was kept stays readable."),
            )
            column.addWidget(
                note(kind, words.health_name(feed.health), [line for line in lines if line])
            )
        if each.standing.notices:
            column.addWidget(note("warn", _("The digest says"), list(each.standing.notices)))
        column.addLayout(_facts(feed, each.standing))
        column.addWidget(label(_("Last answers"), "caption"))
        column.addLayout(_answers(each.history))
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAccessibleName(_("Feed"))
        area.setWidget(page)
        self._column.addWidget(area, 1)

    def _inspector_head(self, each: Fed) -> QWidget:
        bar, row = head(44, (24, 16))
        word = label(_word(each), "label")
        word.setStyleSheet(f"color: {marks.health_colour(each.feed.health)};")
        row.addWidget(word)
        row.addStretch(1)
        feed = each.feed
        row.addWidget(
            tool("globe", _("Open in the browser") + " (b)", lambda: self.browse.emit(feed.url))
        )
        row.addWidget(tool("close", _("Unsubscribe") + " (Del)", lambda: self.remove.emit(feed.id)))
        row.addWidget(button(_("Try now"), lambda: self.try_now.emit(feed.id), icon="sync"))
        return bar


def _facts(feed: Feed, standing: Standing) -> QGridLayout:
    now = datetime.now(UTC)
    lines = (
        (_("Address"), feed.url),
        (_("Moved from"), standing.moved_from or ""),
        (_("Why"), "" if feed.health in NEED_A_LOOK else standing.reason),
        (_("Since"), words.moment_of(standing.since, now)),
        (_("Next try"), words.moment_of(feed.next_check, now)),
        (_("Last change"), words.moment_of(feed.last_changed, now)),
        (_("Kept offline"), _("{n} entries, all readable").format(n=words.amount(feed.entries))),
    )
    grid = QGridLayout()
    grid.setContentsMargins(0, look().px(8), 0, look().px(10))
    grid.setHorizontalSpacing(look().px(18))
    grid.setVerticalSpacing(look().px(3))
    grid.setColumnStretch(1, 1)
    for place, (name, text) in enumerate((name, text) for name, text in lines if text):
        grid.addWidget(label(name, "three"), place, 0, Qt.AlignmentFlag.AlignTop)
        # An address has no spaces to wrap at.
        shown = text.replace("/", "/\u200b") if "://" in text else text
        grid.addWidget(label(shown, "", wrap=True, select=True), place, 1)
    return grid


def _answers(history: tuple[Fetch, ...]) -> QVBoxLayout:
    column = flow(QVBoxLayout(), 3)
    now = datetime.now(UTC)
    if not history:
        column.addWidget(label(_("Never fetched"), "two"))
    for each in reversed(history[-6:]):
        row = flow(QHBoxLayout(), 12)
        row.addWidget(label(words.moment_of(each.at, now), "two"))
        said = each.error or words.health_name(each.outcome)
        if each.new or each.updated:
            said = _("{new} new, {updated} updated").format(new=each.new, updated=each.updated)
        text = label(f"{said.rstrip('.。')} · {each.seconds:.1f} s", "two", wrap=True)
        if each.outcome in (Health.FAILED, Health.GONE):
            text.setStyleSheet(f"color: {look().tokens.refuted};")
        row.addWidget(text, 1)
        column.addLayout(row)
    return column


def _legend() -> QWidget:
    made = QWidget()
    made.setFixedHeight(look().px(34))
    row = flow(QHBoxLayout(made), 6, (16, 0, 16, 0))
    for health, text in (
        (Health.OK, _("new entries")),
        (Health.QUIET, _("nothing published")),
        (Health.UNCHANGED, _("unchanged")),
        (Health.DUPLICATES, _("all duplicates")),
        (Health.STALE, _("stale batch")),
        (Health.FAILED, _("failed")),
    ):
        row.addWidget(HealthMark(health))
        row.addWidget(label(text, "meta"))
        row.addSpacing(look().px(8))
    row.addStretch(1)
    return made


class HealthMark(QWidget):
    """One shape of health by itself."""

    def __init__(self, health: Health) -> None:
        super().__init__()
        self._health = health
        self.setFixedSize(look().px(13), look().px(16))
        self.setAccessibleName(words.health_name(health))

    def paintEvent(self, _event: object) -> None:
        from PySide6.QtGui import QColor, QPainter

        painter = QPainter(self)
        size = look().px(13)
        if self._health is Health.OK:
            wide, tall = look().px(9), look().px(12)
            top = (self.height() - tall) // 2
            painter.fillRect(2, top, wide, tall, QColor(look().tokens.cell_on))
        else:
            marks.paint_health(painter, 0, (self.height() - size) / 2, size, self._health)
        painter.end()
