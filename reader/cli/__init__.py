"""The command line: one file a group of commands; it never loads Qt."""

from __future__ import annotations

import gettext
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reader.cli.session import Session

# Options that belong to every command, with the number of words they take.
GLOBAL = {"--store": 1, "--config": 1, "--lang": 1, "-v": 0, "--verbose": 0}


def main(arguments: Sequence[str], window: Callable[[Session], int]) -> int:
    """Run one call and return its exit code; without a command, `window` is called.

    The language is set before the commands are imported: their help is made at import.
    """
    words = global_options_first(arguments)
    speak(words)
    from reader.cli import voice
    from reader.cli.faults import guarded

    voice.use_utf8()

    def work() -> int | None:
        from reader.cli.app import root

        result = root.main(words, prog_name="readproof", standalone_mode=False, obj=window)
        return result if isinstance(result, int) else None

    return guarded(work, verbose="-v" in words or "--verbose" in words)


def global_options_first(arguments: Sequence[str]) -> list[str]:
    """Return the words with the global options in front, so that they may stand anywhere."""
    front: list[str] = []
    rest: list[str] = []
    words = list(arguments)
    while words:
        word = words.pop(0)
        if word == "--":
            return front + rest + [word, *words]
        name, equals, _value = word.partition("=")
        taken = 0 if equals else GLOBAL.get(name, 0)
        if name in GLOBAL and len(words) >= taken:
            front += [word, *words[:taken]]
            del words[:taken]
        else:
            rest.append(word)
    return front + rest


def _value_of(option: str, words: Sequence[str]) -> str | None:
    value = None
    for n, word in enumerate(words):
        name, equals, given = word.partition("=")
        if name == option:
            value = given if equals else words[n + 1] if n + 1 < len(words) else None
    return value


def speak(words: Sequence[str]) -> None:
    """Set the language: `--lang`, else the settings file, else the system's."""
    from reader import language, settings
    from reader.errors import Expected

    chosen = _value_of("--lang", words)
    if chosen not in language.LANGUAGES:
        config = _value_of("--config", words)
        try:
            chosen = settings.load(Path(config) if config else settings.default_config()).language
        except Expected:
            chosen = None  # said with the rest of the command's errors
    language.set_language(chosen)
    # click's own sentences come from the same catalogue; gettext reads its language from here.
    os.environ["LANGUAGE"] = language.language()
    gettext.bindtextdomain("readproof", str(settings.resource_path("translations")))
    gettext.textdomain("readproof")
