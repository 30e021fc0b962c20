"""Secrets: keyring, environment, memory, and never a file."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import keyring
import keyring.backends.fail
import keyring.core
import keyring.errors
import pytest
from keyring.backend import KeyringBackend

from reader import cli, identity, opml, sync
from reader.credentials import Credentials, Where, describe
from reader.errors import SourceError
from reader.model import Fetch, Health
from reader.store import Store
from tests.command import command
from tests.feed_server import Answer, serving


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
    assert Credentials().get("github").value == "s3cret"  # whoever asks, in this start
    Credentials().remove("github")
    assert secrets.get("github").where is Where.NOWHERE
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


# ── logins in addresses, and the command ───────────────────────────────────────────────────────

SECRET = "open-sesame"


@pytest.mark.parametrize(
    ("url", "bare"),
    [
        ("https://me:open-sesame@example.org/feed", "https://example.org/feed"),
        ("https://me@example.org/feed", "https://example.org/feed"),
        (" HTTP://me:p%40ss@example.org:8443/x?a@b", " HTTP://example.org:8443/x?a@b"),
        ("https://example.org/@me/feed", "https://example.org/@me/feed"),
        ("https://example.org?mail=a@b.org", "https://example.org?mail=a@b.org"),
        ("a@b.org", "a@b.org"),
    ],
)
def test_an_address_without_its_login(url: str, bare: str) -> None:
    assert identity.without_login(url) == bare


def test_a_typed_login_goes_to_the_keyring_and_nowhere_else(tmp_path: Path) -> None:
    ring = _ring()
    keyring.set_keyring(ring)
    store = tmp_path / "s.db"
    url = f"https://me:{SECRET}@feeds.example.org/a.xml"
    (feed,) = sync.subscribe(store, url, "feed")
    assert feed.url == "https://feeds.example.org/a.xml"
    assert ring.held == {("readproof", "feeds.example.org"): f"me:{SECRET}"}
    listed = tmp_path / "list.opml"
    listed.write_text(
        "<opml version='2.0'><body><outline type='rss' text='B'"
        f" xmlUrl='https://me:{SECRET}@b.example.org/f'/></body></opml>"
    )
    sync.import_paths(store, [listed])
    assert ring.held["readproof", "b.example.org"] == f"me:{SECRET}"
    with Store.open(store) as opened:
        assert opened.feeds.all()[1].url == "https://b.example.org/f"
        opened.export_data(tmp_path / "mine.zip")
        assert SECRET.encode() not in opml.write(opened.feeds.all())
    for file in tmp_path.rglob("*"):
        if file.is_file() and file != listed:
            assert SECRET.encode() not in file.read_bytes(), file


def test_without_a_keyring_a_typed_login_is_refused_and_stored_nowhere(tmp_path: Path) -> None:
    keyring.set_keyring(object.__new__(keyring.backends.fail.Keyring))
    store = tmp_path / "s.db"
    with pytest.raises(SourceError, match="READPROOF_TOKEN_EXAMPLE_ORG") as caught:
        sync.subscribe(store, f"https://me:{SECRET}@example.org/", "feed")
    assert SECRET not in str(caught.value)
    assert Credentials().get("example.org").where is Where.NOWHERE
    listed = tmp_path / "list.opml"
    listed.write_text(
        f"<opml><body><outline xmlUrl='https://me:{SECRET}@example.org/f'/></body></opml>"
    )
    result = sync.import_paths(store, [listed])
    assert (result.feeds, len(result.notices)) == (1, 1)
    assert SECRET not in result.notices[0]
    assert SECRET.encode() not in store.read_bytes()


@pytest.mark.parametrize("words", [(), ("--preview",), ("--preview", "--json")])
def test_a_typed_login_is_shown_nowhere(tmp_path: Path, words: tuple[str, ...]) -> None:
    keyring.set_keyring(object.__new__(keyring.backends.fail.Keyring))
    url = f"http://me:{SECRET}@127.0.0.1:9/feed"
    called = command("add", url, *words, store=tmp_path / "s.db")
    assert called.code == 1
    assert "127.0.0.1" in called.err
    assert SECRET not in called.err + called.out


def test_a_preview_names_the_address_without_its_login(tmp_path: Path) -> None:
    keyring.set_keyring(_ring())
    with serving() as server:
        server.answers[f"{server.address}feed"] = Answer(
            b"<rss version='2.0'><channel><title>T</title></channel></rss>"
        )
        url = f"{server.address}feed".replace("http://", f"http://me:{SECRET}@")
        for words in (("--preview",), ("--preview", "--json"), ()):
            called = command("add", url, "--kind", "feed", *words, store=tmp_path / "s.db")
            assert called.code == 0, called.err
            assert SECRET not in called.err + called.out


def test_a_moved_feed_brings_no_login(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        feed = store.feeds.add("https://example.org/a")
        now = datetime(2026, 11, 3, tzinfo=UTC)
        moved = f"https://me:{SECRET}@example.org/b"
        store.feeds.record(feed.id, Fetch(at=now, outcome=Health.OK, url=moved))
        assert store.feeds.get(feed.id).url == "https://example.org/b"


def test_the_command_keeps_lists_and_forgets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ring = _ring()
    keyring.set_keyring(ring)

    def call(*words: str) -> int:
        return cli.main(["--store", str(tmp_path / "s.db"), *words], lambda _session: 0)

    monkeypatch.setattr("sys.stdin", io.StringIO(f"{SECRET}\n"))
    assert call("secret", "set", "github") == 0
    assert ring.held == {("readproof", "github"): SECRET}
    assert call("secret", "list", "--json") == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == [{"name": "github", "where": "keyring"}]
    assert SECRET not in said.out + said.err
    assert call("secret", "remove", "github") == 0
    assert ring.held == {}
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{SECRET}\n"))
    assert call("secret", "set", f"me:{SECRET}@example.org") == 2
    assert SECRET not in capsys.readouterr().err
