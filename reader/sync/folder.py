"""A local folder as a feed: the posts that lie in it; only what has changed is read again."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from reader.errors import NotUnderstood, ReadproofError, SourceError
from reader.language import _
from reader.model import Form, Incoming
from reader.parse import read_feed
from reader.sync.files import TEXTS, content_of, found_in, read_text
from reader.sync.receive import incoming

FEEDS = (".xml", ".atom", ".rss", ".json")
SETTLED = 2.0  # seconds: a file that was written just now may be written on


def path_of(url: str) -> Path:
    """Return the path behind a folder's address (a path, or file://…)."""
    if url.startswith("file://"):
        return Path(unquote(urlsplit(url).path))
    return Path(url).expanduser()


@dataclass(slots=True)
class Seen:
    """What a folder held: a file's path in it → size, time of its last change, its GUIDs."""

    files: dict[str, tuple[int, int, tuple[str, ...]]] = field(default_factory=dict)

    @classmethod
    def load(cls, text: str | None) -> Seen:
        """Return what `dump` gave; nothing for None or what cannot be read."""
        try:
            raw = json.loads(text or "{}")
            return cls({str(k): (int(a), int(b), tuple(c)) for k, (a, b, c) in raw.items()})
        except (ValueError, TypeError, AttributeError):
            return cls()

    def dump(self) -> str:
        """Return it as text for the store."""
        return json.dumps(self.files, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Folder:
    """What came of a folder: posts that are new or changed, and the GUIDs of those that went."""

    taken: tuple[Incoming, ...]
    refused: tuple[str, ...]
    gone: tuple[str, ...]
    seen: Seen
    files: int  # that lie in it


def read_folder(url: str, before: Seen | None = None) -> Folder:
    """Return what has changed in a folder since `before`, all of it where that is None.

    `refused` has a line for each file that cannot be read. Raises SourceError when the folder
    itself is not there: what it held is not gone then.
    """
    folder = path_of(url)
    if not folder.is_dir():
        raise SourceError(_("{path}: there is no such folder.").format(path=folder))
    known, now = (before or Seen()).files, time.time()
    seen, taken, refused = Seen(), list[Incoming](), list[str]()
    count = 0
    for file in found_in(folder):
        count += 1
        name = file.relative_to(folder).as_posix()
        size, changed = _state(file)
        if name in known and known[name][:2] == (size, changed):
            seen.files[name] = known[name]
            continue
        try:
            posts = _named(read_file(file), name)
        except ReadproofError as error:
            refused.append(f"{file.relative_to(folder)}: {error}")
            if name in known:  # what it said before stays
                seen.files[name] = (-1, 0, known[name][2])
            continue
        taken += posts
        settled = now - changed / 1e9 > SETTLED
        guids = tuple(each.entry.guid or "" for each in posts)
        seen.files[name] = (size if settled else -1, changed, guids)
    return Folder(tuple(taken), tuple(refused), _gone(known, seen), seen, count)


def _state(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return -1, 0
    return found.st_size, found.st_mtime_ns


def _gone(known: dict[str, tuple[int, int, tuple[str, ...]]], seen: Seen) -> tuple[str, ...]:
    """Return the GUIDs whose file is no longer there, unless another file gives them now.

    A feed in the folder may drop what is old, as any feed does: that is not gone.
    """
    left = {guid for _size, _time, guids in seen.files.values() for guid in guids}
    lost = (guids for name, (_size, _time, guids) in known.items() if name not in seen.files)
    gone = (guid for guids in lost for guid in guids if guid not in left)
    return tuple(dict.fromkeys(filter(None, gone)))


def _named(posts: list[Incoming], name: str) -> list[Incoming]:
    """Return the post of a text under its path in the folder: names repeat in its parts."""
    if len(posts) != 1 or not (posts[0].entry.guid or "").startswith("file:"):
        return posts
    path = Path(name)
    guid = f"file:{path.with_suffix('').as_posix()}{path.suffix.lower()}"
    return [replace(posts[0], entry=replace(posts[0].entry, guid=guid))]


def read_file(file: Path) -> list[Incoming]:
    """Return the posts of one file: one of a text, all of a feed."""
    suffix = file.suffix.lower()
    if suffix not in (*TEXTS, *FEEDS):
        return []
    body = content_of(file)
    if suffix in TEXTS:
        return [read_text(file, body)]
    try:
        entries = read_feed(body).entries
    except NotUnderstood as error:  # which speaks of addresses, for feeds
        raise NotUnderstood(
            _(
                "No feed can be read from it: it is damaged or something else. "
                "Save the post again as Markdown, HTML or text."
            )
        ) from error
    return [incoming(each, Form.FEED_HTML) for each in entries]
