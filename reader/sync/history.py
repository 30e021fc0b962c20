"""A digest site's whole history: the `_posts` folder of its public repository."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from reader.errors import NotUnderstood, SourceError
from reader.language import _
from reader.model import Incoming
from reader.sync.files import from_text, text_of

if TYPE_CHECKING:
    from reader.fetch import Fetcher

API = "https://api.github.com/repos/{owner}/{host}/contents/_posts"
MOST = 30  # files a sync, newest first; the next sync goes on
MOST_BYTES = 1 << 20
_POST = re.compile(r"\d{4}-\d{2}-\d{2}-[\w.-]+\.(?:md|markdown)")


@dataclass(frozen=True, slots=True)
class History:
    """What is known of a site's posts: the listing's ETag, and file name → version taken."""

    etag: str | None = None
    taken: tuple[tuple[str, str], ...] = ()
    whole: bool = False  # nothing of the listing is left to take

    def dump(self) -> str:
        """Return it as text for the store."""
        return json.dumps({"etag": self.etag, "taken": dict(self.taken), "whole": self.whole})

    @classmethod
    def load(cls, text: str | None) -> History:
        """Return what `dump` gave; nothing known for None or what cannot be read."""
        try:
            raw = json.loads(text or "{}")
            taken = tuple((str(k), str(v)) for k, v in raw.get("taken", {}).items())
            return cls(raw.get("etag"), taken, bool(raw.get("whole")))
        except (ValueError, AttributeError):
            return cls()


def listing_address(site: str) -> str | None:
    """Return where a GitHub Pages site's posts are listed; None for another kind of site."""
    host = (urlsplit(site).hostname or "").lower()
    owner, found, rest = host.partition(".github.io")
    return API.format(owner=owner, host=host) if found and owner and not rest else None


def fetch(
    fetcher: Fetcher, site: str, known: History, token: str | None = None
) -> tuple[list[Incoming], History]:
    """Return posts that were not taken yet, at most thirty, and what is known from now on.

    Raises SourceError or NotUnderstood when the listing cannot be had.
    """
    address = listing_address(site)
    if address is None:
        return [], known
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    answer = fetcher.get(address, etag=known.etag if known.whole else None, headers=headers)
    if answer.not_modified:
        return [], known
    taken = dict(known.taken)
    waiting = [each for each in _listed(answer.body) if taken.get(each["name"]) != each["sha"]]
    posts = []
    for each in waiting[:MOST]:
        try:
            body = fetcher.get(each["download_url"], max_bytes=MOST_BYTES).body
            posts.append(_post(each, body, site))
        except (SourceError, NotUnderstood):
            continue  # it stays unknown, so the next sync tries it again
        taken[each["name"]] = each["sha"]
    whole = all(taken.get(each["name"]) == each["sha"] for each in waiting)
    return posts, History(answer.etag, tuple(taken.items()), whole)


def _listed(body: bytes) -> list[dict[str, str]]:
    try:
        raw: Any = json.loads(body)
    except ValueError as error:
        raise NotUnderstood(_("GitHub's answer is no listing. It is tried again later.")) from error
    wanted = ("name", "sha", "download_url")
    posts = [
        {**{name: each[name] for name in wanted}, "html_url": str(each.get("html_url") or "")}
        for each in (raw if isinstance(raw, list) else [])
        if isinstance(each, dict)
        and all(isinstance(each.get(name), str) for name in wanted)
        and _POST.fullmatch(each["name"])
    ]
    return sorted(posts, key=lambda each: each["name"], reverse=True)


def _post(listed: dict[str, str], body: bytes, site: str) -> Incoming:
    name = listed["name"].rpartition(".")[0]
    # The address on GitHub is the file's, not the post's: it names the post, and is not shown.
    taken = from_text(text_of(body), name=name, guid=listed["html_url"] or name)
    if taken.digest is None:
        return taken
    return replace(taken, digest=replace(taken.digest, site=urlsplit(site).hostname))
