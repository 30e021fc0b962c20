"""The conditions of a manifest: `name OP (name | number)`, parsed and evaluated; pure."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_QUALIFIED = rf"(?:[A-Za-z0-9][A-Za-z0-9_.-]*\.)?{_NAME}"
_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_CONDITION = re.compile(
    rf"\s*({_QUALIFIED})\s*(==|!=|<=|>=|<|>)\s*(?:({_NUMBER})|({_QUALIFIED}))\s*"
)


class Missing(Exception):
    """A measurement that a condition needs is not there; its text is the name."""


class Mismatch(Exception):
    """A measurement is of a kind that cannot be compared so; its text is the name."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison; `right` is a number or the name of another measurement."""

    left: str
    op: str
    right: str | float

    def __str__(self) -> str:
        right = self.right if isinstance(self.right, str) else f"{self.right:g}"
        return f"{self.left} {self.op} {right}"

    @property
    def names(self) -> tuple[str, ...]:
        """The measurements it needs, as written."""
        return (self.left, self.right) if isinstance(self.right, str) else (self.left,)

    @property
    def qualified(self) -> bool:
        """Whether it names a leg, so that it compares legs with one another."""
        return any("." in name for name in self.names)


def parse(text: str) -> Condition:
    """Return the condition; raises ValueError where `text` is none."""
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise ValueError(text)
    left, op, number, name = found.groups()
    return Condition(left, op, float(number) if number is not None else name)


def measurement(name: str) -> str:
    """Return the measurement's own name: what follows the leg in `leg.name`."""
    return name.rsplit(".", 1)[-1]


def holds(condition: Condition, measured: Mapping[str, Any]) -> bool:
    """Evaluate over the measurements; raises Missing or Mismatch."""
    left = _value(condition.left, measured)
    right = condition.right
    if isinstance(right, str):
        right = _value(right, measured)
    if condition.op not in ("==", "!=") and isinstance(left, str) != isinstance(right, str):
        raise Mismatch(condition.left)
    return _OPERATORS[condition.op](left, right)


def _value(name: str, measured: Mapping[str, Any]) -> Any:
    if measured.get(name) is None:
        raise Missing(name)
    return measured[name]
