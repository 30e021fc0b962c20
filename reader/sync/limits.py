"""How much of one document is read: a feed of fifty thousand entries costs no more than its share.

Pure, on the bytes as they came, before any parser makes objects of them.
"""

from __future__ import annotations

import re

MOST_ENTRIES = 10_000
_ENDS = re.compile(rb"</(?:item|entry)\s*>")


def trimmed(body: bytes, most: int = MOST_ENTRIES) -> tuple[bytes, int]:
    """Return a document with its first `most` entries, and how many it had where some are left out.

    What cannot be counted (JSON, UTF-16) is returned as it is, with 0.
    """
    if body.count(b"</item") + body.count(b"</entry") <= most:
        return body, 0
    count, cut, last = 0, 0, 0
    for found in _ENDS.finditer(body):
        count, last = count + 1, found.end()
        if count == most:
            cut = last
    return (body[:cut] + body[last:], count) if count > most else (body, 0)
