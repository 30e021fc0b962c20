"""JSON Feed 1 and 1.1, read tolerantly."""

from __future__ import annotations

import json
from html import escape
from typing import Any
from urllib.parse import urljoin

from reader.errors import NotUnderstood
from reader.language import _
from reader.model import ParsedEntry, ParsedFeed
from reader.parse.dates import parse_date
from reader.parse.texts import paragraphs, web_address


def read(text: str, url: str | None) -> ParsedFeed:
    """Read a JSON Feed; raises NotUnderstood for other JSON."""
    try:
        # strict=False: a line break inside a string is no reason to lose a feed.
        raw = json.loads(text, strict=False, parse_int=str, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise NotUnderstood(
            _("This begins like JSON, but it is damaged. Try again later.")
        ) from error
    if not isinstance(raw, dict) or not isinstance(raw.get("items"), list):
        raise NotUnderstood(_("This is JSON, but no JSON Feed. Check the address."))
    language = _text(raw.get("language")) or None
    base = url or _text(raw.get("feed_url")) or _text(raw.get("home_page_url")) or None
    entries = [_entry(each, language, base) for each in raw["items"] if isinstance(each, dict)]
    left_out = len(raw["items"]) - len(entries)
    notice = _("{count} entries had nothing in them and were left out.").format(count=left_out)
    return ParsedFeed(
        title=_text(raw.get("title")),
        format="jsonfeed",
        url=web_address(_text(raw.get("home_page_url")), base),
        self_url=web_address(_text(raw.get("feed_url")), base),
        language=language,
        entries=tuple(entries),
        notices=(notice,) if left_out else (),
    )


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8").strip()
    return "" if value is None or isinstance(value, (bool, dict, list)) else str(value)


def _list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _entry(raw: dict[str, Any], language: str | None, base: str | None) -> ParsedEntry:
    url = web_address(_text(raw.get("url")) or _text(raw.get("external_url")), base)
    guid = _text(raw.get("id")) or None
    html = _text(raw.get("content_html")) or paragraphs(_text(raw.get("content_text")))
    image = web_address(_text(raw.get("image")), base)
    if image and image not in html:
        html = f'<p><img src="{escape(image)}" alt=""></p>{html}'
    authors = [
        _text(each.get("name")) if isinstance(each, dict) else _text(each)
        for each in _list(raw.get("authors")) + _list(raw.get("author"))
    ]
    attached = (
        _text(each.get("url")) for each in _list(raw.get("attachments")) if isinstance(each, dict)
    )
    return ParsedEntry(
        title=_text(raw.get("title")),
        guid=guid,
        url=url or (guid if guid and guid.startswith(("http://", "https://")) else None),
        authors=tuple(dict.fromkeys(filter(None, authors))),
        published=parse_date(_text(raw.get("date_published")), language),
        updated=parse_date(_text(raw.get("date_modified")), language),
        content_html=html,
        categories=tuple(filter(None, map(_text, _list(raw.get("tags"))))),
        enclosures=tuple(urljoin(base or "", each) for each in attached if each),
        base_url=url or base,
        summary=_text(raw.get("summary")),
    )
