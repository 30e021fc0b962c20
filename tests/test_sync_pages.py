"""Pages of the web → articles: code blocks and tables intact, furniture gone, nobody harmed."""

from __future__ import annotations

import contextlib
import html
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reader.errors import NotUnderstood
from reader.model import Form
from reader.sanitise import clean_html
from reader.sync.bodies import as_html
from reader.sync.pages import article
from tests import web_pages
from tests.web_pages import CODE, FURNITURE, HAN, PAGES, PARAGRAPH, PTX

URL = "https://blog.example.org/2026/kernel"


def _listings(cleaned: str) -> list[str]:
    found = re.findall(r"<pre[^>]*>(.*?)</pre>", cleaned, re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]+>", "", each)).strip("\n") for each in found]


@pytest.mark.parametrize("name", [n for n in PAGES if n not in ("listing_only", "chinese")])
def test_an_article_is_whole_and_alone(name: str) -> None:
    page = article(PAGES[name]().encode(), url=URL)
    cleaned = clean_html(page.html, URL)
    assert page.title in ("A kernel post", "A kernel post | Kernel blog")
    assert page.text.count(PARAGRAPH) == 4
    listings = _listings(cleaned)
    assert CODE in listings
    assert PTX in listings
    assert len(listings) == 2  # and no column of line numbers
    assert "<td>sm_90</td><td>87</td>" in cleaned.replace("\n", "")
    for said in (
        "First: registers.",
        "Time by tile",
        "vector<T>",
        "the barrier",
        "\\alpha_{i}",
    ):
        assert said in page.text
    assert 'src="https://blog.example.org/img/plot.png"' in cleaned
    assert not [each for each in FURNITURE if each in page.text]
    assert "data-readproof" not in cleaned


def test_a_post_that_is_nearly_all_code_and_one_in_chinese() -> None:
    code = article(web_pages.listing_only().encode(), url=URL)
    assert "\n".join([CODE] * 6) in code.text
    assert "without comment" in code.text
    assert "That is all" in code.text
    han = article(web_pages.chinese().encode("gb18030"), content_type="text/html; charset=gbk")
    assert han.text.count(HAN) == 9
    assert CODE in _listings(clean_html(han.html))


def test_what_the_library_drops_of_an_article_is_brought_back() -> None:
    """A table of links between paragraphs looks like furniture to it, and is the article's."""
    links = "".join(
        f"<tr><td><a href='/pr/{n}'>#{n}</a></td><td><a href='/c/{n}'>c{n}</a></td></tr>"
        for n in range(9)
    )
    inner = f"<p>{PARAGRAPH}</p><div class='share-links'><table>{links}</table></div>" * 1
    page = f"<body>{web_pages.NAV}<article>{inner}<p>{PARAGRAPH}</p><p>{PARAGRAPH}</p></article>"
    found = clean_html(article(page.encode(), url=URL).html, URL)
    assert found.count("<tr>") == 9
    assert "Contact us" not in found


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"%PDF-1.7 ...",
        b"\x89PNG\r\n\x1a\n",
        b"<div>" * 50_000 + b"deep",
        b"<html><body></body></html>",
    ],
    ids=["empty", "pdf", "png", "deep", "nothing"],
)
def test_what_is_no_page_is_refused_in_words(body: bytes) -> None:
    with pytest.raises(NotUnderstood):
        article(body, url=URL)


def test_title_author_and_date_are_the_pages_own() -> None:
    head = (
        "<head><meta property='og:title' content='Tiles &amp; <b>queues</b> vector&lt;T&gt;'>"
        "<meta name=author content='A. Person'>"
        "<meta property='article:published_time' content='2026-10-05T08:00:00+08:00'></head>"
    )
    page = article(f"<html>{head}<body><p>{PARAGRAPH}</p></body>".encode(), url=URL)
    assert (page.title, page.authors) == ("Tiles & queues vector<T>", ("A. Person",))
    assert page.published is not None
    assert page.published.isoformat() == "2026-10-05T00:00:00+00:00"


_DEEP = "<div>" * 150 + f"<p>{PARAGRAPH}</p>" + "</div>" * 150
HOSTILE = {
    "great": f"<p>{PARAGRAPH}</p>" * 9_000,
    "too many": "<p>x</p>" * 100_000,
    "deep": _DEEP * 120,
    "attributes of one": "<p " + " ".join(f"a{n}=1" for n in range(200_000)) + ">",
    "attributes of all": ("<p " + "a=1 " * 150 + ">x</p>") * 3_000,
    "a long class": f"<div class='{'a ' * 900_000}'><p>{PARAGRAPH}</p></div>",
    "references": "<p>" + "a&amp;b " * 300_000,
    "quotes": '<a "' * 15_000 + "<b '" * 15_000,
    "opened again": "<p><b><i>" * 12_000,
    "links": "<p><a href='/x'>word, word, word</a></p>" * 9_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_costs_seconds(name: str) -> None:
    begun = time.process_time()
    with contextlib.suppress(NotUnderstood):
        article(HOSTILE[name].encode(), url=URL)
    assert time.process_time() - begun < 15


def test_the_library_is_loaded_only_for_a_page() -> None:
    code = (
        "import sys, reader.sync, reader.sync.fulltext, reader.sync.originals, reader.cli.app\n"
        "sys.exit(bool({'lxml', 'readability', 'chardet'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[1]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def test_what_is_nested_without_end_is_read_all_the_same() -> None:
    nested = "".join("    " * level + f"- level {level}\n" for level in range(600))
    assert "level 599" in as_html(nested, Form.MARKDOWN)
    page = "<body>" + "<div>" * 50_000 + "the words" + "</div>" * 50_000
    assert "the words" in as_html(page, Form.PAGE)
