"""What comes in: found again, cleaned, kept as Revisions, merged from several forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reader.model import (
    Digest,
    Entry,
    Form,
    Incoming,
    Item,
    Labels,
    Layer,
    ParsedDigest,
    ParsedEntry,
    ParsedItem,
    Query,
    Source,
    StoryKind,
)
from reader.store import Store
from reader.store.merge import merged
from tests.stories import (
    AMD,
    EIGHT,
    HOPPER,
    NOW,
    RELEASE,
    arriving,
    digest,
    item,
    opened,
    poor,
    post,
    rich,
)

ALL = Query(kinds=tuple(StoryKind), limit=None)


def titles(store: Store, query: Query = ALL) -> list[str]:
    return [row.title for row in store.library.rows(store.library.ids(query))]


def one(store: Store, id_: str) -> Item:
    found = store.library.get(id_)
    assert isinstance(found, Item)
    return found


def entry(store: Store, id_: str) -> Entry:
    found = store.library.get(id_)
    assert isinstance(found, Entry)
    return found


def test_the_same_again_changes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        feed = store.feeds.add("https://blog.example.org/feed.xml")
        batch = [post("one"), post("two"), arriving(rich())]
        first = store.library.save(feed.id, batch, NOW)
        assert (len(first.new), first.updated, first.unchanged) == (3, (), ())
        again = store.library.save(feed.id, batch, NOW + timedelta(hours=1))
        assert (again.new, again.updated, len(again.unchanged)) == ((), (), 3)
        assert store.check() == []


def test_an_edit_is_a_revision_and_keeps_the_marks(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        (id_,) = store.library.save(None, [post("notes", content_html="<p>old words</p>")], NOW).new
        store.marks.set([id_], read=True, starred=True, note="look")
        later = NOW + timedelta(hours=2)
        edit = post("notes", content_html="<p>new words</p>", updated=later)
        assert store.library.save(None, [edit], later).updated == (id_,)
        found = entry(store, id_)
        assert (found.content_text, found.versions, found.marks.read) == ("new words", 2, True)
        assert [each.content_text for each in store.library.revisions(id_)] == [
            "old words",
            "new words",
        ]
        assert store.library.ids(replace(ALL, text="old")) == []
        assert store.library.ids(replace(ALL, text="new words")) == [id_]


def test_a_counter_and_a_new_time_are_no_edit(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        pixel = '<p>same</p><img src="https://px.example.net/{}.gif" width="1" height="1">'
        (id_,) = store.library.save(None, [post("a", content_html=pixel.format(1))], NOW).new
        store.marks.set([id_], read=True)
        again = post("a", content_html=pixel.format(2), updated=NOW + timedelta(hours=1))
        assert store.library.save(None, [again], NOW).unchanged == (id_,)
        found = entry(store, id_)
        assert (found.versions, found.marks.read) == (1, True)
        assert found.updated == NOW + timedelta(hours=1)
        assert "px.example.net" not in found.content_html


def test_entries_keep_their_order_without_dates(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        batch = [post(name, published=None) for name in ("newest", "middle", "oldest")]
        store.library.save(None, batch, NOW)
        store.library.save(None, batch, NOW + timedelta(days=1))
        assert titles(store) == ["newest", "middle", "oldest"]
        assert all(row.published is None for row in store.library.page(ALL))


def test_impossible_dates_do_not_lead_the_list(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.library.save(
            None,
            [
                post("future", published=NOW.replace(year=2099)),
                post("year one", published=NOW.replace(year=1)),
                post("yesterday", days=1),
            ],
            NOW,
        )
        store.library.save(
            None, [post("later", published=NOW + timedelta(minutes=1))], NOW.replace(day=6)
        )
        assert titles(store) == ["later", "future", "year one", "yesterday"]
        assert entry(store, "e1").published == NOW.replace(year=2099)


def test_posts_that_share_a_link_stay_apart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        same = "https://blog.example.org/"
        store.library.save(None, [post("one", url=same)], NOW)
        store.library.save(None, [post("two", url=same)], NOW)
        assert sorted(titles(store)) == ["one", "two"]


def test_a_guid_of_another_scheme_is_the_same_post(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        feed = store.feeds.add("https://blog.example.org/feed.xml").id
        (id_,) = store.library.save(feed, [post("one", guid="old-id")], NOW).new
        assert store.library.save(feed, [post("one", guid="https://new/1")], NOW).new == ()
        assert store.library.ids(ALL) == [id_]
        edited = post("one, corrected", guid="https://new/1", url="https://blog.example.org/one")
        assert store.library.save(feed, [edited], NOW).updated == (id_,)


def test_hostile_text_is_clean_before_it_is_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        bad = post(
            "<script>x()</script>Ti\u202etle\x07 <b>bold</b> vector<T>",
            url="javascript:alert(1)",
            authors=("<img src=x onerror=y()>Mallory\x1b[31m",),
            content_html='<p onclick="x()">k<<<grid>>> <a href="javascript:x()">a</a></p>',
        )
        (id_,) = store.library.save(None, [bad], NOW).new
        found = entry(store, id_)
        assert found.title == "Title bold vector<T>"
        assert (found.url, found.authors) == (None, ("Mallory",))
        assert found.content_text == "k<<<grid>>> a"
        assert "onclick" not in found.content_html
        assert "javascript" not in found.content_html
        parsed = digest(
            item(
                "A\x1b]0;title\x07B",
                summary="line\nline\x00",
                sources=(Source("s", "data:text/html,x"),),
            )
        )
        store.library.save(None, [arriving(parsed)], NOW)
        stored = one(store, "i1")
        assert (stored.title, stored.summary) == ("AB", "line\nline")
        assert stored.sources == (Source("s", None),)


# ── digests ────────────────────────────────────────────────────────────────────────────────────


def seen(store: Store) -> list[tuple[str, str, float | None, str | None, tuple[str | None, ...]]]:
    """Return the items of the first digest as a reader sees them."""
    return [
        (each.title, each.why, each.score, each.url, tuple(s.url for s in each.sources))
        for each in store.library.items("d1")
    ]


@pytest.mark.parametrize(
    "order", [(poor, rich), (rich, poor), (rich, poor, rich), (poor, rich, poor)]
)
def test_forms_give_one_digest_whatever_comes_first(
    tmp_path: Path, order: tuple[Callable[[], ParsedDigest], ...]
) -> None:
    with opened(tmp_path, "one") as store, opened(tmp_path, "alone") as alone:
        alone.library.save(None, [arriving(rich())], NOW)
        first = True
        for form in order:
            store.library.save(None, [arriving(form())], NOW)
            if first:
                store.marks.set(["i1", "d1"], read=True, add_tags=["mine"])
            first = False
        assert store.library.ids(ALL) == ["d1", "i1", "i2"]
        assert seen(store) == seen(alone)
        assert one(store, "i1").marks.tags == ("mine",)
        assert one(store, "i1").title_derived
        found = store.library.get("d1")
        assert isinstance(found, Digest)
        assert found.published == EIGHT
        assert found.marks.read
        assert found.parsed.site == "digest.example.org"
        assert found.url == "https://digest.example.org/2026/10/01/daily.html"
        assert store.check() == []


def test_a_poorer_form_that_came_first_is_filled(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        text = digest(item("Only here", why="A reason that only the text has."), form=Form.TEXT)
        store.library.save(None, [arriving(text)], NOW)
        markdown = digest(item("Only here", why="", commit="abc1234", layers=(Layer.RUNTIME,)))
        store.library.save(None, [arriving(markdown)], NOW)
        found = one(store, "i1")
        assert (found.why, found.commit) == ("A reason that only the text has.", "abc1234")
        assert found.layers == (Layer.RUNTIME,)
        assert store.library.ids(replace(ALL, layers=(Layer.RUNTIME,))) == ["i1"]


def test_an_edit_in_a_poorer_form_is_an_edit(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        feed_form = digest(item("A scheduler", score=70.0), form=Form.FEED_HTML)
        store.library.save(None, [arriving(digest(item("A scheduler", score=70.0)))], NOW)
        store.library.save(None, [arriving(feed_form)], NOW)
        edited = replace(feed_form, items=(replace(feed_form.items[0], score=82.5),))
        assert len(store.library.save(None, [arriving(edited)], NOW).updated) == 1
        assert one(store, "i1").score == 82.5
        assert one(store, "i1").summary


def test_an_item_that_vanishes_is_kept_and_may_come_back(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        two = digest(item("First"), item("Second", summary="Another thing altogether happened."))
        store.library.save(None, [arriving(two)], NOW)
        store.marks.set(["i2"], starred=True)
        store.library.save(None, [arriving(replace(two, items=two.items[:1]))], NOW)
        assert [(each.title, each.gone) for each in store.library.items("d1")] == [
            ("First", False),
            ("Second", True),
        ]
        assert one(store, "i2").marks.starred
        store.library.save(None, [arriving(two)], NOW)
        assert not one(store, "i2").gone


def test_what_only_a_poorer_form_tells_is_not_gone(tmp_path: Path) -> None:
    for order in (0, 1):
        with opened(tmp_path, str(order)) as store:
            both = item("Both"), item("Text only", summary="Only the copied text tells this one.")
            forms = [digest(*both, form=Form.TEXT), digest(both[0])]
            for form in forms[:: -1 if order else 1]:
                store.library.save(None, [arriving(form)], NOW)
            assert {each.title: each.gone for each in store.library.items("d1")} == {
                "Both": False,
                "Text only": False,
            }


def test_items_keep_their_ids_when_they_are_numbered_anew(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        kept = item("Kept", number=1, summary="The kept story is told in these words here.")
        store.library.save(None, [arriving(digest(kept))], NOW)
        store.marks.set(["i1"], starred=True)
        new = item("New", number=1, summary="A different story stands before it this time.")
        store.library.save(None, [arriving(digest(new, replace(kept, number=2)))], NOW)
        assert [each.title for each in store.library.items("d1")] == ["New", "Kept"]
        assert one(store, "i1").title == "Kept"
        assert one(store, "i1").marks.starred


def test_items_that_share_a_source_stay_apart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        shared = Source("notes", RELEASE)
        parsed = digest(
            item(
                "Guards", sources=(shared,), summary="Device guards are now set everywhere at once."
            ),
            item(
                "Launch", sources=(shared,), summary="Launch bounds are now exact for each kernel."
            ),
        )
        store.library.save(None, [arriving(parsed)], NOW)
        store.marks.set(["i2"], starred=True)
        store.library.save(None, [arriving(replace(parsed, items=parsed.items[::-1]))], NOW)
        assert {each.title: each.marks.starred for each in store.library.items("d1")} == {
            "Guards": False,
            "Launch": True,
        }


def test_two_sites_on_the_same_day_are_two_digests(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        here = arriving(digest(item("Here")))
        other = digest(item("There"), site="other.example.org", title="Another digest")
        there = arriving(other, url="https://other.example.org/1")
        store.library.save(None, [here, there], NOW)
        assert store.library.ids(replace(ALL, kinds=(StoryKind.DIGEST,))) == ["d1", "d2"]
        text = replace(poor(), title="Another digest")
        store.library.save(None, [arriving(text, url=None)], NOW)
        assert len(store.library.ids(replace(ALL, kinds=(StoryKind.DIGEST,)))) == 2


def test_quiet_days_of_one_title_are_as_many_digests(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for day in (1, 2, 3):
            for form in (Form.TEXT, Form.MARKDOWN):
                quiet = digest(
                    form=form,
                    title="Nothing of weight today",
                    date=date(2026, 10, day),
                    cutoff_at=None,
                    no_news=True,
                )
                store.library.save(None, [arriving(quiet, url=None)], NOW)
        assert store.library.ids(ALL) == ["d3", "d2", "d1"]


def test_a_file_saved_anew_each_day_brings_each_days_digest(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        days = [
            replace(digest(item(f"Story of {day}")), date=date(2026, 10, day), cutoff_at=None)
            for day in (1, 2)
        ]
        batch = [arriving(day, guid="file:daily.html", url=None) for day in days]
        for each in (*batch, *batch):
            store.library.save(None, [each], NOW)
        assert store.library.ids(ALL) == ["d2", "i2", "d1", "i1"]
        assert not one(store, "i1").gone


def test_a_post_that_is_understood_later_becomes_a_digest(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        plain = replace(arriving(rich()), digest=None, item_labels=(), notices=("not divided",))
        (id_,) = store.library.save(None, [plain], NOW).new
        assert entry(store, id_).notices == ("not divided",)
        store.marks.set([id_], starred=True, add_tags=["mine"])
        store.library.save(None, [arriving(rich())], NOW)
        assert store.library.ids(ALL) == ["d1", "i1", "i2"]
        assert store.library.ids(replace(ALL, tags=("mine",))) == ["d1"]
        assert store.library.get("d1").marks.starred
        assert entry(store, id_).digest == "d1"
        assert store.check() == []


def test_a_file_and_a_feed_bring_one_digest(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.library.save(None, [arriving(rich(), guid="/home/me/daily.md", url=None)], NOW)
        feed = store.feeds.add("https://digest.example.org/feed.xml").id
        html = replace(rich(), form=Form.FEED_HTML)
        assert store.library.save(feed, [arriving(html, guid="post-1")], NOW).new == ()
        assert one(store, "i1").feed == feed
        assert store.library.ids(replace(ALL, feed=feed)) == ["d1", "i1", "i2"]
        # The plain post of a day before its digest was understood melts into it too.
        assert store.library.save(feed, [arriving(html, guid="post-1")], NOW).updated == ()


def test_an_items_source_is_the_stored_original_whichever_came_first(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert store.library.original(RELEASE) is None
        store.library.save(None, [arriving(rich())], NOW)
        assert one(store, "i1").sources[0].entry_id is None
        release = post("tiler v2.0", url=RELEASE.replace("https", "http") + "?utm_source=x")
        paper = post("A paper", url="https://arxiv.org/pdf/2610.00001v3")
        first, second = store.library.save(None, [release, paper], NOW).new
        assert [one(store, id_).sources[0].entry_id for id_ in ("i1", "i2")] == [first, second]
        assert store.library.original(RELEASE) == first


def test_our_labels_can_be_made_anew_and_theirs_stay(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        parsed = digest(
            item("Theirs", layers=(Layer.BENCHMARK,)),
            item("Ours", summary="Nothing of theirs stands here at all."),
        )
        store.library.save(None, [arriving(parsed), post("post", labels=HOPPER)], NOW)

        def labeller(title: str, text: str, *, url: str | None = None) -> Labels:
            return AMD

        assert store.library.relabel(labeller, 2) == 4
        assert store.library.relabel(labeller, 2) == 0
        assert one(store, "i1").layers == (Layer.BENCHMARK,)
        assert one(store, "i1").labels == AMD
        assert store.library.ids(replace(ALL, layers=(Layer.RUNTIME,))) == ["e2", "d1", "i2"]
        assert store.library.ids(replace(ALL, layers=(Layer.KERNEL_CODEGEN,))) == []
        assert store.library.ids(replace(ALL, hardware=("hopper",))) == []
        rows = store.library.rows(["i1", "i2"])
        assert [(row.layers, row.layers_ours) for row in rows] == [
            ((Layer.BENCHMARK,), False),
            (AMD.layers, True),
        ]


def test_many_entries_of_one_second_keep_their_order(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        names = [f"paper {n:04}" for n in range(450)]
        store.library.save(None, [post(name, published=EIGHT) for name in names], NOW)
        assert titles(store) == names


# ── merging, as a rule ─────────────────────────────────────────────────────────────────────────

_words = st.sampled_from(["", "a", "b"])
_items = st.builds(
    lambda why, summary, score, url: item(
        "t", why=why, summary=summary, score=score, sources=(Source("s", url),)
    ),
    _words,
    _words,
    st.sampled_from([None, 1.0, 2.0]),
    st.sampled_from([None, RELEASE]),
)


@given(_items, _items)
def test_merging_two_forms_gives_the_same_whichever_comes_first(
    poorer: ParsedItem, richer: ParsedItem
) -> None:
    assert merged(poorer, None, richer, richer=True) == merged(richer, None, poorer, richer=False)


@given(_items, _items)
def test_a_poorer_form_takes_nothing_away(richer: ParsedItem, poorer: ParsedItem) -> None:
    found = merged(richer, None, poorer, richer=False)
    for name in ("why", "summary", "score"):
        if getattr(richer, name):
            assert getattr(found, name) == getattr(richer, name)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.sampled_from(["A", "B", "C"]), min_size=1, max_size=6))
def test_nothing_that_was_an_item_is_ever_lost(
    tmp_path_factory: pytest.TempPathFactory, days: list[str]
) -> None:
    with opened(tmp_path_factory.mktemp("store")) as store:
        stories = {name: item(f"Story {name}", summary=f"{name} " * 30) for name in "ABC"}
        for last in range(len(days)):
            chosen = dict.fromkeys(days[: last + 1][-2:])
            store.library.save(None, [arriving(digest(*(stories[name] for name in chosen)))], NOW)
        assert {each.title for each in store.library.items("d1")} == {f"Story {n}" for n in days}
        assert [each.title for each in store.library.items("d1") if not each.gone] == [
            f"Story {name}" for name in dict.fromkeys(days[-2:])
        ]
        assert store.check() == []


def test_unknown_text_in_odd_encodings_is_taken(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        odd = Incoming(
            ParsedEntry(title="\ud800 \x00", content_html="\ud83d\x00 <p>\udfff", guid="\ud800")
        )
        assert len(store.library.save(None, [odd], NOW).new) == 1
        assert store.check() == []
