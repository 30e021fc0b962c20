"""Page → Markdown that GitHub shows well; nothing from content can become markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reader.model import VerdictKind
from reader.report.page import ClaimPart, Grid, Page, Part, RunPart
from reader.report.words import Say, speaker

GLYPHS = {
    VerdictKind.CONFIRMED: "✅",
    VerdictKind.REFUTED: "❌",
    VerdictKind.INCONCLUSIVE: "≈",
    VerdictKind.NOT_APPLICABLE: "∅",
    VerdictKind.COULD_NOT_RUN: "◌",
}
_SPECIAL = re.compile(r"([\\*_{}\[\]()#+!|~<>&@$])")
_BAR = re.compile(r"(?<!\\)\|")  # a bar divides cells even inside code
_CODE = re.compile(r"`([^`\n]+)`")


def text(page: Page) -> str:
    """Return the whole report."""
    _ = speaker(page.language)
    lines = [f"# {escape(page.title)}", "", escape(page.made)]
    if page.counts:
        counts = " · ".join(f"{GLYPHS[v]} {word} {n}" for v, word, n in page.counts)
        lines += ["", f"**{counts}**"]
    if page.empty:
        lines += ["", escape(page.empty)]
    for part in page.parts:
        lines += ["", *_part(part, _)]
    return "\n".join(lines) + "\n"


def escape(words: str) -> str:
    """Return text as Markdown that shows it as it is, on one line; `code` stays code."""
    pieces = _CODE.split(" ".join(words.split()))
    return "".join(
        code(piece) if n % 2 else _SPECIAL.sub(r"\\\1", piece.replace("`", "\\`"))
        for n, piece in enumerate(pieces)
    )


def code(words: str) -> str:
    """Return a code span that holds any text on one line."""
    words = " ".join(words.split())
    fence = "`" * (max((len(run) for run in re.findall("`+", words)), default=0) + 1)
    space = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{fence}{space}{words}{space}{fence}" if words else ""


def _link(title: str, url: str | None) -> str:
    if url is None or not re.fullmatch(r"https?://[^\s<>()\\`]+", url):
        return escape(title)
    return f"[{escape(title)}](<{url}>)"


def _part(part: Part, _: Say) -> Iterator[str]:
    yield f"## {_link(part.title, part.url)}"
    if part.about:
        yield ""
        yield escape(" · ".join(part.about))
    if part.empty:
        yield ""
        yield escape(part.empty)
    if part.claims:
        yield ""
        yield from _table(
            (_("Verdict"), _("Claim"), _("Why")),
            [
                (f"{GLYPHS[each.verdict]} {each.word}", escape(each.title), escape(each.reason))
                for each in part.claims
            ],
        )
    for claim in part.claims:
        yield ""
        yield from _claim(claim, _)
    for run in part.runs:
        yield ""
        yield from _run(run, _)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "| " + " | ".join("---" for _head in heads) + " |"
    for row in rows:
        yield "| " + " | ".join(_BAR.sub(r"\|", cell) or " " for cell in row) + " |"


def _claim(claim: ClaimPart, _: Say) -> Iterator[str]:
    yield f"### {GLYPHS[claim.verdict]} {claim.word} · {escape(claim.title)}"
    yield ""
    marks = [claim.kind, claim.run]
    marks += [_("stale")] if claim.stale else []
    marks += [_("never shown on a GPU")] if claim.never_on_gpu else []
    yield escape(" · ".join(marks))
    yield ""
    yield escape(claim.reason)
    yield ""
    for label, words in (
        (_("Expected"), claim.expected),
        (_("Tested here by"), claim.method),
    ):
        if words:
            yield f"- **{label}**: {escape(words)}"
    numbers = "; ".join(f"{code(name)} {escape(value)}" for name, value in claim.numbers)
    if numbers:
        yield f"- **{_('This machine shows')}**: {numbers}"
    if claim.elsewhere is not None:
        needs, command = claim.elsewhere
        label = _("On a machine with {needs}").format(needs=needs) if needs else _("To try again")
        yield f"- **{escape(label)}**: {code(command)}"
    if claim.cases is not None:
        yield ""
        yield from _cases(claim.cases, _)


def _cases(grid: Grid, _: Say) -> Iterator[str]:
    yield f"<details><summary>{_('Raw cases')} ({len(grid.rows) + grid.left_out})</summary>"
    yield ""
    yield from _table(
        [escape(each) for each in grid.heads], [[escape(cell) for cell in row] for row in grid.rows]
    )
    if grid.left_out:
        yield ""
        yield _("{n} more rows are in the JSON report.").format(n=grid.left_out)
    yield ""
    yield "</details>"


def _run(run: RunPart, _: Say) -> Iterator[str]:
    yield f"### {escape(_('Run {id}').format(id=run.id))} · {escape(run.title)}"
    yield ""
    yield escape(f"{run.when} · {run.status} · {_('fingerprint')} {run.fingerprint}")
    for warning in (*run.stale, *run.notices):
        yield ""
        yield f"> {escape(warning)}"
    yield ""
    yield from _table(("", ""), [(label, escape(words)) for label, words in run.facts])
    if run.control:
        yield ""
        yield f"{_('Negative control')}: {escape(run.control)}"
    yield ""
    yield f"{_('To repeat it')}: {code(run.repeat)}"
    if run.ran:
        yield ""
        yield f"<details><summary>{_('What ran')} ({len(run.ran)})</summary>"
        yield ""
        yield from (f"- {code(line)}" for line in run.ran)
        yield ""
        yield "</details>"
    if run.artefacts:
        yield ""
        yield f"<details><summary>{_('Kept files')} ({len(run.artefacts)})</summary>"
        yield ""
        yield from _table(
            (_("File"), _("Bytes"), "SHA-256"),
            [(code(each.name), f"{each.bytes}", code(each.sha256)) for each in run.artefacts],
        )
        yield ""
        yield "</details>"
