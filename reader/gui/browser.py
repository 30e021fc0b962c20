"""The text of a story: a QTextBrowser that shows kept pictures and never touches the network."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QByteArray, Qt, QUrl, Signal
from PySide6.QtGui import QImage, QResizeEvent, QTextBlockFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget

from reader.gui import article, icons
from reader.gui.desk import Desk
from reader.gui.theme import look
from reader.language import _

MEASURE = 650
MARGIN = 44
_ROUTED = ("story", "entry")
_SMOOTH = Qt.TransformationMode.SmoothTransformation


class Browser(QTextBrowser):
    """Shows one document; links go to the window."""

    followed = Signal(str)
    margin = edge = MARGIN  # the least room at the left, at the right

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._images: dict[str, QImage | None] = {}
        self._turn = 0
        self.setOpenLinks(False)
        self.setAccessibleName(_("Article"))
        self.document().setDocumentMargin(0)
        self.anchorClicked.connect(lambda url: self.followed.emit(url.toString()))

    def show_body(self, body: str) -> None:
        """Show sanitised HTML from its beginning."""
        self._turn += 1
        document = self.document()
        document.setDefaultStyleSheet(article.styles(look()))
        document.setDefaultFont(look().font("body"))
        self.setHtml(f"<body>{body}</body>")
        self._lines(document)

    def _lines(self, document: QTextDocument) -> None:
        """Give each paragraph the line height that its script needs."""
        kind = QTextBlockFormat.LineHeightTypes.MinimumHeight.value
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        block = document.begin()
        while block.isValid():
            text = block.text()
            shape = block.blockFormat()
            if text and not shape.nonBreakableLines() and not shape.headingLevel():
                small = block.charFormat().font().pixelSize() < look().px(15)
                high = 27 if article.han_share(text) >= 0.3 else 25
                shape.setLineHeight(look().px(22 if small else high), kind)
                cursor.setPosition(block.position())
                cursor.setBlockFormat(shape)
            block = block.next()
        cursor.endEditBlock()

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        url = name.toString() if isinstance(name, QUrl) else name
        if url.startswith("icon:"):
            return icons.pixmap(url[5:], look().tokens.ink3, look().px(16)).toImage()
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return QByteArray()
        if url not in self._images:
            self._images[url] = None
            self._fetch(url)
        return self._images[url] or QImage()

    def _fetch(self, url: str) -> None:
        turn = self._turn
        wide = min(look().px(MEASURE), max(look().px(240), self.viewport().width() - look().px(24)))

        def decoded(store: Any) -> QImage | None:
            found = store.images.get(url)
            if found is None:
                return None
            image = QImage.fromData(found[1])
            return image if image.width() <= wide else image.scaledToWidth(wide, _SMOOTH)

        def arrived(image: QImage | None) -> None:
            if image is None or image.isNull() or turn != self._turn:
                return
            self._images[url] = image
            document = self.document()
            document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(url), image)
            document.markContentsDirty(0, document.characterCount())

        self._desk.ask(decoded, arrived)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit()
        super().resizeEvent(event)

    def fit(self) -> None:
        """Leave the margins that the width has room for."""
        side, edge = look().px(self.margin), look().px(self.edge)
        spare = max(edge, self.width() - side - look().px(MEASURE) - look().px(10))
        self.setViewportMargins(side, look().px(10), spare, 0)

    def page(self) -> bool:
        """Scroll one page on; False at the end."""
        bar = self.verticalScrollBar()
        if bar.value() >= bar.maximum():
            return False
        bar.setValue(bar.value() + max(20, bar.pageStep() - look().px(40)))
        return True
