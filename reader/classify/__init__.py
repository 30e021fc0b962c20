"""Text → layers, hardware and evidence kind; pure, rules as data, both languages."""

from __future__ import annotations

from reader.classify.evidence import evidence_name, shown
from reader.classify.hardware import (
    Node,
    ancestors,
    find_node,
    hardware_name,
    named,
    tree,
    with_ancestors,
)
from reader.classify.layers import layer_name, spoken_of
from reader.classify.rules import RULES_VERSION
from reader.classify.terms import Prepared
from reader.model import Evidence, Labels

__all__ = [
    "RULES_VERSION",
    "Node",
    "ancestors",
    "evidence_name",
    "find_node",
    "hardware_name",
    "labels",
    "layer_name",
    "named",
    "tree",
    "with_ancestors",
]


def labels(title: str, text: str, *, url: str | None = None) -> Labels:
    """Return our labels of a text.

    Hardware holds the most specific nodes that are named, hardware_all those above them too.
    """
    prepared = Prepared(f"{title}\n{text}\n{url or ''}")
    hardware = named(prepared)
    kinds = shown(f"{title}\n{text}", prepared)
    return Labels(
        layers=spoken_of(prepared),
        hardware=hardware,
        hardware_all=with_ancestors(hardware),
        evidence=kinds[-1] if kinds else Evidence.NONE,
        evidence_all=kinds,
    )
