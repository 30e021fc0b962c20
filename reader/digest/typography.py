"""One spelling for what the forms spell differently: quotes, dashes, dots and spaces.

The site's renderer curls straight quotes, turns `--` into a dash and `...` into one character, and
copied text keeps that, so a form alone cannot tell what stood in the source. `settled` gives all
forms the spelling that is right for what surrounds it: straight in code and Latin words, curled
around Chinese.
"""

from __future__ import annotations

import re
import unicodedata

_NOTHING = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u2060\u00ad\u200e\u200f"))
_JOINED_EMOJI = re.compile(r"(?<=[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F])\u200d(?=\S)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SPACE = re.compile(r"\s+")
_CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_OPTION = re.compile(r"(?<![A-Za-z0-9\u2013\u2014-])\u2013(?=[A-Za-z][A-Za-z0-9_-])")
_TO = re.compile(r"(?<=\d)--(?=\d)|(?<=\s)--(?=\s)")
_LONG = re.compile(r"(?<![-\w|])---(?![-|])|(?<=[\u3400-\u9fff\w])---(?=[\u3400-\u9fff\w])")
_DOTS = re.compile(r"\.{6}|\u2026+")
_DOUBLE = re.compile('["\u201c\u201d\u201f]')
_SINGLE = re.compile("['\u2018\u2019]")
_NO_CURL_AFTER = re.compile(r"[A-Za-z0-9=]")


def settled(text: str) -> str:
    """Return `text` on one line with one spelling of quotes, dashes, dots and spaces."""
    text = _JOINED_EMOJI.sub("\ue000", text).translate(_NOTHING).replace("\ue000", "\u200d")
    text = _SPACE.sub(" ", _CONTROL.sub("", text)).strip()
    if text.isascii() and not re.search(r"--|\.\.\.", text):
        return text
    text = text.replace("\u00ab ", "<< ").replace(" \u00bb", " >>")
    text = text.replace("\u00ab", "<<").replace("\u00bb", ">>")
    text = _OPTION.sub("--", text)
    text = _LONG.sub("\u2014", _TO.sub("\u2013", text))
    text = _DOTS.sub(_dots, text)
    return _single_quotes(_double_quotes(text))


def settled_code(text: str) -> str:
    """Return lines of code with one spelling each; where a line starts is part of the code."""
    lines = text.strip("\n").split("\n")
    indents = [len(line) - len(line.lstrip(" \t")) for line in lines]
    return "\n".join(
        f"{line[:indent]}{settled(line)}".rstrip()
        for line, indent in zip(lines, indents, strict=True)
    )


def plain(text: str) -> str:
    """Return `text` with full-width letters, digits and signs as ASCII, for reading values."""
    return unicodedata.normalize("NFKC", text)


def has_chinese(text: str) -> bool:
    """Return whether Chinese characters or punctuation stand in `text`."""
    return _CHINESE.search(text) is not None


def _dots(found: re.Match[str]) -> str:
    return "..." if found[0] == "\u2026" else "\u2026\u2026"


def _double_quotes(text: str) -> str:
    """Curl the pairs that enclose Chinese and assign nothing; straighten every other mark."""
    parts = _DOUBLE.split(text)
    marks = _DOUBLE.findall(text)
    out = ['"'] * len(marks)
    opened: int | None = None
    for index, mark in enumerate(marks):
        if opened is None or mark == "\u201c":  # an opening mark starts afresh after a stray one
            opened = index
            continue
        typed = marks[opened] == "\u201c"  # the renderer never opens after a letter or `=`
        code = not typed and _NO_CURL_AFTER.match(parts[opened][-1:]) is not None
        if has_chinese(parts[index]) and not code:
            out[opened], out[index] = "\u201c", "\u201d"
        opened = None
    return "".join(a + b for a, b in zip(parts, [*out, ""], strict=True))


def _single_quotes(text: str) -> str:
    """Straighten apostrophes; keep curled single quotes that are whole pairs around Chinese."""
    if not _SINGLE.search(text):
        return text
    parts = re.split("(['\u2018\u2019])", text)
    out: list[str] = []
    index = 0
    while index < len(parts):
        part = parts[index]
        pair = index % 2 == 1 and index + 2 < len(parts) and _encloses_chinese(parts, index)
        if pair:
            out += ["\u2018", parts[index + 1], "\u2019"]
            index += 3
            continue
        out.append("'" if index % 2 == 1 else part)
        index += 1
    return "".join(out)


def _encloses_chinese(parts: list[str], index: int) -> bool:
    before, inner, after = parts[index - 1][-1:], parts[index + 1], parts[index + 3][:1]
    apostrophe = (before.isascii() and before.isalnum()) or before == "="
    goes_on = after.isascii() and after.isalnum()
    return not apostrophe and not goes_on and has_chinese(inner)
