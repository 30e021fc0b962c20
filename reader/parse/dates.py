"""Dates as feeds write them → aware datetimes; None where it is not certain."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, timezone, tzinfo

_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_HOURS = {
    "ut": 0, "utc": 0, "gmt": 0, "z": 0, "wet": 0,
    "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
    "akst": -9, "akdt": -8, "hst": -10, "ast": -4, "adt": -3, "brt": -3,
    "cet": 1, "cest": 2, "met": 1, "mest": 2, "west": 1, "eet": 2, "eest": 3, "bst": 1, "msk": 3,
    "ist": 5.5, "jst": 9, "kst": 9, "hkt": 8, "sgt": 8, "awst": 8, "aest": 10, "aedt": 11,
    "nzst": 12, "nzdt": 13,
}  # fmt: skip
_TIME = (
    r"(?:(?P<half>上午|下午|凌晨|早上|中午|晚上)?\s*(?P<hour>\d{1,2})\s*[:时時点點.]\s*(?P<minute>\d{1,2})"
    r"(?:\s*[:分.]\s*(?P<second>\d{1,2})(?:[.,]\d+)?)?\s*[分秒]?\s*(?P<ampm>[ap]\.?m\.?)?)"
)
_ZONE = (
    r"(?P<zone>(?:(?:utc|gmt)\s*)?[+-]\d{1,2}:?\d{2}|(?:utc|gmt)\s*[+-]\d{1,2}|[a-z]{1,5})?"
    r"(?:\s*\([^)]*\))?"
)
_DAY_NAME = re.compile(
    r"^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+|(?:星期|周|週)[一二三四五六日天]\s*,?\s*)"
)
_MONTH = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_SHAPES = [
    re.compile(shape, re.ASCII)
    for shape in (
        rf"(?P<year>\d{{4}})\s*(?:[-/.年]\s*(?P<month>\d{{1,2}})\s*(?:[-/.月]\s*(?P<day>\d{{1,2}})\s*日?)?)?"
        rf"(?:[t,\s]*{_TIME})?\s*{_ZONE}",
        rf"(?P<year>\d{{4}})(?P<month>\d\d)(?P<day>\d\d)(?:t(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?)?{_ZONE}",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+{_MONTH}[\s,-]+(?P<year>\d{{4}}|\d\d)(?:[,\s]+{_TIME})?\s*{_ZONE}",
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})(?:[,\s]+(?:at\s+)?{_TIME})?\s*{_ZONE}",
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})\s+{_TIME}\s*{_ZONE}\s*(?P<year>\d{{4}})",
        rf"(?P<one>\d{{1,2}})[/.](?P<other>\d{{1,2}})[/.](?P<year>\d{{4}})(?:[,\s]+{_TIME})?\s*{_ZONE}",
    )
]

_USUAL = re.compile(
    r"(?:(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?"
    r"(\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) ([12]\d{3}) "
    r"|([12]\d{3}-\d\d-\d\d)T)([01]\d:[0-5]\d:[0-5]\d|2[0-3]:[0-5]\d:[0-5]\d)"
    r"(?:Z| GMT| ?([+-])([01]\d|2[0-3]):?([0-5]\d))\Z",
    re.ASCII,
)


# The zone that the person gave the feed which is being read.
_given: ContextVar[tzinfo | None] = ContextVar("given zone", default=None)


@contextmanager
def given_zone(name: str) -> Generator[None, None, None]:
    """Read times without a zone as those of a zone, while it lasts; an unknown one is none."""
    token = _given.set(zone_of(name))
    try:
        yield
    finally:
        _given.reset(token)


def zone_of(name: str) -> tzinfo | None:
    """Return the zone of Asia/Shanghai, +08:00, UTC+8 or CET; None where there is no such zone."""
    from zoneinfo import ZoneInfo

    words = name.strip()
    if not words:
        return None
    if re.fullmatch(r"[A-Za-z_+-]+(?:/[\w+-]+)+", words, re.ASCII):
        try:
            return ZoneInfo(words)
        except (ValueError, OSError, LookupError):
            return None
    return _zone(words.lower(), "")


def parse_date(text: str | None, language: str | None = None) -> datetime | None:
    """Return an instant in UTC; None for what is no date, or lies before 1971.

    Chinese feeds mean +08:00 where they give no zone, and by CST; others mean UTC and -06:00.
    """
    if not text or len(text) > 120:
        return None
    if found := _USUAL.match(text):
        return _usual(found)
    words = " ".join(unicodedata.normalize("NFKC", text).split()).lower()
    if re.fullmatch(r"\d{10}|\d{13}", words):
        return _plausible(datetime.fromtimestamp(int(words[:10]), UTC))
    words = re.sub(r"(日\s*)(?:星期|周|週)[一二三四五六日天]", r"\1", _DAY_NAME.sub("", words))
    for shape in _SHAPES:
        if found := shape.fullmatch(words.strip()):
            return _instant(found.groupdict(), (language or "").lower())
    return None


def _usual(found: re.Match[str]) -> datetime | None:
    """Read what nearly all feeds write, RFC 822 with a number for its zone or ISO 8601."""
    day, name, year, iso, clock, sign, hours, minutes = found.groups()
    date = iso or f"{year}-{_MONTHS[name.lower()]:02}-{int(day):02}"
    zone = f"{sign}{hours}:{minutes}" if sign else "+00:00"
    try:
        return _plausible(datetime.fromisoformat(f"{date}T{clock}{zone}").astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def _instant(found: dict[str, str | None], language: str) -> datetime | None:
    zone = _zone(found.get("zone"), language)
    if zone is None:
        return None
    year = int(found["year"] or 0)
    if year < 100:
        year += 2000 if year < 70 else 1900
    month, day = _month_and_day(found, language)
    second = min(int(found.get("second") or 0), 59)
    hour = _hour(found)
    try:
        moment = datetime(
            year, month, day, hour % 24, int(found.get("minute") or 0), second, tzinfo=zone
        ) + timedelta(days=hour // 24)
        return _plausible(moment.astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def _month_and_day(found: dict[str, str | None], language: str) -> tuple[int, int]:
    if "one" not in found:
        month = _MONTHS.get(found.get("name") or "") or int(found.get("month") or 1)
        return month, int(found.get("day") or 1)
    one, other = int(found["one"] or 0), int(found["other"] or 0)
    if one == other or other > 12 or language == "en-us":
        return one, other
    # Which is the month is not certain: better no date than a wrong one.
    return (other, one) if one > 12 else (0, 0)


def _hour(found: dict[str, str | None]) -> int:
    hour = int(found.get("hour") or 0)
    half = (found.get("ampm") or found.get("half") or "").replace(".", "")
    if half in ("pm", "下午", "晚上", "中午") and hour < 11 + (half != "中午"):
        return hour + 12
    return 0 if hour == 12 and half in ("am", "凌晨", "上午") else hour


def _zone(name: str | None, language: str) -> tzinfo | None:
    """Return a zone; None where its name is not known and the instant therefore neither."""
    chinese = language.startswith("zh")
    if not name:
        return _given.get() or (timezone(timedelta(hours=8)) if chinese else UTC)
    if name == "cst" and chinese:
        return timezone(timedelta(hours=8))
    if name in _HOURS:
        return timezone(timedelta(hours=_HOURS[name]))
    found = re.fullmatch(r"(?:utc|gmt)?\s*([+-])(\d{1,2}):?(\d{2})?", name)
    if not found:
        return None
    offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    if offset >= timedelta(hours=24):
        return None
    return timezone(-offset if found[1] == "-" else offset)


def _plausible(moment: datetime) -> datetime | None:
    # The epoch and year 1 are what programs write when they know nothing.
    return moment if moment.year > 1970 else None
