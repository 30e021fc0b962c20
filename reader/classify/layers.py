"""Which of the nine layers a text speaks of: terms with weights, both languages."""

from __future__ import annotations

from functools import cache

from reader.classify.rules import load
from reader.classify.terms import Prepared, Terms
from reader.model import Layer

# A strong term counts two, a weak one counts one.
_ENOUGH = 2


@cache
def _terms() -> dict[Layer, tuple[Terms, Terms]]:
    rules = load("layers")
    return {
        layer: (Terms.of(rules[layer.value]["strong"]), Terms.of(rules[layer.value]["weak"]))
        for layer in Layer
    }


def spoken_of(prepared: Prepared) -> tuple[Layer, ...]:
    """Return the layers of a text in stack order."""
    return tuple(layer for layer, terms in _terms().items() if _speaks(prepared, *terms))


def _speaks(prepared: Prepared, strong: Terms, weak: Terms) -> bool:
    return strong.found(prepared) or len(weak.within(prepared)) >= _ENOUGH


def layer_name(layer: Layer, language: str) -> str:
    """Return how a layer is called in zh or en."""
    return str(load("layers")[layer.value]["zh" if language == "zh" else "en"])
