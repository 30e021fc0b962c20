"""The house, guarded: storeys, doors, languages, and nothing of any one machine."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[1]
READER = ROOT / "reader"

# Storeys from the top; a room may import those below it, and of its own storey only what
# ALONGSIDE says.
STOREYS = (
    ("__main__",),
    ("gui", "cli"),
    ("sync", "runner", "report", "today"),
    (
        "store", "checks", "fetch", "credentials", "parse", "digest", "classify", "identity",
        "sanitise", "opml", "claims", "rules",
    ),
    ("workers", "tasks", "settings", "language", "model", "errors"),
)  # fmt: skip
ALONGSIDE = {
    "cli": {"gui"},  # only to hand over to the window, and only inside a function
    "sync": set[str](),
    "report": {"runner"},
    "store": {"identity", "sanitise"},
    "parse": {"identity"},
    "digest": {"identity"},
    "checks": {"identity"},
    "claims": {"classify"},
    "language": {"settings"},
    "settings": {"errors", "model"},
    "workers": {"tasks", "language", "errors"},
    "tasks": {"errors"},
    "errors": set[str](),
}
THREADS = {"threading", "concurrent", "multiprocessing", "_thread", "asyncio"}
SQL = {"sqlite3", "sqlite_utils"}


def modules() -> list[Path]:
    return sorted(READER.rglob("*.py"))


def room(file: Path) -> str:
    return file.relative_to(READER).parts[0].removesuffix(".py")


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imports(file: Path) -> Iterator[tuple[str, bool]]:
    """Yield every imported module with whether it is imported when the file is."""
    inside = {
        id(node)
        for function in ast.walk(tree(file))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree(file)):
        at_once = id(node) not in inside
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, at_once
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, at_once
            for alias in node.names:
                yield f"{node.module}.{alias.name}", at_once
        elif isinstance(node, ast.ImportFrom):
            raise AssertionError(f"{file}: relative import")


def rooms_of(file: Path) -> set[str]:
    found = (name.split(".") for name, _at_once in imports(file))
    names = {parts[1] for parts in found if parts[0] == "reader" and len(parts) > 1}
    return {name for name in names if name != "__version__"}


def storey(name: str) -> int:
    found = [level for level, rooms in enumerate(STOREYS) if name in rooms]
    assert found, f"the room {name} stands in no storey: draw it in the house first"
    return found[0]


@pytest.mark.parametrize("file", modules(), ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_go_down_only(file: Path) -> None:
    here = room(file)
    if here == "__init__":
        return
    for other in rooms_of(file) - {here}:
        if storey(other) == storey(here):
            assert other in ALONGSIDE.get(here, set()), f"{here} and {other} stand side by side"
        else:
            assert storey(other) > storey(here), f"{here} imports {other}, which stands above it"


def test_no_cycle() -> None:
    """Within a room too: what is imported at once never leads back."""
    names = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for file in modules()
    }
    ways = {
        name: {
            other
            for other, at_once in imports(file)
            if at_once and other in names and other != name and not _typing_only(file, other)
        }
        for name, file in names.items()
    }
    done: set[str] = set()

    def walk(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " → ".join((*path, name))
        if name in done:
            return
        for other in ways[name]:
            # A package's own modules may name the package: Python has it half-made by then.
            if not name.startswith(f"{other}."):
                walk(other, (*path, name))
        done.add(name)

    for name in names:
        walk(name, ())


def _typing_only(file: Path, other: str) -> bool:
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            inside = " ".join(ast.unparse(each) for each in node.body)
            if other.rsplit(".", 1)[-1] in inside:
                return True
    return False


def test_qt_has_one_door() -> None:
    for file in modules():
        if room(file) != "gui":
            assert not any(
                name.split(".")[0] in ("PySide6", "shiboken6") for name, _ in imports(file)
            )


def test_threads_have_one_door_and_processes_of_ours_another() -> None:
    doors = {"tasks": {"threading", "concurrent"}, "workers": {"multiprocessing"}}
    for file in modules():
        named = {name.split(".")[0] for name, _ in imports(file)} & THREADS
        assert named <= doors.get(room(file), set()), f"{file}: {named}"
        if room(file) != "tasks":
            source = file.read_text(encoding="utf-8")
            assert not re.search(r"\bQThread|QtConcurrent|QRunnable", source), file


def test_sql_has_one_door() -> None:
    for file in modules():
        if room(file) != "store":
            assert not {name.split(".")[0] for name, _ in imports(file)} & SQL, file


def test_the_harness_needs_only_the_standard_library() -> None:
    for name, _ in imports(READER / "checks" / "harness.py"):
        assert name.split(".")[0] in sys.stdlib_module_names, name


def test_packaging_shadows_no_library() -> None:
    assert not list((ROOT / "packaging").rglob("__init__.py"))


@pytest.mark.parametrize("module", ["reader.cli", "reader.sync", "reader.runner", "reader.report"])
def test_the_command_line_loads_no_qt(module: str) -> None:
    code = f"import {module}, sys; sys.exit('PySide6' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in listed.stdout.splitlines()]
    return [file for file in files if file.is_file()]


def test_the_project_speaks_of_itself_alone() -> None:
    # Written in pieces, so that this file does not name what it looks for.
    hosts = ("pypi." + "org", "pythonhosted." + "org", "deb.debian." + "org", "registry.npm" + "js")
    machine = re.compile("|".join((*map(re.escape, hosts), "/wo" + "rk/", "/ro" + "ot/")))
    for file in tracked():
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found = machine.search(text)
        assert found is None, f"{file}: {found and found[0]}"


def messages() -> set[str]:
    found: set[str] = set()
    for file in modules():
        for node in ast.walk(tree(file)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            # What is looked up by a variable stands in a table of sentences elsewhere.
            if node.func.id in ("_", "ngettext") and isinstance(node.args[0], ast.Constant):
                found.add(str(node.args[0].value))
    return found


def test_every_sentence_has_its_chinese() -> None:
    folder = ROOT / "resources" / "translations" / "zh" / "LC_MESSAGES"
    catalogue = read_po(io.BytesIO((folder / "readproof.po").read_bytes()), locale="zh")
    known = {m.id if isinstance(m.id, str) else m.id[0] for m in catalogue if m.id and m.string}
    assert not messages() - known


def test_the_compiled_catalogue_is_the_catalogue() -> None:
    folder = ROOT / "resources" / "translations" / "zh" / "LC_MESSAGES"
    written = read_po(io.BytesIO((folder / "readproof.po").read_bytes()), locale="zh")
    compiled = io.BytesIO()
    write_mo(compiled, written)
    assert (folder / "readproof.mo").read_bytes() == compiled.getvalue()


def test_a_translation_keeps_its_placeholders() -> None:
    folder = ROOT / "resources" / "translations" / "zh" / "LC_MESSAGES"
    catalogue = read_po(io.BytesIO((folder / "readproof.po").read_bytes()), locale="zh")
    names = re.compile(r"\{(\w*)")
    for message in catalogue:
        if not message.id:
            continue
        ids = (message.id,) if isinstance(message.id, str) else message.id
        texts = (message.string,) if isinstance(message.string, str) else message.string
        allowed = {name for each in ids for name in names.findall(each)}
        for text in texts or ():
            assert set(names.findall(text)) <= allowed, message.id
