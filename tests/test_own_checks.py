"""Checks of one's own: the skeleton works, a draft loads and claims nothing, the tutorial runs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from reader import claims
from reader.checks import manifest, skeleton, trial
from reader.checks.process import LegPlan, run_leg
from reader.checks.skeleton import Stated
from reader.checks.trial import Case, Tried
from reader.cli import main
from reader.errors import ManifestError
from reader.model import Check, Evidence, Source, VerdictKind
from tests.checks_here import MACHINE, PYTHON, small
from tests.test_checks_matching import an_item

DOCS = Path(__file__).parents[1] / "docs"
REFUTED = VerdictKind.REFUTED


def written(folder: Path, files: dict[str, str]) -> Check:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return manifest.load(folder, bundled=False)


def legs(check: Check) -> list[LegPlan]:
    return [LegPlan(check=check, interpreter=PYTHON, machine=MACHINE)]


def tried(check: Check) -> list[Tried]:
    return list(trial.tried(check, legs))


def test_the_skeleton_gives_every_verdict_when_it_should(tmp_path: Path) -> None:
    check = written(tmp_path / "mine", skeleton.example("mine"))
    done = tried(check)
    assert [each.case.name for each in done] == ["true", "false", "control", "broken"]
    assert [each.wrong for each in done] == [()] * 4
    assert trial.lacks(check, trial.cases(check)) == []


ITEM = replace(
    an_item('Widgets 2.1: @NAME@ "quoted" \\ and 表', "The new w.load_all is up to 3x faster."),
    sources=(Source("s", "https://github.com/example/widgets/releases/tag/v2.1.0"),),
)


def test_a_draft_loads_runs_and_decides_nothing(tmp_path: Path) -> None:
    said = [
        Stated(each.text, Evidence.KERNEL, claims.holds_for(each.conditions, "en"))
        for each in claims.of_item(ITEM)
    ]
    name = skeleton.name_of(ITEM)
    check = written(tmp_path / name, skeleton.draft(name, ITEM, [*said, *said]))
    assert (check.name, check.title.en) == ("widgets-2-1-0", ITEM.title)
    assert [each.text.zh for each in check.claims] == [ITEM.summary] * 2
    assert check.matches.projects == ("example/widgets@2.1.0",)
    assert "w.load_all" in check.matches.words
    leg = run_leg(legs(check)[0])
    assert leg.fault is None
    assert set(leg.obstacles) == {"claim_1", "claim_2"}
    lacking = trial.lacks(check, trial.cases(check))
    assert len(lacking) == 8  # false, control; of each claim: one language, two verdicts unseen


def test_an_item_without_claims_still_gives_a_draft(tmp_path: Path) -> None:
    item = an_item("只有标题", "")
    name = skeleton.name_of(item)
    check = written(tmp_path / name, skeleton.draft(name, item, []))
    assert (name, check.claims[0].text.zh) == ("check-i1", "只有标题")


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    item = an_item('"]\n[control]\nexpect = []\n@CLAIMS@ \x00\x1b[31m \ud800 \'\'\' """', "x")
    check = written(tmp_path / "h", skeleton.draft("h", item, [Stated("@TITLE@", Evidence.KERNEL)]))
    assert "[control]" in check.title.en
    assert check.claims[0].text.en == "@TITLE@"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[true", "cannot be read as TOML"),
        ("[maybe]\nexpect = {}", "none of true"),
        ('[true]\nexpect = { nobody = "confirmed" }', "names claims"),
        ('[true]\nexpect = { even = "fine" }', "names claims"),
        ('[true]\nexpect = { even = "confirmed" }\nreplace = [{ file = "a" }]', "a list of file"),
        (
            '[false]\nexpect = { even = "refuted" }\n'
            'replace = [{ file = "check.toml", old = "a", new = "b" }]',
            "not what is expected",
        ),
    ],
)
def test_a_bad_test_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / trial.FILE).write_text(text)
    with pytest.raises(ManifestError, match=said):
        trial.cases(replace(small("confirms"), folder=tmp_path))


def test_what_is_replaced_has_to_be_there_and_inside(tmp_path: Path) -> None:
    for file, old in (("subject.py", "nothing like it"), ("../secret", "s"), ("check.py", "")):
        (tmp_path / "secret").write_text("s")
        files = skeleton.example("mine")
        files["test.toml"] = (
            '[true]\nexpect = { nearest = "confirmed" }\n'
            f'replace = [{{ file = "{file}", old = "{old}", new = "x" }}]\n'
        )
        check = written(tmp_path / "mine", files)
        with pytest.raises(ManifestError, match="does not hold the text"):
            tried(check)
        for each in (tmp_path / "mine").iterdir():
            each.unlink()
        (tmp_path / "mine").rmdir()


def test_what_a_check_lacks_is_named() -> None:
    check = small("confirms")
    assert any("[true]" in each for each in trial.lacks(check, ()))
    halfway = Case("false", (("even", REFUTED),))
    said = trial.lacks(check, (halfway,))
    assert {"no case sees fast refuted", "no case sees even confirmed"} < set(said)
    assert "no case sees even refuted" not in said


def blocks(document: Path) -> list[tuple[str, str]]:
    """Return the code blocks of a document: what stands behind the fence, and the text."""
    return re.findall(r"^```(\S+(?: \S+)?)\n(.*?)^```$", document.read_text(), re.M | re.S)


def test_both_languages_of_the_tutorial_hold_the_same_code() -> None:
    assert blocks(DOCS / "own-check.md") == blocks(DOCS / "own-check.zh.md")


def no_window(_session: object) -> int:
    raise AssertionError


def test_every_command_of_the_tutorial_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for each in ("DATA", "CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{each}_HOME", str(tmp_path / each))
    calls, out = 0, ""
    for info, text in blocks(DOCS / "own-check.md"):
        kind, _space, name = info.partition(" ")
        if kind != "sh":
            (tmp_path / "checks" / name).write_text(text, encoding="utf-8")
            continue
        for line in text.splitlines():
            said, _hash, comment = line.partition("#")
            words = said.replace("~", str(tmp_path)).split()
            assert words.pop(0) == "readproof"
            code = main(["--lang", "en", *words], no_window)
            out, err = capsys.readouterr()
            assert code == (1 if "exits 1" in comment else 0), f"{line}\n{out}{err}"
            calls += 1
    assert calls >= 10
    assert "7 of 8" in out
