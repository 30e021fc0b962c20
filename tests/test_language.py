"""The language follows the system, or the choice; a sentence without Chinese stays English."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from reader import language


@pytest.fixture(autouse=True)
def back_to_english() -> Iterator[None]:
    yield
    language.set_language("en")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE"}, "en"),
        ({"LANG": "en_US", "LC_ALL": "zh_CN"}, "zh"),
        ({"LANG": "zh_CN", "LANGUAGE": "en"}, "en"),
    ],
)
def test_the_system_is_followed(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str
) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    language.set_language(None)
    assert language.language() == expected


def test_a_choice_wins_over_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    language.set_language("en")
    assert language._("Cancel") == "Cancel"
    language.set_language("zh")
    assert language._("Cancel") == "取消"


def test_an_unknown_sentence_stays_as_it_is() -> None:
    language.set_language("zh")
    assert language._("no such sentence anywhere") == "no such sentence anywhere"


def test_plurals() -> None:
    language.set_language("en")
    assert language.ngettext("{n} apple", "{n} apples", 1) == "{n} apple"
    assert language.ngettext("{n} apple", "{n} apples", 2) == "{n} apples"
