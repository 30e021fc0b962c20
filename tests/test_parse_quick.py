"""The quick way through ordinary feeds gives what the reference (feedparser) gives, to the letter."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reader.errors import NotUnderstood
from reader.model import ParsedFeed
from reader.parse import dates, quick, read_feed, texts
from tests.shared import need_shared

URL = "https://kernels.example.org/blog/feed.xml"
CASES = Path(__file__).parent / "data" / "cases"


def both(body: bytes, url: str | None) -> tuple[object, object, bool]:
    """Read a document both ways; also tell whether the quick way took it."""
    taken = []
    whole = quick.parse

    def watched(text: str, url: str | None) -> quick.Parsed | None:
        parsed = whole(text, url)
        taken.append(parsed is not None)
        return parsed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick, "parse", watched)
        one = said(body, url)
        patch.setattr(quick, "parse", lambda _text, _url: None)
        return one, said(body, url), any(taken)


def said(body: bytes, url: str | None) -> ParsedFeed | str:
    try:
        return read_feed(body, content_type="application/xml", url=url)
    except NotUnderstood as error:
        return str(error)


def compared(folder: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    for file in sorted(folder.rglob("*")):
        if not file.is_file() or file.stat().st_size > 500_000:
            continue
        for url in (URL, None) if file.stat().st_size < 50_000 else (URL,):
            one, other, taken = both(file.read_bytes(), url)
            assert one == other, file
            counts["taken" if taken else "left"] += 1
    return counts


def test_over_our_cases() -> None:
    assert compared(CASES)["taken"] >= 10


def test_over_real_feeds() -> None:
    counts = compared(need_shared("corpus"))
    assert counts["taken"] >= 60
    compared(need_shared("cases"))


RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom"
 xmlns:media="http://search.yahoo.com/mrss/" xmlns:slash="http://purl.org/rss/1.0/modules/slash/"
 {root}><channel><title>T</title>{channel}{items}</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"
 xmlns:thr="http://purl.org/syndication/thread/1.0" {root}><title>T</title>{channel}{items}</feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" {root}>
 <channel rdf:about="https://k.example.org/"><title>T</title>{channel}</channel>{items}</rdf:RDF>"""
WORDS = st.sampled_from(
    ["", "tiles", " a &lt;b&gt; &amp;amp; c ", "<![CDATA[<p>x &lt;T&gt; &#8230; </p>]]>", "编译器", "Ã©tÃ©",
     "café", "a\u0085b", "&#x1F600;", "<b>bold</b>", "<!-- c -->t", "&nbsp;x", "x &y; z", "&#55357;&#56832;",
     "https://k.example.org/a?x=1&amp;y=2", "/rel/a b", "https:///odd", "//host/x", "HTTP://K.example.org/A;p",
     "tag:k.example.org,2008:Repository/1/v3", "urn:uuid:6f2a", "TAG:x", "tag://k.example.org/a b", "oai:arXiv.org:1",
     "x&#133;y", "x&#x85;y", "x&#0150;y", "Â\u0085", "<![CDATA[<?php ?> &#133;]]>", "<![CDATA[<?]]>", "<?pi x?>y",
     "<![CDATA[ xmlns:q=\"]]>", "Mon, 02 Nov 2026 08:00:00 +0800", "2026-11-02T08:00:00Z", "2026年11月2日", "me@example.org (Me)"]
)  # fmt: skip
ATTRIBUTES = st.sampled_from(
    ["", "", "", ' isPermaLink="false"', ' ispermalink="true"', ' type="html"', ' type="xhtml"', ' type="text"',
     ' href="/x"', ' href="https://k.example.org/1" rel="alternate"', ' rel="SELF" href="a"', ' term="t"',
     ' term="t" label="l"', ' domain="d"', ' url="https://k.example.org/a.mp3" type="audio/mpeg"', ' xml:lang="zh"',
     ' xml:base="https://b.example.org/"', ' rel="enclosure" href="b"', ' mode="base64"', ' src="s"']
)  # fmt: skip
NAMES = {
    RSS: ["title", "link", "guid", "description", "content:encoded", "pubDate", "dc:date", "author",
          "dc:creator", "category", "dc:subject", "enclosure", "atom:link", "comments", "slash:comments",
          "media:thumbnail", "media:content", "source", "dc:title", "summary", "Title", "unknown"],
    ATOM: ["id", "title", "link", "summary", "content", "published", "updated", "category", "rights",
           "author", "media:group", "media:thumbnail", "thr:total", "source", "issued", "Title"],
    RDF: ["title", "link", "description", "dc:date", "dc:creator", "dc:subject", "dc:rights", "unknown"],
}  # fmt: skip


def element(names: list[str]) -> st.SearchStrategy[str]:
    person = st.builds("<author><name>{}</name><email>{}</email></author>".format, WORDS, WORDS)
    plain = st.builds("<{0}{1}>{2}</{0}>".format, st.sampled_from(names), ATTRIBUTES, WORDS)
    return st.one_of(plain, plain, plain, person)


@st.composite
def feeds(draw: st.DrawFn) -> str:
    shell = draw(st.sampled_from([RSS, ATOM, RDF]))
    parts = element(NAMES[shell])
    of_channel = [
        "link",
        "language",
        "description",
        "image",
        "atom:link",
        "ttl",
        "id",
        "updated",
        "dc:language",
    ]
    channel = draw(st.lists(element(of_channel), max_size=3))
    item = "entry" if shell is ATOM else "item"
    about = ' rdf:about="https://k.example.org/1"' if shell is RDF else ""
    items = [
        f"<{item}{about}>{''.join(draw(st.lists(parts, max_size=6)))}</{item}>"
        for _each in range(draw(st.integers(0, 3)))
    ]
    root = draw(
        st.sampled_from(
            ["", "", 'xml:lang="zh-CN"', 'xmlns:x="https://x.example.org/"', 'lang="en"']
        )
    )
    return shell.format(root=root, channel="".join(channel), items="".join(items))


@settings(max_examples=150, deadline=None)
@given(
    text=feeds(), url=st.sampled_from([URL, None, "HTTP://k.example.org", "ftp://k.example.org/f"])
)
def test_over_made_feeds(text: str, url: str | None) -> None:
    one, other, _taken = both(text.encode("utf-8", "replace"), url)
    assert one == other


def test_ordinary_feeds_are_taken() -> None:
    """Else the comparison above would compare the reference with itself."""
    entry = "<item><title>A</title><guid>1</guid><pubDate>2026-11-02</pubDate><dc:creator>M</dc:creator></item>"
    assert both(RSS.format(root="", channel="", items=entry).encode(), URL)[2]
    entry = "<entry><id>1</id><title type='html'>A</title><content type='html'>x</content></entry>"
    assert both(ATOM.format(root="", channel="<id>f</id>", items=entry).encode(), URL)[2]
    assert both(
        RDF.format(root="", channel="", items="<item><title>A</title></item>").encode(), URL
    )[2]


@pytest.mark.parametrize(
    "bad",
    [
        "<rss version='2.0'><channel><title>T</title><item><title>a & b</title></item></channel></rss>",
        "<!DOCTYPE rss [<!ENTITY x 'y'>]><rss version='2.0'><channel><item><title>&x;</title></item></channel></rss>",
        "<rss version='2.0'><channel><item><title>a</title>" + "<b>" * 3_000 + "</item></channel></rss>",
        "<rss version='2.0' xmlns:media='https://evil.example.org/'><channel><item><media:content url='x'/>"
        "<title>a</title></item></channel></rss>",
        "<rss version='2.0'><channel><item><title><![CDATA[ xmlns:q=\"]]></title><other:content"
        ' xmlns:other="http://search.yahoo.com/mrss/" url="x"/></item></channel></rss>',
    ],
)  # fmt: skip
def test_what_is_not_ordinary_goes_the_old_way(bad: str) -> None:
    one, other, taken = both(bad.encode(), URL)
    assert one == other
    assert not taken or "DOCTYPE" in bad or "&" in bad  # what is mended may be ordinary


@settings(max_examples=150, deadline=None)
@given(
    text=st.from_regex(dates._USUAL, fullmatch=True)
    | st.sampled_from(
        ["31 Feb 2026 10:00:00 +0000", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59-10:00"]
    )
)
def test_a_usual_date_means_what_it_meant(text: str) -> None:
    usual = dates.parse_date(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dates, "_USUAL", re.compile(r"(?!)"))
        assert dates.parse_date(text) == usual


@settings(max_examples=150, deadline=None)
@given(
    address=st.from_regex(texts._PLAIN, fullmatch=True),
    base=st.sampled_from([URL, None, "http://k.example.org", "https://k.example.org/a/?b#c"]),
)
def test_a_plain_address_is_resolved_to_itself(address: str, base: str | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "_PLAIN", re.compile(r"(?!)"))
        assert texts.web_address(address, base) == address
