"""One table of a manifest: typed, bounded reads that refuse with file, line and field."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from reader.checks import conditions
from reader.checks.lines import Lines, Place
from reader.errors import ManifestError
from reader.language import _
from reader.model import Text

MAX_TEXT = 2000
MAX_LIST = 200
_MISSING = object()
# Cc and Cs, but for a new line
_CONTROL = re.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff]")


class Table:
    """Reads keys of one TOML table and remembers which; `done()` refuses the others."""

    def __init__(self, raw: dict[str, Any], place: Place, file: Path, lines: Lines) -> None:
        self._raw = raw
        self._place = place
        self._file = file
        self._lines = lines
        self._read: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """The keys that are there."""
        return tuple(self._raw)

    def refuse(self, field: str, why: str) -> NoReturn:
        """Raise ManifestError about `field`."""
        place = (*self._place, field)
        dotted = "".join(
            f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place
        ).lstrip(".")
        raise ManifestError(
            _("{file}, line {line}, {field}: {why}").format(
                file=self._file, line=self._lines.of(place), field=_printable(dotted), why=why
            )
        )

    def done(self) -> None:
        """Refuse what nobody asked for."""
        for name in self._raw:
            if name not in self._read:
                self.refuse(name, _("this field is not known"))

    def _take(self, name: str, kind: type, default: Any = _MISSING) -> Any:
        self._read.add(name)
        if name not in self._raw:
            if default is _MISSING:
                self.refuse(name, _("this field is missing"))
            return default
        value = self._raw[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            names = {
                str: _("a text"),
                int: _("a whole number"),
                list: _("a list"),
                dict: _("a table"),
                bool: _("true or false"),
                float: _("a number"),
            }
            self.refuse(name, _("{kind} is expected here").format(kind=names[kind]))
        return value

    def string(
        self, name: str, *, empty: bool = False, default: Any = _MISSING, most: int = MAX_TEXT
    ) -> str:
        """Return a text without control characters."""
        value: str = self._take(name, str, default)
        self._sound(name, value, empty, most)
        return value

    def _sound(self, name: str, value: str, empty: bool, most: int) -> None:
        if len(value) > most:
            self.refuse(name, _("at most {n} characters").format(n=most))
        if not empty and not value.strip():
            self.refuse(name, _("this text is empty"))
        if _CONTROL.search(value):
            self.refuse(name, _("control characters do not belong here"))

    def strings(self, name: str, *, most: int = MAX_TEXT) -> tuple[str, ...]:
        """Return a list of texts, empty where it is missing."""
        values = self._take(name, list, [])
        if len(values) > MAX_LIST:
            self.refuse(name, _("at most {n} of them").format(n=MAX_LIST))
        for value in values:
            if not isinstance(value, str):
                self.refuse(name, _("{kind} is expected here").format(kind=_("a list of texts")))
            self._sound(name, value, False, most)
        return tuple(values)

    def word(self, name: str, pattern: str, *, optional: bool = False) -> str:
        """Return a text of the given shape."""
        value = self.string(name, empty=True, default="" if optional else _MISSING)
        if not (optional and not value) and not re.fullmatch(pattern, value):
            self._misshapen(name, value, pattern)
        return value

    def words(self, name: str, pattern: str) -> tuple[str, ...]:
        """Return a list of texts of the given shape."""
        values = self.strings(name)
        for value in values:
            if not re.fullmatch(pattern, value):
                self._misshapen(name, value, pattern)
        return values

    def _misshapen(self, name: str, value: str, pattern: str) -> NoReturn:
        shown = _printable(value)[:80]
        self.refuse(
            name, _("“{value}” does not have the shape {shape}").format(value=shown, shape=pattern)
        )

    def choice(self, name: str, among: Sequence[str]) -> str:
        """Return one of the given words."""
        value = self.string(name)
        if value not in among:
            self.refuse(name, _("one of {words} is expected").format(words=", ".join(among)))
        return value

    def integer(
        self, name: str, *, least: int = 0, most: int = 2**31, default: Any = _MISSING
    ) -> int:
        """Return a whole number between two bounds."""
        value: int = self._take(name, int, default)
        if not least <= value <= most:
            self.refuse(name, _("between {least} and {most}").format(least=least, most=most))
        return value

    def number(self, name: str, *, least: float, most: float, default: Any = _MISSING) -> float:
        """Return a number between two bounds, whole or not."""
        kind = int if isinstance(self._raw.get(name), int) else float
        value = float(self._take(name, kind, default))
        if not least <= value <= most:
            self.refuse(name, _("between {least} and {most}").format(least=least, most=most))
        return value

    def flag(self, name: str) -> bool:
        """Return true or false; false where nothing is said."""
        return bool(self._take(name, bool, False))

    def table(self, name: str, *, optional: bool = False) -> Table:
        """Return a table inside this one; an optional one that is missing is empty."""
        raw = self._take(name, dict, {} if optional else _MISSING)
        return Table(raw, (*self._place, name), self._file, self._lines)

    def tables(self, name: str) -> list[Table]:
        """Return the tables of an array."""
        values = self._take(name, list, [])
        if len(values) > MAX_LIST or not all(isinstance(value, dict) for value in values):
            self.refuse(name, _("{kind} is expected here").format(kind=_("a list of tables")))
        return [
            Table(value, (*self._place, name, n), self._file, self._lines)
            for n, value in enumerate(values)
        ]

    def text(self, name: str) -> Text:
        """Return a sentence that is there in both languages."""
        table = self.table(name)
        text = Text(zh=table.string("zh"), en=table.string("en"))
        table.done()
        return text

    def template(self, name: str, known: Sequence[str]) -> Text:
        """Return a sentence whose braces hold names of measurements and nothing else."""
        text = self.text(name)
        for sentence in (text.zh, text.en):
            try:
                parts = list(string.Formatter().parse(sentence))
            except ValueError as error:
                self.refuse(name, _("the braces do not match: {why}").format(why=error))
            for _text, field, spec, conversion in parts:
                if field is None:
                    continue
                if field not in (*known, "condition", "leg"):
                    self.refuse(name, _("{name} is not in [measures]").format(name=field[:80]))
                if spec not in ("", "u") or conversion:
                    self.refuse(name, _("only {name} and {name:u} are understood"))
        return text

    def conditions(self, name: str, known: Sequence[str]) -> tuple[str, ...]:
        """Return conditions that parse and name only known measurements."""
        values = self.strings(name, most=200)
        for value in values:
            try:
                condition = conditions.parse(value)
            except ValueError:
                self.refuse(
                    name,
                    _("“{value}” is no condition; write: name OP number").format(
                        value=_printable(value)
                    ),
                )
            for each in condition.names:
                # Without [[legs]] a leg's name is that of a toolkit, known only in a run.
                legs = any("." in name for name in known)
                if each not in known and (legs or conditions.measurement(each) not in known):
                    self.refuse(name, _("{name} is not in [measures]").format(name=each))
        return values

    def specifier(self, name: str, *, default: str) -> str:
        """Return a Python version specifier."""
        value = self.string(name, default=default, most=100)
        try:
            SpecifierSet(value)
        except InvalidSpecifier:
            self.refuse(name, _("“{value}” is no version specifier").format(value=value))
        return value

    def requirements(self, name: str) -> tuple[str, ...]:
        """Return packages, each pinned by `==` and none by an address."""
        for requirement in self._requirements(name):
            pins = list(requirement.specifier)
            pinned = len(pins) == 1 and pins[0].operator == "==" and "*" not in pins[0].version
            if requirement.url or not pinned:
                self.refuse(name, _("“{value}”: pin it as name==version").format(value=requirement))
        return self.strings(name)

    def accepted(self, name: str) -> tuple[str, ...]:
        """Return packages in whatever versions will do, none by an address."""
        for requirement in self._requirements(name):
            if requirement.url:
                self.refuse(name, _("“{value}” is no requirement").format(value=requirement))
        return self.strings(name)

    def _requirements(self, name: str) -> list[Requirement]:
        found = []
        for value in self.strings(name, most=200):
            try:
                found.append(Requirement(value))
            except InvalidRequirement:
                self.refuse(name, _("“{value}” is no requirement").format(value=_printable(value)))
        return found

    def file(self, name: str, folder: Path) -> str | None:
        """Return the name of a file that stands in the check's folder itself."""
        if name not in self._raw:
            return None
        value = self.word(name, r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
        if not (folder / value).is_file():
            self.refuse(name, _("there is no file {name} in the folder").format(name=value))
        return value


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "�" for c in text)
