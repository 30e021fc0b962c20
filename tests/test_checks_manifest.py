"""A wrong manifest is answered with file, line and field; a folder's hash is its whole content."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from reader.checks import manifest
from reader.checks.folder import trust, trusted
from reader.errors import ManifestError
from tests.checks_here import FOLDER

BAD = [
    ("schema = 1\n", "schema = 9\n", "schema", 1),
    ("schema = 1\n", "schema = 1\nsurprise = 2\n", "surprise", 2),
    ('name = "confirms"', 'name = "other"', "name", 2),
    ('title.zh = "偶数之和"\n', "", "title", None),
    ("seconds = 10", "seconds = 0", "limits.seconds", None),
    ("seconds = 10", 'seconds = "ten"', "limits.seconds", None),
    ("seconds = 10", "seconds = 10000000", "limits.seconds", None),
    ("memory_mb = 2048", "memory_gb = 2", "memory_gb", None),
    ('python = ">=3.9"', 'python = "three"', "environment.python", None),
    ('python = ">=3.9"', 'python = ">=3.9"\nrequires = ["triton"]', "environment.requires", None),
    ('python = ">=3.9"', 'python = ">=3.9"\nrequires = ["a==1; rm -rf"]', "requires", None),
    ('python = ">=3.9"', 'python = ">=3.9"\nlock = "../../etc/passwd"', "environment.lock", None),
    ('python = ">=3.9"', 'python = ">=3.9"\nlock = "/etc/passwd"', "environment.lock", None),
    ('expect = ["planted_found >= 1"]', 'expect = ["never_heard >= 1"]', "control.expect", None),
    ('expect = ["planted_found >= 1"]', "expect = []", "control.expect", None),
    ('confirm = ["odd_sums == 0"]', 'confirm = ["odd_sums = 0"]', "confirm", None),
    ('confirm = ["odd_sums == 0"]', "confirm = [\"__import__('os') == 0\"]", "confirm", None),
    ('kind = "property"', 'kind = "rumour"', "kind", None),
    ('id = "fast"', 'id = "even"', "id", None),
    ("{sums} 个和", "{nothing} 个和", "because", None),
    ('archs = ["sm_80", "sm_90"]', 'archs = ["sm_80; reboot"]', "archs", None),
    ('compute_capability = "8.0"', 'compute_capability = "new"', "compute_capability", None),
    ('milliseconds = "ms"', "milliseconds = 3", "measures.milliseconds", None),
    ('urls = ["https://github.com', 'urls = ["file:///etc', "matches.urls", None),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(FOLDER / "confirms", tmp_path / "confirms")


@pytest.mark.parametrize(("good", "bad", "field", "line"), BAD, ids=lambda v: str(v)[:28])
def test_a_wrong_manifest_is_named(
    folder: Path, good: str, bad: str, field: str, line: int | None
) -> None:
    file = folder / "check.toml"
    text = file.read_text(encoding="utf-8")
    assert good in text
    file.write_text(text.replace(good, bad, 1), encoding="utf-8")
    with pytest.raises(ManifestError) as caught:
        manifest.load(folder)
    said = str(caught.value)
    assert str(file) in said
    assert field in said
    assert "line" in said
    if line is not None:
        assert f"line {line}," in said


@pytest.mark.parametrize("body", [b"", b"= =", b"\xff\xfe", b"schema = 1\n" * 2])
def test_what_is_no_toml_is_named(folder: Path, body: bytes) -> None:
    (folder / "check.toml").write_bytes(body)
    with pytest.raises(ManifestError, match=r"check\.toml"):
        manifest.load(folder)


def test_the_script_has_to_be_there(folder: Path) -> None:
    (folder / "check.py").unlink()
    with pytest.raises(ManifestError, match=r"check\.py"):
        manifest.load(folder)


def test_the_hash_is_the_whole_content(folder: Path) -> None:
    before = manifest.load(folder).hash
    (folder / "kernel.cu").write_text("__global__ void k() {}\n")
    with_kernel = manifest.load(folder).hash
    (folder / "kernel.cu").rename(folder / "kernel2.cu")
    renamed = manifest.load(folder).hash
    assert len({before, with_kernel, renamed}) == 3
    (folder / "kernel2.cu").unlink()
    assert manifest.load(folder).hash == before


def test_a_link_out_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (folder / "data").symlink_to(tmp_path / "secret")
    with pytest.raises(ManifestError, match="data"):
        manifest.load(folder)


def test_a_huge_folder_is_refused(folder: Path) -> None:
    with (folder / "weights.bin").open("wb") as stream:
        os.truncate(stream.fileno(), 3_000_000_000)
    with pytest.raises(ManifestError, match="16 MB"):
        manifest.load(folder)


def test_a_check_of_ones_own_is_trusted_by_its_hash(folder: Path, tmp_path: Path) -> None:
    check = manifest.load(folder, bundled=False)
    assert not trusted(check, tmp_path / "data")
    trust(check, tmp_path / "data")
    assert trusted(check, tmp_path / "data")
    (folder / "check.py").write_text("print('changed')\n")
    assert not trusted(manifest.load(folder, bundled=False), tmp_path / "data")


def test_one_bad_folder_never_hides_the_others(folder: Path) -> None:
    bad = folder.parent / "bad"
    bad.mkdir()
    (bad / "check.toml").write_text("schema = 1\n")
    checks, faults = manifest.load_all([folder.parent])
    names = [check.name for check in checks]
    assert "confirms" in names
    assert "tvm-device-guard" in names
    assert len(faults) == 1


def test_what_ships_is_sound() -> None:
    checks, faults = manifest.load_all()
    assert not faults
    assert {"triton-sched4reg", "tvm-required-block-size", "tvm-device-guard"} <= {
        check.name for check in checks
    }
    for check in checks:
        assert check.bundled
        assert check.control
