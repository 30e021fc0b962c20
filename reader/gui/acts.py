"""What the user does to stories: read, star, tag, note, queue; each at once, and undone by z."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication

from reader.gui import article, dialogs
from reader.language import _, ngettext
from reader.model import Feed, Item, QueueState, Row, StoryKind

if TYPE_CHECKING:
    from reader.gui.queued import Queued
    from reader.gui.window import Window
    from reader.store import Store

READ_MS = 1500
BATCH_MS = 250
Undo = Callable[["Store"], object]
Back = Callable[["Store", Any], object]


@dataclass(eq=False, slots=True)
class _Done:
    """Something that was done and can be taken back; that calls back when it is."""

    said: str
    take_back: Callable[[Callable[[], object]], object]


class Acts:
    """Marks of one window."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._undo: list[_Done] = []
        self._kept: set[str] = set()  # the user said unread: not marked by itself again
        self._waiting: dict[str, None] = {}
        self._dwell = QTimer(window)
        self._dwell.setSingleShot(True)
        self._dwell.setInterval(READ_MS)
        self._dwell.timeout.connect(self._dwelt)
        self._batch = QTimer(window)
        self._batch.setSingleShot(True)
        self._batch.setInterval(BATCH_MS)
        self._batch.timeout.connect(self.flush)
        self._last: Row | None = None

    # ── read ─────────────────────────────────────────────────────────────────────────────────

    def arrived(self, row: Row | None) -> None:
        """Note that another story is shown: the one before has been read."""
        if self._last is not None and (row is None or row.id != self._last.id):
            self._mark_read(self._last)
            self._kept.discard(self._last.id)
        if row is None or self._last is None or row.id != self._last.id:
            self._dwell.start()
        self._last = row

    def forget(self) -> None:
        """Leave without marking: another view is opened by a command."""
        self._last = None
        self._dwell.stop()

    def _dwelt(self) -> None:
        if self._last is not None and self._window.isActiveWindow():
            self._mark_read(self._last)

    def _mark_read(self, row: Row) -> None:
        held = self._window.list.model.row_at(self._window.list.model.place_of(row.id) or 0)
        current = held if held is not None and held.id == row.id else row
        if current.marks.read or row.id in self._kept:
            return
        self._show(replace(current, marks=replace(current.marks, read=True)))
        self._waiting[row.id] = None
        self._batch.start()

    def flush(self) -> None:
        """Write what has been read."""
        ids, self._waiting = list(self._waiting), {}
        if ids:
            self._window.desk.write(lambda store: store.marks.set(ids, read=True))

    def _show(self, row: Row) -> None:
        self._window.list.model.replace(row)
        if self._last is not None and self._last.id == row.id:
            self._last = row

    # ── marks ────────────────────────────────────────────────────────────────────────────────

    def _rows(self) -> list[Row]:
        model = self._window.list.model
        places = [model.place_of(id_) for id_ in self._window.list.chosen_ids()]
        rows = [model.row_at(place) for place in places if place is not None]
        return [row for row in rows if row is not None]

    def _set(self, rows: Sequence[Row], said: str, **marks: Any) -> None:
        ids = [row.id for row in rows]
        self.flush()
        self.write(lambda store: store.marks.set(ids, **marks), said)

    def write(self, work: Callable[[Store], Any], said: str, back: Back | None = None) -> None:
        """Do a write; `z` takes it back by `back`, given what the write returned."""
        held: list[Any] = []
        take_back = back or (lambda store, undo: store.marks.undo(undo))

        def keeping(store: Store) -> None:
            held.append(work(store))

        def undo(store: Store) -> None:
            for each in held:  # empty where the write itself failed
                take_back(store, each)

        desk = self._window.desk
        self._undo.append(_Done(said, lambda done: desk.write(undo, lambda _nothing: done())))
        desk.write(keeping)
        self._window.say(said)

    def read(self) -> None:
        """Mark the chosen stories read, or unread where all of them are read."""
        rows = self._rows()
        if not rows:
            return
        wanted = not all(row.marks.read for row in rows)
        for row in rows:
            self._show(replace(row, marks=replace(row.marks, read=wanted)))
            (self._kept.discard if wanted else self._kept.add)(row.id)
            self._waiting.pop(row.id, None)
        self._dwell.stop()
        self._set(rows, _("Marked read") if wanted else _("Marked unread"), read=wanted)

    def read_all(self) -> None:
        """Mark the whole list read; one undo brings all of it back."""
        ids = self._window.list.model.ids()
        if ids:
            said = ngettext("{n} story marked read", "{n} stories marked read", len(ids))
            self.write(lambda store: store.marks.set(ids, read=True), said.format(n=len(ids)))

    def star(self) -> None:
        """Star the chosen stories, or take the stars away where all have one."""
        rows = self._rows()
        wanted = not all(row.marks.starred for row in rows)
        for row in rows:
            self._show(replace(row, marks=replace(row.marks, starred=wanted)))
        if rows:
            self._set(rows, _("Starred") if wanted else _("Star taken away"), starred=wanted)

    def tags(self) -> None:
        """Ask for tags and give them to what is chosen."""
        entries = self._window.chosen_queue()
        ids = [each.entry.item for each in entries] or [row.id for row in self._rows()]
        held = set(entries[0].entry.tags) if entries else set()
        if not entries and (rows := self._rows()):
            held = set(rows[0].marks.tags)
        if not ids:
            return

        def given(text: str) -> None:
            wanted = {part.strip().lstrip("#") for part in text.replace("，", ",").split(",")}
            wanted.discard("")
            add, remove = sorted(wanted - held), sorted(held - wanted)
            self.write(
                lambda store: store.marks.set(ids, add_tags=add, remove_tags=remove),
                _("Tags changed"),
            )

        lead = _("Several are apart by commas.")
        dialogs.ask_line(self._window, _("Tags"), lead, ", ".join(sorted(held)), _("Set"), given)

    def note(self, id_: str, text: str) -> None:
        """Keep a note."""
        self.write(lambda store: store.marks.set([id_], note=text), _("Note kept"))

    def undo(self) -> None:
        """Take the last action back."""
        if not self._undo:
            self._window.say(_("There is nothing to undo."))
            return
        last = self._undo.pop()
        last.take_back(lambda: self._window.say(_("Undone: {what}").format(what=last.said)))

    def unsubscribe(self, feed: Feed) -> None:
        """Let a feed go; for a while `z` brings it back with all that it brought."""
        window, title = self._window, feed.title or feed.url

        def take_back(done: Callable[[], object]) -> None:
            window.leaving.take_back(feed.id)
            window.refresh()
            done()

        step = _Done(_("Unsubscribed from {title}").format(title=title), take_back)

        def gone(kept: int) -> None:
            if step in self._undo:
                self._undo.remove(step)
            text = _("{title} has gone for good; {n} entries stay.")
            window.say(text.format(title=title, n=kept))

        self._undo.append(step)
        window.leaving.leave(feed.id, gone)
        window.refresh()
        window.say(_("Unsubscribed from {title}; z brings it back.").format(title=title))

    # ── queue ────────────────────────────────────────────────────────────────────────────────

    def queue(self) -> None:
        """Put what is chosen into the queue, or take it out where all of it is there."""
        rows = [row for row in self._rows() if row.kind is not StoryKind.DIGEST]
        if not rows:
            self.queue_digest()
            return
        inside = all(row.marks.queue_state is not None for row in rows)
        state = None if inside else QueueState.QUEUED
        for row in rows:
            if inside or row.marks.queue_state is None:
                self._show(replace(row, marks=replace(row.marks, queue_state=state)))
        ids = [row.id for row in rows]
        if inside:
            self._unqueue(ids)
        else:
            self._enqueue(ids)

    def queue_digest(self) -> None:
        """Put every item of the digest that is shown into the queue."""
        row = self._window.list.current
        digest = row.id if row and row.kind is StoryKind.DIGEST else row.digest if row else None
        if digest is None:
            return

        def work(store: Store) -> list[str]:
            return [item.id for item in store.library.items(digest)]

        self._window.desk.ask(work, self._enqueue)

    def _enqueue(self, ids: Sequence[str]) -> None:
        chosen = self._window.verify.offer

        check = chosen.check.name if chosen and len(ids) == 1 else None

        def work(store: Store) -> list[str]:
            before = {each.item for each in store.queue.all()}
            return [store.queue.add(id_, check=check).id for id_ in ids if id_ not in before]

        def back(store: Store, added: list[str]) -> None:
            for id_ in added:
                store.queue.remove(id_)

        said = ngettext("{n} marked to verify", "{n} marked to verify", len(ids))
        self.write(work, said.format(n=len(ids)), back)

    def _unqueue(self, ids: Sequence[str]) -> None:
        def work(store: Store) -> list[Any]:
            return [store.queue.remove(e.id) for e in store.queue.all() if e.item in ids]

        self._several(work, _("Taken out of the queue"))

    def _several(self, work: Callable[[Store], list[Any]], said: str) -> None:
        def back(store: Store, undos: list[Any]) -> None:
            for each in reversed(undos):
                store.marks.undo(each)

        self.write(work, said, back)

    def due(self) -> None:
        """Ask for a due date for what is chosen in the queue."""
        entries = self._window.chosen_queue()
        if not entries:
            return
        before = {each.entry.id: each.entry.due for each in entries}

        def chosen(day: date | None) -> None:
            def work(store: Store) -> None:
                for id_ in before:
                    store.queue.update(id_, due=day, no_due=day is None)

            def back(store: Store, _nothing: None) -> None:
                for id_, was in before.items():
                    store.queue.update(id_, due=was, no_due=was is None)

            said = _("Due date set") if day else _("Due date taken away")
            self.write(work, said, back)

        dialogs.ask_date(self._window, entries[0].entry.due, chosen)

    def state(self) -> None:
        """Ask which state what is chosen in the queue shall have."""
        entries = self._window.chosen_queue()
        ids = [each.entry.id for each in entries]
        if not ids:
            return

        def drop(store: Store) -> list[Any]:
            return [store.queue.drop(id_) for id_ in ids]

        def restore(store: Store) -> list[Any]:
            return [store.queue.restore(id_) for id_ in ids]

        dialogs.ask_choice(
            self._window,
            _("Set state"),
            (
                (_("Set aside (dropped)"), lambda: self._several(drop, _("Set aside"))),
                (_("Back into the queue"), lambda: self._several(restore, _("Back in the queue"))),
                (_("High priority"), lambda: self.prioritise(ids, 1)),
                (_("Normal priority"), lambda: self.prioritise(ids, 0)),
                (_("Take out of the queue"), lambda: self.remove_queued(entries)),
            ),
        )

    def prioritise(self, ids: Sequence[str], priority: int) -> None:
        """Give queue entries a priority, 0 or 1."""

        def work(store: Store) -> dict[str, int]:
            before = {id_: store.queue.get(id_).priority for id_ in ids}
            for id_ in ids:
                store.queue.update(id_, priority=priority)
            return before

        def back(store: Store, before: dict[str, int]) -> None:
            for id_, was in before.items():
                store.queue.update(id_, priority=was)

        self.write(work, _("High priority") if priority else _("Normal priority"), back)

    def remove_queued(self, entries: Sequence[Queued]) -> None:
        """Take entries out of the queue."""
        ids = [each.entry.id for each in entries]
        self._several(
            lambda store: [store.queue.remove(id_) for id_ in ids], _("Taken out of the queue")
        )

    def copy(self) -> None:
        """Copy a citation of the story that is shown."""
        opened = self._window.reading.opened
        if opened is not None:
            QGuiApplication.clipboard().setText(article.citation(opened.story))
            self._window.say(_("Citation copied"))

    @staticmethod
    def digest_of(story: object) -> str | None:
        """Return the digest that an item stands in."""
        return story.digest if isinstance(story, Item) else None
