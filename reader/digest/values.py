"""Single values out of a digest's words: scores, layers, sources, times, counts, titles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from urllib.parse import urlsplit

from reader import identity
from reader.digest.blocks import Link
from reader.digest.typography import plain
from reader.model import Layer, Source

CHINA = timezone(timedelta(hours=8))  # both generators write +08:00

_LAYERS = {layer.value: layer for layer in Layer}
_SCORE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*(?:/\s*(\d{1,3}(?:\.0)?))?\s*(?:分|points?)?\.?$")
_COUNT = re.compile(
    r"(.+?)\s*[:：]?\s*(\d+)\s*(?:条|篇|个|项|entries|entry|items?)?\s*[。.]?$", re.I
)
_SOURCE_NAMES = re.compile(
    r"[、；;|]\s*|[，,\s]\s*(?=https?://)"
    r"|(?<=\d)[，,\s]\s*(?=(?:#|(?:原始)?来源|(?:original |primary )?sources?)\s*\d)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^(\d{1,3})\s*(?:[.、．)]|\\\.)\s*(?!\d)(.*)$", re.DOTALL)
_VERSION = re.compile(
    r"(?:(?:release|version|版本|发布)\s*)?v?\d+(?:\.\d+)+(?:[-.+]?[a-z0-9]+)*(?:\s*(?:release|发布|版本))?",
    re.I,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def score(text: str) -> float | None:
    """Return a score out of 100, or None when the words hold none."""
    found = _SCORE.match(plain(text).strip())
    if not found:
        return None
    value, whole = float(found[1]), float(found[2] or 100)
    if not 0 < whole <= 100 or value > whole:
        return None
    return value if whole == 100 else round(value / whole * 100, 2)


def layers(text: str) -> tuple[tuple[Layer, ...], tuple[str, ...]]:
    """Return the site's layers a line names, in its order, and the names that are none of them."""
    known: list[Layer] = []
    unknown: list[str] = []
    for part in re.split(r"[、，,/;；|]|\s+(?:and|和|与)\s+", text):
        name = part.strip(" `。.")
        layer = _LAYERS.get(re.sub(r"[\s-]+", "_", plain(name).lower()))
        if layer:
            known.append(layer)
        elif name:
            unknown.append(name)
    return tuple(dict.fromkeys(known)), tuple(dict.fromkeys(unknown))


def sources(text: str, links: Iterable[Link]) -> tuple[Source, ...]:
    """Return the sources a line names: its links, then names that stand there without one."""
    found = [Source(link.text, _address(link.url)) for link in links]
    rest = text
    for link in links:
        rest = rest.replace(link.text, "\n", 1)
    for line in rest.split("\n"):
        for part in _SOURCE_NAMES.split(line):
            name = part.strip(" `。.，,")
            if re.match(r"https?://\S+$", name):
                found.append(Source(name, name))
            elif re.search(r"\w", name) and name not in ("和", "与", "and"):
                found.append(Source(name))
    return tuple(dict.fromkeys(found))


def _address(url: str) -> str | None:
    return url if re.match(r"https?://[^/\s]+", url) else None


def host(url: str | None) -> str | None:
    """Return the host of an address, or None when it has none or is no address at all."""
    try:
        return urlsplit(url).hostname if url and "//" in url else None
    except ValueError:  # such as `http://[`
        return None


def counts(text: str) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
    """Return the raw entries by source, and the parts that name no number."""
    known: list[tuple[str, int]] = []
    unknown: list[str] = []
    for part in re.split(r"[，,、；;]\s*", text):
        found = _COUNT.match(part.strip()) if len(part) < 200 else None
        if found and len(found[2]) < 10:
            known.append((found[1].strip(), int(plain(found[2]))))
        elif part.strip(" 。."):
            unknown.append(part.strip())
    return tuple(known), tuple(unknown)


def numbered(text: str) -> tuple[int | None, str]:
    """Return the number in front of a heading and the rest."""
    found = _NUMBERED.match(text)
    return (int(plain(found[1])), found[2].strip()) if found else (None, text)


# ── titles ─────────────────────────────────────────────────────────────────────────────────────


def is_version(title: str) -> bool:
    """Return whether a title is nothing but a version, so that its project is missing."""
    return len(title) < 60 and _VERSION.fullmatch(title.strip()) is not None


def completed(title: str, named: Iterable[Source]) -> str:
    """Return a version-only title with its project in front, from the first source that tells."""
    if not is_version(title):
        return title
    for source in named:
        project = identity.project_of(source.url) if source.url else None
        if project:
            version = re.sub(
                r"^(?:release|version|版本|发布)\s*|\s*(?:release|发布|版本)$",
                "",
                title,
                flags=re.I,
            )
            return f"{project[1]} {version}"
    return title


_SUBJECT = re.compile(
    r"[A-Za-z@#][\w.+#@/-]*(?:\s+(?:[A-Z][\w.+#-]*|v?\d+(?:\.\d+)+[\w.-]*|x|for|of|and)(?=\W|$))*"
)
_COMMON = re.compile(
    r"an?|the|th(?:is|at|ese|ose|ey|eir)|we|its?|our|in|on|at|for|from|with|by|to|of|and|or|as|both"
    r"|two|three|several|authors?|researchers?|papers?|works?|articles?|study|new|release",
    re.IGNORECASE,
)


def derived(text: str, named: Iterable[Source]) -> str:
    """Return a title for an item without one: its text's first named subject, else its source."""
    first = re.split(r"[。！？!?；;：:]|\.\s", numbered(text)[1], maxsplit=1)[0]
    for found in _SUBJECT.finditer(first[:400]):
        words = found[0].split()
        while words and _COMMON.fullmatch(words[0]):
            words = words[1:]
        while words and words[-1] in ("for", "of", "and", "x"):
            words.pop()
        name = " ".join(words)
        if re.search(r"[A-Z0-9@#]", name) and len(name) > 1:
            return name.rstrip(".-/")
    for source in named:
        project = identity.project_of(source.url) if source.url else None
        if project:
            return project[1]
    clause = re.split(r"[，,、（(]", first, maxsplit=1)[0].strip()
    return clause if len(clause) <= 60 else clause[:59].rstrip() + "…"


# ── times ──────────────────────────────────────────────────────────────────────────────────────

_INSTANT = re.compile(
    r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})[T\s]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?"
)
_CHINESE_DAY = re.compile(r"(?:(\d{4})\s*年\s*)?(\d{1,2})\s*月\s*(\d{1,2})\s*日")
_ISO_DAY = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_ENGLISH_DAY = re.compile(
    r"\b(?:(\d{1,2})\s+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s*(\d{1,2})?(?!\d)(?:,?\s+(\d{4}))?",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?<![\d:+-])(\d{1,2}):(\d{2})(?![\d:])")
_ZONE = re.compile(r"(?:UTC|GMT)?\s*([+-])(\d{1,2}):?(\d{2})?(?!\d)|\b(?:UTC|GMT|Z)\b|北京时间|CST")
_YEAR = re.compile(r"(?<!\d)(20\d{2})(?!\d)")


def instant(text: str) -> datetime | None:
    """Return an ISO instant; one without a zone is the generators' +08:00."""
    found = _INSTANT.search(plain(text))
    return _made_instant(found) if found else None


def instants(text: str) -> list[datetime]:
    """Return every ISO instant in a line."""
    made = [_made_instant(found) for found in _INSTANT.finditer(plain(text))]
    return [each for each in made if each is not None]


def _made_instant(found: re.Match[str]) -> datetime | None:
    year, month, day, hour, minute, second = (int(each or 0) for each in found.groups()[:6])
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=zone(found[7] or "+08:00"))
    except ValueError:
        return None


def zone(text: str) -> timezone | None:
    """Return the zone a text names, such as （UTC+08:00）; None when it names none."""
    found = _ZONE.search(plain(text))
    if not found:
        return None
    if not found[1]:
        return CHINA if found[0] in ("北京时间", "CST") else UTC
    hours, minutes = int(found[2]), int(found[3] or 0)
    if hours > 14 or minutes > 59:
        return None
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if found[1] == "-" else offset)


def day(text: str, near: date | None = None) -> date | None:
    """Return the first day a text names; one without a year takes the year nearest to `near`."""
    text = plain(text)
    found = _ISO_DAY.search(text)
    if found:
        return _made_day(int(found[1]), int(found[2]), int(found[3]))
    year = _YEAR.search(text)
    chinese = _CHINESE_DAY.search(text)
    if chinese:
        named = chinese[1] or (year[1] if year else None)
        return _in_year(named, int(chinese[2]), int(chinese[3]), near)
    for english in _ENGLISH_DAY.finditer(text):
        number = english[3] or english[1]
        if number:
            named = english[4] or (year[1] if year else None)
            month = _MONTHS.index(english[2].lower()) + 1
            return _in_year(named, month, int(number), near)
    return None


def _in_year(year: str | None, month: int, number: int, near: date | None) -> date | None:
    if year:
        return _made_day(int(year), month, number)
    if near is None:
        return None
    days = [_made_day(near.year + shift, month, number) for shift in (-1, 0, 1)]
    return min((each for each in days if each), key=lambda each: abs(each - near), default=None)


def _made_day(year: int, month: int, number: int) -> date | None:
    try:
        return date(year, month, number)
    except ValueError:
        return None


def moment(text: str, where: timezone | None = None, near: date | None = None) -> datetime | None:
    """Return the day and clock time a text names, in its own zone, else in `where`, else +08:00."""
    exact = instant(text)
    if exact:
        return exact
    settled_day, clock = day(text, near), _CLOCK.search(plain(text))
    if settled_day is None or clock is None or int(clock[1]) > 23 or int(clock[2]) > 59:
        return None
    after = plain(text)[clock.end() : clock.end() + 20]
    here = zone(after) or where or CHINA
    return datetime(
        settled_day.year,
        settled_day.month,
        settled_day.day,
        int(clock[1]),
        int(clock[2]),
        tzinfo=here,
    )


_COMMIT = re.compile(
    r"(?:合入|提交|合并|落地|commit|merged(?: as)?|landed(?: as)?|/commit/)\s*"
    r"(?:了|为|at|in)?\s*[（(`#:：]?\s*([0-9a-f]{7,40})(?![0-9A-Za-z])",
    re.IGNORECASE,
)
_HASH = re.compile(r"(?<![0-9A-Za-z/.#_-])([0-9a-f]{7,40})(?![0-9A-Za-z_])")


def commit(text: str) -> str | None:
    """Return the first commit a text names by its hash."""
    found = _COMMIT.search(text)
    if found:
        return found[1].lower()
    for bare in _HASH.finditer(text):
        if re.search(r"\d", bare[1]) and re.search(r"[a-f]", bare[1]):
            return bare[1]
    return None
