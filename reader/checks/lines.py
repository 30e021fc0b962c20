"""Where a TOML key stands: tomllib gives no lines, so the text is scanned for them; pure."""

from __future__ import annotations

import re
from collections import Counter

Place = tuple[str | int, ...]

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*((?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*[A-Za-z0-9_\"'-]+)*)\s*=")
_TRIPLE = re.compile(r"\"\"\"|'''")


class Lines:
    """The line of each table and key of one manifest, counted from 1."""

    def __init__(self, text: str) -> None:
        self._places: dict[Place, int] = {}
        arrays: Counter[str] = Counter()
        table: Place = ()
        inside = False  # a multi-line string
        for number, line in enumerate(text.splitlines(), 1):
            was_inside = inside
            if len(_TRIPLE.findall(line)) % 2:
                inside = not inside
            if was_inside:
                continue
            if header := _HEADER.fullmatch(line):
                table = _table(header.group(2), header.group(1) == "[[", arrays)
                self._add(table, number)
            elif key := _KEY.match(line):
                self._add((*table, *_parts(key.group(1))), number)

    def _add(self, place: Place, number: int) -> None:
        for length in range(1, len(place) + 1):
            self._places.setdefault(place[:length], number)

    def of(self, place: Place) -> int:
        """Return the line of `place`, or of the nearest table around it; 1 for the file."""
        for length in range(len(place), 0, -1):
            if place[:length] in self._places:
                return self._places[place[:length]]
        return 1


def _table(name: str, array: bool, arrays: Counter[str]) -> Place:
    parts = _parts(name)
    if array:
        arrays[name] += 1
        return (*parts, arrays[name] - 1)
    # [claims.because] belongs to the [[claims]] above it
    if parts[0] in arrays:
        return (parts[0], arrays[parts[0]] - 1, *parts[1:])
    return parts


def _parts(key: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in key.split("."))
