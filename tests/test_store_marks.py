"""Marks, tags, notes, the queue and its outcomes: ours, and they outlive what they stand on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import product
from pathlib import Path

import pytest

from reader.errors import Usage
from reader.model import (
    Evidence,
    Fetch,
    Health,
    Marks,
    Query,
    QueueState,
    Reason,
    RunStatus,
    StoryKind,
    Text,
    Verdict,
    VerdictKind,
)
from reader.store import Store
from reader.store.outcomes import outcome, standing
from tests.checks_for_store import a_check
from tests.stories import NOW, arriving, opened, post, rich

ALL = Query(kinds=tuple(StoryKind), limit=None)


def verdict(kind: VerdictKind, claim: str = "c") -> Verdict:
    return Verdict(claim, Evidence.CODEGEN, kind, Reason("why"), {}, Text("z", "e"), 1)


@pytest.fixture
def store(tmp_path: Path) -> Iterable[Store]:
    with opened(tmp_path) as opened_store:
        feed = opened_store.feeds.add("https://blog.example.org/feed.xml").id
        opened_store.library.save(feed, [post("one"), post("two", days=1), arriving(rich())], NOW)
        yield opened_store


def marks(store: Store, id_: str) -> Marks:
    return store.library.get(id_).marks


def test_marks_are_set_and_taken_back(store: Store) -> None:
    store.marks.set(["e1"], starred=True, note="first")
    undo = store.marks.set(
        ["e1", "e2", "i1"], read=True, starred=False, add_tags=["a", " b\n"], note="second"
    )
    assert marks(store, "e1") == Marks(read=True, tags=("a", "b"), note="second")
    assert marks(store, "i1").read
    forth = store.marks.undo(undo)
    assert marks(store, "e1") == Marks(starred=True, note="first")
    assert marks(store, "i1") == Marks()
    assert store.library.tags() == {}
    store.marks.undo(forth)
    assert marks(store, "e1") == Marks(read=True, tags=("a", "b"), note="second")


def test_undo_leaves_what_was_changed_since(store: Store) -> None:
    undo = store.marks.set(["e1"], note="mine", read=True)
    store.marks.set(["e1"], note="later")
    store.marks.undo(undo)
    assert marks(store, "e1") == Marks(note="later")


def test_a_mark_on_a_missing_story_marks_nothing(store: Store) -> None:
    with pytest.raises(Usage):
        store.marks.set(["e1", "e99"], starred=True)
    assert not marks(store, "e1").starred


def test_an_empty_note_is_none_and_an_untag_only_takes_that_tag(store: Store) -> None:
    store.marks.set(["e1"], note="x", add_tags=["a", "b"])
    store.marks.set(["e1"], note="  ", remove_tags=["a", "never"])
    assert marks(store, "e1") == Marks(tags=("b",))


def test_a_digest_and_its_entry_share_their_marks(store: Store) -> None:
    store.marks.set(["e3"], starred=True)
    assert marks(store, "d1").starred
    assert store.library.ids(replace(ALL, starred=True)) == ["d1"]


def test_removing_a_feed_keeps_what_is_marked(store: Store) -> None:
    store.library.save("f1", [post(f"extra {n}") for n in range(6)], NOW)
    ids = {row.title: row.id for row in store.library.page(ALL)}
    store.marks.set([ids["extra 0"]], starred=True)
    store.marks.set([ids["extra 1"]], note="keep")
    store.marks.set([ids["extra 2"]], add_tags=["keep"])
    store.queue.add(ids["extra 3"])
    store.marks.set([ids["extra 4"], ids["one"]], read=True)
    run = store.runs.start(a_check(store.path.parent), ids["extra 5"], {}, NOW)
    store.runs.finish(run, status=RunStatus.FAILED, legs=(), verdicts=())
    store.marks.set(["i2"], starred=True)
    assert store.feeds.remove("f1") == 6
    left = {row.title for row in store.library.page(ALL)}
    assert {"extra 0", "extra 1", "extra 2", "extra 3", "extra 5"} < left
    assert not {"one", "two", "extra 4"} & left
    assert [each.title for each in store.library.items("d1")] == [
        "tiler v2.0",
        "A scheduler for small kernels",
    ]
    assert store.feeds.all() == []
    assert [each.feed for each in store.library.items("d1")] == [None, None]
    assert store.check() == []


def test_marks_come_back_with_a_feed_that_comes_back(store: Store) -> None:
    store.marks.set(["e1", "i1"], read=True)
    store.feeds.remove("f1")
    assert store.library.ids(ALL) == []
    feed = store.feeds.add("https://blog.example.org/feed.xml").id
    store.library.save(feed, [post("one"), post("two", days=1), arriving(rich())], NOW)
    read = [row.title for row in store.library.page(ALL) if row.marks.read]
    assert read == ["one", "tiler v2.0"]
    assert store.library.counts(ALL).unread == 3
    assert store.check() == []


# ── feeds ──────────────────────────────────────────────────────────────────────────────────────


def test_a_feed_is_added_once_whatever_its_spelling(store: Store) -> None:
    assert store.feeds.add("http://www.blog.example.org/feed.xml/").id == "f1"
    assert [feed.id for feed in store.feeds.all()] == ["f1"]
    assert store.feeds.get("f1").entries == 3
    store.marks.set(["e1", "i1"], read=True)
    assert store.feeds.get("f1").unread == 2


def test_what_came_of_a_fetch_is_kept(store: Store) -> None:
    at = NOW
    good = Fetch(at, Health.OK, new=2, etag='"a"', next_check=at + timedelta(hours=1))
    store.feeds.record("f1", good)
    bad = Fetch(at + timedelta(hours=1), Health.FAILED, error="The server\x1b is ill.")
    store.feeds.record("f1", bad)
    store.feeds.record("f1", replace(bad, at=at + timedelta(hours=2)))
    feed = store.feeds.get("f1")
    assert (feed.health, feed.error, feed.etag) == (Health.FAILED, "The server is ill.", '"a"')
    assert feed.failing_since == at + timedelta(hours=1)
    assert feed.last_changed == at
    assert [each.outcome for each in store.feeds.history("f1", days=10_000)] == [
        Health.OK,
        Health.FAILED,
        Health.FAILED,
    ]
    kept = store.feeds.kept()
    assert (kept.sources, kept.sources_ok, kept.images_missing) == (1, 0, 0)
    assert store.last_sync == at + timedelta(hours=2)
    store.feeds.record(
        "f1", replace(good, at=at + timedelta(hours=3), url="https://new.example.org/")
    )
    feed = store.feeds.get("f1")
    assert (feed.failing_since, feed.url) == (None, "https://new.example.org/")
    assert store.library.save("f1", [post("one")], NOW).unchanged == ("e1",)
    assert store.feeds.add("https://new.example.org/").id == "f1"


def test_feeds_are_due_when_their_time_has_come(store: Store) -> None:
    other = store.feeds.add("https://other.example.org/feed").id
    store.feeds.record("f1", Fetch(NOW, Health.OK, next_check=NOW + timedelta(hours=1)))
    assert [feed.id for feed in store.feeds.due(NOW)] == [other]
    assert [feed.id for feed in store.feeds.due(NOW + timedelta(hours=1))] == ["f1", other]


def test_pictures_are_kept_and_counted(store: Store) -> None:
    pictures = "".join(f"<img src='https://img.example.org/{n}.png'>" for n in range(3))
    (id_,) = store.library.save("f1", [post("pictures", content_html=pictures)], NOW).new
    urls = store.images.missing(10)
    assert len(urls) == 3
    store.images.save(urls[0], "image/png", b"png")
    store.images.failed(urls[1], "404")
    assert store.images.missing(10) == [urls[2], urls[1]]
    assert store.images.get(urls[0]) == ("image/png", b"png")
    assert store.images.get(urls[1]) is None
    kept = store.feeds.kept()
    assert (kept.images, kept.images_missing) == (1, 2)
    store.feeds.remove("f1")
    assert store.images.get(urls[0]) is None
    with pytest.raises(Usage):
        store.library.get(id_)


# ── the queue ──────────────────────────────────────────────────────────────────────────────────


def test_a_story_is_queued_once_with_what_is_said_of_it(store: Store) -> None:
    entry = store.queue.add("i1", due=date(2026, 10, 9), priority=2, check="a-check")
    assert entry.state is QueueState.QUEUED
    assert store.queue.add("i1").id == entry.id
    again = store.queue.get(entry.id)
    assert (again.due, again.priority, again.check) == (date(2026, 10, 9), 2, "a-check")
    store.queue.update(entry.id, priority=0, no_due=True, note="look", add_tags=["t"], check="")
    changed = store.queue.get(entry.id)
    assert (changed.due, changed.priority, changed.check) == (None, 0, None)
    assert (changed.note, changed.tags) == ("look", ("t",))
    assert marks(store, "i1") == Marks(tags=("t",), note="look", queue_state=QueueState.QUEUED)


def test_the_most_urgent_stands_first(store: Store) -> None:
    store.queue.add("e1")
    store.queue.add("e2", due=date(2026, 10, 9))
    store.queue.add("i1", priority=1)
    assert [entry.item for entry in store.queue.all()] == ["i1", "e2", "e1"]


def test_dropped_restored_and_removed(store: Store) -> None:
    entry = store.queue.add("i1")
    undo = store.queue.drop(entry.id)
    assert store.queue.get(entry.id).state is QueueState.DROPPED
    assert store.library.ids(replace(ALL, queued=True)) == []
    assert [each.id for each in store.queue.all(QueueState.DROPPED)] == [entry.id]
    store.queue.restore(entry.id)
    assert store.library.ids(replace(ALL, queued=True)) == ["i1"]
    store.queue.remove(entry.id)
    assert store.queue.all() == []
    with pytest.raises(Usage):
        store.queue.get(entry.id)
    store.marks.undo(undo)
    assert store.queue.add("i1").id == entry.id


def expected(kinds: Sequence[VerdictKind]) -> QueueState:
    if VerdictKind.REFUTED in kinds:
        return QueueState.REFUTED
    if VerdictKind.INCONCLUSIVE in kinds:
        return QueueState.INCONCLUSIVE
    if VerdictKind.CONFIRMED in kinds:
        return QueueState.CONFIRMED
    if set(kinds) == {VerdictKind.NOT_APPLICABLE}:
        return QueueState.NOT_APPLICABLE
    return QueueState.WAITING


def test_the_outcome_is_derived_for_every_mixture_of_three_verdicts() -> None:
    for kinds in product(VerdictKind, repeat=3):
        assert outcome(kinds) is expected(kinds)
    assert outcome([]) is QueueState.WAITING


def test_what_could_not_run_here_takes_nothing_away() -> None:
    desk = [verdict(VerdictKind.CONFIRMED), verdict(VerdictKind.COULD_NOT_RUN, "speed")]
    laptop = [verdict(VerdictKind.COULD_NOT_RUN), verdict(VerdictKind.NOT_APPLICABLE, "speed")]
    assert standing([("k", desk), ("k", laptop)]) == [
        VerdictKind.CONFIRMED,
        VerdictKind.NOT_APPLICABLE,
    ]
    later = [verdict(VerdictKind.REFUTED)]
    assert standing([("k", desk), ("k", later)])[0] is VerdictKind.REFUTED
    assert len(standing([("k", desk), ("other", later)])) == 3


def test_runs_decide_the_state(store: Store, tmp_path: Path) -> None:
    entry = store.queue.add("i1")
    check = a_check(tmp_path)
    run = store.runs.start(check, "i1", {}, NOW)
    assert store.queue.get(entry.id).state is QueueState.RUNNING
    assert marks(store, "i1").queue_state is QueueState.RUNNING
    store.runs.finish(
        run,
        status=RunStatus.FINISHED,
        legs=(),
        verdicts=[verdict(VerdictKind.CONFIRMED), verdict(VerdictKind.COULD_NOT_RUN, "speed")],
    )
    found = store.queue.get(entry.id)
    assert (found.state, found.decided, found.claims) == (QueueState.CONFIRMED, 1, 2)
    assert found.runs == (run,)
    store.runs.judged_again(run, [verdict(VerdictKind.REFUTED)])
    assert store.queue.get(entry.id).state is QueueState.REFUTED
    assert store.library.rows(["i1"])[0].marks.queue_state is QueueState.REFUTED


def test_a_run_that_was_cut_off_leaves_the_entry_queued(store: Store, tmp_path: Path) -> None:
    entry = store.queue.add("e1")
    run = store.runs.start(a_check(tmp_path), "e1", {}, NOW)
    store.runs.finish(run, status=RunStatus.CANCELLED, legs=(), verdicts=())
    assert store.queue.get(entry.id).state is QueueState.QUEUED
    assert store.queue.get(entry.id).runs == (run,)
