"""Store → Report → Markdown, HTML or JSON: claims beside verdicts, with what stands behind them."""

from __future__ import annotations

from reader.report.gather import Recorded, Report, Subject, bundled, check_of, report
from reader.report.render import FORMATS, render

__all__ = ["FORMATS", "Recorded", "Report", "Subject", "bundled", "check_of", "render", "report"]
