"""The same thing is known again, however it is spelt; different things stay apart."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reader import identity
from reader.model import DigestKind, Form, ParsedDigest, ParsedEntry, ParsedItem, Source

PAPER = "https://arxiv.org/abs/2609.30104"


@pytest.mark.parametrize(
    ("given_url", "expected"),
    [
        (
            "HTTP://Blog.Example.ORG:80/A/?utm_source=x&b=2&a=1#top",
            "https://blog.example.org/A?a=1&b=2",
        ),
        ("https://blog.example.org", "https://blog.example.org/"),
        ("https://user:secret@blog.example.org/a/", "https://blog.example.org/a"),
        ("https://blog.example.org:8443/a", "https://blog.example.org:8443/a"),
        ("https://blog.example.org/%e7%bc%96", "https://blog.example.org/%E7%BC%96"),
        ("https://blog.example.org/编", "https://blog.example.org/%E7%BC%96"),
        ("https://blog.example.org/%7euser/50%", "https://blog.example.org/~user/50%25"),
        ("https://blog.example.org/#/post/1", "https://blog.example.org/#/post/1"),
        ("http://arxiv.org/abs/2609.30104v2", PAPER),
        ("https://www.arxiv.org/pdf/2609.30104v3.pdf", PAPER),
        ("https://export.arxiv.org/pdf/2609.30104", PAPER),
        ("oai:arXiv.org:2609.30104v1", PAPER),
        ("https://doi.org/10.48550/arXiv.2609.30104", PAPER),
        ("http://arxiv.org/abs/astro-ph/0601001v1", "https://arxiv.org/abs/astro-ph/0601001"),
        ("https://rss.arxiv.org/atom/cs.PL+cs.AR", "https://rss.arxiv.org/atom/cs.PL+cs.AR"),
        ("https://dx.doi.org/10.1145/3620665.3640366", "https://doi.org/10.1145/3620665.3640366"),
        ("https://github.com/Triton-Lang/Triton.git", "https://github.com/triton-lang/triton"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("https://[::1", "https://[::1"),
    ],
)
def test_canonical(given_url: str, expected: str) -> None:
    assert identity.canonical_url(given_url) == expected


_hosts = st.from_regex(r"[a-zA-Z]{1,6}\.example\.org", fullmatch=True)
_urls = st.one_of(
    st.text(max_size=60),
    st.builds("https://{}/{}".format, _hosts, st.text(max_size=40)),
    st.builds("HTTP://{}:80/a?{}#{}".format, _hosts, st.text(max_size=20), st.text(max_size=9)),
    st.builds("https://github.com/{}".format, st.text(max_size=40)),
    st.builds("https://arxiv.org/abs/{}".format, st.text(max_size=20)),
    st.builds("https://doi.org/10.1145/{}".format, st.text(max_size=20)),
)


@given(_urls)
def test_canonical_is_idempotent(url: str) -> None:
    once = identity.canonical_url(url)
    assert identity.canonical_url(once) == once
    assert identity.source_key(once) == identity.source_key(url)


@given(
    st.sampled_from(["http", "https"]),
    st.text("abz09.-", min_size=1, max_size=12),
    st.sampled_from(["", ":80", ":443", ":8080", ":080", ":65536", "."]),
    st.text("aZ9/._~-%?#", max_size=14),
)
@example("https", "github.com", "", "/A/B")
@example("http", "arxiv.org", "", "/abs/2609.30104v2")
def test_the_short_way_to_the_canonical_address_changes_nothing(
    scheme: str, host: str, port: str, path: str
) -> None:
    url = f"{scheme}://{host}{port}{path}"
    assert identity.canonical_url(url) == identity._canonical(url)


@given(_urls)
def test_scheme_case_and_fragment_never_matter(url: str) -> None:
    if url.startswith("https://") and "#" not in url:
        assert identity.source_key("HTTP" + url[5:] + "#x") == identity.source_key(url)


@pytest.mark.parametrize(
    ("given_url", "expected"),
    [
        ("https://github.com/Owner/Repo/releases/tag/v3.9.0", "github:owner/repo@v3.9.0"),
        ("https://github.com/owner/repo/releases/tag/sub%2Fv1", "github:owner/repo@sub/v1"),
        ("https://api.github.com/repos/owner/repo/releases/tags/v1", "github:owner/repo@v1"),
        ("https://github.com/owner/repo/releases/download/v1/a.whl", "github:owner/repo@v1"),
        ("https://github.com/owner/repo/commit/C349CE5", "github:owner/repo!c349ce5"),
        ("https://github.com/o/r/pull/7/commits/" + "ab" * 20, "github:o/r!abababa"),
        ("https://github.com/owner/repo/pull/123/files", "github:owner/repo#123"),
        ("https://github.com/owner/repo/issues/123", "github:owner/repo#123"),
        ("https://github.com/owner/repo", "https://github.com/owner/repo"),
        ("https://arxiv.org/abs/2609.30104v9", "arxiv:2609.30104"),
        ("doi:10.1145/ABC", "doi:10.1145/abc"),
        ("https://www.example.org/a/", "https://example.org/a"),
    ],
)
def test_source_key(given_url: str, expected: str) -> None:
    assert identity.source_key(given_url) == expected


def test_a_short_and_a_long_commit_are_one_source() -> None:
    base = "https://github.com/triton-lang/triton/commit/"
    assert identity.same_source(base + "c349ce5", base + "c349ce5" + "0" * 33)
    assert not identity.same_source(base + "c349ce5", base + "c349ce6")


def test_project_and_version() -> None:
    url = "https://github.com/triton-lang/triton/releases/tag/v3.9.0"
    assert identity.project_of(url) == ("triton-lang/triton", "triton")
    assert identity.version_of(url) == "3.9.0"
    assert identity.version_of(url.replace("v3.9.0", "llvmorg-20.1.0-rc1")) == "20.1.0-rc1"
    assert identity.version_of(url.replace("v3.9.0", "nightly")) is None
    assert identity.project_of("https://github.com/features/actions") is None
    assert identity.project_of("https://blog.example.org/") is None


def _entry(
    guid: str | None = None, url: str | None = None, title: str = "t", at: datetime | None = None
) -> ParsedEntry:
    return ParsedEntry(title=title, guid=guid, url=url, published=at)


FEED = identity.feed_key("https://blog.example.org/feed/")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_entry("http://blog.example.org/1"), _entry("https://blog.example.org/1")),
        (_entry("https://Blog.example.org/1"), _entry("https://blog.example.org/1/")),
        (_entry("URN:UUID:AB"), _entry("urn:uuid:ab")),
        (
            _entry("https://blog.example.org/1#0", "https://blog.example.org/1?utm_source=rss"),
            _entry("https://blog.example.org/1#3", "https://blog.example.org/1"),
        ),
        (_entry("a", title="before"), _entry("a", title="after the edit")),
        (_entry("oai:arXiv.org:2203.01250v1"), _entry("oai:arXiv.org:2203.01250v2")),
    ],
)
def test_the_same_entry(one: ParsedEntry, other: ParsedEntry) -> None:
    assert identity.entry_key(FEED, one) == identity.entry_key(FEED, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_entry("a"), _entry("b")),
        (_entry(None, "https://blog.example.org/1"), _entry(None, "https://blog.example.org/2")),
        (
            _entry("https://blog.example.org/log#v1", "https://blog.example.org/log#v1"),
            _entry("https://blog.example.org/log#v2", "https://blog.example.org/log#v2"),
        ),
        (_entry(title="one"), _entry(title="two")),
        (
            _entry(at=datetime(2026, 1, 1, tzinfo=UTC)),
            _entry(at=datetime(2026, 1, 2, tzinfo=UTC)),
        ),
    ],
)
def test_different_entries(one: ParsedEntry, other: ParsedEntry) -> None:
    assert identity.entry_key(FEED, one) != identity.entry_key(FEED, other)


def test_a_repeated_guid_falls_back_to_link_then_title() -> None:
    entries = [_entry("same", f"https://blog.example.org/{n}") for n in range(3)]
    entries += [_entry("SAME", "https://blog.example.org/", f"title {n}") for n in range(2)]
    repeated = identity.repeated_guids(entries)
    keys = [identity.entry_key(FEED, each, repeated_guids=repeated) for each in entries]
    assert len(set(keys)) == 5
    assert "|link:" in keys[0]
    assert "|title:" in keys[4]


def test_without_guid_link_and_date_the_text_tells_apart() -> None:
    entries = [ParsedEntry("same title", content_html=f"text {n % 3}") for n in range(6)]
    repeated = identity.repeated_guids(entries)
    keys = {identity.entry_key(FEED, each, repeated_guids=repeated) for each in entries}
    assert len(keys) == 3
    alone = ParsedEntry("a title of its own", content_html="before")
    edited = replace(alone, content_html="after")
    assert identity.entry_key(FEED, alone) == identity.entry_key(FEED, edited)


def test_a_release_by_two_channels_is_one_entry() -> None:
    url = "https://github.com/example/tilec/releases/tag/v1.0"
    atom = _entry("tag:github.com,2008:Repository/1/v1.0", url)
    rest = _entry("https://api.github.com/repos/example/tilec/releases/99", url)
    atom_key = identity.entry_key(
        identity.feed_key("https://github.com/example/tilec/releases.atom"), atom
    )
    rest_feed = identity.feed_key("https://api.github.com/repos/example/tilec/releases")
    assert atom_key == identity.entry_key(rest_feed, rest) == "github:example/tilec@v1.0"


def test_a_post_that_links_to_a_paper_or_release_is_not_the_paper() -> None:
    for url in (PAPER, "https://github.com/example/tilec/releases/tag/v1.0"):
        assert identity.entry_key(FEED, _entry("p1", url)).startswith(FEED)


def test_feed_key_ignores_the_scheme_and_keeps_the_query() -> None:
    assert identity.feed_key("http://www.example.org/feed/?cat=1") == "example.org/feed?cat=1"
    assert identity.feed_key("file:///home/me/notes/") == "/home/me/notes"


def _digest(**fields: Any) -> ParsedDigest:
    return ParsedDigest(kind=DigestKind.DAILY, form=Form.MARKDOWN, title="日报", **fields)


def test_digest_key_is_kind_and_day() -> None:
    china = timezone(timedelta(hours=8))
    with_window = _digest(cutoff_at=datetime(2026, 9, 3, 8, tzinfo=china))
    assert identity.digest_key(with_window) == "daily:2026-09-03"
    assert identity.digest_key(_digest(date=date(2026, 9, 3))) == "daily:2026-09-03"
    assert identity.digest_key(_digest()) == "daily:日报"


def test_item_key_is_the_source_else_the_title() -> None:
    with_source = ParsedItem("T", sources=(Source("s", "http://arxiv.org/abs/2609.30104v2"),))
    assert identity.item_key("daily:2026-09-03", with_source) == "daily:2026-09-03|arxiv:2609.30104"
    bare, wide = (
        ParsedItem("Triton 3.9 ：更新", number=1),
        ParsedItem("ｔriton 3.9: 更新", number=2),
    )
    assert identity.item_key("d", bare) == identity.item_key("d", wide)
    assert identity.item_key("d", bare) == identity.item_keys("d", bare)[-1]


def test_a_starter_digest_is_never_a_sites() -> None:
    theirs = ParsedDigest(DigestKind.DAILY, Form.TEXT, "t", date=date(2026, 10, 28))
    ours = replace(theirs, generation_mode=identity.STARTER)
    assert identity.digest_key(theirs) != identity.digest_key(ours)
