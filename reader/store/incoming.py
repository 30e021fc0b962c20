"""An entry on its way in: what it says once it is clean, worked out only when it is needed."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cached_property

from reader import identity
from reader.model import Incoming
from reader.sanitise import clean_html, clean_text, images, text_of_clean
from reader.store import search
from reader.store.codec import pack
from reader.store.connection import to_seconds
from reader.store.texts import entry_body, snippet


class Prepared:
    """One Incoming with its identity; cleaning it is the slow part and happens once.

    It needs no store, so that a worker may clean what another thread saves.
    """

    def __init__(self, incoming: Incoming, keys: tuple[str, ...] = ()) -> None:
        self.incoming = incoming
        self.keys = keys  # every key it may be known by, the one to store it under first

    def warm(self, *, lighten: bool = False) -> None:
        """Work out everything now; `lighten` lets go of the raw text, which keys may be made of."""
        _ = self.columns, self.images, self.indexed
        if lighten:
            entry = replace(self.incoming.entry, content_html="", summary="")
            self.incoming = replace(self.incoming, entry=entry)

    @cached_property
    def raw_hash(self) -> bytes:
        """What tells that nothing at all came anew."""
        return identity.fingerprint(self.incoming.entry, self.incoming.notices)

    @cached_property
    def title(self) -> str:
        """The title as plain text on one line."""
        return clean_text(self.incoming.entry.title)

    @cached_property
    def html(self) -> str:
        """The sanitised content."""
        entry = self.incoming.entry
        return clean_html(entry.content_html, entry.base_url or entry.url)

    @cached_property
    def text(self) -> str:
        """The content as plain text."""
        return text_of_clean(self.html)

    @cached_property
    def text_hash(self) -> bytes:
        """What tells that a reader would see something else; a counter's picture is not that."""
        said = f"{self.title}\0{self.html}"
        return hashlib.sha256(said.encode()).digest()[:16]

    @cached_property
    def images(self) -> list[str]:
        """The addresses of the pictures."""
        return images(self.html)

    @cached_property
    def url(self) -> str | None:
        """The address, where it is one that may be opened."""
        url = clean_text(self.incoming.entry.url or "")
        return url if url.lower().startswith(("http://", "https://")) else None

    @cached_property
    def source_key(self) -> str | None:
        """What an item's source is matched by."""
        return identity.source_key(self.url) if self.url else None

    @cached_property
    def authors(self) -> tuple[str, ...]:
        """Who wrote it."""
        return tuple(filter(None, map(clean_text, self.incoming.entry.authors)))

    @cached_property
    def indexed(self) -> tuple[str, str]:
        """Title and body as the search index is given them."""
        return search.indexed(self.title), search.indexed(entry_body(self.text, self.authors))

    @cached_property
    def columns(self) -> dict[str, object]:
        """Return what `entries` keeps of it, but key and feed."""
        entry = self.incoming.entry
        return {
            "source_key": self.source_key,
            "title": self.title,
            "snippet": snippet(self.text),
            "url": self.url,
            "published": to_seconds(entry.published),
            "updated": to_seconds(entry.updated),
            "raw_hash": self.raw_hash,
            "text_hash": self.text_hash,
            "authors": pack(self.authors),
            "categories": pack(tuple(map(clean_text, entry.categories))),
            "enclosures": pack(tuple(map(clean_text, entry.enclosures))),
            "notices": pack(self.incoming.notices),
            "content_text": self.text,
            "content_html": self.html,
        }
