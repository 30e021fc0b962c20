"""The window's main story in the terminal: read, choose, queue, run a check, see the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reader.cli import voice
from reader.cli.check import known_checks, perform
from reader.cli.plain import wrap
from reader.cli.runs import print_run
from reader.cli.session import Session
from reader.cli.surroundings import Surroundings
from reader.errors import CheckError, Expected
from reader.language import _, language
from reader.model import Check, Digest, Item, Query, RunStatus, StoryKind
from reader.report.words import in_language

if TYPE_CHECKING:
    from reader.store import Store

BEST = 5
RECENT = 100  # items looked at
SMALL_MB = 100  # an environment up to this is built without asking where nobody can be asked


def walk(session: Session) -> int:
    """Walk the path once; what cannot go on says which command goes on."""
    with session.store(starter=True) as store:
        _digest(store)
        found = _best(store, known_checks(session))
        if not found:
            voice.note(_("The store is empty. Subscribe: readproof add URL; then: readproof sync"))
            return 0
        _print_items(found)
        around = Surroundings.look(session)
        chosen = _choose(found, around)
        if chosen is None:
            voice.note(_("No bundled check fits these items yet."))
            return 0
        item, check = chosen
        entry = store.queue.add(item.id, check=check.name)
    _heading(_("Marked for validation"))
    voice.say(f"{entry.id}  {item.title}")
    return _prove(session, item, check, around)


def _heading(text: str) -> None:
    voice.say("", voice.paint(text, "bold"))


def _digest(store: Store) -> None:
    rows = store.library.page(Query(kinds=(StoryKind.DIGEST,), limit=1))
    if not rows:
        return
    digest = store.library.get(rows[0].id)
    if not isinstance(digest, Digest):
        return
    _heading(digest.parsed.title)
    voice.say(*wrap(digest.parsed.overview, min(100, voice.columns()), "  "))


def _best(store: Store, checks: list[Check]) -> list[tuple[Item, list[Check]]]:
    """Return the best items with the checks that fit them: what can be proved comes first."""
    from reader.checks import matching

    found = []
    for row in store.library.page(Query(limit=RECENT)):
        item = store.library.get(row.id)
        if isinstance(item, Item):
            found.append((item, [each.check for each in matching.fitting(checks, item)]))
    found.sort(key=lambda pair: (not pair[1], -(pair[0].score or 0)))
    return found[:BEST]


def _print_items(found: list[tuple[Item, list[Check]]]) -> None:
    _heading(_("The best of it"))
    rows = [
        (
            item.id,
            f"{item.score:.1f}" if item.score is not None else "",
            checks[0].name if checks else "",
            item.title,
        )
        for item, checks in found
    ]
    voice.listing(rows, ("id", _("score"), _("check"), _("title")), numbers=(1,))


def _choose(
    found: list[tuple[Item, list[Check]]], around: Surroundings
) -> tuple[Item, Check] | None:
    """Return the pair that costs least to prove: an environment that stands, else the smallest."""
    pairs = [(item, check) for item, checks in found for check in checks[:1]]

    def cost(pair: tuple[Item, Check]) -> tuple[bool, int]:
        check = pair[1]
        nothing_here = not any(each.here for each in around.preflight(check))
        return nothing_here, 0 if around.environment(check) else check.packages.size_mb

    return min(pairs, key=cost, default=None)


def _prove(session: Session, item: Item, check: Check, around: Surroundings) -> int:
    _heading(
        _("Running {check}: {title}").format(
            check=check.name, title=in_language(check.title, language())
        )
    )
    command = f"readproof check run {check.name} --item {item.id} --yes"
    size = check.packages.size_mb
    alone = not voice.can_ask()
    if alone and size <= SMALL_MB and around.environment(check) is None:
        text = _("Building its environment first: about {size} MB, {time}.")
        voice.note(text.format(size=size, time=around.build_time(check)))
    try:
        record = perform(session, check, item.id, ask=not (alone and size <= SMALL_MB))
    except CheckError as error:
        raise Expected(
            _("{error} To go on from here: {command}").format(error=error, command=command)
        ) from error
    voice.say("")
    print_run(record, check)
    if record.status in (RunStatus.CANCELLED, RunStatus.INTERRUPTED):
        return 130
    voice.say("", _("The report: {command}").format(command=f"readproof report --run {record.id}"))
    return 0
