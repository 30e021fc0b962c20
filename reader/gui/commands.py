"""Every command of the window with its keys: menus, overview, palette and hints come from here."""

from __future__ import annotations

from dataclasses import dataclass

from reader.language import _


@dataclass(frozen=True, slots=True)
class Command:
    """One thing the window can do."""

    name: str
    text: str
    keys: tuple[str, ...] = ()  # as QKeySequence reads them
    caps: tuple[str, ...] = ()  # as they are shown
    group: str = ""


def _one(name: str, text: str, key: str, group: str, *more: str) -> Command:
    return Command(name, text, (key, *more), (_cap(key),), group)


def _cap(key: str) -> str:
    if key.startswith("Shift+") and len(key) == 7:
        return key[-1].upper()
    if ", " in key:
        return key.replace(", ", " ").lower()
    return key.lower() if len(key) == 1 else key


def commands() -> list[Command]:
    """Return every command, in the order of menus and overview."""
    read, mark, prove = _("Read"), _("Mark"), _("Verify")
    go, app = _("Go to"), _("Readproof")
    return [
        _one("next", _("Next"), "J", read),
        _one("previous", _("Previous"), "K", read),
        _one("next_unread", _("Next unread"), "N", read),
        _one("page", _("Page on, then to the next unread"), "Space", read),
        _one("open", _("Open"), "O", read, "Return", "Enter"),
        _one("back", _("Back"), "Backspace", read),
        _one("browse", _("Open in the browser"), "B", read),
        _one("fetch", _("Fetch the source or the whole text"), "F", read),
        _one("abreast", _("Digest and source side by side"), "W", read),
        _one("changes", _("What changed"), "H", read),
        Command("whole_always", _("Whole texts of this feed at every sync"), (), (), read),
        Command("sources_always", _("Sources of all items at every sync"), (), (), read),
        _one("search", _("Search"), "/", read),
        _one("older", _("Digest before"), "[", read),
        _one("newer", _("Digest after"), "]", read),
        _one("copy", _("Copy a citation"), "Y", read),
        _one("read", _("Read or unread"), "M", mark),
        Command("read_all", _("All of this list read"), (), (), mark),
        _one("star", _("Star"), "S", mark),
        _one("tags", _("Tags"), "T", mark),
        _one("note", _("Note"), "Shift+N", mark),
        _one("keep_note", _("Keep the note"), "Ctrl+Return", mark),
        _one("undo", _("Undo"), "Z", mark),
        _one("queue", _("Mark to verify"), "V", prove),
        _one("queue_digest", _("Mark the whole digest"), "Shift+V", prove),
        _one("run", _("Run"), "R", prove),
        _one("run_all", _("Run all that fit"), "Shift+R", prove),
        _one("log", _("Log"), "L", prove),
        _one("export", _("Export report"), "X", prove),
        _one("compare", _("Compare runs"), "C", prove),
        _one("due", _("Due date"), "D", prove),
        _one("state", _("Set state"), "E", prove),
        _one("cancel", _("Cancel, clear filters"), "Esc", prove),
        _one("add", _("Add feed"), "A", app),
        _one("sync", _("Sync all"), "Shift+S", app),
        Command("bundled", _("Subscribe to the bundled sources"), (), (), app),
        Command("import", _("Import…"), (), (), app),
        Command("export_data", _("Export data…"), (), (), app),
        Command("source", _("Change what comes of a feed"), (), (), app),
        _one("remove", _("Unsubscribe, remove"), "Del", app),
        Command("rules", _("Rules…"), (), (), app),
        Command("rule_like", _("A rule from this story…"), (), (), app),
        _one("today", _("Today"), "G, T", go),
        _one("unread", _("Unread"), "G, U", go),
        _one("starred", _("Starred"), "G, S", go),
        _one("queue_view", _("Queue"), "G, Q", go),
        _one("runs", _("Runs"), "G, R", go),
        _one("digests", _("Digests"), "G, D", go),
        _one("feeds", _("Feeds"), "G, F", go),
        Command("start", _("Start page"), (), (), go),
        _one("next_pane", _("Next pane"), "F6", app),
        _one("bigger", _("Bigger"), "Ctrl++", app, "Ctrl+="),
        _one("smaller", _("Smaller"), "Ctrl+-", app),
        _one("normal", _("Normal size"), "Ctrl+0", app),
        Command("light", _("Light"), (), (), app),
        Command("dark", _("Dark"), (), (), app),
        Command("system_theme", _("Colours of the system"), (), (), app),
        Command("chinese", "中文", (), (), app),
        Command("english", "English", (), (), app),
        Command("doctor", _("This machine"), (), (), app),
        _one("keys", _("All keys"), "?", app),
        _one("palette", _("Commands"), "Ctrl+K", app),
        _one("quit", _("Quit"), "Ctrl+Q", app),
    ]


def hints(pane: str) -> list[tuple[tuple[str, ...], str]]:
    """Return the keycaps of the status line for the pane that has the focus."""
    walk = (("j", "k"), _("next, previous"))
    every = (("?",), _("all keys"))
    known: dict[str, list[tuple[tuple[str, ...], str]]] = {
        "queue": [
            (("r",), _("run")),
            (("e",), _("set state")),
            (("d",), _("due date")),
            (("t",), _("tags")),
            (("z",), _("undo")),
            every,
        ],
        "runs": [
            walk,
            (("r",), _("run again")),
            (("c",), _("compare")),
            (("x",), _("export")),
            (("Backspace",), _("back")),
            every,
        ],
        "feeds": [
            (("a",), _("add")),
            (("S",), _("sync all")),
            (("Del",), _("unsubscribe")),
            (("z",), _("undo")),
            every,
        ],
        "start": [(("Enter",), _("start reading")), every],
        "quick": [
            walk,
            (("Enter",), _("read it")),
            (("v",), _("mark to verify")),
            (("r",), _("run")),
            (("[", "]"), _("digest before, after")),
            every,
        ],
        "running": [
            walk,
            (("l",), _("log")),
            (("Esc",), _("cancel the run")),
            (("g", "r"), _("runs")),
            every,
        ],
        "reading": [
            (("Space",), _("page, next unread")),
            (("v",), _("mark to verify")),
            (("r",), _("run")),
            (("y",), _("cite")),
            (("f",), _("fetch")),
            (("b",), _("browser")),
            every,
        ],
    }
    here = [
        walk,
        (("n",), _("next unread")),
        (("s",), _("star")),
        (("v",), _("mark to verify")),
        (("r",), _("run")),
        every,
    ]
    return known.get(pane, here)
