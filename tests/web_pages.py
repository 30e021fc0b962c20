"""Pages as the sites of this field are built, in our own words: furniture around one article.

Each holds the same article: paragraphs, a listing in C++, one in PTX, a table, a list, a picture.
"""

from __future__ import annotations

import html
import re

CODE = """\
template <int N, typename T>
__global__ void k(const T* __restrict__ a) {
    if (threadIdx.x < N && a[0] > 0) // %tid.x
        k<<<grid, block>>>(a);

    asm volatile("mov.u32 %0, %tid.x;" : "=r"(x));
}"""
PTX = "// acq_rel\nld.global.acquire.gpu.b32 %r1, [%rd2];\n\t@%p1 bra $L__BB0_2;"
PARAGRAPH = (
    "Warp specialisation moves the loads of a tile into a producer warp, so that the consumer "
    "warps issue wgmma without waiting, and the register budget of each can be chosen apart, "
    "which matters most on sm_90a."
)
HAN = "寄存器分配在这个版本里改了两处：生产者线程束先取数据，消费者线程束再做矩阵乘，溢出少了一半。"
TABLE = (
    "<table><thead><tr><th>arch</th><th>registers</th></tr></thead><tbody>"
    "<tr><td>sm_80</td><td>93</td></tr><tr><td>sm_90</td><td>87</td></tr></tbody></table>"
)
NAV = (
    "<header class='site-header'><nav><ul><li><a href='/'>Home</a></li><li><a href='/blog'>Blog"
    "</a></li><li><a href='/contact'>Contact us</a></li></ul></nav></header>"
)
FOOT = "<footer class='footer'><p>All rights kept. Join our newsletter.</p></footer>"
SIDE = (
    "<aside class='sidebar'><h3>Related posts</h3><ul>"
    + "".join(
        f"<li><a href='/r{n}'>Related story {n} about other things</a></li>" for n in range(8)
    )
    + "</ul></aside>"
)
COMMENTS = (
    "<div id='comments' class='comments'><h3>1 comment</h3>"
    "<p>Splendid post, thanks a lot for writing all of this down for us.</p></div>"
)
FURNITURE = ("Contact us", "newsletter", "Related story", "Splendid post")


def _coloured(code: str) -> str:
    """Return code as a highlighter writes it: a span a line, a span a word."""
    lines = (
        "".join(
            f"<span class='n'>{html.escape(word)}</span>" for word in re.findall(r"\s+|\S+", line)
        )
        for line in code.split("\n")
    )
    return "\n".join(f"<span class='line'>{line}</span>" for line in lines)


def _article(listing: str, other: str) -> str:
    p = f"<p>{PARAGRAPH}</p>"
    return (
        f"{p}<h2>The kernel</h2>{listing}{p}<h2>Numbers</h2>{TABLE}"
        "<p>It keeps <code>vector&lt;T&gt;</code> and $\\alpha_{i}$ as they are.</p>"
        f"{other}<ul><li>First: registers.</li><li>Second: spills.</li></ul>"
        "<figure><img src='/img/plot.png' alt='plot'><figcaption>Time by tile</figcaption></figure>"
        f"{p}<blockquote><p>A quoted sentence about the barrier.</p></blockquote>{p}"
    )


def _page(body: str) -> str:
    return (
        "<!doctype html><html><head><meta charset='utf-8'><title>A kernel post | Kernel blog"
        f"</title><style>p {{}}</style></head><body>{NAV}{body}{FOOT}</body></html>"
    )


def _plain(code: str) -> str:
    return f"<pre><code class='language-cpp'>{html.escape(code)}</code></pre>"


def _numbered(code: str) -> str:
    """Return code beside its line numbers, in a table, as some generators put it."""
    numbers = "".join(f"<span class='lnt'>{n + 1}\n</span>" for n in range(code.count("\n") + 1))
    return (
        "<div class='highlight'><table class='lntable'><tr><td class='lntd'><pre><code>"
        f"{numbers}</code></pre></td><td class='lntd'><pre><code>{_coloured(code)}</code></pre>"
        "</td></tr></table></div>"
    )


def wordpress() -> str:
    inner = _article(_plain(CODE), f"<pre>{html.escape(PTX)}</pre>")
    return _page(
        "<div id='content'><article class='post'><h1 class='entry-title'>A kernel post</h1>"
        f"<div class='entry-content'>{inner}</div></article>{COMMENTS}</div>{SIDE}"
    )


def hugo() -> str:
    code = f"<pre tabindex='0'><code class='language-cpp'>{_coloured(CODE)}</code></pre>"
    inner = _article(f"<div class='highlight'>{code}</div>", _numbered(PTX))
    return _page(f"<main><section class='post-content'>{inner}</section></main>{SIDE}")


def sphinx() -> str:
    inner = _article(
        f"<div class='highlight-cuda notranslate'><div class='highlight'><pre>{_coloured(CODE)}"
        "</pre></div></div>",
        f"<div class='highlight'><pre>{_coloured(PTX)}</pre></div>",
    )
    return _page(
        "<div class='document'><div class='documentwrapper'><div class='bodywrapper'>"
        "<div class='body' role='main'><section id='k'><h1>A kernel post"
        f"<a class='headerlink' href='#k'>¶</a></h1>{inner}</section></div></div></div>"
        f"<div class='sphinxsidebar'>{SIDE}</div></div>"
    )


def plain_blocks() -> str:
    inner = _article(f"<pre>{html.escape(CODE)}</pre>", f"<pre>{html.escape(PTX)}</pre>")
    return _page(
        f"<div class='w'><div class='c1'><div class='c2'><h1>A kernel post</h1>{inner}</div></div>"
        f"<div class='c3'>{SIDE}</div></div>{COMMENTS}"
    )


def jekyll() -> str:
    inner = _article(
        "<div class='language-cpp highlighter-rouge'><div class='highlight'>"
        f"<pre class='highlight'><code>{_coloured(CODE)}</code></pre></div></div>",
        f"<pre class='highlight'><code>{html.escape(PTX)}</code></pre>",
    )
    return _page(
        "<main class='page-content'><div class='wrapper'><article class='post h-entry'>"
        "<header class='post-header'><h1 class='post-title'>A kernel post</h1>"
        "<p class='post-meta'><time>Oct 5, 2026</time></p></header>"
        f"<div class='post-content e-content'>{inner}</div></article></div></main>"
    )


def listing_only() -> str:
    """A post that is nearly all code."""
    code = html.escape("\n".join([CODE] * 6))
    return _page(
        f"<div class='post'><p>The whole listing, without comment.</p><pre>{code}</pre>"
        f"<p>That is all.</p></div>{SIDE}"
    )


def chinese() -> str:
    p = f"<p>{HAN * 3}</p>"
    return _page(f"<div class='rich_media_content'>{p}{_plain(CODE)}{p}{TABLE}{p}</div>{SIDE}")


PAGES = {
    make.__name__: make
    for make in (wordpress, hugo, sphinx, plain_blocks, jekyll, listing_only, chinese)
}
