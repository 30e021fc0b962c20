"""A line that breaks: real pip against a server of this machine that cuts its answers short."""

from __future__ import annotations

import hashlib
import http.server
import os
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reader import settings
from reader.checks import environment, interpreters
from reader.model import Packages
from tests.test_checks_environment import HERE, a_wheel

pytestmark = pytest.mark.real

CHUNK = 1 << 20


class Index:
    """A package index in memory whose answers may end after a megabyte."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.breaks: dict[str, int] = {}  # how often a file's answer is cut from now on
        self.sent: dict[str, int] = dict.fromkeys(files, 0)  # bytes
        self.ranges: list[str] = []

    def answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        """Send a page of links, or a file from where it is asked for."""
        name = handler.path.rstrip("/").rpartition("/")[2]
        if name not in self.files:
            links = [each for each in self.files if each.startswith(name.replace("-", "_"))]
            page = "".join(f'<a href="/files/{each}">{each}</a>' for each in links).encode()
            self._send(handler, 200, page, {"Content-Type": "text/html"})
            return
        body, start = self.files[name], 0
        asked = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range") or "")
        if asked:
            self.ranges.append(name)
            start = int(asked.group(1))
        extra = {
            "Accept-Ranges": "bytes",
            "ETag": f'"{hashlib.sha256(body).hexdigest()}"',
            "Cache-Control": "max-age=365000000, immutable",
        }
        if start:
            extra["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        cut = self.breaks.get(name, 0) > 0
        if cut:
            self.breaks[name] -= 1
        part = body[start:][: CHUNK if cut else None]
        self.sent[name] += len(part)
        self._send(handler, 206 if start else 200, part, extra, len(body) - start)

    def _send(
        self,
        handler: http.server.BaseHTTPRequestHandler,
        status: int,
        body: bytes,
        extra: dict[str, str],
        length: int | None = None,
    ) -> None:
        handler.send_response(status)
        for key, value in extra.items():
            handler.send_header(key, value)
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        handler.end_headers()
        handler.wfile.write(body)
        handler.close_connection = True


@contextmanager
def serving(index: Index) -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            index.answer(self)

        def log_message(self, *_said: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/simple"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def large(folder: Path) -> Path:
    """Return a wheel of four megabytes that do not compress."""
    wheel = a_wheel(folder)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("planted_noise.bin", os.urandom(4 * CHUNK))
    return wheel


def newer_pip(tmp_path: Path) -> bytes:
    """Return the wheel of the pinned pip from the index that this machine is set to use."""
    words = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes"]
    lock = str(settings.resource_path("pip.lock"))
    subprocess.run([*words, "-d", str(tmp_path / "pip"), "-r", lock], check=True)
    (wheel,) = (tmp_path / "pip").iterdir()
    return wheel.read_bytes()


def test_a_broken_download_goes_on_where_it_broke(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = newer_pip(tmp_path)
    wheel = large(tmp_path / "wheels")
    lock = f"planted-evens==1.2.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"
    (tmp_path / "check").mkdir()
    (tmp_path / "check" / "environment.lock").write_text(lock)
    index = Index({wheel.name: wheel.read_bytes(), "pip-25.3-py3-none-any.whl": pip})
    index.breaks[wheel.name] = 3
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    wanted = Packages(
        python=">=3.9",
        requires=("planted-evens==1.2.0",),
        lock="environment.lock",
        size_mb=200,
        import_names=("planted_evens",),
    )
    size, sent = wheel.stat().st_size, []
    with serving(index) as address:
        monkeypatch.setenv("PIP_INDEX_URL", address)
        # pip keeps nothing that came over plain http, unless the host is trusted
        monkeypatch.setenv("PIP_TRUSTED_HOST", address.split("/")[2])
        for name in ("envs", "others", "more"):
            root = tmp_path / name
            built = environment.build(
                wanted, tmp_path / "check", lambda _p: None, lambda: False, root=root, among=[HERE]
            )
            assert not interpreters.missing(built, wanted)
            sent.append(index.sent[wheel.name])
    assert index.ranges.count(wheel.name) == 3
    assert size <= sent[0] < 1.3 * size  # each byte once
    assert sent[-1] == sent[-2]  # what came whole is not fetched again
