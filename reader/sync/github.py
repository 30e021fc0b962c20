"""A GitHub repository's releases, tags and commits: through REST, and Atom where that is refused.

REST tells what Atom hides: which releases are stable, more than ten of them, and their texts. An
entry that came by one way is not taken by the other again, so that no text changes to and fro.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from reader.errors import NotUnderstood, SourceError
from reader.language import _
from reader.model import Feed, FeedKind, ParsedEntry, ParsedFeed
from reader.parse import read_feed
from reader.parse.dates import parse_date
from reader.sync import releases
from reader.sync.given import Asker, Given
from reader.sync.releases import ReleaseKind

if TYPE_CHECKING:
    from reader.fetch import HttpRefusal, Response

API = "https://api.github.com/repos"
PAGE = 30  # releases a request: each may name hundreds of files
COMMITS = 60
MOST_PAGES = 10  # that are looked through for a stable release
MOST_COMMIT_PAGES = 5
MOST_KNOWN = 1_000
REST, ATOM, PAGE_ALONE = "rest", "atom", "page"
HEADERS = {
    "Accept": "application/vnd.github.html+json",
    "X-GitHub-Api-Version": "2022-11-28",
}
_PROJECT = re.compile(r"/([\w.-]+/[\w.-]+?)/(releases|tags|commits)(?:/(.+?))?(?:\.atom)?/?$")


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


def collect(asker: Asker, feed: Feed, memory_text: str | None) -> Given:
    """Return what a repository gives now; raises SourceError, HttpRefusal or NotUnderstood."""
    found = _PROJECT.search(urlsplit(feed.url).path)
    if found is None:
        raise NotUnderstood(_("{url} is no repository on GitHub.").format(url=feed.url))
    memory = Memory.load(memory_text, repr(feed.wanted))
    if feed.kind is FeedKind.GITHUB_COMMITS or found[2] == "commits":
        return _Commits(asker, feed, found[1], memory, unquote(found[3] or "")).collect()
    return _Releases(asker, feed, found[1], memory, bare=found[2] == "tags").collect()


class _Source:
    _last: Response  # what is recorded of this attempt

    def __init__(self, asker: Asker, feed: Feed, project: str, memory: Memory) -> None:
        self._asker, self._feed, self._project, self._memory = asker, feed, project, memory

    def collect(self) -> Given:
        """Ask REST, and Atom where it refuses; what both refuse is Atom's to say."""
        from reader.fetch import HttpRefusal

        now = self._asker.now()
        if self._memory.rest_from and now.isoformat() < self._memory.rest_from:
            return self._by_atom()
        try:
            given = self._by_rest()
            self._memory.rest_from = ""
            return replace(given, memory=self._memory.dump())
        except HttpRefusal as error:
            if error.status in (404, 410, 451):
                raise
            self._leave_rest(error, now)
        except (SourceError, NotUnderstood):
            pass  # no answer of the API: the feed is on another host
        return self._by_atom()

    def _leave_rest(self, error: HttpRefusal, now: datetime) -> None:
        from datetime import timedelta

        if error.retry_after:
            self._memory.rest_from = (now + timedelta(seconds=error.retry_after)).isoformat()

    def _by_rest(self) -> Given:
        raise NotImplementedError

    def _by_atom(self) -> Given:
        raise NotImplementedError

    def _list(self, rest: str, page: int, most: int, **asked: str) -> list[Any] | None:
        """Return one page of a list of the API; None where the first is unchanged.

        Another page is looked at for what the first hides, whatever was known of it.
        """
        query = urlencode({**asked, "per_page": most, "page": page})
        url = f"{API}/{self._project}/{rest}?{query}"
        answer = self._get(url, conditional=page == 1)
        if answer is None:
            return None
        if not isinstance(answer, list):
            raise NotUnderstood(_("GitHub answered in a form that is not known."))
        return answer

    def _get(self, url: str, *, conditional: bool = True) -> Any:
        token, etag = self._asker.token, self._memory.etags.get(url) if conditional else None
        headers = HEADERS | ({"Authorization": f"Bearer {token}"} if token else {})
        answer = self._asker.fetcher.get(url, etag=etag, headers=headers)
        # Neither the API's address nor its version of the list is the feed's.
        self._last = replace(answer, permanent_url=None, etag=None, last_modified=None)
        if answer.not_modified:
            return None
        try:
            said = json.loads(answer.body)
        except ValueError as error:
            raise NotUnderstood(_("GitHub answered in a form that is not known.")) from error
        if answer.etag and conditional:
            self._memory.etags[url] = answer.etag
        return said

    def _atom(self) -> list[ParsedEntry] | None:
        url = self._feed.url
        answer = self._asker.fetcher.get(url, etag=self._memory.etags.get(url))
        self._last = replace(answer, etag=None, last_modified=None)
        if answer.not_modified:
            return None
        parsed = read_feed(answer.body, content_type=answer.content_type, url=answer.url)
        if answer.etag:
            self._memory.etags[url] = answer.etag
        return list(parsed.entries)

    def _given(
        self, shown: Iterable[ParsedEntry], way: str, key: Callable[[ParsedEntry], str], **more: Any
    ) -> Given:
        """Return what is shown, less what came by the other way and has not changed since."""
        taken, shown = [], tuple(shown)
        now = self._asker.now().isoformat()
        for each in shown:
            came = self._memory.known.get(key(each))
            other_way = came is not None and came[0] not in (way, PAGE_ALONE)
            if came is not None and other_way and not _since(each, came[1]):
                continue
            self._memory.known.pop(key(each), None)
            self._memory.known[key(each)] = (way, now)
            taken.append(each)
        parsed = ParsedFeed(self._title(), way, entries=shown)
        return Given(self._last, parsed, tuple(taken), self._memory.dump(), **more)

    def _unchanged(self) -> Given:
        return Given(self._last, memory=self._memory.dump())

    def _title(self) -> str:
        return self._project


def _since(entry: ParsedEntry, moment: str) -> bool:
    when = entry.updated or entry.published
    return when is not None and when.isoformat() > moment


class _Releases(_Source):
    """`bare`: tags that nobody wrote a release for count too."""

    def __init__(
        self, asker: Asker, feed: Feed, project: str, memory: Memory, *, bare: bool
    ) -> None:
        super().__init__(asker, feed, project, memory)
        self._bare = bare

    def _by_rest(self) -> Given:
        found = self._by_list()
        if self._bare:  # the API gives tags without their dates
            tags = self._atom()
            if found is None and tags is None:
                return self._unchanged()
            found = [*(found or ()), *self._without_release(found or (), tags or ())]
        return self._unchanged() if found is None else self._releases(found, REST)

    def _without_release(
        self, found: Iterable[ParsedEntry], tags: Iterable[ParsedEntry]
    ) -> list[ParsedEntry]:
        """Return the tags that nobody wrote a release for: a release says more than its tag."""
        written = {releases.tag_of(each) for each in found}
        written |= {tag for tag, (way, _at) in self._memory.known.items() if way == REST}
        return [each for each in releases.from_atom(tags) if releases.tag_of(each) not in written]

    def _by_list(self) -> list[ParsedEntry] | None:
        """Return the releases of the list up to a stable one; None where nothing changed."""
        known, found = set(self._memory.known), list[ParsedEntry]()
        first = self._page(1)
        if first is None and not self._memory.flooded:
            return None
        page, at = first, 1
        while page:
            found += page[0]
            met = known & {releases.tag_of(each) for each in page[0]}
            if self._stable(found) or met or page[1] < PAGE or at == MOST_PAGES:
                break
            at += 1
            page = self._page(at)
        if first is not None:
            self._memory.flooded = not self._stable(first[0]) and first[1] == PAGE
        latest = self._latest() if self._memory.flooded and not self._stable(found) else None
        if latest is not None:
            found.append(latest)
        return None if first is None and latest is None else found

    def _page(self, number: int) -> tuple[list[ParsedEntry], int] | None:
        listed = self._list("releases", number, PAGE)
        if listed is None:
            return None
        read = (releases.from_rest(each, self._project) for each in listed)
        return [each for each in read if each is not None], len(listed)

    def _latest(self) -> ParsedEntry | None:
        """Return the release GitHub calls the latest: never a draft or pre-release."""
        from reader.fetch import HttpRefusal

        try:
            said = self._get(f"{API}/{self._project}/releases/latest")
        except HttpRefusal as error:
            if error.status == 404:  # there is none
                return None
            raise
        return None if said is None else releases.from_rest(said, self._project)

    @staticmethod
    def _stable(entries: Iterable[ParsedEntry]) -> bool:
        return any(releases.kind_in(each) is ReleaseKind.STABLE for each in entries)

    def _releases(self, found: list[ParsedEntry], way: str) -> Given:
        shown = [e for e in found if releases.is_wanted(releases.kind_in(e), self._feed.wanted)]
        note = None
        if found and not shown and not self._memory.known:
            note = _(
                "Only pre-releases or nightly builds so far ({count}); they are left out. "
                "Its settings take them in."
            ).format(count=len(found))
        return self._given(shown, way, _tag_or_address, note=note)

    def _by_atom(self) -> Given:
        entries = self._atom()
        if entries is None:
            return self._unchanged()
        found = releases.from_atom(entries)
        given = self._releases(found, ATOM)
        if self._stable(found) or not found or self._bare:
            return given
        latest = self._latest_page()
        if latest is None:
            hidden = _(
                "GitHub's API refuses for now, and its feed holds nothing but pre-releases: a "
                "stable release may show later. A token lifts the limit."
            )
            return replace(given, note=hidden)
        tag = releases.tag_of(latest)
        if tag in self._memory.known:
            return replace(given, note=None)
        self._memory.known[tag] = (PAGE_ALONE, self._asker.now().isoformat())
        parsed = ParsedFeed(self._title(), ATOM, entries=(*given.entries, latest))
        taken = (*given.entries, latest)
        return replace(given, parsed=parsed, entries=taken, memory=self._memory.dump(), note=None)

    def _latest_page(self) -> ParsedEntry | None:
        """Return the latest release by its page: no API is needed to be led there."""
        from reader.sync import pages

        try:
            answer = self._asker.fetcher.get(f"https://github.com/{self._project}/releases/latest")
            tag = releases.tag_of(ParsedEntry("", url=answer.url))
            if not tag:
                return None
            page = pages.article(answer.body, content_type=answer.content_type, url=answer.url)
        except (SourceError, NotUnderstood):
            return None
        title = re.sub(r"^Release\s+|\s+·\s.*$", "", page.title)
        return ParsedEntry(
            title=title or tag,
            guid=answer.url,
            url=answer.url,
            published=page.published,
            content_html=page.html,
            categories=(ReleaseKind.STABLE,),
            base_url=answer.url,
        )


def _tag_or_address(entry: ParsedEntry) -> str:
    return releases.tag_of(entry) or entry.url or entry.guid or ""


class _Commits(_Source):
    def __init__(self, asker: Asker, feed: Feed, project: str, memory: Memory, where: str) -> None:
        super().__init__(asker, feed, project, memory)
        self._parts = [part for part in where.split("/") if part]

    def _title(self) -> str:
        return " · ".join((self._project, "/".join(self._parts) or "HEAD"))

    def _by_rest(self) -> Given:
        """Ask for branch and path; only GitHub knows where a branch's name with a / ends."""
        from reader.fetch import HttpRefusal

        tried = [self._memory.split] if self._memory.split else range(1, len(self._parts) + 1)
        for split in tried or [0]:
            try:
                given = self._commits("/".join(self._parts[:split]), "/".join(self._parts[split:]))
            except HttpRefusal as error:
                if error.status not in (404, 422) or split == (list(tried) or [0])[-1]:
                    raise
                continue
            self._memory.split = split
            return given
        raise NotUnderstood(_("GitHub answered in a form that is not known."))

    def _commits(self, branch: str, path: str) -> Given:
        asked = {"sha": branch} if branch else {}
        asked |= {"path": path} if path else {}
        known, found = set(self._memory.known), list[ParsedEntry]()
        for page in range(1, MOST_COMMIT_PAGES + 1):
            listed = self._list("commits", page, COMMITS, **asked)
            if listed is None:
                return self._unchanged()
            read = [each for each in map(_commit, listed) if each is not None]
            found += read
            if len(listed) < COMMITS or not known or known & set(map(_sha, read)):
                break
        return self._given(found, REST, _sha)

    def _by_atom(self) -> Given:
        entries = self._atom()
        return self._unchanged() if entries is None else self._given(entries, ATOM, _sha)


def _sha(entry: ParsedEntry) -> str:
    return (entry.url or entry.guid or "").rpartition("/")[2][:12]


def _commit(said: Any) -> ParsedEntry | None:
    import html

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


def releases_address(project: str) -> str:
    """Return the address a repository's releases are subscribed under."""
    return f"https://github.com/{project}/releases.atom"


def commits_address(project: str, branch: str, path: str = "") -> str:
    """Return the address the commits of a branch, or a path in it, are subscribed under."""
    return f"https://github.com/{project}/commits/{quote(f'{branch}/{path}'.rstrip('/'))}.atom"
