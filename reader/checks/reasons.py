"""Reason codes as sentences in either language; a check's own sentence wins where it has one."""

from __future__ import annotations

import functools
import gettext
import math
import string
from collections.abc import Callable, Mapping
from typing import Any

from reader.checks.conditions import measurement
from reader.language import catalogue, language
from reader.model import Check, Reason, VerdictKind


def _(message: str) -> str:
    """Mark a message for the catalogue; it is looked up in the language asked for."""
    return message


SENTENCES: dict[str, str] = {
    # the judge
    "confirmed": _("All that was expected holds: {condition}"),
    "refuted": _("What was measured speaks against it: {condition}"),
    "undecided": _("Neither shown nor refuted: {condition} does not hold"),
    "not_applicable": _("It does not apply here: {condition} does not hold"),
    "control_failed": _("The negative control misbehaved: {condition} does not hold"),
    "control_missing": _("The negative control was not run to its end"),
    "measurement_missing": _("The measurement {measurement} is missing"),
    "measurement_mismatch": _("The measurement {measurement} cannot be compared as the check asks"),
    "no_leg": _("Nothing was run"),
    "race_confirmed": _(
        "It takes {ratio}× the time of what it is compared with ({low} to {high}, A/A noise "
        "{noise} %)"
    ),
    "race_refuted": _(
        "It takes {ratio}× the time of what it is compared with ({low} to {high}, A/A noise "
        "{noise} %), and that speaks against it"
    ),
    "race_open": _(
        "{ratio}× ({low} to {high}, A/A noise {noise} %) after {rounds} rounds leaves it open; "
        "about {needed} rounds would settle it"
    ),
    "race_too_noisy": _(
        "{ratio}× ({low} to {high}, A/A noise {noise} %) leaves it open, and at such noise no "
        "number of rounds would settle it"
    ),
    "race_braked": _(
        "{ratio}× ({low} to {high}): the GPU was too hot or short of power while it was timed"
    ),
    # what the machine lacks
    "gpu_missing": _("It needs a GPU ({needed}), found {found}"),
    "capability_missing": _("It needs a GPU of compute capability {needed}, found {found}"),
    "toolkit_missing": _("It needs CUDA toolkit {needed} or newer, found {found}"),
    "tool_missing": _("The tool {tool} is missing"),
    # what a script met
    "not_written": _("How to measure it is not written yet; it belongs into {file}"),
    "tool_failed": _("The tool {tool} failed: {said}"),
    "option_absent": _("{tool} does not know the option {option}"),
    "import_failed": _("The package {package} does not import: {said}"),
    "wrong_result": _("Its results are wrong, so its times say nothing: {said}"),
    "not_supported": _("{what} is not supported here"),
    "device_failed": _("The work on the GPU failed: {said}"),
    # how a leg ended
    "check_changed": _("The check's files changed while it was being prepared; run it again"),
    "not_started": _("The check's Python could not be started: {why}"),
    "environment_failed": _("The check's environment could not be prepared: {said}"),
    "toolkit_failed": _("The CUDA toolkit asked for cannot be used: {said}"),
    "cancelled": _("It was stopped"),
    "interrupted": _("It was interrupted"),
    "interrupted_building": _("It was interrupted before anything was measured"),
    "timed_out": _("It took longer than {seconds} s and was ended"),
    "crashed": _("The script ended with status {exit}: {said}"),
    "crashed_by_signal": _("The script was ended by {signal}: {said}"),
    "memory_limit": _("It used more than {mb} MB of memory and was ended"),
    "disk_limit": _("It wrote more than {mb} MB and was ended"),
    "disk_full": _("Less than {mb} MB were free in {folder}, so it was ended"),
    # the result file
    "result_missing": _("It left no result file"),
    "result_no_file": _("Its result file is a link or no plain file"),
    "result_too_large": _("Its result file is larger than {mb} MB"),
    "result_not_finite": _("Its result holds a number without a finite value ({value})"),
    "result_malformed": _("Its result file does not have the agreed form: {where}"),
    "result_lies": _("Its result names a verdict ({name}); a script may only measure"),
    "result_schema": _("Its result has schema {found}, which is not known here"),
    "result_of_another": _("Its result is of another check: {found}"),
    "measurement_unknown": _("Its result holds {measurement}, which the manifest does not declare"),
    # notices
    "processes_left": _("Processes it had left running were ended: {count}"),
    "artefact_missing": _("The artefact {name} was announced and is not there"),
    "artefact_too_large": _("The artefact {name} was not kept: more than {mb} MB in all"),
    # why a check fits an item
    "match_source": _("it tests this very source: {url}"),
    "match_version": _("it tests {project} {version}"),
    "match_project": _("it is about {project} and {words}"),
    "match_words": _("the text names {words}"),
    # why a verdict is stale
    "stale_check": _("the check has changed since"),
    "stale_judge": _("the rules of judging have changed since"),
    "stale_cpu": _("the processor is now {after}, it was {before}"),
    "stale_driver": _("the driver is now {after}, it was {before}"),
    "stale_gpu": _("the GPUs are now {after}, they were {before}"),
    "stale_toolkit": _("the toolkit {root} is now {after}, it was {before}"),
    "stale_package": _("{package} is now {after}, it was {before}"),
}
_MISSING_GPU_WHY = (
    _("no NVIDIA driver is installed"),
    _("the driver sees no GPU"),
    _("CUDA_VISIBLE_DEVICES hides every GPU"),
)
UNITS: dict[str, str] = {
    "registers": _("registers"),
    "instructions": _("instructions"),
    "bytes": _("bytes"),
    "calls": _("calls"),
    "threads": _("threads"),
    "blocks": _("blocks"),
    "cases": _("cases"),
    "warps": _("warps"),
}
_WORDS = {
    "confirmed": _("Confirmed"),
    "refuted": _("Refuted"),
    "inconclusive": _("Inconclusive"),
    "not_applicable": _("Not applicable"),
    "could_not_run": _("Could not run"),
}
_TIGHT = ("%", "×", "°")  # written without a space
_VERDICTS = {
    "confirmed": VerdictKind.CONFIRMED,
    "refuted": VerdictKind.REFUTED,
    "race_confirmed": VerdictKind.CONFIRMED,
    "race_refuted": VerdictKind.REFUTED,
    "undecided": VerdictKind.INCONCLUSIVE,
    "not_applicable": VerdictKind.NOT_APPLICABLE,
}


def render(reason: Reason, check: Check | None = None, tongue: str | None = None) -> str:
    """Return the reason as one sentence in `tongue` (zh or en; None: the language in use)."""
    tongue = tongue or language()
    say = _speaker(tongue)
    params = dict(reason.params)
    units = {} if check is None else dict(check.measures)
    own = None if check is None else _own(reason, check, tongue)
    if own is not None:
        filled = _filled(own, params, units, tongue)
        if filled is not None:
            return filled + _addition(reason.code, params, _speaker(tongue))
    sentence = SENTENCES.get(reason.code)
    if sentence is None:
        told = ", ".join(f"{name}: {value}" for name, value in params.items() if name != "claim")
        return f"{reason.code} ({told})" if told else reason.code
    text = _filled(say(sentence), params, {}, tongue, lenient=True) or ""
    return text + _addition(reason.code, params, say)


def _addition(code: str, params: Mapping[str, Any], say: Callable[[str], str]) -> str:
    """Return what some reasons say besides: why there is no GPU, which leg it was."""
    added = ""
    if code == "gpu_missing" and params.get("why"):
        added = say(_(" ({why})")).format(why=say(str(params["why"])))
    if params.get("leg"):
        legs = [str(params["leg"])]
        for name, verdict in params.get("other_legs") or ():
            legs.append(f"{name}: {say(_WORDS.get(str(verdict), str(verdict)))}")
        added += say(_(" [{leg}]")).format(leg=say(_("; ")).join(legs))
    return added


def _own(reason: Reason, check: Check, tongue: str) -> str | None:
    verdict = _VERDICTS.get(reason.code)
    claim = dict(reason.params).get("claim")
    for each in check.claims:
        text = dict(each.because).get(verdict) if verdict and each.id == claim else None
        if text is not None:
            return text.zh if tongue == "zh" else text.en
    return None


def _filled(
    template: str,
    params: Mapping[str, Any],
    units: Mapping[str, str],
    tongue: str,
    *,
    lenient: bool = False,
) -> str | None:
    """Return the template with its names filled in, None where one is missing."""
    parts = []
    for text, name, spec, _conversion in string.Formatter().parse(template):
        parts.append(text)
        if name is None:
            continue
        if params.get(name) is None:
            if not lenient:
                return None
            parts.append("?")
        else:
            unit = units.get(measurement(name), "") if spec == "u" else ""
            parts.append(number(params[name], unit, tongue))
    return "".join(parts).rstrip(": ") if lenient else "".join(parts)


def number(value: Any, unit: str = "", tongue: str | None = None) -> str:
    """Return a measured value as a person reads it, with its unit: 1,234 registers, 0.15 ms."""
    say = _speaker(tongue or language())
    if isinstance(value, bool):
        text = say(_("yes")) if value else say(_("no"))
    elif isinstance(value, int):
        text = f"{value:,}"
    elif isinstance(value, float):
        text = _decimal(value)
    elif isinstance(value, list | tuple):
        text = ", ".join(number(each, "", tongue) for each in value)
    else:
        text = "".join(c if c.isprintable() else " " for c in str(value))
    if not unit:
        return text
    if unit.startswith(_TIGHT):
        return f"{text}{unit}"
    return f"{text} {say(UNITS.get(unit, unit))}"


def _decimal(value: float) -> str:
    """Return four significant figures, never in exponents where a person can do without."""
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if 1e-4 <= abs(value) < 1e15:
        digits = max(0, 3 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{digits}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.3e}"


def _speaker(tongue: str) -> Callable[[str], str]:
    return _catalogue(tongue).gettext


@functools.cache
def _catalogue(tongue: str) -> gettext.NullTranslations:
    return catalogue("zh" if tongue == "zh" else "en")
