"""One GitHub repository as a source: what it remembers, REST with its ETags, Atom behind it.

An entry that came by one way is not taken by the other again, so that no text changes to and fro.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from reader.errors import NotUnderstood, SourceError
from reader.language import _
from reader.model import Feed, ParsedEntry, ParsedFeed
from reader.parse import read_feed
from reader.sync.given import Asker, Given

if TYPE_CHECKING:
    from reader.fetch import HttpRefusal, Response

API = "https://api.github.com/repos"
MOST_KNOWN = 1_000
REST, ATOM, PAGE_ALONE = "rest", "atom", "page"
HEADERS = {
    "Accept": "application/vnd.github.html+json",
    "X-GitHub-Api-Version": "2022-11-28",
}


@dataclass(slots=True)
class Memory:
    """What is remembered of one source between two syncs."""

    rule: str = ""  # what was wanted then: another rule looks at everything again
    etags: dict[str, str] = field(default_factory=dict)  # by address
    # Tag or commit → the way it came by, and when.
    known: dict[str, tuple[str, str]] = field(default_factory=dict)
    flooded: bool = False  # no stable release stood on the first page
    split: int = 0  # how many parts of a commits address are the branch's name
    rest_from: str = ""  # REST is not asked before

    @classmethod
    def load(cls, text: str | None, rule: str) -> Memory:
        """Return what `dump` gave; nothing known for None, other rules or what cannot be read."""
        try:
            raw = json.loads(text or "{}")
            known = {str(k): (str(way), str(at)) for k, (way, at) in raw.pop("known", {}).items()}
            memory = cls(**raw, known=known)
        except (ValueError, TypeError, AttributeError):
            return cls(rule=rule)
        return memory if memory.rule == rule else cls(rule=rule, split=memory.split)

    def dump(self) -> str:
        """Return it as text for the store, the oldest forgotten."""
        self.known = dict(list(self.known.items())[-MOST_KNOWN:])
        return json.dumps(asdict(self), ensure_ascii=False)


class Repository:
    """Asks REST, and Atom where it refuses; what a kind of source gives is its own."""

    last: Response  # what is recorded of this attempt

    def __init__(self, asker: Asker, feed: Feed, project: str, memory: Memory) -> None:
        self.asker, self.feed, self.project, self.memory = asker, feed, project, memory

    def collect(self) -> Given:
        """Ask REST, and Atom where it refuses; what both refuse is Atom's to say."""
        from reader.fetch import HttpRefusal

        now = self.asker.now()
        if self.memory.rest_from and now.isoformat() < self.memory.rest_from:
            return self.by_atom()
        try:
            given = self.by_rest()
            self.memory.rest_from = ""
            return replace(given, memory=self.memory.dump())
        except HttpRefusal as error:
            if error.status in (404, 410, 451):
                raise
            self._leave_rest(error, now)
        except (SourceError, NotUnderstood):
            pass  # no answer of the API: the feed is on another host
        return self.by_atom()

    def _leave_rest(self, error: HttpRefusal, now: datetime) -> None:
        if error.retry_after:
            self.memory.rest_from = (now + timedelta(seconds=error.retry_after)).isoformat()

    def by_rest(self) -> Given:
        """Return what the API gives."""
        raise NotImplementedError

    def by_atom(self) -> Given:
        """Return what the feed gives."""
        raise NotImplementedError

    def listed(self, rest: str, page: int, most: int, **asked: str) -> list[Any] | None:
        """Return one page of a list of the API; None where the first is unchanged.

        Another page is looked at for what the first hides, whatever was known of it.
        """
        query = urlencode({**asked, "per_page": most, "page": page})
        url = f"{API}/{self.project}/{rest}?{query}"
        answer = self.get(url, conditional=page == 1)
        if answer is None:
            return None
        if not isinstance(answer, list):
            raise NotUnderstood(_("GitHub answered in a form that is not known."))
        return answer

    def get(self, url: str, *, conditional: bool = True) -> Any:
        """Return an answer of the API; None where it is unchanged."""
        token, etag = self.asker.token, self.memory.etags.get(url) if conditional else None
        headers = HEADERS | ({"Authorization": f"Bearer {token}"} if token else {})
        answer = self.asker.fetcher.get(url, etag=etag, headers=headers)
        # Neither the API's address nor its version of the list is the feed's.
        self.last = replace(answer, permanent_url=None, etag=None, last_modified=None)
        if answer.not_modified:
            return None
        try:
            said = json.loads(answer.body)
        except ValueError as error:
            raise NotUnderstood(_("GitHub answered in a form that is not known.")) from error
        if answer.etag and conditional:
            self.memory.etags[url] = answer.etag
        return said

    def atom(self) -> list[ParsedEntry] | None:
        """Return the entries of the feed; None where it is unchanged."""
        url = self.feed.url
        answer = self.asker.fetcher.get(url, etag=self.memory.etags.get(url))
        self.last = replace(answer, etag=None, last_modified=None)
        if answer.not_modified:
            return None
        parsed = read_feed(answer.body, content_type=answer.content_type, url=answer.url)
        if answer.etag:
            self.memory.etags[url] = answer.etag
        return list(parsed.entries)

    def given(
        self, shown: Iterable[ParsedEntry], way: str, key: Callable[[ParsedEntry], str], **more: Any
    ) -> Given:
        """Return what is shown, less what came by the other way and has not changed since."""
        taken, shown = [], tuple(shown)
        now = self.asker.now().isoformat()
        for each in shown:
            came = self.memory.known.get(key(each))
            other_way = came is not None and came[0] not in (way, PAGE_ALONE)
            if came is not None and other_way and not _since(each, came[1]):
                continue
            self.memory.known.pop(key(each), None)
            self.memory.known[key(each)] = (way, now)
            taken.append(each)
        parsed = ParsedFeed(self.title(), way, entries=shown)
        return Given(self.last, parsed, tuple(taken), self.memory.dump(), **more)

    def unchanged(self) -> Given:
        """Return that nothing came, with what is remembered."""
        return Given(self.last, memory=self.memory.dump())

    def title(self) -> str:
        """Return what the source is called."""
        return self.project


def _since(entry: ParsedEntry, moment: str) -> bool:
    when = entry.updated or entry.published
    return when is not None and when.isoformat() > moment
