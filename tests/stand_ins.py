"""Stand-ins of GitHub's REST and Atom, with its headers and quirks; own data."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.feed_server import Answer, Asked, FeedServer

API = "https://api.github.com/repos"


@dataclass
class Release:
    """One release, newest first in its repository's list."""

    tag: str
    number: int
    at: datetime
    name: str = ""
    body: str = ""
    prerelease: bool = False
    draft: bool = False
    updated: datetime | None = None
    bare: bool = False  # a tag that nobody wrote a release for: Atom has it, REST not


@dataclass
class Commit:
    """One commit of a branch."""

    sha: str
    message: str
    at: datetime
    path: str = ""


@dataclass
class GitHub:
    """Repositories behind api.github.com and github.com, with the limit of 60 requests an hour."""

    server: FeedServer
    now: Callable[[], datetime]
    limit: int = 60
    releases: dict[str, list[Release]] = field(default_factory=dict)
    commits: dict[tuple[str, str], list[Commit]] = field(default_factory=dict)  # (project, branch)
    used: int = 0
    reset: datetime = datetime(2000, 1, 1, tzinfo=UTC)
    secondary: bool = False  # the next requests are refused for coming too fast
    away: bool = False  # the API gives 503
    asked: list[str] = field(default_factory=list)  # of the API, paths

    def install(self, projects: tuple[str, ...]) -> None:
        """Answer for these repositories from now on."""
        self.server.fallback = self.answer
        for project in projects:
            self.releases.setdefault(project, [])

    def answer(self, asked: Asked) -> Answer | None:
        """Return what GitHub answers; None for another host."""
        parts = urlsplit(asked.url)
        if parts.hostname == "api.github.com":
            self.asked.append(parts.path + ("?" + parts.query if parts.query else ""))
            return self._limited(asked, lambda: self._api(parts.path, parse_qs(parts.query)))
        if parts.hostname == "github.com" and parts.path.endswith(".atom"):
            return _with_etag(asked, self._atom(parts.path), {}, "application/atom+xml")
        return None

    def _limited(self, asked: Asked, made: Callable[[], Any]) -> Answer:
        now = self.now()
        if self.away:
            return Answer(b"<html>unicorn</html>", 503)
        if now >= self.reset:
            self.used, self.reset = 0, now + timedelta(hours=1)
        if self.secondary:
            said = {"message": "You have exceeded a secondary rate limit. Please wait."}
            return Answer(json.dumps(said).encode(), 403)
        known = "Authorization" in asked.headers
        limit = 5_000 if known else self.limit
        left = max(0, limit - self.used)
        if left == 0:
            said = {"message": "API rate limit exceeded for 192.0.2.1."}
            return Answer(json.dumps(said).encode(), 403, self._headers(limit, 0))
        body = made()
        if body is None:
            return Answer(b'{"message": "Not Found"}', 404, self._headers(limit, left - 1))
        etag = _etag(json.dumps(body).encode())
        # A conditional request that finds nothing new counts only for who is not logged in.
        if not (known and asked.headers.get("If-None-Match") == etag):
            self.used += 1
        headers = self._headers(limit, limit - self.used)
        return _with_etag(asked, json.dumps(body).encode(), headers, "application/json")

    def _headers(self, limit: int, left: int) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Reset": str(int(self.reset.timestamp())),
            "X-RateLimit-Resource": "core",
            "Cache-Control": "public, max-age=60, s-maxage=60",
        }

    def _api(self, path: str, query: dict[str, list[str]]) -> Any:
        owner, repo, rest = path.removeprefix("/repos/").split("/", 2)
        project = f"{owner}/{repo}"
        if project not in self.releases:
            return None
        size, page = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
        if rest == "releases":
            listed = [_rest(project, each) for each in self._written(project)]
            return listed[(page - 1) * size : page * size]
        if rest == "releases/latest":
            stable = [each for each in self._written(project) if not each.prerelease]
            return _rest(project, max(stable, key=lambda e: e.at)) if stable else None
        if rest == "commits":
            branch = query.get("sha", ["main"])[0]
            if (project, branch) not in self.commits:
                return None
            path = query.get("path", [""])[0]
            found = [e for e in self.commits[project, branch] if e.path.startswith(path)]
            return [_rest_commit(project, each) for each in found][(page - 1) * size : page * size]
        return None

    def _written(self, project: str) -> list[Release]:
        return [each for each in self.releases[project] if not (each.draft or each.bare)]

    def _atom(self, path: str) -> bytes:
        owner, repo, rest = path.strip("/").split("/", 2)
        project = f"{owner}/{repo}"
        if rest in ("releases.atom", "tags.atom"):
            made = [_atom(project, each) for each in self.releases[project][:10]]
        else:
            branch = rest.removeprefix("commits/").removesuffix(".atom")
            made = [_atom_commit(project, each) for each in self.commits[project, branch][:20]]
        return (
            "<?xml version='1.0' encoding='UTF-8'?><feed xmlns='http://www.w3.org/2005/Atom' "
            f"xml:lang='en-US'><title>Release notes from {repo}</title>{''.join(made)}</feed>"
        ).encode()


def _rest(project: str, release: Release) -> dict[str, Any]:
    return {
        "url": f"{API}/{project}/releases/{release.number}",
        "html_url": f"https://github.com/{project}/releases/tag/{release.tag}",
        "id": release.number,
        "author": {"login": "builds"},
        "tag_name": release.tag,
        "name": release.name,
        "draft": release.draft,
        "prerelease": release.prerelease,
        "created_at": release.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "published_at": release.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "updated_at": (release.updated or release.at).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "assets": [{"name": "wheel.whl", "size": 1}],
        "body_html": f"<p>{html.escape(release.body)}</p>",
    }


def _atom(project: str, release: Release) -> str:
    when = (release.updated or release.at).strftime("%Y-%m-%dT%H:%M:%SZ")
    return (
        f"<entry><id>tag:github.com,2008:Repository/77/{release.tag}</id><updated>{when}</updated>"
        f"<link rel='alternate' type='text/html' "
        f"href='https://github.com/{project}/releases/tag/{release.tag}'/>"
        f"<title>{release.name or release.tag} \n\n</title>"
        f"<content type='html'>&lt;p dir='auto'&gt;{html.escape(html.escape(release.body))}"
        "&lt;/p&gt;</content><author><name>builds</name></author></entry>"
    )


def _rest_commit(project: str, commit: Commit) -> dict[str, Any]:
    when = commit.at.strftime("%Y-%m-%dT%H:%M:%SZ")
    who = {"name": "Ada", "email": "ada@example.org", "date": when}
    return {
        "sha": commit.sha,
        "html_url": f"https://github.com/{project}/commit/{commit.sha}",
        "commit": {"author": who, "committer": who, "message": commit.message},
    }


def _atom_commit(project: str, commit: Commit) -> str:
    when = commit.at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return (
        f"<entry><id>tag:github.com,2008:Grit::Commit/{commit.sha}</id><updated>{when}</updated>"
        f"<link type='text/html' rel='alternate' "
        f"href='https://github.com/{project}/commit/{commit.sha}'/>"
        f"<title>\n {html.escape(commit.message.partition(chr(10))[0])}\n</title>"
        f"<content type='html'>&lt;pre&gt;{html.escape(html.escape(commit.message))}&lt;/pre&gt;"
        "</content><author><name>Ada</name></author></entry>"
    )


def _etag(body: bytes) -> str:
    return f'W/"{sha256(body).hexdigest()}"'


def _with_etag(asked: Asked, body: bytes, headers: dict[str, str], kind: str) -> Answer:
    headers = {**headers, "ETag": _etag(body), "Content-Type": kind}
    if asked.headers.get("If-None-Match") == headers["ETag"]:
        return Answer(status=304, headers=headers)
    return Answer(body, headers=headers)


# ── arXiv ──


@dataclass
class Paper:
    """One paper as arXiv announces it."""

    number: str
    title: str
    abstract: str
    version: int = 1
    announce: str = "new"  # replace, cross, replace-cross
    comment: str = ""
    categories: tuple[str, ...] = ("cs.PL",)
    published: str = "2026-10-01T10:00:00Z"


@dataclass
class ArXiv:
    """rss.arxiv.org and export.arxiv.org: the batch of a day, and answers to searches."""

    server: FeedServer
    batch: list[Paper] = field(default_factory=list)
    day: str = "2026-11-03"  # of the batch, Eastern
    found: list[Paper] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def install(self) -> None:
        """Answer from now on."""
        self.server.fallback = self.answer

    def answer(self, asked: Asked) -> Answer | None:
        """Return what arXiv answers; None for another host."""
        parts = urlsplit(asked.url)
        if not (parts.hostname or "").endswith("arxiv.org"):
            return None
        self.asked.append(asked.url)
        query = parse_qs(parts.query)
        if parts.path.startswith("/api/"):
            return _with_etag(asked, self._api(query), {}, "application/atom+xml")
        if parts.path.startswith("/rss/"):
            return _with_etag(asked, self._rss(), {}, "application/rss+xml")
        return _with_etag(asked, self._atom(), {}, "application/xml")

    def _atom(self) -> bytes:
        made = "".join(
            f"<entry><id>oai:arXiv.org:{each.number}v{each.version}</id>"
            f"<title>{html.escape(each.title)}</title><updated>{self.day}T05:00:01Z</updated>"
            f'<link href="https://arxiv.org/abs/{each.number}" rel="alternate" type="text/html"/>'
            f"<summary>{html.escape(self._said(each))}</summary>"
            + "".join(f'<category term="{name}"/>' for name in each.categories)
            + f"<published>{self.day}T00:00:00-05:00</published>"
            f"<arxiv:announce_type>{each.announce}</arxiv:announce_type>"
            "<dc:creator>Ada Byte, Bob Word</dc:creator></entry>"
            for each in self.batch
        )
        return (
            "<?xml version='1.0' encoding='UTF-8'?><feed xmlns='http://www.w3.org/2005/Atom' "
            "xmlns:arxiv='http://arxiv.org/schemas/atom' "
            "xmlns:dc='http://purl.org/dc/elements/1.1/' xml:lang='en-us'>"
            f"<title>cs.PL updates on arXiv.org</title><updated>{self.day}T05:00:00Z</updated>"
            f"{made}</feed>"
        ).encode()

    def _rss(self) -> bytes:
        made = "".join(
            f"<item><title>{html.escape(each.title)}</title>"
            f"<link>https://arxiv.org/abs/{each.number}</link>"
            f"<description>{html.escape(self._said(each))}</description>"
            f"<guid isPermaLink='false'>oai:arXiv.org:{each.number}v{each.version}</guid>"
            + "".join(f"<category>{name}</category>" for name in each.categories)
            + f"<pubDate>{self._pub_date()}</pubDate>"
            f"<arxiv:announce_type>{each.announce}</arxiv:announce_type>"
            "<dc:creator>Ada Byte, Bob Word</dc:creator></item>"
            for each in self.batch
        )
        return (
            "<?xml version='1.0' encoding='UTF-8'?><rss version='2.0' "
            "xmlns:arxiv='http://arxiv.org/schemas/atom' "
            "xmlns:dc='http://purl.org/dc/elements/1.1/'><channel>"
            "<title>cs.PL updates on arXiv.org</title><language>en-us</language>"
            "<skipDays><day>Sunday</day><day>Saturday</day></skipDays>"
            f"{made}</channel></rss>"
        ).encode()

    def _pub_date(self) -> str:
        return datetime.fromisoformat(self.day).strftime("%a, %d %b %Y 00:00:00 -0500")

    @staticmethod
    def _said(paper: Paper) -> str:
        return (
            f"arXiv:{paper.number}v{paper.version} Announce Type: {paper.announce} \n"
            f"Abstract: {paper.abstract}"
        )

    def _api(self, query: dict[str, list[str]]) -> bytes:
        at, most = int(query.get("start", ["0"])[0]), int(query.get("max_results", ["10"])[0])
        asked = query.get("id_list", [""])[0]
        papers = [each for each in self.found if not asked or each.number in asked]
        made = "".join(
            f"<entry><id>http://arxiv.org/abs/{each.number}v{each.version}</id>"
            f"<title>{html.escape(each.title)}</title><updated>{each.published}</updated>"
            f'<link href="https://arxiv.org/abs/{each.number}v{each.version}" rel="alternate" '
            'type="text/html"/>'
            f"<summary>{html.escape(each.abstract)}</summary>"
            + "".join(f'<category term="{name}"/>' for name in each.categories)
            + f"<published>{each.published}</published>"
            + (f"<arxiv:comment>{html.escape(each.comment)}</arxiv:comment>" * bool(each.comment))
            + "<author><name>Ada Byte</name></author><author><name>Bob Word</name></author></entry>"
            for each in papers[at : at + most]
        )
        return (
            "<?xml version='1.0' encoding='UTF-8'?><feed xmlns='http://www.w3.org/2005/Atom' "
            "xmlns:opensearch='http://a9.com/-/spec/opensearch/1.1/' "
            "xmlns:arxiv='http://arxiv.org/schemas/atom'><title>arXiv Query</title>"
            f"<opensearch:totalResults>{len(papers)}</opensearch:totalResults>{made}</feed>"
        ).encode()
