"""What a server says about when to come back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST = 7 * 86400.0  # seconds; no source is left alone for longer, whatever it says
SHORTEST = 1.0


def retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110 section 10.2.3), 1 to a week.

    None where there is none or it cannot be read.
    """
    if not value:
        return None
    value = value.strip()
    if re.fullmatch(r"-?\d+(?:\.\d+)?", value):
        seconds = float(value[:20])
    else:
        moment = _http_date(value)
        if moment is None:
            return None
        seconds = (moment - now).total_seconds()
    return min(max(seconds, SHORTEST), LONGEST)


def limit_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return for how long a host that counts requests gives no more (x-ratelimit-*), else None."""
    if headers.get("x-ratelimit-remaining", "").strip() != "0":
        return None
    reset = headers.get("x-ratelimit-reset", "").strip()
    if not re.fullmatch(r"\d{1,12}", reset):
        return None
    return min(max(int(reset) - now.timestamp() + 1.0, SHORTEST), LONGEST)


def cache_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return for how long an answer stays fresh by its own word; None where it says nothing."""
    control = headers.get("cache-control", "").lower()
    if "no-cache" in control or "no-store" in control:
        return None
    if found := re.search(r"max-age\s*=\s*\"?(\d{1,9})", control):
        return min(float(found[1]), LONGEST)
    moment = _http_date(headers.get("expires", ""))
    if moment is None:
        return None
    return min(max((moment - now).total_seconds(), 0.0), LONGEST)


def _http_date(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
