"""What a run's numbers are as a picture: intervals with noise, registers by target; pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reader.model import Run, Verdict

_TARGET = re.compile(r"(sm_[0-9]{2,3}[af]?)\b[ :]*(.*)")
MOST_BARS = 24


@dataclass(frozen=True, slots=True)
class Interval:
    """One row: a ratio with its interval, and one value a sample."""

    name: str
    ratio: float
    low: float
    high: float
    samples: tuple[float, ...] = ()
    state: str = "not_applicable"  # gives the colour

    @property
    def said(self) -> str:
        """The row as text."""
        return f"{self.ratio:.3g}×  {self.low:.3g}–{self.high:.3g}"


@dataclass(frozen=True, slots=True)
class Intervals:
    """All rows of a claim; `noise` is the A/A band."""

    rows: tuple[Interval, ...]
    noise: tuple[float, float] | None = None

    def bounds(self) -> tuple[float, float]:
        """Return the least and the greatest value of the axis."""
        values = [1.0, *(self.noise or ())]
        for row in self.rows:
            values += [row.low, row.high, *row.samples]
        low, high = math.log(min(values)), math.log(max(values))
        edge = max(0.06 * (high - low), 0.02)
        return math.exp(low - edge), math.exp(high + edge)


def intervals(run: Run, verdict: Verdict) -> Intervals | None:
    """Return what a verdict's ratios say, where it has ratios with an interval.

    A ratio is measured as NAME_ratio with NAME_low and NAME_high, its noise as NAME_noise; its
    samples are two or three equally long lists of a case of the claim: what it is compared with,
    the same again, the change.
    """
    rows: list[Interval] = []
    noise: tuple[float, float] | None = None
    for name in verdict.measured:
        stem = name.removesuffix("_ratio")
        found = [_number(verdict.measured.get(f"{stem}_{end}")) for end in ("ratio", "low", "high")]
        if stem == name or any(each is None or each <= 0 for each in found):
            continue
        ratio, low, high = (each or 1.0 for each in found)
        case = verdict.measured.get(f"{stem}_name")
        change, again = _samples(run, verdict.claim, case)
        rows.append(Interval(stem, ratio, low, high, change, verdict.verdict.value))
        spread = _number(verdict.measured.get(f"{stem}_noise"))
        if spread is not None and 0 < spread < 1:
            noise = (1 - spread, 1 + spread)
            rows.append(Interval(f"{stem} A/A", 1.0, *noise, samples=again))
    return Intervals(tuple(rows), noise) if rows else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _samples(run: Run, claim: str, name: Any = None) -> tuple[tuple[float, ...], tuple[float, ...]]:
    for case in (case for leg in run.legs for case in leg.cases if case.get("claim") == claim):
        if name is not None and case.get("name") != name:
            continue
        lists = [value for value in case.values() if isinstance(value, list) and len(value) > 1]
        lists = [each for each in lists if all((_number(one) or 0) > 0 for one in each)]
        if len(lists) >= 2 and len({len(each) for each in lists}) == 1:
            first, last = lists[0], lists[-1]
            again = lists[1] if len(lists) > 2 else ()
            return (
                tuple(b / a for a, b in zip(first, last, strict=True)),
                tuple(b / a for a, b in zip(first, again, strict=False)),
            )
    return (), ()


@dataclass(frozen=True, slots=True)
class Bar:
    """What one build of a kernel takes."""

    series: str  # such as false and true; empty where there is but one
    registers: int
    spilled: int | None  # bytes; None where nobody counted


@dataclass(frozen=True, slots=True)
class Resources:
    """Registers and spills by target: (target, kernel) → its bars."""

    groups: tuple[tuple[str, str, tuple[Bar, ...]], ...]
    left_out: int = 0

    @property
    def most(self) -> int:
        """The most registers of all."""
        return max(bar.registers for _target, _name, bars in self.groups for bar in bars)


def resources(run: Run, claim: str) -> Resources | None:
    """Return the registers that a claim's cases tell, where a case is named by its target.

    A case tells `registers` or several of `registers_SERIES`, and spilled bytes likewise.
    """
    groups = []
    for leg in run.legs:
        for case in (each for each in leg.cases if each.get("claim") == claim):
            named = _TARGET.match(str(case.get("name", "")))
            bars = _bars(case)
            if named is not None and bars:
                leg_name = f" [{leg.name}]" if len(run.legs) > 1 else ""
                groups.append((named[1], f"{named[2].strip()}{leg_name}", bars))
    groups.sort(key=lambda each: (int(re.sub(r"\D", "", each[0])), each[1]))
    if not groups:
        return None
    return Resources(tuple(groups[:MOST_BARS]), max(0, len(groups) - MOST_BARS))


def _bars(case: Mapping[str, Any]) -> tuple[Bar, ...]:
    bars = []
    for name, value in case.items():
        stem, _line, series = name.partition("_")
        if stem == "registers" and isinstance(value, int) and not isinstance(value, bool):
            ends = f"_{series}" if series else ""
            spilled = next(
                (
                    case[f"{word}{ends}"]
                    for word in ("spilled", "spills")
                    if f"{word}{ends}" in case
                ),
                None,
            )
            bars.append(Bar(series, value, spilled if isinstance(spilled, int) else None))
    return tuple(bars)
