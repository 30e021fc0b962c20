"""The nouns as JSON documents, exactly as the command line promises them. Pure.

Missing values are null or an empty list, never absent; instants are ISO 8601 with offset.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from reader.model import Digest, Entry, Feed, Item, Labels, Marks, QueueEntry, Source

Document = dict[str, Any]


def when(moment: datetime | date | None) -> str | None:
    """Return an instant or a day as ISO 8601."""
    return moment.isoformat() if moment is not None else None


def story(thing: Item | Entry | Digest) -> Document:
    """Return an item, entry or digest whole."""
    if isinstance(thing, Item):
        return item(thing)
    return entry(thing) if isinstance(thing, Entry) else digest(thing)


def item(thing: Item) -> Document:
    """Return one item: `layers` are the site's, the other labels are ours."""
    return {
        "id": thing.id,
        "kind": "item",
        "title": thing.title,
        "title_derived": thing.title_derived,
        "feed": thing.feed,
        "digest": thing.digest,
        "section": thing.section or None,
        "number": thing.number,
        "published": when(thing.published),
        "url": thing.url,
        "summary": thing.summary or None,
        "why": thing.why or None,
        "body": thing.body or None,
        "layers": [*thing.layers, *thing.layers_unknown],
        **_labels(thing.labels),
        "group": thing.group,
        "happened_at": when(thing.happened_at),
        "commit": thing.commit,
        "reported_result": thing.reported_result,
        "scenario": thing.scenario,
        "first_step": thing.first_step,
        "action_window": thing.action_window,
        "refs": list(thing.refs),
        "score": thing.score,
        "sources": [source(each) for each in thing.sources],
        "gone": thing.gone,
        **_marks(thing.marks),
    }


def _labels(labels: Labels) -> Document:
    return {
        "layers_ours": list(labels.layers),
        "hardware": list(labels.hardware),
        "evidence": labels.evidence.value,
        "evidence_all": list(labels.evidence_all),
    }


def _marks(marks: Marks) -> Document:
    return {
        "read": marks.read,
        "starred": marks.starred,
        "tags": list(marks.tags),
        "note": marks.note or None,
        "queue_state": marks.queue_state,
    }


def source(thing: Source) -> Document:
    """Return a primary source; `entry_id` where the original is kept."""
    return {"url": thing.url, "title": thing.title, "entry_id": thing.entry_id}


def entry(thing: Entry) -> Document:
    """Return one post; its HTML is sanitised."""
    return {
        "id": thing.id,
        "kind": "entry",
        "title": thing.title,
        "feed": thing.feed,
        "digest": thing.digest,
        "published": when(thing.published),
        "updated": when(thing.updated),
        "url": thing.url,
        "authors": list(thing.authors),
        "categories": list(thing.categories),
        "content_text": thing.content_text or None,
        "content_html": thing.content_html or None,
        "versions": thing.versions,
        **_labels(thing.labels),
        "notices": list(thing.notices),
        **_marks(thing.marks),
    }


def digest(thing: Digest) -> Document:
    """Return one digest without its items' texts; `items` are their ids."""
    parsed = thing.parsed
    return {
        "id": thing.id,
        "kind": "digest",
        "title": parsed.title,
        "digest_kind": parsed.kind.value,
        "form": parsed.form.value,
        "entry": thing.entry,
        "feed": thing.feed,
        "published": when(thing.published),
        "url": thing.url,
        "date": when(parsed.date),
        "window_since": when(parsed.window_since),
        "cutoff_at": when(parsed.cutoff_at),
        "generation_mode": parsed.generation_mode,
        "incomplete": parsed.incomplete,
        "notices": list(parsed.notices),
        "no_news": parsed.no_news,
        "overview": parsed.overview or None,
        "items": list(thing.items),
        "watch": list(parsed.watch),
        "steps": [{"condition": each.condition, "text": each.text} for each in parsed.steps],
        "empty_sections": list(parsed.empty_sections),
        "raw_counts": dict(parsed.raw_counts),
        "references": [
            {"n": each.n, "title": each.title, "url": each.url, "host": each.host}
            for each in parsed.references
        ],
        "disclaimer": parsed.disclaimer or None,
        "remainder": parsed.remainder or None,
        "not_understood": list(parsed.not_understood),
        **_marks(thing.marks),
    }


def feed(thing: Feed) -> Document:
    """Return one subscription with its health (null: never fetched)."""
    return {
        "id": thing.id,
        "title": thing.title,
        "url": thing.url,
        "kind": thing.kind.value,
        "last_checked": when(thing.last_checked),
        "last_changed": when(thing.last_changed),
        "next_check": when(thing.next_check),
        "health": thing.health,
        "error": thing.error,
        "failing_since": when(thing.failing_since),
        "entries": thing.entries,
        "unread": thing.unread,
        "wanted": {
            "prereleases": thing.wanted.prereleases,
            "nightly": thing.wanted.nightly,
            "cross": thing.wanted.cross,
            "replaced": thing.wanted.replaced,
            "history": thing.wanted.history,
            "topic_filter": thing.topic_filter,
            "topics": list(thing.wanted.topics),
            "zone": thing.wanted.zone or None,
        },
    }


def queue_entry(thing: QueueEntry) -> Document:
    """Return one queue entry; its state, runs and counts come from Runs."""
    return {
        "id": thing.id,
        "item": thing.item,
        "title": thing.title,
        "state": thing.state.value,
        "due": when(thing.due),
        "priority": thing.priority,
        "tags": list(thing.tags),
        "note": thing.note or None,
        "check": thing.check,
        "runs": list(thing.runs),
        "decided": thing.decided,
        "claims": thing.claims,
        "added": when(thing.added),
        "stale": thing.stale,
    }
