"""Page → one self-contained HTML file: no script, no outer reference, every text escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from reader import settings
from reader.model import VerdictKind
from reader.report import svg
from reader.report.page import ClaimPart, Grid, Page, Part, RunPart
from reader.report.words import Say, speaker, verdict_word

OPEN_ROWS = 12  # tables up to this long stand open
_CODE = re.compile(r"`([^`\n]+)`")
# Filled is decided, outlined is open; drawn on a 16 px grid.
_SHAPES = {
    VerdictKind.CONFIRMED: '<circle cx="8" cy="8" r="7.2" fill="currentColor"/>'
    '<path class="on" d="M4.7 8.3l2.3 2.3 4.4-4.9"/>',
    VerdictKind.REFUTED: '<rect x="1.3" y="1.3" width="13.4" height="13.4" rx="3" '
    'fill="currentColor"/><path class="on" d="M5.3 5.3l5.4 5.4M10.7 5.3l-5.4 5.4"/>',
    VerdictKind.INCONCLUSIVE: '<circle class="ring" cx="8" cy="8" r="6.4"/><path class="ring" '
    'd="M4.9 7c1-1 2-1 3.1-.1s2.1.9 3.1-.1M4.9 9.7c1-1 2-1 3.1-.1s2.1.9 3.1-.1"/>',
    VerdictKind.NOT_APPLICABLE: '<circle class="ring" cx="8" cy="8" r="6.4"/>'
    '<path class="ring" d="M3.6 12.4l8.8-8.8"/>',
    VerdictKind.COULD_NOT_RUN: '<circle class="ring" cx="8" cy="8" r="6.4" '
    'stroke-dasharray="2.6 2.42"/><path class="ring" d="M5.1 8h5.8"/>',
}


def text(page: Page) -> str:
    """Return the whole document."""
    _ = speaker(page.language)
    style = settings.resource("styles", "report.css").read_text(encoding="utf-8")
    body = "\n".join(_body(page, _))
    return (
        f'<!doctype html>\n<html lang="{"zh-Hans" if page.language == "zh" else "en"}">\n'
        f'<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n'
        f'<meta name="referrer" content="no-referrer">\n'
        f"<title>{_title(page)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n"
        f"</html>\n"
    )


def _policy(style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _title(page: Page) -> str:
    first = page.parts[0].title if len(page.parts) == 1 else ""
    return escape(" · ".join(each for each in (page.title, first) if each))


def rich(words: str) -> str:
    """Return escaped text in which `code` is set as code."""
    return _CODE.sub(r"<code>\1</code>", escape(words))


def glyph(verdict: VerdictKind) -> str:
    """Return a verdict's glyph; the word always stands beside it."""
    return f'<svg class="glyph" viewBox="0 0 16 16" aria-hidden="true">{_SHAPES[verdict]}</svg>'


def _state(verdict: VerdictKind, word: str) -> str:
    return f'<span class="state {verdict.value}">{glyph(verdict)}{escape(word)}</span>'


def _body(page: Page, _: Say) -> Iterator[str]:
    yield "<header>"
    yield f'<p class="eyebrow">Readproof · {escape(page.made)}</p>'
    single = page.parts[0] if len(page.parts) == 1 else None
    yield f"<h1>{_linked(single.title, single.url) if single else escape(page.title)}</h1>"
    if single is not None and single.about:
        yield f'<p class="about">{escape(" · ".join(single.about))}</p>'
    if page.counts:
        states = (_state(v, f"{n} {word}") for v, word, n in page.counts)
        yield f'<p class="counts">{"".join(states)}</p>'
    yield "</header>"
    if page.empty:
        yield f"<p>{escape(page.empty)}</p>"
    for n, part in enumerate(page.parts):
        yield from _part(part, n, _, alone=single is not None)
    yield (
        "<footer><p>"
        + escape(
            _(
                "Scripts measured, the judge decided by the manifest's conditions; a failure of "
                "set-up refutes nothing. The JSON report holds every raw value."
            )
        )
        + "</p></footer>"
    )


def _linked(title: str, url: str | None) -> str:
    if url is None or not re.fullmatch(r"https?://\S+", url):
        return rich(title)
    return f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">{rich(title)}</a>'


def _part(part: Part, number: int, _: Say, *, alone: bool) -> Iterator[str]:
    yield "<main>" if alone else '<section class="story">'
    if not alone:
        yield f"<h2>{_linked(part.title, part.url)}</h2>"
        if part.about:
            yield f'<p class="about">{escape(" · ".join(part.about))}</p>'
    if part.empty:
        yield f'<p class="note">{escape(part.empty)}</p>'
    if len(part.claims) > 1:
        yield from _overview(part, number)
    for n, claim in enumerate(part.claims):
        yield from _claim(claim, f"c{number}-{n}", _)
    for run in part.runs:
        yield from _run(run, _)
    yield "</main>" if alone else "</section>"


def _overview(part: Part, number: int) -> Iterator[str]:
    yield '<ol class="overview">'
    for n, claim in enumerate(part.claims):
        yield (
            f'<li class="{claim.verdict.value}">{glyph(claim.verdict)}'
            f'<a href="#c{number}-{n}">{rich(claim.title)}</a>'
            f'<span class="word">{escape(claim.word)}</span></li>'
        )
    yield "</ol>"


def _claim(claim: ClaimPart, anchor: str, _: Say) -> Iterator[str]:
    yield f'<article id="{anchor}" class="claim">'
    marks = [f'<span class="kind">{escape(claim.kind)}</span>']
    if claim.stale:
        marks.append(f'<span class="stale">{escape(_("stale"))}</span>')
    if claim.never_on_gpu:
        marks.append(f'<span class="kind">{escape(_("never shown on a GPU"))}</span>')
    marks.append(f'<span class="kind">{escape(claim.run)}</span>')
    yield f'<p class="marks">{_state(claim.verdict, claim.word)}{"".join(marks)}</p>'
    yield f"<h3>{rich(claim.title)}</h3>"
    yield f'<p class="reason">{rich(claim.reason)}</p>'
    pairs = [(_("Expected"), rich(claim.expected)), (_("Tested here by"), rich(claim.method))]
    pairs.append((_("This machine shows"), _numbers(claim.numbers)))
    yield from _pairs(pairs, "sides")
    if claim.elsewhere is not None:
        needs, command = claim.elsewhere
        label = _("On a machine with {needs}").format(needs=needs) if needs else _("To try again")
        yield f'<p class="label">{escape(label)}</p>{_command(command)}'
    yield from _plots(claim, _)
    if claim.cases is not None:
        yield from _cases(claim.cases, _)
    yield "</article>"


def _plots(claim: ClaimPart, _: Say) -> Iterator[str]:
    """Draw what of a claim can be seen at a glance."""
    if claim.intervals is not None:
        said = "; ".join(f"{row.name}: {row.said}" for row in claim.intervals.rows)
        yield from _figure(
            svg.interval_plot(claim.intervals, _("Intervals: {rows}").format(rows=said)),
            _("Times over those of the baseline; shaded: what the baseline differs from itself by"),
        )
    if claim.resources is not None:
        said = _("Registers and spilled bytes by target")
        yield from _figure(svg.resource_plot(claim.resources, said), said)
    if claim.history is not None:
        said = _("The verdicts of this claim, run by run")
        words = {kind: verdict_word(kind, _) for kind in VerdictKind}
        yield from _figure(svg.history_plot(claim.history, words, said), said)


def _figure(picture: str, said: str) -> Iterator[str]:
    yield f"<figure>{picture}<figcaption>{escape(said)}</figcaption></figure>"


def _pairs(pairs: Iterable[tuple[str, str]], name: str) -> Iterator[str]:
    """Set labels beside markup; pairs without any are left out."""
    rows = [f"<dt>{escape(label)}</dt><dd>{markup}</dd>" for label, markup in pairs if markup]
    if rows:
        yield f'<dl class="{name}">{"".join(rows)}</dl>'


def _numbers(numbers: Sequence[tuple[str, str]]) -> str:
    rows = (
        f"<tr><th><code>{escape(name)}</code></th><td>{escape(value)}</td></tr>"
        for name, value in numbers
    )
    return f'<table class="numbers"><tbody>{"".join(rows)}</tbody></table>' if numbers else ""


def _command(words: str) -> str:
    return f'<pre class="command"><code>{escape(words)}</code></pre>'


def _details(summary: str, content: Iterable[str], *, opened: bool) -> Iterator[str]:
    yield f"<details{' open' if opened else ''}><summary>{escape(summary)}</summary>"
    yield from content
    yield "</details>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield '<div class="wide"><table class="grid"><thead><tr>'
    yield "".join(f"<th>{escape(head)}</th>" for head in heads)
    yield "</tr></thead><tbody>"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
    yield "</tbody></table></div>"


def _cases(grid: Grid, _: Say) -> Iterator[str]:
    total = len(grid.rows) + grid.left_out
    content = [*_table(grid.heads, grid.rows)]
    if grid.left_out:
        more = _("{n} more rows are in the JSON report.").format(n=grid.left_out)
        content.append(f'<p class="about">{escape(more)}</p>')
    yield from _details(f"{_('Raw cases')} · {total}", content, opened=total <= OPEN_ROWS)


def _run(run: RunPart, _: Say) -> Iterator[str]:
    yield '<section class="run">'
    yield f"<h3>{escape(_('Run {id}').format(id=run.id))} · {rich(run.title)}</h3>"
    yield (
        f'<p class="about">{escape(run.when)} · {escape(run.status)}'
        f'<span class="print" title="{escape(_("fingerprint"))}">'
        f"{escape(run.fingerprint)}</span></p>"
    )
    for warning in run.stale:
        yield f'<p class="note stale">{rich(warning)}</p>'
    for warning in run.notices:
        yield f'<p class="note">{rich(warning)}</p>'
    facts = [*run.facts, (_("Negative control"), run.control)]
    yield from _pairs(((label, rich(words)) for label, words in facts), "facts")
    yield f'<p class="label">{escape(_("To repeat it"))}</p>{_command(run.repeat)}'
    lines = [each for each in run.ran if each]
    if lines:
        yield from _details(_("What ran"), map(_command, lines), opened=False)
    if run.artefacts:
        rows = [(each.name, f"{each.bytes:,}", each.sha256) for each in run.artefacts]
        heads = (_("File"), _("Bytes"), "SHA-256")
        summary = f"{_('Kept files')} · {len(rows)}"
        yield from _details(summary, _table(heads, rows), opened=len(rows) <= OPEN_ROWS)
    yield "</section>"
