"""Label rows: which story carries which layer, hardware, evidence kind and tag, and who says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from reader.model import Labels, Layer
from reader.store.codec import pack, unpack
from reader.store.connection import Connection

LAYER, HARDWARE, EVIDENCE, TAG = "layer", "hardware", "evidence", "tag"
SITE, OURS, MINE = "site", "ours", "mine"


@dataclass(frozen=True, slots=True)
class StoryLabels:
    """All labels of one story: the site's layers, and ours."""

    site: tuple[Layer, ...] = ()
    ours: Labels = field(default_factory=Labels)

    @property
    def shown(self) -> tuple[Layer, ...]:
        """The layers a list shows and filters by: the site's, else ours."""
        return self.site or self.ours.layers

    @property
    def found(self) -> tuple[str, ...]:
        """The hardware a filter finds the story by: what it names, and everything above that."""
        return self.ours.hardware_all or self.ours.hardware

    def rows(self) -> list[tuple[str, str, str]]:
        """Return (family, name, whose) of every label row."""
        whose = SITE if self.site else OURS
        return [
            *((LAYER, layer.value, whose) for layer in dict.fromkeys(self.shown)),
            *((HARDWARE, node, OURS) for node in dict.fromkeys(self.found)),
            (EVIDENCE, self.ours.evidence.value, OURS),
        ]


@lru_cache(maxsize=4096)
def parse_combination(text: str) -> StoryLabels:
    """Return the labels a row of `combinations` stands for."""
    return unpack(StoryLabels, text)


@lru_cache(maxsize=4096)
def _packed(labels: StoryLabels) -> str:
    return pack(labels)


class LabelRows:
    """Writes and finds label rows; ids of labels and combinations are remembered."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def combination(self, labels: StoryLabels) -> int:
        """Return the id of this combination of labels, made where it is new."""
        remembered, name = self._connection.remembered, ("", _packed(labels))
        if name not in remembered:
            found = self._connection.value("SELECT id FROM combinations WHERE labels = ?", name[1:])
            if found is None:
                found = self._connection.run(
                    "INSERT INTO combinations (labels) VALUES (?)", name[1:]
                ).lastrowid
            remembered[name] = int(found)
        return remembered[name]

    def find(self, family: str, name: str) -> int | None:
        """Return the id of a label, None where no story ever carried it."""
        found = self._connection.value(
            "SELECT id FROM labels WHERE family = ? AND name = ?", (family, name)
        )
        return None if found is None else int(found)

    def put(self, place: int, labels: StoryLabels) -> None:
        """Write the rows of a story."""
        self._put(place, labels.rows())

    def put_all(self, stories: Iterable[tuple[int, StoryLabels]]) -> None:
        """Write the rows of many stories."""
        self._write((place, row) for place, labels in stories for row in labels.rows())

    def _put(self, place: int, rows: Sequence[tuple[str, str, str]]) -> None:
        self._write((place, row) for row in rows)

    def _write(self, rows: Iterable[tuple[int, tuple[str, str, str]]]) -> None:
        self._connection.run_many(
            "INSERT OR REPLACE INTO labelled (label, place, whose) VALUES (?, ?, ?)",
            sorted((self._id(family, name), place, whose) for place, (family, name, whose) in rows),
        )

    def _id(self, family: str, name: str) -> int:
        """Return the id of a label, made where it is new."""
        remembered, label = self._connection.remembered, (family, name)
        if label not in remembered:
            self._connection.run("INSERT OR IGNORE INTO labels (family, name) VALUES (?, ?)", label)
            remembered[label] = self.find(family, name) or 0
        return remembered[label]

    def _take(self, place: int, rows: Sequence[tuple[str, str, str]]) -> None:
        self._connection.run_many(
            "DELETE FROM labelled WHERE place = ? AND label ="
            " (SELECT id FROM labels WHERE family = ? AND name = ?)",
            [(place, family, name) for family, name, _whose in rows],
        )

    def take(self, place: int, labels: StoryLabels) -> None:
        """Remove the rows of a story."""
        self._take(place, labels.rows())

    def tag(self, place: int, tag: str, *, on: bool) -> None:
        """Write or remove the row of one tag of the user's."""
        (self._put if on else self._take)(place, [(TAG, tag, MINE)])

    def few(self, label: int, most: int) -> int:
        """Return how many stories carry a label, counted up to `most`."""
        return int(
            self._connection.value(
                "SELECT count(*) FROM (SELECT 1 FROM labelled WHERE label = ? LIMIT ?)",
                (label, most),
            )
        )
