"""The small cases under data/cases: each an odd input with what must come of it."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import datetime
from pathlib import Path
from typing import Any

from reader.model import ParsedEntry, ParsedFeed
from reader.sanitise import clean_html, clean_text, images, text_of

CASES = Path(__file__).parent / "data" / "cases"


def names(*kinds: str) -> list[str]:
    """Return the cases of the given kinds."""
    return [
        folder.name for folder in sorted(CASES.iterdir()) if expected(folder.name)["kind"] in kinds
    ]


def expected(name: str) -> dict[str, Any]:
    """Return what must come of a case."""
    found: dict[str, Any] = json.loads((CASES / name / "expect.json").read_text("utf-8"))
    return found


def instant(text: str | None) -> datetime | None:
    """Return an instant as the cases write it."""
    return datetime.fromisoformat(text) if text else None


def check_feed(feed: ParsedFeed, expect: dict[str, Any]) -> None:
    """Assert everything a case says of one parsed document."""
    titles = [clean_text(each.title) for each in feed.entries]
    if "n_entries" in expect:
        assert len(feed.entries) == expect["n_entries"], titles
    if "n_entries_any_of" in expect:
        assert len(feed.entries) in expect["n_entries_any_of"], titles
    for title in expect.get("must_include_titles", ()):
        assert title in titles
    for entry, wanted in zip(feed.entries, expect.get("entries", ()), strict=False):
        _check_entry(entry, wanted)
    everything = repr(feed).encode().decode("utf-8") + "".join(
        text_of(each.content_html) for each in feed.entries
    )
    if expect.get("no_control_chars_in_output"):
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe]", "".join(titles) + everything)


def _check_entry(entry: ParsedEntry, wanted: dict[str, Any]) -> None:
    cleaned = clean_html(entry.content_html, entry.base_url)
    said = {
        "id": entry.guid,
        "title": clean_text(entry.title),
        "url": entry.url,
        "published": entry.published,
        "updated": entry.updated,
        "content_text": text_of(entry.content_html),
        "content": cleaned,
        "summary_text": text_of(entry.summary),
        "author_text": ", ".join(map(clean_text, entry.authors)),
        "enclosures": list(entry.enclosures),
        "thumbnail": next(iter(images(cleaned)), None),
    }
    for key, value in wanted.items():
        _check_field(said, key, value)


def _check_field(said: dict[str, Any], key: str, value: Any) -> None:
    dates = ("published", "updated")
    if key in said:
        assert said[key] == (instant(value) if key in dates else value), key
    elif key.endswith("_any_of"):
        name = key.removesuffix("_any_of")
        assert said[name] in [instant(v) if name in dates else v for v in value], said[name]
    elif key == "title_normalised":
        plain = said["title"].replace("\u00a0", " ").replace("\u00ad", "")
        assert unicodedata.normalize("NFC", plain) == value
    elif key == "title_stripped_of_controls":
        assert said["title"] == value
    elif key.endswith("_not_contains"):
        assert all(each not in said[key.removesuffix("_not_contains")] for each in value)
    elif key.endswith("_contains"):
        texts = [value] if isinstance(value, str) else value
        for each in texts:
            assert each in said[key.removesuffix("_contains")]
    else:
        assert key in ("sort_time_max", "rendered_dom_must_not_have"), f"not evaluated: {key}"
