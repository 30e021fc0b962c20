"""An address as a person types it → subscriptions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from reader import digest, opml, settings
from reader.errors import NotUnderstood, Usage
from reader.language import _
from reader.model import Feed, FeedKind, Form, ParsedDigest, ParsedFeed
from reader.parse import find_feeds, is_page, read_feed
from reader.sync.folder import path_of

if TYPE_CHECKING:
    from reader.fetch import Fetcher

DIGEST_SITE = "https://limaomao821.github.io/"
_ARCHIVES = (
    "astro-ph|cond-mat|cs|econ|eess|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math|math-ph|nlin|nucl-ex"
    "|nucl-th|physics|q-bio|q-fin|quant-ph|stat"
)
_CATEGORY = rf"(?:{_ARCHIVES})(?:\.[A-Za-z-]{{2,17}})?"
_CATEGORIES = re.compile(rf"(?:arxiv:)?({_CATEGORY}(?:\+{_CATEGORY})*)", re.IGNORECASE)
_REPOSITORY = re.compile(r"^/([\w.-]+)/([\w.-]+?)(?:\.git)?(?:/(.*))?$", re.ASCII)


def subscribe(
    store_path: Path, url: str, kind: str = "auto", *, fetcher: Fetcher | None = None
) -> list[Feed]:
    """Subscribe to what a person typed: feed, site, repository, arXiv category, local folder.

    Where the kind is certain from the address alone nothing is fetched, so it works offline.
    Raises SourceError or NotUnderstood when there is no feed to be found, Usage for no address.
    """
    from reader.store import Store

    if kind != "auto":
        address = str(path_of(url).resolve()) if kind == FeedKind.FOLDER else _web(url)
        found = [(address, FeedKind(kind), "")]
    elif certain := certain_kind(url):
        found = [(*certain, "")]
    else:
        found = [_looked_up(_web(url), fetcher)]
    with Store.open(store_path) as store:
        # The person typed it, so it may live on an address inside this network.
        return [store.feeds.add(a, title, k, private=True) for a, k, title in found]


def certain_kind(url: str) -> tuple[str, FeedKind] | None:
    """Return address and kind of what can be told from the words alone."""
    words = url.strip()
    if words.startswith(("file://", "/", "./", "../", "~")) or path_of(words).is_dir():
        path = path_of(words).resolve()
        if not path.is_dir():
            raise Usage(_("{path}: there is no such folder.").format(path=path))
        return str(path), FeedKind.FOLDER
    if found := _CATEGORIES.fullmatch(words):
        return f"https://rss.arxiv.org/atom/{found[1]}", FeedKind.ARXIV
    parts = urlsplit(words if "://" in words else f"https://{words}")
    host = (parts.hostname or "").lower().removeprefix("www.")
    if host == "arxiv.org" or host.endswith(".arxiv.org"):
        return _arxiv(parts.path, parts.query)
    if host == "limaomao821.github.io" and parts.path in ("", "/", "/feed.xml", "/index.html"):
        return DIGEST_SITE + "feed.xml", FeedKind.DIGEST_SITE
    if host == "github.com" and (found := _REPOSITORY.match(parts.path.rstrip("/"))):
        return _github(found[1], found[2], found[3] or "")
    return None


def _arxiv(path: str, query: str) -> tuple[str, FeedKind] | None:
    category = re.match(rf"/(?:list|archive|rss|atom)/({_CATEGORY}(?:\+{_CATEGORY})*)", path, re.I)
    if category:
        return f"https://rss.arxiv.org/atom/{category[1]}", FeedKind.ARXIV
    if path.startswith("/api/query") and "search_query" in parse_qs(query):
        return f"https://export.arxiv.org/api/query?{query}", FeedKind.ARXIV
    return None


def _github(owner: str, repo: str, rest: str) -> tuple[str, FeedKind] | None:
    if (owner.lower(), repo.lower()) == ("limaomao821", "limaomao821.github.io"):
        return DIGEST_SITE + "feed.xml", FeedKind.DIGEST_SITE
    base = f"https://github.com/{owner}/{repo}"
    if rest in ("", "releases", "releases.atom", "tags"):
        return f"{base}/releases.atom", FeedKind.GITHUB_RELEASES
    if found := re.fullmatch(r"(?:commits|tree)/(.+?)(?:\.atom)?", rest):
        return f"{base}/commits/{found[1]}.atom", FeedKind.GITHUB_COMMITS
    return None


def kind_of(url: str) -> FeedKind:
    """Return the kind of a feed whose address is given (in a list of subscriptions)."""
    certain = certain_kind(url) if url.startswith(("http://", "https://")) else None
    return certain[1] if certain and certain[0] == url else FeedKind.FEED


def _web(url: str) -> str:
    words = re.sub(r"^feed:(?://)?", "", url.strip(), flags=re.IGNORECASE)
    if re.match(r"https?://[^/\s]", words, re.IGNORECASE):
        return words
    if re.fullmatch(r"(?:[\w-]+\.)+[A-Za-z]{2,}(?::\d+)?(?:/\S*)?", words) or re.fullmatch(
        r"localhost(?::\d+)?(?:/\S*)?", words
    ):
        return f"https://{words}"
    raise Usage(
        _(
            "{url} is no address. Give a feed, a site, a repository, an arXiv category or a folder."
        ).format(url=url[:200])
    )


def _looked_up(url: str, fetcher: Fetcher | None) -> tuple[str, FeedKind, str]:
    from reader.fetch import Fetcher as Door

    if fetcher is not None:
        return _found(url, fetcher)
    with Door(proxy=settings.load(settings.default_config()).proxy) as door:
        return _found(url, door)


def _found(url: str, fetcher: Fetcher) -> tuple[str, FeedKind, str]:
    answer = fetcher.get(url, private=True)
    if not is_page(answer.body, answer.content_type):
        parsed = read_feed(answer.body, content_type=answer.content_type, url=answer.url)
        return answer.permanent_url or url, _kind(parsed), parsed.title
    candidates = find_feeds(answer.body, answer.url)
    for candidate in candidates[:3]:
        at = fetcher.get(candidate.url, private=True)
        try:
            parsed = read_feed(at.body, content_type=at.content_type, url=at.url)
        except NotUnderstood:
            continue
        return at.permanent_url or candidate.url, _kind(parsed), parsed.title or candidate.title
    raise NotUnderstood(
        _("{url} is a web page that names no feed. Look for its feed's address.").format(url=url)
    )


def _kind(parsed: ParsedFeed) -> FeedKind:
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


def bundled_sources() -> list[opml.Outline]:
    """Return the sources that ship with the app, for the user to say yes to."""
    return opml.read(settings.resource("sources.opml").read_bytes())


def subscribe_bundled(store_path: Path) -> list[Feed]:
    """Subscribe to all bundled sources; none of them may lead inside this network."""
    from reader.store import Store

    with Store.open(store_path) as store:
        return [
            store.feeds.add(
                each.url, each.title, each.kind or kind_of(each.url), topic_filter=each.topic_filter
            )
            for each in bundled_sources()
        ]
