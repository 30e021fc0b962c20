"""What stands beside a story: earlier texts, its whole page, other feeds, sources not yet kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reader.cli.plain import one_line, wrap
from reader.cli.voice import paint
from reader.language import _
from reader.model import Digest, Entry, Item
from reader.store.changes import Block, Changed, Piece, Shape, Side, blocks, history, of_revisions

if TYPE_CHECKING:
    from reader.store import Revision, Store
    from reader.store.originals import Elsewhere, Missing
    from reader.store.whole import Whole

_MARKS = {Side.BOTH: ("", ""), Side.OLD: ("[-", "-]"), Side.NEW: ("{+", "+}")}
_COLOURS = {Side.BOTH: "", Side.OLD: "refuted", Side.NEW: "confirmed"}
_SIGNS = {Side.BOTH: "  ", Side.OLD: "- ", Side.NEW: "+ "}


@dataclass(frozen=True, slots=True)
class Beside:
    """What the store holds beside one story."""

    revisions: tuple[Revision, ...] = ()  # every text, the present one last
    pages: tuple[Whole, ...] = ()  # every text of its page, the present one last
    elsewhere: tuple[Elsewhere, ...] = ()
    missing: tuple[Missing, ...] = ()

    @property
    def whole(self) -> Whole | None:
        """The text of its page, where that was fetched."""
        return self.pages[-1] if self.pages else None


def read(store: Store, story: Item | Entry | Digest) -> Beside:
    """Return what stands beside a story."""
    if isinstance(story, Item):
        return Beside(missing=tuple(store.originals.missing(story.id)))
    entry = story.id if isinstance(story, Entry) else story.entry
    return Beside(
        revisions=tuple(store.library.revisions(entry)),
        pages=tuple(store.whole.all(entry)),
        elsewhere=tuple(store.originals.elsewhere(entry)) if isinstance(story, Entry) else (),
    )


def document(beside: Beside, story: Item | Entry | Digest) -> dict[str, Any]:
    """Return what stands beside a story for JSON."""
    if isinstance(story, Item):
        return {"missing": [{"url": each.url, "why": each.why} for each in beside.missing]}
    whole = beside.whole
    return {
        "also_in": [each.entry for each in beside.elsewhere],
        "changed": [each.until.isoformat() for each in beside.revisions if each.until],
        "whole": None
        if whole is None
        else {
            "url": whole.url,
            "fetched": whole.seen.isoformat(),
            "content_text": whole.content_text,
            "content_html": whole.content_html,
        },
    }


def versions(beside: Beside) -> list[dict[str, Any]]:
    """Return every text of a story for JSON, the newest first, each with what it changed."""
    changed = {id(earlier): said for earlier, said in of_revisions(beside.revisions)}
    found = []
    for place, each in enumerate(beside.revisions):
        before = beside.revisions[place - 1] if place else None
        found.append(
            {
                "title": each.title,
                "since": before.until.isoformat() if before and before.until else None,
                "until": each.until.isoformat() if each.until else None,
                "content_text": each.content_text,
                "content_html": each.content_html,
                "changes": [_changed(one) for one in changed.get(id(before), ())],
            }
        )
    return found[::-1]


def _changed(one: Changed) -> dict[str, Any]:
    if not one.pieces:
        return {"unchanged_blocks": one.skipped}
    return {
        "shape": one.shape.value,
        "pieces": [{"side": piece.side.value, "text": piece.text} for piece in one.pieces],
    }


def changes_page(beside: Beside, cells: int) -> Iterator[str]:
    """Yield the lines that show what changed, the newest change first."""
    cells = min(cells, 100)
    found = history(beside.revisions, beside.pages)
    if not found:
        yield _("It has not changed since it came.")
    for change in found:
        when = change.when.astimezone().strftime("%Y-%m-%d %H:%M") if change.when else ""
        text = _("the page changed on {when}") if change.page else _("changed on {when}")
        yield paint(text.format(when=when), "bold")
        for one in change.said:
            yield ""
            if one.shape is Shape.CODE and one.pieces:
                yield from _code(one.pieces)
            elif one.pieces:
                yield from wrap("".join(_marked(piece) for piece in one.pieces), cells)
            else:
                yield paint("⋯", "dim")
        yield ""


def _marked(piece: Piece) -> str:
    before, after = _MARKS[piece.side]
    return f"{before}{piece.text}{after}"


def _code(pieces: tuple[Piece, ...]) -> Iterator[str]:
    for piece in pieces:
        for line in piece.text.rstrip("\n").split("\n"):
            yield paint(f"    {_SIGNS[piece.side]}{line}", _COLOURS[piece.side])


def body(html: str, cells: int) -> Iterator[str]:
    """Yield the lines of cleaned HTML: paragraphs wrapped, code as it stands."""
    before: Block | None = None
    for block in blocks(html):
        close = block.shape in (Shape.LIST, Shape.ROW) and before and before.shape is block.shape
        if not close:
            yield ""
        if block.shape is Shape.CODE:
            yield from (f"    {line}" for line in block.text.split("\n"))
        elif block.shape is Shape.ROW:
            yield "  " + " │ ".join(one_line(cell) for cell in block.text.split("\t"))
        elif block.shape is Shape.LIST:
            first, *rest = wrap(block.text, cells - 4) or [""]
            yield f"  • {first}"
            yield from (f"    {line}" for line in rest)
        else:
            for line in block.text.split("\n"):
                yield from (
                    paint(each, "bold") if block.shape is Shape.HEAD else each
                    for each in wrap(line, cells)
                )
        before = block
