"""Lists, filters, counts and search: what is found, in which order, page by page."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reader.model import Evidence, Labels, Layer, Order, Query, StoryKind
from reader.store import Store
from reader.store.listing import compiled
from reader.store.search import _ODD, expression, indexed
from tests.stories import AMD, EIGHT, HOPPER, NOW, arriving, digest, item, opened, post, rich

ALL = Query(kinds=tuple(StoryKind), limit=None)
ENTRIES = replace(ALL, kinds=(StoryKind.ENTRY,))


def found(store: Store, words: str, query: Query = ALL) -> set[str]:
    query = replace(query, text=words)
    return {row.title for row in store.library.rows(store.library.ids(query))}


@pytest.fixture
def library(tmp_path: Path) -> Iterable[Store]:
    with opened(tmp_path) as store:
        feed = store.feeds.add("https://blog.example.org/feed.xml", "Blog").id
        both = Labels(HOPPER.layers + AMD.layers, ("nvidia", "hopper", "amd"), Evidence.PROPERTY)
        store.library.save(
            feed,
            [
                post("hopper", labels=HOPPER),
                post("amd", days=1, labels=AMD),
                post("both", days=2, labels=both),
            ],
            NOW,
        )
        parsed = digest(
            item("theirs", layers=(Layer.RUNTIME,), score=90.0),
            item("ours", summary="No layer of the site's stands in this one.", score=60.0),
        )
        store.library.save(None, [arriving(parsed)], NOW)
        yield store


def names(store: Store, query: Query) -> list[str]:
    return [row.title for row in store.library.rows(store.library.ids(query))]


def test_the_default_lists_items_newest_digest_first(library: Store) -> None:
    assert [row.title for row in library.library.page(Query())] == ["theirs", "ours"]


def test_layers_are_the_sites_where_it_speaks_else_ours(library: Store) -> None:
    assert names(library, replace(ALL, layers=(Layer.RUNTIME,))) == ["amd", "both", "theirs"]
    kernel = replace(ALL, layers=(Layer.KERNEL_CODEGEN,))
    assert "theirs" not in names(library, kernel)
    assert "ours" in names(library, kernel)


def test_filters_combine_by_and(library: Store) -> None:
    two = replace(ALL, layers=(Layer.RUNTIME, Layer.KERNEL_CODEGEN))
    assert names(library, two) == ["both"]
    assert names(library, replace(ALL, hardware=("hopper", "amd"))) == ["both"]
    assert names(library, replace(ALL, hardware=("nvidia",), layers=(Layer.FRONTEND,))) == ["both"]
    assert names(library, replace(ALL, hardware=("no such",))) == []
    assert names(library, replace(ENTRIES, evidence=(Evidence.KERNEL,))) == ["amd"]
    some = (Evidence.KERNEL, Evidence.PROPERTY)
    assert names(library, replace(ALL, evidence=some)) == ["amd", "both"]
    assert names(library, replace(ALL, min_score=61)) == ["theirs"]
    assert names(library, replace(ALL, feed="f1")) == ["hopper", "amd", "both"]
    assert names(library, replace(ALL, digest="d1"))[1:] == ["theirs", "ours"]
    assert names(library, replace(ALL, feed="f9")) == []


def test_marks_are_filters(library: Store) -> None:
    library.marks.set(["e1", "i1"], read=True, add_tags=["a", "b"])
    library.marks.set(["e2"], starred=True, add_tags=["b"])
    library.queue.add("i2")
    assert names(library, replace(ENTRIES, unread=True)) == ["amd", "both"]
    assert names(library, replace(ALL, starred=True)) == ["amd"]
    assert names(library, replace(ALL, queued=True)) == ["ours"]
    assert names(library, replace(ALL, tags=("b",))) == ["hopper", "amd", "theirs"]
    assert names(library, replace(ALL, tags=("b", "a"), hardware=("hopper",))) == [
        "hopper",
        "theirs",
    ]
    assert library.library.tags() == {"a": 2, "b": 3}


def test_dates_bound_a_list(library: Store) -> None:
    assert names(library, replace(ENTRIES, since=NOW - timedelta(days=1))) == ["hopper", "amd"]
    assert names(library, replace(ENTRIES, until=NOW - timedelta(days=1))) == ["both"]
    assert names(library, replace(ALL, kinds=(StoryKind.ITEM,), until=EIGHT)) == []


def test_scores_lead_where_they_are_asked_for(library: Store) -> None:
    by_score = replace(ALL, order=Order.SCORE)
    assert names(library, by_score)[:3] == ["theirs", "ours", "hopper"]
    assert names(library, replace(by_score, hardware=("hopper",)))[:2] == ["theirs", "ours"]


def test_a_row_holds_what_a_list_draws(library: Store) -> None:
    row = library.library.rows(["e1"])[0]
    assert (row.feed, row.feed_title, row.layers_ours) == ("f1", "Blog", True)
    assert row.snippet == "About hopper."
    theirs = library.library.rows(["i1"])[0]
    assert (theirs.layers, theirs.layers_ours, theirs.digest) == ((Layer.RUNTIME,), False, "d1")
    assert theirs.url == "https://digest.example.org/2026/10/01/daily.html"
    assert theirs.score == 90.0
    assert row.score is None


def test_counts_say_what_each_further_filter_would_leave(library: Store) -> None:
    library.marks.set(["e1"], read=True)
    for query in (
        ALL,
        ENTRIES,
        replace(ALL, hardware=("nvidia",)),
        replace(ALL, layers=(Layer.RUNTIME,), unread=True),
        replace(ALL, text="about"),
        replace(ALL, order=Order.SCORE, hardware=("amd",)),
    ):
        counts = library.library.counts(query)
        assert counts.total == len(library.library.ids(query))
        assert counts.unread == len(library.library.ids(replace(query, unread=True)))
        for layer, stories in counts.layers.items():
            further = replace(query, layers=(*query.layers, layer))
            assert stories == len(library.library.ids(further))
        for node in ("nvidia", "hopper", "amd", "sm_90"):
            further = replace(query, hardware=(*query.hardware, node))
            assert counts.hardware.get(node, 0) == len(library.library.ids(further))
    chosen = replace(ALL, evidence=(Evidence.KERNEL,))
    assert library.library.counts(chosen).total == 1
    assert library.library.counts(chosen).evidence[Evidence.PROPERTY] == 1


@pytest.mark.parametrize("order", [Order.DATE, Order.SCORE, Order.RANK])
def test_pages_make_up_the_list(tmp_path: Path, order: Order) -> None:
    with opened(tmp_path) as store:
        parsed = digest(
            *(
                item(f"Story {n}", score=float(n % 3), summary=f"{n} kernel " * (n + 5))
                for n in range(9)
            )
        )
        store.library.save(None, [arriving(parsed), *(post(f"kernel {n}") for n in range(8))], NOW)
        query = replace(ALL, order=order, limit=4, text="kernel" if order is Order.RANK else "")
        whole = store.library.ids(query)
        assert len(whole) == len(set(whole)) >= 17
        read: list[str] = []
        while rows := store.library.page(query):
            read += [row.id for row in rows]
            query = replace(query, after=store.library.cursor(rows[-1].id, query))
        assert read == whole


def test_pages_hold_when_stories_come_in_between(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.library.save(None, [post(f"p{n}", days=n) for n in range(6)], NOW)
        query = replace(ENTRIES, limit=3)
        first = store.library.page(query)
        store.library.save(None, [post("between", published=NOW)], NOW)
        rest = store.library.page(replace(query, after=store.library.cursor(first[-1].id, query)))
        assert [row.title for row in (*first, *rest)] == [f"p{n}" for n in range(6)]


@pytest.mark.parametrize(
    "query",
    [
        ALL,
        ENTRIES,
        replace(ENTRIES, unread=True),
        replace(ALL, unread=True),
        replace(ALL, starred=True),
        replace(ALL, kinds=(StoryKind.ITEM, StoryKind.ENTRY)),
        replace(ALL, layers=(Layer.RUNTIME,), hardware=("amd",), unread=True),
        replace(ALL, text="kernel"),
        replace(ALL, text="kernel", layers=(Layer.RUNTIME,)),
        replace(ALL, feed="f1"),
        replace(ALL, order=Order.SCORE),
        replace(ENTRIES, since=NOW),
    ],
)
def test_no_list_is_sorted_or_scanned(library: Store, query: Query) -> None:
    plan = compiled(library._connection, query)
    rows = library._connection.rows(
        f"EXPLAIN QUERY PLAN SELECT s.ref FROM {plan.source} WHERE {plan.where}"
        f" ORDER BY {plan.order} LIMIT 50",
        plan.values,
    )
    steps = [row["detail"] for row in rows]
    assert not any("TEMP B-TREE" in step for step in steps), steps


# ── search ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def texts(tmp_path: Path) -> Iterable[Store]:
    with opened(tmp_path) as store:
        for title, html in (
            ("registers", "Triton寄存器调度 for sm_90 kernels"),
            (
                "atomics",
                "The default is <code>acq_rel</code> now; use <code>--iree-load-plugin</code>.",
            ),
            ("scopes", "acq rel are two words here, and sm 90 too"),
            ("single", "算子融合后只剩一个核"),
            ("wide", "ｆｕｌｌ－ｗｉｄｔｈ Ｔｒｉｔｏｎ １２３"),
            ("code", "T.Parallel and #iree_gpu.pipeline&lt;TileAndFuse&gt; in C++"),
            ("accent", "Jalapeño naïve 𝔽₂ 🚀"),
        ):
            store.library.save(None, [post(title, content_html=f"<p>{html}</p>")], NOW)
        yield store


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("寄存", {"registers"}),
        ("存器", {"registers"}),
        ("寄存器", {"registers"}),
        ("调度", {"registers"}),
        ("器调", {"registers"}),
        ("存调", set()),
        ("核", {"single"}),
        ("算", {"single"}),
        ("融合 核", {"single"}),
        ("triton 寄存器", {"registers"}),
        ("triton寄存器", {"registers"}),
        ("triton", {"registers", "wide"}),
        ("TRITON", {"registers", "wide"}),
        ("acq_rel", {"atomics"}),
        ("sm_90", {"registers"}),
        ("sm_9*", {"registers"}),
        ("--iree-load-plugin", {"atomics"}),
        ("iree", {"atomics"}),
        ('"acq rel"', {"scopes"}),
        ('"rel acq"', set()),
        ("T.Parallel", {"code"}),
        ("tileandfuse", {"code"}),
        ("full-width １２３", {"wide"}),
        ("jalapeno", {"accent"}),
        ("kern", {"registers"}),
        ("regist", {"registers"}),
        ("nothing", set()),
        ("acq_rel nothing", set()),
        ("About", set()),
    ],
)
def test_words_are_found(texts: Store, words: str, expected: set[str]) -> None:
    assert found(texts, words) == expected


@pytest.mark.parametrize(
    "words",
    [
        *('"', '""', '"a', "*", "**", "(", ")(", "a OR", "NOT", "AND AND", "NEAR(a b)", "title:a"),
        *("^a", "-", "a -b", "{a b}: c", "+", "a + b", "''", "\\", "\0", "a\0b", "%", "🚀", "。，"),
        *("a*b*", "._.", "_", "a_*", "___", "²", "١٢"),
    ],
)
def test_no_words_are_wrong(texts: Store, words: str) -> None:
    for order in Order:
        texts.library.page(replace(ALL, text=words, order=order))
    texts.library.counts(replace(ALL, text=words))


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(words=st.text(max_size=12))
def test_any_text_can_be_searched_for(texts: Store, words: str) -> None:
    texts.library.page(replace(ALL, text=words))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    text=st.text(alphabet="寄存器调度算子融合ab _", min_size=4, max_size=20),
    at=st.integers(0, 16),
)
def test_every_two_characters_of_a_han_text_are_found(
    tmp_path_factory: pytest.TempPathFactory, text: str, at: int
) -> None:
    word = text[at : at + 2]
    if len(word) < 2 or not all("\u4e00" <= c <= "\u9fff" for c in word):
        return
    with opened(tmp_path_factory.mktemp("store")) as store:
        store.library.save(None, [post("x", content_html=text)], NOW)
        assert store.library.ids(replace(ALL, text=word)) == ["e1"]


def test_ranking_puts_a_title_first(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.library.save(
            None,
            [
                post("newer", content_html="<p>" + "words " * 50 + "swizzle</p>"),
                post("On swizzle", days=3, content_html="<p>short</p>"),
            ],
            NOW,
        )
        by_rank = store.library.page(replace(ALL, text="swizzle", order=Order.RANK))
        assert [row.title for row in by_rank] == ["On swizzle", "newer"]
        by_date = store.library.page(replace(ALL, text="swizzle"))
        assert [row.title for row in by_date] == ["newer", "On swizzle"]


def test_search_combines_with_filters(library: Store) -> None:
    assert found(library, "about", replace(ALL, hardware=("amd",))) == {"amd", "both"}
    assert found(library, "spills", replace(ALL, min_score=80.0)) == {"theirs"}
    library.library.save(None, [arriving(rich())], NOW)
    assert found(library, "example/tiler", Query(limit=None)) == {"tiler v2.0"}


def test_bigrams_and_expressions() -> None:
    assert indexed("Triton寄存器").split() == ["Triton", "寄存", "存器", "器"]
    assert indexed("plain") == "plain"
    assert expression("寄存器 sm_90") == '"寄存 存器" AND "sm_90"'
    assert expression("核") == '"核"*'
    assert expression("ker*") == '"ker"*'
    assert expression('say "two words') == '"say" AND "two" AND "words"'
    assert expression(" \t*. ") is None


def test_text_that_skips_its_normal_form_has_the_same_tokens() -> None:
    """By FTS5 itself, over every character that does not call for NFKC."""
    plain = [chr(n) for n in range(1, 0x30000) if not _ODD.search(chr(n))]
    assert len(plain) > 27_000
    with sqlite3.connect(":memory:") as raw:
        raw.execute("""CREATE VIRTUAL TABLE t USING fts5 (body,
            tokenize = "unicode61 remove_diacritics 2 tokenchars '_'")""")
        raw.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, 'instance')")
        found = []
        for texts in (plain, [unicodedata.normalize("NFKC", each) for each in plain]):
            raw.execute("DELETE FROM t")
            raw.executemany("INSERT INTO t VALUES (?)", [(f"a{each}b",) for each in texts])
            rows = raw.execute("SELECT doc, offset, term FROM v ORDER BY doc, offset").fetchall()
            first = min(row[0] for row in rows)
            found.append([(doc - first, offset, term) for doc, offset, term in rows])
    assert found[0] == found[1]
