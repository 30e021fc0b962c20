"""Rules as a file that a person writes and reads: TOML, one table a rule. Pure but for the file.

[[rules]]
name = "Nightlies"
when = { release = ["nightly"], source = ["example/tiler"] }
unless = { text = ["hopper", "sm_9*"] }
then = ["mute"]                              # mute, read, star, queue, tag:NAME
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from reader import settings
from reader.errors import Expected
from reader.language import _
from reader.model import Evidence, Layer
from reader.rules import FIELDS, Action, Rule

NAME = "rules.toml"
MOST = 200  # rules, and words of a field
LONGEST = 200  # characters of a word
TAG = "tag:"
_CHOICES = {
    "layer": tuple(each.value for each in Layer),
    "evidence": tuple(each.value for each in Evidence),
}
_KNOWN = ("name", "on", "when", "unless", "then")


def place(config: Path) -> Path:
    """Return where the rules stand: beside the settings."""
    return config.with_name(NAME)


def load(file: Path) -> tuple[Rule, ...]:
    """Read the rules; a missing file holds none. Raises Expected naming line or field."""
    try:
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise Expected(_("{path} cannot be read: {why}").format(path=file, why=error)) from error
    return parse(text, file)


def parse(text: str, file: Path) -> tuple[Rule, ...]:
    """Return the rules of a text; `file` is named where it is wrong."""
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Expected(
            _("{path} is no TOML: {why}. Mend the line it names.").format(path=file, why=error)
        ) from error
    tables = raw.pop("rules", [])
    if raw:
        _refuse(file, next(iter(raw)), _("only [[rules]] are known here"))
    if not isinstance(tables, list) or len(tables) > MOST:
        _refuse(file, "rules", _("write each rule under [[rules]], at most {n}").format(n=MOST))
    rules = tuple(_rule(each, f"rules[{n}]", file) for n, each in enumerate(tables, 1))
    names = [each.name for each in rules]
    for name in names:
        if names.count(name) > 1:
            _refuse(file, name, _("two rules have this name"))
    return rules


def _rule(raw: Any, where: str, file: Path) -> Rule:
    if not isinstance(raw, dict):
        _refuse(file, where, _("a table is expected here"))
    for each in raw:
        if each not in _KNOWN:
            _refuse(file, f"{where}.{each}", _("this field is not known"))
    name = raw.get("name")
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST:
        _refuse(file, f"{where}.name", _("give the rule a name"))
    on = raw.get("on", True)
    if not isinstance(on, bool):
        _refuse(file, f"{where}.on", _("true or false is expected"))
    when = _conditions(raw.get("when", {}), f"{name}: when", file)
    if not when:
        _refuse(file, f"{name}: when", _("say at least one thing that has to stand in a story"))
    unless = _conditions(raw.get("unless", {}), f"{name}: unless", file)
    if not raw.get("then"):
        _refuse(file, f"{name}: then", _("say what is to be done"))
    words = _words(raw["then"], f"{name}: then", file)
    tags = tuple(each.removeprefix(TAG).strip() for each in words if each.startswith(TAG))
    acts = [each for each in words if not each.startswith(TAG)]
    for act in acts:
        if act not in [each.value for each in Action]:
            known = ", ".join([*(each.value for each in Action), "tag:NAME"])
            _refuse(file, f"{name}: then", _("one of {words} is expected").format(words=known))
    if not all(tags):
        _refuse(file, f"{name}: then", _("say what is to be done"))
    return Rule(name.strip(), when, unless, frozenset(map(Action, acts)), tags, on)


def _conditions(raw: Any, where: str, file: Path) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(raw, dict):
        _refuse(file, where, _("a table is expected here"))
    found = {}
    for name, words in raw.items():
        if name not in FIELDS:
            known = ", ".join(FIELDS)
            _refuse(file, f"{where}.{name}", _("one of {words} is expected").format(words=known))
        found[name] = _words([words] if isinstance(words, str) else words, f"{where}.{name}", file)
        among = _CHOICES.get(name)
        for each in found[name]:
            if among is not None and "*" not in each and each not in among:
                expected = _("one of {words} is expected").format(words=", ".join(among))
                _refuse(file, f"{where}.{name}", expected)
    return found


def _words(raw: Any, where: str, file: Path) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(each, str) for each in raw):
        _refuse(file, where, _("a list of words is expected"))
    if not 0 < len(raw) <= MOST or any(not each.strip() or len(each) > LONGEST for each in raw):
        _refuse(file, where, _("one to {n} words, none empty").format(n=MOST))
    return tuple(raw)


def _refuse(file: Path, where: str, why: str) -> NoReturn:
    raise Expected(f"{file}: {where}: {why}")


def save(file: Path, rules: Sequence[Rule], *, seen: Sequence[Rule] | None = None) -> None:
    """Write the rules, whole or not at all; what a person has written stays beside it.

    `seen` are the rules that the caller has shown. Raises Expected where the file holds others.
    """
    text = _all(rules)
    parse(text, file)  # what cannot be read back is never written
    if seen is not None and load(file) != tuple(seen):
        raise Expected(
            _("{path} has changed meanwhile. Open the rules again; nothing was written.").format(
                path=file
            )
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(f".{os.urandom(4).hex()}.new")
    try:
        temporary.write_text(text, encoding="utf-8")
        if _is_by_hand(file):
            file.with_suffix(".toml.old").write_bytes(file.read_bytes())
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _all(rules: Sequence[Rule]) -> str:
    return "\n".join(written(each) for each in rules)


def _is_by_hand(file: Path) -> bool:
    """Tell whether a file says more than we would write, such as a comment."""
    return file.exists() and file.read_text(encoding="utf-8") != _all(load(file))


def written(rule: Rule) -> str:
    """Return one rule as its table."""
    return lines(rule.name, rule.when, rule.unless, acts(rule), on=rule.on)


def acts(rule: Rule) -> list[str]:
    """Return what a rule does, in the words of the file."""
    return [*(each.value for each in Action if each in rule.then), *(TAG + t for t in rule.tags)]


def lines(
    name: str,
    when: Mapping[str, tuple[str, ...]],
    unless: Mapping[str, tuple[str, ...]],
    then: Sequence[str],
    *,
    on: bool = True,
) -> str:
    """Return a rule's table from words that were not looked at yet; `parse` does that."""
    said = ["[[rules]]", f"name = {settings.quoted(name)}"]
    if not on:
        said.append("on = false")
    said.append(f"when = {_table(when)}")
    if unless:
        said.append(f"unless = {_table(unless)}")
    said.append(f"then = [{', '.join(map(settings.quoted, then))}]")
    return "\n".join(said) + "\n"


def _table(conditions: Mapping[str, tuple[str, ...]]) -> str:
    parts = []
    for name, words in conditions.items():
        key = name if name in FIELDS else settings.quoted(name)
        parts.append(f"{key} = [{', '.join(map(settings.quoted, words))}]")
    return "{ " + ", ".join(parts) + " }"
