"""The digests that come with the app: whole in every form, alike in both languages."""

from __future__ import annotations

import re

import pytest

from reader.model import Form, ParsedItem
from tests.digest_forms import in_form, up_to_form
from tests.shared import need_shared
from tests.test_digest import STARTER, digest

NAMES = sorted(path.name for path in (STARTER / "zh").glob("*.md"))


def items(language: str) -> list[ParsedItem]:
    """Return all starter items of one language, in the order of their files."""
    texts = [(STARTER / language / name).read_text(encoding="utf-8") for name in NAMES]
    return [item for text in texts for item in digest(text).items]


@pytest.mark.parametrize("form", list(Form))
def test_starter_digests_read_whole_in_every_form(form: Form) -> None:
    for path in sorted(STARTER.glob("*/*.md")):
        text = path.read_text(encoding="utf-8")
        found = digest(in_form(text, form))
        assert (found.remainder, found.not_understood) == ("", ()), path
        assert all(item.first_step for item in found.items), path
        if form is not Form.TEXT:
            assert up_to_form(found, form) == up_to_form(digest(text), form), path


def test_starter_digests_are_equal_in_both_languages() -> None:
    names = sorted(path.name for path in (STARTER / "zh").glob("*.md"))
    assert names == sorted(path.name for path in (STARTER / "en").glob("*.md"))
    total = 0
    for name in names:
        zh, en = (digest((STARTER / each / name).read_text("utf-8")) for each in ("zh", "en"))
        total += len(zh.items)
        for one, other in zip(zh.items, en.items, strict=True):
            assert (one.layers, one.score, one.commit) == (other.layers, other.score, other.commit)
            assert [s.url for s in one.sources] == [s.url for s in other.sources]
    assert total == 13


def test_starter_digests_copy_no_sentence_of_the_seeds() -> None:
    seeds = "".join(path.read_text("utf-8") for path in need_shared("seeds").glob("*.txt"))
    titles = {line.split(". ", 1)[-1] for line in seeds.splitlines()}
    for path in STARTER.glob("*/*.md"):
        for line in path.read_text("utf-8").splitlines():
            for sentence in line.split("。"):
                words = sentence.lstrip("#0123456789. ")
                assert len(words) < 20 or words in titles or words not in seeds, words


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_item_says_what_to_do_first(language: str) -> None:
    assert len(items(language)) == 13
    for item in items(language):
        assert item.first_step, item.title
        assert item.summary, item.title
        assert item.layers, item.title
        assert item.layers_unknown == (), item.title
        assert item.sources, item.title
        assert not item.title_derived, item.title


def test_both_languages_have_the_same_items_in_the_same_order() -> None:
    for chinese, english in zip(items("zh"), items("en"), strict=True):
        names = [set(re.findall(r"[A-Za-z][\w.-]{3,}", each.title)) for each in (chinese, english)]
        assert names[0] <= names[1] or names[0] & names[1], (chinese.title, english.title)
        for name in ("layers", "score", "number", "commit", "happened_at", "refs"):
            assert getattr(chinese, name) == getattr(english, name), (chinese.title, name)
        assert bool(chinese.reported_result) == bool(english.reported_result)
        assert bool(chinese.action_window) == bool(english.action_window)


def test_every_address_is_one_that_is_known() -> None:
    """A source is one of the listed addresses, or a title alone where none is known."""
    listed = need_shared("facts", "sources.md").read_text(encoding="utf-8")
    known = set(re.findall(r"https://[^\s`|·()]+", listed))
    for pull in re.findall(r"\b2\d{5}\b", listed):
        known.add(f"https://github.com/llvm/llvm-project/pull/{pull}")
    for path in STARTER.glob("*/*.md"):
        used = set(re.findall(r"https?://[^\s)>\]]+", path.read_text(encoding="utf-8")))
        assert used <= known, (path, used - known)
    alone = [item.title for item in items("zh") if not any(s.url for s in item.sources)]
    assert len(alone) == 5  # four papers and a blog post: their addresses are not known
