"""The texts under the table of a quick look, as HTML: the chosen item, steps and references."""

from __future__ import annotations

import html

from reader.gui import article
from reader.gui.quick_look.facts import Quick, Told
from reader.language import _, language
from reader.model import Item, Reference


def chosen(item: Item, told: Told) -> str:
    """Return what the digest says of an item beside its row."""
    parts = [f"<p class='cap first'>{html.escape(_('The chosen item'))}</p>"]
    parts += [article.paragraphs(each) for each in (item.summary, item.body, item.why) if each]
    parts += [article.source(each) for each in item.sources]
    return "".join(parts) + _strip(told)


def _strip(told: Told) -> str:
    """Return what was measured here, side by side."""
    if not told.figures:
        return ""
    title = html.escape(_("Measured here"))
    beside = f"&nbsp;&nbsp;<span class='dim'>{html.escape(told.measured)}</span>"
    lead = f"<p class='cap'>{title}{beside}</p><hr/>"
    wide = 100 // len(told.figures)
    cells = "".join(
        f"<td width='{wide}%'><p class='small dim'>{html.escape(name.replace('_', ' '))}</p>"
        f"<p>{html.escape(value)}</p></td>"
        for name, value in told.figures
    )
    return f"{lead}<table width='100%' cellspacing='0' cellpadding='0'><tr>{cells}</tr></table>"


def aside(quick: Quick) -> str:
    """Return the digest's steps, what stayed empty, and the references."""
    parsed = quick.digest.parsed
    kept = {
        each.url: each.entry_id
        for item in quick.items
        for each in item.sources
        if each.url and each.entry_id
    }
    parts: list[str] = []
    if parsed.steps:
        apart = "：" if language() == "zh" else ": "
        parts.append(_caption(_("Verify by the shape of your system")))
        for step in parsed.steps:
            condition = (
                f"<b class='small'>{html.escape(step.condition)}</b>{apart}"
                if step.condition
                else ""
            )
            flask = '<img src="icon:prove"/>&nbsp;&nbsp;'
            parts.append(f"<p class='small'>{flask}{condition}{article.inline(step.text)}</p>")
    for title, lines in (
        (_("Keep watching"), parsed.watch),
        # One empty section stands in the foot of the page.
        (_("Left empty"), parsed.empty_sections[1:] and parsed.empty_sections),
    ):
        if lines:
            parts.append(_caption(title))
            parts += [f"<p class='small'>{_lines(line)}</p>" for line in lines]
    if parsed.references:
        parts.append(_caption(_("References")))
    parts += [_reference(each, kept.get(each.url or "")) for each in parsed.references]
    if parsed.remainder:
        parts += [_caption(_("Kept as text")), article.paragraphs(parsed.remainder)]
    return "".join(parts).replace("class='cap'", "class='cap first'", 1)


def _reference(each: Reference, kept: str | None) -> str:
    title = html.escape(each.title or each.url or "")
    link = f"story:{kept}" if kept else each.url
    named = f'<a href="{html.escape(link, quote=True)}">{title}</a>' if link else title
    beside = html.escape(_("original kept offline") if kept else each.host or "")
    dim = f"&nbsp;&nbsp;<span class='dim'>{beside}</span>" if beside else ""
    return f"<p class='small'>[{each.n}] {named}{dim}</p>"


def _caption(text: str) -> str:
    return f"<p class='cap'>{html.escape(text)}</p>"


def _lines(text: str) -> str:
    return article.inline(text).replace("\n", "<br/>")
