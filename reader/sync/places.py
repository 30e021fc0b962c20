"""Words as a person copies them → address and kind, where the words alone tell. Pure but paths."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from reader import identity
from reader.errors import Usage
from reader.language import _
from reader.model import FeedKind
from reader.sync.folder import path_of

DIGEST_SITE = "https://limaomao821.github.io/"
_ARCHIVES = (
    "astro-ph|cond-mat|cs|econ|eess|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math|math-ph|nlin|nucl-ex"
    "|nucl-th|physics|q-bio|q-fin|quant-ph|stat"
)
_CATEGORY = rf"(?:{_ARCHIVES})(?:\.[A-Za-z-]{{2,17}})?"
_CATEGORIES = re.compile(rf"(?:arxiv:)?({_CATEGORY}(?:\+{_CATEGORY})*)", re.IGNORECASE)
_REPOSITORY = re.compile(r"^/([\w.-]+)/([\w.-]+?)(?:\.git)?(?:/(.*))?$", re.ASCII)
_SHORT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[\w.-]+", re.ASCII)
_USER = re.compile(r"^/(?:orgs/)?([A-Za-z0-9][A-Za-z0-9-]{0,38})(?:/repositories)?/?$", re.ASCII)
_NOT_USERS = re.compile(
    r"about|apps|blog|collections|enterprise|explore|features|issues|login|marketplace|new"
    r"|notifications|orgs|pricing|pulls|search|security|settings|site|sponsors|topics|trending",
    re.IGNORECASE,
)
_PAPER = re.compile(rf"(?:arxiv:\s*)?({identity.ARXIV_ID})(?:v\d+)?(?:\s*\[[\w.-]+\])?", re.I)
_QUERY = "https://export.arxiv.org/api/query?"
NEWEST = {"sortBy": "lastUpdatedDate", "sortOrder": "descending", "max_results": "100"}
_FIELDS = {"title": "ti", "author": "au", "abstract": "abs", "comments": "co", "all": "all"}


def cleaned(words: str) -> str:
    """Return what was copied without what stands around it: quotes, brackets, a link's text."""
    words = words.strip()
    if found := re.fullmatch(r"!?\[[^\]]*\]\((\S+?)(?:\s+\"[^\"]*\")?\)", words):
        words = found[1]
    words = re.sub(r"^(?:git\s+clone|curl|wget)\s+(?:-\S+\s+)*", "", words)
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    if len(lines) > 1:  # a mail or a chat: the first line that has an address
        found = re.search(r"https?://[^\s<>\"']+", words, re.IGNORECASE)
        words = found[0] if found else lines[0]
    words = words.strip("<>\"'“”‘’「」《》` \t")
    if re.match(r"https?://", words, re.IGNORECASE):
        words = words.split()[0].rstrip("，。；、,;")
        if words.endswith(")") and "(" not in words:
            words = words.rstrip(")")
    words = re.sub(r"^(?:ssh://)?git@github\.com[:/]", "https://github.com/", words)
    return re.sub(r"^git(?:\+https)?://github\.com/", "https://github.com/", words)


def certain(words: str) -> tuple[str, FeedKind] | None:
    """Return address and kind of what can be told from the words alone."""
    words = words.strip()
    path = _path(words) if words else None
    if path is not None and path.is_dir():
        return str(path.resolve()), FeedKind.FOLDER
    if path is not None and path.is_file():
        return None
    if words.startswith(("file://", "/", "./", "../", "~")):
        raise Usage(_("{path}: there is no such folder.").format(path=path or words[:200]))
    if found := _CATEGORIES.fullmatch(words):
        return f"https://rss.arxiv.org/atom/{found[1]}", FeedKind.ARXIV
    if found := _PAPER.fullmatch(words):
        return _paper(found[1])
    if "://" not in words and _SHORT.fullmatch(words) and "." not in words.partition("/")[0]:
        words = f"https://github.com/{words}"
    return _by_host(words)


def is_file(words: str) -> bool:
    """Tell whether words name a file on this machine."""
    path = _path(words)
    return path is not None and path.is_file()


def _path(words: str) -> Path | None:
    """Return words as a path where the system can have such a path."""
    try:
        path = path_of(words).resolve()
        path.exists()
    except (OSError, ValueError, RuntimeError):
        return None
    return path


def _by_host(words: str) -> tuple[str, FeedKind] | None:
    try:
        parts = urlsplit(words if "://" in words else f"https://{words}")
        host = (parts.hostname or "").lower().removeprefix("www.")
    except ValueError:
        return None
    canonical = identity.canonical_url(words if "://" in words else f"https://{words}")
    if canonical.startswith("https://arxiv.org/abs/"):
        return _paper(canonical.removeprefix("https://arxiv.org/abs/"))
    if host == "arxiv.org" or host.endswith(".arxiv.org"):
        return _arxiv(parts.path, parts.query)
    if host == "limaomao821.github.io" and parts.path in ("", "/", "/feed.xml", "/index.html"):
        return DIGEST_SITE + "feed.xml", FeedKind.DIGEST_SITE
    path = parts.path.rstrip("/")
    if host == "api.github.com" and path.startswith("/repos/"):
        host, path = "github.com", path.removeprefix("/repos")
    if host == "github.com" and (found := _REPOSITORY.match(path)):
        if _NOT_USERS.fullmatch(found[1]):
            return None
        return _github(found[1], found[2], found[3] or "")
    return None


def github_user(words: str) -> str | None:
    """Return the user or organisation whose page on GitHub this is."""
    parts = urlsplit(words if "://" in words else f"https://{words}")
    if (parts.hostname or "").lower().removeprefix("www.") != "github.com":
        return None
    found = _USER.match(parts.path)
    return found[1] if found and not _NOT_USERS.fullmatch(found[1]) else None


def _paper(number: str) -> tuple[str, FeedKind]:
    return f"{_QUERY}id_list={number.lower()}", FeedKind.ARXIV


def _arxiv(path: str, query: str) -> tuple[str, FeedKind] | None:
    category = re.match(rf"/(?:list|archive|rss|atom)/({_CATEGORY}(?:\+{_CATEGORY})*)", path, re.I)
    if category:
        return f"https://rss.arxiv.org/atom/{category[1]}", FeedKind.ARXIV
    asked = parse_qs(query)
    if path.startswith("/api/query") and ("search_query" in asked or "id_list" in asked):
        return f"{_QUERY}{query}", FeedKind.ARXIV
    if path.startswith("/search") and (words := asked.get("query", [""])[0].strip()):
        field = _FIELDS.get(asked.get("searchtype", ["all"])[0], "all")
        term = f'"{words}"' if " " in words else words
        return _QUERY + urlencode({"search_query": f"{field}:{term}", **NEWEST}), FeedKind.ARXIV
    return None


def _github(owner: str, repo: str, rest: str) -> tuple[str, FeedKind] | None:
    if (owner.lower(), repo.lower()) == ("limaomao821", "limaomao821.github.io"):
        return DIGEST_SITE + "feed.xml", FeedKind.DIGEST_SITE
    base = f"https://github.com/{owner}/{repo}"
    if rest in ("tags", "tags.atom"):
        return f"{base}/tags.atom", FeedKind.GITHUB_RELEASES
    found = re.fullmatch(r"(?:commits|tree|blob|blame|edit)/(.+?)(?:\.atom)?", rest)
    if found:
        return f"{base}/commits/{quote(unquote(found[1]))}.atom", FeedKind.GITHUB_COMMITS
    if rest.startswith("raw/") or rest.endswith((".atom", ".xml", ".json", ".rss")):
        return (f"{base}/releases.atom", FeedKind.GITHUB_RELEASES) if "releases" in rest else None
    # Whatever page of a repository it is, its releases are what there is to follow.
    return f"{base}/releases.atom", FeedKind.GITHUB_RELEASES


def kind_of(url: str) -> FeedKind:
    """Return the kind of a feed whose address is given (in a list of subscriptions)."""
    found = certain(url) if url.startswith(("http://", "https://")) else None
    return found[1] if found and found[0] == url else FeedKind.FEED


def web(url: str) -> str:
    """Return words as a web address; raises Usage where they are none."""
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
