"""A check put to the test with the Pythons and toolkits that a run of it would take."""

from __future__ import annotations

from collections.abc import Iterator

from reader.checks import machine, manifest, trial
from reader.checks.process import LegPlan
from reader.errors import NotTrusted
from reader.language import _
from reader.model import Check
from reader.runner.options import RunOptions, silent
from reader.runner.preparing import prepare


def try_check(check: Check, options: RunOptions) -> Iterator[trial.Tried]:
    """Run the check's cases one after the other; raises as a run does, before the first."""
    if not manifest.trusted(check):
        raise NotTrusted(
            _("{name} is a check of your own that is not trusted yet; read it and trust it").format(
                name=check.name
            )
        )
    here = machine.describe()
    prepared = prepare(check, here, options, None, silent)

    def legs(copy: Check) -> list[LegPlan]:
        return [
            LegPlan(
                check=copy,
                interpreter=each.interpreter,
                machine=here,
                toolkit=each.toolkit,
                name=each.name,
                unmet=each.unmet,
                seconds=options.seconds,
                device_results=options.device_results,
            )
            for each in prepared
        ]

    return trial.tried(check, legs)
