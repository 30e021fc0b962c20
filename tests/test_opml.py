"""Lists of subscriptions: whole or not at all, and the same again after writing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader import opml
from reader.errors import NotUnderstood
from reader.model import Feed, FeedKind
from tests.shared import need_shared

ONE = '<outline xmlUrl="https://a.example.org/"/>'


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (f"<opml><body>{ONE}<outline text='R & D'/></body></opml>", "well-formed"),
        (f"<opml><body>{ONE}", "well-formed"),
        ("", "well-formed"),
        ("<html/>", "no list"),
        (f'<!DOCTYPE o [<!ENTITY a "b">]><opml><body>{ONE}</body></opml>', "entities"),
        (f'<!DOCTYPE o [<!ENTITY a SYSTEM "file:///etc/passwd">]><opml>{ONE}</opml>', "entities"),
        ("<opml>" + "<outline>" * 5000, "deep"),
        ('<?xml version="1.0" encoding="x-none"?><opml/>', "encoding|well-formed"),
    ],
)
def test_refused_whole(body: str, sentence: str) -> None:
    with pytest.raises(NotUnderstood, match=sentence):
        opml.read(body.encode())


def test_encodings() -> None:
    for name in ("utf-8", "utf-16", "utf-8-sig"):
        text = '<opml><body><outline text="编译" xmlUrl="https://a.example.org/"/></body></opml>'
        assert opml.read(text.encode(name))[0].title == "编译"


_feeds = st.builds(
    Feed,
    id=st.just("f1"),
    url=st.from_regex(r"https://[a-z]{1,9}\.example\.org/[a-z?&=<>\"']{0,9}", fullmatch=True),
    title=st.text(max_size=20),
    kind=st.sampled_from(list(FeedKind)),
    topic_filter=st.booleans(),
)


@given(st.lists(_feeds, max_size=5, unique_by=lambda feed: feed.url))
def test_written_and_read_again(feeds: list[Feed]) -> None:
    again = opml.read(opml.write(feeds))
    assert [each.url for each in again] == [each.url for each in feeds]
    assert [each.kind for each in again] == [each.kind for each in feeds]
    assert [each.topic_filter for each in again] == [each.topic_filter for each in feeds]
    for outline, feed in zip(again, feeds, strict=True):
        if feed.title.isprintable() and feed.title.strip():
            assert outline.title == " ".join(feed.title.split())


def test_lists_of_others_are_read_whole_or_refused() -> None:
    folder = need_shared("corpus", "opml")
    outcomes = {}
    for file in sorted(folder.glob("*.opml")):
        body = file.read_bytes()
        try:
            outcomes[file.name] = len(opml.read(body)) == body.count(b"xmlUrl=")
        except NotUnderstood as error:
            outcomes[file.name] = "Nothing was imported" in str(error)
    assert outcomes
    assert all(outcomes.values()), outcomes
