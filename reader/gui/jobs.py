"""Long work: sync, import, runs, exports; each on a worker, with progress and cancel."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from reader.errors import Interrupted, NotTrusted
from reader.gui.desk import Desk
from reader.gui.workbench import Offer
from reader.language import _
from reader.model import Run, RunProgress

if TYPE_CHECKING:
    from reader.settings import Settings
    from reader.sync import ImportResult, SyncProgress, SyncResult
    from reader.tasks import Task

_LOG = logging.getLogger(__name__)


def _came_in(result: SyncResult) -> str:
    """Return one quiet line on what came in; nothing where nothing did."""
    sources = [each.title or each.url for each in result.feeds if each.new]
    if not sources:
        return ""
    if len(sources) == 1:
        return _("{n} new from {title}").format(n=result.new, title=sources[0])
    return _("{n} new from {sources} sources").format(n=result.new, sources=len(sources))


class Job:
    """One run that is under way or waits for its turn."""

    def __init__(self, offer: Offer, item: str | None, title: str, *, build: bool = False) -> None:
        self.offer, self.item, self.title, self.build = offer, item, title, build

    @property
    def check(self) -> str:
        """The check's name."""
        return self.offer.check.name


class Jobs(QObject):
    """What the window has under way."""

    sync_progress = Signal(int, int, str)
    sync_ended = Signal(str)  # one line about it
    imported = Signal(object)  # ImportResult
    run_started = Signal(object)  # Job
    run_progress = Signal(object)  # RunProgress
    run_ended = Signal(object, object)  # Job, Run or None
    build_wanted = Signal(object, int, str, str)  # Job, megabytes, time, packages
    trust_wanted = Signal(object)  # Job
    counted = Signal(int, int)  # running, waiting
    failed = Signal(str)

    def __init__(self, desk: Desk, folders: Sequence[str], cuda: str) -> None:
        super().__init__()
        self._desk, self._folders, self._cuda = desk, tuple(folders), cuda
        self._sync: Task[Any] | None = None
        self._quiet = False
        self.offline = False  # as the last sync found it
        self.chosen: Settings | None = None  # the user's; None: those of the usual file
        self.config: Path | None = None  # where settings and rules lie; None: the usual place
        self._run: Task[Run] | None = None
        self.job: Job | None = None
        self._waiting: list[Job] = []

    # ── sync and import ──────────────────────────────────────────────────────────────────────

    @property
    def syncing(self) -> bool:
        """Whether a sync or import is under way."""
        return self._sync is not None

    def sync(
        self, feeds: Sequence[str] | None = None, *, force: bool = True, quiet: bool = False
    ) -> None:
        """Fetch feeds now; one sync at a time. A quiet one says nothing but what came in."""
        if self._sync is not None:
            return
        self._quiet = quiet

        def work(task: Task[SyncResult]) -> SyncResult:
            from reader import sync

            return sync.sync(
                self._desk.path,
                feeds=feeds,
                force=force,
                task=task,
                progress=task.report,
                chosen=self.chosen,
                config=self.config,
            )

        if not quiet:
            self.sync_progress.emit(0, 0, _("syncing…"))
        self._sync = self._desk.run(
            work, self._synced, failed=self._sync_failed, progress=self._sync_step, name="sync"
        )

    def _sync_step(self, progress: SyncProgress) -> None:
        if not self._quiet:
            self.sync_progress.emit(progress.done, progress.total, progress.title or progress.url)

    def _synced(self, result: SyncResult) -> None:
        self._sync = None
        was, self.offline = self.offline, result.offline
        text = ""
        if result.offline and not (self._quiet and was):
            text = _("No network: nothing could be fetched; what is kept stays readable.")
        elif self._quiet:
            text = _came_in(result)
        elif not result.offline:
            text = _("{new} new, {updated} updated, {failed} failed; {seconds} s").format(
                new=result.new,
                updated=result.updated,
                failed=result.failed,
                seconds=round(result.seconds),
            )
        if result.notices:
            text = " ".join(result.notices)
        self.sync_ended.emit(text)

    def _sync_failed(self, error: BaseException) -> None:
        self._sync = None
        stopped = isinstance(error, Interrupted)
        if self._quiet:
            _LOG.info("background sync: %s", error)
        # Another process at it (the command line) is no news to someone who asked for nothing.
        quiet, self._quiet = self._quiet, False
        said = _("Stopped; what had come is kept.") if stopped else str(error)
        self.sync_ended.emit("" if quiet else said)

    def import_paths(self, paths: Sequence[Path]) -> None:
        """Import files and folders."""
        if self._sync is not None:
            return
        self._quiet = False

        def work(task: Task[ImportResult]) -> ImportResult:
            from reader import sync

            return sync.import_paths(
                self._desk.path, paths, task=task, progress=task.report, config=self.config
            )

        def done(result: ImportResult) -> None:
            self._sync = None
            self.sync_ended.emit("")
            self.imported.emit(result)

        self._sync = self._desk.run(
            work, done, failed=self._sync_failed, progress=self._sync_step, name="import"
        )

    def cancel_sync(self) -> None:
        """Stop the sync or import."""
        if self._sync is not None:
            self._sync.cancel()

    # ── runs ─────────────────────────────────────────────────────────────────────────────────

    def choose_toolkit(self, folder: str) -> None:
        """Let the runs that start from now on use this CUDA toolkit; empty: what fits best."""
        self._cuda = folder

    @property
    def running(self) -> bool:
        """Whether a check runs."""
        return self._run is not None

    def run(self, job: Job) -> None:
        """Run a check, or put it behind the one that runs."""
        waiting = [*self._waiting, *([self.job] if self.job else [])]
        if any((each.check, each.item) == (job.check, job.item) for each in waiting):
            return
        if self._run is not None:
            self._waiting.append(job)
            self._count()
            return
        self._start(job)

    def _start(self, job: Job) -> None:
        self.job = job
        folders, cuda = self._folders, self._cuda

        def work(task: Task[Run]) -> Run:
            from reader import runner

            options = runner.RunOptions(cuda=cuda or None, build=job.build, check_folders=folders)
            return runner.run_check(
                self._desk.path,
                job.check,
                item=job.item,
                options=options,
                task=task,
                progress=task.report,
            )

        self._run = self._desk.run(
            work, self._done, failed=self._failed, progress=self._step, name="run"
        )
        self.run_started.emit(job)
        self._count()

    def _step(self, progress: RunProgress) -> None:
        self.run_progress.emit(progress)

    def _done(self, run: Run) -> None:
        self._end(run)

    def _failed(self, error: BaseException) -> None:
        from reader.runner import EnvironmentNeeded

        job = self.job
        self._end(None)
        if isinstance(error, EnvironmentNeeded) and job is not None:
            packages = ", ".join(error.packages.requires)
            self.build_wanted.emit(job, error.size_mb, str(error.takes), packages)
        elif isinstance(error, NotTrusted) and job is not None:
            self.trust_wanted.emit(job)
        elif not isinstance(error, Interrupted):
            self.failed.emit(str(error) or type(error).__name__)

    def _end(self, run: Run | None) -> None:
        job, self.job, self._run = self.job, None, None
        self.run_ended.emit(job, run)
        self._count()
        if self._waiting and self._run is None:
            self._start(self._waiting.pop(0))

    def _count(self) -> None:
        self.counted.emit(1 if self._run is not None else 0, len(self._waiting))

    def build(self, job: Job) -> None:
        """Run a job again with leave to build its environment."""
        self.run(Job(job.offer, job.item, job.title, build=True))

    def cancel_run(self) -> bool:
        """Stop the run; False where none is under way."""
        if self._run is None:
            return False
        self._waiting.clear()
        self._run.cancel()
        self._count()
        return True

    # ── files out ────────────────────────────────────────────────────────────────────────────

    def export_report(
        self,
        target: Path,
        done: Callable[[Path], None],
        *,
        run: str | None = None,
        item: str | None = None,
        queue: bool = False,
    ) -> None:
        """Write a report; the suffix says which format."""
        kind = {".html": "html", ".json": "json"}.get(target.suffix.lower(), "md")

        def work(store: Any) -> Path:
            from reader import report
            from reader.report import written

            found = report.report(store, run=run, item=item, queue=queue)
            written.write(target, report.render(found, kind))
            return target

        self._desk.ask(work, done)

    def export_data(self, target: Path, done: Callable[[Path], None]) -> None:
        """Write everything that is the user's to one file."""

        def work(store: Any) -> Path:
            from reader.store import export_data

            export_data(store, target)
            return target

        self._desk.ask(work, done)
