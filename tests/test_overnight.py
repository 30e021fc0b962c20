"""The queue in a night: in order, inside its budget, and said in the morning."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from reader.checks import manifest
from reader.cli.overnight import read_size, read_time
from reader.errors import CheckError, Usage
from reader.model import Evidence, Limits, Reason, Run, RunStatus, Text, Verdict, VerdictKind
from reader.report import morning
from reader.runner import overnight
from reader.runner.options import RunOptions
from reader.runner.overnight import Budget, Done, Need, Wanted
from reader.store import Store
from tests.checks_here import small
from tests.command import AT, command, furnished

CHECK = small("confirms")


def want(name: str, seconds: float = 20.0) -> Wanted:
    check = replace(CHECK, name=name, limits=Limits(seconds=600))
    return Wanted("q1", "i1", "a story", check, seconds)


def a_run(name: str, status: RunStatus = RunStatus.FINISHED, *kinds: VerdictKind) -> Run:
    verdicts = tuple(
        Verdict(f"c{n}", Evidence.PROPERTY, kind, Reason("x"), {}, Text("x", "x"), 1)
        for n, kind in enumerate(kinds or (VerdictKind.CONFIRMED,))
    )
    return Run(f"r-{name}", name, "h", "i1", status, AT, AT, {}, verdicts=verdicts)


class Night:
    """A clock that runs only while a check does, and what each check was given."""

    def __init__(self, takes: float = 30.0) -> None:
        self.now, self.takes = 0.0, takes
        self.limits: list[int | None] = []
        self.ends: dict[str, RunStatus] = {}

    def clock(self) -> float:
        return self.now

    def run(self, each: Wanted, options: RunOptions) -> Run:
        self.now += self.takes
        self.limits.append(options.seconds)
        if each.check.name == "faulty":
            raise CheckError("no wheel")
        return a_run(each.check.name, self.ends.get(each.check.name, RunStatus.FINISHED))

    def through(self, plan: list[Wanted], budget: Budget, **needs: Need) -> list[Done]:
        return list(
            overnight.through(
                plan, budget, run=self.run, clock=self.clock,
                needs=lambda check: needs.get(check.name, Need()),
            )
        )  # fmt: skip


def test_what_the_budget_does_not_hold_is_left_out_and_lighter_ones_go_on() -> None:
    plan = [want("a"), want("heavy"), want("slow", 500), want("b"), want("faulty"), want("c")]
    done = Night().through(plan, Budget(100, 1000), heavy=Need(2000, 5))
    assert [(each.check, each.run, each.why) for each in done] == [
        ("a", "r-a", ""), ("heavy", None, "disk"), ("slow", None, "time"),
        ("b", "r-b", ""), ("faulty", None, "failed"), ("c", None, "time"),
    ]  # fmt: skip
    assert done[0].verdicts == {"confirmed": 1}


def test_disk_is_spent_once_and_a_run_gets_what_time_is_left() -> None:
    night = Night()
    done = night.through([want("a"), want("b")], Budget(100, 1500), a=Need(1000), b=Need(1000))
    assert [each.why for each in done] == ["", "disk"]
    assert night.limits == [100]
    night = Night()
    night.through([want("a")], Budget(10_000, 0))
    assert night.limits == [600]  # its own limit


def test_a_stop_ends_the_night() -> None:
    night = Night()
    night.ends["a"] = RunStatus.INTERRUPTED
    assert [each.check for each in night.through([want("a"), want("b")], Budget(999, 0))] == ["a"]


def test_the_morning_says_what_came_of_it_and_then_falls_silent(tmp_path: Path) -> None:
    done = [
        Done("q1", "i1", "t", "one", "r1", {"confirmed": 2, "refuted": 1}),
        Done("q2", "i2", "t", "two", "r2", {"confirmed": 1}),
        Done("q3", "i3", "t", "three", why="disk"),
    ]
    overnight.keep(tmp_path / "s.db", AT, done, whole=False)
    record = overnight.last(tmp_path / "s.db")
    assert record is not None
    ended = datetime.fromisoformat(record["ended"])
    said = morning.summary(record, ended + timedelta(hours=7))
    assert said is not None
    assert said.refuted
    assert said.lines == (
        "Overnight: checks run 2; 3 confirmed, 1 refuted",
        "Refuted by: one (r1)",
        "Left out: three (no disk left)",
        "It was cut short; what waits still stands in the queue",
    )
    assert morning.summary(record, ended + timedelta(days=1)) is None
    for wrong in (None, {}, {"done": 3, "ended": "x"}, {"done": ["x"], "ended": record["ended"]}):
        assert morning.summary(wrong, ended) is None
    (tmp_path / overnight.FILE).write_text("{")
    assert overnight.last(tmp_path / "s.db") is None


def test_all_that_fits_is_wanted_in_the_order_of_the_queue(tmp_path: Path) -> None:
    path = furnished(tmp_path / "s.db")
    with Store.open(path) as store:
        store.queue.add("i1", check="confirms")
        [each] = overnight.wanted(store, [CHECK])
        assert (each.item, each.check.name, each.seconds) == ("i1", "confirms", overnight.USUAL)
        own = manifest.load(CHECK.folder, bundled=False)
        assert overnight.wanted(store, [own]) == []  # not trusted, and nobody to ask


def test_times_and_sizes_are_read() -> None:
    assert (read_time("2h"), read_time("1h30m"), read_time("45s")) == (7200, 5400, 45)
    assert (read_size("10GB"), read_size("500 mb"), read_size("1.5g")) == (10_000, 500, 1500)
    for wrong in ("", "2", "2 hours", "h", "-2h"):
        with pytest.raises(Usage):
            read_time(wrong)
    for wrong in ("", "10", "GB", "-1GB", "5kb"):
        with pytest.raises(Usage):
            read_size(wrong)


def test_the_command_says_what_it_would_run(tmp_path: Path) -> None:
    path = furnished(tmp_path / "s.db")
    called = command("queue", "run", "--dry-run", "--json", store=path)
    assert json.loads(called.out) == []
