"""A digest site's whole history: the `_posts` folder of its public repository."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from reader.errors import NotUnderstood, SourceError
from reader.language import _
from reader.model import Incoming
from reader.sync.files import from_text, text_of

if TYPE_CHECKING:
    from reader.fetch import Fetcher

API = "https://api.github.com/repos/{owner}/{host}/contents/_posts"
TREE = "https://api.github.com/repos/{owner}/{host}/git/trees/HEAD:_posts"
RAW = "https://raw.githubusercontent.com/{owner}/{host}/HEAD/_posts/{name}"
LISTED = 1_000  # files a listing of a folder names at most; a tree names all
MOST = 30  # files a sync, newest first; the next sync goes on
MOST_TRIES = 5  # of a file, until it changes
MOST_BYTES = 1 << 20
SOON = timedelta(minutes=2)  # until a history that is not whole goes on
_POST = re.compile(r"\d{4}-\d{2}-\d{2}-[\w.-]+\.(?:md|markdown)")


@dataclass(frozen=True, slots=True)
class Post:
    """One file of a site's posts."""

    name: str
    sha: str
    download_url: str
    html_url: str = ""
    tries: int = 0


@dataclass(frozen=True, slots=True)
class History:
    """What is known of a site's posts: the listing's ETag, what was taken, and what waits.

    What waits is asked for without the listing, newest first, so that a history of years costs
    one request to the API and goes on where it was stopped.
    """

    etag: str | None = None
    taken: tuple[tuple[str, str], ...] = ()  # file → version
    waiting: tuple[Post, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing that was listed is left to take."""
        return not self.waiting

    def dump(self) -> str:
        """Return it as text for the store."""
        waiting = [astuple(each) for each in self.waiting]
        return json.dumps({"etag": self.etag, "taken": dict(self.taken), "waiting": waiting})

    @classmethod
    def load(cls, text: str | None) -> History:
        """Return what `dump` gave; nothing known for None or what cannot be read."""
        try:
            raw = json.loads(text or "{}")
            taken = tuple((str(k), str(v)) for k, v in raw.get("taken", {}).items())
            waiting = tuple(Post(*each) for each in raw.get("waiting", ()))
            # An older version knew that something was left, not what: the listing says it again.
            etag = raw.get("etag") if raw.get("whole", True) else None
            return cls(etag, taken, waiting)
        except (ValueError, TypeError, AttributeError):
            return cls()


def listing_address(site: str) -> str | None:
    """Return where a GitHub Pages site's posts are listed; None for another kind of site."""
    return _address(API, site)


def _address(pattern: str, site: str, name: str = "") -> str | None:
    host = (urlsplit(site).hostname or "").lower()
    owner, found, rest = host.partition(".github.io")
    if not found or not owner or rest:
        return None
    return pattern.format(owner=owner, host=host, name=quote(name))


def fetch(
    fetcher: Fetcher, site: str, known: History, token: str | None = None
) -> tuple[list[Incoming], History]:
    """Return posts that were not taken yet, at most thirty, and what is known from now on.

    Raises SourceError or NotUnderstood when the listing cannot be had.
    """
    if listing_address(site) is None:
        return [], known
    if known.whole:
        known = _looked(fetcher, site, known, token)
    taken, posts, left = dict(known.taken), list[Incoming](), list[Post]()
    for each in known.waiting[:MOST]:
        try:
            body = fetcher.get(each.download_url, max_bytes=MOST_BYTES).body
            posts.append(_post(each, body, site))
        except (SourceError, NotUnderstood):
            left.append(replace(each, tries=each.tries + 1))
            continue
        taken[each.name] = each.sha
    # What failed waits behind the others, and not for ever.
    again = tuple(each for each in left if each.tries < MOST_TRIES)
    return posts, replace(
        known, taken=tuple(taken.items()), waiting=(*known.waiting[MOST:], *again)
    )


def _looked(fetcher: Fetcher, site: str, known: History, token: str | None) -> History:
    """Return what waits by the listing as it is now."""
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    answer = fetcher.get(listing_address(site) or "", etag=known.etag, headers=headers)
    if answer.not_modified:
        return known
    posts, count = _listed(answer.body)
    if count >= LISTED:
        tree = fetcher.get(_address(TREE, site) or "", headers=headers)
        posts = _in_tree(tree.body, site)
    taken = dict(known.taken)
    waiting = tuple(each for each in posts if taken.get(each.name) != each.sha)
    return replace(known, etag=answer.etag, waiting=waiting)


def _listed(body: bytes) -> tuple[list[Post], int]:
    """Return the posts of a folder's listing, newest first, and how many files it names."""
    raw = _json(body)
    files = raw if isinstance(raw, list) else []
    posts = [
        Post(each["name"], each["sha"], each["download_url"], str(each.get("html_url") or ""))
        for each in files
        if isinstance(each, dict)
        and all(isinstance(each.get(name), str) for name in ("name", "sha", "download_url"))
        and _POST.fullmatch(each["name"])
    ]
    return _newest_first(posts), len(files)


def _in_tree(body: bytes, site: str) -> list[Post]:
    raw = _json(body)
    files = raw.get("tree") if isinstance(raw, dict) else None
    host = urlsplit(site).hostname or ""
    owner = host.partition(".")[0]
    return _newest_first(
        Post(
            each["path"],
            each["sha"],
            _address(RAW, site, each["path"]) or "",
            f"https://github.com/{owner}/{host}/blob/HEAD/_posts/{quote(each['path'])}",
        )
        for each in (files if isinstance(files, list) else [])
        if isinstance(each, dict)
        and isinstance(each.get("path"), str)
        and isinstance(each.get("sha"), str)
        and _POST.fullmatch(each["path"])
    )


def _newest_first(posts: Iterable[Post]) -> list[Post]:
    return sorted(posts, key=lambda each: each.name, reverse=True)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise NotUnderstood(_("GitHub's answer is no listing. It is tried again later.")) from error


def _post(listed: Post, body: bytes, site: str) -> Incoming:
    name = listed.name.rpartition(".")[0]
    # The address on GitHub is the file's, not the post's: it names the post, and is not shown.
    taken = from_text(text_of(body), name=name, guid=listed.html_url or name)
    if taken.digest is None:
        return taken
    return replace(taken, digest=replace(taken.digest, site=urlsplit(site).hostname))
