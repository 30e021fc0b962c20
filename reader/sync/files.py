"""Files of the user's → text and entries; each that cannot be read says why and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from reader.errors import NotUnderstood, SourceError
from reader.language import _
from reader.model import Form, Incoming, ParsedEntry
from reader.sync.bodies import address_of, as_html, title_of
from reader.sync.receive import incoming

TEXTS = (".md", ".markdown", ".html", ".htm", ".txt")
READ = (*TEXTS, ".xml", ".atom", ".rss", ".json", ".opml", ".zip")
MOST_BYTES = 8 << 20
_KINDS = (
    (b"%PDF-", "PDF"),
    (b"\x89PNG\r\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"PK\x03\x04", "ZIP"),
    (b"\x1f\x8b", "GZIP"),
    (b"\x7fELF", "ELF"),
    (b"SQLite format 3\0", "SQLite"),
)
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def found_in(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that can be read, by name; what is hidden is passed over."""
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        raise SourceError(
            _("The folder cannot be read ({detail}). Check its permissions.").format(
                detail=error.strerror
            )
        ) from error
    for each in inside:
        if each.name.startswith(".") or each.is_symlink():
            continue
        if each.is_dir():
            yield from found_in(each)
        elif each.suffix.lower() in READ:
            yield each


def content_of(path: Path) -> bytes:
    """Return a file's bytes.

    Raises SourceError when there are none, too many, or no permission, and NotUnderstood when they
    begin like a picture, an archive or a program.
    """
    try:
        if not path.is_file():
            raise SourceError(
                _("This is no plain file. Give the post itself.")
                if path.exists()
                else _("There is no such file. Check the path.")
            )
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise SourceError(
                _(
                    "The file has {size} MB; no post is larger than {most}. Give the post alone."
                ).format(size=size >> 20, most=MOST_BYTES >> 20)
            )
        body = path.read_bytes()
    except OSError as error:
        raise SourceError(
            _("The file cannot be read ({detail}). Check its permissions.").format(
                detail=error.strerror or error
            )
        ) from error
    if not body.strip():
        raise SourceError(_("The file is empty. Save the post again."))
    for mark, kind in _KINDS:
        if body.startswith(mark):
            raise NotUnderstood(
                _("This is a {kind} file. Save the post as text or HTML.").format(kind=kind)
            )
    return body


def text_of(body: bytes) -> str:
    """Return a file's text: marked UTF-16 and UTF-32, UTF-8, else GB18030; raises NotUnderstood."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _kept(body[len(mark) :].decode(name, "replace"))
    if (wide := _unmarked_utf16(body)) is not None:
        return _kept(wide)
    if b"\0" in body[:4096]:
        raise NotUnderstood(_("This is no text but a binary file. Save the post as text or HTML."))
    for name in ("utf-8", "gb18030", "big5hkscs"):
        try:
            return _kept(body.decode(name))
        except UnicodeDecodeError:
            continue
    loose = body.decode("utf-8", "replace")
    if loose.count("\ufffd") * 20 > len(loose):
        raise NotUnderstood(_("The text's encoding is not known. Save it again as UTF-8."))
    return _kept(loose)


def _unmarked_utf16(body: bytes) -> str | None:
    """Return the text of UTF-16 without its mark: every ASCII character brings a zero byte."""
    zeros = body[1:4096:2].count(0), body[0:4096:2].count(0)
    if min(zeros) or max(zeros) * 40 < min(len(body), 4096):
        return None
    try:
        return body.decode("utf-16-le" if zeros[0] else "utf-16-be")
    except UnicodeDecodeError:
        return None


def _kept(text: str) -> str:
    controls = sum(c < " " and c not in "\t\n\r\f\x0b" for c in text[:4096])
    if controls * 10 > min(len(text), 4096):
        raise NotUnderstood(_("This is no text but a binary file. Save the post as text or HTML."))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: Path, body: bytes) -> Incoming:
    """Return what a Markdown, HTML or text file holds, divided where it is a digest."""
    return from_text(
        text_of(body), name=path.stem, guid=None, published=_file_date(path), suffix=path.suffix
    )


def from_text(
    text: str,
    *,
    name: str,
    guid: str | None,
    published: datetime | None = None,
    url: str | None = None,
    suffix: str = ".md",
) -> Incoming:
    """Return what a text holds, in whichever form it is written."""
    from reader.digest import forms

    form = forms.detect_form(text)
    if suffix.lower() in (".md", ".markdown") and form is Form.TEXT:
        form = Form.MARKDOWN
    if form in (Form.PAGE, Form.FEED_HTML):
        url = url or address_of(text)
    entry = ParsedEntry(
        title=title_of(text, form, name),
        guid=guid or f"file:{name}{suffix.lower()}",
        url=url,
        published=published,
        content_html=as_html(text, form),
        base_url=url,
    )
    return incoming(entry, form, content=text)


def _file_date(path: Path) -> datetime | None:
    """Return the day a file's name begins with (the way posts are named)."""
    try:
        return datetime.fromisoformat(path.name[:10]).replace(tzinfo=UTC)
    except ValueError:
        return None
