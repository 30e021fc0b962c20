"""Claims in the reading view: a dotted line in the verdict's colour, and what it is when asked."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from reader.gui import article, claimed
from reader.gui.theme import Look, look
from reader.model import VerdictKind
from reader.report.claimed import Claimed, of_item
from tests.test_claimed import ITEM, a_run, a_verdict


def test_claims_are_marked_where_they_stand(qtbot: QtBot) -> None:
    Look("light").apply()
    item = replace(ITEM, summary=ITEM.summary + " `x < y` & \ue0c0 more. A **bold** tail.")
    wrong = a_verdict("d", "The default of CAS is now acq_rel", VerdictKind.REFUTED)
    found = of_item(item, [a_run("r1", "cas", wrong)])
    body = article.item(look(), item, (), found)
    document = QTextDocument()
    document.setHtml(f"<body>{body}</body>")
    plain = QTextDocument()
    unmarked = replace(item, summary=item.summary.replace("\ue0c0", " "))
    plain.setHtml(f"<body>{article.item(look(), unmarked)}</body>")
    assert document.toPlainText() == plain.toPlainText()  # marks leave the text as it is
    assert claimed.underline(document, found) == 3
    lines = dict(_underlined(document))
    assert lines["The default is now acq_rel for CAS."] == look().tokens.refuted.lower()
    assert lines["Loads are up to 4x faster on H100."] == look().tokens.ink3.lower()


def _underlined(document: QTextDocument) -> list[tuple[str, str]]:
    found, block = [], document.begin()
    while block.isValid():
        run = block.begin()
        while not run.atEnd():
            piece = run.fragment()
            if piece.charFormat().toolTip():
                found.append((piece.text(), piece.charFormat().underlineColor().name()))
            run += 1
        block = block.next()
    return found


def test_the_tip_says_kind_conditions_and_verdict(qtbot: QtBot) -> None:
    first, second, _third = of_item(ITEM, [])
    assert claimed.tip(second) == "Testable: Performance · said for H100"
    shown = Claimed(first.found, a_verdict("d", "x"), "cas", "r1")
    assert claimed.tip(shown) == "Testable: Behaviour · Confirmed here by cas"
