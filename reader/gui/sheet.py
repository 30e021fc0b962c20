"""The one style sheet: buttons, fields, tabs, bars; rows and marks are painted by delegates."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reader.gui.theme import Look

_SHEET = """
* { font-size: @13px; }
QWidget#side, QWidget#status { background: $window; }
QWidget#list, QWidget#verify { background: $list; }
QWidget#page { background: $page; }
QWidget#head { border: 0; }
QWidget[edge="bottom"] { border: 0; border-bottom: 1px solid $line; }
QWidget[edge="top"] { border: 0; border-top: 1px solid $line; }
QWidget#verify { border: 0; border-top: 1px solid $line2; }
QWidget#status { border: 0; border-top: 1px solid $line; }
QLabel { background: transparent; border: 0; }
QLabel[role="pane"] { font-size: @16px; font-weight: 600; color: $ink; }
QLabel[role="article"] { font-size: @23px; font-weight: 600; color: $ink; }
QLabel[role="inspector"] { font-size: @18px; font-weight: 600; color: $ink; }
QLabel[role="label"] { font-weight: 600; color: $ink; }
QLabel[role="caption"] { font-weight: 600; color: $ink2; }
QLabel[role="two"] { color: $ink2; }
QLabel[role="three"] { color: $ink3; }
QLabel[role="meta"] { font-size: @12px; color: $ink2; }
QLabel[role="meta3"] { font-size: @12px; color: $ink3; }
QLabel[role="key"] { font-size: @11px; color: $ink2; background: $field; border: 1px solid $line2;
    border-radius: @4px; padding: 0 @4px; min-width: @10px; }
QLabel[role="code"] { font-family: ~mono; font-size: @12px; background: $code;
    border: 1px solid $line; border-radius: @6px; padding: @8px @12px; color: $ink; }
QFrame[note="warn"] { background: $warn_soft; border: 0; border-radius: @6px; }
QFrame[note="stale"] { background: $stale_soft; border: 0; border-radius: @6px; }
QFrame[note="refuted"] { background: $refuted_soft; border: 0; border-radius: @6px; }
QFrame[note="confirmed"] { background: $confirmed_soft; border: 0; border-radius: @6px; }
QFrame[rule="line"] { background: $line; border: 0; max-height: 1px; min-height: 1px; }
QPushButton { background: $field; color: $ink; border: 1px solid $line2;
    border-radius: @6px; padding: 0 @11px; min-height: @26px; max-height: @26px; }
QPushButton:hover { background: $hover; }
QPushButton:focus, QToolButton:focus { border: 1px solid $accent; }
QPushButton:disabled, QToolButton:disabled { color: $ink3; }
QPushButton[kind="go"] { background: $accent; color: $on_accent; border: 1px solid $accent;
    font-weight: 600; }
QPushButton[kind="go"]:focus { border: 2px solid $accent_ink; }
QPushButton[kind="go"]:disabled { background: $cell; border-color: $cell; color: $ink3; }
QPushButton[kind="menu"] { padding: 0 @9px; }
QPushButton::menu-indicator { image: none; width: 0; }
QPushButton[kind="on"], QPushButton:checked, QPushButton[kind="menu"][on="true"] {
    background: $select; border: 1px solid $accent; color: $accent_ink; }
QPushButton[kind="flat"] { background: transparent; border: 1px solid transparent; color: $ink2;
    padding: 0 @7px; }
QPushButton[kind="flat"]:hover { background: $hover; }
QPushButton[kind="flat"]:focus { border: 1px solid $accent; }
QPushButton[kind="link"] { background: transparent; border: 1px solid transparent;
    color: $accent_ink; padding: 0 @2px; text-align: left; }
QPushButton[size="sm"] { min-height: @22px; max-height: @22px; font-size: @12px; padding: 0 @8px; }
QPushButton[size="lg"] { min-height: @32px; max-height: @32px; padding: 0 @16px;
    font-size: @14px; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: @6px;
    padding: @4px; color: $ink2; }
QToolButton:hover { background: $hover; }
QToolButton::menu-indicator { image: none; width: 0; }
QLineEdit, QPlainTextEdit[kind="field"], QComboBox, QSpinBox, QDateEdit { background: $field;
    color: $ink; border: 1px solid $line2; border-radius: @6px; padding: 0 @8px;
    min-height: @26px; selection-background-color: $select; selection-color: $ink; }
QLineEdit:focus, QPlainTextEdit[kind="field"]:focus, QComboBox:focus { border: 1px solid $accent; }
QPlainTextEdit[kind="field"] { padding: @6px; }
QComboBox { padding-left: @11px; max-height: @26px; }
QComboBox::drop-down { border: 0; width: @24px; }
QComboBox::down-arrow { image: url("~down"); width: @16px; height: @16px; }
QComboBox QAbstractItemView { background: $field; color: $ink; border: 1px solid $line2;
    selection-background-color: $select; selection-color: $ink; outline: 0; }
QPlainTextEdit[kind="log"] { background: $code; color: $ink2; border: 0; font-family: ~mono;
    font-size: @12px; padding: @4px @34px; selection-background-color: $select; }
QTextBrowser { background: transparent; border: 0; color: $ink;
    selection-background-color: $select; selection-color: $ink; }
QTableView, QTreeView, QListView { background: transparent; border: 0; outline: 0; color: $ink; }
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: 0; }
QTabBar { border: 0; background: transparent; }
QTabBar::tab { background: transparent; border: 0; border-bottom: 2px solid transparent;
    color: $ink2; padding: @2px 0 0 0; margin-right: @18px; height: @40px; }
QTabBar::tab:selected { color: $ink; font-weight: 600; border-bottom: 2px solid $accent; }
QTabBar::tab:hover { color: $ink; }
QTabBar:focus { outline: 0; }
QTabBar::tab:selected:focus { color: $accent_ink; }
QProgressBar { background: $cell; border: 0; border-radius: @3px; min-height: @6px;
    max-height: @6px; }
QProgressBar::chunk { background: $accent; border-radius: @3px; }
QSplitter::handle { background: transparent; }
QScrollBar:vertical { background: transparent; width: @10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: @10px; margin: 0; }
QScrollBar::handle { background: $line2; border-radius: @3px; margin: @2px; }
QScrollBar::handle:vertical { min-height: @32px; }
QScrollBar::handle:horizontal { min-width: @32px; }
QScrollBar::handle:hover { background: $ink3; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QMenu { background: $field; color: $ink; border: 1px solid $line2; padding: @4px 0; }
QMenu::item { padding: @4px @28px @4px @28px; }
QMenu::item:selected { background: $select; color: $ink; }
QMenu::item:disabled { color: $ink3; }
QMenu::separator { height: 1px; background: $line; margin: @4px 0; }
QMenu::indicator { width: @14px; height: @14px; left: @8px; }
QDialog { background: $page; }
QToolTip { background: $field; color: $ink; border: 1px solid $line2; padding: @3px; }
"""


def sheet(look: Look) -> str:
    """Return the style sheet for the colours and sizes in force."""
    import re

    from reader.gui.icons import file

    text = re.sub(r"@(\d+)px", lambda found: f"{look.px(int(found[1]))}px", _SHEET)
    text = text.replace("~mono", look.mono)
    text = text.replace("~down", file("down", look.tokens.ink2))
    for name, value in sorted(asdict(look.tokens).items(), key=lambda pair: -len(pair[0])):
        text = text.replace(f"${name}", value)
    return text
