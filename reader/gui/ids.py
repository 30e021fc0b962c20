"""Ids of a whole list in one array: a million take eight megabytes and compare in a moment."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

_LETTERS = "ied"


def packed(id_: str) -> int:
    """Return an id as one whole number."""
    return int(id_[1:]) * 4 + _LETTERS.index(id_[0])


def unpacked(number: int) -> str:
    """Return the id that `packed` made a number of."""
    return f"{_LETTERS[number % 4]}{number // 4}"


class Ids(Sequence[str]):
    """A sequence of ids; made on a worker, since packing them takes a while."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: array[int] | None = None) -> None:
        self.numbers: array[int] = array("q") if numbers is None else numbers

    @classmethod
    def of(cls, ids: Iterable[str]) -> Ids:
        """Return these ids packed."""
        return ids if isinstance(ids, Ids) else cls(array("q", map(packed, ids)))

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        return map(unpacked, self.numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Ids: ...
    def __getitem__(self, place: int | slice) -> str | Ids:
        if isinstance(place, slice):
            return Ids(self.numbers[place])
        return unpacked(self.numbers[place])

    def __contains__(self, id_: object) -> bool:
        return isinstance(id_, str) and packed(id_) in self.numbers

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Ids):
            return self.numbers == other.numbers
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(self.numbers.tobytes())
