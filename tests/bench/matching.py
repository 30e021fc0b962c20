"""How well checks are matched to items of real digests, by labels made before the rules.

Usage: python -m tests.bench.matching [FOLDER WITH seeds/ AND digests/]

Counted are pairs of item and check, over the checks that are there; a pair labelled `unclear` is
one on which two readers may differ, and counts neither way.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reader.checks import manifest, matching
from reader.model import Check, Item, Labels, Marks, ParsedItem
from tests.bench.claims import LABELS, items
from tests.shared import shared_folder


@dataclass
class Count:
    """Pairs of item and check."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    none_right: int = 0  # items that no check fits and none was offered for
    none: int = 0

    @property
    def precision(self) -> float:
        """Of what was offered, how much fits by its label."""
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        """Of what fits by label, how much was offered."""
        return self.right / max(1, self.right + len(self.missed))


def stored(parsed: ParsedItem) -> Item:
    """Return an item as the store would hold it."""
    return Item(
        id="i1", digest="d1", title=parsed.title, title_derived=parsed.title_derived, feed=None,
        section=parsed.section, number=parsed.number, published=None, url=None,
        summary=parsed.summary, why=parsed.why, body=parsed.body, layers=parsed.layers,
        layers_unknown=parsed.layers_unknown, labels=Labels(), group=parsed.group,
        happened_at=parsed.happened_at, commit=parsed.commit,
        reported_result=parsed.reported_result, scenario=parsed.scenario,
        first_step=parsed.first_step, action_window=parsed.action_window, refs=parsed.refs,
        score=parsed.score, sources=parsed.sources, marks=Marks(),
    )  # fmt: skip


def count(folder: Path, checks: list[Check]) -> Count:
    """Compare what is offered with the labels."""
    labels: dict[str, dict[str, Any]] = json.loads((LABELS / "matching.json").read_text())
    here = {check.name for check in checks}
    total = Count()
    for name, parsed in items(folder):
        label = labels[name]
        fits = set(label["fits"]) & here
        given = {match.check.name for match in matching.fitting(checks, stored(parsed))}
        given -= set(label.get("unclear", ()))
        total.right += len(fits & given)
        total.wrong += [f"{each} for {name}" for each in sorted(given - fits)]
        total.missed += [f"{each} for {name}" for each in sorted(fits - given)]
        total.none += not fits
        total.none_right += not fits and not given
    return total


def main(arguments: list[str]) -> int:
    """Print precision and recall."""
    folder = Path(arguments[0]) if arguments else shared_folder()
    if folder is None:
        print("skipped: the digests are not on this machine; give their folder")
        return 0
    checks, faults = manifest.load_all()
    total = count(folder, checks)
    print(
        f"matching: {len(checks)} checks, {len(faults)} that do not load\n"
        f"precision {total.precision:.3f}  recall {total.recall:.3f}  "
        f"“none fits” right {total.none_right}/{total.none}"
    )
    for title, lines in (("wrong", total.wrong), ("missed", total.missed)):
        if lines:
            print(f"-- {title}", *lines, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
