"""The runs: the list of all of them, then one with its claims; its verdicts at the right."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from reader.gui import words
from reader.gui.claims import ClaimTable
from reader.gui.desk import Desk
from reader.gui.empty import EmptyPage
from reader.gui.parts import Panes, button, flow, head, label, rule
from reader.gui.rows import LineRow, LineTable
from reader.gui.theme import look
from reader.gui.verdicts import Judged, RunSide, VerdictView, judged
from reader.gui.workbench import Bench
from reader.language import _
from reader.model import Run, RunStatus, VerdictKind

_URGENT = (
    VerdictKind.REFUTED,
    VerdictKind.INCONCLUSIVE,
    VerdictKind.CONFIRMED,
    VerdictKind.COULD_NOT_RUN,
    VerdictKind.NOT_APPLICABLE,
)


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run as a line of the list."""

    run: Run
    title: str


def run_lines(store: object, bench: Bench | None) -> list[RunLine]:
    """Return every run with the title of its check; on a worker."""
    from reader.runner import with_staleness
    from reader.store import Store

    assert isinstance(store, Store)  # noqa: S101
    runs = store.runs.all()
    titles = {each.name: words.text_of(each.title) for each in bench.checks} if bench else {}
    if bench is not None:
        runs = with_staleness(runs, bench.checks, bench.machine, bench.toolkits, bench.interpreters)
    return [RunLine(each, titles.get(each.check, each.check)) for each in runs]


def run_state(run: Run) -> str:
    """Return the state that a run's glyph shows: the most urgent of its claims."""
    if run.status is RunStatus.RUNNING:
        return "running"
    if run.stale:
        return "stale"
    held = {each.verdict for each in run.verdicts}
    return next((each.value for each in _URGENT if each in held), "could_not_run")


class RunsPage(QWidget):
    """Lists runs and shows the one that is selected."""

    wanted = Signal(str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.bench: Bench | None = None
        self.current: str | None = None
        self._judged: Judged | None = None
        row = flow(QHBoxLayout(self), 0)
        self.panes = Panes(Qt.Orientation.Horizontal)
        row.addWidget(self.panes)
        self.left = QStackedWidget()
        self.left.setObjectName("list")
        self.left.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.left.addWidget(self._list())
        self.left.addWidget(self._one())
        self.left.addWidget(self._nothing())
        self.view = VerdictView()
        self.panes.addWidget(self.left)
        self.panes.addWidget(self.view)
        self.panes.setStretchFactor(1, 1)
        self.panes.setSizes([look().px(464), look().px(760)])

    def _list(self) -> QWidget:
        page = QWidget()
        column = flow(QVBoxLayout(page), 0)
        bar, row = head()
        self.title, self.count = label(_("Runs"), "pane"), label("", "three")
        row.addWidget(self.title)
        row.addWidget(self.count, 1)
        column.addWidget(bar)
        column.addWidget(rule())
        self.table = LineTable(_("Runs"))
        self.table.moved.connect(self._chosen)
        self.table.opened.connect(self.open)
        column.addWidget(self.table, 1)
        return page

    def _one(self) -> QWidget:
        page = QWidget()
        column = flow(QVBoxLayout(page), 0)
        bar, row = head(40, (8, 16))
        row.addWidget(button(_("All runs"), self.back, kind="flat", icon="left", key="Backspace"))
        row.addStretch(1)
        column.addWidget(bar)
        self.side = RunSide()
        self.side.moved.connect(self.view_claim)
        column.addWidget(self.side, 1)
        return page

    def _nothing(self) -> QWidget:
        page = QWidget()
        column = flow(QVBoxLayout(page), 0)
        bar, row = head()
        row.addWidget(label(_("Runs"), "pane"), 1)
        self.empty = EmptyPage()
        self.empty.wanted.connect(self.wanted)
        column.addWidget(bar)
        column.addWidget(rule())
        column.addWidget(self.empty, 1)
        return page

    def view_claim(self, claim: str) -> None:
        """Scroll the verdicts to a claim."""
        self.view.scroll_to(claim)

    def load(self, bench: Bench | None) -> None:
        """Read the runs again."""
        self.bench = bench
        self._desk.ask(lambda store: run_lines(store, bench), self._show, key="runs", about="runs")

    def _show(self, lines: list[RunLine]) -> None:
        self.count.setText(words.amount(len(lines)) if lines else "")
        if not lines:
            self.left.setCurrentIndex(2)
            self.empty.say(
                "runs",
                _("Nothing has been run yet"),
                (_("Open a story with a check that fits and press r."),),
                (_("To today"), "g t", "today"),
            )
            self.view.show_run(None)
            self.view.setVisible(False)
            return
        self.view.setVisible(True)
        if self.left.currentIndex() == 2:
            self.left.setCurrentIndex(0)
        self.table.show_rows([_line(each) for each in lines])
        self.table.select(self.current or lines[0].run.id)

    def _chosen(self, run_id: str) -> None:
        self.current = run_id
        bench = self.bench
        self._desk.ask(lambda store: judged(store, run_id, bench), self._judge, key="judged")

    def _judge(self, found: Judged) -> None:
        same = self._judged is not None and self._judged.run == found.run
        self._judged = found
        self.side.show_run(found)
        if not same or self.view.judged is None:
            self.view.show_run(found)

    def open(self, run_id: str = "") -> None:
        """Show one run with its claims at the left."""
        if run_id and run_id != self.current:
            self.current = run_id
            self.table.select(run_id)
            self._chosen(run_id)
        if self.current:
            self.left.setCurrentIndex(1)
            self.side.table.setFocus()
            if not self.side.table.currentIndex().isValid():
                self.side.table.selectRow(0)

    def back(self) -> bool:
        """Return to the list of runs; False where it is shown already."""
        if self.left.currentIndex() != 1:
            return False
        self.left.setCurrentIndex(0)
        self.table.setFocus()
        return True

    def step(self, step: int) -> None:
        """Go to the next or previous run, or claim where one run is open."""
        active: ClaimTable | LineTable = (
            self.side.table if self.left.currentIndex() == 1 else self.table
        )
        active.step(step)

    def focus(self) -> None:
        """Give the keyboard to the list."""
        places = (self.table, self.side.table, self.empty)
        places[self.left.currentIndex()].setFocus()


def _line(each: RunLine) -> LineRow:
    from collections import Counter
    from datetime import UTC, datetime

    run = each.run
    found = Counter(verdict.verdict for verdict in run.verdicts)
    said = " · ".join(
        f"{found[kind]} {words.verdict_name(kind)}" for kind in _URGENT if found[kind]
    )
    state = run_state(run)
    if not said:
        from reader.report.words import status_word

        said = status_word(run.status)
    return LineRow(
        run.id,
        state,
        words.state_name(state),
        each.title,
        said,
        run.id,
        words.moment_of(run.started, datetime.now(UTC)),
    )
