"""What the list is narrowed to, and the bar that narrows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from reader.gui import icons, words
from reader.gui.parts import flow, refresh_style
from reader.gui.theme import look
from reader.language import _
from reader.model import Counts, Evidence, Layer, Order, Query

T = TypeVar("T")
SCORES = (40, 50, 60, 70, 80)


@dataclass(frozen=True, slots=True)
class Filters:
    """Everything that combines by "and" over a view."""

    layers: tuple[Layer, ...] = ()
    hardware: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    min_score: float | None = None
    unread: bool = False
    text: str = ""
    by_score: bool | None = None  # None: as the view sorts

    def narrow(self, query: Query) -> Query:
        """Return the view's query with these filters."""
        order = query.order
        if self.by_score is not None:
            order = Order.SCORE if self.by_score else Order.DATE
        return replace(
            query,
            layers=self.layers,
            hardware=self.hardware,
            evidence=self.evidence,
            min_score=self.min_score,
            unread=self.unread or query.unread,
            text=self.text,
            order=Order.RANK if self.text and self.by_score is None else order,
        )

    def chips(self) -> list[tuple[str, Filters]]:
        """Return each filter by name, with what remains when it is taken away."""
        found = [
            (words.layer_name(each), replace(self, layers=_without(self.layers, each)))
            for each in self.layers
        ]
        found += [
            (words.hardware_name(each), replace(self, hardware=_without(self.hardware, each)))
            for each in self.hardware
        ]
        found += [
            (words.evidence_name(each), replace(self, evidence=_without(self.evidence, each)))
            for each in self.evidence
        ]
        if self.min_score is not None:
            name = _("Score ≥ {n}").format(n=f"{self.min_score:g}")
            found.append((name, replace(self, min_score=None)))
        if self.unread:
            found.append((_("Unread"), replace(self, unread=False)))
        if self.text:
            found.append((f"“{self.text}”", replace(self, text="")))
        return found


def _without(held: tuple[T, ...], one: T) -> tuple[T, ...]:
    return tuple(each for each in held if each != one)


class LayerColumn(QAbstractButton):
    """One layer: a bar as high as its count, over name and count."""

    def __init__(self, layer: Layer, parent: QWidget) -> None:
        super().__init__(parent)
        self.layer = layer
        self.count, self.most = 0, 1
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_count(self, count: int, most: int) -> None:
        """Show how many stories of this layer there are, of the most that one layer has."""
        self.count, self.most = count, max(1, most)
        name = words.layer_name(self.layer)
        self.setAccessibleName(_("Layer {name}, {n} stories").format(name=name, n=count))
        place = list(Layer).index(self.layer) + 1
        self.setToolTip(f"{name} · {count} · Alt+{place}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        here = look()
        self.setFont(here.font("meta"))
        text = f"{words.layer_short(self.layer)} {words.amount(self.count)}"
        return QSize(self.fontMetrics().horizontalAdvance(text) + 4, here.px(46))

    def minimumSizeHint(self) -> QSize:
        return QSize(look().px(34), look().px(46))

    def paintEvent(self, _event: QPaintEvent) -> None:
        here, t = look(), look().tokens
        painter = QPainter(self)
        if self.underMouse():
            painter.fillRect(self.rect(), QColor(t.hover))
        wide = here.px(24)
        tall = max(here.px(3), round(here.px(16) * self.count / self.most)) if self.count else 2
        base = self.height() - here.px(4) - here.px(18) - here.px(3)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.cell_on if self.count else t.cell))
        bar = QRectF((self.width() - wide) / 2, base - tall, wide, tall)
        painter.drawRoundedRect(bar, 1, 1)
        name, count = words.layer_short(self.layer), words.amount(self.count)
        painter.setFont(here.font("meta_label" if self.isChecked() else "meta"))
        metrics = painter.fontMetrics()
        width = metrics.horizontalAdvance(name) + 3 + metrics.horizontalAdvance(count)
        x = max(0, (self.width() - width) / 2)
        line = QRectF(x, base + here.px(3), width + 4, here.px(18))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(QColor(t.accent_ink if self.isChecked() else t.ink2))
        painter.drawText(line, middle, name)
        line.setLeft(x + metrics.horizontalAdvance(name) + 3)
        painter.setPen(QColor(t.accent_ink if self.isChecked() else t.ink3))
        painter.drawText(line, middle, count)
        if self.isChecked():
            painter.fillRect(0, self.height() - 2, self.width(), 2, QColor(t.accent))
        painter.end()


class LayerFilter(QWidget):
    """Nine columns over the list: where in the stack the news falls."""

    chosen = Signal(object)  # tuple[Layer, ...]

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("edge", "bottom")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = flow(QHBoxLayout(self), 0, (10, 0, 10, 1))
        self.columns = [LayerColumn(layer, self) for layer in Layer]
        for column in self.columns:
            column.show_count(0, 1)
            column.clicked.connect(self._choose)
            row.addWidget(column, column.sizeHint().width())

    def _choose(self) -> None:
        self.chosen.emit(tuple(each.layer for each in self.columns if each.isChecked()))

    def toggle(self, place: int) -> None:
        """Choose or leave the layer at a place, 0 to 8."""
        self.columns[place].click()

    def show_state(self, layers: tuple[Layer, ...], counts: Counts | None) -> None:
        """Show which layers are chosen and how many stories each further one would leave."""
        held = counts.layers if counts else {}
        most = max(held.values(), default=0)
        for column in self.columns:
            column.setChecked(column.layer in layers)
            if counts is not None:
                column.show_count(held.get(column.layer, 0), most)


class FilterBar(QWidget):
    """Hardware, evidence, score, unread, order."""

    changed = Signal(object)  # Filters

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.filters = Filters()
        self._counts: Counts | None = None
        self._by_score = False
        row = flow(QHBoxLayout(self), 6, (12, 6, 12, 6))
        self.hardware = menu_button(self, _("Hardware"), self._hardware_menu)
        self.evidence = menu_button(self, _("Evidence"), self._evidence_menu)
        self.score = menu_button(self, _("Score"), self._score_menu)
        self.unread = QPushButton(_("Unread"), self)
        self.unread.setCheckable(True)
        self.unread.setAccessibleName(_("Unread"))
        self.unread.clicked.connect(lambda on: self._set(replace(self.filters, unread=on)))
        self.sort = QPushButton(self)
        self.sort.setProperty("kind", "flat")
        self.sort.setAccessibleName(_("Score"))
        self.sort.clicked.connect(self._sort)
        for each in (self.hardware, self.evidence, self.score, self.unread):
            row.addWidget(each)
        row.addStretch(1)
        row.addWidget(self.sort)

    def _set(self, filters: Filters) -> None:
        self.changed.emit(filters)

    def _sort(self) -> None:
        self._set(replace(self.filters, by_score=not self._by_score))

    def show_state(self, filters: Filters, counts: Counts | None, *, by_score: bool) -> None:
        """Show the filters in force; `counts` fill the menus when they are opened."""
        self.filters, self._by_score = filters, by_score
        self._counts = counts or self._counts
        names = [words.hardware_name(each) for each in filters.hardware]
        show_chosen(self.hardware, _("Hardware"), names)
        show_chosen(
            self.evidence, _("Evidence"), [words.evidence_name(e) for e in filters.evidence]
        )
        score = filters.min_score
        chosen = [_("Score ≥ {n}").format(n=f"{score:g}")] if score is not None else []
        show_chosen(self.score, _("Score"), chosen)
        self.unread.setChecked(filters.unread)
        self.sort.setIcon(icons.icon("sort", look().tokens.ink2))
        self.sort.setText(" " + (_("Score") if by_score else _("Date")))
        self.sort.setAccessibleName(
            _("Sorted by score; press for date")
            if by_score
            else _("Sorted by date; press for score")
        )

    def _hardware_menu(self, menu: QMenu) -> None:
        from reader import classify

        counts = self._counts.hardware if self._counts else {}
        shown = dict.fromkeys([*self.filters.hardware, *counts])
        nodes = sorted(shown, key=lambda node: (*classify.ancestors(node), node))
        for node in nodes:
            depth = len(classify.ancestors(node))
            text = "    " * depth + words.hardware_name(node)
            self._toggle(menu, text, counts.get(node, 0), "hardware", node)
        if not nodes:
            menu.addAction(_("No hardware named")).setEnabled(False)

    def _evidence_menu(self, menu: QMenu) -> None:
        counts = self._counts.evidence if self._counts else {}
        for kind in (*reversed(words.EVIDENCE_ORDER), Evidence.NONE):
            text = words.evidence_name(kind)
            self._toggle(menu, text, counts.get(kind, 0), "evidence", kind)

    def _toggle(self, menu: QMenu, text: str, count: int, field: str, value: object) -> None:
        held = getattr(self.filters, field)
        action = menu.addAction(f"{text}\t{words.amount(count)}")
        action.setCheckable(True)
        action.setChecked(value in held)
        kept = _without(held, value) if value in held else (*held, value)
        changes: dict[str, Any] = {field: kept}
        wanted = replace(self.filters, **changes)
        action.triggered.connect(lambda: self._set(wanted))

    def _score_menu(self, menu: QMenu) -> None:
        choices = [(_("Any score"), None), *((f"≥ {n}", float(n)) for n in SCORES)]
        for text, value in choices:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(self.filters.min_score == value)
            wanted = replace(self.filters, min_score=value)
            action.triggered.connect(lambda _on=False, wanted=wanted: self._set(wanted))


def menu_button(parent: QWidget, name: str, fill: Callable[[QMenu], None]) -> QPushButton:
    """Return a button that opens a menu; `fill` makes the menu each time."""
    button = QPushButton(parent)
    button.setProperty("kind", "menu")
    button.setAutoDefault(False)
    button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    menu = QMenu(button)
    menu.setAccessibleName(name)

    def about_to_show() -> None:
        menu.clear()
        fill(menu)

    menu.aboutToShow.connect(about_to_show)
    button.setMenu(menu)
    show_chosen(button, name, [])
    return button


def show_chosen(button: QPushButton, name: str, chosen: list[str]) -> None:
    """Show on a menu's button what is chosen in it."""
    here = look()
    colour = here.tokens.accent_ink if chosen else here.tokens.ink2
    button.setIcon(icons.icon("down", colour))
    text = chosen[0] if len(chosen) == 1 else f"{name} {len(chosen)}" if chosen else name
    button.setText(f"{text} ")
    button.setAccessibleName(f"{name}: {', '.join(chosen)}" if chosen else name)
    if button.property("on") != bool(chosen):
        button.setProperty("on", bool(chosen))
        refresh_style(button)


class Chips(QWidget):
    """The filters in force, each with a way out of it."""

    removed = Signal(object)  # Filters

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("edge", "bottom")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._row = flow(QHBoxLayout(self), 6, (12, 0, 12, 8))
        self.hide()

    def show_state(self, filters: Filters) -> None:
        """Show one button for each filter."""
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        found = filters.chips()
        for name, rest in found:
            chip = QPushButton(name, self)
            chip.setProperty("kind", "on")
            chip.setProperty("size", "sm")
            chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
            chip.setIcon(icons.icon("close", look().tokens.accent_ink, 14))
            chip.setAccessibleName(_("Without {filter}").format(filter=name))
            chip.clicked.connect(lambda _on=False, rest=rest: self.removed.emit(rest))
            self._row.addWidget(chip)
        self._row.addStretch(1)
        self.setVisible(bool(found))
