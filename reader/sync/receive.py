"""A parsed entry → Incoming: divided where it is a digest, labelled by our rules. Pure."""

from __future__ import annotations

from dataclasses import replace

from reader import classify, digest
from reader.model import Form, Incoming, Labels, ParsedDigest, ParsedEntry, ParsedItem
from reader.sanitise import clean_text, text_of
from reader.store.texts import item_text

TITLE = 90  # characters of a title made of the text's first line


def incoming(
    entry: ParsedEntry, form: Form | None = None, *, divide: bool = True, content: str | None = None
) -> Incoming:
    """Return an entry with what the pure rooms make of it.

    `form` is how its content is written, found out where it is None; `content` is the text as
    published, where the entry holds it converted to HTML. Without `divide` it is an ordinary post.
    """
    text = text_of(entry.content_html)
    if not entry.title.strip():
        entry = replace(entry, title=_first_line(text) or entry.url or "")
    if divide:
        read = digest.read(
            entry.content_html if content is None else content,
            form=form,
            title=entry.title,
            url=entry.url,
            published=entry.published,
        )
        if isinstance(read, ParsedDigest):
            labels = classify.labels(entry.title, text, url=entry.url)
            items = tuple(item_labels(each) for each in read.items)
            # What stands first in a copied text is a back link; the digest knows its own title.
            entry = replace(entry, title=read.title or entry.title)
            return Incoming(_dated(entry, read), labels, read, items)
        notices = tuple(read.notices)
    else:
        notices = ()
    return Incoming(entry, classify.labels(entry.title, text, url=entry.url), notices=notices)


def item_labels(item: ParsedItem) -> Labels:
    """Return our labels of one story; the layers its site gives do not count."""
    url = next((each.url for each in item.sources if each.url), None)
    return classify.labels(item.title, item_text(item), url=url)


def _dated(entry: ParsedEntry, read: ParsedDigest) -> ParsedEntry:
    """A digest that came without a date was published when its window closed."""
    if entry.published is None and read.cutoff_at is not None:
        return replace(entry, published=read.cutoff_at)
    return entry


def _first_line(text: str) -> str:
    line = clean_text(text.strip().partition("\n")[0])
    return line if len(line) <= TITLE else line[: TITLE - 1].rstrip() + "…"
