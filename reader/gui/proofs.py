"""Checks run from the window: where a run shows, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QStackedWidget, QWidget

from reader.gui import workbench
from reader.gui.idle import in_turns
from reader.gui.jobs import Job
from reader.gui.parts import polish
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
        self.verdict: VerdictView | None = None  # of the run that ended last
        self._running: RunningView | None = None  # made once, for every run
        self._stack: QStackedWidget | None = None

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

    def preparations(self) -> list[Callable[[], object]]:
        """Return what a first run needs, in pieces that may be made before it."""
        differ = partial(import_module, "reader.gui.differ")
        # PySide names every enum of the kin of a class when the first viewport is asked for.
        return [self._window.list.table.viewport, self._running_view, self._verdict_view, differ]

    def rebuilt(self) -> None:
        """Forget the panes that were: others stand in their place."""
        self.view = self._running = self.verdict = self._stack = None

    def started(self, job: Job) -> None:
        """Show a run that begins."""
        self._window.list.table.delegate.running = job.item
        self._window.list.table.viewport().update()
        self.view = view = self._running_view()
        quick = self._window.stories.quick
        pieces: tuple[Callable[[], object], ...] = (
            lambda: view.begin(job.offer, job.title),
            view.show_claims,
            lambda: quick.show_running(job.item) if quick is not None else None,
            lambda: self._turn_to(view),
            lambda: self._window.reading.offer_verify(turn=True) if self._is_open(job.item) else 0,
            self._window.show_keys,
        )
        # Each piece takes a while, and the run may have ended before the last of them.
        in_turns(view, (partial(self._while_running, job, each) for each in pieces))

    def _while_running(self, job: Job, piece: Callable[[], object]) -> None:
        if self._window.jobs.job is job:
            piece()

    def _running_view(self) -> RunningView:
        if self._running is None:
            from reader.gui.running import RunningView

            self._running = RunningView()
            self._running.cancel.connect(lambda: self._window.command("cancel"))
            self._put(self._running)
        return self._running

    def _verdict_view(self) -> VerdictView:
        if self.verdict is None:
            from reader.gui.verdicts import VerdictView

            self.verdict = view = VerdictView()
            view.rerun.connect(lambda _run: self._window.command("run"))
            view.export.connect(lambda _run: self._window.command("export"))
            view.compare.connect(self._window.deeds.trials.compare)
            self._put(view)
        return self.verdict

    def _put(self, page: QWidget) -> None:
        """Add a page to the part of the article that shows runs, with its style worked out."""
        column = self._window.reading.check.layout()
        if self._stack is None and column is not None:
            self._stack = QStackedWidget()
            column.addWidget(self._stack)
        if self._stack is not None:
            self._stack.addWidget(page)
            polish(page)

    def turn_to_run(self) -> None:
        """Show the run that is under way, not the one before it."""
        if self.view is not None:
            self._turn_to(self.view)

    def _turn_to(self, page: QWidget) -> None:
        if self._stack is not None:
            self._stack.setCurrentWidget(page)

    def _is_open(self, story: str | None) -> bool:
        opened = self._window.reading.opened
        return opened is not None and opened.story.id == story

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
        view = self._verdict_view()
        item = found.run.item
        if self.view is None or (self._is_open(item) and not self.runs_here(item or "")):
            self._turn_to(view)
        # Each step takes a while: the event loop has its turn between them.
        QTimer.singleShot(0, lambda: self._place_verdict(view, found))
        said = _("Run {id}: {title}")
        self._window.say(said.format(id=found.run.id, title=self._tally(found.run)))

    def _place_verdict(self, view: VerdictView, found: Judged) -> None:
        if view is not self.verdict:
            return
        view.show_run(found)
        if self._is_open(found.run.item):
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
