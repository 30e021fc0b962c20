"""Runs of several legs: old beside new in one verdict, one leg a toolkit, all in the record."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from reader import runner
from reader.checks import environment, judge, manifest, reasons
from reader.errors import EnvironmentFault, ManifestError, Usage
from reader.model import Check, Run, RunStatus, VerdictKind
from reader.report import page
from reader.report.difference import difference
from reader.runner import EnvironmentNeeded, RunOptions, run_check
from reader.store import Store
from tests.checks_here import FOLDER
from tests.test_checks_environment import a_wheel
from tests.test_checks_toolkit import a_toolkit
from tests.test_runner import an_item

V = VerdictKind

MANIFEST = """
schema = 1
name = "versions"
title = { zh = "新旧", en = "Old and new" }
summary = { zh = "新旧并排。", en = "Old beside new." }
archs = ["sm_90"]
[environment]
python = ">=3.9"
imports = ["planted_evens"]
size_mb = 12
[[legs]]
name = "1.2"
requires = ["planted-evens==1.2.0"]
lock = "old.lock"
[[legs]]
name = "1.3"
requires = ["planted-evens==1.3.0"]
lock = "new.lock"
[measures]
minor = "calls"
planted = ""
[control]
text = { zh = "放一个。", en = "One is planted." }
expect = ["planted == 1"]
[[claims]]
id = "grew"
kind = "regression"
text = { zh = "变大了", en = "It grew" }
method = { zh = "比较", en = "Compare" }
expected = { zh = "更大", en = "Greater" }
confirm = ["1.3.minor > 1.2.minor"]
refute = ["1.3.minor <= 1.2.minor"]
because.confirmed.zh = "从 {1.2.minor} 到 {1.3.minor:u}"
because.confirmed.en = "From {1.2.minor} to {1.3.minor:u}"
shows = ["minor"]
"""
SCRIPT = """
from readproof_harness import Check
import planted_evens
with Check() as check:
    check.measure("planted", 1)
    check.control_done()
    check.log("leg " + check.leg + " in " + planted_evens.VERSION)
    check.measure("minor", int(planted_evens.VERSION.split(".")[1]))
    check.case("grew", "version", version=planted_evens.VERSION)
    check.artefact("version.txt", planted_evens.VERSION)
"""


def _made(folder: Path, wheels: Path) -> Check:
    """Return a trusted check over two versions of a package that lie in a folder."""
    folder.mkdir(parents=True)
    for version, lock in (("1.2.0", "old.lock"), ("1.3.0", "new.lock")):
        digest = hashlib.sha256(a_wheel(wheels, version).read_bytes()).hexdigest()
        (folder / lock).write_text(f"planted-evens=={version} --hash=sha256:{digest}\n")
    (folder / "check.toml").write_text(MANIFEST, encoding="utf-8")
    (folder / "check.py").write_text(SCRIPT)
    loaded = manifest.load(folder, bundled=False)
    manifest.trust(loaded)
    return loaded


def _pip_finds(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """The check, with no environment."""
    _pip_finds(tmp_path / "wheels", monkeypatch)
    return _made(tmp_path / "checks" / "versions", tmp_path / "wheels")


@dataclass(frozen=True)
class Built:
    """The check with its two environments, and the refusals on the way there."""

    check: Check
    home: Path
    refusals: tuple[EnvironmentNeeded, EnvironmentNeeded]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """Both environments are built once, the second by a run: that takes seconds each."""
    here = tmp_path_factory.mktemp("built")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(here / "data"))
        _pip_finds(here / "wheels", patch)
        check = _made(here / "checks" / "versions", here / "wheels")
        with pytest.raises(EnvironmentNeeded) as nothing:
            run(check, here / "s.db")
        one = check.sides[0].packages
        environment.build(one, check.folder, lambda _progress: None, lambda: False)
        with pytest.raises(EnvironmentNeeded) as half:
            run(check, here / "s.db")
        run(check, here / "s.db", build=True)
        yield Built(check, here / "data", (nothing.value, half.value))


@pytest.fixture
def at_home(built: Built, monkeypatch: pytest.MonkeyPatch) -> Built:
    """The same, in a test's own surroundings."""
    monkeypatch.setenv("XDG_DATA_HOME", str(built.home))
    manifest.trust(built.check)
    return built


def run(check: Check, store: Path, **options: Any) -> Run:
    given = RunOptions(check_folders=(str(check.folder),), **options)
    return run_check(store, check.name, options=given)


def test_old_and_new_side_by_side_give_one_verdict(at_home: Built, tmp_path: Path) -> None:
    store, check = tmp_path / "s.db", at_home.check
    assert check.packages.size_mb == 24
    done = run(check, store)
    assert [(leg.name, leg.measured["minor"]) for leg in done.legs] == [("1.2", 2), ("1.3", 3)]
    assert [leg.environment["packages"]["planted-evens"] for leg in done.legs] == ["1.2.0", "1.3.0"]
    (verdict,) = done.verdicts
    assert verdict.verdict is V.CONFIRMED
    assert verdict.measured == {"1.2.minor": 2, "1.3.minor": 3}
    assert reasons.render(verdict.reason, check, "en") == "From 2 to 3 calls"
    names = {artefact.name for artefact in done.artefacts}
    assert {"1.2.version.txt", "1.3.version.txt", "1.2.log.txt", "1.3.log.txt"} <= names
    with Store.open(store) as opened:
        again = runner.judge_again(opened, done.id)
        assert again.verdicts == done.verdicts
    assert page.command(done, here=False) == "readproof check run versions --arch sm_90"


def test_environments_are_shared_and_only_the_missing_are_built(at_home: Built) -> None:
    nothing, half = at_home.refusals
    assert "1.2.0, planted-evens==1.3.0, about 24 MB" in str(nothing)
    assert (half.size_mb, half.packages.requires) == (12, ("planted-evens==1.3.0",))
    assert len(environment.managed_all()) == 2
    assert all(environment.ready(at_home.check))


def test_a_named_python_takes_the_leg_it_fits(at_home: Built, tmp_path: Path) -> None:
    check = at_home.check
    old = run(check, tmp_path / "s.db").legs[0].environment["path"]
    done = run(check, tmp_path / "s.db", python=old)
    assert [leg.environment["origin"] for leg in done.legs] == ["asked", "managed"]
    with pytest.raises(EnvironmentFault, match="planted-evens"):
        run(check, tmp_path / "s.db", python=sys.executable)


def test_a_broken_leg_is_no_verdict(
    at_home: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = at_home.check
    done = run(check, tmp_path / "s.db")
    shutil.copytree(at_home.home, tmp_path / "data", symlinks=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    new = next(each for each in environment.managed_all() if "1.3.0" in each.requires[0])
    (site,) = new.folder.glob("lib/python3*/site-packages")
    (site / "planted_evens.py").write_text("EVENS = 1\n")  # imports, and has no version
    broken = run(check, tmp_path / "s.db")
    assert broken.status is RunStatus.FINISHED  # the other leg has been measured
    assert [each.verdict for each in broken.verdicts] == [V.COULD_NOT_RUN]
    assert dict(broken.verdicts[0].reason.params)["leg"] == "1.3"
    changed = {f"{each['part']} {each['name']}" for each in difference(done, broken)}
    assert {"results 1.3.minor", "verdicts grew"} <= changed
    assert "results 1.2.minor" not in changed


def test_a_build_that_fails_for_an_item_is_kept(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "s.db"
    item = an_item(store)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    given = RunOptions(check_folders=(str(check.folder),), build=True)
    with pytest.raises(EnvironmentFault):
        run_check(store, check.name, item=item, options=given)
    with Store.open(store) as opened:
        (kept,) = opened.runs.all()
    assert [leg.name for leg in kept.legs] == ["1.2", "1.3"]
    assert [each.reason.code for each in kept.verdicts] == ["environment_failed"]
    assert environment.managed_all() == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "1.3"', 'name = "1.2"', "twice"),
        ("1.3.minor > 1.2.minor", "1.4.minor > 1.2.minor", "1.4.minor"),
        ("{1.2.minor}", "{1.1.minor}", "1.1.minor"),
        ('archs = ["sm_90"]', 'archs = ["sm_90"]\neach_toolkit = true', "each_toolkit"),
        ('archs = ["sm_90"]', 'archs = ["sm_90"]\neach_toolkit = 1', "true or false"),
        ("planted-evens==1.3.0", "planted-evens>=1.3.0", "pin it"),
    ],
)
def test_wrong_legs_are_named(check: Check, old: str, new: str, said: str) -> None:
    assert old in MANIFEST
    (check.folder / "check.toml").write_text(MANIFEST.replace(old, new), encoding="utf-8")
    with pytest.raises(ManifestError, match=said):
        manifest.load(check.folder, bundled=False)


@pytest.fixture
def confirms(tmp_path: Path) -> Check:
    """The small check, allowed to have a leg for each toolkit."""
    folder = tmp_path / "checks" / "confirms"
    shutil.copytree(FOLDER / "confirms", folder)
    text = (folder / "check.toml").read_text(encoding="utf-8")
    text = text.replace("archs =", "each_toolkit = true\narchs =")
    (folder / "check.toml").write_text(text, encoding="utf-8")
    check = manifest.load(folder, bundled=False)
    manifest.trust(check)
    return check


def test_a_leg_for_each_toolkit_named(confirms: Check, tmp_path: Path) -> None:
    kits = (a_toolkit(tmp_path / "a"), a_toolkit(tmp_path / "b", "13.5.37"))
    done = run(confirms, tmp_path / "s.db", cuda=kits, python=sys.executable)
    assert [leg.name for leg in done.legs] == ["cuda-13.0", "cuda-13.5"]
    assert [(leg.toolkit or {})["root"] for leg in done.legs] == [str(each) for each in kits]
    even = done.verdicts[0]
    assert even.verdict is V.CONFIRMED
    said = reasons.render(even.reason, confirms, "en")
    assert said.endswith("[cuda-13.0; cuda-13.5: Confirmed]")
    assert even.measured["cuda-13.5.sums"] == 100
    assert page.command(done, here=True).count("--cuda") == 2
    refuting = replace(done.legs[1], measured=done.legs[1].measured | {"odd_sums": 3})
    worse = judge.judge(confirms, [done.legs[0], refuting])[0]
    assert worse.verdict is V.REFUTED
    said = reasons.render(worse.reason, confirms, "zh")
    assert said.endswith("[cuda-13.5；cuda-13.0: 证实]")


def test_two_toolkits_of_one_version_have_two_names(tmp_path: Path) -> None:
    from reader.checks import toolkit

    kits = [toolkit.at(a_toolkit(tmp_path / name)) for name in ("a", "b", "c")]
    assert runner.toolkit_legs(kits) == ["cuda-13.0", "cuda-13.0-2", "cuda-13.0-3"]


def test_two_toolkits_are_refused_where_a_check_compares_none(check: Check, tmp_path: Path) -> None:
    kits = (a_toolkit(tmp_path / "a"), a_toolkit(tmp_path / "b"))
    with pytest.raises(Usage, match="versions does not compare toolkits"):
        run(check, tmp_path / "s.db", cuda=kits)
