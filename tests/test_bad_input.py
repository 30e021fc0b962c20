"""Bad files and bad checks from outside: one clear line for each, and nothing lost."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from reader.errors import ReadproofError
from reader.parse.repair import root_name
from reader.sanitise.rules import ALLOWED
from reader.store import Store
from reader.sync import import_paths
from tests.command import command, watched
from tests.refusals import DAILY, both, held, marked, one_line, unchanged

CHECK = Path(__file__).parent / "data" / "checks" / "confirms"
PEAK_MB = 256  # what a refused file of any size may cost: the program alone has 60


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return marked(tmp_path / "s.db")


def titles(store: Path) -> list[str]:
    """Return the titles of every story of a store."""
    listed = command("items", "--kind", "all", "--limit", "1000", "--json", store=store).json
    return [each["title"] for each in listed]


# ── files ──────────────────────────────────────────────────────────────────────────────────────

PDF = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n%%EOF\n"
ENTITIES = b"<!ENTITY l0 'x'>" + b"".join(
    b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 10)
)
FILES: dict[str, bytes] = {
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
    "picture.md": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
    "photo.txt": b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(range(256)) * 4,
    "paper.pdf": PDF,
    "paper.html": PDF,
    "tool": b"\x7fELF\x02\x01\x01" + b"\0" * 200,
    "tool.txt": b"\x7fELF\x02\x01\x01" + b"\0" * 200,
    "notes.docx": b"PK\x03\x04rest",
    "notes.md": b"PK\x03\x04rest",
    "packed.html": gzip.compress(b"<p>text</p>"),
    "store.txt": b"SQLite format 3\0" + b"\0" * 90,
    "page.mhtml": b"MIME-Version: 1.0\r\n",
    "empty.md": b"",
    "empty.zip": b"",
    "empty.opml": b"",
    "empty.json": b"",
    "blank.html": b" \n\t\n",
    "zeros.md": DAILY.format(n=9).encode()[:200] + b"\0\0\0" + b"x" * 200,
    "latin.md": "résumé für die Grün".encode("latin-1") * 10,
    "broken.xml": b"<rss><channel><item>",
    "drawing.xml": b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>",
    "deep.xml": b"<a>" * 100_000,
    "deep.json": b"[" * 100_000,
    "deep.opml": b"<opml><body>" + b"<outline>" * 100_000,
    "data.json": b'{"a": 1}',
    "cut.opml": b"<opml><body><outline xmlUrl='https://a.example.org/'",
    "entity.opml": b'<!DOCTYPE o [<!ENTITY a SYSTEM "file:///etc/passwd">]><opml><body>&a;</body></opml>',
    "growing.opml": b"<!DOCTYPE o [" + ENTITIES + b"]><opml><body>&l9;</body></opml>",
    "not.zip": b"hello",
}  # fmt: skip


def test_each_file_that_cannot_be_read_is_refused_by_name(store: Path, tmp_path: Path) -> None:
    """In one call, so that none of them stops the others; two lines about one file fail."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name, body in FILES.items():
        (folder / name).write_bytes(body)
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "nowhere.md").symlink_to(folder / "nothing")
    os.mkfifo(folder / "pipe.md")
    files = sorted(folder.iterdir())
    said = {}
    with unchanged(store):
        for lang in ("en", "zh"):
            called = command("--lang", lang, "import", *files, store=store)
            assert called.code == 1
            assert "Traceback" not in called.err
            said[lang] = called.err.splitlines()
            assert len(said[lang]) == len(files), called.err
    for file in files:
        names = re.compile(rf"{re.escape(str(file))}[:： ]")
        english, chinese = ([line for line in said[lang] if names.match(line)] for lang in said)
        assert (len(english), len(chinese)) == (1, 1), file.name
        assert english != chinese, file.name
        assert "address" not in english[0], "a file has no address to check"


def test_one_refused_file_is_one_line_and_the_exit_code(store: Path, tmp_path: Path) -> None:
    (tmp_path / "paper.pdf").write_bytes(PDF)
    with unchanged(store):
        assert "paper.pdf" in both("import", tmp_path / "paper.pdf", store=store)
        assert "none.md" in both("import", tmp_path / "none.md", store=store)


def test_an_archive_that_leads_out_of_its_folder_writes_nothing(
    store: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("manifest.json", '{"format": "readproof data", "schema": 1}')
        archive.writestr("../../evil.txt", "x")
        archive.writestr("files/../../../evil.txt", "x")
    with unchanged(store):
        command("import", tmp_path / "evil.zip", store=store)
    assert not list(tmp_path.parent.rglob("evil.txt"))


def test_a_folder_that_holds_itself_is_read_once(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "posts"
    (folder / "more").mkdir(parents=True)
    (folder / "good.md").write_text(DAILY.format(n=9), encoding="utf-8")
    (folder / "bad.txt").write_bytes(b"\x7fELF\x02\x01\x01" + b"\0" * 200)
    (folder / "again").symlink_to(folder, target_is_directory=True)
    (folder / "more" / "up").symlink_to(folder, target_is_directory=True)
    called = command("import", folder, store=store)
    assert called.code == 0
    assert [line for line in called.err.splitlines() if "bad.txt" in line] == [called.err.strip()]
    assert titles(store).count("Tile 9 keeps its registers") == 1
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "itself").symlink_to(tmp_path / "only", target_is_directory=True)
    both("import", tmp_path / "only", store=store)


ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030")


def test_encodings_of_the_field_are_read(store: Path, tmp_path: Path) -> None:
    """UTF-16 without its mark too: a terminal's `>` on Windows writes such files."""
    for n, encoding in enumerate(ENCODINGS, 1):
        (tmp_path / f"{n}.md").write_bytes(DAILY.format(n=n).encode(encoding))
    files = [tmp_path / f"{n}.md" for n, _encoding in enumerate(ENCODINGS, 1)]
    called = command("import", *files, store=store)
    assert (called.code, called.err) == (0, "")
    listed = titles(store)
    for n, encoding in enumerate(ENCODINGS, 1):
        assert f"Tile {n} keeps its registers" in listed, encoding
        assert f"Tiles, day {n}" in listed, encoding


def test_a_text_cut_anywhere_is_read_or_refused(store: Path, tmp_path: Path) -> None:
    body = DAILY.format(n=8).encode()
    folder = tmp_path / "cut"
    folder.mkdir()
    cuts = range(1, len(body), 7)
    for cut in cuts:
        (folder / f"{cut}.md").write_bytes(body[:cut])
    called = command("import", folder, "--json", store=store)
    counts = called.json
    assert counts["digests"] + counts["entries"] + len(counts["refused"]) == len(cuts)
    assert "Traceback" not in called.err


def test_a_digest_of_fifty_megabytes_is_refused_unread(store: Path, tmp_path: Path) -> None:
    huge = tmp_path / "huge.md"
    huge.write_text(DAILY.format(n=7) + "a long line of a long digest\n" * 1_800_000, "utf-8")
    assert huge.stat().st_size > 50_000_000
    with unchanged(store):
        called, peak = watched("import", huge, store=store, into=tmp_path / "peak")
    assert str(huge) in one_line(called)
    assert peak < PEAK_MB


PIECES = (
    b"---\n", b"title: ", b"# ", b"## \xe9\x87\x8d\xe7\x82\xb9\xe5\x8f\x98\xe5\x8c\x96\n",
    b"### 1. x\n", b"<p>", b"</p>", b"<rss><channel><item>", b"</item>", b"<!DOCTYPE html>",
    b"<script>", b"&#0;", b"&#x110000;", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\r", b"|---|\n",
    b"![](", b"[1]: ", b"```\n", b"2026-13-45", b"\x1b[31m", b"{", b"\"items\":[", b"]]>",
    b"http://[", b"\xe2\x80\xae",
)  # fmt: skip
BODIES = st.binary(max_size=300) | st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join)
ENDINGS = st.sampled_from([".md", ".html", ".txt", ".xml", ".json", ".opml", ".zip"])


@hypothesis_settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(files=st.lists(st.tuples(BODIES, ENDINGS), min_size=20, max_size=60))
def test_no_bytes_are_a_bug_of_ours(tmp_path: Path, files: list[tuple[bytes, str]]) -> None:
    """From outside, in heaps: exit 3 would be a bug."""
    folder = tmp_path / "any"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for n, (body, ending) in enumerate(files):
        (folder / f"{n}{ending}").write_bytes(body)
    called = command("import", folder, store=tmp_path / "any.db")
    assert called.code in (0, 1), called.err


@pytest.mark.parametrize("body", [b"", b"\xef\xbb\xbf", b"\xff\xfe", b" ", b"<", b"x"])
@pytest.mark.parametrize("ending", [".md", ".html", ".txt", ".xml", ".json", ".opml"])
def test_next_to_nothing_is_read_or_refused_at_once(
    tmp_path: Path, body: bytes, ending: str
) -> None:
    file = tmp_path / f"a{ending}"
    file.write_bytes(body)
    with suppress(ReadproofError):
        import_paths(tmp_path / "any.db", [file])
    assert root_name("") is None


@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(body=BODIES, ending=ENDINGS)
def test_any_bytes_are_read_or_refused(tmp_path: Path, body: bytes, ending: str) -> None:
    file = tmp_path / f"a{ending}"
    file.write_bytes(body)
    try:
        import_paths(tmp_path / "any.db", [file])
    except ReadproofError:
        return  # said, not crashed: anything else fails here


# ── hostile HTML ───────────────────────────────────────────────────────────────────────────────

HOSTILE = (
    "<script>alert(1)</script>" + "<div>" * 10_000 + "deep" + "</div>" * 10_000,
    f'<p title="{"x" * 1_000_000}">attr</p>',
    "<p>" + "".join(f"<b lang={n}>" for n in range(300)) + "</p><p>again" * 10_000,
    '<a href="java\tscript:alert(3)">a</a><p>\x1b[31mred\x1b[0m \u202eback \x07bell &#27;[2J</p>',
    "<math><mtext><table><mglyph><style><!--</style>"
    '<img title="--&gt;&lt;img src=1 onerror=x()&gt;">',
    '<svg></p><style><a id="</style><img src=1 onerror=x()>"></svg>',
    '<noscript><p title="</noscript><img src=x onerror=x()>"></noscript>',
    '<form><math><mtext></form><form><mglyph><style></math><img src onerror=x()>',
    "<img src='https://e.example.org/a.png' onload=x() style='background:url(javascript:x())'>",
    "<iframe srcdoc='<script>x()</script>'></iframe><object data=x></object><base href=//evil>",
    "<p>template&lt;int N&gt; void k&lt;&lt;&lt;grid, block&gt;&gt;&gt;()</p>",
)  # fmt: skip


class _Look(HTMLParser):
    """Every element and attribute of stored HTML, as a lax parser reads them."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            assert name not in ("style", "srcdoc"), (tag, name)
            if name in ("href", "src"):
                assert (value or "").lower().startswith(("http://", "https://", "mailto:")), value


def test_hostile_html_is_harmless_in_store_and_terminal(store: Path, tmp_path: Path) -> None:
    for n, html in enumerate(HOSTILE):
        body = (
            f"<html><head><title>Hostile {n}</title></head><body><p>w{n}w</p>{html}</body></html>"
        )
        (tmp_path / f"{n}.html").write_text(body, encoding="utf-8")
    files = sorted(tmp_path.glob("*.html"))
    assert command("import", *files, store=store).code == 0
    listed = command("items", "--kind", "entry", "--limit", "99", "--json", store=store).json
    entries = {each["title"]: each for each in listed}
    for n in range(len(HOSTILE)):
        html = entries[f"Hostile {n}"]["content_html"]
        _Look(convert_charrefs=True).feed(html)
        assert f"w{n}w" in html
        assert not {"\x1b", "\x07", "\u202e"} & set(html)
    texts = [entries[f"Hostile {n}"]["content_text"] for n in range(len(HOSTILE))]
    assert "deep" in texts[0]
    assert "red back bell" in texts[3]
    assert "template<int N> void k<<<grid, block>>>()" in texts[-1]
    for words in (["show", entries["Hostile 3"]["id"]], ["items", "--kind", "all"]):
        shown = command(*words, store=store).out
        assert not any(ord(c) < 32 and c != "\n" for c in shown)
        assert not {"\x7f", "\x9b", "\u202e"} & set(shown)


# ── checks of a user's own ─────────────────────────────────────────────────────────────────────


def _edit(old: str, new: str) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        text = (folder / "check.toml").read_text(encoding="utf-8")
        assert old in text
        (folder / "check.toml").write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit


def _without_manifest(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        (folder / "check.toml").unlink()
        make(folder / "check.toml")

    return edit


def _sized(name: str) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        with (folder / name).open("wb") as stream:
            stream.truncate(100 << 20)

    return edit


PYTHON = 'python = ">=3.9"'
CHECKS: dict[str, Callable[[Path], object]] = {
    "unknown-key": _edit("schema = 1", "schema = 1\nrun = 'rm -rf /'"),
    "unknown-key-that-colours": _edit("schema = 1", 'schema = 1\n"\\u001b[31mred" = 1'),
    "name-leads-out": _edit('name = "', 'name = "../'),
    "shell-in-the-name": _edit('name = "', 'name = "$(id)'),
    "shell-in-a-requirement": _edit(PYTHON, f'{PYTHON}\nrequires = ["a; rm -rf /"]'),
    "option-for-pip": _edit(PYTHON, f'{PYTHON}\nrequires = ["--index-url=https://e.example.org"]'),
    "requirement-by-address": _edit(PYTHON, f'{PYTHON}\nrequires = ["e @ https://e.example.org/x"]'),
    "lock-leads-out": _edit(PYTHON, f'{PYTHON}\nlock = "../../../etc/passwd"'),
    "no-bound": _edit("seconds = 10", "seconds = 99999999"),
    "title-that-colours": _edit('title.en = "', 'title.en = "\\u001b[31m'),
    "no-toml": _edit("schema = 1", "schema = "),
    "no-end": lambda f: (f / "check.toml").write_text("a = " + "[" * 50_000),
    "no-text": lambda f: (f / "check.toml").write_bytes(b"\xff\xfe\0\0"),
    "nothing": lambda f: (f / "check.toml").write_bytes(b""),
    "no-script": lambda f: (f / "check.py").unlink(),
    "manifest-of-100-mb": _sized("check.toml"),
    "file-of-100-mb": _sized("data.bin"),
    "too-many-files": lambda f: [(f / f"{n}.txt").write_text("") for n in range(600)],
    "link-to-a-file-outside": lambda f: (f / "secrets").symlink_to("/etc/passwd"),
    "link-to-a-folder-outside": lambda f: (f / "etc").symlink_to("/etc"),
    "link-to-itself": lambda f: (f / "again").symlink_to(f),
    "link-for-a-manifest": _without_manifest(lambda f: f.symlink_to("/etc/passwd")),
    "pipe-for-a-manifest": _without_manifest(os.mkfifo),
    "folder-for-a-manifest": _without_manifest(lambda f: f.mkdir()),
    "pipe": lambda f: os.mkfifo(f / "pipe"),
}  # fmt: skip


def _config(tmp_path: Path, folder: Path) -> Path:
    config = tmp_path / "settings.toml"
    config.write_text(f'check_folders = ["{folder}"]\n', encoding="utf-8")
    return config


def test_each_hostile_check_is_answered_by_name_and_the_others_stay(
    store: Path, tmp_path: Path
) -> None:
    checks = tmp_path / "checks"
    for name, spoil in CHECKS.items():
        folder = shutil.copytree(CHECK, checks / name)
        _edit('name = "confirms"', f'name = "{name}"')(folder)
        spoil(folder)
    said = {}
    for lang in ("en", "zh"):
        words = ("--config", _config(tmp_path, checks), "--lang", lang)
        called = command(*words, "check", "list", "--json", store=store)
        assert {each["id"] for each in called.json} >= {"triton-sched4reg"}
        assert not {each["id"] for each in called.json} & CHECKS.keys()
        said[lang] = called.err.splitlines()
        assert len(said[lang]) == len(CHECKS), called.err
    for name in CHECKS:
        names = re.compile(rf"{re.escape(str(checks / name))}[/:：]")
        english, chinese = ([line for line in said[lang] if names.match(line)] for lang in said)
        assert english, name
        assert english != chinese, name
        assert not any(ord(c) < 32 for c in english[0]), name


@pytest.mark.parametrize("name", ["unknown-key", "pipe-for-a-manifest"])
def test_a_hostile_check_is_neither_run_nor_trusted(store: Path, tmp_path: Path, name: str) -> None:
    folder = shutil.copytree(CHECK, tmp_path / "checks" / "confirms")
    CHECKS[name](folder)
    words = ("--config", _config(tmp_path, folder.parent), "check")
    with unchanged(store):
        ran = both(*words, "run", "confirms", "--python", sys.executable, store=store)
        assert ran == both(*words, "trust", folder, "--yes", store=store)
    assert str(folder / "check.toml") in ran


def test_a_check_runs_only_as_it_was_trusted(store: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(CHECK, tmp_path / "checks" / "confirms")
    words = ("--config", _config(tmp_path, folder.parent), "check")
    run = (*words, "run", "confirms", "--python", sys.executable)
    with unchanged(store):
        assert "trust" in both(*run, store=store)
    assert command(*words, "trust", folder, "--yes", store=store).code == 0
    with (folder / "check.py").open("a") as stream:
        stream.write("# one comment more\n")
    with unchanged(store):
        assert "trust" in one_line(command(*run, store=store))
    with Store.open(store) as opened:
        assert opened.runs.all() == []
    assert held(store)["titles"]
