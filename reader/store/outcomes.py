"""The outcome of a queue entry: never set, always derived from the verdicts of its Runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reader.model import QueueState, RunStatus, Verdict, VerdictKind
from reader.store import marks
from reader.store.codec import unpack
from reader.store.connection import Connection
from reader.store.processes import alive

_DECIDED = (VerdictKind.CONFIRMED, VerdictKind.REFUTED, VerdictKind.INCONCLUSIVE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the Runs of a story say together; `decided` counts confirmed and refuted claims."""

    state: QueueState
    runs: tuple[str, ...] = ()
    decided: int = 0
    claims: int = 0


def outcome(verdicts: Sequence[VerdictKind]) -> QueueState:
    """Return what the verdicts on a story's claims come to (DESIGN's rule).

    Any refuted, else any inconclusive, else any confirmed, else all not applicable, else waiting.
    """
    for kind, state in (
        (VerdictKind.REFUTED, QueueState.REFUTED),
        (VerdictKind.INCONCLUSIVE, QueueState.INCONCLUSIVE),
        (VerdictKind.CONFIRMED, QueueState.CONFIRMED),
    ):
        if kind in verdicts:
            return state
    if verdicts and all(each is VerdictKind.NOT_APPLICABLE for each in verdicts):
        return QueueState.NOT_APPLICABLE
    return QueueState.WAITING


def standing(runs: Iterable[tuple[str, Sequence[Verdict]]]) -> list[VerdictKind]:
    """Return the verdict that holds for each claim, from (check, verdicts) oldest first.

    The newest that says something about the claim: that a laptop could not run what the desk
    has shown takes nothing away.
    """
    held: dict[tuple[str, str], VerdictKind] = {}
    for check, verdicts in runs:
        for each in verdicts:
            claim = (check, each.claim)
            if each.verdict in _DECIDED or held.get(claim) not in _DECIDED:
                held[claim] = each.verdict
    return list(held.values())


class Outcomes:
    """Derives outcomes from what the store holds."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def states(self, keys: Iterable[str]) -> dict[str, QueueState]:
        """Return the state of those stories that are in the queue, by key."""
        return {key: found.state for key in keys if (found := self.of(key)) is not None}

    def of(self, key: str) -> Outcome | None:
        """Return the outcome of one story, None where it is not in the queue."""
        queued = self._connection.value(
            "SELECT value FROM marks WHERE key = ? AND mark = ?", (key, marks.QUEUE)
        )
        return None if queued is None else self._outcome(key, dropped=queued == marks.DROPPED)

    def _outcome(self, key: str, *, dropped: bool) -> Outcome:
        runs = self._connection.rows(
            """
            SELECT id, check_name, status, pid, pid_started,
                (SELECT verdicts FROM judgements WHERE run = runs.id ORDER BY at DESC LIMIT 1)
                    AS verdicts
            FROM runs WHERE story = ? ORDER BY started, uid
            """,
            (key,),
        )
        judged = [
            (row["check_name"], unpack(tuple[Verdict, ...], row["verdicts"]))
            for row in runs
            if row["verdicts"] is not None
        ]
        claims = standing(judged)
        running = any(
            row["status"] == RunStatus.RUNNING and alive(row["pid"], row["pid_started"])
            for row in runs
        )
        if dropped:
            state = QueueState.DROPPED
        elif running:
            state = QueueState.RUNNING
        else:
            state = outcome(claims) if claims else QueueState.QUEUED
        settled = (VerdictKind.CONFIRMED, VerdictKind.REFUTED)
        return Outcome(
            state=state,
            runs=tuple(f"r{row['id']}" for row in runs),
            decided=sum(each in settled for each in claims),
            claims=len(claims),
        )
