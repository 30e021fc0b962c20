"""Trusting a check of the user's own: its code is shown, and that very content is trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QDialogButtonBox, QPlainTextEdit, QWidget

from reader.gui.dialogs import Ask, fit
from reader.gui.theme import look
from reader.language import _
from reader.model import Check

MOST = 200_000  # characters of one file; a larger one is data, and its size says so


@dataclass(frozen=True, slots=True)
class Shown:
    """A check as it was read for the question, and the text that is shown."""

    check: Check
    code: str
    before: bool  # an earlier content of it was trusted


def read(folder: Path) -> Shown:
    """Read a check and its files; on a worker. What changes after this is not trusted."""
    from reader.checks import folder as check_folder
    from reader.checks import manifest

    check = manifest.load(folder, bundled=False)
    parts = []
    for file in check_folder.files(folder):
        text = file.read_text(encoding="utf-8", errors="replace")
        name = file.relative_to(folder).as_posix()
        if len(text) > MOST:
            text = _("{n} characters, not shown").format(n=len(text))
        parts.append(f"── {name}\n{_visible(text)}")
    return Shown(check, "\n\n".join(parts), check_folder.trusted_before(check.name))


def _visible(text: str) -> str:
    """Return code in which nothing hides: marks that turn the direction of text are written out."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\u{ord(c):04x}" for c in text)


def ask(parent: QWidget, shown: Shown, then: Callable[[], None]) -> QPlainTextEdit:
    """Ask whether a check may run; `then` is called once it is trusted."""
    from reader.checks import manifest

    name = shown.check.name
    lead = _("It runs as you, with your rights. Only this very content is trusted.")
    if shown.before:
        lead = _("It has changed since you trusted it.") + " " + lead
    asked = Ask(parent, _("Trust the check {name}?").format(name=name), lead)
    code = QPlainTextEdit(shown.code)
    code.setReadOnly(True)
    code.setFont(look().font("code"))
    code.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    code.setAccessibleName(_("Its files"))
    asked.body.addWidget(code)

    def trusted() -> None:
        manifest.trust(shown.check)
        then()

    asked.finish(_("Trust and run"), trusted)
    box = asked.findChild(QDialogButtonBox)
    if box is not None:  # Enter must not trust by accident
        box.button(QDialogButtonBox.StandardButton.Cancel).setDefault(True)
    code.setFocus()
    fit(asked, 760, 620)
    return code
