"""The two languages of window and command line: one gettext catalogue, msgids in English."""

from __future__ import annotations

import gettext
import locale
import os
from importlib.resources.abc import Traversable

from reader import settings

LANGUAGES = ("zh", "en")

_catalogue: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"


def system_language() -> str:
    """Return zh or en from the process's locale variables, else from the platform's locale."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    name = locale.getlocale()[0] or ""
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def set_language(language: str | None) -> None:
    """Use `language` (zh or en) from now on; None follows the system."""
    global _catalogue, _language
    _language = language if language in LANGUAGES else system_language()
    _catalogue = gettext.NullTranslations()
    if _language != "en":
        file = _compiled(_language)
        if file.is_file():
            with file.open("rb") as stream:
                _catalogue = gettext.GNUTranslations(stream)


def _compiled(language: str) -> Traversable:
    return settings.resource("translations", language, "LC_MESSAGES", "readproof.mo")


def language() -> str:
    """Return the language in use, zh or en."""
    return _language


def _(message: str) -> str:
    """Return `message` in the language in use."""
    return _catalogue.gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form of a message that fits `count`, in the language in use."""
    return _catalogue.ngettext(one, many, count)
