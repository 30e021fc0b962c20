"""Every error Readproof raises on purpose, by whose fault it is.

ReadproofError
├── Expected                 the world's: shown in one line with what to do, exit 1
│   ├── SourceError          a feed, page, file or server did not give what was asked
│   ├── NotUnderstood        bytes arrived, but they are not what they should be
│   ├── StoreError           the store cannot be opened, read or written
│   └── CheckError           a check cannot be prepared or run here
│       ├── ManifestError    its check.toml is wrong: file, line and field
│       ├── EnvironmentFault its Python environment cannot be found or built
│       └── ToolkitError     the CUDA toolkit asked for is not usable
├── Usage                    the caller's words are off, exit 2
└── Interrupted              the person stopped it, exit 130

Anything else that escapes is a bug of ours: logged with its trace, exit 3.
"""

from __future__ import annotations

from pathlib import Path


class ReadproofError(Exception):
    """The root; `str()` is one finished sentence in the current language."""

    exit_code = 1


class Expected(ReadproofError):
    """The world's fault: the text names what is wrong and what to do."""


class SourceError(Expected):
    """A feed, page, file or server did not give what was asked."""


class NotUnderstood(Expected):
    """Bytes arrived, but they are not what they should be."""


class StoreError(Expected):
    """The store cannot be opened, read or written."""


class CheckError(Expected):
    """A check cannot be prepared or run here."""


class NotTrusted(CheckError):
    """A check of the user's own whose very content was never trusted; the window asks."""


class ManifestError(CheckError):
    """A check's manifest is wrong; the text names file, line and field."""

    folder: Path | None = None  # the check's, where it is known


class EnvironmentFault(CheckError):
    """A check's Python environment cannot be found or built."""


class ToolkitError(CheckError):
    """The CUDA toolkit asked for is not usable."""


class Usage(ReadproofError):
    """The caller's words are off."""

    exit_code = 2


class Interrupted(ReadproofError):
    """The person stopped it."""

    exit_code = 130
