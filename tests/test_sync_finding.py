"""What a person pastes → what can be subscribed to, seen before it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reader import sync
from reader.errors import NotUnderstood, Usage
from reader.fetch import Fetcher
from reader.model import FeedKind, ParsedEntry, Wanted
from reader.store import Store
from reader.sync.places import certain, cleaned, github_user
from reader.sync.topics import on_topic, split_topics
from tests.command import command
from tests.digest_forms import feed_html
from tests.feed_server import Answer, FeedServer, serving
from tests.stand_ins import GitHub, Release
from tests.test_sync import _daily

NOW = datetime(2026, 11, 3, 8, tzinfo=UTC)
RELEASES, COMMITS = FeedKind.GITHUB_RELEASES, FeedKind.GITHUB_COMMITS
TRITON = "https://github.com/triton-lang/triton"
API = "https://export.arxiv.org/api/query?"


@pytest.fixture
def server() -> Iterator[FeedServer]:
    with serving() as feeds:
        yield feeds


@pytest.fixture
def fetcher(server: FeedServer) -> Iterator[Fetcher]:
    with Fetcher(transport=server.transport(), sleep=lambda _seconds: None) as door:
        yield door


@pytest.mark.parametrize(
    ("words", "address", "kind"),
    [
        (f"  {TRITON}\n", f"{TRITON}/releases.atom", RELEASES),
        (f"<{TRITON}>", f"{TRITON}/releases.atom", RELEASES),
        (f"[Triton]({TRITON})", f"{TRITON}/releases.atom", RELEASES),
        (f"git clone {TRITON}.git", f"{TRITON}/releases.atom", RELEASES),
        ("git@github.com:triton-lang/triton.git", f"{TRITON}/releases.atom", RELEASES),
        ("ssh://git@github.com/triton-lang/triton", f"{TRITON}/releases.atom", RELEASES),
        ("triton-lang/triton", f"{TRITON}/releases.atom", RELEASES),
        (f"看这个：{TRITON}/releases/tag/v3.9.0，\n很快", f"{TRITON}/releases.atom", RELEASES),
        (f"{TRITON}/pull/12/files", f"{TRITON}/releases.atom", RELEASES),
        (f"{TRITON}/releases?page=2", f"{TRITON}/releases.atom", RELEASES),
        ("https://api.github.com/repos/triton-lang/triton", f"{TRITON}/releases.atom", RELEASES),
        (f"{TRITON}/tags", f"{TRITON}/tags.atom", RELEASES),
        (f"{TRITON}/commits/main/python", f"{TRITON}/commits/main/python.atom", COMMITS),
        (f"{TRITON}/tree/main/lib/Dialect", f"{TRITON}/commits/main/lib/Dialect.atom", COMMITS),
        (f"{TRITON}/blob/main/README.md", f"{TRITON}/commits/main/README.md.atom", COMMITS),
        ("cs.PL", "https://rss.arxiv.org/atom/cs.PL", FeedKind.ARXIV),
        ("https://arxiv.org/list/cs.AR/new", "https://rss.arxiv.org/atom/cs.AR", FeedKind.ARXIV),
        ("arXiv:2609.30104v2 [cs.PL]", f"{API}id_list=2609.30104", FeedKind.ARXIV),
        ("2609.30104", f"{API}id_list=2609.30104", FeedKind.ARXIV),
        ("https://arxiv.org/abs/2609.30104v3", f"{API}id_list=2609.30104", FeedKind.ARXIV),
        ("https://arxiv.org/pdf/2609.30104.pdf", f"{API}id_list=2609.30104", FeedKind.ARXIV),
        ("https://doi.org/10.48550/arXiv.2609.30104", f"{API}id_list=2609.30104", FeedKind.ARXIV),
        (
            "https://arxiv.org/search/?query=tensor+compiler&searchtype=title",
            f"{API}search_query=ti%3A%22tensor+compiler%22&sortBy=lastUpdatedDate"
            "&sortOrder=descending&max_results=100",
            FeedKind.ARXIV,
        ),
    ],
)
def test_what_the_words_alone_tell(words: str, address: str, kind: FeedKind) -> None:
    assert certain(cleaned(words)) == (address, kind)


@pytest.mark.parametrize(
    "words",
    ["https://github.com/features/actions", "blog.example.org", "x" * 5000, "a\0b", "", "[::1"],
)
def test_what_has_to_be_looked_up(words: str) -> None:
    assert certain(cleaned(words)) is None


def test_a_user_of_github() -> None:
    assert github_user("https://github.com/triton-lang") == "triton-lang"
    assert github_user("github.com/orgs/iree-org/repositories") == "iree-org"
    assert github_user("https://github.com/trending") is None
    assert github_user("https://example.org/triton-lang") is None


RSS = (
    b"<rss version='2.0'><channel><title>Kernel Notes</title>"
    + b"".join(
        b"<item><guid>g%d</guid><title>Triton kernels on Hopper, part %d</title>"
        b"<pubDate>Mon, %02d Nov 2026 08:00:00 GMT</pubDate></item>" % (n, n, n)
        for n in range(1, 9)
    )
    + b"</channel></rss>"
)


def test_a_preview_shows_the_last_five_with_their_labels_and_keeps_nothing(
    server: FeedServer, fetcher: Fetcher, tmp_path: Path
) -> None:
    page = b"<html><head><link rel='alternate' type='application/rss+xml' href='/f'></head></html>"
    server.answers |= {
        "https://blog.example.org/": Answer(page),
        "https://blog.example.org/f": Answer(RSS),
    }
    path = tmp_path / "store.db"
    shown = sync.preview(path, "https://blog.example.org/", fetcher=fetcher)
    assert (shown.title, shown.count, shown.best.kind) == ("Kernel Notes", 8, FeedKind.FEED)
    assert [each.title[-1] for each in shown.samples] == ["8", "7", "6", "5", "4"]
    assert "hopper" in shown.samples[0].labels.hardware
    assert shown.samples[0].labels.layers
    assert shown.subscribed is None
    assert not path.exists()
    [feed] = sync.subscribe(path, "https://blog.example.org/", fetcher=fetcher)
    assert sync.preview(path, "blog.example.org/f", fetcher=fetcher).subscribed == feed.id


@pytest.mark.parametrize(
    ("page", "feed"),
    [
        (b"<html><body><a href='/atom/feed.xml'>RSS</a></body></html>", "/atom/feed.xml"),
        (b"<html><body>nothing named</body></html>", "/index.xml"),
        (b"<html><body>nothing named</body></html>", "/blog/feed"),
    ],
)
def test_a_page_that_names_no_feed_has_one_at_a_usual_address(
    server: FeedServer, fetcher: Fetcher, tmp_path: Path, page: bytes, feed: str
) -> None:
    host = "https://notes.example.org"
    server.answers |= {f"{host}/blog/": Answer(page), f"{host}{feed}": Answer(RSS)}
    shown = sync.preview(tmp_path / "store.db", f"{host}/blog/", fetcher=fetcher)
    assert (shown.best.url, shown.count) == (f"{host}{feed}", 8)
    assert len(server.asked) <= 18


def test_a_page_without_any_feed_says_so(
    server: FeedServer, fetcher: Fetcher, tmp_path: Path
) -> None:
    server.answers["https://none.example.org/"] = Answer(b"<html><title>No</title></html>")
    with pytest.raises(NotUnderstood, match="names no feed"):
        sync.preview(tmp_path / "store.db", "none.example.org/", fetcher=fetcher)


def test_a_digest_site_is_known_by_what_it_publishes(
    server: FeedServer, fetcher: Fetcher, tmp_path: Path
) -> None:
    html = feed_html(_daily("2026-11-03"))
    item = f"<item><guid>1</guid><description><![CDATA[{html}]]></description></item>"
    body = f"<rss version='2.0'><channel><title>日报</title>{item}</channel></rss>".encode()
    server.answers["https://daily.example.org/feed.xml"] = Answer(body)
    shown = sync.preview(tmp_path / "s.db", "https://daily.example.org/feed.xml", fetcher=fetcher)
    assert shown.best.kind is FeedKind.DIGEST_SITE
    assert shown.samples[0].items > 0


def test_releases_are_previewed_by_the_rule_that_is_asked_for(
    server: FeedServer, fetcher: Fetcher, tmp_path: Path
) -> None:
    hub = GitHub(server, lambda: NOW)
    hub.install(("triton-lang/triton",))
    hub.releases["triton-lang/triton"] = [
        Release("v4.0.0-rc1", 2, NOW, prerelease=True),
        Release("v3.9.0", 1, NOW, body="Triton for sm_90a."),
    ]
    shown = sync.preview(tmp_path / "s.db", TRITON, fetcher=fetcher)
    assert [(each.title, each.categories) for each in shown.samples] == [("v3.9.0", ("stable",))]
    wanted = Wanted(prereleases=True)
    shown = sync.preview(tmp_path / "s.db", TRITON, fetcher=fetcher, wanted=wanted)
    assert {each.title for each in shown.samples} == {"v3.9.0", "v4.0.0-rc1"}
    [feed] = sync.subscribe(tmp_path / "s.db", TRITON, wanted=wanted)
    assert feed.wanted == wanted


def test_a_user_s_page_offers_the_repositories_by_their_stars(
    server: FeedServer, fetcher: Fetcher, tmp_path: Path
) -> None:
    listed = [
        {"full_name": "maker/small", "stargazers_count": 3},
        {"full_name": "maker/fork", "stargazers_count": 900, "fork": True},
        {"full_name": "maker/great", "stargazers_count": 70},
    ]
    address = "https://api.github.com/users/maker/repos?per_page=100&sort=pushed"
    server.answers[address] = Answer(json.dumps(listed).encode())
    shown = sync.preview(tmp_path / "s.db", "https://github.com/maker", fetcher=fetcher)
    assert [each.url for each in shown.found] == [
        "https://github.com/maker/great/releases.atom",
        "https://github.com/maker/small/releases.atom",
        "https://github.com/maker.atom",
    ]
    assert shown.error is not None  # there is no such repository on this server


OPML = b"""<opml version="2.0"><body><outline text="Compilers">
<outline text="LLVM" xmlUrl="https://blog.llvm.org/index.xml"/>
<outline text="Triton" xmlUrl="https://github.com/triton-lang/triton/releases.atom"/>
</outline></body></opml>"""


def test_a_list_is_taken_whole_from_a_file_and_from_the_net(
    server: FeedServer, fetcher: Fetcher, tmp_path: Path
) -> None:
    file = tmp_path / "list.opml"
    file.write_bytes(OPML)
    server.answers["https://lists.example.org/all.opml"] = Answer(OPML)
    for words in (str(file), "https://lists.example.org/all.opml"):
        shown = sync.preview(tmp_path / "s.db", words, fetcher=fetcher)
        assert (shown.is_list, shown.count) == (True, 2)
        feeds = sync.subscribe(tmp_path / "s.db", words, fetcher=fetcher)
        assert [each.kind for each in feeds] == [FeedKind.FEED, RELEASES]
    with Store.open(tmp_path / "s.db") as store:
        assert len(store.feeds.all()) == 2


def test_a_folder_and_a_file_that_is_none(tmp_path: Path, fetcher: Fetcher) -> None:
    folder = tmp_path / "posts"
    folder.mkdir()
    (folder / "2026-11-03-tiles.md").write_text("# Tiles\n\nHow tiles fit sm_90.")
    shown = sync.preview(tmp_path / "s.db", str(folder), fetcher=fetcher)
    assert (shown.best.kind, shown.count) == (FeedKind.FOLDER, 1)
    with pytest.raises(Usage, match="import"):
        sync.preview(tmp_path / "s.db", str(folder / "2026-11-03-tiles.md"), fetcher=fetcher)


# ── the command line ──


def test_the_command_line_previews_then_subscribes(server: FeedServer, tmp_path: Path) -> None:
    address = f"{server.address}feed.xml"
    server.answers[address] = Answer(RSS)
    store = tmp_path / "store.db"
    (shown,) = command("add", "--preview", "--json", address, store=store).json
    assert (shown["kind"], shown["count"], shown["title"]) == ("feed", 8, "Kernel Notes")
    assert len(shown["entries"]) == 5
    assert shown["entries"][0]["hardware"] == ["hopper"]
    assert command("feeds", "--json", store=store).json == []
    text = command("add", "--preview", address, store=store).out
    assert "Triton kernels on Hopper, part 8" in text
    (feed,) = command("add", address, "--topics", "kernels, GPU", "--json", store=store).json
    assert feed["wanted"]["topics"] == ["kernels", "GPU"]
    changed = command("source", feed["id"], "--topics", "", "--nightly", "--json", store=store).json
    assert (changed["wanted"]["topic_filter"], changed["wanted"]["nightly"]) == (False, True)
    assert command("add", "--preview", "http://127.0.0.1:9/", store=store).code == 1


# ── topics ──


def about(title: str, text: str = "") -> ParsedEntry:
    return ParsedEntry(title=title, content_html=text)


@pytest.mark.parametrize(
    ("topics", "title", "hit"),
    [
        ("kernels", "Fusing GPU kernels", True),
        ("kernels", "Kernel density estimation", False),
        ("compilers", "Lowering tensor programs through MLIR", True),
        ("GPU", "Tensor cores on Blackwell", True),
        ("编译器", "An optimising compiler for stencils", True),
        ("kernels, GPU", "A type system for effects", False),
        ("mixture of experts", "Mixture-of-Experts routing", True),
        ("loop", "Looping over loops", True),
        ("loop", "Loophole analysis", False),
        ("C++", "Modern C++ templates", True),
        ("昇腾", "面向昇腾的算子", True),
    ],
)
def test_topics_in_plain_words(topics: str, title: str, hit: bool) -> None:
    assert on_topic(about(title), split_topics(topics)) is hit


def test_topics_are_split_as_people_write_them() -> None:
    assert split_topics("kernels, compilers and GPU；量化") == (
        "kernels",
        "compilers",
        "GPU",
        "量化",
    )


# ── what is wanted of a source ──


def test_a_zone_is_that_of_times_without_one(
    server: FeedServer, fetcher: Fetcher, tmp_path: Path
) -> None:
    item = "<item><guid>{0}</guid><title>{0}</title><pubDate>{0}</pubDate></item>"
    times = ("2026-11-03 08:00:00", "Tue, 03 Nov 2026 08:00:00 GMT")
    items = "".join(item.format(each) for each in times)
    body = f"<rss version='2.0'><channel><title>t</title>{items}</channel></rss>".encode()
    server.answers["https://a.example.org/f"] = Answer(body)

    def hours(zone: str) -> list[int]:
        shown = sync.preview(
            tmp_path / "s.db", "a.example.org/f", fetcher=fetcher, wanted=Wanted(zone=zone)
        )
        found = {each.title: each.published for each in shown.samples}
        return [moment.hour for moment in (found[each] for each in times) if moment]

    assert hours("") == [8, 8]
    assert hours("Asia/Shanghai") == [0, 8]
    assert hours("+05:30") == [2, 8]
    assert hours("Mars/Olympus") == [8, 8]


def test_what_is_wanted_travels_with_the_data(tmp_path: Path) -> None:
    wanted = Wanted(prereleases=True, cross=False, topics=("kernels", "量化"), zone="Asia/Tokyo")
    with Store.open(tmp_path / "one.db") as store:
        feed = store.feeds.add("https://a.example.org/f")
        store.feeds.add("https://b.example.org/f")
        store.feeds.describe(feed.id, wanted=wanted, topic_filter=True)
        store.export_data(tmp_path / "data.zip")
    with Store.open(tmp_path / "two.db") as store:
        store.import_data(tmp_path / "data.zip")
        one, other = store.feeds.all()
        assert (one.wanted, one.topic_filter, other.wanted) == (wanted, True, Wanted())


def test_a_zone_that_is_none_is_wrong_usage(tmp_path: Path) -> None:
    called = command("add", "cs.PL", "--zone", "Mars/Olympus", store=tmp_path / "s.db")
    assert (called.code, "Mars/Olympus" in called.err) == (2, True)


def test_another_wish_looks_at_the_whole_feed_again(
    server: FeedServer, fetcher: Fetcher, tmp_path: Path
) -> None:
    server.answers["https://a.example.org/f"] = Answer(RSS, headers={"ETag": '"1"'})
    path = tmp_path / "s.db"
    wanted = Wanted(topics=("part 3",))
    [feed] = sync.subscribe(path, "a.example.org/f", fetcher=fetcher, wanted=wanted)
    assert sync.sync(path, force=True, fetcher=fetcher).new == 1
    with Store.open(path) as store:
        store.feeds.describe(feed.id, wanted=Wanted(topics=("part 3", "part 4")))
    assert sync.sync(path, force=True, fetcher=fetcher).new == 1
    with Store.open(path) as store:
        store.feeds.describe(feed.id, topic_filter=False)
    assert sync.sync(path, force=True, fetcher=fetcher).new == 6
