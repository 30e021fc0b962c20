"""What the window owes: no work on its thread, one window a store, names, languages, long lists."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from reader import settings
from reader.gui import app, theme
from reader.gui.desk import Desk
from reader.gui.filters import Filters
from reader.gui.story_list import StoryList
from reader.gui.story_model import PAGE
from reader.gui.views import Listing, load, view
from reader.gui.window import Window
from reader.model import Toolkit
from reader.store import Store
from tests import stories
from tests.feed_server import Answer, serving
from tests.gui.conftest import WAIT_MS, Opener, press

FEED = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>Loop</title>
<item><title>A loop unrolled</title><guid>1</guid><link>https://blog.example.org/1</link>
<description>sm_90 kernels unroll.</description></item></channel></rss>"""


def test_no_store_sync_parse_or_check_runs_on_the_main_thread(
    opener: Opener, qtbot: QtBot, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reader import runner, sync
    from reader.checks import environment, machine, manifest, toolkit

    seen: dict[str, set[int]] = {}

    def recording(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def recorded(*args: Any, **named: Any) -> Any:
            seen.setdefault(name, set()).add(threading.get_ident())
            return work(*args, **named)

        return recorded

    monkeypatch.setattr(Store, "open", staticmethod(recording("open", Store.open)))
    for room, name in (
        (sync, "sync"),
        (sync, "import_paths"),
        (runner, "run_check"),
        (machine, "describe"),
        (toolkit, "survey"),
        (environment, "interpreters"),
        (manifest, "load_all"),
    ):
        monkeypatch.setattr(room, name, recording(name, getattr(room, name)))
    window = opener()
    qtbot.waitUntil(lambda: window.bench is not None, timeout=WAIT_MS)
    with serving() as server:
        address = f"{server.address}feed.xml"
        server.answers[address] = Answer(FEED, headers={"Content-Type": "application/rss+xml"})
        with Store.open(place / "readproof.db") as store:
            store.feeds.remove(store.feeds.all()[0].id)
            store.feeds.add(address, "Loop", private=True)
        seen["open"].discard(threading.get_ident())
        with qtbot.waitSignal(window.jobs.sync_ended, timeout=WAIT_MS):
            press("S")
    (place / "post.md").write_text("# A post\n\nAbout shared memory.\n", encoding="utf-8")
    with qtbot.waitSignal(window.jobs.imported, timeout=WAIT_MS):
        window.jobs.import_paths([place / "post.md"])
    window.go("unread")
    qtbot.waitUntil(lambda: window.list.model.count() > 0, timeout=WAIT_MS)
    evens = _find(window, qtbot, "Evens 1.2.0")
    window.list.select(evens)
    qtbot.waitUntil(lambda: window.verify.offer is not None, timeout=WAIT_MS)
    with qtbot.waitSignal(window.jobs.run_ended, timeout=WAIT_MS):
        press("r")
    for key in ("queue", "runs", "feeds", "digests", "start", "today"):
        window.go(key)
        qtbot.wait(100)
    here = threading.get_ident()
    assert {name for name, threads in seen.items() if here in threads} == set()
    assert {"open", "sync", "import_paths", "run_check", "survey", "load_all"} <= seen.keys()


def _find(window: Window, qtbot: QtBot, title: str) -> int:
    def titles() -> list[str]:
        rows = [window.list.model.row_at(n) for n in range(window.list.model.rowCount())]
        return [row.title if row else "" for row in rows]

    qtbot.waitUntil(lambda: title in titles(), timeout=WAIT_MS)
    return titles().index(title)


def test_a_second_start_raises_the_first_window(qtbot: QtBot, tmp_path: Path) -> None:
    store = tmp_path / "readproof.db"
    first, second, other = app.Single(store), app.Single(store), app.Single(tmp_path / "other.db")
    assert not first.raise_first()
    first.listen()
    with qtbot.waitSignal(first.asked, timeout=WAIT_MS):
        assert second.raise_first()
    assert not other.raise_first()
    first.close()
    assert not second.raise_first()


def test_a_change_by_the_command_line_shows_within_a_second(
    window: Window, qtbot: QtBot, place: Path
) -> None:
    qtbot.wait(600)  # the look-out needs to stand before something changes
    assert window.shelf is not None
    before = window.shelf.unread
    began = time.monotonic()
    with Store.open(place / "readproof.db") as store:
        store.library.save(None, [stories.post("Fresh from outside")], stories.NOW)
    qtbot.waitUntil(
        lambda: window.shelf is not None and window.shelf.unread == before + 1, timeout=WAIT_MS
    )
    assert time.monotonic() - began < 5  # a second on a machine that does nothing else


def test_every_widget_that_takes_the_keyboard_has_a_name(window: Window, qtbot: QtBot) -> None:
    for key in ("today", "queue", "runs", "feeds", "start"):
        window.go(key)
        qtbot.wait(150)
    nameless = [
        f"{type(each).__name__} in {type(each.parent()).__name__}"
        for each in window.findChildren(QWidget)
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not each.accessibleName()
        and each.objectName() != "qt_scrollarea_viewport"
    ]
    assert nameless == []


def test_rows_speak_all_that_they_show(window: Window) -> None:
    index = window.list.table.currentIndex()
    said = index.data(Qt.ItemDataRole.AccessibleTextRole)
    row = window.list.current
    assert row is not None
    assert row.title in said
    assert "Layers" in said


@pytest.mark.parametrize("spoken", ["zh", "en"])
def test_both_languages_speak_everywhere(opener: Opener, qtbot: QtBot, spoken: str) -> None:
    window = opener(spoken)
    qtbot.waitUntil(lambda: window.list.current is not None, timeout=WAIT_MS)
    title = window.list.title.text()
    assert title == {"zh": "今日", "en": "Today"}[spoken]
    assert window.verify.go.text().strip().startswith({"zh": "运行", "en": "Run"}[spoken])
    window.command("english" if spoken == "zh" else "chinese")
    qtbot.waitUntil(
        lambda: window.list.title.text() == {"zh": "Today", "en": "今日"}[spoken], timeout=WAIT_MS
    )


def test_light_and_dark_and_zoom_apply_at_once(window: Window, qtbot: QtBot) -> None:
    current = window.list.current_id
    assert not theme.look().dark
    window.command("dark")
    assert theme.look().dark
    qtbot.waitUntil(lambda: window.list.current_id == current, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.reading.opened is not None, timeout=WAIT_MS)
    page = window.grab().toImage().pixelColor(window.width() - 60, window.height() // 3)
    assert page.lightness() < 80
    before = window.list.table.verticalHeader().defaultSectionSize()
    window.command("bigger")
    assert theme.look().zoom == 110
    theme.look().set(zoom=500)
    assert theme.look().zoom == 200
    assert window.list.table.verticalHeader().defaultSectionSize() == 2 * before
    window.command("normal")


def test_a_narrow_window_folds_and_leads_in_and_back(window: Window, qtbot: QtBot) -> None:
    window.resize(1000, 800)
    qtbot.waitUntil(lambda: not window.sidebar.isVisible(), timeout=WAIT_MS)
    assert window.right.isVisible()
    window.resize(700, 800)
    qtbot.waitUntil(lambda: not window.right.isVisible(), timeout=WAIT_MS)
    press("Enter")
    assert window.right.isVisible()
    assert not window.list.isVisible()
    press("Backspace")
    assert window.list.isVisible()
    assert not window.right.isVisible()


def test_a_hundred_thousand_rows_scroll_without_being_loaded(qtbot: QtBot, place: Path) -> None:
    theme.Look("light").apply()
    desk = Desk(place / "readproof.db")
    listed = StoryList(desk)
    qtbot.addWidget(listed)
    listed.resize(464, 800)
    listed.show()
    ids = [f"e{n}" for n in range(1, 100_001)]
    listed.show_listing(view("all"), Listing(ids=ids), keep=False)
    assert listed.model.rowCount() == 100_000
    for place_ in (50_000, 99_999, 0):
        listed.select(place_)
        QApplication.processEvents()
    assert len(listed.model._pages) + len(listed.model._asked) < 30
    assert listed.model.loaded <= 30 * PAGE
    desk.close()


def test_a_toolkit_is_chosen_for_runs_and_remembered(
    window: Window, place: Path, qtbot: QtBot
) -> None:
    assert window.bench is not None
    bench = replace(
        window.bench,
        toolkits=tuple(
            Toolkit(Path(f"/opt/cuda-{version}"), version, version, (), "system")
            for version in ("13.0", "13.5")
        ),
    )
    window.verify.show_toolkits(bench.toolkits, "")
    combo = window.verify.toolkits
    assert [combo.itemText(n) for n in range(combo.count())][1:] == [
        "CUDA 13.0 · /opt/cuda-13.0",
        "CUDA 13.5 · /opt/cuda-13.5",
    ]
    combo.setFocus()
    QTest.keyClick(combo, Qt.Key.Key_Down)
    QTest.keyClick(combo, Qt.Key.Key_Down)
    combo.activated.emit(combo.currentIndex())

    def kept() -> bool:
        return settings.load(place / "settings.toml").cuda == "/opt/cuda-13.5"

    qtbot.waitUntil(kept, timeout=WAIT_MS)
    window.verify.show_toolkits(bench.toolkits, window.settings.cuda)
    assert combo.currentText() == "CUDA 13.5 · /opt/cuda-13.5"


def test_today_holds_every_digest_of_the_newest_day(place: Path) -> None:
    """Two generators' digests of one day stand side by side, each under its own heading."""
    from datetime import UTC, datetime

    from reader.model import (
        DigestKind,
        Form,
        Incoming,
        Labels,
        ParsedDigest,
        ParsedEntry,
        ParsedItem,
    )

    moment = datetime(2027, 1, 5, 9, tzinfo=UTC)
    with Store.open(place / "readproof.db") as store:
        for kind in DigestKind:
            item = ParsedItem(title=f"A {kind} story", section="Key changes", summary="s")
            digest = ParsedDigest(kind, Form.MARKDOWN, kind, (item,), date=moment.date())
            entry = ParsedEntry(kind, guid=kind, published=moment, content_html="<p>d</p>")
            store.library.save(
                None, [Incoming(entry, digest=digest, item_labels=(Labels(),))], moment
            )
        listing = load(store, "today", Filters(), None)
        titles = {row.title for row in store.library.rows(listing.ids)}
    assert {f"A {kind} story" for kind in DigestKind} <= titles
    assert len({group.title for group, _place in listing.groups}) >= 2
