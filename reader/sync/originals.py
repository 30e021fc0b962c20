"""Sources that items name and the store lacks, fetched so that they are read beside the digest."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reader import identity
from reader.errors import Interrupted, NotUnderstood, ReadproofError, SourceError
from reader.language import _
from reader.model import Form, ParsedEntry
from reader.parse import read_feed
from reader.parse.dates import parse_date
from reader.sync import pages
from reader.sync.bodies import as_html
from reader.sync.receive import incoming
from reader.sync.results import Progress, SyncProgress, silent
from reader.sync.visits import LeftAlone, Visits, spread
from reader.tasks import Task, each

if TYPE_CHECKING:
    from reader.fetch import Fetcher
    from reader.store import Store
    from reader.store.originals import Missing

MOST = 60  # sources a sync
SECONDS = 30.0
SECONDS_TOGETHER = 240.0  # for a sync; the rest comes with the next
MOST_TOGETHER = 100 << 20  # bytes of a sync
WORKERS = 6
PAPERS = 50  # that one request to arXiv names
MOST_PATCH = 200_000  # characters of a commit's changes that are kept
ARXIV = "https://export.arxiv.org/api/query?max_results={most}&id_list={ids}"
API = "https://api.github.com/repos/{project}/{rest}"
_GITHUB = re.compile(r"github:([^@!#]+)([@!#])(.+)")
_SUBJECT = re.compile(r"^Subject: (?:\[PATCH[^\]]*\] )?(.*(?:\n[ \t].*)*)", re.MULTILINE)
_TRIED = (403, 404, 429)  # what the API refuses may stand on the page all the same


def fetch_missing(
    store: Store,
    fetcher: Fetcher,
    task: Task[Any] | None = None,
    progress: Progress = silent,
    *,
    sources: Sequence[Missing] | None = None,
    token: str | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> dict[str, str | None]:
    """Fetch the named sources, else those that items of the store want; return what became of each.

    By address: None where it is kept now, else why it could not be had. What came is marked read:
    it is part of its item, not one more story to get through.
    """
    wanted = list(store.originals.wanting(MOST, now()) if sources is None else sources)
    outcome: dict[str, str | None] = {}
    visits = Visits(fetcher, seconds=SECONDS_TOGETHER, most_bytes=MOST_TOGETHER)
    heaps = spread(_heaps(wanted), lambda heap: heap[0].url)
    results = each(lambda heap: _fetch(visits, heap, token), heaps, workers=WORKERS, task=task)
    for heap, came in results:
        if isinstance(came, Interrupted) or not isinstance(came, ReadproofError | dict):
            raise came
        if isinstance(came, LeftAlone):
            continue
        for one in heap:
            entry = came if isinstance(came, ReadproofError) else came.get(one.url)
            outcome[one.url] = _keep(store, one, entry, now())
            progress(SyncProgress(len(outcome), len(wanted), one.title, one.url, phase="sources"))
    return outcome


def _heaps(wanted: Iterable[Missing]) -> list[list[Missing]]:
    """Return what is asked for at once: papers together, everything else alone."""
    papers = [one for one in wanted if identity.source_key(one.url).startswith("arxiv:")]
    others = [[one] for one in wanted if one not in papers]
    return [papers[at : at + PAPERS] for at in range(0, len(papers), PAPERS)] + others


def _keep(
    store: Store, one: Missing, entry: ParsedEntry | ReadproofError | None, now: datetime
) -> str | None:
    if not isinstance(entry, ParsedEntry):
        why = str(entry or _("The source is not there any more."))
        store.originals.failed(one.url, why, now)
        return why
    saved = store.library.save(None, [incoming(entry, divide=False)], now)
    for id_ in saved.new:
        store.originals.settle(id_, one.named)
    return None


# ── on a worker: no store here ──


def _fetch(
    visits: Visits, heap: Sequence[Missing], token: str | None
) -> dict[str, ParsedEntry | ReadproofError]:
    """Return what each address gave, in one request where they are papers."""
    url = heap[0].url
    key = identity.source_key(url)
    if key.startswith("arxiv:"):
        return _papers(visits, [one.url for one in heap])
    if found := _GITHUB.fullmatch(key):
        return {url: _github(visits, url, found, token)}
    return {url: _page(visits, url, heap[0].title)}


def _papers(visits: Visits, urls: Sequence[str]) -> dict[str, ParsedEntry | ReadproofError]:
    keys = {identity.source_key(url): url for url in urls}
    ids = ",".join(sorted(key.removeprefix("arxiv:") for key in keys))
    answer = visits.get(ARXIV.format(most=len(keys), ids=quote(ids, safe=",/")), seconds=SECONDS)
    parsed = read_feed(answer.body, content_type=answer.content_type, url=answer.url)
    found: dict[str, ParsedEntry | ReadproofError] = {}
    for entry in parsed.entries:
        key = identity.source_key(entry.url or entry.guid or "")
        if key in keys:
            found[keys[key]] = entry
    return found


def _page(visits: Visits, url: str, title: str) -> ParsedEntry:
    answer = visits.get(url, max_bytes=pages.MOST_BYTES, seconds=SECONDS)
    page = pages.article(answer.body, content_type=answer.content_type, url=answer.url)
    return ParsedEntry(
        title=page.title or title,
        url=url,
        authors=page.authors,
        published=page.published,
        content_html=page.html,
        base_url=answer.url,
    )


def _github(
    visits: Visits, url: str, key: re.Match[str], token: str | None
) -> ParsedEntry | ReadproofError:
    """Return a release, commit, issue or pull request by the API, else by its page."""
    from reader.fetch import HttpRefusal

    project, kind, name = key.groups()
    rest = {"@": "releases/tags/", "!": "commits/", "#": "issues/"}[kind] + quote(name, safe="")
    headers = {"Accept": "application/vnd.github.full+json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    try:
        answer = visits.get(
            API.format(project=project, rest=rest), headers=headers, seconds=SECONDS
        )
        said = json.loads(answer.body)
        if not isinstance(said, dict):
            raise NotUnderstood(_("The page holds no text."))
        entry = {"@": _release, "!": _commit, "#": _issue}[kind](url, said)
        if not entry.title.strip():
            raise KeyError("title")
        return entry
    except HttpRefusal as error:
        if error.status not in _TRIED:
            raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError(_("GitHub answered in a form that is not known.")) from error
    return _patch(visits, url) if kind == "!" else _page(visits, url, "")


def _text(said: Any, name: str) -> str:
    """Return a text of an answer; what is none, or not there, is empty."""
    value = said.get(name) if isinstance(said, dict) else None
    return value if isinstance(value, str) else ""


def _written(said: dict[str, Any]) -> str:
    """Return a Markdown text as GitHub rendered it, else as we do."""
    return _text(said, "body_html") or as_html(_text(said, "body"), Form.MARKDOWN)


def _release(url: str, said: dict[str, Any]) -> ParsedEntry:
    return ParsedEntry(
        title=_text(said, "name") or _text(said, "tag_name"),
        guid=url,
        url=url,
        authors=_names(said.get("author")),
        published=parse_date(_text(said, "published_at") or _text(said, "created_at")),
        content_html=_written(said),
        base_url=url,
    )


def _issue(url: str, said: dict[str, Any]) -> ParsedEntry:
    state = _text(said, "state_reason") or _text(said, "state")
    if _text(said.get("pull_request"), "merged_at"):
        state = "merged"
    labels = [_text(each, "name") for each in said.get("labels") or ()]
    parts = (f"#{int(said['number'])}", state, *labels)
    head = " · ".join(html.escape(each) for each in parts if each)
    return ParsedEntry(
        title=_text(said, "title"),
        guid=url,
        url=url,
        authors=_names(said.get("user")),
        published=parse_date(_text(said, "created_at")),
        updated=parse_date(_text(said, "updated_at")),
        content_html=f"<p>{head}</p>{_written(said)}",
        base_url=url,
    )


def _commit(url: str, said: dict[str, Any]) -> ParsedEntry:
    commit = said["commit"]
    title, _line, message = _text(commit, "message").partition("\n")
    author = commit.get("author")
    files = "".join(
        f"<h4>{html.escape(_text(each, 'filename'))}</h4><pre><code class='language-diff'>"
        f"{html.escape(_text(each, 'patch'))}</code></pre>"
        for each in said.get("files") or ()
    )
    return ParsedEntry(
        title=title,
        guid=url,
        url=url,
        authors=tuple(filter(None, (_text(author, "name"),))),
        published=parse_date(_text(author, "date")),
        content_html=_lines(message) + files[:MOST_PATCH],
    )


def _patch(visits: Visits, url: str) -> ParsedEntry:
    """Return a commit as GitHub gives it to `git am`, which needs no API."""
    answer = visits.get(f"{url.partition('?')[0].rstrip('/')}.patch", seconds=SECONDS)
    head, _blank, rest = answer.body.decode("utf-8", "replace").partition("\n\n")
    subject = _SUBJECT.search(head)
    if subject is None:
        raise NotUnderstood(_("The page holds no text."))
    message, _line, changes = rest.partition("\n---\n")
    author = re.search(r"^From: (.*?)\s*<", head, re.MULTILINE)
    date = re.search(r"^Date: (.*)$", head, re.MULTILINE)
    patch = html.escape(changes[:MOST_PATCH])
    return ParsedEntry(
        title=" ".join(subject[1].split()),
        guid=url,
        url=url,
        authors=(author[1],) if author and author[1] else (),
        published=parse_date(date[1]) if date else None,
        content_html=f"{_lines(message)}<pre><code class='language-diff'>{patch}</code></pre>",
    )


def _lines(message: str) -> str:
    """Return a commit's message as paragraphs that keep their lines."""
    blocks = (block for block in re.split(r"\n\s*\n", message) if block.strip())
    return "".join(
        f"<p>{html.escape(block.strip()).replace(chr(10), '<br>')}</p>" for block in blocks
    )


def _names(who: Any) -> tuple[str, ...]:
    return tuple(filter(None, (_text(who, "login"),)))
