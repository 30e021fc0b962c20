"""The command line and this machine: doctor, checks, running one, and no display."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import command, furnished

CHECKS = Path(__file__).parent / "data" / "checks"
CLAIM = {"id", "kind", "text", "here", "why_not", "shown_on_gpu"}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return a store with a digest, its two items and a post."""
    return furnished(tmp_path / "s.db")


def own(tmp_path: Path, name: str) -> list[str | Path]:
    """Trust a check of the user's own and return the words that name its settings."""
    folder = tmp_path / "checks" / name
    shutil.copytree(CHECKS / name, folder)
    config: list[str | Path] = ["--config", tmp_path / "settings.toml"]
    called = command(*config, "check", "trust", folder, "--yes")
    assert called.code == 0, called.err
    assert "sha256" in called.out
    return config


def test_doctor_tells_of_machine_checks_store_and_keyring(store: Path) -> None:
    document = command("doctor", "--json", store=store).json
    assert {"toolkits", "interpreters", "gpus", "driver", "checks", "store", "keyring"} <= set(
        document
    )
    assert document["store"]["ok"] is True
    assert document["interpreters"]
    assert {each["id"] for each in document["checks"]} >= {"tvm-device-guard"}
    called = command("doctor", store=store)
    assert called.code == 0
    assert "tvm-device-guard" in called.out


def test_check_list_has_every_field(store: Path) -> None:
    checks = command("check", "list", "--json", store=store).json
    assert "tvm-device-guard" in {each["id"] for each in checks}
    for each in checks:
        assert set(each) >= {
            *("id", "title", "claims", "needs", "fits", "environment", "matches"),
        }
        assert set(each["environment"]) >= {"present", "size_mb"}
        for claim in each["claims"]:
            assert set(claim) >= CLAIM
            assert claim["here"] == (claim["why_not"] is None)
    assert command("check", "list", "--item", "d1", store=store).code == 2
    assert command("check", "list", "--item", "i2", "--json", store=store).json == []


def test_a_check_that_is_not_trusted_does_not_run(store: Path, tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text(f"check_folders = ['{CHECKS / 'confirms'}']\n", encoding="utf-8")
    called = command("--config", config, "check", "run", "confirms", "--yes", store=store)
    assert called.code == 1
    assert "check trust" in called.err
    assert command("runs", "--json", store=store).json == []


def test_trusting_asks_first(tmp_path: Path) -> None:
    called = command("--config", tmp_path / "s.toml", "check", "trust", CHECKS / "confirms")
    assert called.code == 1
    assert "--yes" in called.err
    assert not (tmp_path / "s.toml").exists()


def test_a_check_runs_and_is_kept(store: Path, tmp_path: Path) -> None:
    config = own(tmp_path, "confirms")
    words = ("check", "run", "confirms", "--item", "i1", "--yes", "--json")
    run = command(*config, *words, store=store).json
    assert set(run) >= {
        *("run", "check", "check_hash", "item", "status", "started", "finished", "machine"),
        *("legs", "verdicts", "artefacts"),
    }
    verdicts = {each["claim"]: each for each in run["verdicts"]}
    assert verdicts["even"]["verdict"] == "confirmed"
    assert verdicts["fast"]["verdict"] == "could_not_run"
    assert verdicts["fast"]["reason"]
    assert command(*config, "run", "show", run["run"], "--json", store=store).json == run
    text = command(*config, "check", "run", "confirms", store=store)
    assert text.code == 0
    assert "Confirmed" in text.out
    failing = ("--fail-on", "could_not_run")
    assert command(*config, "check", "run", "confirms", *failing, store=store).code == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_ctrl_c_keeps_the_run_and_is_130(store: Path, tmp_path: Path) -> None:
    config = own(tmp_path, "hangs")
    words = ["-v", "--store", store, *config, "check", "run", "hangs", "--timeout", "90"]
    process = subprocess.Popen(
        [sys.executable, "-m", "reader", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[1],
        text=True,
    )
    assert process.stderr is not None
    assert any("now it hangs" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "r1" in err
    shown = command(*config, "run", "show", "r1", "--json", store=store).json
    assert shown["status"] == "interrupted"
    assert shown["legs"][0]["measured"]["sums"] == 7
    assert {each["verdict"] for each in shown["verdicts"]} == {"could_not_run"}


def test_environments_are_listed_and_removed(tmp_path: Path) -> None:
    assert command("environments", "list", "--json").json == []
    called = command("environments", "remove", "no-such-key")
    assert called.code == 2
    assert "no-such-key" in called.err


def test_unknown_checks_name_what_there_is(store: Path) -> None:
    called = command("check", "run", "tvm-device-gard", store=store)
    assert called.code == 2
    assert "tvm-device-guard" in called.err


def test_a_broken_manifest_is_named_and_stops_nothing(store: Path, tmp_path: Path) -> None:
    broken = tmp_path / "checks" / "broken"
    broken.mkdir(parents=True)
    (broken / "check.toml").write_text("schema = 9\n", encoding="utf-8")
    (broken / "check.py").write_text("", encoding="utf-8")
    config = tmp_path / "settings.toml"
    config.write_text(f"check_folders = ['{broken.parent}']\n", encoding="utf-8")
    called = command("--config", config, "check", "list", "--json", store=store)
    assert called.json
    assert str(broken) in called.err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have a display")
def test_no_display_is_said_and_the_path_is_walked(store: Path) -> None:
    called = command(store=store)
    assert "no display" in called.err
    assert "Tiles 2.1 keeps odd widths in registers" in called.out
    assert called.code == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11")
def test_a_display_that_does_not_answer_is_none() -> None:
    code = "from reader.cli import display; raise SystemExit(display.present())"
    for env in ({"DISPLAY": ":9871"}, {"WAYLAND_DISPLAY": "no-such"}, {"DISPLAY": "x"}, {}):
        environment = {k: v for k, v in os.environ.items() if "DISPLAY" not in k}
        environment.pop("QT_QPA_PLATFORM", None)
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment | env,
            cwd=Path(__file__).parents[1],
            check=False,
        )
        assert done.returncode == 0, env


@pytest.mark.parametrize(
    ("why", "named"),
    [
        ("libEGL.so.1: cannot open shared object file: No such file or directory", "libEGL.so.1"),
        ("No module named 'PySide6.QtWidgets'", "PySide6"),
    ],
)
def test_a_missing_qt_library_is_named_and_shows_no_trace(
    store: Path, tmp_path: Path, why: str, named: str
) -> None:
    broken = tmp_path / "broken" / "PySide6"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text(f"raise ImportError({why!r})\n", encoding="utf-8")
    env = {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(broken.parent)}
    called = command(store=store, env=env)
    assert called.code == 1
    assert named in called.err
    assert len(called.err.strip().splitlines()) == 1


def test_the_toolkit_chosen_for_a_run_is_the_next_ones_too(store: Path, tmp_path: Path) -> None:
    config = own(tmp_path, "confirms")
    toolkit = tmp_path / "cuda-13.9"
    (toolkit / "bin").mkdir(parents=True)
    nvcc = toolkit / "bin" / "nvcc"
    nvcc.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 13.9, V13.9.1'\n")
    nvcc.chmod(0o755)
    words = (*config, "check", "run", "confirms", "--python", sys.executable, "--json")
    first = command(*words, "--cuda", toolkit, store=store)
    assert first.json["legs"][0]["toolkit"]["version"] == "13.9"
    assert str(toolkit) in first.err
    assert command(*words, store=store).json["legs"][0]["toolkit"]["version"] == "13.9"
    shutil.rmtree(toolkit)
    later = command(*words, store=store).json["legs"][0]["toolkit"]
    assert later is None or later["version"] != "13.9"
