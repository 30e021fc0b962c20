"""Releases: which are stable, and what GitHub's REST and Atom say of one → entry. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Any
from urllib.parse import quote, unquote

from reader.model import Form, ParsedEntry, Wanted
from reader.parse.dates import parse_date
from reader.sync.bodies import as_html


class ReleaseKind(StrEnum):
    """What a release is for; it stands among its entry's categories."""

    STABLE = "stable"
    PRERELEASE = "prerelease"
    NIGHTLY = "nightly"  # and whatever else a machine tags by itself


_NIGHTLY = re.compile(
    r"(?:^|[/._-])(?:nightly|ci|ciflow|canary|snapshot|daily|trunk|viable|continuous|autobuild"
    r"|postcommit|bleeding-?edge|devbuild)(?:$|[/._\-\d])"
    r"|(?:rc|dev|pre|alpha|beta|[._-][ab])[._-]?20\d{6}|^[0-9a-f]{40}$|/[0-9a-f]{40}$",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\d[._-]?(?:a|b|c|rc|alpha|beta|pre|preview|dev|ea|m)[._-]?\d*(?![a-z])"
    r"|(?:^|[/._-])(?:alpha|beta|rc|preview|pre-?release|init)(?:$|[/._\-\d])",
    re.IGNORECASE,
)
_NAMED_NIGHTLY = re.compile(r"\W*(?:nightly|canary|snapshot|ci build|dev build)\b", re.IGNORECASE)
_NAMED_BEFORE = re.compile(r"\W*(?:alpha|beta|pre-?release|release candidate|rc)\b", re.IGNORECASE)
_DAY = re.compile(r"(?:^|\D)20\d\d[._-]?\d\d[._-]?\d\d(?:\D|$)")
_PAGE = re.compile(r"/releases/tag/([^?#]+)")


def kind_of(tag: str, name: str = "", *, marked: bool = False) -> ReleaseKind:
    """Tell what a release is by its tag and name; `marked`: its maker calls it a pre-release."""
    if _NIGHTLY.search(tag) or _NAMED_NIGHTLY.match(name) or (marked and _DAY.search(tag)):
        return ReleaseKind.NIGHTLY
    if marked or _BEFORE.search(tag) or _NAMED_BEFORE.match(name):
        return ReleaseKind.PRERELEASE
    return ReleaseKind.STABLE


def is_wanted(kind: ReleaseKind, wanted: Wanted) -> bool:
    """Tell whether a source's rule lets a kind of release through."""
    return (
        kind is ReleaseKind.STABLE
        or (kind is ReleaseKind.PRERELEASE and wanted.prereleases)
        or (kind is ReleaseKind.NIGHTLY and wanted.nightly)
    )


def kind_in(entry: ParsedEntry) -> ReleaseKind:
    """Return the kind that stands among an entry's categories."""
    kinds = [each for each in ReleaseKind if each in entry.categories]
    return kinds[0] if kinds else ReleaseKind.STABLE


def tag_of(entry: ParsedEntry) -> str:
    """Return the tag in the address of a release's page, else nothing."""
    found = _PAGE.search(entry.url or "")
    return unquote(found[1]) if found else ""


def from_rest(said: Any, project: str) -> ParsedEntry | None:
    """Return the entry of a release as REST gives it; None for a draft or what is none."""
    tag = _text(said, "tag_name")
    if not tag or said.get("draft"):
        return None
    name = " ".join(_text(said, "name").split())
    url = _text(said, "html_url")
    if not _PAGE.search(url):
        url = f"https://github.com/{project}/releases/tag/{quote(tag, safe='/')}"
    published = parse_date(_text(said, "published_at") or _text(said, "created_at"))
    return ParsedEntry(
        title=name or tag,
        # It outlives the repository's name, and no other service counts like this.
        guid=f"github-release:{said['id']}" if isinstance(said.get("id"), int) else url,
        url=url,
        authors=tuple(filter(None, (_text(said.get("author"), "login"),))),
        published=published,
        updated=parse_date(_text(said, "updated_at")) or published,
        content_html=_text(said, "body_html") or as_html(_text(said, "body"), Form.MARKDOWN),
        categories=(kind_of(tag, name, marked=bool(said.get("prerelease"))),),
        base_url=url,
    )


def from_atom(entries: Iterable[ParsedEntry]) -> list[ParsedEntry]:
    """Return the entries of a releases.atom with their kind, told by tag and title."""
    return [
        replace(
            each,
            title=" ".join(each.title.split()) or tag_of(each),
            categories=(kind_of(tag_of(each), each.title),),
        )
        for each in entries
    ]


def _text(said: Any, name: str) -> str:
    value = said.get(name) if isinstance(said, dict) else None
    return value if isinstance(value, str) else ""
