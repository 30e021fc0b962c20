"""How well our layers agree with the site's, beside the best constant answer, on real digests.

Usage: python -m tests.bench.classify [FOLDER WITH seeds/ AND digests/]
"""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path

from reader import classify, digest
from reader.model import Layer, ParsedDigest, ParsedItem
from tests.shared import shared_folder

Answers = list[tuple[frozenset[Layer], frozenset[Layer]]]  # (right, given)


def labelled(folder: Path) -> list[ParsedItem]:
    """Return the items that carry the site's layers."""
    files = [*sorted((folder / "seeds").glob("*")), *sorted((folder / "digests").glob("*"))]
    found = [digest.read(file.read_text(encoding="utf-8")) for file in files]
    return [i for d in found if isinstance(d, ParsedDigest) for i in d.items if i.layers]


def micro(answers: Answers) -> float:
    """Return F1 over all decisions together."""
    hit = sum(len(right & given) for right, given in answers)
    total = sum(len(right) + len(given) for right, given in answers)
    return 2 * hit / total if total else 0.0


def macro(answers: Answers) -> float:
    """Return the mean over layers of each layer's F1."""
    return sum(layer_f1(answers, layer) for layer in Layer) / len(Layer)


def layer_f1(answers: Answers, layer: Layer) -> float:
    """Return one layer's F1."""
    only = frozenset((layer,))
    return micro([(right & only, given & only) for right, given in answers])


def best_constant(items: list[ParsedItem]) -> tuple[Answers, Answers]:
    """Return the answers of the best constant sets, by micro- and by macro-F1."""
    right = [frozenset(item.layers) for item in items]
    sets = [frozenset(c) for n in range(1, 10) for c in itertools.combinations(Layer, n)]
    by_micro = max(sets, key=lambda s: micro([(r, s) for r in right]))
    by_macro = max(sets, key=lambda s: macro([(r, s) for r in right]))
    return [(r, by_micro) for r in right], [(r, by_macro) for r in right]


def main() -> None:
    """Print the figures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else shared_folder()
    if folder is None:
        sys.exit("no folder with real digests here")
    items = labelled(folder)
    texts = [(item.title, f"{item.summary}\n{item.why}") for item in items]
    given = [frozenset(classify.labels(*text).layers) for text in texts]
    answers = [(frozenset(item.layers), g) for item, g in zip(items, given, strict=True)]
    constant_micro, constant_macro = best_constant(items)
    print(f"items {len(items)}")
    print(f"micro-F1 {micro(answers):.3f}  best constant {micro(constant_micro):.3f}")
    print(f"macro-F1 {macro(answers):.3f}  best constant {macro(constant_macro):.3f}")
    for layer in Layer:
        wrong = sum(layer in r ^ g for r, g in answers)
        print(f"  {layer.value:17} F1 {layer_f1(answers, layer):.3f}  wrong {wrong}")
    if "-v" in sys.argv:
        for item, (right, got) in zip(items, answers, strict=True):
            print(item.title[:40], "missed", *(right - got), "| too much", *(got - right))
    start = time.perf_counter()
    for _ in range(20):
        for text in texts:
            classify.labels(*text)
    each = (time.perf_counter() - start) / 20 / len(texts)
    size = sum(len(a) + len(b) for a, b in texts) / len(texts)
    print(f"{each * 1000:.2f} ms a story of {size:.0f} characters")


if __name__ == "__main__":
    main()
