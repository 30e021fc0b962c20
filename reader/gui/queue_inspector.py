"""The right side of the queue: one entry, why it is stale, its last verdicts, its facts."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from reader.gui import words
from reader.gui.marks import LayerStrip
from reader.gui.notes import note
from reader.gui.parts import button, clear, flow, head, icon_label, label, rule, tool
from reader.gui.queued import Queued
from reader.gui.theme import look
from reader.language import _, language


class Inspector(QWidget):
    """Shows one queue entry."""

    run, open_run = Signal(str, str), Signal(str)
    tags, state = Signal(), Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(look().px(320))
        self._column = flow(QVBoxLayout(self), 0)
        self.shown: Queued | None = None

    def show_entry(self, each: Queued | None) -> None:
        """Show an entry, or nothing."""
        if each is not None and each == self.shown:
            return
        self.shown = each
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
