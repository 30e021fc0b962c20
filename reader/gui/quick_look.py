"""A quick-look digest on one page: its table, one row an item, over what the chosen one says."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QPainter,
    QResizeEvent,
    QTextLayout,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QHBoxLayout,
    QScrollArea,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from reader.gui import article, icons, marks, words
from reader.gui.browser import Browser
from reader.gui.desk import Desk
from reader.gui.marks import paint_layers, paint_square
from reader.gui.notes import note
from reader.gui.parts import button, clear, flow, head, label, rule, show_tool, tool
from reader.gui.theme import look
from reader.gui.views import digest_name
from reader.gui.workbench import Bench, offers
from reader.language import _, language, ngettext
from reader.model import Digest, DigestKind, Evidence, Item, QueueState, Reference, Row, Run

if TYPE_CHECKING:
    from reader.store import Store

STACKED = 1000  # narrower than this, the columns of a row stand under one another
SIDE = 40
PAD_X, PAD_Y = 14, 13
STATE = "state"
COLUMNS = ("update", "reported", "scenario", "step", "window", STATE)
SHARES = (25, 21, 16, 21, 16, 15)
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Told:
    """What this machine has to say of an item: one state, and lines below it."""

    state: str = ""  # empty: not marked, never run
    word: str = ""
    lines: tuple[str, ...] = ()
    counts: tuple[tuple[str, str], ...] = ()  # further verdicts: state, text

    @property
    def spoken(self) -> str:
        """The state as a screen reader says it."""
        counts = (text for _state, text in self.counts)
        parts = (self.word or _("not marked"), *counts, *self.lines)
        return ". ".join(each for each in parts if each)


@dataclass(frozen=True, slots=True)
class Quick:
    """A quick-look digest with all that its page shows."""

    digest: Digest
    items: tuple[Item, ...]
    told: tuple[Told, ...]  # one an item
    feed: str = ""
    rows: tuple[Row, ...] = ()  # the same items as the list of stories holds them


def load(store: Store, key: str, bench: Bench | None) -> Quick | None:
    """Read the digest of a view where it is a quick look, else nothing; on a worker."""
    kind, _colon, id_ = key.partition(":")
    digest = store.library.get(id_) if kind == "digest" else None
    if not isinstance(digest, Digest) or digest.parsed.kind is not DigestKind.QUICK_LOOK:
        return None
    items = tuple(store.library.items(digest.id))
    feed = next((each.title for each in store.feeds.all() if each.id == digest.feed), "")
    queued = {each.item: each.state for each in store.queue.all()}
    told = tuple(_told(store, bench, each, queued.get(each.id)) for each in items)
    rows = tuple(store.library.rows([each.id for each in items]))
    return Quick(digest, items, told, feed, rows)


def _told(store: Store, bench: Bench | None, item: Item, queued: QueueState | None) -> Told:
    run = next((each for each in store.runs.all(item=item.id) if each.verdicts), None)
    if run is not None and queued is not QueueState.RUNNING:
        return _of_run(bench, run)
    lines: tuple[str, ...] = ()
    if bench is not None:
        offer = next(iter(offers(store, bench, item)), None)
        lines = (_("no bundled check fits"),)
        if offer is not None:
            text = _("{here} of {n} claims here")
            lines = (text.format(here=offer.here, n=len(offer.check.claims)),)
    state = queued.value if queued is not None else ""
    return Told(state, words.state_name(state) if state else "", lines)


def _of_run(bench: Bench | None, run: Run) -> Told:
    from collections import Counter

    from reader.checks import reasons
    from reader.runner import with_staleness

    check = None
    if bench is not None:
        check = next((each for each in bench.checks if each.name == run.check), None)
        run = with_staleness(
            [run], bench.checks, bench.machine, bench.toolkits, bench.interpreters
        )[0]
    found = Counter(each.verdict for each in run.verdicts)
    counts = [
        (each.value, f"{found[each]} {words.verdict_name(each)}")
        for each in sorted(found, key=lambda each: _URGENT.index(each.value))
    ]
    when = words.day(run.finished or run.started)
    if run.stale:
        said = reasons.render(run.stale[0], check, language())
        return Told("stale", words.state_name("stale"), (said,), tuple(counts))
    (first, word), *rest = counts
    return Told(first, word, (f"{when} · {run.id}",), tuple(rest))


_URGENT = ("refuted", "inconclusive", "confirmed", "could_not_run", "not_applicable")


# ── the table ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Line:
    """One piece of a cell: text, or a drawing, under the one before."""

    text: str = ""
    role: str = "ui"
    colour: str = "ink"
    gap: int = 0
    icon: str = ""
    draw: str = ""  # layers or evidence


def _head_of(column: str) -> str:
    return {
        "update": _("Update"),
        "reported": _("Reported result"),
        "scenario": _("Where it applies"),
        "step": _("First step"),
        "window": _("Action window"),
        STATE: _("This machine"),
    }[column]


def _text_of(item: Item, column: str) -> str:
    found = {
        "update": item.title,
        "reported": item.reported_result,
        "scenario": item.scenario,
        "step": item.first_step,
        "window": item.action_window,
    }[column]
    return found or ""


def _below(item: Item) -> str:
    when = ""
    if item.happened_at is not None:
        when = f"{words.day(item.happened_at)} {words.time_of(item.happened_at)}"
    return " · ".join(each for each in (item.group or "", when) if each)


def _kinds(item: Item) -> tuple[Evidence, ...]:
    kinds = item.labels.evidence_all or (item.labels.evidence,)
    return tuple(each for each in words.EVIDENCE_ORDER if each in kinds)


def _kind_names(item: Item) -> str:
    apart = "、" if language() == "zh" else ", "
    return apart.join(map(words.evidence_name, _kinds(item))) or _("no evidence")


def _cell(item: Item, told: Told, column: str) -> list[_Line]:
    if column == STATE:
        if not told.state:
            first = _Line(_("Mark to verify") + "  v", "ui", "accent_ink", icon="queue")
        else:
            glyph = words.GLYPHS[told.state]
            first = _Line(told.word, "label", f"state:{told.state}", icon=glyph)
        counts = [
            _Line(text, "ui", f"state:{state}", icon=words.GLYPHS[state])
            for state, text in told.counts
        ]
        lines = [_Line(each, "meta", "ink2", 3) for each in told.lines]
        return [first, *lines, *counts] if told.state == "stale" else [first, *counts, *lines]
    text = _text_of(item, column)
    if column == "update":
        role, colour = ("title_read", "ink2") if item.marks.read else ("title", "ink")
        lines = [_Line(text, role, colour), _Line(_below(item), "meta", "ink3", 4)]
        return [each for each in (*lines, _Line(draw="layers", gap=9)) if each.text or each.draw]
    lines = [_Line(text)] if text else []
    if column == "reported":
        lines.append(_Line(_kind_names(item), "meta", "ink2", 9 if text else 0, draw="evidence"))
    return lines


def _stacked(item: Item, told: Told) -> list[_Line]:
    lines = _cell(item, told, "update")
    for column in COLUMNS[1:]:
        inside = _cell(item, told, column)
        if inside:
            lines += [_Line(_head_of(column), "meta_label", "ink3", 10), *inside]
    return lines


class QuickModel(QAbstractTableModel):
    """One row an item."""

    LINES = Qt.ItemDataRole.UserRole
    ITEM = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.items: tuple[Item, ...] = ()
        self.told: tuple[Told, ...] = ()
        self.stacked = False
        self.running: str | None = None

    def show(self, items: Sequence[Item], told: Sequence[Told]) -> None:
        """Show these items."""
        self.beginResetModel()
        self.items, self.told = tuple(items), tuple(told)
        self.endResetModel()

    def stack(self, stacked: bool) -> None:
        """Put the columns under one another, or beside."""
        self.beginResetModel()
        self.stacked = stacked
        self.endResetModel()

    def told_of(self, row: int) -> Told:
        """Return what this machine says of a row now."""
        if self.items[row].id == self.running:
            return Told("running", words.state_name("running"))
        return self.told[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.items)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else (1 if self.stacked else len(COLUMNS))

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _head_of(COLUMNS[section])
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item, column = self.items[index.row()], COLUMNS[index.column()]
        told = self.told_of(index.row())
        if role == self.ITEM:
            return item
        if role == self.LINES:
            return _stacked(item, told) if self.stacked else _cell(item, told, column)
        if role == Qt.ItemDataRole.DisplayRole:
            return told.spoken if column == STATE else _text_of(item, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            wanted = COLUMNS if self.stacked else (column,)
            return ". ".join(filter(None, (_spoken(item, told, each) for each in wanted)))
        if role == Qt.ItemDataRole.ToolTipRole and column == STATE and not self.stacked:
            return told.spoken
        return None


def _spoken(item: Item, told: Told, column: str) -> str:
    text = told.spoken if column == STATE else _text_of(item, column)
    if column == "update":
        layers = marks.spoken_layers(item.layers or item.labels.layers)
        return ". ".join(filter(None, (text, _below(item), layers)))
    if column == "reported":
        evidence = _("Evidence: {names}").format(names=_kind_names(item))
        text = ". ".join(filter(None, (text, evidence)))
    return f"{_head_of(column)}: {text}" if text else ""


def _lay(text: str, font: QFont, width: float, pitch: int) -> tuple[QTextLayout, int]:
    """Break a text into lines of a pitch; return it with its height."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    high = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(1.0, width))
        line.setPosition(QPointF(0, high + (pitch - line.height()) / 2))
        high += pitch
    layout.endLayout()
    return layout, high


class _Delegate(QStyledItemDelegate):
    """Paints the pieces of a cell, or only measures them."""

    def pieces(self, painter: QPainter | None, box: QRect, index: Index) -> int:
        """Paint a cell into a box, from the top; return how high it is."""
        here = look()
        y = here.px(PAD_Y)
        left, width = box.left() + here.px(PAD_X), box.width() - 2 * here.px(PAD_X)
        for each in index.data(QuickModel.LINES) or ():
            y += here.px(each.gap)
            y += self._piece(painter, each, index, QRect(left, box.top() + y, width, 0))
        return y + here.px(PAD_Y)

    def _piece(self, painter: QPainter | None, each: _Line, index: Index, at: QRect) -> int:
        here, t = look(), look().tokens
        item, indent, pitch = index.data(QuickModel.ITEM), 0, here.line(each.role)
        x, y, width = at.left(), at.top(), at.width()
        if each.draw == "layers":
            if painter is not None:
                paint_layers(painter, x, y, item.layers or item.labels.layers)
            return here.px(marks.CELL_HEIGHT)
        if each.draw == "evidence":
            size, step = here.px(9), here.px(11)
            indent = 5 * step + here.px(6)
            if painter is not None:
                shown, top = _kinds(item), y + (pitch - size) / 2
                for place, kind in enumerate(words.EVIDENCE_ORDER):
                    paint_square(painter, x + place * step, top, size, filled=kind in shown)
        name, _colon, state = each.colour.partition(":")
        colour = t.state(state) if state else str(getattr(t, name))
        if each.icon:
            size = here.px(16)
            indent = here.px(20)
            if painter is not None:
                icons.paint(painter, each.icon, x, y + (pitch - size) / 2, size, colour, t.on)
        layout, high = _lay(each.text, here.font(each.role), width - indent, pitch)
        if painter is not None:
            painter.setPen(QColor(colour))
            layout.draw(painter, QPointF(x + indent, y))
        return high

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(option.rect.width(), self.pieces(None, option.rect, index))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        box, t = option.rect, look().tokens
        view = self.parent()
        painter.save()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            active = bool(option.state & QStyle.StateFlag.State_Active)
            painter.fillRect(box, QColor(t.select if active else t.select_dim))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor(t.hover))
        focused = chosen and isinstance(view, QWidget) and view.hasFocus()
        painter.fillRect(
            box.left(), box.bottom(), box.width(), 1, QColor(t.accent if focused else t.line)
        )
        if focused:
            painter.fillRect(box.left(), box.top(), box.width(), 1, QColor(t.accent))
        self.pieces(painter, box, index)
        painter.restore()


class QuickTable(QTableView):
    """Rows as high as their texts; it is never scrolled itself, the page is."""

    def __init__(self, model: QuickModel) -> None:
        super().__init__()
        self._model = model
        self.setModel(model)
        self.delegate = _Delegate(self)
        self.setItemDelegate(self.delegate)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(1)
        top = self.horizontalHeader()
        top.setMinimumSectionSize(1)
        top.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        top.setSectionsClickable(False)
        top.setHighlightSections(False)
        top.setFixedHeight(look().px(36))
        top.setFont(look().font("meta_label"))
        top.setStyleSheet(_header_style())
        self.setAccessibleName(_("Items of the quick look"))

    def lay(self) -> None:
        """Give columns and rows the sizes that the width asks for."""
        if self.width() < 1:
            return
        stacked = self.width() < look().px(STACKED) - 2 * look().px(SIDE)
        if stacked != self._model.stacked:
            row = self.currentIndex().row()
            self._model.stack(stacked)
            self.choose(row)
        self.horizontalHeader().setVisible(not stacked)
        wide = self.viewport().width()
        shares = (1,) if stacked else SHARES
        for column, share in enumerate(shares):
            self.setColumnWidth(column, wide * share // sum(shares))
        last = len(shares) - 1
        rest = wide - sum(self.columnWidth(each) for each in range(last))
        self.setColumnWidth(last, rest)
        high = 0 if stacked else look().px(36)
        for row in range(self._model.rowCount()):
            cells = [
                self.delegate.pieces(
                    None, QRect(0, 0, self.columnWidth(each), 0), self._model.index(row, each)
                )
                for each in range(len(shares))
            ]
            self.setRowHeight(row, max(cells))
            high += max(cells)
        self.setFixedHeight(high)

    def choose(self, row: int) -> bool:
        """Select a row; False where there is none."""
        if not 0 <= row < self._model.rowCount():
            return False
        flags = QItemSelectionModel.SelectionFlag
        index = self._model.index(row, 0)
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.lay()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Letters are commands of the window, never a search in the table.
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End):
            row = self.currentIndex().row()
            last = self._model.rowCount() - 1
            wanted = {Qt.Key.Key_Up: row - 1, Qt.Key.Key_Down: row + 1, Qt.Key.Key_Home: 0}
            self.choose(wanted.get(Qt.Key(event.key()), last))
        else:
            event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page scrolls


def _header_style() -> str:
    t, px = look().tokens, look().px
    return (
        f"QHeaderView {{ background: transparent; border: 0; }} QHeaderView::section {{ "
        f"background: transparent; border: 0; border-bottom: 1px solid {t.line2}; "
        f"color: {t.ink2}; padding: 0 {px(PAD_X)}px; font-size: {px(12)}px; font-weight: 600; }}"
    )


# ── the page ─────────────────────────────────────────────────────────────────────────────────────


class _Text(Browser):
    """A text as high as its lines: the page scrolls, not the text."""

    def __init__(self, desk: Desk, name: str) -> None:
        super().__init__(desk)
        self.setAccessibleName(name)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_body(self, body: str) -> None:
        super().show_body(body)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        QTextBrowser.resizeEvent(self, event)
        self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        self.setFixedHeight(round(self.document().size().height()) + look().px(8))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class QuickLook(QWidget):
    """Shows a quick-look digest; what is chosen here is chosen in the list of stories, too."""

    selected = Signal(str)  # an item's id
    wanted = Signal(str)  # the name of a command
    followed = Signal(str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.shown: Quick | None = None
        self.model = QuickModel(self)
        self.table = QuickTable(self.model)
        self.text = _Text(desk, _("The chosen item"))
        self.aside = _Text(desk, _("Steps and references"))
        column = flow(QVBoxLayout(self), 0)
        column.addWidget(self._head())
        column.addWidget(rule())
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(self._inside())
        column.addWidget(self.area, 1)
        self._connect()

    def _head(self) -> QWidget:
        bar, row = head(44, (SIDE - 8, 20))

        def ask(name: str) -> Callable[[], None]:
            return lambda: self.wanted.emit(name)

        row.addWidget(tool("left", _("Digest before") + " ([)", ask("older")))
        row.addWidget(tool("right", _("Digest after") + " (])", ask("newer")))
        row.addWidget(label(_("Digests"), "label"))
        self.name = label("", "two")
        row.addWidget(self.name)
        row.addStretch(1)
        self.star = tool("star", _("Star") + " (s)", ask("star"))
        self.queue_all = button(_("Mark all to verify"), ask("queue_digest"), icon="queue", key="V")
        for each in (
            self.star,
            tool("globe", _("Open in the browser") + " (b)", ask("browse")),
            button(_("Read it"), ask("open"), key="Enter"),
            self.queue_all,
        ):
            row.addWidget(each)
        return bar

    def _inside(self) -> QWidget:
        page = QWidget()
        column = flow(QVBoxLayout(page), 0, (SIDE, 16, SIDE, 24))
        self.eyebrow = label("", "meta3")
        self.title = label("", "article", wrap=True, select=True)
        self.overview = label("", "two", wrap=True, select=True)
        self._notes = flow(QVBoxLayout(), 6)
        for each in (self.eyebrow, self.title, self.overview):
            column.addWidget(each)
            column.addSpacing(look().px(4))
        column.addLayout(self._notes)
        column.addSpacing(look().px(8))
        column.addWidget(self.table)
        column.addSpacing(look().px(16))
        self._below = flow(QHBoxLayout(), 44)
        self._below.addWidget(self.text, 63)
        self._below.addWidget(self.aside, 37)
        for text in (self.text, self.aside):
            self._below.setAlignment(text, Qt.AlignmentFlag.AlignTop)
        column.addLayout(self._below)
        column.addStretch(1)
        return page

    def _connect(self) -> None:
        self.table.selectionModel().currentRowChanged.connect(self._moved)
        self.table.doubleClicked.connect(lambda _index: self.wanted.emit("open"))
        self.table.clicked.connect(self._clicked)
        for each in (self.text, self.aside):
            each.followed.connect(self.followed)

    def show_quick(self, quick: Quick, current: str | None) -> None:
        """Show a digest with one of its items chosen, the first where it has no such."""
        same = self.shown is not None and self.shown.digest.id == quick.digest.id
        if quick == self.shown:
            self.choose(current)
            return
        self.shown = quick
        self._show_top(quick)
        before, height = self.current_id, self.area.verticalScrollBar().value()
        self.model.show(quick.items, quick.told)
        self.table.setVisible(bool(quick.items))
        self.table.lay()
        self.aside.show_body(_aside(quick))
        self.text.setVisible(bool(quick.items))
        if not self.choose(current or before):
            self.table.choose(0)
        self.area.verticalScrollBar().setValue(height if same else 0)

    def _show_top(self, quick: Quick) -> None:
        parsed = quick.digest.parsed
        name = quick.feed or digest_name(quick.digest)
        self.name.setText(name)
        count = ngettext("{n} update", "{n} updates", len(quick.items)).format(n=len(quick.items))
        sources = {each.url or each.title for item in quick.items for each in item.sources}
        said = ngettext("{n} source", "{n} sources", len(sources)).format(n=len(sources))
        when = parsed.date.isoformat() if parsed.date else ""
        self.eyebrow.setText(" · ".join(each for each in (name, when, count, said) if each))
        self.title.setText(parsed.title)
        self.overview.setText(parsed.overview)
        self.overview.setVisible(bool(parsed.overview))
        self.queue_all.setEnabled(bool(quick.items))
        clear(self._notes)
        first = (_("The digest says it is incomplete"),) if parsed.incomplete else ()
        lines = (*first, *parsed.notices, *parsed.not_understood)
        if lines:
            self._notes.addWidget(note("warn", lines[0], lines[1:]))

    @property
    def current(self) -> Item | None:
        """The item that is chosen."""
        row = self.table.currentIndex().row()
        return self.model.items[row] if 0 <= row < len(self.model.items) else None

    @property
    def current_id(self) -> str | None:
        """The id of the item that is chosen."""
        return self.current.id if self.current is not None else None

    def choose(self, id_: str | None) -> bool:
        """Choose an item by its id; False where it is not here."""
        ids = [each.id for each in self.model.items]
        return id_ in ids and self.table.choose(ids.index(id_))

    def step(self, step: int) -> bool:
        """Go to the next (1) or previous (-1) item."""
        return self.table.choose(self.table.currentIndex().row() + step)

    def show_running(self, id_: str | None) -> None:
        """Show which item a check runs for."""
        self.model.running = id_
        self.table.lay()
        self.table.viewport().update()

    def page(self) -> bool:
        """Scroll one page on; False at the end."""
        bar = self.area.verticalScrollBar()
        if bar.value() >= bar.maximum():
            return False
        bar.setValue(bar.value() + max(20, bar.pageStep() - look().px(40)))
        return True

    def _moved(self, index: QModelIndex, _before: QModelIndex) -> None:
        item = self.current
        if item is None or not index.isValid():
            return
        self.text.show_body(_chosen(item))
        starred, t = item.marks.starred, look().tokens
        show_tool(self.star, "star-on" if starred else "star", t.star if starred else "")
        self.selected.emit(item.id)
        QTimer.singleShot(0, self, self._reveal)

    def _reveal(self) -> None:
        row = self.table.currentIndex().row()
        if row < 0:
            return
        top = self.table.y() + self.table.viewport().y() + self.table.rowViewportPosition(row)
        bar, high = self.area.verticalScrollBar(), self.table.rowHeight(row)
        if row == 0 and top + high < bar.pageStep():
            bar.setValue(0)
        elif top < bar.value() or high > bar.pageStep():
            bar.setValue(top)
        elif top + high > bar.value() + bar.pageStep():
            bar.setValue(top + high - bar.pageStep())

    def _clicked(self, index: QModelIndex) -> None:
        if self.model.stacked or COLUMNS[index.column()] != STATE:
            return
        if not self.model.told_of(index.row()).state:
            self.wanted.emit("queue")

    def resizeEvent(self, event: QResizeEvent) -> None:
        narrow = event.size().width() < look().px(STACKED)
        ways = QBoxLayout.Direction
        self._below.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)
        super().resizeEvent(event)


def _chosen(item: Item) -> str:
    """Return what the digest says of an item beside its row."""
    parts = [f"<p class='cap first'>{html.escape(_('The chosen item'))}</p>"]
    parts += [article.paragraphs(each) for each in (item.summary, item.body, item.why) if each]
    parts += [article.source(each) for each in item.sources]
    return "".join(parts)


def _aside(quick: Quick) -> str:
    """Return the digest's steps, what stayed empty, and the references."""
    parsed = quick.digest.parsed
    kept = {
        each.url: each.entry_id
        for item in quick.items
        for each in item.sources
        if each.url and each.entry_id
    }
    parts: list[str] = []
    if parsed.steps:
        apart = "：" if language() == "zh" else ": "
        parts.append(_caption(_("Verify by the shape of your system")))
        for step in parsed.steps:
            condition = (
                f"<b class='small'>{html.escape(step.condition)}</b>{apart}"
                if step.condition
                else ""
            )
            flask = '<img src="icon:prove"/>&nbsp;&nbsp;'
            parts.append(f"<p class='small'>{flask}{condition}{article.inline(step.text)}</p>")
    for title, lines in (
        (_("Keep watching"), parsed.watch),
        (_("Left empty"), parsed.empty_sections),
    ):
        if lines:
            parts.append(_caption(title))
            parts += [f"<p class='small'>{_lines(line)}</p>" for line in lines]
    if parsed.references:
        parts.append(_caption(_("References")))
    parts += [_reference(each, kept.get(each.url or "")) for each in parsed.references]
    if parsed.remainder:
        parts += [_caption(_("Kept as text")), article.paragraphs(parsed.remainder)]
    return "".join(parts).replace("class='cap'", "class='cap first'", 1)


def _reference(each: Reference, kept: str | None) -> str:
    title = html.escape(each.title or each.url or "")
    link = f"story:{kept}" if kept else each.url
    named = f'<a href="{html.escape(link, quote=True)}">{title}</a>' if link else title
    beside = html.escape(_("original kept offline") if kept else each.host or "")
    dim = f"&nbsp;&nbsp;<span class='dim'>{beside}</span>" if beside else ""
    return f"<p class='small'>[{each.n}] {named}{dim}</p>"


def _caption(text: str) -> str:
    return f"<p class='cap'>{html.escape(text)}</p>"


def _lines(text: str) -> str:
    return article.inline(text).replace("\n", "<br/>")
