"""Secrets: keyring, environment, memory, and never a file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import keyring
import keyring.core
import keyring.errors
import pytest
from keyring.backend import KeyringBackend

from reader.credentials import Credentials, Where, describe


class InMemory(KeyringBackend):
    """A keyring of this test's own."""

    priority = 1.0
    locked = False

    @cached_property
    def held(self) -> dict[tuple[str, str], str]:
        return {}

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise keyring.errors.KeyringLocked("locked")
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.locked:
            raise keyring.errors.KeyringLocked("locked")
        self.held[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.held[service, username]


def _ring() -> InMemory:
    made: InMemory = object.__new__(InMemory)
    return made


@pytest.fixture(autouse=True)
def keep_backend() -> Iterator[None]:
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


def test_the_keyring_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring.set_keyring(_ring())
    monkeypatch.setenv("READPROOF_TOKEN_GITHUB", "from the environment")
    secrets = Credentials()
    assert secrets.get("github").where is Where.ENVIRONMENT
    assert secrets.set("github", "from the ring") is Where.KEYRING
    assert Credentials().get("github").value == "from the ring"
    secrets.remove("github")
    assert secrets.get("github").where is Where.ENVIRONMENT
    assert "keyring" in describe()


def test_without_a_keyring_it_lasts_for_this_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring.core.set_keyring(keyring.core.load_keyring("keyring.backends.fail.Keyring"))
    monkeypatch.delenv("READPROOF_TOKEN_GITHUB", raising=False)
    secrets = Credentials()
    assert secrets.get("github").where is Where.NOWHERE
    assert secrets.set("github", "s3cret") is Where.MEMORY
    assert secrets.get("github").value == "s3cret"
    assert Credentials().get("github").where is Where.NOWHERE
    assert "s3cret" not in repr(secrets.get("github"))
    assert "READPROOF_TOKEN_GITHUB" in describe()
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(b"s3cret" in file.read_bytes() for file in files)


def test_a_locked_keyring_is_as_none() -> None:
    ring = _ring()
    ring.locked = True
    keyring.set_keyring(ring)
    secrets = Credentials()
    assert secrets.set("github", "x") is Where.MEMORY
    assert secrets.get("github").where is Where.MEMORY


def test_a_keyring_in_plain_text_is_refused() -> None:
    plain = type("PlaintextKeyring", (InMemory,), {"__module__": "keyrings.alt.file"})
    ring: InMemory = object.__new__(plain)
    keyring.set_keyring(ring)
    assert Credentials().set("github", "x") is Where.MEMORY
    assert ring.held == {}
