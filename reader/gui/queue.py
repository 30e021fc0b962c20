"""The queue: what was marked for validation, by how urgent it is; its inspector at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from reader.gui import words
from reader.gui.desk import Desk
from reader.gui.empty import EmptyPage
from reader.gui.marks import LayerStrip
from reader.gui.notes import note
from reader.gui.parts import Panes, button, clear, flow, head, icon_label, label, rule, tool
from reader.gui.rows import AnyRow, HeadRow, LineRow, LineTable, queue_columns
from reader.gui.theme import look
from reader.gui.workbench import Bench, Offer, offers
from reader.language import _, language
from reader.model import Item, QueueEntry, QueueState, Run

if TYPE_CHECKING:
    from reader.store import Store

SOON = timedelta(days=7)
SETTLED = (
    QueueState.CONFIRMED,
    QueueState.REFUTED,
    QueueState.INCONCLUSIVE,
    QueueState.NOT_APPLICABLE,
    QueueState.DROPPED,
)


@dataclass(frozen=True, slots=True)
class Queued:
    """A queue entry with all that its row and inspector show."""

    entry: QueueEntry
    item: Item | None
    offer: Offer | None
    run: Run | None
    next: str  # what comes next, in a sentence

    @property
    def state(self) -> str:
        """The name of glyph and colour."""
        if self.entry.state is QueueState.RUNNING:
            return "running"
        return "stale" if self.entry.stale or self._stale else self.entry.state.value

    @property
    def _stale(self) -> bool:
        return self.run is not None and bool(self.run.stale)


def queued(store: Store, bench: Bench | None) -> list[Queued]:
    """Read the queue; on a worker."""
    from reader.runner import with_staleness

    found = []
    for entry in store.queue.all():
        story = store.library.get(entry.item)
        item = story if isinstance(story, Item) else None
        fitting = offers(store, bench, item) if bench is not None and item is not None else []
        chosen = next((each for each in fitting if each.check.name == entry.check), None)
        offer = chosen or (fitting[0] if fitting else None)
        run = store.runs.get(entry.runs[0]) if entry.runs else None
        if run is not None and bench is not None:
            run = with_staleness(
                [run], bench.checks, bench.machine, bench.toolkits, bench.interpreters
            )[0]
        found.append(Queued(entry, item, offer, run, _next(entry, item, offer, run)))
    return found


def _next(entry: QueueEntry, item: Item | None, offer: Offer | None, run: Run | None) -> str:
    from reader.checks import reasons

    if run is not None and run.stale:
        check = offer.check if offer else None
        return reasons.render(run.stale[0], check, language())
    if run is not None and run.verdicts:
        verdict = next(
            (each for each in run.verdicts if each.verdict.value == entry.state.value),
            run.verdicts[0],
        )
        return reasons.render(verdict.reason, offer.check if offer else None, language())
    if offer is not None:
        text = _("{check}: {here} of {n} claims can be settled here")
        title = words.text_of(offer.check.title)
        return text.format(check=title, here=offer.here, n=len(offer.check.claims))
    if item is not None and item.first_step:
        return item.first_step
    return _("No bundled check fits it yet.")


def grouped(found: Sequence[Queued], today: date) -> list[AnyRow]:
    """Return the rows under their headings, most urgent first."""
    groups: dict[str, list[Queued]] = {
        _("Running"): [],
        _("Due this week"): [],
        _("Stale: something on this machine changed"): [],
        _("In the queue"): [],
        _("Waiting for a machine that can"): [],
        _("Settled"): [],
    }
    running, due, stale, open_, waiting, settled = groups
    for each in found:
        entry = each.entry
        if each.state == "running":
            groups[running].append(each)
        elif each.state == "stale":
            groups[stale].append(each)
        elif entry.state in SETTLED:
            groups[settled].append(each)
        elif entry.due is not None and entry.due <= today + SOON:
            groups[due].append(each)
        elif entry.state is QueueState.WAITING:
            groups[waiting].append(each)
        else:
            groups[open_].append(each)
    rows: list[AnyRow] = []
    for title, inside in groups.items():
        if inside:
            rows.append(HeadRow(title, len(inside)))
            rows += [_row(each, today) for each in inside]
    return rows


def _row(each: Queued, today: date) -> LineRow:
    entry = each.entry
    settled = entry.state in SETTLED
    due, late = words.due_of(entry.due, today)
    return LineRow(
        entry.id,
        each.state,
        words.state_name(each.state if each.state != "waiting" else "could_not_run"),
        entry.title,
        each.next,
        "  ".join(f"#{tag}" for tag in entry.tags),
        due if entry.due or not settled else "",
        late=late and not settled,
        settled=settled and each.state != "stale",
    )


class QueuePage(QWidget):
    """Lists the queue with its inspector."""

    wanted, run, open_item, open_run = Signal(str), Signal(str, str), Signal(str), Signal(str)
    tags, due, state = Signal(), Signal(), Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._bench: Bench | None = None
        self.found: dict[str, Queued] = {}
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
        self.panes.setSizes([look().px(824), look().px(400)])

    def _list(self) -> QWidget:
        page = QWidget()
        page.setObjectName("list")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = flow(QVBoxLayout(page), 0)
        bar, row = head()
        self.count = label("", "three")
        row.addWidget(label(_("Queue"), "pane"))
        row.addWidget(self.count, 1)
        self.all = button(
            _("Run all that fit"),
            lambda: self.wanted.emit("run_all"),
            kind="flat",
            icon="play",
            key="R",
        )
        row.addWidget(self.all)
        column.addWidget(bar)
        column.addWidget(rule())
        self.heads = HeadLine(
            (_("State"), _("Story and next step"), _("Tags"), _("Due")), queue_columns
        )
        column.addWidget(self.heads)
        self.table = LineTable(_("Queue"), queue_columns, many=True)
        self.table.moved.connect(self._inspect)
        self.table.opened.connect(self._open)
        column.addWidget(self.table, 1)
        self.empty = EmptyPage()
        self.empty.wanted.connect(self.wanted)
        column.addWidget(self.empty, 1)
        return page

    def _open(self, id_: str) -> None:
        if id_ in self.found:
            self.open_item.emit(self.found[id_].entry.item)

    def load(self, bench: Bench | None) -> None:
        """Read the queue again."""
        self._bench = bench
        self._desk.ask(lambda store: queued(store, bench), self._show, key="queue")

    def _show(self, found: list[Queued]) -> None:
        self.found = {each.entry.id: each for each in found}
        settled = sum(each.entry.state in SETTLED for each in found)
        text = _("{n} open, {settled} settled").format(n=len(found) - settled, settled=settled)
        self.count.setText(text if found else "")
        for widget in (self.table, self.heads, self.all):
            widget.setVisible(bool(found))
        self.empty.setVisible(not found)
        self.inspector.setVisible(bool(found))
        if not found:
            self.empty.say(
                "queue",
                _("The queue is empty"),
                (_("Reading a claim worth a try, press v to put it here."),),
                (_("To today"), "g t", "today"),
            )
            return
        self.table.show_rows(grouped(found, datetime.now().astimezone().date()))
        self.table.select_first()
        if self.table.current_id:
            self._inspect(self.table.current_id)

    @property
    def current(self) -> Queued | None:
        """The queue entry that is selected."""
        return self.found.get(self.table.current_id or "")

    def chosen(self) -> list[Queued]:
        """Return every queue entry that is selected."""
        return [self.found[id_] for id_ in self.table.chosen_ids() if id_ in self.found]

    def _inspect(self, id_: str) -> None:
        each = self.found.get(id_)
        clear(self._column)
        if each is None:
            return
        self._column.addWidget(self._inspector_head(each))
        self._column.addWidget(rule())
        page = QWidget()
        column = flow(QVBoxLayout(page), 8, (24, 16, 24, 24))
        self._about(column, each)
        self._verdicts(column, each)
        self._facts(column, each)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAccessibleName(_("Queue entry"))
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        self._column.addWidget(area, 1)

    def _inspector_head(self, each: Queued) -> QWidget:
        bar, row = head(44, (24, 16))
        t = look().tokens
        row.addWidget(icon_label(words.GLYPHS[each.state], t.state(each.state)))
        word = label(words.state_name(each.state), "label")
        word.setStyleSheet(f"color: {t.state(each.state)};")
        row.addWidget(word)
        row.addStretch(1)
        row.addWidget(tool("tag", _("Tags") + " (t)", self.tags.emit))
        row.addWidget(tool("more", _("Set state") + " (e)", self.state.emit))
        if each.offer is not None:
            text = _("Run again") if each.run else _("Run")
            offer = each.offer
            row.addWidget(
                button(
                    text,
                    lambda: self.run.emit(offer.check.name, each.entry.item),
                    kind="go",
                    icon="play",
                    key="r",
                )
            )
        return bar

    def _about(self, column: QVBoxLayout, each: Queued) -> None:
        item = each.item
        if item is not None:
            when = words.day(item.published, year=True) if item.published else ""
            column.addWidget(label(" · ".join(p for p in (item.section, when) if p), "meta3"))
        column.addWidget(label(each.entry.title, "inspector", wrap=True, select=True))
        if item is not None:
            layers = item.layers or item.labels.layers
            strip = LayerStrip()
            strip.show_layers(layers)
            row = flow(QHBoxLayout(), 12)
            row.addWidget(strip, 0, Qt.AlignmentFlag.AlignVCenter)
            names = " · ".join(words.layer_name(layer) for layer in layers)
            row.addWidget(label(names, "two", wrap=True), 1)
            column.addLayout(row)
        if each.run is not None and each.run.stale:
            from reader.checks import reasons

            check = each.offer.check if each.offer else None
            lines = [reasons.render(why, check, language()) for why in each.run.stale]
            column.addWidget(note("stale", _("Why it is stale"), lines))

    def _verdicts(self, column: QVBoxLayout, each: Queued) -> None:
        if each.run is None or not each.run.verdicts:
            if each.item is not None and each.item.first_step:
                column.addSpacing(look().px(6))
                column.addWidget(label(_("First step"), "caption"))
                column.addWidget(label(each.item.first_step, "", wrap=True))
            return
        column.addSpacing(look().px(6))
        title = _("Last verdicts · {run}, {day}")
        run = each.run
        column.addWidget(
            label(title.format(run=run.id, day=words.day(run.started, weekday=False)), "caption")
        )
        claims = {claim.id: claim for claim in each.offer.check.claims} if each.offer else {}
        t = look().tokens
        for verdict in run.verdicts:
            name = verdict.verdict.value
            row = flow(QHBoxLayout(), 10, (0, 2, 0, 2))
            row.addWidget(
                icon_label(words.GLYPHS[name], t.state(name)), 0, Qt.AlignmentFlag.AlignTop
            )
            claim = claims.get(verdict.claim)
            text = words.text_of(claim.text) if claim else verdict.claim
            row.addWidget(label(text, "", wrap=True), 1)
            word = label(words.verdict_name(verdict.verdict), "label")
            word.setStyleSheet(f"color: {t.state(name)};")
            row.addWidget(word, 0, Qt.AlignmentFlag.AlignTop)
            column.addLayout(row)
            column.addWidget(rule())
        row = flow(QHBoxLayout(), 0)
        row.addWidget(
            button(_("Show the evidence"), lambda: self.open_run.emit(run.id), kind="link")
        )
        row.addStretch(1)
        column.addLayout(row)

    def _facts(self, column: QVBoxLayout, each: Queued) -> None:
        entry = each.entry
        today = datetime.now().astimezone().date()
        due, late = words.due_of(entry.due, today)
        if entry.due and late:
            due = f"{words.day(entry.due, weekday=True)}, {due}"
        priority = {0: _("Normal"), 1: _("High")}.get(entry.priority, str(entry.priority))
        lines = (
            (
                _("Check"),
                words.text_of(each.offer.check.title) if each.offer else _("none fits yet"),
            ),
            (_("Due"), due),
            (_("Priority"), priority),
            (_("Tags"), "  ".join(f"#{tag}" for tag in entry.tags)),
        )
        grid = QGridLayout()
        grid.setContentsMargins(0, look().px(8), 0, 0)
        grid.setHorizontalSpacing(look().px(24))
        grid.setVerticalSpacing(look().px(4))
        grid.setColumnStretch(1, 1)
        for place, (name, text) in enumerate((name, text) for name, text in lines if text):
            grid.addWidget(label(name, "three"), place, 0, Qt.AlignmentFlag.AlignTop)
            value = label(text, "", wrap=True)
            if late and text == due:
                value.setStyleSheet(f"color: {look().tokens.refuted}; font-weight: 600;")
            grid.addWidget(value, place, 1)
        column.addLayout(grid)
        if entry.note:
            column.addWidget(label(_("Note"), "caption"))
            column.addWidget(label(entry.note, "", wrap=True, select=True))


class HeadLine(QWidget):
    """The names over the columns of a LineTable."""

    def __init__(self, names: tuple[str, ...], columns: object) -> None:
        super().__init__()
        self._names, self._columns = names, columns
        self.setFixedHeight(look().px(28))

    def paintEvent(self, _event: object) -> None:
        from PySide6.QtCore import QRect
        from PySide6.QtGui import QColor, QPainter

        here, t = look(), look().tokens
        painter = QPainter(self)
        painter.setFont(here.font("meta_label"))
        painter.setPen(QColor(t.ink3))
        columns = self._columns(self.width()) if callable(self._columns) else ()
        starts = (here.px(16), *columns) if len(self._names) > len(columns) else columns
        middle = Qt.AlignmentFlag.AlignVCenter
        for place, name in enumerate(self._names):
            box = QRect(starts[place], 0, self.width(), self.height())
            if len(self._names) > len(columns) and place == 3:
                box = QRect(0, 0, starts[place], self.height())
                painter.drawText(box, middle | Qt.AlignmentFlag.AlignRight, name)
            else:
                painter.drawText(box, middle, name)
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(t.line2))
        painter.end()
