"""Stories as the small HTML that QTextBrowser lays out; every text in it is escaped here."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from reader.gui import claimed, words
from reader.gui.theme import Look
from reader.language import _
from reader.model import Digest, Entry, Item, Source

if TYPE_CHECKING:
    from reader.gui.opened import Held
    from reader.report.claimed import Claimed
    from reader.store.originals import Missing

MOST_HTML = 400_000  # characters laid out at once; more would hold the window up
_CODE = re.compile(r"`([^`\n]{1,200})`")
_BOLD = re.compile(r"\*\*([^*\n]{1,300})\*\*")
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\((https?://[^)\s]+)\)")
_IMAGE, _SRC, _ALT = (
    re.compile(each) for each in (r"<img [^<>]*>", r' src="([^"]*)"', r' alt="([^"]+)"')
)
_PRE = re.compile(r"<pre\b.*?</pre>", re.DOTALL)
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


def styles(look: Look) -> str:
    """Return the style sheet of a document in the colours and sizes in force."""
    t, px = look.tokens, look.px
    return f"""
    body, p, li {{ color: {t.ink}; font-size: {px(15)}px; font-family: {look.families}; }}
    p {{ margin-top: {px(12)}px; margin-bottom: 0; }}
    a {{ color: {t.accent_ink}; text-decoration: none; }}
    h1, h2 {{ font-size: {px(16)}px; font-weight: 600; margin-top: {px(18)}px; }}
    h3, h4, h5 {{ font-size: {px(13)}px; font-weight: 600; color: {t.ink2};
        margin-top: {px(16)}px; margin-bottom: {px(3)}px; }}
    .cap {{ font-size: {px(13)}px; font-weight: 600; color: {t.ink2}; margin-top: {px(16)}px; }}
    .after {{ margin-top: {px(3)}px; }}
    .first {{ margin-top: 0; }}
    .small {{ font-size: {px(13)}px; margin-top: {px(4)}px; }}
    .small a, .small span {{ font-size: {px(13)}px; }}
    .dim {{ color: {t.ink3}; }}
    .lead {{ color: {t.ink2}; }}
    code, pre, tt {{ font-family: {look.mono}; font-size: {px(13)}px; }}
    pre {{ white-space: pre-wrap; margin-top: 0; margin-bottom: 0; }}
    blockquote {{ color: {t.ink2}; margin-left: {px(14)}px; }}
    td, th {{ font-size: {px(13)}px; padding: {px(4)}px {px(8)}px; }}
    """


def inline(text: str) -> str:
    """Return plain text with `code`, **bold** and [links](…) as HTML."""
    safe = html.escape(text, quote=True)
    safe = _LINK.sub(r'<a href="\2">\1</a>', safe)
    safe = _BOLD.sub(r"<b>\1</b>", safe)
    return _CODE.sub(r"<code>\1</code>", safe)


def paragraphs(text: str, first: bool = False) -> str:
    """Return text whose blocks are apart by blank lines as paragraphs."""
    blocks = [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]
    return "".join(
        f"<p{' class=first' if first and not place else ''}>"
        f"{inline(block).replace(chr(10), '<br/>')}</p>"
        for place, block in enumerate(blocks)
    )


def item(
    look: Look, thing: Item, missing: Iterable[Missing] = (), found: Sequence[Claimed] = ()
) -> str:
    """Return an item: summary, why, what the digest says beside, sources and which are not kept.

    What was `found` in its text to be testable is marked.
    """

    def marked(field: str) -> str:
        return claimed.bracketed(getattr(thing, field) or "", field, found)

    parts = [paragraphs(marked("summary"), first=True)]
    if thing.body:
        parts.append(paragraphs(marked("body")))
    if thing.why:
        parts.append(_why(look, marked("why")))
    for title, text in (
        (_("Reported result"), marked("reported_result")),
        (_("Where it applies"), thing.scenario),
        (_("First step"), thing.first_step),
        (_("Action window"), thing.action_window),
    ):
        if text:
            parts.append(f"<p class='cap'>{html.escape(title)}</p>{paragraphs(text, first=True)}")
    if thing.sources:
        parts.append(f"<p class='cap'>{html.escape(_('Sources'))}</p>")
        lacks = {each.url: each for each in missing}
        parts += [source(each, lacks.get(each.url or "")) for each in thing.sources]
    if thing.gone:
        parts.append(
            f'<p class="small dim">{html.escape(_("The digest no longer carries it."))}</p>'
        )
    return claimed.spans("".join(parts), found)


def _why(look: Look, text: str) -> str:
    bar = f'<td width="3" bgcolor="{look.tokens.accent}" style="padding: 0"></td>'
    head = f'<p class="cap first">{html.escape(_("Why it matters"))}</p>'
    return (
        f'<table cellspacing="0" cellpadding="0" style="margin-top: {look.px(16)}px" width="100%">'
        f'<tr>{bar}<td style="padding: 0 0 0 {look.px(14)}px">{head}'
        f"{paragraphs(text, first=True)}</td></tr></table>"
    )


def source(thing: Source, missing: Missing | None = None) -> str:
    """Return a source's line: its kept original where there is one, else its address."""
    title = html.escape(thing.title or thing.url or "")
    name = f'<img src="icon:{_icon(thing.url)}"/>&nbsp;&nbsp;'
    if thing.entry_id:
        kept = html.escape(_("original kept offline"))
        link = f'<a href="story:{thing.entry_id}">{title}</a>'
        return (
            f'<p class="small">{name}{link}&nbsp;&nbsp;&nbsp;<img src="icon:kept"/>&nbsp;'
            f'<span class="dim">{kept}</span></p>'
        )
    if thing.url:
        host = html.escape(re.sub(r"^https?://(www\.)?([^/]+).*", r"\2", thing.url))
        link = f'<a href="{html.escape(thing.url, quote=True)}">{title}</a>'
        line = f'{name}{link}&nbsp;&nbsp;&nbsp;<span class="dim">{host}</span>'
        if missing is not None:
            fetch = html.escape(_("Fetch it now"))
            line += f'&nbsp;&nbsp;&nbsp;<a href="fetch:">{fetch}</a>&nbsp;<code>f</code>'
            if missing.why:
                line += f'<br/><span class="dim">{html.escape(missing.why)}</span>'
        return f'<p class="small">{line}</p>'
    return f'<p class="small">{name}{title}</p>'


def _icon(url: str | None) -> str:
    text = url or ""
    for part, name in (
        ("/releases/", "release"),
        ("/commit", "commit"),
        ("/pull/", "commit"),
        ("arxiv.org", "paper"),
        ("doi.org", "paper"),
    ):
        if part in text:
            return name
    return "blog"


def framed(look: Look, content: str) -> str:
    """Return HTML with each code block on one surface: a block's own colour has gaps."""
    px = look.px
    head = (
        f'<table width="100%" cellspacing="0" cellpadding="{px(10)}" bgcolor="{look.tokens.code}"'
        f' style="margin-top: {px(12)}px"><tr><td style="padding: {px(8)}px {px(12)}px">'
    )
    return _PRE.sub(lambda found: f"{head}{found[0]}</td></tr></table>", content)


def entry(look: Look, thing: Entry, held: Held | None = None, *, own: bool = False) -> str:
    """Return an entry's sanitised HTML, cut where it would hold the window up.

    The whole page where that is kept (with `own`, what the feed says), and before it one line
    each for what stands beside it: changes, other feeds, the other text.
    """
    whole = None if held is None or own else held.whole
    content = whole.content_html if whole else thing.content_html
    text = whole.content_text if whole else thing.content_text
    lead = "" if held is None else _lead(held, own=own)
    if len(content) <= MOST_HTML:
        shown = content if held is None else _IMAGE.sub(partial(_picture, held), content)
        return lead + (framed(look, shown) or paragraphs(text))
    note = html.escape(_("Only the beginning is shown: open it in the browser for the rest."))
    return f"{lead}{paragraphs(text[: MOST_HTML // 2])}<p class='small dim'>{note}</p>"


def _picture(held: Held, found: re.Match[str]) -> str:
    """Return a picture that is kept, and of another what it shows and where it is."""
    source, alt = _SRC.search(found[0]), _ALT.search(found[0])
    if source is None or html.unescape(source[1]) in held.pictures:
        return found[0]
    text = (alt[1] if alt else "") or html.escape(_("Picture"))
    return f'<span class="dim">[<a href="{source[1]}">{text}</a>]</span>'


def _lead(held: Held, *, own: bool) -> str:
    lines = []
    last = next((each.when for each in held.history if each.when), None)
    if last is not None:
        said = _("Changed on {when}").format(when=words.day(last, year=True))
        lines.append(_line(said, "changes:", _("What changed")))
    for each in held.elsewhere:
        where = each.feed or each.title
        lines.append(
            _line(_("Also in {feed}").format(feed=where), f"story:{each.entry}", each.title)
        )
    if held.whole is not None and own:
        lines.append(_line(_("What the feed says"), "text:whole", _("The whole page")))
    elif held.whole is not None:
        said = _("The whole page, fetched {when}").format(
            when=words.day(held.whole.seen, year=True)
        )
        lines.append(_line(said, "text:own", _("What the feed says")))
    elif held.teaser:
        said = _("The feed gives only this much")
        lines.append(_line(said, "fetch:", _("Fetch the whole text")) + "&nbsp;<code>f</code>")
    return f'<p class="small dim first">{"<br/>".join(lines)}</p>' if lines else ""


def _line(said: str, link: str, text: str) -> str:
    return f'{html.escape(said)} · <a href="{html.escape(link)}">{html.escape(text)}</a>'


def beside(look: Look, thing: Entry, eyebrow: str, held: Held | None = None) -> str:
    """Return an original as it stands beside its digest: with its title on top."""
    head = f"<p class='small dim first'>{html.escape(eyebrow)}</p>" if eyebrow else ""
    title = (
        f'<p style="font-size: {look.px(18)}px; font-weight: 600">{html.escape(thing.title)}</p>'
    )
    return f"{head}{title}{entry(look, thing, held)}"


def digest(thing: Digest, items: Iterable[Item]) -> str:
    """Return a digest: overview, its items, steps, what to watch."""
    parsed = thing.parsed
    parts = [paragraphs(parsed.overview, first=True)] if parsed.overview else []
    section = None
    for each in items:
        if each.section != section:
            section = each.section
            parts.append(f"<p class='cap'>{html.escape(section)}</p>" if section else "")
        score = f"&nbsp;&nbsp;<span class='dim'>{each.score:.1f}</span>" if each.score else ""
        link = f'<a href="story:{each.id}"><b>{html.escape(each.title)}</b></a>'
        parts.append(f"<p>{link}{score}<br/>{inline(each.summary)}</p>")
    parts += _lists(
        (
            _("Verify by the shape of your system"),
            [f"**{s.condition}** {s.text}" for s in parsed.steps],
        ),
        (_("Keep watching"), parsed.watch),
        (_("Nothing new in"), parsed.empty_sections),
        (_("The digest's own notices"), parsed.notices),
        (_("References"), [f"[{r.n}] {r.title}" for r in parsed.references]),
    )
    if parsed.remainder:
        parts.append(
            f"<p class='cap'>{html.escape(_('Kept as text'))}</p>{paragraphs(parsed.remainder)}"
        )
    return "".join(parts)


def _lists(*lists: tuple[str, Iterable[str]]) -> list[str]:
    parts = []
    for title, lines in lists:
        found = [f"<p class='small'>{inline(line)}</p>" for line in lines]
        if found:
            parts += [f"<p class='cap'>{html.escape(title)}</p>", *found]
    return parts


def han_share(text: str) -> float:
    """Return which part of a text is Han characters."""
    return len(_HAN.findall(text)) / max(1, len(text.replace(" ", "")))


def citation(thing: Item | Entry | Digest) -> str:
    """Return one line that cites a story."""
    if isinstance(thing, Digest):
        title, when, url = thing.parsed.title, thing.published, thing.url
    else:
        title, when, url = thing.title, thing.published, thing.url
    parts = [title, words.day(when, year=True) if when else "", url or ""]
    return ". ".join(part for part in parts if part)
