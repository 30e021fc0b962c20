"""One item, entry or digest as a page of text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from reader.cli.beside import Beside, body
from reader.cli.plain import one_line, wrap
from reader.cli.voice import paint
from reader.language import _, language
from reader.model import Digest, Entry, Item, Labels, Layer, Marks


def page_of(thing: Item | Entry | Digest, cells: int, held: Beside | None = None) -> list[str]:
    """Return the lines of a story, wrapped to a readable width; `held` is what stands beside it."""
    cells, held = min(cells, 100), held or Beside()
    if isinstance(thing, Item):
        return list(_item(thing, held, cells))
    if isinstance(thing, Entry):
        return list(_entry(thing, held, cells))
    return list(_digest(thing, held, cells))


def _head(title: str, identity: str, facts: list[str], cells: int) -> Iterator[str]:
    for line in wrap(title, cells):
        yield paint(line, "bold")
    yield paint(" · ".join([identity, *(each for each in facts if each)]), "dim")


def _field(name: str, text: str | None, cells: int) -> Iterator[str]:
    if text:
        yield ""
        if name:
            yield paint(name, "dim")
        for paragraph in text.split("\n"):
            yield from wrap(paragraph, cells)


def _item(thing: Item, held: Beside, cells: int) -> Iterator[str]:
    facts = [
        _("title derived") if thing.title_derived else "",
        _("score {score:.1f}").format(score=thing.score) if thing.score is not None else "",
        moment(thing.happened_at or thing.published),
        thing.commit or "",
        _("no longer in its digest") if thing.gone else "",
    ]
    yield from _head(thing.title, f"{thing.id} ({thing.digest})", facts, cells)
    yield from _marks(thing.marks)
    yield from _field("", thing.summary, cells)
    yield from _field(_("why it matters"), thing.why, cells)
    yield from _field("", thing.body, cells)
    yield from _field(_("reported result"), thing.reported_result, cells)
    yield from _field(_("where it applies"), thing.scenario, cells)
    yield from _field(_("first step"), thing.first_step, cells)
    yield from _field(_("action window"), thing.action_window, cells)
    yield ""
    theirs = [_layer(each) for each in thing.layers] + list(thing.layers_unknown)
    if theirs:
        yield _("layers (site): {names}").format(names=", ".join(theirs))
    yield from _labels(thing.labels)
    missing = {each.url: each for each in held.missing}
    for source in thing.sources:
        kept = _("kept: readproof show {id}").format(id=source.entry_id) if source.entry_id else ""
        lacks = missing.get(source.url or "")
        if lacks is not None:
            kept = _("not kept yet: readproof fetch {id}").format(id=thing.id)
            kept += f" ({lacks.why})" if lacks.why else ""
        yield one_line(
            " · ".join(filter(None, (_("source"), source.title, source.url or "", kept)))
        )


def _layer(layer: Layer) -> str:
    from reader.classify import layer_name

    return layer_name(layer, language())


def _labels(labels: Labels) -> Iterator[str]:
    from reader.classify import evidence_name, hardware_name

    tongue = language()
    if labels.layers:
        names = ", ".join(_layer(each) for each in labels.layers)
        yield _("layers (ours): {names}").format(names=names)
    if labels.hardware:
        names = ", ".join(hardware_name(each, tongue) for each in labels.hardware)
        yield _("hardware (ours): {names}").format(names=names)
    yield _("evidence (ours): {name}").format(name=evidence_name(labels.evidence, tongue))


def _marks(marks: Marks) -> Iterator[str]:
    said = [
        _("starred") if marks.starred else "",
        _("muted by the rule {rule}").format(rule=marks.muted) if marks.muted else "",
        " ".join(f"#{each}" for each in marks.tags),
        marks.note or "",
    ]
    if any(said):
        yield one_line(" · ".join(filter(None, said)))


def _entry(thing: Entry, held: Beside, cells: int) -> Iterator[str]:
    facts = [moment(thing.published), ", ".join(thing.authors), thing.url or ""]
    yield from _head(thing.title, thing.id, facts, cells)
    yield from _marks(thing.marks)
    for notice in thing.notices:
        yield paint(f"! {notice}", "warn")
    yield from _changed(thing.id, held)
    for each in held.elsewhere:
        where = each.feed or each.title
        yield _("also in {feed}: readproof show {id}").format(feed=where, id=each.entry)
    if held.whole is not None:
        yield _("the whole page, fetched {when}; what the feed says: {option}").format(
            when=moment(held.whole.seen), option="--feed-text"
        )
    yield from body(held.whole.content_html if held.whole else thing.content_html, cells)
    yield ""
    yield from _labels(thing.labels)


def _changed(id_: str, held: Beside) -> Iterator[str]:
    last = max((each.until for each in held.revisions if each.until), default=None)
    if last is not None:
        yield _("changed on {when}: readproof show {id} --changes").format(
            when=moment(last), id=id_
        )


def _digest(thing: Digest, held: Beside, cells: int) -> Iterator[str]:
    parsed = thing.parsed
    facts = [
        parsed.date.isoformat() if parsed.date else "",
        parsed.generation_mode or "",
        _("incomplete") if parsed.incomplete else "",
        _("no news") if parsed.no_news else "",
    ]
    yield from _head(parsed.title, f"{thing.id} ({thing.entry})", facts, cells)
    yield from _marks(thing.marks)
    yield from _changed(thing.id, held)
    for notice in (*parsed.notices, *parsed.not_understood):
        yield paint(f"! {notice}", "warn")
    yield from _field("", parsed.overview, cells)
    if thing.items:
        yield from _field(_("items"), " ".join(thing.items), cells)
    yield from _field(_("keep watching"), "\n".join(parsed.watch), cells)
    steps = "\n".join(f"{each.condition}: {each.text}" for each in parsed.steps)
    yield from _field(_("verify by the shape of your system"), steps, cells)
    yield from _field(_("nothing new in"), "\n".join(parsed.empty_sections), cells)
    references = "\n".join(
        f"[{each.n}] {each.title} {each.url or each.host or ''}" for each in parsed.references
    )
    yield from _field(_("references"), references, cells)
    counts = ", ".join(f"{name} {count}" for name, count in parsed.raw_counts)
    yield from _field(_("raw entries"), counts, cells)
    yield from _field(_("not divided"), parsed.remainder, cells)


def moment(when: datetime | None) -> str:
    """Return an instant as a person here reads it."""
    return when.astimezone().strftime("%Y-%m-%d %H:%M") if when else ""
