"""What every command is given: which store, which settings, how talkative."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reader.settings import Settings
from reader.tasks import Task

if TYPE_CHECKING:
    from reader.store import Store

R = TypeVar("R")

ASKED = "starter"  # the fact by which a store remembers that the starter was its turn


@dataclass(frozen=True, slots=True)
class Session:
    """One call of the command line."""

    store_path: Path
    config_path: Path
    settings: Settings
    language: str | None = None  # as asked for on this call; None: settings, else the system
    verbose: bool = False

    @contextmanager
    def store(self, *, starter: bool = False) -> Iterator[Store]:
        """Open the store; with `starter`, one that has never held anything gets the starter.

        Runs of processes that are no more are ended first, so that nobody reads them as running.
        """
        from reader.store import Store

        with Store.open(self.store_path) as store:
            if starter and store.facts.get(ASKED) is None:
                from reader import sync  # slow to load, and needed once in a store's life

                sync.starter(store)
            store.runs.reap()
            yield store


def pass_session(command: Callable[..., R]) -> Callable[..., R]:
    """Give a command the session of its call as its first argument."""
    return click.pass_obj(command)


@contextmanager
def interruptible(name: str, progress: Callable[[Any], None]) -> Iterator[Task[Any]]:
    """Give a task that Ctrl-C (or a termination) cancels; a second Ctrl-C stops at once."""
    task: Task[Any] = Task(name, lambda callback: callback(), progress)

    def cancel(_signal: int, _frame: FrameType | None) -> None:
        if task.cancelled:
            raise KeyboardInterrupt
        task.cancel()

    before = {each: signal.signal(each, cancel) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield task
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
