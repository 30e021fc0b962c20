"""A Run as one JSON document, as the command line promises it."""

from __future__ import annotations

from typing import Any

from reader.model import Artefact, Check, Leg, Run, Verdict
from reader.report.words import in_language, sentence

Document = dict[str, Any]


def run_document(run: Run, check: Check | None, tongue: str) -> Document:
    """Return a run with its legs, verdicts (reasons as sentences and as codes) and artefacts."""
    return {
        "run": run.id,
        "check": run.check,
        "check_hash": run.check_hash,
        "item": run.item,
        "status": run.status.value,
        "started": run.started.isoformat(),
        "finished": run.finished.isoformat() if run.finished else None,
        "machine": run.machine,
        "legs": [_leg(each, check, tongue) for each in run.legs],
        "verdicts": [verdict_document(each, check, tongue) for each in run.verdicts],
        "artefacts": [_artefact(each) for each in run.artefacts],
        "stale": [sentence(each, check, tongue) for each in run.stale],
        "units": dict(check.measures) if check is not None else {},
    }


def _leg(leg: Leg, check: Check | None, tongue: str) -> Document:
    return {
        "name": leg.name,
        "environment": leg.environment,
        "toolkit": leg.toolkit,
        "target": leg.target,
        "measured": leg.measured,
        "cases": list(leg.cases),
        "log": leg.log,
        "command": list(leg.command),
        "exit_status": leg.exit_status,
        "seconds": leg.seconds,
        "fault": sentence(leg.fault, check, tongue) if leg.fault is not None else None,
    }


def verdict_document(verdict: Verdict, check: Check | None, tongue: str) -> Document:
    """Return one claim's verdict; `text` is the claim where the check is known."""
    claims = check.claims if check is not None else ()
    claim = next((each for each in claims if each.id == verdict.claim), None)
    return {
        "claim": verdict.claim,
        "text": in_language(claim.text, tongue) if claim is not None else None,
        "kind": verdict.kind.value,
        "verdict": verdict.verdict.value,
        "reason": sentence(verdict.reason, check, tongue),
        "reason_code": verdict.reason.code,
        "reason_params": dict(verdict.reason.params),
        "measured": verdict.measured,
        "expected": in_language(verdict.expected, tongue) or None,
        "judge": verdict.judge,
    }


def _artefact(artefact: Artefact) -> Document:
    return {
        "name": artefact.name,
        "path": artefact.path,
        "sha256": artefact.sha256,
        "bytes": artefact.bytes,
    }
