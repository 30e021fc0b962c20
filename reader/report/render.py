"""Report → text in one of four formats."""

from __future__ import annotations

import json
from typing import Any

from reader.language import language as current
from reader.model import Entry, Item
from reader.report import html, junit, markdown
from reader.report.gather import Report, Subject
from reader.report.page import page
from reader.report.record import run_document, verdict_document

FORMATS = ("md", "html", "json", "junit")


def render(report: Report, format: str, language: str | None = None) -> str:  # noqa: A002
    """Return the report as md, html (one self-contained file), json or junit (XML)."""
    tongue = language or current()
    if format == "json":
        return json.dumps(document(report, tongue), ensure_ascii=False, indent=2) + "\n"
    if format not in FORMATS:
        raise ValueError(f"no report format {format!r}")
    if format == "junit":
        return junit.text(report, tongue)
    said = page(report, tongue)
    return html.text(said) if format == "html" else markdown.text(said)


def document(report: Report, tongue: str) -> dict[str, Any]:
    """Return the report as one JSON document."""
    return {
        "schema": 1,
        "scope": report.scope,
        "made": report.made.isoformat(),
        "language": tongue,
        "subjects": [_subject(each, tongue) for each in report.subjects],
    }


def _subject(subject: Subject, tongue: str) -> dict[str, Any]:
    queue = subject.queue
    return {
        "item": _story(subject.story),
        "queue": None
        if queue is None
        else {
            "id": queue.id,
            "state": queue.state.value,
            "due": queue.due.isoformat() if queue.due else None,
            "priority": queue.priority,
            "tags": list(queue.tags),
            "note": queue.note,
        },
        "verdicts": [
            {
                "run": each.recorded.run.id,
                "check": each.recorded.run.check,
                **verdict_document(each.verdict, each.recorded.check, tongue),
            }
            for each in subject.findings
        ],
        "runs": [run_document(each.run, each.check, tongue) for each in subject.runs],
    }


def _story(story: Item | Entry | None) -> dict[str, Any] | None:
    if story is None:
        return None
    return {"id": story.id, "title": story.title, "url": story.url}
