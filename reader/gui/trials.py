"""Commands about checks: run them, look at their logs, compare their runs, write their report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog

from reader.gui import dialogs, workbench
from reader.gui.jobs import Job
from reader.gui.workbench import Offer
from reader.language import _
from reader.model import Item

if TYPE_CHECKING:
    from reader.gui.window import Window
    from reader.store import Store


class Trials:
    """Runs checks and shows what came of them."""

    def __init__(self, window: Window) -> None:
        self._window = window

    def run(self) -> None:
        """Run the check that is offered, or run again what is shown."""
        window = self._window
        if self._window.page == "queue":
            each = window.queue.current
            if each is not None and each.offer is not None:
                window.proofs.run_check(each.offer.check.name, each.entry.item)
        elif self._window.page == "runs":
            self._again()
        elif self._window.page == "start":
            window.start.try_first()
        elif window.stories.quick_shown is not None:
            # The panes behind the page may still be at the row before.
            if window.stories.quick_shown.current_id is not None:
                window.proofs.run_check("", window.stories.quick_shown.current_id)
        elif window.reading.opened is not None:
            offer, story = window.verify.offer, window.reading.opened.story
            if offer is None:
                window.say(_("No bundled check fits it yet."))
            else:
                window.jobs.run(Job(offer, story.id, getattr(story, "title", "")))

    def _again(self) -> None:
        shown = self._window.runs.view.judged
        if shown is not None and shown.run.item:
            self._window.stories.show_story(shown.run.item)
            self._window.proofs.run_check(shown.run.check, shown.run.item)

    def run_all(self) -> None:
        """Run every queued entry that has a check with something to show here.

        Beside a story: all checks that fit it, one after the other.
        """
        window = self._window
        opened = window.reading.opened
        if window.page == "stories" and opened is not None:
            self._all_of(opened.story.id)
            return
        for each in window.queue.found.values():
            if each.offer is not None and each.offer.here and each.state in ("queued", "stale"):
                window.jobs.run(Job(each.offer, each.entry.item, each.entry.title))

    def _all_of(self, story: str) -> None:
        window = self._window
        bench = window.bench
        if bench is None:
            window.say(_("looking at this machine…"))
            return

        def work(store: Store) -> tuple[list[Offer], str]:
            thing = store.library.get(story)
            if not isinstance(thing, Item):
                return [], ""
            return workbench.offers(store, bench, thing), thing.title

        def ready(found: tuple[list[Offer], str]) -> None:
            fitting = [each for each in found[0] if each.here]
            for each in fitting:
                window.jobs.run(Job(each, story, found[1]))
            if not fitting:
                window.say(_("No bundled check fits it yet."))

        window.desk.ask(work, ready)

    def log(self) -> None:
        """Show the log of what runs or ran."""
        window = self._window
        if self._window.page == "runs":
            window.runs.view.show_log()
        elif window.proofs.view is not None:
            window.stories.show_panes()
            window.reading.show_tab("verify")
            window.proofs.view.log.fold(False)
            window.proofs.view.log.log.setFocus()
        elif window.proofs.verdict is not None and window.proofs.verdict.judged is not None:
            window.stories.show_panes()
            window.reading.show_tab("verify")
            window.proofs.verdict.show_log()

    def ask_build(self, job: Job, megabytes: int, time: str, packages: str) -> None:
        """Ask before an environment is built."""
        text = _(
            "{check} needs its own Python environment with {packages}, about {size} MB on disk; "
            "to build: {time}. It is fetched from the package index, shared by checks with the "
            "same needs, and can be removed."
        ).format(check=job.check, packages=packages, size=megabytes, time=time)
        dialogs.ask_yes(
            self._window,
            _("Build an environment?"),
            text,
            _("Build and run"),
            lambda: self._window.jobs.build(job),
        )

    def ask_trust(self, job: Job) -> None:
        """Show the code of a check of the user's own, and run it where it is trusted."""
        from reader.gui import trust

        folder = job.offer.check.folder
        self._window.desk.ask(
            lambda _store: trust.read(folder),
            lambda shown: trust.ask(self._window, shown, lambda: self._window.jobs.run(job)),
        )

    def compare(self, one: str | None = None, other: str | None = None) -> None:
        """Show what changed between two runs."""
        window = self._window
        shown = window.runs.view.judged
        if one is None or other is None:
            if shown is None or shown.earlier is None:
                window.say(_("There is no earlier run of this check."))
                return
            one, other = shown.earlier, shown.run.id
        first, second = one, other

        def work(store: Any) -> list[tuple[str, str]]:
            from reader.report.difference import difference
            from reader.report.words import amount

            found = difference(store.runs.get(first), store.runs.get(second))
            return [
                (
                    f"{each['part']} · {each['name']}",
                    f"{amount(each['first'])} → {amount(each['second'])}",
                )
                for each in found
            ]

        def show(lines: list[tuple[str, str]]) -> None:
            title = _("What changed from {one} to {other}").format(one=first, other=second)
            dialogs.TextPage(
                window, title, lines or [(_("The two runs do not differ."), "")]
            ).open()

        window.desk.ask(work, show)

    def export(self) -> None:
        """Write a report of the run, the queue or the item that is shown."""
        window = self._window
        run = item = None
        queue = self._window.page == "queue"
        if self._window.page == "runs" and window.runs.view.judged:
            run = window.runs.view.judged.run.id
        elif self._window.page == "stories" and window.reading.opened:
            item = window.reading.opened.story.id
        if not (run or item or queue):
            return
        name = f"readproof-{run or item or 'queue'}.html"
        chooser = QFileDialog(window, _("Export report"), name)
        chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        chooser.setNameFilters(["HTML (*.html)", "Markdown (*.md)", "JSON (*.json)"])
        chooser.setDefaultSuffix("html")
        chooser.selectFile(name)
        chooser.fileSelected.connect(
            lambda path: window.jobs.export_report(
                Path(path), window.said_written, run=run, item=item, queue=queue
            )
        )
        chooser.open()
