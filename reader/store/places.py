"""Places: one order over all stories, and the rows that follow a story when it moves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from reader.store.connection import Connection
from reader.store.labels import LabelRows, StoryLabels, parse_combination
from reader.store.listing import SEQUENCE_BITS

_MIDDLE = 1 << (SEQUENCE_BITS - 1)
_OLDEST = datetime(1990, 1, 1, tzinfo=UTC)  # an earlier date is a mistake of the source's


@dataclass(frozen=True, slots=True)
class Story:
    """What a row of `stories` and its label and search rows are made from."""

    kind: str
    ref: int
    feed: int | None
    digest: int | None
    labels: StoryLabels
    score: float | None
    title: str
    body: str


def sorted_by(published: datetime | None, now: datetime) -> datetime:
    """Return the instant a story is sorted by: its date, or now where that cannot be."""
    if published is None or published < _OLDEST:
        return now
    return min(published, now)


class Places:
    """Puts stories in, moves them and takes them out, with everything that hangs on a place."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._labels = LabelRows(connection)

    def next(self, moment: datetime) -> int:
        """Return a free place at that second, before all that stand there already."""
        low = int(moment.timestamp()) << SEQUENCE_BITS
        while True:
            high = low + (1 << SEQUENCE_BITS)
            first, last = self._connection.rows(
                "SELECT min(place), max(place) FROM stories WHERE place >= ? AND place < ?",
                (low, high),
            )[0]
            if first is None:
                return low + _MIDDLE
            if first > low:
                return int(first) - 1
            if last + 1 < high:
                return int(last) + 1
            low = high

    def find(self, kind: str, ref: int) -> int | None:
        """Return the place of an item, entry or digest."""
        found = self._connection.value(
            "SELECT place FROM stories WHERE kind = ? AND ref = ?", (kind, ref)
        )
        return None if found is None else int(found)

    def put(self, place: int, story: Story) -> None:
        """Write a story and its label and search rows; its marks are the caller's to copy."""
        self._connection.run(
            "INSERT INTO stories (place, kind, ref, feed, digest, combination, score)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                place,
                story.kind,
                story.ref,
                story.feed,
                story.digest,
                self._labels.combination(story.labels),
                -1 if story.score is None else story.score,
            ),
        )
        self._labels.put(place, story.labels)
        self.index(place, story)

    def index(self, place: int, story: Story) -> None:
        """Write the search row."""
        self._connection.index.add(place, story.title, story.body)

    def unindex(self, place: int, story: Story) -> None:
        """Remove the search row."""
        self._connection.index.take(place, story.title, story.body)

    def labels(self, place: int) -> StoryLabels:
        """Return the labels a story carries now."""
        text = self._connection.value(
            "SELECT labels FROM combinations JOIN stories ON combination = combinations.id"
            " WHERE place = ?",
            (place,),
        )
        return parse_combination(text)

    def update(self, place: int, old: Story, new: Story) -> None:
        """Bring a story's own, label and search rows to what it says now."""
        before = self.labels(place)
        if before != new.labels:
            self._labels.take(place, before)
            self._labels.put(place, new.labels)
        if (old.title, old.body) != (new.title, new.body):
            self.unindex(place, old)
            self.index(place, new)
        self._connection.run(
            "UPDATE stories SET kind = ?, ref = ?, feed = ?, digest = ?, combination = ?,"
            " score = ? WHERE place = ?",
            (
                new.kind,
                new.ref,
                new.feed,
                new.digest,
                self._labels.combination(new.labels),
                -1 if new.score is None else new.score,
                place,
            ),
        )

    def relabel(self, place: int, labels: StoryLabels) -> bool:
        """Give a story other labels; return whether they differ."""
        before = self.labels(place)
        if before == labels:
            return False
        self._labels.take(place, before)
        self._labels.put(place, labels)
        self._connection.run(
            "UPDATE stories SET combination = ? WHERE place = ?",
            (self._labels.combination(labels), place),
        )
        return True

    def move(self, place: int, story: Story, to: int) -> None:
        """Take a story, its labels, tags and search row to another place."""
        self.unindex(place, story)
        self._connection.run("UPDATE stories SET place = ? WHERE place = ?", (to, place))
        labels = self._connection.rows("SELECT id FROM labels")
        self._connection.run_many(
            "UPDATE labelled SET place = ? WHERE label = ? AND place = ?",
            [(to, row["id"], place) for row in labels],
        )
        self.index(to, story)

    def take(self, place: int, story: Story, tags: list[str]) -> None:
        """Remove a story with its label and search rows."""
        self.unindex(place, story)
        self._labels.take(place, self.labels(place))
        for tag in tags:
            self._labels.tag(place, tag, on=False)
        self._connection.run("DELETE FROM stories WHERE place = ?", (place,))
