"""arXiv: each paper once with its versions, days told apart, TeX readable with its source."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reader import sync
from reader.fetch import Fetcher
from reader.model import Entry, Feed, FeedKind, Health, Query, StoryKind, Wanted
from reader.store import Store
from reader.sync import FeedResult
from reader.sync.tex import readable
from tests.feed_server import Answer, serving
from tests.shared import need_shared
from tests.stand_ins import ArXiv, Paper

TUESDAY = datetime(2026, 11, 3, 15, tzinfo=UTC)
WEDNESDAY = datetime(2026, 11, 4, 15, tzinfo=UTC)
RSS = "https://rss.arxiv.org/atom/cs.PL"
QUERY = "https://export.arxiv.org/api/query?search_query=all:tiling"


class World:
    """An arXiv, a store, and a clock that is turned by hand."""

    def __init__(self, arxiv: ArXiv, path: Path) -> None:
        self.arxiv, self.path, self.now = arxiv, path, TUESDAY
        arxiv.install()

    def add(self, url: str = RSS, **wanted: Any) -> Feed:
        with Store.open(self.path) as store:
            feed = store.feeds.add(url, "", FeedKind.ARXIV, topic_filter=bool(wanted.get("topics")))
            return store.feeds.describe(feed.id, wanted=Wanted(**wanted))

    def sync(self, feed: Feed | None = None) -> list[FeedResult]:
        with Fetcher(
            transport=self.arxiv.server.transport(),
            now=lambda: self.now,
            sleep=lambda _seconds: None,
        ) as fetcher:
            result = sync.sync(
                self.path,
                feeds=[feed.id] if feed else None,
                force=True,
                fetcher=fetcher,
                now=lambda: self.now,
            )
        return list(result.feeds)

    def one(self, feed: Feed | None = None) -> FeedResult:
        return self.sync(feed)[0]

    def entries(self) -> list[Entry]:
        with Store.open(self.path) as store:
            rows = store.library.page(Query(kinds=(StoryKind.ENTRY,), limit=None))
            found = [store.library.get(row.id) for row in rows]
        return [each for each in found if isinstance(each, Entry)]

    def entry(self) -> Entry:
        (found,) = self.entries()
        return found


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with serving() as server:
        yield World(ArXiv(server), tmp_path / "store.db")


def paper(number: int = 1, **more: Any) -> Paper:
    given = {"title": f"Tiling loops {number}", "abstract": f"We tile loop {number} for GPUs."}
    return Paper(f"2610.{number:05}", **(given | more))


def test_a_second_version_is_an_update_that_keeps_the_first(world: World) -> None:
    world.arxiv.batch = [paper()]
    world.add()
    assert world.one().new == 1
    assert "v1" in world.entry().content_text
    world.arxiv.batch = [paper(version=2, announce="replace")]
    world.arxiv.day, world.now = "2026-11-04", WEDNESDAY
    result = world.one()
    assert (result.new, result.updated) == (0, 1)
    entry = world.entry()
    assert "arXiv:2610.00001v2" in entry.content_text
    assert entry.versions == 2
    assert entry.categories[:1] == ("replaced",)
    assert entry.url == "https://arxiv.org/abs/2610.00001"


def test_an_older_version_never_takes_the_place_of_a_newer(world: World) -> None:
    world.arxiv.batch = [paper(version=3, announce="replace")]
    world.add()
    world.sync()
    world.arxiv.batch = [paper(version=2, announce="replace"), paper(2)]
    assert world.one().updated == 0
    texts = {each.title: each.content_text for each in world.entries()}
    assert texts["Tiling loops 1"].endswith("v3")


def test_a_paper_by_atom_rss_and_api_is_one_entry_and_no_update(world: World) -> None:
    abstract = "We tile\n  $O(n \\log n)$ loops where x < y,\nfor GPUs."
    world.arxiv.batch = [paper(abstract=abstract)]
    world.arxiv.found = [paper(abstract=abstract.replace("  ", " "), comment="12 pages")]
    feeds = [world.add(), world.add("https://rss.arxiv.org/rss/cs.AR"), world.add(QUERY)]
    assert sum(one.new for one in world.sync()) == 1
    for feed in (*feeds, *feeds):
        result = world.one(feed)
        assert (result.new, result.updated) == (0, 0), feed.url
    entry = world.entry()
    assert entry.versions == 1
    assert "We tile O(n log n) loops where x < y, for GPUs." in entry.content_text
    assert "$O(n \\log n)$" in entry.content_text  # the source, for search and for whoever knows
    assert "Announce Type" not in entry.content_text


def test_new_cross_and_replaced_are_told_apart_and_can_be_left_out(world: World) -> None:
    world.arxiv.batch = [
        paper(1),
        paper(2, announce="cross", categories=("cs.LG", "cs.PL")),
        paper(3, announce="replace", version=2),
        paper(4, announce="replace-cross", version=5),
    ]
    everything, some = world.add(), world.add("https://rss.arxiv.org/rss/cs.AR", cross=False)
    few = world.add("https://rss.arxiv.org/rss/cs.DC", cross=False, replaced=False)
    counts = [world.one(each) for each in (everything, some, few)]
    assert [each.new + each.unchanged for each in counts] == [4, 2, 1]
    kinds = {each.title[-1]: each.categories for each in world.entries()}
    assert kinds["1"] == ("new", "cs.PL")
    assert kinds["2"] == ("cross", "cs.LG", "cs.PL")
    assert kinds["3"][0] == "replaced"
    assert set(kinds["4"][:2]) == {"replaced", "cross"}


def test_a_rule_never_hides_a_new_version_of_a_paper_that_is_held(world: World) -> None:
    world.arxiv.batch = [paper()]
    world.add(replaced=False)
    world.sync()
    world.arxiv.batch = [paper(version=2, announce="replace", abstract="Now for NPUs too.")]
    world.arxiv.day, world.now = "2026-11-04", WEDNESDAY
    assert world.one().updated == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"comment": "This paper has been withdrawn by the authors due to an error in Lemma 2"},
        {"abstract": "This paper has been withdrawn."},
    ],
)
def test_a_withdrawn_paper_says_so(world: World, changed: dict[str, Any]) -> None:
    world.arxiv.found = [paper()]
    feed = world.add("https://export.arxiv.org/api/query?id_list=2610.00001")
    assert world.one().new == 1
    world.arxiv.found = [paper(version=2, **changed)]
    assert world.one().updated == 1
    entry = world.entry()
    assert entry.content_text.startswith("Withdrawn: ")
    assert "withdrawn" in entry.categories
    assert world.one(feed).outcome is Health.UNCHANGED


def test_topics_are_filtered_here(world: World) -> None:
    world.arxiv.batch = [
        paper(1, title="Fusing GPU kernels", abstract="On Hopper."),
        paper(2, title="Effects and handlers", abstract="A calculus."),
        paper(3, title="A type theory", abstract="Compiled by a verified compiler."),
    ]
    world.add(topics=("kernels", "GPU"))
    assert world.one().new == 1
    assert world.entry().title == "Fusing GPU kernels"


# ── days ──


def test_an_empty_weekend_is_quiet_and_says_why(world: World) -> None:
    world.arxiv.batch = [paper()]
    world.add()
    world.sync()
    world.arxiv.batch, world.now = [], datetime(2026, 11, 7, 15, tzinfo=UTC)
    result = world.one()
    assert (result.outcome, "weekend" in (result.error or "")) == (Health.QUIET, True)
    world.now = datetime(2026, 11, 26, 15, tzinfo=UTC)
    result = world.one()
    assert (result.outcome, "holiday" in (result.error or "")) == (Health.QUIET, True)


def test_the_batch_of_another_day_is_stale(world: World) -> None:
    world.arxiv.batch = [paper()]
    world.add()
    assert world.one().outcome is Health.OK
    world.now = datetime(2026, 11, 4, 8, tzinfo=UTC)  # three in the morning at arXiv
    assert world.one().outcome is Health.UNCHANGED
    world.now = WEDNESDAY
    result = world.one()  # an answer of 304 as well
    assert (result.outcome, "2026-11-04" in (result.error or "")) == (Health.STALE, True)


def test_yesterday_s_papers_under_a_new_date_are_stale(world: World) -> None:
    world.arxiv.batch = [paper(1), paper(2)]
    world.add()
    world.sync()
    world.arxiv.day, world.now = "2026-11-04", WEDNESDAY
    for _again in range(2):
        result = world.one()
        assert (result.outcome, result.new, result.updated) == (Health.STALE, 0, 0)
    world.arxiv.batch = [paper(3)]
    assert world.one().outcome is Health.OK


def test_friday_s_batch_is_no_stale_one_on_sunday_and_monday_morning(world: World) -> None:
    world.arxiv.day, world.now = "2026-11-06", datetime(2026, 11, 6, 15, tzinfo=UTC)
    world.arxiv.batch = [paper()]
    world.add()
    world.sync()
    for day, hour in ((7, 15), (8, 15), (9, 8)):
        world.now = datetime(2026, 11, day, hour, tzinfo=UTC)
        assert world.one().outcome is Health.UNCHANGED
    world.now = datetime(2026, 11, 9, 15, tzinfo=UTC)
    assert world.one().outcome is Health.STALE


def test_a_search_asks_for_what_is_newest_and_is_never_stale(world: World) -> None:
    world.arxiv.found = [paper(n, published="2020-01-01T00:00:00Z") for n in range(30)]
    world.add(QUERY)
    assert world.one().new == 30
    assert "sortBy=lastUpdatedDate" in world.arxiv.asked[0]
    assert "max_results=100" in world.arxiv.asked[0]
    world.arxiv.found.insert(0, paper(40))
    assert world.one().new == 1
    assert world.one().outcome is Health.UNCHANGED


def test_a_search_that_ran_over_a_page_is_followed_to_what_is_known(world: World) -> None:
    world.arxiv.found = [paper(1)]
    world.add(QUERY)
    world.sync()
    world.arxiv.found = [paper(n) for n in range(251, 0, -1)]
    assert world.one().new == 250
    assert len({each.url for each in world.entries()}) == 251


def test_the_recorded_pages_are_a_hundred_papers_by_their_own_way(world: World) -> None:
    for n, page in enumerate(sorted(need_shared("corpus", "arxiv-api").glob("q_testing_*"))):
        url = f"https://export.arxiv.org/api/query?page={n}"
        world.arxiv.server.answers[url] = Answer(page.read_bytes())
        world.add(url)
    assert all(one.outcome is not Health.FAILED for one in world.sync())
    assert len(world.entries()) == 100


# ── TeX ──


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (r"Fusing $O(n \log n)$ kernels", "Fusing O(n log n) kernels"),
        (r"$\mathcal{O}(N^{2})$ and $2^{k+1}$", "O(N²) and 2ᵏ⁺¹"),
        (r"$10^{-3}$ to $x_{i,j}$, $\pi_\theta$", "10⁻³ to x_(i,j), π_θ"),
        (r"a 3$\times$ speedup, 90\% of peak, $\geq 10$", "a 3× speedup, 90% of peak, ≥ 10"),
        (r"$\frac{1}{2}\sqrt{n}$ in $\mathbb{R}^{d}$", "1/2√n in ℝᵈ"),
        (r"$\tilde{O}(\sqrt{T})$", "Õ(√T)"),
        (r"$$\sum_{i=1}^{n} x_i^2$$ and \(x<y\)", "∑ᵢ₌₁ⁿ xᵢ² and x<y"),
        (r"Erd\H{o}s, Schr\"odinger, Fran\c{c}ois", "Erdős, Schrödinger, François"),
        (r"\emph{Fast} {GPU} ``tiles'' --- \textit{Mixture-of-{E}xperts}",
         "Fast GPU “tiles” — Mixture-of-Experts"),
        ("costs $5 and $6 a day", "costs $5 and $6 a day"),
        (r"\mycommand{x} and $\foo{y}$", r"\mycommand{x} and \foo{y}"),
        ("template <int N> at %tid.x, --O3, ~/.bashrc, a_b*c*", None),
        ("https://example.org/~ada/x", None),
        ("an open $ and {a, b}", None),
    ],
)  # fmt: skip
def test_tex_is_readable_and_nothing_else_changes(source: str, said: str | None) -> None:
    assert readable(source) == (source if said is None else said)


def test_hostile_tex_ends() -> None:
    for text in ("$" * 9_000, "\\textbf{" * 2_000, "{" * 9_000, "\\( " * 5_000, "$a" * 9_000):
        assert readable(text)
