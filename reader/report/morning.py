"""What the night's run of the queue brought, for the morning after; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from reader.language import _
from reader.report.words import counted

FRESH = timedelta(hours=18)  # an older night is no news
MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Morning:
    """A summary in lines, the first of them the whole, and whether anything was refuted."""

    lines: tuple[str, ...]
    refuted: bool


def summary(record: Mapping[str, Any] | None, now: datetime) -> Morning | None:
    """Return what `overnight` kept as a summary; None where it is old or there is nothing."""
    try:
        done = list((record or {})["done"])
        ended = datetime.fromisoformat(str((record or {})["ended"]))
        if not done or not timedelta() <= now - ended <= FRESH:
            return None
        said = tuple(_lines(done, whole=bool((record or {}).get("whole"))))
        return Morning(said, any(each["verdicts"].get("refuted") for each in done))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None  # a file that something else wrote


def _lines(done: list[dict[str, Any]], *, whole: bool) -> list[str]:
    ran = [each for each in done if each.get("run")]
    total: dict[str, int] = {}
    for each in ran:
        for verdict, count in each["verdicts"].items():
            total[verdict] = total.get(verdict, 0) + int(count)
    said = [_("Overnight: checks run {n}; {verdicts}").format(n=len(ran), verdicts=counted(total))]
    refuted = [each for each in ran if each["verdicts"].get("refuted")]
    if refuted:
        names = [f"{each['check']} ({each['run']})" for each in refuted[:MOST_NAMED]]
        said.append(_("Refuted by: {checks}").format(checks=", ".join(names)))
    left = [each for each in done if not each.get("run")]
    if left:
        named = ", ".join(f"{each['check']} ({_why(each)})" for each in left[:MOST_NAMED])
        said.append(_("Left out: {checks}").format(checks=named))
    if not whole:
        said.append(_("It was cut short; what waits still stands in the queue"))
    return said


def _why(each: Mapping[str, Any]) -> str:
    words = {"time": _("no time left"), "disk": _("no disk left")}
    return words.get(str(each.get("why")), "") or str(each.get("said") or _("failed"))[:80]
