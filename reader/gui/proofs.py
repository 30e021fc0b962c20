"""Checks run from the window: where a run shows, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from reader.gui import workbench
from reader.gui.jobs import Job
from reader.gui.workbench import Offer
from reader.language import _
from reader.model import Digest, Run, RunProgress

if TYPE_CHECKING:
    from reader.gui.running import RunningView
    from reader.gui.verdicts import Judged, VerdictView
    from reader.gui.window import Window
    from reader.store import Store


class Proofs:
    """Runs checks and shows them."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self.view: RunningView | None = None  # of the run that is under way

    def runs_here(self, story: str) -> bool:
        """Say whether a check runs for this story now."""
        return self._window.jobs.job is not None and self._window.jobs.job.item == story

    def run_check(self, check: str, item: str) -> None:
        """Run a check for an item without its page; an empty name is the one that fits best."""
        bench = self._window.bench
        if bench is None:
            self._window.say(_("looking at this machine…"))
            return

        def work(store: Store) -> tuple[Offer | None, str]:
            story = store.library.get(item)
            if isinstance(story, Digest):
                return None, ""
            fitting = workbench.offers(store, bench, story)
            named = (each for each in fitting if check in ("", each.check.name))
            return next(named, None), story.title

        def ready(found: tuple[Offer | None, str]) -> None:
            offer, title = found
            if offer is not None:
                self._window.jobs.run(Job(offer, item, title))
            elif not check:
                self._window.say(_("No bundled check fits it yet."))

        self._window.desk.ask(work, ready)

    def started(self, job: Job) -> None:
        """Show a run that begins."""
        from reader.gui.running import RunningView

        view = RunningView(job.offer, job.title)
        view.cancel.connect(lambda: self._window.command("cancel"))
        self.view = view
        # Each step takes a while: the event loop has its turn between them.
        QTimer.singleShot(0, lambda: self._place_running(view, job))
        self._window.list.table.delegate.running = job.item
        if self._window.stories.quick is not None:
            self._window.stories.quick.show_running(job.item)
        self._window.list.table.viewport().update()
        self._window.show_keys()

    def _place_running(self, view: RunningView, job: Job) -> None:
        if self.view is not view:
            return
        self._put_check(view)
        if (
            self._window.reading.opened is not None
            and self._window.reading.opened.story.id == job.item
        ):
            QTimer.singleShot(0, lambda: self._window.reading.offer_verify(turn=True))

    def _put_check(self, widget: QWidget) -> None:
        from reader.gui.parts import clear

        column = self._window.reading.check.layout()
        if isinstance(column, QVBoxLayout):
            clear(column)
            column.addWidget(widget)

    def progress(self, progress: RunProgress) -> None:
        """Show where the run stands."""
        if self.view is not None:
            self.view.watch(progress)

    def ended(self, job: Job | None, run: Run | None) -> None:
        """Show what came of the run."""
        if self.view is not None:
            self.view.ended()
        self.view = None
        self._window.list.table.delegate.running = None
        if self._window.stories.quick is not None:
            self._window.stories.quick.show_running(None)
        self._window.refresh()
        if run is None or job is None:
            self._window.reading.show_tab("digest")
            return
        from reader.gui.verdicts import judged

        bench = self._window.bench
        self._window.desk.ask(lambda store: judged(store, run.id, bench), self._show_verdict)

    def _show_verdict(self, found: Judged) -> None:
        self._window.runs.current = found.run.id
        from reader.gui.verdicts import VerdictView

        view = VerdictView()
        view.rerun.connect(lambda _run: self._window.command("run"))
        view.export.connect(lambda _run: self._window.command("export"))
        view.compare.connect(self._window.deeds.trials.compare)
        self._put_check(view)
        # Each step takes a while: the event loop has its turn between them.
        QTimer.singleShot(0, lambda: self._place_verdict(view, found))
        self._window.say(
            _("Run {id}: {title}").format(id=found.run.id, title=self._tally(found.run))
        )

    def _place_verdict(self, view: VerdictView, found: Judged) -> None:
        if self._window.reading.check.isAncestorOf(view):
            view.show_run(found)
            opened = self._window.reading.opened
            if opened is not None and opened.story.id == found.run.item:
                QTimer.singleShot(0, lambda: self._window.reading.offer_verify(turn=True))

    def _tally(self, run: Run) -> str:
        from collections import Counter

        from reader.gui import words

        found = Counter(each.verdict for each in run.verdicts)
        said = ", ".join(f"{count} {words.verdict_name(kind)}" for kind, count in found.items())
        return said or run.status.value

    def show_run(self, run_id: str) -> None:
        """Show a run among the runs."""
        self._window.runs.current = run_id
        self._window.go("runs")
        self._window.runs.open(run_id)
