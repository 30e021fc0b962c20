"""A GitHub repository's releases and tags: stable ones are never hidden by nightly builds.

REST tells what Atom hides: which releases are stable, more than ten of them, and their texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import unquote, urlsplit

from reader.errors import NotUnderstood, SourceError
from reader.language import _
from reader.model import Feed, FeedKind, ParsedEntry, ParsedFeed
from reader.sync import releases
from reader.sync.commits import Commits
from reader.sync.given import Asker, Given
from reader.sync.releases import ReleaseKind
from reader.sync.repository import API, ATOM, PAGE_ALONE, REST, Memory, Repository

PAGE = 30  # releases a request: each may name hundreds of files
MOST_PAGES = 10  # that are looked through for a stable release
_PROJECT = re.compile(r"/([\w.-]+/[\w.-]+?)/(releases|tags|commits)(?:/(.+?))?(?:\.atom)?/?$")


def collect(asker: Asker, feed: Feed, memory_text: str | None) -> Given:
    """Return what a repository gives now; raises SourceError, HttpRefusal or NotUnderstood."""
    found = _PROJECT.search(urlsplit(feed.url).path)
    if found is None:
        raise NotUnderstood(_("{url} is no repository on GitHub.").format(url=feed.url))
    memory = Memory.load(memory_text, repr(feed.wanted))
    if feed.kind is FeedKind.GITHUB_COMMITS or found[2] == "commits":
        return Commits(asker, feed, found[1], memory, unquote(found[3] or "")).collect()
    return _Releases(asker, feed, found[1], memory, bare=found[2] == "tags").collect()


class _Releases(Repository):
    """`bare`: tags that nobody wrote a release for count too."""

    def __init__(
        self, asker: Asker, feed: Feed, project: str, memory: Memory, *, bare: bool
    ) -> None:
        super().__init__(asker, feed, project, memory)
        self._bare = bare

    def by_rest(self) -> Given:
        """Return the releases of the list, and the tags beside them where those are wanted."""
        found = self._by_list()
        if self._bare:  # the API gives tags without their dates
            tags = self.atom()
            if found is None and tags is None:
                return self.unchanged()
            found = [*(found or ()), *self._without_release(found or (), tags or ())]
        return self.unchanged() if found is None else self._releases(found, REST)

    def _without_release(
        self, found: Iterable[ParsedEntry], tags: Iterable[ParsedEntry]
    ) -> list[ParsedEntry]:
        """Return the tags that nobody wrote a release for: a release says more than its tag."""
        written = {releases.tag_of(each) for each in found}
        written |= {tag for tag, (way, _at) in self.memory.known.items() if way == REST}
        return [each for each in releases.from_atom(tags) if releases.tag_of(each) not in written]

    def _by_list(self) -> list[ParsedEntry] | None:
        """Return the releases of the list up to a stable one; None where nothing changed."""
        known, found = set(self.memory.known), list[ParsedEntry]()
        first = self._page(1)
        if first is None and not self.memory.flooded:
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
            self.memory.flooded = not self._stable(first[0]) and first[1] == PAGE
        latest = self._latest() if self.memory.flooded and not self._stable(found) else None
        if latest is not None:
            found.append(latest)
        return None if first is None and latest is None else found

    def _page(self, number: int) -> tuple[list[ParsedEntry], int] | None:
        listed = self.listed("releases", number, PAGE)
        if listed is None:
            return None
        read = (releases.from_rest(each, self.project) for each in listed)
        return [each for each in read if each is not None], len(listed)

    def _latest(self) -> ParsedEntry | None:
        """Return the release GitHub calls the latest: never a draft or pre-release."""
        from reader.fetch import HttpRefusal

        try:
            said = self.get(f"{API}/{self.project}/releases/latest")
        except HttpRefusal as error:
            if error.status == 404:  # there is none
                return None
            raise
        return None if said is None else releases.from_rest(said, self.project)

    @staticmethod
    def _stable(entries: Iterable[ParsedEntry]) -> bool:
        return any(releases.kind_in(each) is ReleaseKind.STABLE for each in entries)

    def _releases(self, found: list[ParsedEntry], way: str) -> Given:
        shown = [e for e in found if releases.is_wanted(releases.kind_in(e), self.feed.wanted)]
        note = None
        if found and not shown and not self.memory.known:
            note = _(
                "Only pre-releases or nightly builds so far ({count}); they are left out. "
                "Its settings take them in."
            ).format(count=len(found))
        return self.given(shown, way, _tag_or_address, note=note)

    def by_atom(self) -> Given:
        """Return what the feed gives."""
        entries = self.atom()
        if entries is None:
            return self.unchanged()
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
        if tag in self.memory.known:
            return replace(given, note=None)
        self.memory.known[tag] = (PAGE_ALONE, self.asker.now().isoformat())
        parsed = ParsedFeed(self.title(), ATOM, entries=(*given.entries, latest))
        taken = (*given.entries, latest)
        return replace(given, parsed=parsed, entries=taken, memory=self.memory.dump(), note=None)

    def _latest_page(self) -> ParsedEntry | None:
        """Return the latest release by its page: no API is needed to be led there."""
        from reader.sync import pages

        try:
            answer = self.asker.fetcher.get(f"https://github.com/{self.project}/releases/latest")
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
