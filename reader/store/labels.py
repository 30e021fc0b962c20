"""Label rows: which story carries which layer, hardware, evidence kind and tag, and who says so."""

from __future__ import annotations

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

    def rows(self) -> list[tuple[str, str, str]]:
        """Return (family, name, whose) of every label row."""
        whose = SITE if self.site else OURS
        return [
            *((LAYER, layer.value, whose) for layer in dict.fromkeys(self.shown)),
            *((HARDWARE, node, OURS) for node in dict.fromkeys(self.ours.hardware)),
            (EVIDENCE, self.ours.evidence.value, OURS),
        ]


@lru_cache(maxsize=4096)
def parse_combination(text: str) -> StoryLabels:
    """Return the labels a row of `combinations` stands for."""
    return unpack(StoryLabels, text)


class LabelRows:
    """Writes and finds label rows; ids of labels and combinations are remembered."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def combination(self, labels: StoryLabels) -> int:
        """Return the id of this combination of labels, made where it is new."""
        text = pack(labels)
        found = self._connection.value("SELECT id FROM combinations WHERE labels = ?", (text,))
        if found is None:
            cursor = self._connection.run("INSERT INTO combinations (labels) VALUES (?)", (text,))
            found = cursor.lastrowid
        return int(found)

    def find(self, family: str, name: str) -> int | None:
        """Return the id of a label, None where no story ever carried it."""
        found = self._connection.value(
            "SELECT id FROM labels WHERE family = ? AND name = ?", (family, name)
        )
        return None if found is None else int(found)

    def _make(self, family: str, name: str) -> int:
        found = self.find(family, name)
        if found is None:
            cursor = self._connection.run(
                "INSERT INTO labels (family, name) VALUES (?, ?)", (family, name)
            )
            found = int(cursor.lastrowid or 0)
        return found

    def put(self, place: int, labels: StoryLabels) -> None:
        """Write the rows of a story."""
        self._connection.run_many(
            "INSERT OR REPLACE INTO labelled (label, place, whose) VALUES (?, ?, ?)",
            [(self._make(family, name), place, whose) for family, name, whose in labels.rows()],
        )

    def take(self, place: int, labels: StoryLabels) -> None:
        """Remove the rows of a story."""
        self._connection.run_many(
            "DELETE FROM labelled WHERE label = ? AND place = ?",
            [(self._make(family, name), place) for family, name, _whose in labels.rows()],
        )

    def tag(self, place: int, tag: str, *, on: bool) -> None:
        """Write or remove the row of one tag of the user's."""
        label = self._make(TAG, tag)
        if on:
            self._connection.run(
                "INSERT OR REPLACE INTO labelled (label, place, whose) VALUES (?, ?, ?)",
                (label, place, MINE),
            )
        else:
            self._connection.run(
                "DELETE FROM labelled WHERE label = ? AND place = ?", (label, place)
            )

    def few(self, label: int, most: int) -> int:
        """Return how many stories carry a label, counted up to `most`."""
        return int(
            self._connection.value(
                "SELECT count(*) FROM (SELECT 1 FROM labelled WHERE label = ? LIMIT ?)",
                (label, most),
            )
        )
