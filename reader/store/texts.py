"""What of an entry or item is searched, classified and shown in one line."""

from __future__ import annotations

from collections.abc import Iterable

from reader.model import ParsedItem

SNIPPET = 280  # characters of text in a list row


def snippet(text: str) -> str:
    """Return the beginning of a text on one line."""
    return " ".join(text[: SNIPPET * 4].split())[:SNIPPET]


def entry_body(content_text: str, authors: Iterable[str]) -> str:
    """Return what is searched of an entry besides its title."""
    return "\n".join((content_text, *authors))


def item_body(item: ParsedItem) -> str:
    """Return what is searched of an item besides its title."""
    parts = (
        item.summary,
        item.why,
        item.body,
        item.reported_result,
        item.scenario,
        item.first_step,
        item.action_window,
        item.section,
        item.group,
        item.commit,
        *(part for source in item.sources for part in (source.title, source.url)),
    )
    return "\n".join(part for part in parts if part)


def item_text(item: ParsedItem) -> str:
    """Return what our labels of an item are made from besides its title, without its layers."""
    parts = (item.summary, item.why, item.body, item.reported_result, item.scenario)
    return "\n\n".join(part for part in parts if part)
