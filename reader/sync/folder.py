"""A local folder as a feed: the posts that lie in it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from reader.errors import NotUnderstood, ReadproofError, SourceError
from reader.language import _
from reader.model import Form, Incoming
from reader.parse import read_feed
from reader.sync.files import TEXTS, content_of, found_in, read_text
from reader.sync.receive import incoming

FEEDS = (".xml", ".atom", ".rss", ".json")


def path_of(url: str) -> Path:
    """Return the path behind a folder's address (a path, or file://…)."""
    if url.startswith("file://"):
        return Path(unquote(urlsplit(url).path))
    return Path(url).expanduser()


def read_folder(url: str) -> tuple[list[Incoming], list[str]]:
    """Return what lies in a folder, and a line for each file that cannot be read.

    Raises SourceError when the folder itself is not there.
    """
    folder = path_of(url)
    if not folder.is_dir():
        raise SourceError(_("{path}: there is no such folder.").format(path=folder))
    taken: list[Incoming] = []
    refused: list[str] = []
    for file in found_in(folder):
        try:
            taken += read_file(file)
        except ReadproofError as error:
            refused.append(f"{file.relative_to(folder)}: {error}")
    return taken, refused


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
