"""Environments: the user's own as it is, or one built whole from pinned wheels, or nothing."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from reader.checks import building, builds, environment, interpreters, standing
from reader.errors import EnvironmentFault, Interrupted
from reader.model import Interpreter, Packages, RunProgress

WHEEL = "planted_evens-1.2.0-py3-none-any.whl"
HERE = Interpreter(sys.executable, ".".join(map(str, sys.version_info[:3])), "path")


def a_wheel(folder: Path, version: str = "1.2.0") -> Path:
    """Write a small wheel by hand: no build tool, no network."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"planted_evens-{version}.dist-info"
    wheel = folder / WHEEL.replace("1.2.0", version)
    files = {
        "planted_evens.py": f"EVENS = (2, 4)\nVERSION = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: planted-evens\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    lines = []
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
            lines.append(f"{name},sha256={digest.decode()},{len(text.encode())}")
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", "\n".join([*lines, f"{info}/RECORD,,\n"]))
    return wheel


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packages:
    """What a check needs that can be had from a folder; the lock names the wheel's hash."""
    wheel = a_wheel(tmp_path / "wheels")
    (tmp_path / "check").mkdir()
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (tmp_path / "check" / "environment.lock").write_text(
        f"planted-evens==1.2.0 --hash=sha256:{digest}\n"
    )
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    return Packages(
        python=">=3.9",
        requires=("planted-evens==1.2.0",),
        lock="environment.lock",
        size_mb=10,
        import_names=("planted_evens",),
    )


def build(packages: Packages, tmp_path: Path, **others: object) -> Interpreter:
    heard: list[RunProgress] = []
    cancelled = others.get("cancelled", lambda: False)
    assert callable(cancelled)
    return environment.build(
        packages, tmp_path / "check", heard.append, cancelled, root=tmp_path / "envs", among=[HERE]
    )


def test_built_whole_shared_and_removed(packages: Packages, tmp_path: Path) -> None:
    built = build(packages, tmp_path)
    assert built.origin == "managed"
    assert dict(built.packages)["planted-evens"] == "1.2.0"
    found = environment.managed(packages, tmp_path / "check", root=tmp_path / "envs")
    assert found is not None
    assert found.path == built.path
    assert environment.size(packages, tmp_path / "check", root=tmp_path / "envs") > 0
    again = replace(packages, size_mb=99)  # another check with the same needs
    assert environment.managed(again, tmp_path / "check", root=tmp_path / "envs") is not None
    (took,) = builds.earlier(tmp_path / "envs")  # what the next estimate stands on
    assert took.seconds > 0
    estimate = environment.build_time([packages], tmp_path / "check", root=tmp_path / "envs")
    assert (estimate.seconds, estimate.same) == (took.seconds, True)
    (kept,) = environment.managed_all(tmp_path / "envs")
    assert environment.remove(kept.key, root=tmp_path / "envs")
    assert environment.managed(packages, tmp_path / "check", root=tmp_path / "envs") is None
    assert not environment.remove(kept.key, root=tmp_path / "envs")


def test_a_wrong_hash_builds_nothing(packages: Packages, tmp_path: Path) -> None:
    (tmp_path / "check" / "environment.lock").write_text(
        f"planted-evens==1.2.0 --hash=sha256:{'0' * 64}\n"
    )
    with pytest.raises(EnvironmentFault):
        build(packages, tmp_path)
    assert not environment.managed_all(tmp_path / "envs")
    assert not [p for p in (tmp_path / "envs").iterdir() if p.is_dir()]


def test_cancel_leaves_nothing_half_made(packages: Packages, tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        build(packages, tmp_path, cancelled=lambda: True)
    assert not [p for p in (tmp_path / "envs").iterdir() if p.is_dir()]


def test_a_killed_build_is_cleaned_at_the_next_start(packages: Packages, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "wheels")
    code = (
        "import sys, pathlib, tests.test_checks_environment as t\n"
        "from reader.checks import environment\n"
        "from reader.model import Packages\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "def said(progress):\n"
        "    if list((root / 'envs').glob('*/pyvenv.cfg')):\n"
        "        print('half', flush=True); import time; time.sleep(600)\n"
        "environment.build(Packages('>=3.9', ('planted-evens==1.2.0',), 'environment.lock', 10,"
        " ('planted_evens',)), root / 'check', said, lambda: False, root=root / 'envs',"
        " among=[t.HERE])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[1],
        start_new_session=True,
    )
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"half\n"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert environment.managed(packages, tmp_path / "check", root=tmp_path / "envs") is None
    old = time.time() - 10 * 24 * 3600
    for place in (tmp_path / "envs").iterdir():
        os.utime(place, (old, old))
    environment.reap(tmp_path / "envs")
    assert not [p for p in (tmp_path / "envs").iterdir() if p.is_dir()]


def test_the_users_own_python_is_used_as_it_is(tmp_path: Path, packages: Packages) -> None:
    venv = tmp_path / "mine"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / "bin" / "python"
    site = next((venv / "lib").glob("python*")) / "site-packages"
    with zipfile.ZipFile(tmp_path / "wheels" / WHEEL) as archive:
        archive.extractall(site)
    before = sorted(str(p) for p in venv.rglob("*"))
    named = interpreters.asked(python, packages)
    assert named.path == str(python)
    assert environment.satisfying(packages, [HERE, named]) == named
    assert sorted(str(p) for p in venv.rglob("*")) == before


def test_an_older_version_of_the_users_will_do_where_the_check_says_so(packages: Packages) -> None:
    mine = replace(HERE, packages=(("planted-evens", "1.1.0"),))
    assert interpreters.missing(mine, packages) == ["planted-evens==1.2.0"]
    assert not interpreters.missing(mine, replace(packages, accepts=("planted-evens>=1.0",)))
    assert interpreters.missing(mine, replace(packages, accepts=("planted-evens>=1.2",)))


@pytest.mark.parametrize("there", [True, False])
def test_a_lighter_lock_is_tried_first(
    packages: Packages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    lighter = replace(packages, lighter="lighter.lock")
    (tmp_path / "check" / "lighter.lock").write_text("planted-evens==1.2.0+light --hash=sha256:0\n")
    tried: list[str] = []

    def pip(argv: list[str], *_others: object) -> tuple[int, str]:
        tried.append(Path(argv[-1]).name)
        return int(not there and argv[-1].endswith("lighter.lock")), ""

    monkeypatch.setattr(building, "_stream", pip)
    with pytest.raises(EnvironmentFault):  # nothing was really installed
        build(lighter, tmp_path)
    locks = [each for each in tried if each.endswith(".lock")]
    assert locks == (["lighter.lock"] if there else ["lighter.lock", "environment.lock"])
    keys = [environment.install_key(each, tmp_path / "check") for each in (packages, lighter)]
    assert keys[0] != keys[1]


def test_what_a_named_python_lacks_is_said(packages: Packages, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match=r"planted-evens==1\.2\.0"):
        interpreters.asked(sys.executable, packages)
    with pytest.raises(EnvironmentFault, match="--python"):
        interpreters.asked(tmp_path / "nothing", packages)


@pytest.mark.parametrize("layout", ["venv", "conda", "pyenv"])
def test_pythons_are_found_where_people_keep_them(
    layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(os.environ["HOME"])
    place = {
        "venv": tmp_path / "v",
        "conda": home / "miniconda3" / "envs" / "kernels",
        "pyenv": home / ".pyenv" / "versions" / "3.11.99",
    }[layout]
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("PYENV_ROOT", raising=False)
    if layout == "venv":
        monkeypatch.setenv("VIRTUAL_ENV", str(place))
    found = [each for each in interpreters.interpreters() if Path(each.path).is_relative_to(place)]
    assert [each.origin for each in found] == [layout]


def test_names_of_one_python_are_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, again = tmp_path / "bin", tmp_path / "again"
    folder.mkdir()
    again.symlink_to(folder)
    said = tmp_path / "asked"
    answer = '{"version": "3.11.2", "path": "%s", "packages": {}}'
    for name in ("python3.11", "dispatcher"):
        program = folder / name
        found = answer % (folder / name)
        program.write_text(f"#!/bin/sh\necho ${{0##*/}} >> {said}\necho '{found}'\n")
        program.chmod(0o755)
    (folder / "python3").symlink_to("python3.11")
    (folder / "python3.12").symlink_to("dispatcher")  # what it is depends on its name
    (folder / "python3.13").symlink_to("dispatcher")
    monkeypatch.setenv("PATH", f"{folder}:{again}")
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "frozen", True, raising=False)  # not the one that runs the tests
    assert {each.version for each in interpreters.interpreters()} == {"3.11.2"}
    assert sorted(said.read_text().split()) == ["python3", "python3.12", "python3.13"]


def kept(key: str, age: float, mb: int = 1000) -> standing.Managed:
    """Return an environment that was last used so many days before day 1000."""
    used = (1000 - age) * standing.DAY
    return standing.Managed(key, Path(key), "3.11.7", (), mb * 1024 * 1024, used)


def test_what_lies_unused_goes_longest_unused_first() -> None:
    now, mb = 1000 * standing.DAY, 1024 * 1024
    all_of_them = [kept("new", 1), kept("old", 90), kept("older", 200), kept("some", 29.9)]
    assert [each.key for each in standing.unused(all_of_them, now, 60)] == ["older", "old"]
    assert [each.key for each in standing.to_free(all_of_them, now, 900 * mb)] == ["older"]
    assert [each.key for each in standing.to_free(all_of_them, now, 1500 * mb)] == ["older", "old"]
    assert standing.to_free(all_of_them, now, 3000 * mb) == []  # those in use stay


def standing_in(root: Path, key: str, days: float) -> Path:
    place = root / f"{key}-py3.11"
    place.mkdir(parents=True)
    standing.mark(
        place / standing.COMPLETE, {"python": "3.11.7", "requires": ["x==1"], "bytes": 900 << 20}
    )
    standing.touch(place)
    long_ago = time.time() - days * standing.DAY
    os.utime(place / standing.USED, (long_ago, long_ago))
    return place


def test_a_full_disk_takes_what_lies_unused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "envs"
    old, used = standing_in(root, "a" * 16, 90), standing_in(root, "b" * 16, 3)
    usage = shutil.disk_usage(root)
    free = (1000 + building.SPARE_MB) << 20  # for 667 MB of packages, with their wheels
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=free))
    building._check_disk(root / "new", 600)
    assert old.exists()
    building._check_disk(root / "new", 1200)
    assert not old.exists()
    with pytest.raises(EnvironmentFault, match="MB free"):
        building._check_disk(root / "new", 1200)  # what is left was used three days ago
    assert used.exists()
    standing.touch(used)
    assert standing.unused(standing.managed_all(root), time.time(), 1) == []


def test_pip_is_patient_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_RETRIES", raising=False)
    monkeypatch.setenv("PIP_DEFAULT_TIMEOUT", "5")
    given = building._environment(Path("/envs/key"))
    assert (given["PIP_RESUME_RETRIES"], given["PIP_RETRIES"]) == ("20", "8")
    assert given["PIP_DEFAULT_TIMEOUT"] == "5"


def test_the_version_of_an_environments_pip_is_read_off_its_folder(tmp_path: Path) -> None:
    assert building._pip_of(tmp_path) < building.RESUMING
    (tmp_path / "lib" / "python3.11" / "site-packages" / "pip-25.3.dist-info").mkdir(parents=True)
    assert building._pip_of(tmp_path) > building.RESUMING
