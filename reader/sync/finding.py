"""What a person has in the clipboard → what can be subscribed to, the best first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from reader import digest, identity, opml
from reader.errors import NotUnderstood, SourceError, Usage
from reader.language import _
from reader.model import FeedKind, Form, ParsedDigest, ParsedFeed
from reader.parse import find_feeds, is_page, read_feed
from reader.sync import places
from reader.sync.files import content_of
from reader.sync.folder import path_of

if TYPE_CHECKING:
    from reader.fetch import Fetcher, Response

# Where feeds lie that no page names, the most usual first.
WELL_KNOWN = ("feed", "feed.xml", "rss.xml", "atom.xml", "index.xml", "rss", "feed.json", "atom")
MOST_TRIED = 16  # addresses that are tried for one page
MOST_REPOSITORIES = 30
_LINK = re.compile(
    r"""<a\b[^>]{0,400}?\bhref\s*=\s*["']?([^"'\s>]{1,400})""", re.IGNORECASE | re.ASCII
)
_FEED_LIKE = re.compile(
    r"(?:^|[/._-])(?:feeds?|rss|atom)(?:2?(?:[./_-](?:xml|json|rss|atom))?)?/?(?:[?#].*)?$|\.rss$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Find:
    """Something that can be subscribed to; `how` says in a few words what it is."""

    url: str
    kind: FeedKind
    title: str = ""
    how: str = ""
    folder: str = ""
    topic_filter: bool = False


def find(words: str, fetcher: Fetcher, *, token: str | None = None) -> list[Find]:
    """Return what stands behind an address, a path or a name, the best first.

    All of it where it is a list (`is_list`). Raises Usage for what is none of these, and
    SourceError or NotUnderstood when nothing to subscribe to is found.
    """
    words = places.cleaned(words)
    if certain := places.certain(words):
        return [_certain(*certain)]
    if places.is_file(words):
        return _in_file(words)
    if user := places.github_user(words):
        return list(_of_user(user, fetcher, token))
    return list(_found(places.web(words), fetcher))


def _certain(url: str, kind: FeedKind) -> Find:
    return Find(url, kind, how=kind_words(kind, url))


def kind_words(kind: FeedKind, url: str = "") -> str:
    """Return what a kind of source is, in a few words."""
    if kind is FeedKind.GITHUB_RELEASES and url.endswith("/tags.atom"):
        return _("tags of a repository")
    if kind is FeedKind.ARXIV and "id_list=" in url:
        return _("a paper on arXiv, with its later versions")
    if kind is FeedKind.ARXIV and "search_query=" in url:
        return _("a search on arXiv")
    return {
        FeedKind.FEED: _("a feed"),
        FeedKind.DIGEST_SITE: _("a site of digests, with its history"),
        FeedKind.GITHUB_RELEASES: _("releases of a repository"),
        FeedKind.GITHUB_COMMITS: _("commits of a repository"),
        FeedKind.ARXIV: _("new papers on arXiv"),
        FeedKind.FOLDER: _("a folder on this machine"),
    }[kind]


def _in_file(words: str) -> list[Find]:
    body = content_of(path_of(words))
    if not _is_list(body):
        raise Usage(
            _("{path} is a file, no source. Import it: readproof import PATH").format(
                path=words[:200]
            )
        )
    return _of_list(body)


def _is_list(body: bytes) -> bool:
    return re.search(rb"<opml\b", body[:4096], re.IGNORECASE) is not None


def _of_list(body: bytes) -> list[Find]:
    listed = opml.read(body)
    if not listed:
        raise NotUnderstood(_("The list of subscriptions is empty."))
    return [
        Find(
            each.url,
            each.kind or places.kind_of(each.url),
            each.title,
            _("from a list of subscriptions"),
            each.folder,
            each.topic_filter,
        )
        for each in listed
        if each.url.lower().startswith(("http://", "https://"))
    ]


def _of_user(user: str, fetcher: Fetcher, token: str | None) -> Iterator[Find]:
    """Yield the releases of a user's repositories, most starred first, then what they do."""
    headers = {"Accept": "application/vnd.github+json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    address = f"https://api.github.com/users/{quote(user)}/repos?per_page=100&sort=pushed"
    try:
        answer = fetcher.get(address, headers=headers)
        said = json.loads(answer.body)
    except (SourceError, ValueError):
        said = []
    own = [
        each
        for each in (said if isinstance(said, list) else [])
        if isinstance(each, dict)
        and isinstance(each.get("full_name"), str)
        and not each.get("fork")
        and not each.get("archived")
    ]
    own.sort(key=lambda each: -int(each.get("stargazers_count") or 0))
    for each in own[:MOST_REPOSITORIES]:
        url = f"https://github.com/{each['full_name']}/releases.atom"
        yield Find(url, FeedKind.GITHUB_RELEASES, each["full_name"], _("releases of a repository"))
    yield Find(f"https://github.com/{user}.atom", FeedKind.FEED, user, _("what a user does"))


def _found(url: str, fetcher: Fetcher) -> Iterator[Find]:
    """Yield the feed at an address, the feeds its page names, or those at well-known places."""
    answer = fetcher.get(url, private=True)
    if _is_list(answer.body):
        yield from _of_list(answer.body)
        return
    if not is_page(answer.body, answer.content_type):
        parsed = read_feed(answer.body, content_type=answer.content_type, url=answer.url)
        yield _feed(answer.permanent_url or url, parsed, "", "")
        return
    found = False
    for each in _on_page(answer, fetcher):
        found = True
        yield each
    if not found:
        raise NotUnderstood(
            _(
                "{url} is a web page that names no feed, and none lies at the usual addresses. "
                "Look for its feed's address."
            ).format(url=url[:200])
        )


def _on_page(page: Response, fetcher: Fetcher) -> Iterator[Find]:
    named = find_feeds(page.body, page.url)
    first = True
    for each in named[:5]:
        if not first:  # the others are only offered
            yield Find(each.url, FeedKind.FEED, each.title, _("also named by the page"))
            continue
        if (parsed := _tried(each.url, fetcher)) is not None:
            yield _feed(*parsed, each.title, _("named by the page"))
            first = False
    if not first:
        return
    for url in islice(_unnamed(page), MOST_TRIED):
        if (parsed := _tried(url, fetcher)) is not None:
            yield _feed(*parsed, "", _("found at a usual address; the page does not name it"))
            return


def _tried(url: str, fetcher: Fetcher) -> tuple[str, ParsedFeed] | None:
    try:
        answer = fetcher.get(url, private=True)
        parsed = read_feed(answer.body, content_type=answer.content_type, url=answer.url)
    except (SourceError, NotUnderstood):
        return None
    return answer.permanent_url or url, parsed


def _unnamed(page: Response) -> Iterator[str]:
    """Yield where a page's feed may lie: what it links to, then beside it, then at the root."""
    text = page.body[: 1 << 20].decode("utf-8", "replace")
    linked = (unescape(each) for each in _LINK.findall(text))
    host = urlsplit(page.url).netloc
    own = [urljoin(page.url, each) for each in linked if _FEED_LIKE.search(each)]
    base = page.url.partition("?")[0].partition("#")[0]
    beside = base if base.endswith("/") else base.rpartition("/")[0] + "/"
    root = urljoin(page.url, "/")
    usual = [where + each for each in WELL_KNOWN for where in dict.fromkeys((beside, root))]
    same = [each for each in own if urlsplit(each).netloc == host]
    yield from dict.fromkeys((*same[:4], *usual))


def _feed(url: str, parsed: ParsedFeed, title: str, how: str) -> Find:
    kind = kind_published(parsed)
    return Find(url, kind, parsed.title or title, how or kind_words(kind))


def kind_published(parsed: ParsedFeed) -> FeedKind:
    """Tell a site of digests by what it publishes."""
    for entry in parsed.entries[:3]:
        read = digest.read(
            entry.content_html,
            form=Form.FEED_HTML,
            title=entry.title,
            url=entry.url,
            published=entry.published,
        )
        if isinstance(read, ParsedDigest):
            return FeedKind.DIGEST_SITE
    return FeedKind.FEED


def is_list(found: Iterable[Find]) -> bool:
    """Tell whether all that was found belongs together: a list of subscriptions."""
    return any(each.how == _("from a list of subscriptions") for each in found)


def same_feed(one: str, other: str) -> bool:
    """Tell whether two addresses are one subscription."""
    return identity.feed_key(one) == identity.feed_key(other)
