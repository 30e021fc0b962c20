"""What every test stands on: no home, no locale, no display and no proxy of the machine's."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
    os.environ.pop(name, None)
os.environ["LANG"] = "C.UTF-8"
if not os.environ.get("READPROOF_REAL"):
    # Each interpreter of the machine is asked by every window and half the commands: some
    # machines have a dozen, and the tests bring those that they need.
    os.environ.pop("PYENV_ROOT", None)
    folders = os.environ.get("PATH", "").split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(each for each in folders if "pyenv" not in each)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test folders of its own where the app would use the user's."""
    home = tmp_path / "home"
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(home / name.lower()))
    monkeypatch.setenv("HOME", str(home))
    (home / "xdg_runtime_dir").mkdir(parents=True, mode=0o700)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where the real checks are asked for, one that was skipped has failed."""
    report = yield
    if report.skipped and os.environ.get("READPROOF_REAL") and item.get_closest_marker("real"):
        report.outcome = "failed"
        report.longrepr = f"a real check was skipped: {report.longrepr}"
    return report
