"""The verify panel under a story: which check fits, what of it this machine can show, and run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from reader.gui import words
from reader.gui.claims import ClaimRow, ClaimTable
from reader.gui.parts import button, flow, head, icon_label, label, yielding
from reader.gui.theme import look
from reader.gui.workbench import Offer
from reader.language import _, language
from reader.model import Toolkit, VerdictKind


def claim_rows(offer: Offer) -> list[ClaimRow]:
    """Return the claims of a check: how each is tested here, or why it cannot be."""
    from reader.checks import reasons

    rows = []
    for claim, before in zip(offer.check.claims, offer.preflight, strict=True):
        verdict = offer.verdict(claim.id)
        missing = ""
        if before.why_not is not None:
            missing = reasons.render(before.why_not, offer.check, language())
            if claim.never_on_gpu:
                missing = f"{missing} · {_('never shown on a GPU')}"
        shown = verdict is not None and verdict is not VerdictKind.COULD_NOT_RUN
        if shown and verdict is not None:
            state, how = verdict.value, words.verdict_name(verdict)
        elif missing:
            state, how = "could_not_run", missing
        elif verdict is not None:
            state, how = verdict.value, words.verdict_name(verdict)
        else:
            state, how = "queued", words.text_of(claim.method)
        rows.append(
            ClaimRow(
                claim.id,
                state,
                words.text_of(claim.text),
                words.evidence_name(claim.kind),
                how,
                words.text_of(claim.method),
                strong=bool(missing) or verdict is not None,
            )
        )
    return rows


class VerifyPanel(QWidget):
    """Offers the checks that fit the story that is open."""

    run = Signal(str)  # the check's name
    all_checks = Signal()
    show_run = Signal(str)
    toolkit_chosen = Signal(str)  # its folder

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("verify")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.offers: list[Offer] = []
        self.folded = False
        column = flow(QVBoxLayout(self), 0)
        column.addWidget(self._head())
        self.table = ClaimTable("line")
        self.table.setAccessibleName(_("What of it can be shown here"))
        column.addWidget(self.table, 1)
        self.foot = QWidget()
        row = flow(QHBoxLayout(self.foot), 10, (18, 0, 20, 0))
        self.foot.setFixedHeight(look().px(30))
        row.addWidget(icon_label("disk", look().tokens.ink3))
        self.environment = yielding(label("", "meta3"))
        row.addWidget(self.environment, 1)
        self.toolkits = QComboBox()
        self.toolkits.setAccessibleName(_("CUDA toolkit"))
        self.toolkits.view().setAccessibleName(_("CUDA toolkit"))
        self.toolkits.setMaximumHeight(look().px(24))
        self.toolkits.setMaximumWidth(look().px(172))  # size and time of a build come first
        self.toolkits.view().setMinimumWidth(look().px(300))
        self.toolkits.activated.connect(
            lambda index: self.toolkit_chosen.emit(self.toolkits.itemData(index))
        )
        self.toolkits.hide()
        row.addWidget(self.toolkits)
        column.addWidget(self.foot)
        self.show_offers([])

    def _head(self) -> QWidget:
        bar, row = head(44, (44, 20))
        self.title, self.summary = label(_("Verify"), "label"), yielding(label("", "two"))
        row.addWidget(self.title)
        row.addWidget(self.summary, 1)
        self.combo = QComboBox()
        self.combo.setAccessibleName(_("Check"))
        self.combo.view().setAccessibleName(_("Check"))
        self.combo.setMaximumWidth(look().px(260))
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.combo.currentIndexChanged.connect(lambda _index: self._show_current())
        self.last = button(_("Last run"), self._last, kind="flat", icon="runs")
        self.go = button(_("Run"), self._run, kind="go", icon="play", key="r")
        for each in (self.last, self.combo, self.go):
            row.addWidget(each)
        return bar

    @property
    def offer(self) -> Offer | None:
        """The check that is chosen."""
        index = self.combo.currentIndex()
        return self.offers[index] if 0 <= index < len(self.offers) else None

    def show_offers(
        self, offers: Sequence[Offer], waiting: bool = False, item: str | None = None
    ) -> None:
        """Offer these checks; the one chosen before stays chosen where it is among them.

        Where none fits an item, say how to draft one from it.
        """
        before = self.offer.check.name if self.offer else ""
        self.offers = list(offers)
        self.combo.blockSignals(True)
        self.combo.clear()
        for each in self.offers:
            self.combo.addItem(words.text_of(each.check.title))
        names = [each.check.name for each in self.offers]
        if before in names:
            self.combo.setCurrentIndex(names.index(before))
        self.combo.blockSignals(False)
        found = bool(self.offers)
        for widget in (self.combo, self.go, self.table, self.foot):
            widget.setVisible(found)
        if not found:
            text = _("looking at this machine…") if waiting else _("No bundled check fits it yet.")
            if item is not None and not waiting:
                draft = f"readproof check new --item {item}"
                text += " " + _("To draft one from its claims: {command}").format(command=draft)
            self.summary.setText(text)
            self.last.hide()
        self._show_current()
        self.setFixedHeight(self.wanted_height())

    def show_toolkits(self, toolkits: Sequence[Toolkit], chosen: str) -> None:
        """Offer the toolkits of this machine; without a choice the run takes what fits best."""
        self.toolkits.clear()
        self.toolkits.addItem(_("CUDA: what fits best"), "")
        for each in toolkits:
            self.toolkits.addItem(f"CUDA {each.version} · {each.root}", str(each.root))
        self.toolkits.setCurrentIndex(max(0, self.toolkits.findData(chosen)))
        self.toolkits.setVisible(bool(toolkits))

    def wanted_height(self) -> int:
        """Return how high the panel wants to be."""
        here = look()
        if not self.offers or self.folded:
            return here.px(45)
        rows = min(self.table.full_height(), here.px(30) * 7)
        return here.px(45) + rows + here.px(30) + 1

    def _show_current(self) -> None:
        offer = self.offer
        if offer is None:
            return
        text = _("{n} claims, {here} can be settled here")
        self.summary.setText(text.format(n=len(offer.check.claims), here=offer.here))
        self.table.show_rows(claim_rows(offer))
        self.last.setVisible(offer.last_run is not None)
        self.environment.setText(environment_line(offer))
        # The line is cut where the panel is narrow; what the time stands on is said in full here.
        takes = f"\n{offer.build.takes}" if offer.build is not None else ""
        self.environment.setToolTip(self.environment.text() + takes)
        self.setFixedHeight(self.wanted_height())

    def _run(self) -> None:
        if self.offer is not None:
            self.run.emit(self.offer.check.name)

    def _last(self) -> None:
        if self.offer is not None and self.offer.last_run:
            self.show_run.emit(self.offer.last_run)


def environment_line(offer: Offer) -> str:
    """Say what a check runs in, or what has to be built first, its size and how long that takes."""
    from reader.checks.builds import spoken
    from reader.checks.environment import wanted

    if offer.build is None:
        needed = dict.fromkeys(name for each in wanted(offer.check) for name in each.requires)
        packages = ", ".join(needed) or "Python"
        return _("Environment ready: {packages}; no network needed").format(packages=packages)
    text = _("Environment to build first: {packages}, about {size} MB; you are asked before")
    build = offer.build
    said = text.format(packages=build.packages, size=words.amount(build.size_mb))
    return f"≈ {spoken(build.takes.seconds)} · {said}"  # the end of the line may be cut
