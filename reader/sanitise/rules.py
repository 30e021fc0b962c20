"""What may stay in an article, as data."""

from __future__ import annotations

import re


def _names(text: str) -> set[str]:
    return set(text.split())


SCHEMES = {"http", "https", "mailto"}

# Tags an article keeps, with the attributes that stay on them.
ATTRIBUTES: dict[str, set[str]] = {
    "a": {"href", "title"},
    "img": {
        *("src", "alt", "title", "width", "height", "style", "hidden", "srcset"),
        *("data-src", "data-original", "data-lazy-src", "data-srcset"),
    },
    "ol": {"start", "reversed"},
    "li": {"value"},
    "td": {"colspan", "rowspan", "align"},
    "th": {"colspan", "rowspan", "align", "scope"},
    "col": {"span"},
    "colgroup": {"span"},
    "time": {"datetime"},
    "details": {"open"},
    "abbr": {"title"},
    "code": {"class"},
    "pre": {"class"},
    "div": {"class"},
    "*": {"lang", "dir"},
}
ALLOWED = _names(
    """
    a abbr article aside b bdi blockquote br caption cite code col colgroup dd del details dfn
    div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark
    nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table
    tbody td tfoot th thead time tr tt u ul var wbr
    """
)
# Removed with what is inside: code, styles, form parts, fallbacks, drawings, a page's title.
DROPPED_WITH_CONTENT = _names(
    """
    script style iframe object embed svg select option textarea title noembed noframes audio
    video canvas applet
    """
)
# Every other name HTML and MathML know: the tag goes, its content stays. What stands in angle
# brackets and is none of these (`vector<T>`, `<TileAndFuse>`) was never meant as a tag. The name
# `template` is left out on purpose: in feeds about compilers it is C++.
_OTHERS = _names(
    """
    acronym address area base basefont bdo big body button center data datalist dialog dir
    fieldset font form frame frameset head hgroup html input label legend link map marquee menu
    menuitem meta meter nobr noscript optgroup output param picture plaintext progress search
    slot source track xmp math
    """
)
MATHML = _names(
    """
    mi mo mn mrow msup msub mfrac mtext semantics annotation annotation-xml mtable mtr mtd mover
    munder munderover msubsup msqrt mroot mstyle mspace mpadded mphantom menclose merror mglyph
    malignmark maction mfenced
    """
)
# What a parser opens again where a block ended before it was closed, what holds text only, and
# what holds nothing (HTML standard 13.2.4.3, 13.2.6.4.7, 13.1.2).
FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")
RAW = _names("script style textarea title xmp iframe noembed noframes plaintext")
VOID = _names(
    """
    area base basefont bgsound br col embed frame hr img input keygen link meta param source track
    wbr
    """
)
ELEMENTS = ALLOWED | DROPPED_WITH_CONTENT | _OTHERS | MATHML

# Elements that stand on lines of their own in plain text.
BLOCKS = _names(
    """
    address article aside blockquote body caption center dd details dialog dir div dl dt
    fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu
    nav ol p pre section summary table tbody tfoot thead tr ul
    """
)

# What a terminal obeys and nobody reads (colours, titles, links), control characters but tab and
# line ends, noncharacters, lone surrogates, marks that turn the direction of what follows, and
# characters that only hide inside words.
INVISIBLE = re.compile(
    "\x1b\\[[0-;?]*[ -/]*[@-~]|\x1b\\([0AB]|\x1b\\][^\x07\x1b\n<]{0,400}(?:\x07|\x1b\\\\)|"
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff"
    "\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u200b\u2060\ufeff\u2028\u2029]"
)
# What any of that begins with.
INVISIBLE_BEGINS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff"
    "\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u200b\u2060\ufeff\u2028\u2029]"
)
