"""The line above a story's title: where it comes from, when, and what kind of arrival it is."""

from __future__ import annotations

import pytest

from reader.gui.opened import Opened
from reader.gui.reading import _eyebrow
from reader.model import Entry, Labels, Marks


@pytest.mark.parametrize(
    ("categories", "said"),
    [
        (("nightly",), "nightly"),
        (("prerelease", "cs.PL"), "pre-release"),
        (("cross", "withdrawn", "cs.LG"), "cross-listed · withdrawn"),
        (("stable", "new"), ""),
    ],
)
def test_the_kind_of_release_or_paper_stands_above_its_title(
    categories: tuple[str, ...], said: str
) -> None:
    entry = Entry(
        "e1", "T", "f1", None, None, None, (), "", "", 1, Labels(), Marks(), categories=categories
    )
    assert _eyebrow(Opened(entry, feed="Papers"), entry) == " · ".join(
        filter(None, ("Papers", said, "kept offline"))
    )
