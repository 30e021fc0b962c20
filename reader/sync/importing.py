"""Files and folders of the user's into the store; one that is refused never stops the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from reader import identity, language, opml, settings
from reader.errors import Expected, NotUnderstood, SourceError, StoreError
from reader.language import _
from reader.model import Query, StoryKind
from reader.parse.encoding import decode
from reader.parse.repair import root_name
from reader.store.incoming import Prepared
from reader.sync.door import without_login
from reader.sync.files import READ, content_of, found_in, from_text, text_of
from reader.sync.folder import FEEDS, read_file
from reader.sync.results import ImportResult, Progress, SyncProgress, silent
from reader.sync.ruling import Ruling, own_rules
from reader.sync.subscribing import kind_of
from reader.tasks import Task
from reader.workers import Workers

if TYPE_CHECKING:
    from reader.store import Store

STARTER = "starter"
MOST_SHOWN = 200  # characters of a part that was not understood; the whole stands in the post


def import_paths(
    store_path: Path,
    paths: Sequence[Path],
    *,
    task: Task[Any] | None = None,
    progress: Progress = silent,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    config: Path | None = None,
) -> ImportResult:
    """Import digests, posts, feeds, lists of subscriptions, data files, and folders of them.

    Raises StoreError when the store cannot be written and Interrupted when cancelled; every
    other fault is a line of the result. The user's rules lie beside `config`.
    """
    from reader.store import Store

    with Store.open(store_path) as store, closing(Workers()) as workers:
        own, wrong = own_rules(config)
        ruling = Ruling(store, own, now())
        result = _Import(store, workers, ruling, task, progress, now).run(paths)
        return replace(result, notices=(*filter(None, [wrong]), *result.notices))


class _Import:
    def __init__(
        self,
        store: Store,
        workers: Workers,
        ruling: Ruling,
        task: Task[Any] | None,
        progress: Progress,
        now: Callable[[], datetime],
    ) -> None:
        self._store, self._task, self._progress, self._now = store, task, progress, now
        self._workers, self._ruling = workers, ruling
        self._counts = dict.fromkeys(("digests", "entries", "items", "feeds"), 0)
        self._notices: list[str] = []
        self._refused: list[tuple[str, str]] = []

    def run(self, paths: Sequence[Path]) -> ImportResult:
        files = self._files(paths)
        for done, file in enumerate(files, 1):
            if self._task is not None:
                self._task.check()
            try:
                self._one(file)
            except StoreError as error:
                if file.suffix.lower() != ".zip":
                    raise
                self._refused.append((str(file), str(error)))
            except Expected as error:
                self._refused.append((str(file), str(error)))
            self._progress(SyncProgress(done, len(files), file.name, phase="files"))
        return ImportResult(
            **self._counts, notices=tuple(self._notices), refused=tuple(self._refused)
        )

    def _files(self, paths: Sequence[Path]) -> list[Path]:
        files: list[Path] = []
        for path in paths:
            try:
                if not path.is_dir():
                    files.append(path)
                elif inside := list(found_in(path)):
                    files += inside
                else:
                    raise SourceError(
                        _("There is nothing in the folder that can be read ({kinds}).").format(
                            kinds=" ".join(READ)
                        )
                    )
            except (Expected, OSError) as error:
                self._refused.append((str(path), str(error)))
        return files

    def _one(self, file: Path) -> None:
        suffix = file.suffix.lower()
        if suffix == ".zip":
            self._data(file)
            return
        if suffix not in READ:
            raise NotUnderstood(_wrong_type(suffix))
        body = content_of(file)
        if suffix == ".opml" or (suffix in FEEDS and _is_opml(body)):
            self._list(body)
        else:
            self._save(file, self._workers.call(_read, file, body, size=len(body)))

    def _save(self, file: Path, taken: list[Prepared]) -> None:
        if not taken:
            raise NotUnderstood(_("It holds no post. Save the page or feed again and import that."))
        with self._store.together():
            self._ruling.saved(self._store.library.save(None, taken, self._now()))
            self._ruling.apply()
        for each in (prepared.incoming for prepared in taken):
            if each.digest is None:
                self._counts["entries"] += 1
            else:
                self._counts["digests"] += 1
                self._counts["items"] += len(each.digest.items)
            self._notices += [f"{file}: {notice}" for notice in each.notices]
            for part in each.digest.not_understood if each.digest else ():
                self._notices.append(
                    _("{path}: not understood and kept as text: {part}").format(
                        path=file, part=shorten(part, MOST_SHOWN, placeholder="…")
                    )
                )

    def _list(self, body: bytes) -> None:
        """Subscribe to a list; what the user imports counts as typed by the user."""
        before = len(self._store.feeds.all())
        for each in opml.read(body):
            try:
                url = without_login(each.url)
            except SourceError as error:
                url = identity.without_login(each.url)
                self._notices.append(f"{url}: {error}")
            self._store.feeds.add(
                url,
                each.title,
                each.kind or kind_of(each.url),
                private=True,
                topic_filter=each.topic_filter,
            )
        self._counts["feeds"] += len(self._store.feeds.all()) - before

    def _data(self, file: Path) -> None:
        before = len(self._store.feeds.all())
        self._store.import_data(file)
        self._counts["feeds"] += len(self._store.feeds.all()) - before
        self._notices.append(_("{path}: merged.").format(path=file))


def _read(file: Path, body: bytes) -> list[Prepared]:
    """Return what a file holds, cleaned and labelled; for a process beside."""
    if file.suffix.lower() in FEEDS and _is_page(body):
        taken = [from_text(text_of(body), name=file.stem, guid=None, suffix=".html")]
    else:
        taken = read_file(file)
    found = [Prepared(each) for each in taken]
    for each in found:
        each.warm()
    return found


def _wrong_type(suffix: str) -> str:
    if suffix in (".mhtml", ".mht"):
        return _("MHTML is not supported. Save the page as HTML (“HTML only”) and import that.")
    return _("Files of type {suffix} cannot be imported. Possible: {kinds}").format(
        suffix=suffix or "–", kinds=" ".join(READ)
    )


def _is_opml(body: bytes) -> bool:
    return root_name(decode(body[:65536])[0].lstrip("\ufeff \t\r\n")) == "opml"


def _is_page(body: bytes) -> bool:
    return root_name(decode(body[:65536])[0].lstrip("\ufeff \t\r\n")) == "html"


def starter(store: Store) -> None:
    """Give a store that has never held anything the starter digest, once."""
    if store.facts.get(STARTER) is not None:
        return
    said = "there was something already"
    kinds = (StoryKind.ITEM, StoryKind.ENTRY, StoryKind.DIGEST)
    if not store.feeds.all() and not store.library.page(Query(kinds=kinds, limit=1)):
        folder = settings.resource("starter", language.language())
        texts = sorted(
            (each.name, each.read_text("utf-8"))
            for each in (folder.iterdir() if folder.is_dir() else ())
            if each.name.endswith(".md")
        )
        if not texts:
            return
        taken = [from_text(text, name=name, guid=f"{STARTER}:{name}") for name, text in texts]
        store.library.save(None, taken, datetime.now(UTC))
        said = language.language()
    store.facts.set(STARTER, said)
