"""The first start: what is here to read, what this machine can prove, and nothing to set up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QResizeEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QListView,
    QScrollArea,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from reader.gui import marks, words
from reader.gui.parts import Keys, button, clear, flow, icon_label, label, rule
from reader.gui.theme import look
from reader.gui.workbench import Bench, Offer, offers
from reader.language import _
from reader.model import Digest, DigestKind, Item, Layer, Query, StoryKind

if TYPE_CHECKING:
    from reader.store import Store

FIRST_TRY = "tvm-device-guard"  # the lightest check: no GPU, no toolkit, seconds
MOST = 3
NARROW = 900  # narrower than this, the two columns stand under one another


@dataclass(frozen=True, slots=True)
class Starter:
    """One digest that is here from the start."""

    id: str
    day: str
    title: str
    said: str
    layers: tuple[Layer, ...]
    claims: int
    here: int


@dataclass(frozen=True, slots=True)
class Welcome:
    """All that the page shows."""

    digests: tuple[Starter, ...]
    first: tuple[Item, Offer] | None
    sources: int  # bundled ones, not subscribed yet
    keyring: bool
    checks_here: int
    checks: int


def welcome(store: Store, bench: Bench | None) -> Welcome:
    """Read what is here to start with; on a worker."""
    from reader import sync

    rows = store.library.page(Query(kinds=(StoryKind.DIGEST,), limit=MOST))
    found, first = [], None
    for row in rows:
        digest = store.library.get(row.id)
        if not isinstance(digest, Digest):
            continue
        items = store.library.items(digest.id)
        fitting = [(item, offers(store, bench, item)) for item in items] if bench else []
        each_first = [(item, fit[0]) for item, fit in fitting if fit]
        for item, offer in each_first:
            if offer.check.name == FIRST_TRY or first is None:
                first = (item, offer)
        found.append(_starter(digest, items, each_first))
    have = {feed.url for feed in store.feeds.all()}
    bundled = [each for each in sync.bundled_sources() if each.url not in have]
    able = [any(p.here for p in bench.preflight(each)) for each in bench.checks] if bench else []
    return Welcome(tuple(found), first, len(bundled), keyring_usable(), sum(able), len(able))


def _starter(digest: Digest, items: list[Item], fitting: list[tuple[Item, Offer]]) -> Starter:
    layers = {layer for item in items for layer in (item.layers or item.labels.layers)}
    names = [item.title for item in items[:2]]
    title = digest.parsed.title
    if digest.parsed.kind is DigestKind.DAILY and names:
        title = _(", ").join(names)
    when = digest.published.astimezone() if digest.published else None
    sections: dict[str, int] = {}
    for item in items:
        sections[item.section] = sections.get(item.section, 0) + 1
    said = _(", ").join(
        f"{name} {count}" if name else _("{n} stories").format(n=count)
        for name, count in sections.items()
    )
    return Starter(
        digest.id,
        when.strftime("%m-%d") if when else "",
        title,
        said,
        tuple(each for each in Layer if each in layers),
        sum(len(offer.check.claims) for _item, offer in fitting),
        sum(offer.here for _item, offer in fitting),
    )


def keyring_usable() -> bool:
    """Say whether the system keeps secrets for us."""
    from reader import credentials

    return credentials.backend() is not None


class _Delegate(QStyledItemDelegate):
    def sizeHint(
        self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(0, look().px(94))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row: Starter = index.data(Qt.ItemDataRole.UserRole)
        here, t, box = look(), look().tokens, option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(t.select))
            painter.setPen(QColor(t.accent))
            painter.drawRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5))
        else:
            painter.setPen(QColor(t.line))
            painter.drawLine(box.left(), box.bottom(), box.right(), box.bottom())
        left, top = box.left() + here.px(78), box.top() + here.px(13)
        width = box.right() - here.px(14) - left
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(here.font("ui"))
        painter.setPen(QColor(t.ink2))
        day = QRect(box.left() + here.px(14), top, here.px(60), here.px(22))
        painter.drawText(day, middle, row.day)
        painter.drawText(
            QRect(left, top + here.px(24), width, here.px(20)),
            middle,
            painter.fontMetrics().elidedText(row.said, Qt.TextElideMode.ElideRight, width),
        )
        painter.setFont(here.font("title"))
        painter.setPen(QColor(t.ink))
        title = painter.fontMetrics().elidedText(row.title, Qt.TextElideMode.ElideRight, width)
        painter.drawText(QRect(left, top, width, here.px(22)), middle, title)
        y = top + here.px(47)
        marks.paint_layers(painter, left, y + here.px(5), row.layers)
        painter.setFont(here.font("meta"))
        painter.setPen(QColor(t.ink3))
        if row.claims:
            text = _("{n} claims with a check, {here} can be settled here")
            x = left + marks.strip_width() + here.px(8)
            line = QRect(x, y, width, here.px(20))
            painter.drawText(line, middle, text.format(n=row.claims, here=row.here))
        painter.restore()


class _List(QListView):
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            super().keyPressEvent(event)
        else:
            event.ignore()


class FirstStart(QWidget):
    """Shown until the user reads on; asks nothing."""

    read = Signal(str)  # a digest's id
    run = Signal(str, str)  # check, item
    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._welcome: Welcome | None = None
        column = flow(QVBoxLayout(self), 0)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAccessibleName(_("Start"))
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget()
        inner = flow(QVBoxLayout(page), 0, (72, 56, 72, 32))
        inner.addLayout(self._title())
        inner.addSpacing(look().px(36))
        self._inner = inner
        self._two = flow(QHBoxLayout(), 64)
        self._two.addLayout(self._left(), 54)
        self._two.addLayout(self._right(), 46)
        inner.addLayout(self._two)
        inner.addStretch(1)
        area.setWidget(page)
        column.addWidget(area, 1)
        column.addWidget(self._foot())

    def _title(self) -> QHBoxLayout:
        row = flow(QHBoxLayout(), 20)
        row.addWidget(icon_label("mark", "#000", 52))
        texts = flow(QVBoxLayout(), 2)
        big = label(_("Read, then prove"), "article")
        texts.addWidget(big)
        lead = _(
            "It works without a network. The starter digests are here; there is nothing to set up."
        )
        texts.addWidget(label(lead, "two", wrap=True))
        row.addLayout(texts, 1)
        return row

    def _left(self) -> QVBoxLayout:
        column = flow(QVBoxLayout(), 0)
        column.addLayout(_heading(_("Starter digests"), _("they come with the app")))
        self._model = QStandardItemModel(self)
        self.list = _List()
        self.list.setModel(self._model)
        self.list.setItemDelegate(_Delegate(self.list))
        self.list.setAccessibleName(_("Starter digests"))
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFixedHeight(look().px(94) * MOST)
        self.list.doubleClicked.connect(lambda _index: self.start())
        column.addWidget(self.list)
        column.addSpacing(look().px(28))
        self._try = flow(QVBoxLayout(), 0)
        column.addLayout(self._try)
        column.addSpacing(look().px(16))
        self._more = flow(QVBoxLayout(), 8)
        column.addLayout(self._more)
        column.addStretch(1)
        return column

    def _right(self) -> QVBoxLayout:
        column = flow(QVBoxLayout(), 0)
        column.addLayout(_heading(_("What this machine has"), _("looked at, never changed")))
        self._machine = flow(QVBoxLayout(), 0)
        self._machine.addWidget(label(_("looking at this machine…"), "two"))
        column.addLayout(self._machine)
        column.addStretch(1)
        return column

    def _foot(self) -> QWidget:
        made = QWidget()
        made.setObjectName("list")
        made.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        made.setProperty("edge", "top")
        made.setFixedHeight(look().px(76))
        self._foot_row = row = flow(QHBoxLayout(made), 28, (72, 0, 72, 0))
        self._hints: list[Keys] = []
        for keys, text in (
            (("j", "k"), _("next, previous")),
            (("v",), _("mark a claim worth a try")),
            (("r",), _("prove it on this machine")),
        ):
            self._hints.append(Keys(keys, text, ""))
            row.addWidget(self._hints[-1])
        row.addStretch(1)
        row.addWidget(button(_("Import…"), lambda: self.wanted.emit("import"), size="lg"))
        self.go = button(_("Start reading"), self.start, kind="go", size="lg", key="Enter")
        row.addWidget(self.go)
        return made

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the two columns under one another where they would squeeze one another."""
        narrow = event.size().width() < look().px(NARROW)
        ways = QBoxLayout.Direction
        self._two.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)
        self._two.setSpacing(look().px(28 if narrow else 64))
        for each in self._hints:
            each.setVisible(not narrow)
        side = look().px(28 if narrow else 72)
        self._inner.setContentsMargins(side, look().px(28 if narrow else 56), side, look().px(32))
        self._foot_row.setContentsMargins(side, 0, side, 0)
        super().resizeEvent(event)

    def start(self) -> None:
        """Read the digest that is selected."""
        index = self.list.currentIndex()
        row = index.data(Qt.ItemDataRole.UserRole) if index.isValid() else None
        self.read.emit(row.id if row else "")

    def try_first(self) -> None:
        """Run the first try."""
        if self._welcome and self._welcome.first:
            item, offer = self._welcome.first
            self.run.emit(offer.check.name, item.id)

    def step(self, step: int) -> None:
        """Select the next or previous digest."""
        place = max(0, min(self._model.rowCount() - 1, self.list.currentIndex().row() + step))
        self.list.setCurrentIndex(self._model.index(place, 0))

    def show_welcome(self, found: Welcome, bench: Bench | None) -> None:
        """Fill the page in as things become known."""
        self._welcome = found
        place = max(0, self.list.currentIndex().row())
        self._model.clear()
        for each in found.digests:
            item = QStandardItem(f"{each.day} {each.title}. {each.said}")
            item.setEditable(False)
            item.setData(each, Qt.ItemDataRole.UserRole)
            self._model.appendRow(item)
        self.list.setFixedHeight(look().px(94) * max(1, len(found.digests)) + 2)
        self.list.setCurrentIndex(self._model.index(place, 0))
        self._show_try(found)
        self._show_more(found)
        if bench is not None:
            self._show_machine(bench, found)

    def _show_try(self, found: Welcome) -> None:
        clear(self._try)
        if found.first is None:
            return
        _item, offer = found.first
        self._try.addLayout(_heading(_("Try one first"), _("no GPU needed, seconds")))
        row = flow(QHBoxLayout(), 12, (14, 12, 14, 12))
        t = look().tokens
        row.addWidget(icon_label("v-queued", t.queued))
        texts = flow(QVBoxLayout(), 0)
        texts.addWidget(label(words.text_of(offer.check.title), "label", wrap=True))
        ready = _("Its environment stands ready")
        build = _("Builds an environment of about {size} MB first; you are asked")
        said = ready if offer.build is None else build.format(size=offer.build.size_mb)
        texts.addWidget(label(said, "two", wrap=True))
        row.addLayout(texts, 1)
        row.addWidget(button(_("Run"), self.try_first, icon="play", key="r"))
        self._try.addLayout(row)
        self._try.addWidget(rule())

    def _show_more(self, found: Welcome) -> None:
        clear(self._more)
        if not found.sources:
            return
        text = _(
            "{n} sources are prepared: the digest site, releases, papers and blogs. "
            "Nothing is fetched before you say so."
        )
        self._more.addWidget(label(text.format(n=found.sources), "two", wrap=True))
        row = flow(QHBoxLayout(), 8)
        row.addWidget(
            button(_("Subscribe and sync"), lambda: self.wanted.emit("bundled"), icon="sync")
        )
        row.addStretch(1)
        self._more.addLayout(row)

    def _show_machine(self, bench: Bench, found: Welcome) -> None:
        clear(self._machine)
        kits = [each.version for each in bench.toolkits]
        pythons = bench.pythons
        gpus = list(dict.fromkeys(each.name for each in bench.machine.gpus))
        tools = sorted({name for each in bench.toolkits for name, _path in each.tools})
        for good, name, said, more in (
            (
                bool(kits),
                _("CUDA toolkits"),
                ", ".join(kits) or _("none found"),
                ", ".join(tools[:6]) if kits else _("checks that need nvcc wait"),
            ),
            (bool(pythons), "Python", ", ".join(pythons), _("used as they are, never changed")),
            (
                bench.free_gb > 5,
                _("Disk"),
                _("{n} GB free").format(n=bench.free_gb),
                _("a check's environment is built only when it is wanted; the size is said before"),
            ),
            (
                found.keyring,
                _("Keyring"),
                _("usable") if found.keyring else _("none found"),
                _("secrets are kept only there; reading needs none"),
            ),
            (
                bool(gpus),
                _("GPU and driver"),
                ", ".join(gpus) or _("none found"),
                bench.machine.driver or _("claims that need one wait in the queue"),
            ),
        ):
            self._machine.addLayout(_fact(good, name, said, more))
            self._machine.addWidget(rule())
        self._machine.addSpacing(look().px(12))
        self._machine.addWidget(Tally(found.checks, found.checks_here))
        text = _("{n} checks; {here} of them show something on this machine")
        self._machine.addWidget(label(text.format(n=found.checks, here=found.checks_here), "label"))
        self._machine.addWidget(
            label(_("Code, properties and regressions need no GPU."), "two", wrap=True)
        )


def _fact(good: bool, name: str, said: str, more: str) -> QHBoxLayout:
    t = look().tokens
    row = flow(QHBoxLayout(), 12, (0, 8, 0, 8))
    mark = icon_label("read" if good else "diff", t.confirmed if good else t.ink2)
    if not good:
        mark = label("–", "two")
        mark.setFixedWidth(look().px(16))
    row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
    title = label(name, "label")
    title.setFixedWidth(look().px(124))
    row.addWidget(title, 0, Qt.AlignmentFlag.AlignTop)
    texts = flow(QVBoxLayout(), 0)
    texts.addWidget(label(said, "", wrap=True))
    texts.addWidget(label(more, "meta3", wrap=True))
    row.addLayout(texts, 1)
    return row


def _heading(title: str, aside: str) -> QVBoxLayout:
    column = flow(QVBoxLayout(), 8)
    row = flow(QHBoxLayout(), 8)
    row.addWidget(label(title, "label"))
    row.addWidget(label(aside, "meta3"))
    row.addStretch(1)
    column.addLayout(row)
    column.addWidget(rule())
    return column


class Tally(QWidget):
    """One cell a check: filled where this machine can show something of it."""

    def __init__(self, total: int, here: int) -> None:
        super().__init__()
        self._total, self._here = total, here
        self.setFixedHeight(look().px(18))

    def paintEvent(self, _event: object) -> None:
        painter, t, here = QPainter(self), look().tokens, look()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        gap = here.px(3)
        wide = min(here.px(80), (self.width() - gap * self._total) / max(1, self._total))
        for place in range(self._total):
            box = QRectF(place * (wide + gap) + 0.5, 0.5, wide - 1, here.px(9))
            filled = place < self._here
            painter.setPen(QColor(t.cell_on if filled else t.line2))
            painter.setBrush(QColor(t.cell_on if filled else t.page))
            painter.drawRoundedRect(box, 1.5, 1.5)
        painter.end()
