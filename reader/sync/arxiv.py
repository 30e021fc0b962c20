"""arXiv: each paper once with its versions, and a day without papers told from a stale batch.

RSS gives the batch of a working day, rebuilt at midnight Eastern and empty on weekends and
holidays; the API answers searches and lists of papers. Both give a paper the same text.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import xml.parsers.expat
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, timedelta, timezone, tzinfo
from urllib.parse import parse_qs, urlsplit

from reader import identity
from reader.language import _
from reader.model import Feed, Health, ParsedEntry
from reader.parse import read_feed
from reader.sanitise import text_of
from reader.sync.given import Asker, Given
from reader.sync.places import NEWEST
from reader.sync.tex import readable

MOST_KNOWN = 4_000
PAGE = 100
MOST_PAGES = 5
REBUILT = timedelta(hours=6)  # after midnight Eastern a batch of that day is there
NEW, CROSS, REPLACED, WITHDRAWN = "new", "cross", "replaced", "withdrawn"
_VERSION = re.compile(rf"{identity.ARXIV_ID}v(\d+)", re.IGNORECASE)
_HEAD = re.compile(
    r"\s*arXiv:(?P<id>\S+)\s+Announce\s+Type:\s*(?P<kind>[a-z-]+)\s*(?:\bAbstract:\s*)?",
    re.IGNORECASE,
)
_WITHDRAWN = re.compile(
    r"\b(?:this\s+(?:paper|submission|article|manuscript|preprint)\s+(?:has\s+been|is|was)\s+(?:now\s+)?"
    r"(?:withdrawn|retracted)|withdrawn\s+by\s+(?:the\s+)?(?:author|arxiv)|^\s*withdrawn\b)",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"</?(?:p|br|a|i|b|em|strong|sub|sup|div|span)\b[^>]*>", re.IGNORECASE)


@dataclass(slots=True)
class Memory:
    """What is remembered of one source between two syncs."""

    known: dict[str, int] = field(default_factory=dict)  # paper → its newest version
    batch: str = ""  # the day of the last batch, Eastern
    papers: str = ""  # what was in it
    empty: bool = False  # the last answer held nothing

    @classmethod
    def load(cls, text: str | None) -> Memory:
        """Return what `dump` gave; nothing known for None or what cannot be read."""
        try:
            raw = json.loads(text or "{}")
            known = {str(k): int(v) for k, v in raw.get("known", {}).items()}
            batch, papers = str(raw.get("batch") or ""), str(raw.get("papers") or "")
            return cls(known, batch, papers, bool(raw.get("empty")))
        except (ValueError, TypeError, AttributeError):
            return cls()

    def dump(self) -> str:
        """Return it as text for the store, the oldest forgotten."""
        self.known = dict(list(self.known.items())[-MOST_KNOWN:])
        return json.dumps(asdict(self))


def collect(asker: Asker, feed: Feed, memory_text: str | None) -> Given:
    """Return what a category, search or paper gives now.

    Raises SourceError, HttpRefusal or NotUnderstood.
    """
    memory = Memory.load(memory_text)
    response = asker.fetcher.get(
        _address(feed.url), etag=feed.etag, last_modified=feed.last_modified, private=feed.private
    )
    if response.permanent_url == _address(feed.url):
        response = replace(response, permanent_url=None)
    daily = is_daily(feed.url)
    if response.not_modified:
        state, note = _same_day(memory, asker.now()) if daily else (None, None)
        return Given(response, note=note, state=state)
    parsed = read_feed(response.body, content_type=response.content_type, url=response.url)
    papers = _papers(parsed.entries, _comments(response.body))
    if not daily:
        papers += _older(asker, feed, papers, memory)
    state, note = _day(memory, papers, asker.now()) if daily else (None, None)
    shown = [paper for paper in papers if _is_wanted(paper, feed, memory)]
    taken = [paper for paper in shown if _version(paper) >= memory.known.get(_id(paper), 0)]
    if not daily and papers and all(_is_known(paper, memory) for paper in papers):
        state = Health.UNCHANGED  # a search has no days: it is never stale
    for paper in taken:
        memory.known.pop(_id(paper), None)
        memory.known[_id(paper)] = _version(paper)
    whole = replace(parsed, entries=tuple(shown))
    return Given(response, whole, tuple(taken), memory.dump(), note, state)


def is_daily(url: str) -> bool:
    """Tell whether an address gives the batch of a day, not the answer to a question."""
    return not urlsplit(url).path.startswith("/api/")


def _address(url: str) -> str:
    """Return a search so that it gives what is newest; it gives ten by relevance else."""
    parts = urlsplit(url)
    asked = parse_qs(parts.query)
    if is_daily(url) or "search_query" not in asked:
        return url
    more = "&".join(f"{name}={value}" for name, value in NEWEST.items() if name not in asked)
    return f"{url}&{more}" if more else url


def _older(
    asker: Asker, feed: Feed, papers: list[ParsedEntry], memory: Memory
) -> list[ParsedEntry]:
    """Return the pages behind the first, where more came since the last time than it holds."""
    found: list[ParsedEntry] = []
    page, address = papers, _address(feed.url)
    while (
        memory.known
        and len(page) >= PAGE
        and len(found) < PAGE * (MOST_PAGES - 1)
        and "start" not in parse_qs(urlsplit(address).query)
        and not any(_is_known(paper, memory) for paper in page)
    ):
        at = len(papers) + len(found)
        answer = asker.fetcher.get(f"{address}&start={at}", private=feed.private)
        parsed = read_feed(answer.body, content_type=answer.content_type, url=answer.url)
        page = _papers(parsed.entries, _comments(answer.body))
        found += page
    return found


# ── papers ──


def _papers(entries: Iterable[ParsedEntry], comments: dict[str, str]) -> list[ParsedEntry]:
    return [_paper(each, comments.get(each.guid or "", "")) for each in entries]


def _paper(entry: ParsedEntry, comment: str) -> ParsedEntry:
    """Return a paper with a readable title and abstract, its version, and what kind of news."""
    said = _plain(entry.summary or entry.content_html)
    head = _HEAD.match(said)
    source = " ".join(said[head.end() if head else 0 :].split())
    kinds = _kinds(head["kind"] if head else "", _version(entry))
    title, abstract = readable(entry.title), readable(source)
    withdrawn = next((each for each in (comment, source) if _WITHDRAWN.search(each)), None)
    if withdrawn is not None:
        kinds = (WITHDRAWN, *kinds)
    parts = []
    if withdrawn is not None:
        said = _("Withdrawn: {comment}").format(comment=readable(" ".join(withdrawn.split())))
        parts.append(f"<p><strong>{_escaped(said)}</strong></p>")
    parts += [f"<p>{_escaped(abstract)}</p>", f"<p>arXiv:{_id(entry)}v{_version(entry)}</p>"]
    if (title, abstract) != (entry.title, source):
        parts.append(
            f"<details><summary>TeX</summary><p>{_escaped(entry.title)}</p>"
            f"<p>{_escaped(source)}</p></details>"
        )
    own = _id(entry)
    return replace(
        entry,
        title=title,
        url=f"https://arxiv.org/abs/{own}" if own else entry.url,
        content_html="".join(parts),
        categories=tuple(dict.fromkeys((*kinds, *entry.categories))),
        summary="",
    )


def _plain(text: str) -> str:
    """Return an abstract as text: it is plain, but for the paragraphs of older feeds."""
    return text_of(text) if _MARKUP.search(text) else text


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _kinds(announced: str, version: int) -> tuple[str, ...]:
    """Return what kind of news a paper is: new, cross, replaced, or the last two."""
    if not announced:
        return (REPLACED,) if version > 1 else ()
    kinds: tuple[str, ...] = (REPLACED,) if announced.startswith("replace") else ()
    if announced.endswith("cross"):
        kinds += (CROSS,)
    return kinds or (NEW,)


def _id(entry: ParsedEntry) -> str:
    key = identity.source_key(entry.guid or "")
    if not key.startswith("arxiv:"):
        key = identity.source_key(entry.url or "")
    return key.removeprefix("arxiv:") if key.startswith("arxiv:") else ""


def _version(entry: ParsedEntry) -> int:
    found = _VERSION.search(entry.guid or "") or _VERSION.search(entry.url or "")
    return int(found[1]) if found and len(found[1]) < 4 else 1


def _is_known(paper: ParsedEntry, memory: Memory) -> bool:
    return memory.known.get(_id(paper), 0) >= _version(paper)


def _is_wanted(paper: ParsedEntry, feed: Feed, memory: Memory) -> bool:
    """Tell whether a rule lets a paper through; one we hold always comes with its new version."""
    if _id(paper) in memory.known:
        return True
    if CROSS in paper.categories and not feed.wanted.cross:
        return False
    return not (REPLACED in paper.categories and not feed.wanted.replaced and is_daily(feed.url))


def _comments(body: bytes) -> dict[str, str]:
    """Return what authors commented, by the paper's id; only the API gives it."""
    found: dict[str, str] = {}
    if b"comment" not in body or b"<!DOCTYPE" in body:
        return found
    held = {"id": "", "comment": ""}
    open_: list[str] = []

    def start(name: str, _attributes: dict[str, str]) -> None:
        open_.append(name.rpartition(":")[2])
        if open_[-1] == "entry":
            held.update(id="", comment="")

    def end(name: str) -> None:
        if name.rpartition(":")[2] == "entry" and held["comment"]:
            found[held["id"].strip()] = held["comment"].strip()
        open_.pop()

    def text(said: str) -> None:
        if len(open_) > 1 and open_[-2] == "entry" and open_[-1] in held:
            held[open_[-1]] += said

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text
    try:
        parser.Parse(body, True)
    except (xml.parsers.expat.ExpatError, ValueError, LookupError):
        return found  # the feed itself is read by more patient means
    return found


# ── days ──


def eastern() -> tzinfo:
    """Return the zone that arXiv's days are in."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo("America/New_York")
    except ZoneInfoNotFoundError:  # a system without a list of zones
        return timezone(timedelta(hours=-5))


def expected(now: datetime) -> date:
    """Return the working day whose batch has to be there by now; holidays are not known."""
    here = (now - REBUILT).astimezone(eastern())
    day = here.date()
    while day.weekday() > 4:
        day -= timedelta(days=1)
    return day


def _day(
    memory: Memory, papers: list[ParsedEntry], now: datetime
) -> tuple[Health | None, str | None]:
    """Return how a daily source is doing by what it gives, and remember its batch."""
    memory.empty = not papers
    if not papers:
        return _nothing(now)
    days = [each.published for each in papers if each.published is not None]
    batch = max(days).astimezone(eastern()).date().isoformat() if days else ""
    said = "\n".join(sorted(each.guid or each.url or "" for each in papers))
    ids = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]
    again = bool(memory.papers) and ids == memory.papers and batch > memory.batch
    if again:  # the batch remembered stays: tomorrow it may come a third time
        return Health.STALE, _("Yesterday's papers again under a new date.")
    memory.papers, memory.batch = ids, batch
    return _state(batch, now)


def _same_day(memory: Memory, now: datetime) -> tuple[Health | None, str | None]:
    """Return how a daily source is doing that is as it was."""
    return _nothing(now) if memory.empty else _state(memory.batch, now)


def _nothing(now: datetime) -> tuple[Health, str]:
    if now.astimezone(eastern()).weekday() > 4:
        return Health.QUIET, _("arXiv announces nothing on weekends.")
    return Health.QUIET, _("arXiv announced nothing today: a holiday, or nothing in the field.")


def _state(batch: str, now: datetime) -> tuple[Health | None, str | None]:
    """Return whether a batch is the one that has to be there."""
    if not batch or batch >= expected(now).isoformat():
        return None, None
    return Health.STALE, _("The batch of {day} again; that of {expected} is not there.").format(
        day=batch, expected=expected(now).isoformat()
    )
