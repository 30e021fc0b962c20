"""How long a build will take: a guess with its basis, then this machine's own builds."""

from __future__ import annotations

from pathlib import Path

import pytest

from reader.checks import builds, environment
from reader.checks.builds import Built, Estimate, earlier, estimate, record, spoken
from reader.language import set_language
from reader.model import Packages


def test_before_the_first_build_it_is_a_guess_and_says_so(tmp_path: Path) -> None:
    packages = Packages(requires=("example==1.0",), size_mb=1025)
    found = environment.build_time([packages], None, root=tmp_path)
    assert found.builds == 0
    assert 30 < found.seconds < 300
    set_language("en")
    assert "50 Mbit/s, a guess" in str(found)
    set_language("zh")
    assert "50 Mbit/s" in str(found)
    set_language("en")


def test_a_faster_line_is_learnt_from_builds() -> None:
    before = [Built("a", 1000, 18.0), Built("b", 500, 13.0), Built("c", 2, 60.0)]
    found = estimate([("new", 300)], before)
    assert found == Estimate(builds.FIXED + 3.0, 2)  # 100 MB/s; the tiny one says nothing
    assert "built on this machine before: 2" in str(found)


def test_what_was_built_here_before_takes_as_long_again() -> None:
    found = estimate([("a", 1000)], [Built("a", 1000, 44.0), Built("a", 1000, 21.0)])
    assert (found.seconds, found.same) == (21.0, True)
    both = estimate([("a", 1000), ("new", 992)], [Built("a", 1000, 18.0)])
    assert both.seconds == pytest.approx(18.0 + builds.FIXED + 9.92)
    assert not both.same


def test_records_are_kept_short_and_broken_ones_are_no_harm(tmp_path: Path) -> None:
    assert earlier(tmp_path / "nowhere") == []
    record(tmp_path / "nowhere", Built("a", 1, 1.0))  # a folder that is not there
    for n in range(30):
        record(tmp_path, Built(f"k{n}", 100 + n, 10.5))
    kept = earlier(tmp_path)
    assert (len(kept), kept[-1]) == (builds.KEPT, Built("k29", 129, 10.5))
    (tmp_path / builds.FILE).write_text('[{"key": "a"}]')
    assert earlier(tmp_path) == []
    assert not list(tmp_path.glob("*.new"))


def test_times_are_said_as_one_says_them() -> None:
    assert [spoken(each) for each in (0.4, 21, 90, 91, 600)] == [
        "5 s", "25 s", "90 s", "2 min", "10 min",
    ]  # fmt: skip
