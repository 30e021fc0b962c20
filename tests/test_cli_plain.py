"""Text for a terminal: cleaned, measured, cut, wrapped and aligned."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader.cli import global_options_first, voice
from reader.cli.options import read_day
from reader.cli.plain import clean, cut, one_line, pad, table, width, wrap


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x07", "link"),
        ("a\x00b\x07c\x9bd", "abcd"),
        ("\u202eabc\u202c \u2066x\u2069", "abc x"),
        ("tab\tand\nline", "tab    and\nline"),
        ("carriage\rreturn", "carriagereturn"),
        ("C++ T.Parallel <T> ⚠️ 𝔽", "C++ T.Parallel <T> ⚠️ 𝔽"),
    ],
)
def test_clean(text: str, left: str) -> None:
    assert clean(text) == left


@given(st.text())
def test_nothing_that_moves_a_cursor_survives(text: str) -> None:
    left = clean(text)
    assert not any(c < " " and c != "\n" for c in left)
    assert not any("\x7f" <= c <= "\x9f" for c in left)
    assert clean(left) == left


@pytest.mark.parametrize(
    ("text", "cells"), [("abc", 3), ("寄存器", 6), ("e\u0301", 1), ("ａ", 2), ("⚠\ufe0f", 1)]
)
def test_width(text: str, cells: int) -> None:
    assert width(text) == cells


@given(st.text(alphabet="ab 寄存器，。é"), st.integers(min_value=2, max_value=20))
def test_cut_and_pad_fit(text: str, cells: int) -> None:
    text = one_line(text)
    assert width(cut(text, cells)) <= cells
    assert width(pad(cut(text, cells), cells)) == cells
    if width(text) <= cells:
        assert cut(text, cells) == text


@given(st.text(alphabet="abc 寄存器，。"), st.integers(min_value=8, max_value=30))
def test_wrap_loses_nothing(text: str, cells: int) -> None:
    lines = wrap(text, cells)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_wrap_breaks_between_han_and_never_before_a_full_stop() -> None:
    lines = wrap("寄存器压力调度。寄存器压力", 14)
    assert all(width(line) <= 16 for line in lines)
    assert not any(line.startswith("。") for line in lines)


def test_tables_align_with_wide_characters() -> None:
    rows = [("寄存器", "8.5", "one"), ("x", "80.0", "two")]
    lines = table(rows, ("t", "n", "end"), cells=80, numbers=(1,))
    starts = [line.index(word) for line, word in zip(lines, ("end", "one", "two"), strict=True)]
    assert {width(line[:at]) for line, at in zip(lines, starts, strict=True)} == {14}


def test_tables_cut_the_giving_column() -> None:
    lines = table([("i1", "long " * 40)], ("id", "title"), cells=40)
    assert all(width(line) <= 40 for line in lines)


def test_content_cannot_paint() -> None:
    assert voice.paint("x", "refuted") == "x"  # no terminal here
    assert voice._coloured_safe("\x1b[31mx\ue000") == "x\ue000"


TODAY = date(2026, 12, 1)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-12-05", date(2026, 12, 5)),
        ("today", TODAY),
        ("Tomorrow", date(2026, 12, 2)),
        ("明天", date(2026, 12, 2)),
        ("+3d", date(2026, 12, 4)),
        ("3天", date(2026, 12, 4)),
        ("-1w", date(2026, 11, 24)),
        ("5.12.", None),
        ("2026-13-40", None),
        ("", None),
        ("+99999d", None),
    ],
)
def test_days_as_typed(text: str, day: date | None) -> None:
    assert read_day(text, TODAY) == day


def test_moments_as_typed_have_an_offset() -> None:
    moment = read_day("2026-12-05T08:00", TODAY)
    assert isinstance(moment, datetime)
    assert moment.tzinfo is not None


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (["items", "--store", "a"], ["--store", "a", "items"]),
        (["items", "--store=a", "-v"], ["--store=a", "-v", "items"]),
        (["search", "--", "--lang"], ["search", "--", "--lang"]),
        (["items", "--store"], ["items", "--store"]),
        ([], []),
    ],
)
def test_global_options_come_first(words: list[str], first: list[str]) -> None:
    assert global_options_first(words) == first
