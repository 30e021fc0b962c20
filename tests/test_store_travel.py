"""The data file: everything of the user's out and in, merged without loss, and never a trap."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from reader.errors import StoreError
from reader.model import Digest, Entry, Form, Leg, Query, RunStatus, StoryKind
from reader.store import Store, export_data, import_data
from reader.store.marks import Marks
from tests.checks_for_store import a_check
from tests.stories import NOW, arriving, digest, item, opened, poor, post, rich

ALL = Query(kinds=tuple(StoryKind), limit=None)
LEG = Leg("3.9", {}, None, "sm_90", {"spills": 0}, (), "log", ("python",), 0, 1.0)


def state(store: Store) -> dict[str, Any]:
    """Return everything of the user's, ids apart."""
    rows = store.library.rows(store.library.ids(ALL))
    stories = sorted(
        (
            row.title,
            row.kind,
            row.marks,
            row.layers,
            row.hardware,
            row.score,
            row.published,
            row.url,
        )
        for row in rows
    )
    gone = sorted(
        (each.title, each.gone, each.why, each.sources)
        for row in rows
        if row.kind is StoryKind.DIGEST
        for each in store.library.items(row.id)
    )
    digests = [store.library.get(row.id) for row in rows if row.kind is StoryKind.DIGEST]
    said = [each for each in digests if isinstance(each, Digest)]
    entries = [row.id for row in rows if row.kind is StoryKind.ENTRY]
    texts = [
        (
            store.library.revisions(id_)[-1].content_html,
            sorted((each.title, each.content_html) for each in store.library.revisions(id_)),
        )
        for id_ in (*entries, *(each.entry for each in said))
    ]
    runs = [
        (
            *(run.check, run.status, run.started, run.finished, run.machine, run.legs),
            run.verdicts,
            [(each.name, each.sha256, Path(each.path).read_bytes()) for each in run.artefacts],
        )
        for run in store.runs.all()
    ]
    queue = sorted(
        (
            each.title,
            each.state,
            str(each.due),
            each.priority,
            each.tags,
            str(each.note),
            each.check or "",
            each.added,
        )
        for each in store.queue.all()
    )
    feeds = sorted((feed.url, feed.title, feed.kind) for feed in store.feeds.all())
    return {
        "stories": stories,
        "gone": gone,
        "texts": sorted(texts),
        "digests": [(each.parsed, each.published, each.url) for each in said],
        "runs": runs,
        "queue": queue,
        "feeds": feeds,
        "tags": store.library.tags(),
        "faults": store.check(),
    }


def filled(store: Store, tmp_path: Path) -> None:
    """Give a store something of everything."""
    feed = store.feeds.add("https://blog.example.org/feed.xml", "Blog", topic_filter=True).id
    store.library.save(feed, [post("starred"), post("read only"), arriving(rich())], NOW)
    store.library.save(None, [arriving(poor())], NOW)
    edited = post("starred", content_html="<p>edited</p>")
    store.library.save(feed, [edited], NOW + timedelta(hours=1))
    store.marks.set(["e1"], starred=True, note="two\nlines", add_tags=["标签", "b"])
    store.marks.set(["e2", "i2"], read=True)
    store.queue.add("i1", due=date(2026, 10, 9), priority=3, check="planted-leak")
    run = store.runs.start(a_check(tmp_path), "i1", {"cpu": "x"}, NOW)
    source = tmp_path / "a.ptx"
    source.write_text(".version 8.4")
    store.runs.keep(run, "a.ptx", source)
    store.runs.finish(run, status=RunStatus.FINISHED, legs=[LEG], verdicts=[])


def test_an_empty_store_gets_everything_back(tmp_path: Path) -> None:
    with opened(tmp_path, "a") as store, opened(tmp_path, "b") as other:
        filled(store, tmp_path)
        export_data(store, tmp_path / "data.zip")
        merged = import_data(other, tmp_path / "data.zip")
        assert (merged.feeds, merged.stories, merged.queue, merged.runs) == (1, 2, 1, 1)
        before, after = state(store), state(other)
        # What was only read and is no digest stays behind; its mark waits for the next sync.
        before["stories"] = [each for each in before["stories"] if each[0] != "read only"]
        before["texts"] = [each for each in before["texts"] if "read only" not in each[0]]
        assert after == before
        other.library.save("f1", [post("read only")], NOW)
        assert state(other) == state(store)
        assert other.runs.content("r1") == store.runs.content("r1")
        found = other.library.get("e1")
        assert isinstance(found, Entry)
        assert (found.content_text, found.versions) == ("edited", 2)
        assert other.feeds.all()[0].topic_filter
        assert other.library.save("f1", [arriving(rich())], NOW).new == ()


def test_twice_is_once(tmp_path: Path) -> None:
    with opened(tmp_path, "a") as store, opened(tmp_path, "b") as other:
        filled(store, tmp_path)
        export_data(store, tmp_path / "data.zip")
        import_data(other, tmp_path / "data.zip")
        before = state(other)
        again = import_data(other, tmp_path / "data.zip")
        assert (again.feeds, again.marks, again.queue, again.runs) == (0, 0, 0, 0)
        assert state(other) == before
        mine = state(store)
        import_data(store, tmp_path / "data.zip")
        assert state(store) == mine


def test_the_later_mark_wins_on_either_side(tmp_path: Path) -> None:
    with opened(tmp_path, "a") as laptop, opened(tmp_path, "b") as desk:
        for store in (laptop, desk):
            store.library.save(None, [post("one"), post("two")], NOW)
        laptop.marks.set(["e1"], note="laptop first", starred=True)
        desk.marks.set(["e1"], note="desk later", add_tags=["d"])
        desk.marks.set(["e2"], starred=True)
        laptop.marks.set(["e2"], starred=True)
        laptop.marks.set(["e2"], starred=False)
        export_data(laptop, tmp_path / "laptop.zip")
        export_data(desk, tmp_path / "desk.zip")
        import_data(desk, tmp_path / "laptop.zip")
        import_data(laptop, tmp_path / "desk.zip")
        for store in (laptop, desk):
            marks = store.library.get("e1").marks
            assert (marks.note, marks.starred, marks.tags) == ("desk later", True, ("d",))
            assert not store.library.get("e2").marks.starred
            assert store.library.ids(replace(ALL, tags=("d",))) == ["e1"]


def test_marks_on_another_form_of_the_digest_meet(tmp_path: Path) -> None:
    with opened(tmp_path, "a") as laptop, opened(tmp_path, "b") as desk:
        laptop.library.save(None, [arriving(poor())], NOW)
        laptop.marks.set(["i1"], starred=True)
        laptop.marks.set(["i2"], read=True)
        desk.library.save(None, [arriving(rich())], NOW)
        export_data(laptop, tmp_path / "data.zip")
        import_data(desk, tmp_path / "data.zip")
        assert desk.library.ids(ALL) == ["d1", "i1", "i2"]
        first, second = desk.library.items("d1")
        assert (first.title, first.marks.starred, second.marks.read) == ("tiler v2.0", True, True)


def test_a_run_that_went_on_is_not_cut_off_by_an_older_file(tmp_path: Path) -> None:
    with opened(tmp_path, "a") as store, opened(tmp_path, "b") as other:
        run = store.runs.start(a_check(tmp_path), None, {}, NOW)
        export_data(store, tmp_path / "early.zip")
        import_data(store, tmp_path / "early.zip")
        assert store.runs.get(run).status is RunStatus.RUNNING
        import_data(other, tmp_path / "early.zip")
        assert other.runs.get("r1").status is RunStatus.INTERRUPTED
        store.runs.finish(run, status=RunStatus.FINISHED, legs=[LEG], verdicts=[])
        export_data(store, tmp_path / "late.zip")
        for name in ("late", "early"):
            import_data(other, tmp_path / f"{name}.zip")
            import_data(store, tmp_path / f"{name}.zip")
        for each in (store, other):
            assert each.runs.get("r1").status is RunStatus.FINISHED
            assert each.runs.get("r1").legs == (LEG,)


def test_the_richer_form_wins_on_either_side(tmp_path: Path) -> None:
    with opened(tmp_path, "a") as laptop, opened(tmp_path, "b") as desk:
        laptop.library.save(None, [arriving(_forms["says else"])], NOW + timedelta(hours=1))
        laptop.marks.set(["i1"], starred=True)
        desk.library.save(None, [arriving(rich())], NOW)
        desk.marks.set(["i2"], starred=True)
        export_data(laptop, tmp_path / "laptop.zip")
        export_data(desk, tmp_path / "desk.zip")
        import_data(desk, tmp_path / "laptop.zip")
        import_data(laptop, tmp_path / "desk.zip")
        assert state(laptop) == state(desk)
        for store in (laptop, desk):
            assert {each.why for each in store.library.items("d1")} == {rich().items[0].why}
            assert {each.group for each in store.library.items("d1")} == {"Only here"}
            assert all(each.marks.starred for each in store.library.items("d1"))
            found = store.library.get("d1")
            assert isinstance(found, Digest)
            assert found.parsed.overview == "The text has an overview of its own."


# ── as rules ───────────────────────────────────────────────────────────────────────────────────

_forms = {
    "rich": rich(),
    "poor": poor(),
    "feed": replace(rich(), form=Form.FEED_HTML),
    "less": replace(rich(), items=rich().items[:1]),
    "says else": replace(
        poor(),
        overview="The text has an overview of its own.",
        items=tuple(
            replace(each, why="Said otherwise.", score=55.0, group="Only here")
            for each in poor().items
        ),
    ),
    "edited": replace(rich(), overview="Corrected.", items=rich().items[::-1]),
    "other": digest(item("Another", summary="Something else was told on that day, at length.")),
}
_actions = st.one_of(
    st.tuples(
        st.just("post"), st.sampled_from(["one", "two"]), st.sampled_from(["<p>a</p>", "<p>b</p>"])
    ),
    st.tuples(st.just("digest"), st.sampled_from(sorted(_forms)), st.sampled_from(["1", "9"])),
    st.tuples(
        st.sampled_from(["star", "unstar", "tag", "untag", "note", "read", "queue", "drop"]),
        st.integers(0, 5).map(str),
        st.sampled_from(["x", "y"]),
    ),
)


def act(store: Store, actions: list[tuple[str, str, str]], *, whole: bool = False) -> None:
    """Do what a person and the feeds might do."""
    for at, (what, which, how) in enumerate(actions):
        moment = NOW + timedelta(minutes=at)
        if what == "post":
            store.library.save(None, [post(which, content_html=how)], moment)
        elif what == "digest":
            later = NOW + timedelta(hours=int(how))
            store.library.save(None, [arriving(_forms[which])], later)
        else:
            ids = sorted(store.library.ids(ALL))
            if ids:
                mark(store, what, ids[int(which) % len(ids)], how)
    if whole and store.library.ids(ALL):
        store.marks.set(store.library.ids(ALL), add_tags=["whole"])


def mark(store: Store, what: str, id_: str, how: str) -> None:
    """Set one mark."""
    marks: Marks = store.marks
    if what in ("star", "unstar"):
        marks.set([id_], starred=what == "star")
    elif what == "tag":
        marks.set([id_], add_tags=[how])
    elif what == "untag":
        marks.set([id_], remove_tags=[how])
    elif what == "note":
        marks.set([id_], note=how)
    elif what == "read":
        marks.set([id_], read=how == "x")
    else:
        entry = store.queue.add(id_)
        if what == "drop":
            store.queue.drop(entry.id)


_property = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def united(folder: Path, name: str, files: list[Path]) -> dict[str, Any]:
    """Return what a new store says that took in these files one after the other."""
    with opened(folder, name) as store:
        for file in files:
            import_data(store, file)
        return state(store)


@_property
@given(st.lists(_actions, max_size=8), st.lists(_actions, max_size=8), st.booleans())
@example(
    [("digest", "edited", "1"), ("digest", "less", "1")],
    [("digest", "feed", "1"), ("digest", "less", "1")],
    True,
)
def test_it_matters_not_who_takes_in_whom(
    tmp_path_factory: pytest.TempPathFactory,
    mine: list[tuple[str, str, str]],
    yours: list[tuple[str, str, str]],
    whole: bool,
) -> None:
    folder = tmp_path_factory.mktemp("travel")
    with opened(folder, "a") as a, opened(folder, "b") as b:
        act(a, mine, whole=whole)
        act(b, yours, whole=whole)
        export_data(a, folder / "a.zip")
        export_data(b, folder / "b.zip")
    one, other = folder / "a.zip", folder / "b.zip"
    both = united(folder, "ab", [one, other])
    assert both == united(folder, "ba", [other, one])
    assert both == united(folder, "aba", [one, other, one, other, other])


@_property
@given(st.lists(_actions, max_size=10))
def test_a_journey_loses_nothing_of_the_users(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("travel")
    with opened(folder, "a") as a, opened(folder, "b") as b:
        act(a, actions)
        export_data(a, folder / "a.zip")
        import_data(b, folder / "a.zip")
        export_data(b, folder / "b.zip")
        before = state(a)
        import_data(a, folder / "b.zip")
        assert state(a) == before
        marked = [
            each for each in before["stories"] if each[2].starred or each[2].tags or each[2].note
        ]
        there = state(b)
        assert [each for each in marked if each not in there["stories"]] == []
        assert there["queue"] == before["queue"]
        assert there["tags"] == before["tags"]


# ── what is no data file ───────────────────────────────────────────────────────────────────────


def exported(tmp_path: Path) -> dict[str, bytes]:
    """Return the members of a data file."""
    with opened(tmp_path, "source") as store:
        filled(store, tmp_path)
        export_data(store, tmp_path / "good.zip")
    with zipfile.ZipFile(tmp_path / "good.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def lines(body: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return JSON lines, each changed."""
    records = [json.loads(line) for line in body.splitlines()]
    for record in records:
        change(record)
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


_SPOILED: dict[str, Callable[[dict[str, bytes]], dict[str, bytes]]] = {
    "traversal": lambda m: m | {"artefacts/" + "a" * 32 + "/../../../../evil": b"x"},
    "absolute": lambda m: m | {"/etc/evil": b"x"},
    "backslash": lambda m: m | {"artefacts\\..\\evil": b"x"},
    "foreign": lambda m: m | {"setup.py": b"x"},
    "check outside": lambda m: m | {"checks/abc/../../evil": b"x"},
    "newer": lambda m: (
        m | {"manifest.json": json.dumps({"format": "readproof data", "schema": 99}).encode()}
    ),
    "other manifest": lambda m: m | {"manifest.json": b"[1]"},
    "no manifest": lambda m: {k: v for k, v in m.items() if k != "manifest.json"},
    "no marks": lambda m: {k: v for k, v in m.items() if k != "marks.jsonl"},
    "cut line": lambda m: m | {"marks.jsonl": m["marks.jsonl"][:-5]},
    "no record": lambda m: m | {"marks.jsonl": b"3\n"},
    "unknown mark": lambda m: (
        m | {"marks.jsonl": lines(m["marks.jsonl"], lambda r: r.update(mark="root"))}
    ),
    "far future": lambda m: (
        m | {"marks.jsonl": lines(m["marks.jsonl"], lambda r: r.update(changed_at=1 << 60))}
    ),
    "odd time": lambda m: (
        m | {"marks.jsonl": lines(m["marks.jsonl"], lambda r: r.update(changed_at="now"))}
    ),
    "bad due": lambda m: (
        m | {"marks.jsonl": lines(m["marks.jsonl"], lambda r: r.update(mark="due", value="soon"))}
    ),
    "feed of no web": lambda m: (
        m | {"feeds.jsonl": lines(m["feeds.jsonl"], lambda r: r.update(url="file:///etc/passwd"))}
    ),
    "run id": lambda m: (
        m | {"runs.jsonl": lines(m["runs.jsonl"], lambda r: r.update(uid="../../x"))}
    ),
    "status": lambda m: (
        m | {"runs.jsonl": lines(m["runs.jsonl"], lambda r: r.update(status="won"))}
    ),
    "verdicts": lambda m: (
        m
        | {
            "runs.jsonl": lines(
                m["runs.jsonl"], lambda r: r.update(judgements=[{"at": 1, "verdicts": "{"}])
            )
        }
    ),
    "artefact name": lambda m: (
        m | {"runs.jsonl": lines(m["runs.jsonl"], lambda r: r["artefacts"][0].update(file="../x"))}
    ),
    "artefact bytes": lambda m: {
        k: (b"other" if k.startswith("artefacts/") else v) for k, v in m.items()
    },
    "story": lambda m: m | {"stories.jsonl": b'{"key": 3}\n'},
    "deep": lambda m: m | {"stories.jsonl": b"[" * 100_000 + b"\n"},
}


@pytest.mark.parametrize("how", sorted(_SPOILED))
def test_a_spoiled_file_is_refused_and_nothing_is_taken(tmp_path: Path, how: str) -> None:
    members = _SPOILED[how](exported(tmp_path))
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    with opened(tmp_path, "target") as store:
        before = state(store)
        with pytest.raises(StoreError, match=r"bad\.zip"):
            import_data(store, tmp_path / "bad.zip")
        assert state(store) == before
        files = {path.name for path in (tmp_path / "target").rglob("*") if path.is_file()}
        assert {name for name in files if not name.startswith("readproof.db")} <= {
            Path(name).name for name in members if name.startswith("artefacts/")
        }
    assert not (tmp_path / "evil").exists()


def test_a_bomb_is_refused_unopened(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps({"format": "readproof data", "schema": 1}))
        archive.writestr("marks.jsonl", b"0" * (80 << 20))
    with opened(tmp_path) as store, pytest.raises(StoreError, match="nothing was taken"):
        import_data(store, tmp_path / "bomb.zip")


def test_what_is_no_zip_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("hello")
    good = exported(tmp_path)
    assert good
    body = bytearray((tmp_path / "good.zip").read_bytes())
    body[60:90] = bytes(30)
    (tmp_path / "flipped.zip").write_bytes(body)
    (tmp_path / "cut.zip").write_bytes((tmp_path / "good.zip").read_bytes()[:-100])
    twice = io.BytesIO()
    with zipfile.ZipFile(twice, "w") as archive:
        archive.writestr("manifest.json", good["manifest.json"])
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("manifest.json", good["manifest.json"])
    (tmp_path / "twice.zip").write_bytes(twice.getvalue())
    with opened(tmp_path, "target") as store:
        for name in ("text", "flipped", "cut", "twice", "missing"):
            with pytest.raises(StoreError):
                import_data(store, tmp_path / f"{name}.zip")
        assert store.library.ids(ALL) == []


def test_hostile_content_is_clean_when_it_has_travelled(tmp_path: Path) -> None:
    members = exported(tmp_path)

    def spoil(record: dict[str, Any]) -> None:
        record["entry"]["content_html"] = "<p>a</p><script>x()</script>"
        record["entry"]["title"] = "<script>x()</script>T\x1b"
        record["entry"]["url"] = "javascript:x()"

    members["stories.jsonl"] = lines(members["stories.jsonl"], spoil)
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    with opened(tmp_path, "target") as store:
        import_data(store, tmp_path / "bad.zip")
        found = store.library.get("e1")
        assert isinstance(found, Entry)
        assert (found.title, found.url, found.content_html) == ("T", None, "<p>a</p>")


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        (tmp_path / "folder").mkdir()
        with pytest.raises(StoreError, match="folder"):
            export_data(store, tmp_path / "folder")
    assert list(tmp_path.glob(".*")) == []
