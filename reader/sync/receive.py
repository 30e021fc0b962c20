"""A parsed entry → Incoming: divided where it is a digest, labelled by our rules. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reader import classify, digest, identity
from reader.model import Form, Incoming, Labels, ParsedDigest, ParsedEntry, ParsedItem
from reader.sanitise import clean_text, text_of
from reader.store.incoming import Prepared
from reader.store.texts import item_text

TITLE = 90  # characters of a title made of the text's first line


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What one document gives: the entries that say something anew, ready to be saved."""

    new: tuple[Prepared, ...] = ()
    same: int = 0  # how many are the same to the letter
    repeated: frozenset[str] | None = None  # of the whole document, see identity.repeated_guids


def arrivals(
    entries: Sequence[ParsedEntry], seen: frozenset[bytes], form: Form, *, divide: bool
) -> Arrivals:
    """Return what is new of a document's entries, cleaned and labelled.

    `seen` are the fingerprints of what the feed gave before. What may be a digest is always read
    again, for a digest is more than its entry.
    """
    if divide:
        return Arrivals(tuple(Prepared(incoming(one, form)) for one in entries))
    new = [one for one in entries if identity.fingerprint(one) not in seen]
    if not new:
        return Arrivals(same=len(entries))
    return Arrivals(
        tuple(_post(one) for one in new),
        len(entries) - len(new),
        identity.repeated_guids(entries),
    )


def _post(entry: ParsedEntry) -> Prepared:
    """Return an ordinary post, its text cleaned once for labels and store."""
    prepared = Prepared(Incoming(entry))
    prepared.incoming = incoming(entry, divide=False, text=prepared.text)
    _ = prepared.columns
    return prepared


def incoming(
    entry: ParsedEntry,
    form: Form | None = None,
    *,
    divide: bool = True,
    content: str | None = None,
    text: str | None = None,
) -> Incoming:
    """Return an entry with what the pure rooms make of it.

    `form` is how its content is written, found out where it is None; `content` is the text as
    published, where the entry holds it converted to HTML; `text` is the content as plain text,
    where that is known. Without `divide` it is an ordinary post.
    """
    if text is None:
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
