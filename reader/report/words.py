"""The words of verdicts and states, numbers with units, and which language a report speaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from reader.language import _, catalogue, language
from reader.model import Check, Evidence, QueueState, Reason, RunStatus, Text, VerdictKind

Say = Callable[[str], str]
MAX_TEXT = 400  # characters of a measured text that are shown


def speaker(tongue: str) -> Say:
    """Return the translator of a language, whatever language the process speaks."""
    return catalogue(tongue).gettext


def verdict_word(verdict: VerdictKind, _: Say = _) -> str:
    """Return a verdict's word."""
    words = {
        VerdictKind.CONFIRMED: _("Confirmed"),
        VerdictKind.REFUTED: _("Refuted"),
        VerdictKind.INCONCLUSIVE: _("Inconclusive"),
        VerdictKind.NOT_APPLICABLE: _("Not applicable"),
        VerdictKind.COULD_NOT_RUN: _("Could not run"),
    }
    return words[verdict]


def counted(verdicts: Mapping[str, int]) -> str:
    """Return verdicts by number as words: 3 confirmed, 1 refuted."""
    said = [
        f"{verdicts[kind.value]} {verdict_word(kind).lower()}"
        for kind in VerdictKind
        if verdicts.get(kind.value)
    ]
    return _(", ").join(said) or _("no verdict")


def state_word(state: QueueState, *, stale: bool = False, _: Say = _) -> str:
    """Return a queue state's word; a stale outcome keeps its own and says so."""
    words = {
        QueueState.QUEUED: _("Queued"),
        QueueState.WAITING: _("Waiting"),
        QueueState.RUNNING: _("Running"),
        QueueState.CONFIRMED: _("Confirmed"),
        QueueState.REFUTED: _("Refuted"),
        QueueState.INCONCLUSIVE: _("Inconclusive"),
        QueueState.NOT_APPLICABLE: _("Not applicable"),
        QueueState.DROPPED: _("Dropped"),
    }
    return _("{state} (stale)").format(state=words[state]) if stale else words[state]


def status_word(status: RunStatus, _: Say = _) -> str:
    """Return a run status's word."""
    words = {
        RunStatus.RUNNING: _("Running"),
        RunStatus.FINISHED: _("Finished"),
        RunStatus.FAILED: _("Failed"),
        RunStatus.CANCELLED: _("Cancelled"),
        RunStatus.INTERRUPTED: _("Interrupted"),
    }
    return words[status]


def kind_word(kind: Evidence, tongue: str) -> str:
    """Return the word for what kind of evidence a claim is about."""
    from reader.classify import evidence_name

    return evidence_name(kind, tongue)


def in_language(text: Text, tongue: str) -> str:
    """Return a manifest's sentence in a language."""
    return text.zh if tongue == "zh" else text.en


def sentence(reason: Reason, check: Check | None, tongue: str | None = None) -> str:
    """Return a reason as a sentence."""
    from reader.checks import reasons

    return reasons.render(reason, check, tongue or language())


def amount(value: Any, unit: str = "", tongue: str | None = None) -> str:
    """Return a measured value with its unit as a person reads it, long texts cut."""
    from reader.checks.reasons import number

    if value is None:
        return ""
    if isinstance(value, Mapping):
        text = ", ".join(f"{name} {amount(each, '', tongue)}" for name, each in value.items())
    else:
        text = number(value, unit, tongue)
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"


def unit_of(name: str, check: Check | None) -> str:
    """Return the unit the manifest gives a measurement; a leg's name may stand in front."""
    if check is None:
        return ""
    return dict(check.measures).get(name.rsplit(".", 1)[-1], "")


def clock(moment: datetime) -> str:
    """Return an instant with its offset, to the second."""
    return moment.isoformat(sep=" ", timespec="seconds")


def lasted(seconds: float, _: Say = _) -> str:
    """Return a duration."""
    if seconds < 60:
        return _("{n:.1f} s").format(n=seconds)
    return _("{m} min {s} s").format(m=int(seconds // 60), s=int(seconds % 60))
