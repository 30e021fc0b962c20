"""Secrets: the system's keyring, else the environment, else memory for this start; never a file.

All calls may block (a keyring may ask to be unlocked): never on the main thread.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from reader.language import _

SERVICE = "readproof"
PREFIX = "READPROOF_TOKEN_"


class Where(StrEnum):
    """Where a secret stands."""

    KEYRING = "keyring"
    ENVIRONMENT = "environment"
    MEMORY = "memory"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret and where it came from; it never shows itself in a log."""

    where: Where
    value: str | None = None

    def __repr__(self) -> str:
        return f"Secret(where={self.where!r})"


class Credentials:
    """The secrets of this start."""

    _memory: ClassVar[dict[str, str]] = {}  # of the whole start, whoever asks

    def get(self, name: str) -> Secret:
        """Return a secret by its name, such as github."""
        if value := self._memory.get(name):
            return Secret(Where.MEMORY, value)
        keyring = _keyring()
        if keyring is not None and (value := _asked(keyring, name)):
            return Secret(Where.KEYRING, value)
        if value := os.environ.get(variable(name)):
            return Secret(Where.ENVIRONMENT, value)
        return Secret(Where.NOWHERE)

    def set(self, name: str, value: str) -> Where:
        """Keep a secret; return whether it stays (keyring) or lasts for this start (memory)."""
        keyring = _keyring()
        if keyring is not None:
            try:
                keyring.set_password(SERVICE, name, value)
            except Exception:  # every backend raises its own; memory is the answer to all
                keyring = None
        if keyring is None:
            self._memory[name] = value
            return Where.MEMORY
        self._memory.pop(name, None)
        return Where.KEYRING

    def remove(self, name: str) -> None:
        """Forget a secret in keyring and memory; the environment is the user's."""
        self._memory.pop(name, None)
        keyring = _keyring()
        if keyring is not None and _asked(keyring, name):
            keyring.delete_password(SERVICE, name)


def describe() -> str:
    """Return one line on where secrets are kept here, for doctor and settings."""
    keyring = _keyring()
    if keyring is not None:
        return _("Secrets are kept in the system's keyring ({name}).").format(name=keyring.name)
    return _(
        "No keyring here: secrets last until the app closes, or come from the environment "
        "(such as {variable})."
    ).format(variable=variable("github"))


def backend() -> str | None:
    """Return the name of the keyring that holds secrets here; None where there is none."""
    keyring = _keyring()
    return None if keyring is None else f"{type(keyring).__module__}.{type(keyring).__qualname__}"


def variable(name: str) -> str:
    """Return the environment variable that a secret may stand in."""
    return PREFIX + "".join(c if c.isalnum() else "_" for c in name).upper()


def _asked(keyring: Any, name: str) -> str | None:
    try:
        value: str | None = keyring.get_password(SERVICE, name)
    except Exception:  # locked, gone, or refused by the user: as if there were none
        return None
    return value


def _keyring() -> Any:
    """Return the keyring's backend, or None where there is none that is safe."""
    try:
        import keyring

        backend: Any = keyring.get_keyring()
    except Exception:  # a broken back end must not keep the app from starting
        return None
    return backend if _is_safe(backend) else None


def _is_safe(backend: Any) -> bool:
    """Refuse no backend at all, and keyrings.alt, which stores plain text."""
    inner = list(getattr(backend, "backends", ()))
    if inner:
        return any(map(_is_safe, inner)) and not any(map(_is_alternative, inner))
    module = type(backend).__module__
    return not module.startswith(("keyring.backends.fail", "keyring.backends.null")) and (
        not _is_alternative(backend)
    )


def _is_alternative(backend: Any) -> bool:
    return type(backend).__module__.startswith("keyrings.alt")
