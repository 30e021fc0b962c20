"""Pictures as SVG: intervals with A/A noise, registers by target, a claim's history; pure.

Colours come in from outside, so that the report hands in its style's variables and the window the
colours of its theme. Each picture says in its title what it shows, for those who do not see it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import pairwise

from reader.model import VerdictKind
from reader.report.history import History
from reader.report.plots import Bar, Interval, Intervals, Resources

Colours = Mapping[str, str]  # ink, ink2, ink3, line, noise and one for each verdict
NAMES = ("ink", "ink2", "ink3", "line", "noise", *(each.value for each in VerdictKind))
REPORT: Colours = {name: f"var(--{name})" for name in NAMES}

WIDTH, LEFT, RIGHT = 720, 150, 150
ROW, AXIS = 34, 24
BAR, GAP, GROUP = 12, 3, 8
STEP_MOST = 90
TICKS = (
    0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0,
    20.0, 50.0,
)  # fmt: skip
LEAST_APART = 44  # between two ticks' labels


def interval_plot(shown: Intervals, title: str, colours: Colours = REPORT) -> str:
    """Draw ratios on a log axis: interval, samples, and the band that is mere noise."""
    low, high = (math.log(each) for each in shown.bounds())
    plot = WIDTH - LEFT - RIGHT
    foot = ROW * len(shown.rows) + 4

    def x(value: float) -> float:
        return LEFT + (math.log(value) - low) / (high - low) * plot

    parts = []
    if shown.noise is not None:
        one, other = (x(each) for each in shown.noise)
        parts.append(_box(one, 4, other - one, foot - 4, colours["noise"]))
    parts.append(_line(x(1.0), 4, x(1.0), foot, colours["ink3"]))
    parts.append(_line(LEFT, foot, LEFT + plot, foot, colours["line"]))
    labelled: list[float] = []
    for tick in sorted(TICKS, key=lambda each: each != 1.0):  # 1 has its label in any case
        near = any(abs(x(tick) - x(each)) < LEAST_APART for each in labelled)
        if low <= math.log(tick) <= high and not near:
            labelled.append(tick)
            parts.append(_text(x(tick), foot + 15, f"{tick:g}×", colours["ink3"], "middle"))
    for place, row in enumerate(shown.rows):
        parts += _row(row, 4 + place * ROW + ROW / 2, x, colours)
    return _picture(foot + AXIS, title, parts)


def _row(row: Interval, middle: float, x: Callable[[float], float], colours: Colours) -> list[str]:
    colour = colours[row.state]
    low, high, ratio = x(row.low), x(row.high), x(row.ratio)
    parts = [
        _text(4, middle + 4, row.name, colours["ink"]),
        _box(low, middle - 5, max(high - low, 1), 10, colour, opacity=0.35),
        _line(low, middle - 6, low, middle + 6, colour),
        _line(high, middle - 6, high, middle + 6, colour),
        _line(ratio, middle - 6, ratio, middle + 6, colour, width=3),
        _text(WIDTH - 4, middle + 4, row.said, colours["ink2"], "end"),
    ]
    for value in row.samples:
        parts.append(
            f'<circle cx="{x(value):.1f}" cy="{middle + 11:.1f}" r="1.4" fill="{colour}"/>'
        )
    return parts


def resource_plot(shown: Resources, title: str, colours: Colours = REPORT) -> str:
    """Draw a bar of registers for each build, by target; spilled bytes stand beside it."""
    parts, top, before = [], 4.0, ""
    widest = WIDTH - 2 * LEFT - 130  # room for the words behind a bar
    series = list(dict.fromkeys(bar.series for _t, _n, bars in shown.groups for bar in bars))
    for target, name, bars in shown.groups:
        if target != before:
            top += GROUP if before else 0
            parts.append(_text(4, top + BAR - 2, target, colours["ink"], bold=True))
            before = target
        parts.append(_text(62, top + BAR - 2, name[:34], colours["ink2"]))
        for bar in bars:
            long = widest * bar.registers / max(shown.most, 1)
            faint = 0.4 if len(series) > 1 and bar.series == series[0] else 0.85
            parts.append(_box(2 * LEFT, top, long, BAR, colours["ink3"], opacity=faint))
            said = _said(bar)
            parts.append(_text(2 * LEFT + long + 6, top + BAR - 2, said, colours["ink2"]))
            top += BAR + GAP
        top += GAP
    return _picture(top + 4, title, parts)


def _said(bar: Bar) -> str:
    spilled = f" + {bar.spilled} B" if bar.spilled else ""
    return f"{bar.registers}{spilled}" + (f"  {bar.series}" if bar.series else "")


LANES = (
    VerdictKind.CONFIRMED,
    VerdictKind.REFUTED,
    VerdictKind.INCONCLUSIVE,
    VerdictKind.NOT_APPLICABLE,
    VerdictKind.COULD_NOT_RUN,
)


def history_plot(
    found: History, words: Mapping[VerdictKind, str], title: str, colours: Colours = REPORT
) -> str:
    """Draw a claim's verdicts run by run; where it flipped a line says what had changed."""
    lanes = [kind for kind in LANES if any(point.verdict is kind for point in found.points)]
    points = found.points
    step = min(STEP_MOST, (WIDTH - LEFT - 40) / max(1, len(points) - 1))
    head = 20
    foot = head + 24 * len(lanes)
    parts = []
    for place, kind in enumerate(lanes):
        y = head + 24 * place + 12
        parts.append(_text(4, y + 4, words[kind], colours[kind.value]))
        parts.append(_line(LEFT, y, WIDTH - 4, y, colours["line"]))
    where = [
        (LEFT + 20 + n * step, head + 24 * lanes.index(p.verdict) + 12)
        for n, p in enumerate(points)
    ]
    for one, other in pairwise(where):
        parts.append(_line(*one, *other, colours["ink3"]))
    last = -math.inf
    for (x, y), point in zip(where, points, strict=True):
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colours[point.verdict.value]}">'
            f"<title>{escape(point.run)}</title></circle>"
        )
        if x - last >= LEAST_APART + 30:
            last, day = x, point.at.strftime("%Y-%m-%d")
            parts.append(_text(x, foot + 14, day, colours["ink3"], "middle"))
        if point.flipped:
            parts.append(_line(x, head - 4, x, foot, colours["ink3"], dash=True))
            changed = point.changes[0] if point.changes else None
            what = f"{changed.name or changed.what} {changed.after or '–'}" if changed else "?"
            parts.append(_text(x, head - 8, what[:40], colours["ink2"], "middle"))
    return _picture(foot + AXIS, title, parts)


def _picture(height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'role="img" font-family="sans-serif" font-size="12"><title>{escape(title)}</title>'
        f"{''.join(parts)}</svg>"
    )


def _box(x: float, y: float, wide: float, high: float, colour: str, *, opacity: float = 1.0) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(wide, 0):.1f}" height="{high:.1f}" '
        f'fill="{colour}" fill-opacity="{opacity:g}"/>'
    )


def _line(
    x: float, y: float, to_x: float, to_y: float, colour: str, *, width: float = 1.0,
    dash: bool = False,
) -> str:  # fmt: skip
    dashed = ' stroke-dasharray="3 3"' if dash else ""
    return (
        f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" '
        f'stroke="{colour}" stroke-width="{width:g}"{dashed}/>'
    )


def _text(
    x: float, y: float, words: str, colour: str, anchor: str = "start", *, bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}"{weight}>'
        f"{escape(words)}</text>"
    )
