"""Feeds as they are: every odd case, every recorded document, and nothing that may be expanded."""

from __future__ import annotations

import contextlib
import gc
import html
import json
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader import identity, opml
from reader.errors import NotUnderstood
from reader.model import ParsedFeed
from reader.parse import find_feeds, is_page, read_feed
from reader.parse.dates import parse_date
from reader.sanitise import clean_html, clean_text, text_of_clean
from tests import cases
from tests.shared import need_shared

RSS = '<?xml version="1.0"?><rss version="2.0"><channel><title>F</title>{}</channel></rss>'
ATOM = '<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title>{}</feed>'


def _rss(items: str) -> ParsedFeed:
    return read_feed(RSS.format(items).encode(), url="https://blog.example.org/feed")


@pytest.mark.parametrize("name", cases.names("rss", "atom", "rss+atom", "rdf", "jsonfeed"))
def test_case(name: str) -> None:
    expect = cases.expected(name)
    for file in sorted((cases.CASES / name).glob("input*")):
        if file.name == "input-2.xml":
            continue  # the second fetch of a sequence: test_sync
        wanted = expect | expect.get(file.name, {})
        if file.name == "input-atom.xml":
            del wanted["n_entries"]  # said of the other file
        if name.startswith("31-") and file.name == "input.xml":
            with pytest.raises(NotUnderstood, match=expect["source_error_contains"]):
                read_feed(file.read_bytes())
            continue
        feed = read_feed(file.read_bytes())
        if "n_entries_or_error" in expect:
            assert len(feed.entries) == expect["n_entries_or_error"]
        cases.check_feed(feed, wanted)
        if "distinct_keys" in expect:
            repeated = identity.repeated_guids(feed.entries)
            keys = {identity.entry_key("f", e, repeated_guids=repeated) for e in feed.entries}
            assert len(keys) == expect["distinct_keys"]
        if "entry_url_for_title_0" in wanted:
            urls = {each.title: each.url for each in feed.entries}
            assert urls["0"] == wanted["entry_url_for_title_0"]


def test_case_charset_header_and_prolog_disagree() -> None:
    expect = cases.expected("24-charset-header-vs-prolog")
    for run in expect["runs"]:
        body = (cases.CASES / expect["case"] / run["input"]).read_bytes()
        feed = read_feed(body, content_type=run["http"]["Content-Type"])
        cases.check_feed(feed, {"n_entries": 1, "entries": expect["entries"]})


def test_case_autodiscovery() -> None:
    expect = cases.expected("39-autodiscovery")
    page = (cases.CASES / expect["case"] / "input.html").read_bytes()
    found = find_feeds(page, expect["page_url"])
    assert [each.url for each in found] == expect["candidates"]
    assert found[0].title == expect["first_title"]
    assert is_page(page)


def test_case_opml() -> None:
    expect = cases.expected("40-opml-odd")
    outlines = opml.read((cases.CASES / expect["case"] / "input.opml").read_bytes())
    assert [each.url for each in outlines] == [each["url"] for each in expect["feeds"]]
    for outline, wanted in zip(outlines, expect["feeds"], strict=True):
        assert outline.title in wanted.get("title_any_of", [wanted.get("title")])
        assert outline.folder == "/".join(wanted["path"])


# ── what is no feed ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "empty"),
        (b" \n\xef\xbb\xbf", "empty"),
        (b"\xef\xbb\xbf \r\n", "empty"),
        (b"<!doctype html><html><head><title>Sign in</title>", "web page .“Sign in”"),
        (b"<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x' 'y'><html xmlns='z'/>", "web page"),
        (b"<script>location='/x'</script>", "web page"),
        (b"[]", "JSON, but no JSON Feed"),
        (b'{"items": 3}', "JSON, but no JSON Feed"),
        (b'{"items": [', "damaged"),
        (b"[" * 100_000, "damaged"),
        (b"<opml version='2.0'/>", "OPML"),
        (b"<urlset/>", "XML .<urlset>"),
        (b"upstream timeout", "neither"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "neither"),
        (b"%PDF-1.7 \xff\xfe", "neither"),
    ],
)
def test_what_is_no_feed_is_said(body: bytes, sentence: str) -> None:
    with pytest.raises(NotUnderstood, match=sentence):
        read_feed(body)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_feed_or_not_understood(body: bytes) -> None:
    for given_body in (body, b"<rss><channel>" + body, b"<feed>" + body + b"</feed>"):
        with contextlib.suppress(NotUnderstood):
            repr(read_feed(given_body)).encode()


# ── no entity is expanded, nothing is fetched ──────────────────────────────────────────────────


def test_no_declared_entity_is_ever_expanded(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOP SECRET")
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    body = (
        f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY own "EXPANDED"><!ENTITY l0 "HAHA">{laughs}'
        f'<!ENTITY x SYSTEM "file://{secret}"><!ENTITY % p SYSTEM "file://{secret}"> %p;]>'
        "<rss version='2.0'><channel><title>t &own; &l11; &x;</title>"
        "<item><title>a &x; &own;</title><description>&l11;</description></item></channel></rss>"
    )
    feed = read_feed(body.encode())
    said = repr(feed)
    assert len(feed.entries) == 1
    assert len(said) < 1500
    assert not any(word in said for word in ("SECRET", "EXPANDED", "HAHA"))


@pytest.mark.parametrize("mark", ["<!DOCTYPE rss [", "<!DOCTYPE rss [<!ENTITY a '>"])
def test_a_broken_document_type_hides_nothing(mark: str) -> None:
    with pytest.raises(NotUnderstood):
        read_feed(f"{mark}{RSS.format('<item><title>x</title></item>')[21:]}".encode())


# ── texts ──────────────────────────────────────────────────────────────────────────────────────


def test_template_arguments_survive() -> None:
    feed = _rss(
        "<item><title>Tile&lt;T&gt; for &lt;TileAndFuse></title>"
        "<description><![CDATA[<p>Uses <code>vector<T></code> and A<B></p>]]></description></item>"
    )
    assert feed.entries[0].title == "Tile<T> for <TileAndFuse>"
    assert "vector<T>" in feed.entries[0].content_html


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "big5", "utf-16", "utf-32", "shift_jis"])
def test_other_encodings(encoding: str) -> None:
    title = "算子融合" if encoding != "shift_jis" else "最適化"
    text = RSS.format(f"<item><title>{title}</title></item>")
    declared = text.replace('"1.0"', f'"1.0" encoding="{encoding}"')
    assert read_feed(declared.encode(encoding)).entries[0].title == title


def test_an_encoding_nobody_named() -> None:
    text = RSS.format("<item><title>算子融合与编译优化</title></item>")
    assert read_feed(text.encode("gb18030")).entries[0].title == "算子融合与编译优化"
    assert read_feed(text.encode("gbk"), content_type="text/xml; charset=gb2312").entries


def test_titles_and_text_are_kept_by_kind() -> None:
    feed = read_feed(
        ATOM.format(
            "<entry><id>1</id><title>a &lt;b&gt; &amp;lt; c</title>"
            "<content type='text'>x &lt;T&gt;\nsecond\n\nthird</content></entry>"
            "<entry><id>2</id><title type='html'>&lt;b&gt;bold&lt;/b&gt; &amp;amp; co</title>"
            "<summary type='html'>&lt;p&gt;s&lt;/p&gt;</summary></entry>"
        ).encode()
    )
    one, two = feed.entries
    assert one.title == "a <b> &lt; c"
    assert one.content_html == "<p>x &lt;T&gt;<br>second</p><p>third</p>"
    assert two.title == "bold & co"
    assert two.content_html == "<p>s</p>"


def test_relative_addresses_stand_against_the_feeds() -> None:
    items = "<item><title>a</title><link>/a?x=1</link></item>"
    assert _rss(items).entries[0].url == "https://blog.example.org/a?x=1"
    with_self = ATOM.format(
        "<link rel='self' href='https://other.example.org/x/feed'/>"
        "<entry><id>1</id><title>t</title><link href='post'/></entry>"
    )
    assert read_feed(with_self.encode()).entries[0].url == "https://other.example.org/x/post"
    based = ATOM.format(
        "<entry xml:base='https://based.example.org/d/'><id>1</id><title>t</title>"
        "<link href='p'/><content type='html'>&lt;img src=\"i.png\"&gt;</content></entry>"
    )
    entry = read_feed(based.encode()).entries[0]
    assert entry.url == "https://based.example.org/d/p"
    assert entry.base_url == "https://based.example.org/d/"


def test_arxiv_authors_are_parted() -> None:
    feed = _rss(
        "<item><title>P</title><guid isPermaLink='false'>oai:arXiv.org:2609.30104v1</guid>"
        "<link>https://arxiv.org/abs/2609.30104</link>"
        "<dc:creator xmlns:dc='http://purl.org/dc/elements/1.1/'>A. One, B. Two</dc:creator></item>"
    )
    assert feed.entries[0].authors == ("A. One", "B. Two")


EXACT = [
    "template <int N> struct S", "Tile<T>", "k<<<grid, block>>>(x)", "mov.u32 %r1, %tid.x;",
    "a | b || c", r"$O(n \log n)$ and \(a_b*c*\)", "🚀 sm_90a 👩\u200d💻", "Map<K, std::vector<V>>",
    "100% & <3", "__global__ void f(float4* p)", "x &lt;b&gt; &amp; y", "寄存器 <T> 溢出",
]  # fmt: skip


@pytest.mark.parametrize("text", EXACT)
@pytest.mark.parametrize("cdata", [True, False])
def test_text_in_articles_survives_to_the_letter(text: str, cdata: bool) -> None:
    article = f"<p>one</p><pre><code>{html.escape(text)}</code></pre><p>{html.escape(text)}</p>"
    written = f"<![CDATA[{article}]]>" if cdata else html.escape(article)
    entry = _rss(f"<item><title>t</title><description>{written}</description></item>").entries[0]
    cleaned = clean_html(entry.content_html, entry.base_url)
    assert text_of_clean(cleaned).split("\n\n")[1:] == [text, text]


@pytest.mark.parametrize("text", EXACT)
def test_text_of_atom_and_of_titles_survives_to_the_letter(text: str) -> None:
    once = html.escape(text, quote=False)
    entry = read_feed(
        ATOM.format(
            f"<entry><id>1</id><title>{once}</title><content type='text'>{once}</content></entry>"
        ).encode()
    ).entries[0]
    assert entry.title == text
    assert text_of_clean(clean_html(entry.content_html)) == text


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Tile &amp;amp; Fuse", "Tile & Fuse"),
        ("a &amp;lt;b&amp;gt; c", "a <b> c"),
        ("a &amp;amp;lt; c", "a &lt; c"),
        ("it&amp;#8217;s", "it\u2019s"),
        ("AT&amp;T", "AT&T"),
        ("<![CDATA[a &amp; b]]>", "a & b"),
        ("<![CDATA[a & b]]>", "a & b"),
    ],
)
def test_a_title_encoded_twice_is_decoded_once(written: str, title: str) -> None:
    assert _rss(f"<item><title>{written}</title></item>").entries[0].title == title


@pytest.mark.parametrize("zone", ["", "Asia/Shanghai", "+08:00", "UTC+8", "America/New_York", "x"])
def test_a_time_without_a_zone_is_the_feeds_own(zone: str) -> None:
    """What the person set goes before what the language says; a written zone before both."""
    body = RSS.replace("<title>F", "<language>zh-CN</language><title>F").format(
        "<item><title>a</title><pubDate>Mon, 02 Mar 2026 13:03:47</pubDate></item>"
        "<item><title>b</title><pubDate>Mon, 02 Mar 2026 13:03:47 GMT</pubDate></item>"
    )
    told = [each.published for each in read_feed(body.encode(), zone=zone).entries]
    one = datetime(2026, 3, 2, 13, 3, 47, tzinfo=UTC)
    other = one.replace(hour=18 if zone == "America/New_York" else 5)
    assert told == [other, one]


def test_dates_that_cannot_be_are_none_and_the_order_stays() -> None:
    dates = ("2026-02-30", "0000-00-00", "Mon, 02 Mar 2126 13:03:47 GMT", "soon")
    feed = _rss("".join(f"<item><title>{d}</title><pubDate>{d}</pubDate></item>" for d in dates))
    assert [each.title for each in feed.entries] == list(dates)
    assert [each.published and each.published.year for each in feed.entries] == [
        None, None, 2126, None,
    ]  # fmt: skip


def test_no_tree_is_kept() -> None:
    body = RSS.format("<item><title>a</title><guid>1</guid></item>" * 2_000).encode()
    read_feed(body)
    gc.collect()
    before = sum(isinstance(each, ElementTree.Element) for each in gc.get_objects())
    feeds = [read_feed(body) for _each in range(3)]
    gc.collect()
    kept = sum(isinstance(each, ElementTree.Element) for each in gc.get_objects())
    assert len(feeds[0].entries) == 2_000
    assert kept <= before


def test_a_truncated_feed_gives_what_arrived() -> None:
    whole = RSS.format("<item><title>one</title></item><item><title>two</title></item>")
    feed = read_feed(whole[: whole.index("two") + 3].encode())
    assert [each.title for each in feed.entries][:1] == ["one"]
    assert feed.notices


# ── dates ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("2016/6/29 15:07:41", None, "2016-06-29T15:07:41"),
        ("2016/6/29 15:07:41", "zh-CN", "2016-06-29T07:07:41"),
        ("2026年10月11日", "zh-cn", "2026-10-10T16:00:00"),
        ("2026年10月11日 下午3时05分", "zh", "2026-10-11T07:05:00"),
        ("2026年10月11日 星期日 08:00", "zh", "2026-10-11T00:00:00"),
        ("２０２６－１０－１１ ０８：００", "zh", "2026-10-11T00:00:00"),
        ("Mon, 02 Mar 2026 13:03:47 CST", "zh-CN", "2026-03-02T05:03:47"),
        ("Mon, 02 Mar 2026 13:03:47 CST", "en", "2026-03-02T19:03:47"),
        ("Mon, 02 Mar 2026 13:03:47", "zh-TW", "2026-03-02T05:03:47"),
        ("2026-03-02T13:03:47.123456+08:00", None, "2026-03-02T05:03:47"),
        ("20260302T130347Z", None, "2026-03-02T13:03:47"),
        ("Mon Mar  2 13:03:47 GMT 2026", None, "2026-03-02T13:03:47"),
        ("March 2nd, 2026 at 1:03 PM", None, "2026-03-02T13:03:00"),
        ("Mon, 02 Mar 2026 24:00:00 GMT", None, "2026-03-03T00:00:00"),
        ("Mon, 02 Mar 2026 13:03:60 GMT+8", None, "2026-03-02T05:03:59"),
        ("Fri, 5 Sept 2025 10:00:00 +0000", None, "2025-09-05T10:00:00"),
        ("1772456627", None, "2026-03-02T13:03:47"),
        ("13/02/2026", None, "2026-02-13T00:00:00"),
        ("2026-03", None, "2026-03-01T00:00:00"),
        ("03/02/2026", None, None),
        ("2026-02-30", None, None),
        ("Mon, 02 Mar 2026 13:03:47 XYZ", None, None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None, None),
        ("0000-00-00 00:00:00", None, None),
        ("2026-03-02T13:03:47+99:99", None, None),
        ("yesterday", None, None),
        ("9" * 13, None, "2286-11-20T17:46:39"),
    ],
)
def test_dates(text: str, language: str | None, expected: str | None) -> None:
    wanted = datetime.fromisoformat(expected).replace(tzinfo=UTC) if expected else None
    assert parse_date(text, language) == wanted


@given(st.text(alphabet="0123456789-/:TZ年月日 apmJanFeb,+.", max_size=40))
def test_dates_never_fail(text: str) -> None:
    found = parse_date(text, "zh")
    assert found is None or found.tzinfo is UTC


# ── what others wrote ──────────────────────────────────────────────────────────────────────────


def test_the_whole_corpus_is_read_or_refused() -> None:
    folder = need_shared("corpus")
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            with contextlib.suppress(NotUnderstood):
                assert read_feed(file.read_bytes()).format, file


def test_a_second_parsers_opinion() -> None:
    folder = need_shared("corpus", "feeds-mixed")
    differ = []
    opinions = sorted(folder.rglob("*.serde.json"))
    for opinion in opinions:
        stem = opinion.name.removesuffix(".serde.json")
        file = next(f for f in opinion.parent.glob(f"{stem}.*") if f != opinion)
        theirs = json.loads(opinion.read_text("utf-8"))["entries"]
        ours = read_feed(file.read_bytes()).entries
        assert len(ours) == len(theirs), file.name
        for one, other in zip(ours, theirs, strict=True):
            title = clean_text((other["title"] or {}).get("content") or "")
            if clean_text(one.title) != title:
                differ.append((file.name, one.title, title))
    assert len(differ) <= 3, differ


def test_pages_of_one_arxiv_answer_are_a_hundred_papers() -> None:
    folder = need_shared("corpus", "arxiv-api")
    keys = set()
    for file in sorted(folder.glob("q_testing_*")):
        keys |= {identity.entry_key("q", each) for each in read_feed(file.read_bytes()).entries}
    assert len(keys) == 100
    assert all(key.startswith("arxiv:") for key in keys)


def test_a_release_by_atom_and_by_rest_is_one_entry() -> None:
    folder = need_shared("corpus", "github-atom")
    atom = read_feed((folder / "brave_releases.atom").read_bytes()).entries
    rest = json.loads((folder / "brave_api_releases.json").read_text("utf-8"))
    by_atom = {identity.entry_key("github.com/x", each) for each in atom}
    by_rest = {identity.source_key(each["html_url"]) for each in rest}
    assert len(by_atom & by_rest) == 9
