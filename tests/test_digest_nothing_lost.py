"""Every clause of a digest stands in some field, whatever form it came in: ours and real ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, replace

import pytest

from reader.digest import words
from reader.model import Form, ParsedDigest
from tests.digest_forms import in_form
from tests.shared import need_shared
from tests.test_digest import SAMPLES, STARTER, digest, sample

_CUT = re.compile(
    r"[。；;、，,\n\t|`\[\]：:]|\*\*|^(?:#+ )?\s*\d+\. |^- |---| — | (?=example\.org$)",
    re.MULTILINE,
)
_NUMBER = re.compile(r"^\d+\. ")  # an item keeps it as a number
_KNOWN = {
    each
    for table in (words.SECTIONS, words.LABELS, words.NOTES, words.COLUMNS)
    for spellings in table.values()
    for each in spellings
}
_VALUES = re.compile(  # instants, days, counts, scores: held as values and not as words
    r"[\dT+-]+(?: (?:至|to) [\dT+-]+)?|至|to|.+ \d+ (?:条|items)|\d+ 月 \d+ 日 \d+|\d+(?: \d+)*"
    r"|\d+(?:[.．]\d+)?(?:[／/]100)?|(?:时间（|Time \()\+08|分组|(?:Release )?v[\d.]+"
    r"|(?:Group|Update|August) ?[\d ]*"
)


def lost(text: str, found: ParsedDigest, form: Form) -> list[str]:
    """Return the clauses of a digest's text that stand whole in no field."""
    fields = [_letters(each) for each in _strings(asdict(found))]
    text = re.sub(r"\A---.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(r"\[\^\d+\]|\]\([^)]*\)", "", text)
    if form is Form.TEXT:  # the renderer's markup is gone before anybody copies it
        text = re.sub(r"<[A-Z]\w*>", "", text)
    clauses = [_NUMBER.sub("", clause.strip(" #>*•")) for clause in _CUT.split(text)]
    return [
        clause
        for clause in clauses
        if not _is_boilerplate(clause) and not any(_letters(clause) in each for each in fields)
    ]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _strings(each)


def _letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]+", text)).lower()


def _is_boilerplate(clause: str) -> bool:
    """Return whether a clause is a label, a heading that fields stand for, or a plain value."""
    if clause.lower() in _KNOWN or words.section_of(clause):
        return True
    if words.INCOMPLETE.search(clause) or words.is_furniture(clause):
        return True
    return words.starts_comments(clause) or _VALUES.fullmatch(clause) is not None


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("form", list(Form))
def test_no_clause_of_ours_is_lost(name: str, form: Form) -> None:
    text = sample(f"{name}.md")
    assert lost(text, digest(in_form(text, form)), form) == []


@pytest.mark.parametrize("form", list(Form))
def test_no_clause_of_the_starter_is_lost(form: Form) -> None:
    for path in sorted(STARTER.glob("*/*.md")):
        text = path.read_text(encoding="utf-8")
        assert lost(text, digest(in_form(text, form)), form) == [], path


@pytest.mark.parametrize("form", list(Form))
def test_no_clause_of_the_ten_posts_is_lost(form: Form) -> None:
    for path in sorted(need_shared("digests").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        assert lost(text, digest(in_form(text, form)), form) == [], path.name


def test_no_clause_of_copied_text_is_lost() -> None:
    """Furniture and reference marks are the only lines that no field keeps."""
    text = sample("daily-untitled.txt").split("评论\n")[0]
    assert lost(text, digest(text), Form.MARKDOWN) == []


def test_no_clause_of_the_seeds_is_lost() -> None:
    for path in sorted(need_shared("seeds").glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        assert lost(text, digest(text), Form.MARKDOWN) == [], path.name


def test_what_is_lost_would_be_seen() -> None:
    """The measure itself fails when a field is missing."""
    text = sample("daily-traps.md")
    found = digest(text)
    first = replace(found.items[0], why="")
    assert any(
        "升级的人要改编译脚本" in each
        for each in lost(text, replace(found, items=(first, *found.items[1:])), Form.MARKDOWN)
    )
    assert lost(text, replace(found, watch=()), Form.MARKDOWN)
    assert lost(text, replace(found, disclaimer=""), Form.MARKDOWN)
    assert lost(text, replace(found, notices=()), Form.MARKDOWN)
    assert lost(text, replace(found, title="", overview=""), Form.MARKDOWN)
