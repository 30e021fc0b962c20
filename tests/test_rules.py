"""Rules: what they are about, how they are written, what they do, and that it can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader import classify, rules, settings
from reader.errors import Expected, Usage
from reader.model import Entry, Incoming, ParsedEntry, Query, StoryKind
from reader.rules import Action, Rule, Subject, fires, written
from reader.store import Store
from reader.sync import ruling
from tests import stories
from tests.command import command
from tests.feed_server import Answer, serving
from tests.test_sync import ITEM, SITE, World, _rss

NOW = datetime(2026, 11, 3, 8, tzinfo=UTC)
FILE = Path("rules.toml")
TEXT = """
[[rules]]
name = "Nightlies"
when = { title = ["nightly", "rc*"] }
unless = { text = "hopper" }
then = ["mute"]

[[rules]]
name = "Hopper"
when = { hardware = ["hopper"] }
then = ["star", "queue", "tag:sm_90"]
"""


def subject(title: str = "", text: str = "", **names: str) -> Subject:
    told = {name: frozenset(words.split()) for name, words in names.items()}
    return Subject(title.casefold(), f"{title}\n{text}".casefold(), told)


@pytest.mark.parametrize(
    ("when", "about"),
    [
        ({"title": ("triton",)}, True),
        ({"title": ("trit",)}, False),
        ({"title": ("trit*",)}, True),
        ({"title": ("tri*on",)}, True),
        ({"title": ("t*i*o*n",)}, True),
        ({"title": ("t*n*o",)}, False),
        ({"title": ("寄存器",)}, True),
        ({"title": ("寄存器*",)}, True),
        ({"title": ("寄*器",)}, True),
        ({"title": ("寄*spills",)}, False),
        ({"title": ("acq_rel",)}, False),
        ({"text": ("acq_rel",)}, True),
        ({"text": ("sm_9*",)}, True),
        ({"text": ("(a+)+$",)}, False),
        ({"hardware": ("NVIDIA",)}, True),
        ({"hardware": ("amd", "sm_90a")}, True),
        ({"hardware": ("sm_9",)}, False),
        ({"release": ("nightly",), "title": ("triton",)}, True),
        ({"release": ("nightly",), "title": ("tvm",)}, False),
        ({"source": ("example/*",)}, True),
        ({"source": ("*/t*r",)}, True),
        ({"source": ("*/t",)}, False),
        ({"layer": ("runtime",)}, False),
    ],
)
def test_what_a_rule_is_about(when: dict[str, tuple[str, ...]], about: bool) -> None:
    story = subject(
        "Triton：寄存器 spills",
        "Now acq_rel on sm_90a",
        hardware="nvidia hopper sm_90a",
        release="nightly",
        source="github.com example/tiler tiler",
    )
    assert fires(Rule("r", when), story) is about
    if len(when) == 1:
        assert fires(Rule("r", {"title": ("triton",)}, when), story) is not about


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_word_is_ever_run_as_a_pattern(word: str, text: str) -> None:
    fires(Rule("r", {"text": (word,)}), subject(text))


@pytest.mark.parametrize("field", ["text", "source"])
@pytest.mark.parametrize("stars", [2, 6, 60])
def test_many_stars_take_no_more_looks_than_few(field: str, stars: int) -> None:
    """Six of them would never end on this text if a pattern tried every way."""
    word, letters = "a*" * stars + "b", "a" * 150
    story = subject(text=f"{letters} {letters}c b " * 100, source=f"{letters}b {letters}c")
    assert fires(Rule("r", {field: (word,)}), story) is (field == "source")


def test_rules_are_written_as_they_are_read() -> None:
    own = written.parse(TEXT, FILE)
    assert [each.name for each in own] == ["Nightlies", "Hopper"]
    assert own[0].unless == {"text": ("hopper",)}
    assert own[1].then == {Action.STAR, Action.QUEUE}
    assert own[1].tags == ("sm_90",)
    again = written.parse("\n".join(map(written.written, own)), FILE)
    assert again == own


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[rules]\n", "no TOML"),
        ("colour = 1\n", "colour"),
        ("[[rules]]\nname = 'a'\nthen = ['mute']\n", "at least one thing"),
        ("[[rules]]\nname = 'a'\nwhen = {title = ['x']}\n", "what is to be done"),
        ("[[rules]]\nname = 'a'\nwhen = {title = ['x']}\nthen = ['run']\n", "one of mute"),
        ("[[rules]]\nname = 'a'\nwhen = {body = ['x']}\nthen = ['mute']\n", "body"),
        ("[[rules]]\nname = 'a'\nwhen = {layer = ['x']}\nthen = ['mute']\n", "frontend"),
        ("[[rules]]\nname = 'a'\nexec = 'x'\n", "exec"),
        ("[[rules]]\nname = 'a'\nwhen = {title = [1]}\nthen = ['mute']\n", "list of words"),
        ("rules = 1\n", "[[rules]]"),
        ("[[rules]]\nname = 'a'\nwhen = {title = []}\nthen = ['mute']\n", "one to"),
    ],
)
def test_a_wrong_file_is_answered_by_file_and_field(text: str, said: str) -> None:
    with pytest.raises(Expected, match=r"rules\.toml") as caught:
        written.parse(text, FILE)
    assert said in str(caught.value)


def test_a_file_by_hand_is_kept_beside_what_is_written(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text("# mine\n" + TEXT, encoding="utf-8")
    written.save(file, written.load(file)[1:])
    assert [each.name for each in written.load(file)] == ["Hopper"]
    written.save(file, written.load(file))
    old = file.with_suffix(".toml.old")
    assert old.read_text(encoding="utf-8").startswith("# mine")


def test_what_changed_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(TEXT, encoding="utf-8")
    seen = written.load(file)
    file.write_text(TEXT.replace("Nightlies", "By hand"), encoding="utf-8")
    with pytest.raises(Expected, match="meanwhile"):
        written.save(file, seen[:1], seen=seen)
    assert written.load(file)[0].name == "By hand"


# ── at work ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with serving() as server:
        world = World(server, tmp_path / "store.db")
        world.add()
        yield world


def _own(text: str) -> None:
    file = written.place(settings.default_config())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _entries(world: World, *, muted: bool = False) -> dict[str, Entry]:
    with Store.open(world.path) as store:
        query = Query(kinds=(StoryKind.ENTRY,), muted=muted, limit=None)
        found = [store.library.get(row.id) for row in store.library.page(query)]
    return {each.title: each for each in found if isinstance(each, Entry)}


def test_a_sync_applies_the_rules_to_what_is_new_and_undo_takes_it_back(world: World) -> None:
    _own(TEXT)
    items = [ITEM.format("nightly build", ""), ITEM.format("Kernels on Hopper", "")]
    world.server.answers[SITE] = Answer(_rss(*items))
    world.sync()
    listed, muted = _entries(world), _entries(world, muted=True)
    assert (list(listed), list(muted)) == (["Kernels on Hopper"], ["nightly build"])
    assert muted["nightly build"].marks.muted == "Nightlies"
    assert listed["Kernels on Hopper"].marks.tags == ("sm_90",)
    with Store.open(world.path) as store:
        assert store.library.counts(Query(kinds=(StoryKind.ENTRY,))).total == 1
        assert sum(each.unread for each in store.feeds.all()) == 1
        assert len(store.queue.all()) == 1
        hopper = listed["Kernels on Hopper"].id
        store.marks.set([hopper], note="mine")
        one = ruling.undo(store, "Hopper")
        assert (one.rule, one.stories) == ("Hopper", 1)
        marks = store.library.rows([hopper])[0].marks
        assert (marks.starred, marks.tags, marks.note) == (False, (), "mine")
        assert store.queue.all() == []
        ruling.undo(store)
        with pytest.raises(Usage):
            ruling.undo(store)
    assert set(_entries(world)) == {"nightly build", "Kernels on Hopper"}
    world.sync()  # nothing of it is new any more
    assert set(_entries(world)) == {"nightly build", "Kernels on Hopper"}


def test_what_was_marked_by_hand_is_left_alone(world: World) -> None:
    world.server.answers[SITE] = Answer(_rss(ITEM.format("nightly one", "")))
    world.sync()
    (first,) = _entries(world).values()
    rule = written.parse(TEXT, FILE)[0]
    with Store.open(world.path) as store:
        now = datetime.now(UTC)
        assert [each.id for each in ruling.matching(store, rule, now, 3650)] == [first.id]
        assert _entries(world)  # a dry run changes nothing
        store.marks.set([first.id], starred=True)
        assert ruling.apply_to_past(store, rule, now, 3650) == []
        store.marks.set([first.id], starred=False)
        assert [each.stories for each in ruling.apply_to_past(store, rule, now, 3650)] == [1]
    assert _entries(world) == {}


def _store_of(path: Path, *titles: str) -> Store:
    store = Store.open(path)
    for n, title in enumerate(titles):
        entry = ParsedEntry(title, guid=title, url=f"https://example.org/{n}", published=NOW)
        store.library.save(None, [Incoming(entry, classify.labels(title, title))], NOW)
    return store


def _rule(name: str, *acts: Action, tags: tuple[str, ...] = ()) -> Rule:
    return Rule(name, {"title": ("nightly",)}, {}, frozenset(acts), tags)


def test_two_rules_that_mute_one_story_leave_nothing_behind(tmp_path: Path) -> None:
    with _store_of(tmp_path / "s.db", "nightly one") as store:
        (id_,) = store.library.ids(Query(kinds=(StoryKind.ENTRY,)))
        both = ruling.Ruling(store, [_rule("A", Action.MUTE), _rule("B", Action.MUTE)], NOW)
        both.see([id_])
        done = both.apply()
        assert [each.id for each in done] == ["a1", "a2"]
        assert store.library.rows([id_])[0].marks.muted == "A"
        ruling.undo(store, "A")
        ruling.undo(store, "B")
        assert store.library.rows([id_])[0].marks.muted is None
        assert store.library.ids(Query(kinds=(StoryKind.ENTRY,))) == [id_]


def test_a_dry_run_counts_what_the_rule_has_muted(tmp_path: Path) -> None:
    with _store_of(tmp_path / "s.db", "nightly one", "nightly two", "stable") as store:
        rule = _rule("A", Action.MUTE)
        assert len(ruling.matching(store, rule, NOW)) == 2
        ruling.apply_to_past(store, rule, NOW)
        assert len(ruling.matching(store, rule, NOW)) == 2


def test_undo_leaves_what_was_done_by_hand_since(tmp_path: Path) -> None:
    with _store_of(tmp_path / "s.db", "nightly one") as store:
        (id_,) = store.library.ids(Query(kinds=(StoryKind.ENTRY,)))
        ruling.apply_to_past(store, _rule("S", Action.STAR), NOW)
        store.marks.set([id_], starred=False)
        store.marks.set([id_], starred=True)
        ruling.undo(store)
        assert store.library.rows([id_])[0].marks.starred


def test_undo_takes_only_the_queue_entries_that_it_made(tmp_path: Path) -> None:
    with _store_of(tmp_path / "s.db", "nightly one") as store:
        both = ruling.Ruling(store, [_rule("Q", Action.QUEUE), _rule("Q2", Action.QUEUE)], NOW)
        both.see(store.library.ids(Query(kinds=(StoryKind.ENTRY,))))
        both.apply()
        ruling.undo(store, "Q2")
        (queued,) = store.queue.all()
        store.queue.update(queued.id, priority=3)
        ruling.undo(store, "Q")
        assert [each.priority for each in store.queue.all()] == [3]


def test_items_that_come_with_an_update_of_their_digest_are_seen(tmp_path: Path) -> None:
    """And the others are not seen again: what was taken back of them stays so."""
    first = stories.item("nightly tiles", score=80.0)
    second = stories.item("nightly warps", score=70.0)
    with Store.open(tmp_path / "s.db") as store:
        tag = ruling.Ruling(store, [_rule("T", tags=("night",))], NOW)
        for items in ((first,), (first, second)):
            coming = stories.arriving(stories.digest(*items), published=stories.NOW)
            tag.saved(store.library.save(None, [coming], stories.NOW))
            tag.apply()
            if len(items) == 1:
                ruling.undo(store)
        rows = store.library.page(Query(limit=None))
        assert {row.title: row.marks.tags for row in rows} == {
            "nightly tiles": (),
            "nightly warps": ("night",),
        }


def test_a_broken_file_stops_no_sync_and_is_said(world: World) -> None:
    _own("[[rules]]\nname = 'a'\n")
    world.server.answers[SITE] = Answer(_rss(ITEM.format("nightly one", "")))
    result = world.sync()
    assert (result.new, len(result.notices)) == (1, 1)
    assert "rules.toml" in result.notices[0]


def test_mutes_travel_and_survive_an_edit(world: World, tmp_path: Path) -> None:
    _own(TEXT)
    world.server.answers[SITE] = Answer(_rss(ITEM.format("nightly one", "<!-- -->")))
    world.sync()
    world.server.answers[SITE] = Answer(_rss(ITEM.format("nightly one", "edited <!-- -->")))
    world.sync()
    assert len(_entries(world, muted=True)) == 1
    with Store.open(world.path) as store:
        store.export_data(tmp_path / "mine.zip")
    with Store.open(tmp_path / "other.db") as other:
        other.import_data(tmp_path / "mine.zip")
        query = Query(kinds=(StoryKind.ENTRY,))
        assert other.library.ids(query) == []


def test_rules_see_items_of_a_digest_by_their_labels(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        text = "Registers spill on sm_90a in the PTX."
        entry = ParsedEntry("Spills", guid="g", url="https://example.org/x", published=NOW)
        store.library.save(None, [Incoming(entry, classify.labels("Spills", text))], NOW)
        (id_,) = store.library.ids(Query(kinds=(StoryKind.ENTRY,)))
        story = store.library.get(id_)
    assert isinstance(story, Entry)
    seen = rules.subject_of(story, {})
    assert {"nvidia", "hopper", "sm_90a"} <= seen.names["hardware"]
    assert "example.org" in seen.names["source"]


def test_the_command_line_from_add_to_undo(tmp_path: Path) -> None:
    store, config = tmp_path / "s.db", ("--config", tmp_path / "settings.toml")
    feed = tmp_path / "feed.xml"
    feed.write_bytes(_rss(ITEM.format("nightly one", ""), ITEM.format("stable two", "")))
    words = ("rules", "add", "Quiet", "--when", "title=nightly,canary", "--then", "mute")
    assert command(*config, *words, store=store).code == 0
    assert "Quiet" in (tmp_path / "rules.toml").read_text(encoding="utf-8")
    assert command(*config, *words[:-1], "explode", store=store).code == 1
    assert command(*config, "import", feed, store=store).code == 0
    listed = command(*config, "rules", "list", "--json", store=store).json
    assert listed["rules"][0]["when"] == {"title": ["nightly", "canary"]}
    assert [each["stories"] for each in listed["applied"]] == [1]
    muted = command("items", "--kind", "entry", "--muted", "--json", store=store).json
    assert [each["title"] for each in muted] == ["nightly one"]
    assert command(*config, "rules", "undo", store=store).code == 0
    tried = command(*config, "rules", "test", "--days", "3650", "--json", store=store).json
    assert [each["title"] for each in tried[0]["matched"]] == ["nightly one"]
    assert command(*config, "rules", "undo", store=store).code == 2
