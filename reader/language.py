"""The two languages of window and command line: one gettext catalogue, msgids in English."""

from __future__ import annotations

import gettext
import locale
import os
from importlib.resources.abc import Traversable

from reader import settings

LANGUAGES = ("zh", "en")


class _Current:
    """The choice in force; one for the process."""

    language = "en"
    catalogue: gettext.NullTranslations = gettext.NullTranslations()


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
    chosen = language if language in LANGUAGES else system_language()
    _Current.language, _Current.catalogue = chosen, catalogue(chosen)


def catalogue(language: str) -> gettext.NullTranslations:
    """Return the messages of `language`, for text that is made in a language of its own choice."""
    if language == "en":
        return gettext.NullTranslations()
    with _compiled(language).open("rb") as stream:
        return gettext.GNUTranslations(stream)


def _compiled(language: str) -> Traversable:
    return settings.resource("translations", language, "LC_MESSAGES", "readproof.mo")


def language() -> str:
    """Return the language in use, zh or en."""
    return _Current.language


def _(message: str) -> str:
    """Return `message` in the language in use."""
    return _Current.catalogue.gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form of a message that fits `count`, in the language in use."""
    return _Current.catalogue.ngettext(one, many, count)
