"""Commits of a GitHub branch or path: all that came since the last time, not Atom's last twenty."""

from __future__ import annotations

import html
import re
from typing import Any

from reader.errors import NotUnderstood
from reader.language import _
from reader.model import Feed, ParsedEntry
from reader.parse.dates import parse_date
from reader.sync.given import Asker, Given
from reader.sync.repository import ATOM, REST, Memory, Repository

COMMITS = 60  # a request
MOST_COMMIT_PAGES = 5


class Commits(Repository):
    """The commits of a branch, or of a path in it."""

    def __init__(self, asker: Asker, feed: Feed, project: str, memory: Memory, where: str) -> None:
        super().__init__(asker, feed, project, memory)
        self._parts = [part for part in where.split("/") if part]

    def title(self) -> str:
        """Return repository, branch and path."""
        return " · ".join((self.project, "/".join(self._parts) or "HEAD"))

    def by_rest(self) -> Given:
        """Ask for branch and path; only GitHub knows where a branch's name with a / ends."""
        from reader.fetch import HttpRefusal

        tried = [self.memory.split] if self.memory.split else range(1, len(self._parts) + 1)
        for split in tried or [0]:
            try:
                given = self._commits("/".join(self._parts[:split]), "/".join(self._parts[split:]))
            except HttpRefusal as error:
                if error.status not in (404, 422) or split == (list(tried) or [0])[-1]:
                    raise
                continue
            self.memory.split = split
            return given
        raise NotUnderstood(_("GitHub answered in a form that is not known."))

    def _commits(self, branch: str, path: str) -> Given:
        asked = {"sha": branch} if branch else {}
        asked |= {"path": path} if path else {}
        known, found = set(self.memory.known), list[ParsedEntry]()
        for page in range(1, MOST_COMMIT_PAGES + 1):
            listed = self.listed("commits", page, COMMITS, **asked)
            if listed is None:
                return self.unchanged()
            read = [each for each in map(_commit, listed) if each is not None]
            found += read
            if len(listed) < COMMITS or not known or known & set(map(_sha, read)):
                break
        return self.given(found, REST, _sha)

    def by_atom(self) -> Given:
        """Return what the feed gives."""
        entries = self.atom()
        return self.unchanged() if entries is None else self.given(entries, ATOM, _sha)


def _sha(entry: ParsedEntry) -> str:
    return (entry.url or entry.guid or "").rpartition("/")[2][:12]


def _commit(said: Any) -> ParsedEntry | None:
    if not isinstance(said, dict) or not isinstance(said.get("commit"), dict):
        return None
    commit, url = said["commit"], said.get("html_url")
    title, _line, message = str(commit.get("message") or "").strip().partition("\n")
    author = commit.get("author") if isinstance(commit.get("author"), dict) else {}
    committer = commit.get("committer") if isinstance(commit.get("committer"), dict) else {}
    if not title or not isinstance(url, str):
        return None
    when = parse_date(str(committer.get("date") or author.get("date") or ""))
    blocks = [each.strip() for each in re.split(r"\n\s*\n", message) if each.strip()]
    lines = (html.escape(each, quote=False).replace("\n", "<br>") for each in blocks)
    return ParsedEntry(
        title=title,
        guid=url,
        url=url,
        authors=tuple(filter(None, (str(author.get("name") or ""),))),
        published=when,
        updated=when,
        content_html="".join(f"<p>{each}</p>" for each in lines),
    )
