"""How well claims are found in real digests, by labels made before the rules.

Usage: python -m tests.bench.claims [FOLDER WITH seeds/ AND digests/] [--wrong]

The labels hold hashes of sentences, no text. Sentences labelled `unclear` are those on which two
readers may differ; the strict precision counts each that is found as wrong.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reader import claims, digest
from reader.claims.sentences import spans
from reader.model import ParsedDigest, ParsedItem
from tests.shared import shared_folder

LABELS = Path(__file__).parents[1] / "data" / "labels"


def items(folder: Path) -> Iterator[tuple[str, ParsedItem]]:
    """Yield every item of the folder's digests under the name the labels give it."""
    for file in [*sorted((folder / "seeds").glob("*")), *sorted((folder / "digests").glob("*"))]:
        read = digest.read(file.read_text(encoding="utf-8"))
        for place, item in enumerate(read.items if isinstance(read, ParsedDigest) else ()):
            yield f"{file.name}#{place}", item


@dataclass
class Count:
    """Sentences by what was labelled and what was found."""

    sentences: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    other_kind: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Of what was found, how much is a claim by its label; unclear ones aside."""
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def strict(self) -> float:
        """The same with unclear ones as wrong."""
        return self.right / max(1, self.right + len(self.wrong) + len(self.unclear))

    @property
    def recall(self) -> float:
        """Of the claims by label, how many were found."""
        return self.right / max(1, self.right + len(self.missed))


def count(folder: Path) -> Count:
    """Compare what is found with the labels, sentence by sentence."""
    labels: dict[str, list[dict[str, Any]]] = json.loads((LABELS / "claims.json").read_text())
    total = Count()
    for name, item in items(folder):
        said = {each["sentence"]: each for each in labels.get(name, ())}
        for part in claims.FIELDS:
            text = getattr(item, part) or ""
            found = {(each.start, each.end): each for each in claims.find(text, part)}
            for place in spans(text):
                sentence = text[place[0] : place[1]]
                key = hashlib.sha256(sentence.encode()).hexdigest()[:12]
                _one(total, sentence, said.get(key), found.get(place))
    return total


def _one(
    total: Count, sentence: str, label: dict[str, Any] | None, found: claims.Found | None
) -> None:
    total.sentences += 1
    if label is None or "unclear" in label:
        if found is not None:
            (total.wrong if label is None else total.unclear).append(f"{found.kind}: {sentence}")
    elif found is None:
        total.missed.append(f"{label['kinds'][0]}: {sentence}")
    else:
        total.right += 1
        if found.kind not in label["kinds"]:
            total.other_kind.append(f"{found.kind}, not {label['kinds'][0]}: {sentence}")


def main(arguments: list[str]) -> int:
    """Print precision and recall."""
    named = [each for each in arguments if not each.startswith("--")]
    folder = Path(named[0]) if named else shared_folder()
    if folder is None:
        print("skipped: the digests are not on this machine; give their folder")
        return 0
    started = time.perf_counter()
    total = count(folder)
    took = time.perf_counter() - started
    print(
        f"claims: {total.sentences} sentences, {total.right + len(total.missed)} labelled claims\n"
        f"precision {total.precision:.3f} (strict, unclear as wrong: {total.strict:.3f})"
        f"  recall {total.recall:.3f}  kind right {total.right - len(total.other_kind)}"
        f"/{total.right}  {took:.2f} s with reading the digests"
    )
    if "--wrong" in arguments:
        for title in ("wrong", "missed", "other_kind", "unclear"):
            print(f"-- {title}", *getattr(total, title), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
