"""The chart of measured ratios, from made samples."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reader.gui.interval_chart import IntervalChart, intervals
from reader.gui.theme import LIGHT, Look
from reader.model import Evidence, Leg, Reason, Run, RunStatus, Text, Verdict, VerdictKind

MEASURED = {
    "latency_ratio": 0.8, "latency_low": 0.78, "latency_high": 0.83, "latency_noise": 0.04,
    "registers": 93,
}  # fmt: skip
CASE = {
    "claim": "latency",
    "name": "microseconds",
    "false": [10.0, 11.0, 9.0],
    "again": [10.1, 10.9, 9.1],
    "true": [8.0, 8.8, 7.2],
}


def run_of(cases: tuple[dict[str, Any], ...]) -> Run:
    leg = Leg("leg", {}, None, "", {}, cases, "", (), 0, 1.0)
    moment = datetime(2027, 1, 4, tzinfo=UTC)
    return Run("r1", "timing", "hash", None, RunStatus.FINISHED, moment, moment, {}, (leg,), (), ())


def verdict_of(measured: dict[str, Any]) -> Verdict:
    reason = Reason("because")
    kind = VerdictKind.CONFIRMED
    return Verdict("latency", Evidence.KERNEL, kind, reason, measured, Text("", ""), 1)


def test_ratios_come_with_interval_samples_and_noise() -> None:
    found = intervals(run_of((CASE,)), verdict_of(MEASURED))
    assert found is not None
    assert found.noise == (0.96, 1.04)
    change, again = found.rows
    assert (change.ratio, change.low, change.high, change.state) == (0.8, 0.78, 0.83, "confirmed")
    assert change.samples == pytest.approx((0.8, 0.8, 0.8))
    assert again.samples == pytest.approx((1.01, 10.9 / 11, 9.1 / 9))
    assert change.said == "0.8×  0.78–0.83"


@pytest.mark.parametrize(
    "measured",
    [
        {},
        {"registers": 93},
        {"latency_ratio": 0.8},
        {"latency_ratio": "fast", "latency_low": 0.7, "latency_high": 0.9},
        {"latency_ratio": True, "latency_low": 0.7, "latency_high": 0.9},
        {"latency_ratio": 0.0, "latency_low": -1.0, "latency_high": 0.9},
        {"latency_ratio": float("nan"), "latency_low": 0.7, "latency_high": 0.9},
    ],
)
def test_without_a_ratio_and_its_interval_there_is_no_chart(measured: dict[str, Any]) -> None:
    assert intervals(run_of((CASE,)), verdict_of(measured)) is None


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"claim": "other", "false": [1.0, 2.0], "true": [1.0, 2.0]},
        {"claim": "latency", "false": [1.0, 2.0], "true": [1.0, 2.0, 3.0]},
        {"claim": "latency", "false": [1.0, 0.0], "true": [1.0, 2.0]},
        {"claim": "latency", "false": ["a", "b"], "true": [1.0, 2.0]},
    ],
)
def test_samples_that_do_not_pair_are_left_out(case: dict[str, Any]) -> None:
    found = intervals(run_of((case,)), verdict_of(MEASURED))
    assert found is not None
    assert found.rows[0].samples == ()


def test_it_paints_in_the_colour_of_the_verdict_and_t_makes_it_a_table(qtbot: QtBot) -> None:
    Look("light").apply()
    found = intervals(run_of((CASE,)), verdict_of(MEASURED))
    assert found is not None
    chart = IntervalChart(found)
    qtbot.addWidget(chart)
    chart.resize(640, chart.height())
    low, high = chart.bounds()
    assert low < 0.78 < 1.04 < high

    def has(colour: str) -> bool:
        image = chart.grab().toImage()
        wanted = QColor(colour).rgb()
        return any(
            image.pixel(x, y) == wanted
            for x in range(130, image.width() - 160)
            for y in range(image.height())
        )

    assert has(LIGHT.confirmed)
    assert has(LIGHT.noise)
    QTest.keyClick(chart, Qt.Key.Key_T)
    assert chart.as_table
    assert not has(LIGHT.noise)
    assert "0.78–0.83" in chart.accessibleName()
    assert replace(found, noise=None).noise is None
