"""What a check of one's own starts from: a working example, or a draft of an item; pure text."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from reader import identity, settings
from reader.model import Evidence, Item

MOST_CLAIMS = 12
MOST_TEXT = 600
_NAMES = ("check.toml", "check.py", "test.toml")
_CODE = re.compile(r"(?<![\w.-])(?:--[a-z][\w-]{3,}|[A-Za-z]\w*(?:[._]\w+)+|[a-z]+[A-Z]\w{3,})")


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence of an item that can be tested, and what it says it holds for."""

    text: str
    kind: Evidence
    holds_for: tuple[str, ...] = ()


def example(name: str) -> dict[str, str]:
    """Return the files of a check that works, under its name."""
    return {each: _read("written", each, name) for each in (*_NAMES, "subject.py")}


def draft(name: str, item: Item, stated: Sequence[Stated]) -> dict[str, str]:
    """Return the files of a check drafted from an item: it loads, and nothing is measured yet."""
    claims = list(stated[:MOST_CLAIMS]) or [Stated(item.title, Evidence.PROPERTY)]
    expect = ", ".join(f'claim_{n} = "could_not_run"' for n, _each in enumerate(claims, 1))
    files = {each: _read("draft", each, name) for each in ("check.py", "test.toml")}
    files["test.toml"] = _filled(files["test.toml"], EXPECT=expect)
    return {"check.toml": _manifest(name, item, claims), **files}


def name_of(item: Item) -> str:
    """Return a name for a check of an item: its project and version, else its title's words."""
    for source in item.sources:
        project = identity.project_of(source.url) if source.url else None
        if source.url and project is not None:
            words = f"{project[1]} {identity.version_of(source.url) or ''}"
            return _slug(words) or item.id
    return _slug(item.title) or f"check-{item.id}"


def _slug(text: str) -> str:
    found = re.findall(r"[a-z0-9]+", text.lower())
    return "-".join(found)[:40].strip("-")


def _read(kind: str, file: str, name: str) -> str:
    text = settings.resource("skeleton", kind, file).read_text(encoding="utf-8")
    return text.replace("@NAME@", name)


def _manifest(name: str, item: Item, claims: Sequence[Stated]) -> str:
    named = [(f"claim_{n}", each) for n, each in enumerate(claims, 1)]
    filled = _filled(
        _read("draft", "check.toml", name),
        TITLE=_pair(item.title),
        MATCHES=_matches(item),
        MEASURES="\n".join(f'{id_}_holds = ""' for id_, _each in named),
    )
    return filled + "".join(_claim(id_, each) for id_, each in named)


def _claim(id_: str, stated: Stated) -> str:
    return _filled(
        _read("draft", "claim.toml", ""),
        ID=id_,
        KIND=stated.kind.value,
        HOLDS_FOR=", ".join(stated.holds_for) or "—",
        TEXT=_pair(stated.text),
    )


def _filled(template: str, **values: str) -> str:
    """Fill the marks in one go, so that no text can hold another's mark."""
    return re.sub(r"@([A-Z_]+)@", lambda mark: values.get(mark[1], mark[0]), template)


def _matches(item: Item) -> str:
    urls = [s.url for s in item.sources if s.url and re.fullmatch(r"https?://[^\s<>\"'`]+", s.url)]
    projects = []
    for url in urls:
        project, version = identity.project_of(url), identity.version_of(url)
        if project is not None:
            projects.append(f"{project[0]}@{version}" if version else project[0])
    text = " ".join((item.title, item.summary))
    words = list(dict.fromkeys(_CODE.findall(text)))[:8]
    rows = (("urls", urls), ("projects", list(dict.fromkeys(projects))), ("words", words))
    return "\n".join(f"{key} = [{', '.join(map(_quoted, values))}]" for key, values in rows)


def _pair(text: str) -> str:
    return f"{{ zh = {_quoted(text)}, en = {_quoted(text)} }}"


def _quoted(text: str) -> str:
    """Return a TOML string on one line, without what a manifest refuses."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())[:MOST_TEXT]
    return json.dumps(line, ensure_ascii=False)
