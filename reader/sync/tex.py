"""TeX in titles and abstracts → what can be read as it stands; the source is kept beside it. Pure.

Only what is certain is changed: an unknown command stays as it was written, and "$5 and $6" is
money.
"""

from __future__ import annotations

import re
import unicodedata

_MATH = re.compile(
    r"\$\$(?P<display>.+?)\$\$"
    r"|(?<![\\$])\$(?=\S)(?P<dollar>(?:[^$\\]|\\.)+?)(?<=\S)\$"
    r"|\\\((?P<round>.+?)\\\)|\\\[(?P<square>.+?)\\\]",
    re.DOTALL,
)
_MONEY = re.compile(r"\d[\d,.]*(?:\s*(?:k|m|bn|million|billion|[a-z]{3,}).*)?", re.I | re.DOTALL)
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328",
    "r": "\u030a", "d": "\u0323", "b": "\u0331",
}  # fmt: skip
_ACCENT = re.compile(
    r"\\(?:([`'^\"~=.])\s*(?:\{(\\?[A-Za-z])\}|(\\?[A-Za-z]))"
    r"|([uvHckrdb])\s*(?:\{(\\?[A-Za-z])\}|\s([A-Za-z])))"
)
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ",
    "OE": "Œ", "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "copyright": "©", "textregistered": "®",
    "texttrademark": "™", "textmu": "μ", "textdegree": "°", "textasciitilde": "~",
    "textbackslash": "\\", "ldots": "…", "dots": "…", "textendash": "–", "textemdash": "—",
    "LaTeX": "LaTeX", "TeX": "TeX", "S": "§", "pounds": "£", "euro": "€",
}  # fmt: skip
_STYLES = (
    r"emph|text(?:bf|it|tt|sc|rm|sf|sl|up|md|normal)?|underline|uline|mbox|hbox|math(?:rm|bf|it|sf|tt"
    r"|cal|scr|frak|normal)|boldsymbol|bm|operatorname\*?|ensuremath|overline|widehat|hat|tilde|bar|vec"
    r"|widetilde|url"
)
_STYLED = re.compile(rf"\\(?:{_STYLES})\s*\{{([^{{}}]*)\}}")
# Braces that keep capitals in a bibliography: {GPU}, Mixture-of-{E}xperts.
_GUARDED = re.compile(r"(?<![\\\w}\]*])\{([A-Za-z0-9][\w.+-]*)\}")
_HATS = {
    "hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303",
    "bar": "\u0304", "overline": "\u0304", "dot": "\u0307", "vec": "\u20d7",
}  # fmt: skip
_HAT = re.compile(rf"\\({'|'.join(_HATS)})\s*(?:\{{([A-Za-z])\}}|\s([A-Za-z])\b)")
_UNKNOWN = re.compile(r"(\\[A-Za-z]+)\s*\{([^{}]*)\}")
_OLD_STYLES = re.compile(r"\\(?:em|bf|it|tt|sc|rm|sf|cal|displaystyle|left|right|big|Big)\b\s*")
_DOUBLE = {
    "R": "ℝ", "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "C": "ℂ", "P": "ℙ", "H": "ℍ", "E": "𝔼", "F": "𝔽",
}  # fmt: skip
_GREEK = {
    name: unicodedata.lookup(f"GREEK SMALL LETTER {name.upper().replace('LAMBDA', 'LAMDA')}")
    for name in [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "omicron",
        "pi",
        "rho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "chi",
        "psi",
        "omega",
    ]
}
_GREEK |= {name.capitalize(): letter.upper() for name, letter in _GREEK.items()}
_SIGNS = _GREEK | {
    "varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ", "varrho": "ϱ", "varsigma": "ς", "ell": "ℓ",
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "mp": "∓", "ast": "*", "star": "⋆",
    "circ": "∘", "bullet": "•", "otimes": "⊗", "oplus": "⊕", "odot": "⊙", "leq": "≤", "le": "≤",
    "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "ll": "≪", "gg": "≫", "approx": "≈",
    "sim": "∼", "simeq": "≃", "equiv": "≡", "propto": "∝", "lesssim": "≲", "gtrsim": "≳",
    "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "supset": "⊃", "cup": "∪",
    "cap": "∩", "setminus": "∖", "emptyset": "∅", "forall": "∀", "exists": "∃", "neg": "¬",
    "lnot": "¬", "land": "∧", "wedge": "∧", "lor": "∨", "vee": "∨", "to": "→",
    "rightarrow": "→", "longrightarrow": "⟶", "leftarrow": "←", "gets": "←", "mapsto": "↦",
    "leftrightarrow": "↔", "Rightarrow": "⇒", "implies": "⇒", "Leftarrow": "⇐", "iff": "⇔",
    "Leftrightarrow": "⇔", "uparrow": "↑", "downarrow": "↓", "infty": "∞", "partial": "∂",
    "nabla": "∇", "sum": "∑", "prod": "∏", "int": "∫", "vdash": "⊢", "models": "⊨", "bot": "⊥",
    "top": "⊤", "perp": "⊥", "parallel": "∥", "mid": "|", "langle": "⟨", "rangle": "⟩",
    "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "lVert": "‖", "rVert": "‖",
    "|": "‖", "prime": "′", "dagger": "†", "cdots": "⋯", "ldots": "…", "dots": "…", "vdots": "⋮",
    "deg": "°", "hbar": "ℏ", "Re": "ℜ", "Im": "ℑ", "aleph": "ℵ", "quad": " ", "qquad": "  ",
    "colon": ":", "lbrace": "{", "rbrace": "}", "backslash": "\\", "triangleq": "≜", "lambda": "λ",
}  # fmt: skip
_FUNCTIONS = frozenset(
    [
        "log",
        "ln",
        "exp",
        "sin",
        "cos",
        "tan",
        "min",
        "max",
        "arg",
        "argmin",
        "argmax",
        "sup",
        "inf",
        "lim",
        "det",
        "dim",
        "ker",
        "deg",
        "gcd",
        "Pr",
        "mod",
        "softmax",
        "poly",
        "polylog",
    ]
)
_UP = dict(
    zip(
        "0123456789+-=()nixT*abcdefghjklmoprstuvwyz",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣᵀ*ᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷʸᶻ",
        strict=True,
    )
)
_DOWN = dict(
    zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True)
)
_FRACTION = re.compile(r"\\[dt]?frac\s*(?:\{([^{}]*)\}|(\d))\s*(?:\{([^{}]*)\}|(\d))")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_SCRIPT = re.compile(r"\s*([\^_])\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|[^\s{}\\^_]))")
_COMMAND = re.compile(r"\\([A-Za-z]+|\|)")
# Signs that stay, out of the way while what they mean in TeX is taken out.
_HELD = {"{": "\ue000", "}": "\ue001", "^": "\ue002", "_": "\ue003"}
_LONGEST = 20_000
_ROUNDS = 8  # how deep braces are followed


def readable(text: str) -> str:
    """Return TeX as plain text: formulas in Unicode where it can say them, accents composed."""
    if len(text) > _LONGEST or not re.search(r"[\\$~{]|--|``|''", text):
        return text
    parts, at, looked = [], 0, 0
    while found := _MATH.search(text, looked):
        inner = next(group for group in found.groups() if group is not None)
        if found["dollar"] is not None and not _is_math(text, found):
            looked = found.start() + 1
            continue
        parts += [_words(text[at : found.start()]), _formula(inner)]
        at = looked = found.end()
    parts.append(_words(text[at:]))
    return "".join(parts)


def _is_math(text: str, found: re.Match[str]) -> bool:
    """Tell whether what stands between two dollars is a formula, not a sum of money."""
    inner = found["dollar"]
    if re.search(r"[\\^_]", inner):
        return True
    before, after = text[: found.start()][-1:], text[found.end() : found.end() + 1]
    if before.isalnum() or after.isdigit():
        return False
    return _MONEY.fullmatch(inner) is None or inner.isdigit()


def _words(text: str) -> str:
    """Return what stands outside formulas."""
    text = _ACCENT.sub(_accented, text)
    text = _GUARDED.sub(r"\1", text)
    for _round in range(_ROUNDS):
        text, changed = _STYLED.subn(r"\1", text)
        if not changed:
            break
    text = re.sub(r"\\([A-Za-z]+)(?![A-Za-z])(?:\{\}|\s(?=\S))?", _letter, text)
    text = re.sub(r"(?<=[^\s\\/])~(?=\S)", " ", text)
    text = re.sub(r"\\([%&#_${}])", r"\1", text)
    text = text.replace("``", "“").replace("''", "”").replace("---", "—")
    return re.sub(r"(?<=\w)--(?=\w)", "–", text)


def _accented(found: re.Match[str]) -> str:
    mark = found[1] or found[4]
    letter = (found[2] or found[3] or found[5] or found[6]).lstrip("\\")
    return unicodedata.normalize("NFC", letter + _ACCENTS[mark])


def _hatted(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", (found[2] or found[3]) + _HATS[found[1]])


def _letter(found: re.Match[str]) -> str:
    known = _LETTERS.get(found[1])
    if known is None:
        return found[0]
    return known


def _formula(text: str) -> str:
    """Return a formula as a line."""
    text = _ACCENT.sub(_accented, text)
    text = _HAT.sub(_hatted, text)
    text = re.sub(r"\\(?:mathbb|mathds)\s*\{([A-Z])\}", _double, text)
    for _round in range(_ROUNDS):
        before = text
        text = _STYLED.sub(r"\1", text)
        text = _SCRIPT.sub(_script, text)
        text = _ROOT.sub(lambda found: "√" + _grouped(found[1]), text)
        text = _FRACTION.sub(_fraction, text)
        if text == before:
            break
    text = re.sub(r"\\([{}%&#_$])", lambda found: _HELD.get(found[1], found[1]), text)
    text = _OLD_STYLES.sub("", text)
    text = re.sub(r"\\[,;:!> ]|~", " ", text)
    text = _COMMAND.sub(_sign, text)
    text = _UNKNOWN.sub(rf"\1{_HELD['{']}\2{_HELD['}']}", text)
    text = re.sub(r"[{}]", "", text)
    for sign, held in _HELD.items():
        text = text.replace(held, sign)
    return " ".join(text.split())


def _double(found: re.Match[str]) -> str:
    return _DOUBLE.get(found[1], found[1])


def _grouped(text: str) -> str:
    text = text.strip()
    return text if re.fullmatch(r"\w+|\\[A-Za-z]+|.", text) else f"({text})"


def _fraction(found: re.Match[str]) -> str:
    return f"{_grouped(found[1] or found[2] or '')}/{_grouped(found[3] or found[4] or '')}"


def _script(found: re.Match[str]) -> str:
    inner = found[2] if found[2] is not None else found[3]
    said = _COMMAND.sub(_sign, inner).strip()
    signs = _UP if found[1] == "^" else _DOWN
    if said and all(each in signs for each in said):
        return "".join(signs[each] for each in said)
    if said in ("∘", "′", "†", "*"):
        return "°" if said == "∘" else said
    return f"{_HELD[found[1]]}{_grouped(inner)}"


def _sign(found: re.Match[str]) -> str:
    name = found[1]
    if name in _SIGNS:
        return _SIGNS[name]
    return name if name in _FUNCTIONS else found[0]
