"""How often a feed publishes, and when it asks to be left alone: read from what it gives. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from datetime import datetime

from reader.model import ParsedFeed

LATEST = 12  # entries that tell a feed's rhythm
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PERIODS = {"hourly": 3600, "daily": 86400, "weekly": 604800, "monthly": 2592000}


@dataclass(frozen=True, slots=True)
class Pace:
    """What a feed tells of when to ask; times in seconds, 0 where it tells nothing."""

    gap: float = 0.0  # usual time between two entries
    newest: float = 0.0  # when the newest came out, since the epoch
    ttl: float = 0.0  # its own word for how long it stays as it is
    hours: tuple[int, ...] = ()  # of the day in GMT, in which nothing comes (skipHours)
    days: tuple[int, ...] = ()  # of the week, Monday is 0, likewise (skipDays)

    def dump(self) -> str:
        """Return it as text for the store."""
        return json.dumps(asdict(self))

    @staticmethod
    def load(text: str | None) -> Pace:
        """Read it back; what cannot be read tells nothing."""
        try:
            raw = json.loads(text or "{}")
            return Pace(
                float(raw.get("gap", 0)),
                float(raw.get("newest", 0)),
                float(raw.get("ttl", 0)),
                tuple(int(each) for each in raw.get("hours", ())),
                tuple(int(each) for each in raw.get("days", ())),
            )
        except (ValueError, TypeError, AttributeError):
            return Pace()


def pace_of(body: bytes, parsed: ParsedFeed, now: datetime) -> Pace:
    """Return what a document tells; `parsed` is the same document read."""
    gap, newest = _rhythm(parsed, now)
    if parsed.format not in ("rss", "rdf", "atom"):
        return Pace(gap, newest)
    around = _around(body)
    return Pace(gap, newest, _ttl(around), _hours(around), _days(around))


def _rhythm(parsed: ParsedFeed, now: datetime) -> tuple[float, float]:
    """Return the mean gap of the latest entries, and when the newest came out.

    The mean, for many publish several at once and then nothing for a week. What lies in the
    future does not count.
    """
    dates = (each.published or each.updated for each in parsed.entries)
    stamps = sorted((each.timestamp() for each in dates if each is not None), reverse=True)
    past = [each for each in stamps if each <= now.timestamp()][:LATEST]
    if len(past) < 2:
        return 0.0, past[0] if past else 0.0
    return (past[0] - past[-1]) / (len(past) - 1), past[0]


def _around(body: bytes) -> str:
    """Return what a document says of itself: the text before, and behind, its entries."""
    starts = [at for at in (body.find(b"<item"), body.find(b"<entry")) if at >= 0]
    if not starts:
        return body[:65536].decode("latin-1")
    # What stands behind <item> may be <items> of RDF, which is no matter here.
    end = max(body.rfind(b"</item>"), body.rfind(b"</entry>"), min(starts))
    return (body[: min(starts)][:65536] + body[end:][:65536]).decode("latin-1")


def _ttl(text: str) -> float:
    if found := re.search(r"<ttl>\s*(\d{1,7})\s*</ttl>", text, re.IGNORECASE):
        return int(found[1]) * 60.0
    period = re.search(r"<sy:updatePeriod>\s*(\w+)\s*<", text, re.IGNORECASE)
    seconds = _PERIODS.get(period[1].lower(), 0) if period else 0
    often = re.search(r"<sy:updateFrequency>\s*(\d{1,4})\s*<", text, re.IGNORECASE)
    return seconds / max(int(often[1]) if often else 1, 1)


def _within(text: str, name: str) -> str:
    found = re.search(rf"<{name}>(.*?)</{name}>", text, re.IGNORECASE | re.DOTALL)
    return found[1] if found else ""


def _hours(text: str) -> tuple[int, ...]:
    inside = re.findall(r"<hour>\s*(\d{1,2})\s*</hour>", _within(text, "skipHours"), re.IGNORECASE)
    # Some count from 1 to 24.
    return tuple(sorted({int(each) % 24 for each in inside if int(each) <= 24}))


def _days(text: str) -> tuple[int, ...]:
    inside = re.findall(r"<day>\s*(\w+)\s*</day>", _within(text, "skipDays"), re.IGNORECASE)
    return tuple(sorted({_DAYS.index(each.lower()) for each in inside if each.lower() in _DAYS}))
