"""What stands beside a story, on request: fetch it now, read both abreast, see what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reader.errors import Expected, Interrupted
from reader.gui.reading import CHANGES
from reader.language import _, ngettext
from reader.model import Digest, Entry

if TYPE_CHECKING:
    from reader.gui.opened import Opened
    from reader.gui.window import Window
    from reader.settings import Settings
    from reader.store import Store
    from reader.tasks import Task


class Beside:
    """Fetches and shows what belongs to the story that is open."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._fetching: set[str] = set()  # stories

    def fetch(self) -> None:
        """Fetch the sources that the story lacks, or its whole text."""
        window, opened = self._window, self._window.reading.opened
        if opened is None or opened.story.id in self._fetching:
            return
        quick = window.stories.quick_shown
        if quick is not None and quick.current_id not in (None, opened.story.id):
            return  # the panes behind the page are still at the row before
        story = opened.story.id
        if isinstance(opened.story, Entry):
            if opened.story.url is None:
                window.say(_("It names no address."))
                return
        elif not isinstance(opened.story, Digest) and not opened.missing:
            window.say(_("Every source that has an address is kept."))
            return
        self._fetching.add(story)
        window.say(_("Fetching…"))
        chosen, path = window.settings, window.desk.path

        def work(task: Task[str]) -> str:
            from reader.store import Store

            with Store.open(path) as store:
                return _fetch(store, opened, chosen, task)

        def done(said: str) -> None:
            self._fetching.discard(story)
            window.say(said)
            window.refresh()

        def failed(error: BaseException) -> None:
            self._fetching.discard(story)
            window.say(str(error))
            window.refresh()

        window.desk.run(work, done, failed=failed, name="fetch")

    def whole_always(self) -> None:
        """Fetch the whole texts of the feed that is shown at every sync, or no longer."""
        window, opened = self._window, self._window.reading.opened
        shown = window.feeds.current if window.page == "feeds" else None
        feed = shown.id if shown is not None else opened.story.feed if opened else None
        if feed is None:
            window.say(_("It came by no feed."))
            return

        def turn(store: Store) -> str:
            on = not store.whole.is_set(feed)
            store.whole.set(feed, on=on)
            name = store.feeds.get(feed).title
            text = (
                _("Whole texts of {feed} come with every sync.")
                if on
                else _("Of {feed} comes what the feed gives.")
            )
            return text.format(feed=name)

        window.desk.write(turn, window.say)

    def sources_always(self) -> None:
        """Fetch the sources of all items at every sync, or no longer."""

        def turn(store: Store) -> str:
            on = not store.originals.is_set()
            store.originals.set(on=on)
            return _("Sources come with every sync.") if on else _("Sources come when asked for.")

        self._window.desk.write(turn, self._window.say)

    def abreast(self) -> None:
        """Show digest and original side by side, or one at a time again."""
        reading = self._window.reading
        if reading.opened is None or reading.opened.original is None:
            self._window.say(_("No source of it is kept yet: f fetches it."))
            return
        reading.set_abreast(not reading.abreast)

    def changes(self) -> None:
        """Show what changed in the story since it came."""
        opened = self._window.reading.opened
        if opened is None or not any(each.history for each in opened.held.values()):
            self._window.say(_("It has not changed since it came."))
            return
        self._window.reading.show_tab(CHANGES)


def _fetch(store: Store, opened: Opened, chosen: Settings, task: Task[Any]) -> str:
    """Fetch what a story lacks and its pictures; return one line about it; on a worker."""
    from reader.credentials import Credentials
    from reader.sync import fulltext, images, originals
    from reader.sync.door import door
    from reader.sync.results import silent

    with door(chosen, stopped=lambda: task.cancelled) as fetcher:
        if isinstance(opened.story, Entry):
            changed = fulltext.fetch(store, fetcher, [opened.story.id])
            said = _("The whole page is kept.") if changed else _("The page says what it said.")
        else:
            ids = [each.id for each in opened.items] or [opened.story.id]
            missing = [one for each in ids for one in store.originals.missing(each)]
            token = Credentials().get("github").value if missing else None
            came = originals.fetch_missing(store, fetcher, task, sources=missing, token=token)
            said = _told(list(came.values()))
        try:
            images.fetch_missing(store, fetcher, task, silent)
        except Interrupted:
            raise
        except Expected:
            return said  # the text is there; its pictures come with the next sync
    return said


def _told(outcome: list[str | None]) -> str:
    kept = sum(why is None for why in outcome)
    whys = [why for why in outcome if why]
    if not outcome:
        return _("Every source that has an address is kept.")
    text = ngettext("{n} source is kept now.", "{n} sources are kept now.", kept).format(n=kept)
    return text if not whys else whys[0] if not kept else f"{text} {whys[0]}"
