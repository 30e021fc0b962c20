"""One run: claims and fingerprint on the left, a section a claim on the right, files and log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from reader.gui import words
from reader.gui.claims import ClaimRow, ClaimTable
from reader.gui.differ import artefact_diff
from reader.gui.interval_chart import IntervalChart, Intervals, intervals
from reader.gui.notes import note
from reader.gui.parts import button, clear, flow, head, icon_label, label, rule, surface
from reader.gui.run_log import LogPanel
from reader.gui.svg_plot import plots_of
from reader.gui.theme import look
from reader.language import _, language
from reader.model import Artefact, Run

if TYPE_CHECKING:
    from reader.gui.workbench import Bench
    from reader.report.page import ClaimPart, Part, RunPart
    from reader.store import Store

MOST_TEXT = 200_000


@dataclass(frozen=True, slots=True)
class Judged:
    """A run with every sentence of its page, made on a worker."""

    run: Run
    part: Part
    about: RunPart | None
    story: str  # the title of the story it is about
    earlier: str | None  # the run of the same check before it
    log: str
    diffs: dict[str, tuple[str, str, list[str]]]
    intervals: dict[str, Intervals] = field(default_factory=dict)  # by claim, where it has ratios


def judged(store: Store, run_id: str, bench: Bench | None) -> Judged:
    """Read a run and put it into words; on a worker."""
    from reader import report as room
    from reader.report.page import page
    from reader.runner import with_staleness

    def fresh(run: Run) -> Run:
        if bench is None:
            return run
        kept = with_staleness(
            [run], bench.checks, bench.machine, bench.toolkits, bench.interpreters
        )
        return kept[0]

    checks = list(bench.checks) if bench else None
    gathered = room.report(store, run=run_id, checks=checks, fresh=fresh)
    part = page(gathered, language()).parts[0]
    subject = gathered.subjects[0]
    run = subject.runs[0].run
    before = [each.id for each in store.runs.all(check=run.check) if each.started < run.started]
    return Judged(
        run,
        part,
        part.runs[0] if part.runs else None,
        subject.story.title if subject.story else "",
        before[0] if before else None,
        "\n".join(leg.log for leg in run.legs),
        artefact_diff(run),
        {each.claim: found for each in run.verdicts if (found := intervals(run, each))},
    )


class VerdictView(QWidget):
    """The right side of a run: verdicts, files, log."""

    rerun, export, compare = Signal(str), Signal(str), Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.judged: Judged | None = None
        self._sections: dict[str, QWidget] = {}
        self._coming: list[tuple[ClaimPart, str]] = []
        self._wanted = ""  # the claim to scroll to once it is there
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._next_section)
        self.stack = QStackedWidget()
        column = flow(QVBoxLayout(self), 0)
        column.addWidget(self._head())
        column.addWidget(rule())
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.area.setAccessibleName(_("Verdicts"))
        inner, self._column = surface("page")
        self.area.setWidget(inner)
        self.files, self._files = surface("page")
        self.log = LogPanel(foldable=False)
        self._logged = ""  # the run whose log is filled in
        for each in (self.area, self.files, self.log):
            self.stack.addWidget(each)
        column.addWidget(self.stack, 1)

    def _head(self) -> QWidget:
        bar, row = head(44, (40, 20))
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(_("Parts of the run"))
        for text in (_("Verdicts"), _("Kept files"), _("Log")):
            self.tabs.addTab(text)
        self.tabs.currentChanged.connect(self._turned)
        row.addWidget(self.tabs, 0, Qt.AlignmentFlag.AlignBottom)
        row.addStretch(1)
        self.export_button = button(
            _("Export report"), self._export, kind="flat", icon="report", key="x"
        )
        self.compare_button = button(_("Compare"), self._compare, icon="diff", key="c")
        self.rerun_button = button(_("Run again"), self._rerun, icon="play", key="r")
        for each in (self.export_button, self.compare_button, self.rerun_button):
            row.addWidget(each)
        return bar

    def _turned(self, index: int) -> None:
        """Show a part; files and log are filled in when they are first looked at."""
        self.stack.setCurrentIndex(index)
        if self.judged is None:
            return
        if index == 1 and not self._files.count():
            self._fill_files(self.judged.run.artefacts)
        elif index == 2:
            self._show_log(self.judged)

    def _show_log(self, judged: Judged) -> None:
        if self._logged != judged.run.id:
            self._logged = judged.run.id
            self.log.log.follow(False)
            self.log.show_text(judged.log)

    def _export(self) -> None:
        if self.judged:
            self.export.emit(self.judged.run.id)

    def _compare(self) -> None:
        if self.judged and self.judged.earlier:
            self.compare.emit(self.judged.earlier, self.judged.run.id)

    def _rerun(self) -> None:
        if self.judged:
            self.rerun.emit(self.judged.run.id)

    def show_log(self) -> None:
        """Turn to the log, or back from it."""
        self.tabs.setCurrentIndex(0 if self.tabs.currentIndex() == 2 else 2)

    def show_run(self, judged: Judged | None) -> None:
        """Show a run, from its first section."""
        self.judged = judged
        self._timer.stop()
        self._wanted = ""
        clear(self._column)
        clear(self._files)
        self._sections.clear()
        if judged is None:
            return
        earlier = judged.earlier
        self.compare_button.setVisible(earlier is not None)
        if earlier:
            self.compare_button.setText(" " + _("Compare with {run}").format(run=earlier) + "  c")
        self.tabs.setTabText(1, f"{_('Kept files')} {len(judged.run.artefacts) or ''}".strip())
        self._fill(judged)
        self._turned(self.tabs.currentIndex())

    def _fill(self, judged: Judged) -> None:
        about = judged.about
        if about is not None and about.stale:
            self._add_note("stale", _("Something on this machine has changed"), about.stale)
        if about is not None and about.notices:
            self._add_note("warn", _("What went wrong"), about.notices)
        if judged.part.empty:
            self._column.addWidget(_padded(label(judged.part.empty, "two", wrap=True)))
        pairs = zip(judged.part.claims, judged.run.verdicts, strict=False)
        self._coming = [(claim, verdict.claim) for claim, verdict in pairs]
        self._timer.start()

    def _next_section(self) -> None:
        """Make one section, and the next one in the event loop's next turn: each takes a while."""
        judged = self.judged
        if judged is None:
            return
        if self._coming:
            claim, name = self._coming.pop(0)
            self._sections[name] = section = _section(
                claim, judged.diffs.get(name), judged.intervals.get(name)
            )
            self._column.addWidget(section)
            self._column.addWidget(rule())
            self._timer.start()
            return
        if judged.about is not None:
            self._column.addWidget(_repeat(judged.about))
        self._column.addStretch(1)
        if self._wanted:
            self.scroll_to(self._wanted)

    def _add_note(self, kind: str, title: str, lines: Sequence[str]) -> None:
        self._column.addWidget(_padded(note(kind, title, lines)))

    def _fill_files(self, artefacts: Sequence[Artefact]) -> None:
        page = QWidget()
        column = flow(QVBoxLayout(page), 8, (40, 18, 40, 18))
        if not artefacts:
            column.addWidget(label(_("This run kept no files."), "two"))
        for each in artefacts:
            row = flow(QHBoxLayout(), 12)
            row.addWidget(icon_label("paper", look().tokens.ink3))
            row.addWidget(button(each.name, partial(self._open, each), kind="link"), 0)
            row.addWidget(label(f"{each.bytes / 1024:,.1f} KB", "three"))
            row.addWidget(label(f"sha256 {each.sha256[:12]}", "three"))
            row.addStretch(1)
            column.addLayout(row)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAccessibleName(_("Kept files"))
        area.setWidget(page)
        self._files.addWidget(area)

    def _open(self, artefact: Artefact) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(artefact.path))

    def scroll_to(self, claim: str) -> None:
        """Scroll to the section of a claim."""
        section = self._sections.get(claim)
        self._wanted = "" if section is not None else claim
        if section is not None:
            self.tabs.setCurrentIndex(0)
            # Geometry is only known once the new page has been laid out.
            QTimer.singleShot(0, lambda: self._place(section))

    def _place(self, section: QWidget) -> None:
        self.area.verticalScrollBar().setValue(section.y())


def _padded(widget: QWidget) -> QWidget:
    made = QWidget()
    flow(QVBoxLayout(made), 0, (40, 14, 40, 6)).addWidget(widget)
    return made


def _section(
    claim: ClaimPart, diff: tuple[str, str, list[str]] | None, ratios: Intervals | None
) -> QWidget:
    t = look().tokens
    made = QWidget()
    column = flow(QVBoxLayout(made), 4, (40, 16, 40, 18))
    row = flow(QHBoxLayout(), 6)
    row.addWidget(icon_label(words.GLYPHS[claim.verdict.value], t.state(claim.verdict.value)))
    word = label(claim.word, "label")
    word.setStyleSheet(f"color: {t.state(claim.verdict.value)};")
    row.addWidget(word)
    row.addSpacing(look().px(6))
    row.addWidget(label(claim.kind, "two"))
    if claim.stale:
        row.addWidget(icon_label("v-stale", t.stale))
        row.addWidget(label(_("Stale"), "three"))
    row.addStretch(1)
    column.addLayout(row)
    column.addWidget(label(claim.title, "inspector", wrap=True, select=True))
    column.addWidget(label(claim.reason, "", wrap=True, select=True))
    column.addLayout(_facts(claim))
    if ratios is not None:
        column.addWidget(IntervalChart(ratios))
    for plot in plots_of(claim):
        column.addWidget(plot)
    if claim.cases is not None and claim.cases.rows:
        column.addWidget(_cases(claim))
    if diff is not None:
        from reader.gui.differ import DiffView

        column.addSpacing(look().px(6))
        column.addWidget(DiffView(*diff))
    if claim.elsewhere is not None:
        column.addWidget(label(claim.elsewhere[0], "two", wrap=True))
        column.addWidget(command_box(claim.elsewhere[1]))
    if claim.never_on_gpu:
        column.addWidget(label(_("Its GPU part has never been shown on a GPU."), "three"))
    return made


def _facts(claim: ClaimPart) -> QGridLayout:
    grid = QGridLayout()
    grid.setContentsMargins(0, look().px(6), 0, look().px(4))
    grid.setHorizontalSpacing(look().px(16))
    grid.setVerticalSpacing(look().px(3))
    grid.setColumnStretch(1, 1)
    numbers = " · ".join(f"{name} {value}" for name, value in claim.numbers)
    lines = (
        (_("Expected"), claim.expected),
        (_("Tested by"), claim.method),
        (_("Measured here"), numbers),
    )
    for row, (name, text) in enumerate((name, text) for name, text in lines if text):
        key = label(name, "three")
        grid.addWidget(key, row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(label(text, "", wrap=True, select=True), row, 1)
    return grid


def _cases(claim: ClaimPart) -> QWidget:
    box = QFrame()
    box.setObjectName("cases")
    t, here = look().tokens, look()
    box.setStyleSheet(
        f"QFrame#cases {{ background: {t.code}; border: 1px solid {t.line};"
        f" border-radius: {here.px(6)}px; }}"
    )
    grid = QGridLayout(box)
    grid.setContentsMargins(here.px(12), here.px(8), here.px(12), here.px(8))
    grid.setHorizontalSpacing(here.px(18))
    grid.setVerticalSpacing(here.px(2))
    cases = claim.cases
    if cases is None:
        return box
    for place, text in enumerate(cases.heads[:6]):
        grid.addWidget(label(text, "meta3"), 0, place)
    for line, values in enumerate(cases.rows[:12], 1):
        for place, text in enumerate(values[:6]):
            cell = label(text, "meta")
            cell.setFont(here.font("code"))
            grid.addWidget(cell, line, place)
    left = max(0, len(cases.rows) - 12) + cases.left_out
    if left:
        grid.addWidget(label(_("{n} more in the report").format(n=left), "meta3"), 13, 0, 1, 6)
    grid.setColumnStretch(min(6, len(cases.heads)), 1)
    return box


def command_box(command: str) -> QWidget:
    """Return a command with a button that copies it."""
    made = QWidget()
    row = flow(QHBoxLayout(made), 8)
    text: QLabel = label(command, "code", wrap=True, select=True)
    row.addWidget(text, 1)

    def copy() -> None:
        QGuiApplication.clipboard().setText(command)

    row.addWidget(button(_("Copy"), copy, kind="flat", size="sm"))
    return made


def _repeat(about: RunPart) -> QWidget:
    made = QWidget()
    column = flow(QVBoxLayout(made), 6, (40, 16, 40, 24))
    column.addWidget(label(_("To repeat it"), "caption"))
    column.addWidget(command_box(about.repeat))
    if about.control:
        column.addWidget(label(_("Negative control") + ": " + about.control, "two", wrap=True))
    return made


class RunSide(QWidget):
    """The left side of one run: when, how it came out, its claims, its fingerprint."""

    moved = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        column = flow(QVBoxLayout(self), 0)
        top = QWidget()
        self._top = flow(QVBoxLayout(top), 2, (16, 12, 16, 12))
        column.addWidget(top)
        column.addWidget(rule())
        self.table = ClaimTable("verdict")
        self.table.moved.connect(self.moved)
        column.addWidget(self.table, 1)
        column.addWidget(rule())
        bottom = QWidget()
        self._bottom = flow(QVBoxLayout(bottom), 2, (16, 10, 16, 12))
        column.addWidget(bottom)

    def show_run(self, judged: Judged) -> None:
        """Show a run."""
        clear(self._top)
        clear(self._bottom)
        about = judged.about
        if about is None:
            return
        self._top.addWidget(label(" · ".join((judged.run.id, about.when, about.status)), "meta3"))
        self._top.addWidget(label(about.title, "pane", wrap=True))
        self._top.addLayout(_tally(judged))
        rows = [
            ClaimRow(
                verdict.claim,
                claim.verdict.value,
                claim.title,
                claim.kind,
                "",
                claim.reason,
            )
            for claim, verdict in zip(judged.part.claims, judged.run.verdicts, strict=False)
        ]
        self.table.show_rows(rows)
        self._fingerprint(about)

    def _fingerprint(self, about: RunPart) -> None:
        row = flow(QHBoxLayout(), 8)
        row.addWidget(label(_("Fingerprint"), "label"))
        row.addStretch(1)
        code = label(about.fingerprint, "three")
        code.setFont(look().font("code"))
        row.addWidget(code)
        self._bottom.addLayout(row)
        grid = QGridLayout()
        grid.setHorizontalSpacing(look().px(12))
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        for place, (name, text) in enumerate(about.facts[:8]):
            grid.addWidget(label(name, "meta3"), place, 0, Qt.AlignmentFlag.AlignTop)
            value = label(_elided(text), "meta")
            value.setToolTip(text)
            grid.addWidget(value, place, 1)
        self._bottom.addLayout(grid)


def _elided(text: str, most: int = 52) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _tally(judged: Judged) -> QHBoxLayout:
    from collections import Counter

    row = flow(QHBoxLayout(), 6, (0, 6, 0, 0))
    found = Counter(each.verdict for each in judged.part.claims)
    for verdict, count in sorted(found.items(), key=lambda pair: list(found).index(pair[0])):
        colour = look().tokens.state(verdict.value)
        row.addWidget(icon_label(words.GLYPHS[verdict.value], colour))
        text = label(f"{count} {words.verdict_name(verdict)}", "label")
        text.setStyleSheet(f"color: {colour};")
        row.addWidget(text)
        row.addSpacing(look().px(10))
    row.addStretch(1)
    return row


def read_text(path: str) -> str:
    """Return a kept file as text, its beginning where it is long."""
    return Path(path).read_text(encoding="utf-8", errors="replace")[:MOST_TEXT]
