"""The records of the last complete run of each bundled check: there, whole, of nobody's machine."""

from __future__ import annotations

import json
import platform
import re
from pathlib import Path
from typing import Any

import pytest

from reader.checks import manifest
from reader.model import VerdictKind
from tests import records


def load(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


FILES = sorted(records.FOLDER.glob("*.json"))


def test_every_bundled_check_has_a_record() -> None:
    names = {check.name for check in manifest.load_all(())[0]}
    recorded = {file.stem for file in FILES}
    assert recorded == names


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_record_is_whole_and_of_nobodys_machine(file: Path) -> None:
    found = load(file)
    check = {each.name: each for each in manifest.load_all(())[0]}[file.stem]
    assert found["check"] == check.name
    assert found["verdicts"].keys() == {claim.id for claim in check.claims}
    kinds = {kind.value for kind in VerdictKind}
    assert {verdict["verdict"] for verdict in found["verdicts"].values()} <= kinds
    decided = [v for v in found["verdicts"].values() if v["verdict"] in ("confirmed", "refuted")]
    assert decided, "a record of a run that decided nothing"
    text = file.read_text("utf-8")
    assert not records._PATH.search(text)
    assert not re.search(rf"\b{re.escape(platform.node())}\b", text)
    assert len(text) < 20_000
    assert found["seconds"] <= 150, "a check takes two minutes at most"


def test_paths_are_left_out() -> None:
    said = "nvcc: cannot open /home/me/x/kernel.cu and C:\\Users\\me\\a.cu, ratio a/b 3/4 of ./run"
    assert records._plain(said) == "nvcc: cannot open … and …, ratio a/b 3/4 of ./run"
    assert records._plain(0.123456) == 0.1235
    assert records._plain(True) is True
