"""Turns a digest in Markdown into the three other forms, as the site and a browser would."""

from __future__ import annotations

import re
from dataclasses import replace

import markdown
from bs4 import BeautifulSoup, Tag

from reader.model import Form, ParsedDigest, ParsedItem, Source

_FURNITURE_TOP = "← 返回博客主页"


def in_form(text: str, form: Form) -> str:
    """Return a Markdown digest in another form, with the quirks that form has."""
    if form is Form.MARKDOWN:
        return text
    html = feed_html(text)
    if form is Form.FEED_HTML:
        return html
    return page(text, html) if form is Form.PAGE else copied(html)


def title_of(text: str) -> str:
    """Return the title the post's first heading gives."""
    return next(line[2:] for line in text.splitlines() if line.startswith("# "))


# ── the site's renderer ────────────────────────────────────────────────────────────────────────


def feed_html(text: str) -> str:
    """Render a post's body: tag-like words become markup, quotes curl, code gets its spans."""
    body = re.sub(r"\A---\n.*?\n---\n", "", text, count=1, flags=re.DOTALL)
    body = re.sub(r"\[\^(\d+)\]", r'<sup><a href="#ref-\1">\1</a></sup>', body)
    body = re.sub(r"(?<=\n)## References\n", "## References\n", body)
    html = markdown.markdown(body, extensions=["tables", "fenced_code"], tab_length=2)
    soup = BeautifulSoup(html, "html.parser")
    for code in soup.find_all("code"):
        code["class"] = "language-plaintext highlighter-rouge"
    pieces = re.split(r"(<code.*?</code>|<[^>]+>)", str_with_case(html, soup), flags=re.DOTALL)
    return "".join(each if each.startswith("<") else _typographic(each) for each in pieces)


def str_with_case(html: str, soup: BeautifulSoup) -> str:
    """Add the renderer's classes and close what it took for an element, spelt as written."""
    html = html.replace("<code>", '<code class="language-plaintext highlighter-rouge">')
    unknown = set(re.findall(r"<([A-Z]\w*)>", html))
    for paragraph in re.findall(r"<p>.*?</p>", html, re.DOTALL):
        names = [name for name in re.findall(r"<([A-Z]\w*)>", paragraph) if name in unknown]
        closing = "".join(f"</{name}>" for name in reversed(names))
        html = html.replace(paragraph, paragraph.removesuffix("</p>") + closing + "</p>")
    return html


def _typographic(text: str) -> str:
    text = text.replace("&quot;", '"').replace("...", "…")
    text = text.replace("---", "—").replace("--", "–")
    text = re.sub(r'(?<=[\s（，。；：])"|^"', "“", text)
    return text.replace('"', "”").replace("'", "’")


def page(text: str, html: str) -> str:
    """Put a post into a page: banner, list of contents, back link, counter and comments."""
    title = title_of(text)
    soup = BeautifulSoup(html, "html.parser")
    headings = [h.get_text() for h in soup.find_all(["h2", "h3"])]
    toc = "".join(f'<li><a href="#s{n}">{h}</a></li>' for n, h in enumerate(headings))
    return f"""<!DOCTYPE html>
<html lang="zh"><head><meta charset="utf-8"><title>{title} | 示例站点</title>
<link rel="canonical" href="https://example.org/2026/11/post.html">
<style>h1 {{ color: red }}</style><script>if (1 < 2) document.write("<p>no</p>");</script></head>
<body><header class="banner"><h1>{title}</h1><a href="/">首页</a></header>
<nav class="toc"><p>目录</p><ul>{toc}</ul></nav>
<div class="wrap"><a href="/">{_FURNITURE_TOP}</a><span>阅读 <span>17</span></span>
<div id="post-article" class="post">{html}</div>
<section id="comments"><h2>评论</h2><p>某位读者：写得不错，为什么重要：没有。</p></section></div>
<footer>© 示例站点</footer></body></html>"""


# ── a browser's clipboard ──────────────────────────────────────────────────────────────────────


def copied(html: str) -> str:
    """Return what selecting the whole page and copying it gives: no bold, code or addresses."""
    soup = BeautifulSoup(html, "html.parser")
    lines = [_FURNITURE_TOP, "阅读 17", ""]
    for block in soup.find_all(["h1", "h2", "h3", "h4", "p", "pre", "ul", "ol", "table"]):
        if block.find_parent(["li", "table"]):
            continue
        lines += [*_lines(block), ""]
    return "\n".join([*lines, "评论", "某位读者：写得不错。"])


def _lines(block: Tag) -> list[str]:
    if block.name == "pre":
        return block.get_text().strip("\n").split("\n")
    if block.name == "ul":
        return [f"  • {_own_words(item)}" for item in block.find_all("li")]
    before = block.find_previous(["h2", "h3"])
    listing = isinstance(before, Tag) and _words(before) == "References"
    if block.name == "ol" and not listing:
        return [f"  {n}. {_words(li)}" for n, li in enumerate(block.find_all("li"), start=1)]
    if block.name == "ol":  # the site numbers references on lines of their own
        return [
            line
            for number, item in enumerate(block.find_all("li"), start=1)
            for line in (str(number), *_words(item).rsplit(" ", 1))
        ]
    if block.name == "table":
        rows = block.find_all("tr")
        return ["\t".join(_words(cell) for cell in row.find_all(["th", "td"])) for row in rows]
    return [_words(block)]


def _own_words(item: Tag) -> str:
    """Return a list line without the lists nested in it; those have lines of their own."""
    kept = [each for each in item.children if not (isinstance(each, Tag) and each.name == "ul")]
    return re.sub(r"\s+", " ", "".join(each.get_text() for each in kept)).strip()


def _words(block: Tag) -> str:
    return re.sub(r"\s+", " ", block.get_text()).strip()


# ── what a form carries ────────────────────────────────────────────────────────────────────────


def up_to_form(digest: ParsedDigest, form: Form) -> ParsedDigest:
    """Return what `form` can carry of a digest: no page address, and for text no addresses."""
    digest = replace(digest, form=form, site=None)
    if digest.kind == "quick_look":
        digest = replace(digest, generation_mode=None)
    if form is not Form.TEXT:
        return digest
    return replace(
        digest,
        items=tuple(_as_copied(item) for item in digest.items),
        references=tuple(replace(each, url=None, host=None) for each in digest.references),
    )


def _as_copied(item: ParsedItem) -> ParsedItem:
    """Return an item without addresses; a version then lacks its project, and `<T>` its tag."""
    version = re.fullmatch(r"(?:\w+ )?(v?\d+\.\d+[\w.]*)", item.title)
    summary = re.sub(r"<[A-Z]\w*>", "", item.summary)
    return replace(
        item,
        title=version[1] if version else item.title,
        summary=re.sub(
            r"(?<![A-Za-z0-9_])_(?=[a-z]+_)|(?<=>)_(?=<)|(?<=\w)_(?=<)", "", summary
        ),  # taken for stress
        sources=tuple(Source(each.title) for each in item.sources),
    )
