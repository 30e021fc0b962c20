"""What the night's run of the queue brought, for the morning after; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from reader.language import _
from reader.report.words import counted

FRESH = timedelta(hours=18)  # an older night is no news
MOST_NAMED = 4


def lines(record: Mapping[str, Any] | None, now: datetime) -> tuple[str, ...]:
    """Return a summary of what `overnight` kept, the refuted first; nothing where it is old."""
    try:
        done = list((record or {})["done"])
        ended = datetime.fromisoformat(str((record or {})["ended"]))
        if not done or not timedelta() <= now - ended <= FRESH:
            return ()
        return tuple(_lines(done, whole=bool((record or {}).get("whole"))))
    except (KeyError, TypeError, ValueError, AttributeError):
        return ()  # a file that something else wrote


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
