"""Report → JUnit XML, so that a CI server shows verdicts as it shows tests.

A claim is a test case: refuted fails it, and whatever showed nothing (inconclusive, not
applicable, could not run) is skipped with its reason. Pure.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from reader.model import VerdictKind
from reader.report.gather import Finding, Report, Subject
from reader.report.words import amount, in_language, sentence, unit_of

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(report: Report, tongue: str) -> str:
    """Return the report as one document; a suite is what one check found for one story."""
    root = ET.Element("testsuites", {"name": "readproof"})
    for subject in report.subjects:
        for check in dict.fromkeys(each.recorded.run.check for each in subject.findings):
            found = [each for each in subject.findings if each.recorded.run.check == check]
            root.append(_suite(check, subject, found, tongue))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(check: str, subject: Subject, found: list[Finding], tongue: str) -> ET.Element:
    runs = dict.fromkeys(each.recorded.run.id for each in found)
    legs = {
        (each.recorded.run.id, leg.name): leg.seconds
        for each in found
        for leg in each.recorded.run.legs
    }
    refuted = [each for each in found if each.verdict.verdict is VerdictKind.REFUTED]
    skipped = [each for each in found if each.verdict.verdict not in _DECIDED]
    suite = ET.Element(
        "testsuite",
        {
            "name": check,
            "tests": str(len(found)),
            "failures": str(len(refuted)),
            "errors": "0",
            "skipped": str(len(skipped)),
            "time": f"{sum(legs.values()):.3f}",
            "timestamp": found[0].recorded.run.started.isoformat(timespec="seconds"),
        },
    )
    properties = ET.SubElement(suite, "properties")
    _property(properties, "runs", " ".join(runs))
    if subject.story is not None:
        _property(properties, "item", f"{subject.story.id} {subject.story.title}")
    for each in found:
        suite.append(_case(check, each, tongue))
    return suite


_DECIDED = (VerdictKind.CONFIRMED, VerdictKind.REFUTED)


def _case(check: str, finding: Finding, tongue: str) -> ET.Element:
    verdict, known = finding.verdict, finding.recorded.check
    case = ET.Element("testcase", {"classname": _plain(check), "name": _plain(verdict.claim)})
    said = _plain(sentence(verdict.reason, known, tongue))
    if verdict.verdict is VerdictKind.REFUTED:
        ET.SubElement(case, "failure", {"type": "refuted", "message": said})
    elif verdict.verdict not in _DECIDED:
        ET.SubElement(case, "skipped", {"message": f"{verdict.verdict.value}: {said}"})
    lines = [in_language(finding.claim.text, tongue)] if finding.claim is not None else []
    lines.append(said)
    lines += [
        f"{name} = {amount(value, unit_of(name, known), tongue)}"
        for name, value in verdict.measured.items()
    ]
    ET.SubElement(case, "system-out").text = _plain("\n".join(lines))
    return case


def _property(properties: ET.Element, name: str, value: str) -> None:
    ET.SubElement(properties, "property", {"name": name, "value": _plain(value)})


def _plain(text: str) -> str:
    """Return a text without the characters that XML cannot hold."""
    return _NO_XML.sub("", text)
