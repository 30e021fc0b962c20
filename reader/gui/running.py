"""A run under way: steps, claims, log, cancel; reading goes on beside it."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from reader.gui import icons, words
from reader.gui.claims import ClaimRow, ClaimTable
from reader.gui.parts import button, flow, head, label, rule, tint
from reader.gui.run_log import LogPanel
from reader.gui.theme import look
from reader.gui.verify import claim_rows
from reader.gui.workbench import Offer
from reader.language import _
from reader.model import RunProgress

STEPS = ("environment", "preflight", "control", "measure", "judge")


def step_name(step: str) -> str:
    """Return the word of a step."""
    return {
        "environment": _("Environment"),
        "preflight": _("Preflight"),
        "control": _("Negative control"),
        "measure": _("Measuring"),
        "judge": _("Judging"),
    }.get(step, step)


class RunningView(QWidget):
    """Watches one run."""

    cancel = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.offer: Offer | None = None
        self._step = "preflight"
        self._claim: str | None = None
        self._began = time.monotonic()
        self._turn = 0
        column = flow(QVBoxLayout(self), 0)
        column.addWidget(self._top())
        column.addWidget(rule())
        column.addWidget(self._step_bar())
        column.addWidget(rule())
        self.table = ClaimTable("running")
        column.addWidget(self.table, 3)
        column.addWidget(rule())
        self.log = LogPanel()
        column.addWidget(self.log, 2)
        hint = label(
            _(
                "Cancelling ends every process of this check and keeps what was measured; "
                "you can read on meanwhile."
            ),
            "meta3",
            wrap=True,
        )
        hint.setContentsMargins(look().px(44), look().px(6), look().px(20), look().px(6))
        column.addWidget(hint)
        self._clock = QTimer(self)
        self._clock.setInterval(100)
        self._clock.timeout.connect(self._tick)

    def begin(self, offer: Offer, story_title: str) -> None:
        """Watch a run that begins."""
        self.offer, self._step, self._claim = offer, "preflight", None
        self._began = time.monotonic()
        self._story.setText(story_title)
        self._title.setText(words.text_of(offer.check.title))
        self.stop.setText(f" {_('Cancel')}  Esc")
        self.stop.setEnabled(True)
        self.bar.setRange(0, 0)
        self.count.setText("")
        self.log.start()
        self._show_steps()
        self._tick()
        self._clock.start()

    def _top(self) -> QWidget:
        made = QWidget()
        column = flow(QVBoxLayout(made), 2, (44, 16, 24, 14))
        row = flow(QHBoxLayout(), 8)
        texts = flow(QVBoxLayout(), 2)
        self._story, self._title = label("", "meta3"), label("", "inspector", wrap=True)
        texts.addWidget(self._story)
        texts.addWidget(self._title)
        row.addLayout(texts, 1)
        self.stop = button(_("Cancel"), self.cancel.emit, icon="stop", key="Esc")
        row.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(row)
        line = flow(QHBoxLayout(), 12, (0, 8, 0, 0))
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(_("Progress of the run"))
        self.bar.setRange(0, 0)
        self.count, self.clock = label("", "label"), label("", "two")
        line.addWidget(self.bar, 1, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(self.count)
        line.addWidget(self.clock)
        column.addLayout(line)
        return made

    def _step_bar(self) -> QWidget:
        bar, row = head(40, (44, 20))
        self._steps: dict[str, tuple[QLabel, QLabel]] = {}
        for place, step in enumerate(STEPS):
            if place:
                row.addWidget(label("——", "three"))
            mark, text = QLabel(), label(step_name(step))
            self._steps[step] = (mark, text)
            row.addWidget(mark)
            row.addWidget(text)
        row.addStretch(1)
        return bar

    def _show_steps(self) -> None:
        t, size = look().tokens, look().px(16)
        here = STEPS.index(self._step) if self._step in STEPS else 0
        for place, step in enumerate(STEPS):
            mark, text = self._steps[step]
            mark.setVisible(place <= here)
            if place < here:
                mark.setPixmap(icons.pixmap("read", t.ink2, size))
            elif place == here:
                mark.setPixmap(icons.pixmap("v-running", t.running, size))
            colour = t.accent_ink if place == here else t.ink if place < here else t.ink3
            tint(text, colour, "label" if place == here else "ui")

    def show_claims(self) -> None:
        """Show what becomes of each claim."""
        if self.offer is None:
            return
        rows = []
        done = STEPS.index(self._step) > STEPS.index("measure") if self._step in STEPS else False
        for row, before in zip(claim_rows(self.offer), self.offer.preflight, strict=True):
            state, how = ("queued", _("Queued")) if before.here else ("could_not_run", row.how)
            part = None
            if before.here and self._step == "measure":
                state, how = "running", _("Measuring")
                if self._claim == row.id and self.bar.maximum():
                    part = self.bar.value() / self.bar.maximum()
                    how = f"{self.bar.value()} / {self.bar.maximum()}"
            elif before.here and done:
                how = _("Measured, to be judged")
            rows.append(ClaimRow(row.id, state, row.text, row.kind, how, row.below, part=part))
        self.table.show_rows(rows)

    def _tick(self) -> None:
        if self.offer is None:
            return
        seconds = int(time.monotonic() - self._began)
        limit = self.offer.check.limits.seconds
        text = _("{now} of at most {most}")
        self.clock.setText(text.format(now=_clock(seconds), most=_clock(limit)))
        if self.style().styleHint(self.style().StyleHint.SH_Widget_Animate):
            self._turn = (self._turn + 1) % 12
            self.table.delegate.turn = self._turn
            self.table.viewport().update()

    def watch(self, progress: RunProgress) -> None:
        """Show where the run stands."""
        if progress.line is not None:
            self.log.add(progress.line)
        if progress.step != self._step or progress.total:
            moved = progress.step != self._step
            self._step, self._claim = progress.step, progress.claim
            self.bar.setRange(0, progress.total)
            self.bar.setValue(progress.done)
            text = f"{progress.done} / {progress.total}" if progress.total else ""
            self.count.setText(text)
            if moved:
                self._show_steps()
            self.show_claims()
        if progress.message and progress.line is None and not progress.total:
            self.count.setText("")

    def cancelling(self) -> None:
        """Say that it is being cancelled."""
        self.stop.setEnabled(False)
        self.stop.setText(" " + _("Cancelling…"))

    def ended(self) -> None:
        """Stop the clock."""
        self._clock.stop()


def _clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"
