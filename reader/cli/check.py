"""Checks: check list, run, trust."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reader.cli import voice
from reader.cli.options import json_option
from reader.cli.session import Session, interruptible, pass_session
from reader.cli.surroundings import Surroundings
from reader.errors import CheckError, Usage
from reader.language import _, language
from reader.model import Check, Item, Run, RunProgress, RunStatus, VerdictKind
from reader.report.record import run_document
from reader.report.words import in_language, sentence

if TYPE_CHECKING:
    from reader.runner import RunOptions
    from reader.store import Store


@click.group(help=_("The checks that can prove or refute a claim on this machine."))
def check() -> None:
    """Group the commands about checks."""


def known_checks(session: Session) -> list[Check]:
    """Return the bundled checks and the user's own; a broken one is named on stderr."""
    from reader.checks import manifest

    checks, faults = manifest.load_all(session.settings.check_folders)
    for fault in faults:
        voice.note(str(fault))
    return checks


def known_check(session: Session, name: str) -> Check:
    """Return a check by name; raises Usage with the nearest names, or what is wrong with it."""
    from reader.checks import manifest

    checks, faults = manifest.load_all(session.settings.check_folders)
    for each in checks:
        if each.name == name:
            return each
    for fault in faults:
        if fault.folder is not None and fault.folder.name == name:
            raise fault
    names = [each.name for each in checks]
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or names
    raise Usage(
        _("There is no check {name}. There are: {names}.").format(name=name, names=", ".join(near))
    )


@check.command("list", help=_("List the checks; with an item, those that fit it, best first."))
@click.option("--item", metavar="ID", help=_("Only checks that fit this item."))
@json_option
@pass_session
def list_(session: Session, item: str | None, as_json: bool) -> None:
    """List checks, with what each needs and what of it can be shown here."""
    checks = known_checks(session)
    reasons: dict[str, str] = {}
    with session.store(starter=True) as store:
        if item is not None:
            checks, reasons = _fitting(store, checks, item)
    around = Surroundings.look(session)
    if as_json:
        voice.document([around.document(each, reasons.get(each.name)) for each in checks])
        return
    if not checks:
        voice.note(_("No check fits this item yet."))
        if item is not None:
            draft = f"readproof check new --item {item}"
            voice.note(_("To draft one from its claims: {command}").format(command=draft))
    for each in checks:
        _print(each, around, reasons.get(each.name))


def _fitting(store: Store, checks: list[Check], item: str) -> tuple[list[Check], dict[str, str]]:
    from reader.checks import matching

    story = store.library.get(item)
    if not isinstance(story, Item):
        raise Usage(_("Checks fit items, such as i3; {id} is none.").format(id=item))
    matches = matching.fitting(checks, story)
    reasons = {each.check.name: sentence(each.why, each.check) for each in matches}
    return [each.check for each in matches], reasons


def _print(one: Check, around: Surroundings, why: str | None) -> None:
    tongue = language()
    voice.say(voice.paint(f"{one.name}  {in_language(one.title, tongue)}", "bold"))
    if why:
        voice.say(f"  {why}")
    voice.say(f"  {around.environment_line(one)}")
    for parameter in one.parameters:
        voice.say(f"  --param {parameter.name}=…  {in_language(parameter.text, tongue)}")
    for claim, preflight in zip(one.claims, around.preflight(one), strict=True):
        mark = "●" if preflight.here else "○"
        line = f"  {mark} {in_language(claim.text, tongue)}"
        if preflight.why_not is not None:
            line += f" ({sentence(preflight.why_not, one)})"
        if claim.never_on_gpu:
            line += " · " + _("never shown on a GPU")
        voice.say(line)


@check.command("run", help=_("Run a check here: measure, judge, keep the evidence."))
@click.argument("name", metavar="[CHECK]", required=False)
@click.option(
    "--item",
    metavar="ID",
    help=_("The item or entry it is run for; without CHECK, all that fit it are run."),
)
@click.option(
    "--cuda",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help=_("The CUDA toolkit's folder; given twice, the check runs with each where it can."),
)
@click.option(
    "--python",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="EXE",
    help=_("The Python to run it with; given twice where the check compares versions."),
)
@click.option("--arch", "archs", multiple=True, metavar="sm_NN", help=_("A target to measure."))
@click.option(
    "--timeout",
    "seconds",
    type=click.IntRange(min=1),
    metavar="S",
    help=_("Seconds each leg may take."),
)
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="NAME=VALUE",
    help=_(
        "A parameter of the check, such as candidate=FILE.py:FUNCTION; `check list` names them."
    ),
)
@click.option("--yes", is_flag=True, help=_("Build its environment without asking."))
@click.option(
    "--fail-on",
    "fail_on",
    multiple=True,
    type=click.Choice([each.value for each in VerdictKind]),
    help=_("Exit 1 where any claim gets this verdict."),
)
@json_option
@pass_session
def run(
    session: Session,
    name: str | None,
    item: str | None,
    fail_on: tuple[str, ...],
    as_json: bool,
    **o: Any,
) -> int:
    """Run one check, or all that fit; exit 130 when interrupted, 1 where --fail-on says so."""
    chosen = _chosen(session, name, item)
    for one in chosen:
        _allow(one)
    ask = not o.pop("yes")
    records = []
    for one in chosen:
        records.append(perform(session, one, item, ask=ask, **o))
        if records[-1].status in (RunStatus.CANCELLED, RunStatus.INTERRUPTED):
            break
    if len(o["cuda"]) == 1:
        _remember_toolkit(session, o["cuda"][0])
    pairs = list(zip(records, chosen, strict=False))
    if as_json:
        documents = [run_document(record, one, language()) for record, one in pairs]
        voice.document(documents[0] if name is not None else documents)
    else:
        from reader.cli.runs import print_run

        for record, one in pairs:
            print_run(record, one)
    return max(_exit_code(record, fail_on) for record in records)


def _chosen(session: Session, name: str | None, item: str | None) -> list[Check]:
    """Return the check that is named, else those that fit the item and may run."""
    if name is None and item is None:
        raise Usage(_("Name a check, or an item to run all that fit it: --item ID."))
    with session.store(starter=True) as store:
        if name is not None:
            found = [known_check(session, name)]
            if item is not None:
                store.library.get(item)
            return found
        fitting, _reasons = _fitting(store, known_checks(session), str(item))
    from reader.checks import manifest

    fitting = [each for each in fitting if manifest.trusted(each)]
    if not fitting:
        draft = f"readproof check new --item {item}"
        raise CheckError(_("No check fits it; to draft one: {command}").format(command=draft))
    return fitting


def _remember_toolkit(session: Session, cuda: Path) -> None:
    """The toolkit chosen for a run that was recorded is the one of the next."""
    from reader import settings

    chosen = str(cuda.expanduser().resolve())
    if session.settings.cuda != chosen:
        settings.save(session.config_path, replace(session.settings, cuda=chosen))
        voice.note(_("Runs use this CUDA toolkit from now on: {path}").format(path=chosen))


def _exit_code(record: Run, fail_on: Sequence[str]) -> int:
    if record.status in (RunStatus.CANCELLED, RunStatus.INTERRUPTED):
        voice.note(_("Interrupted; the run is kept as {id}.").format(id=record.id))
        return 130
    if any(each.verdict.value in fail_on for each in record.verdicts):
        return 1
    return 1 if record.status is RunStatus.FAILED and not record.verdicts else 0


def _allow(one: Check) -> None:
    from reader.checks import manifest

    if not manifest.trusted(one):
        raise CheckError(
            _("{name} is your own and not trusted yet. Read it, then: {command}").format(
                name=one.name, command=f"readproof check trust {one.folder}"
            )
        )


def perform(
    session: Session,
    one: Check,
    item: str | None,
    *,
    ask: bool,
    cuda: Sequence[Path] = (),
    python: Sequence[Path] = (),
    archs: Sequence[str] = (),
    seconds: int | None = None,
    params: Sequence[str] = (),
) -> Run:
    """Run a check with progress on stderr; asks before an environment is built when `ask`."""
    from reader.runner import EnvironmentNeeded, RunOptions

    options = RunOptions(
        cuda=tuple(cuda) or _last_toolkit(session),
        python=tuple(python),
        archs=tuple(archs),
        seconds=seconds,
        parameters=tuple(_named(each) for each in params),
        build=not ask,
        check_folders=session.settings.check_folders,
        stopped=RunStatus.INTERRUPTED,
    )
    try:
        return _once(session, one, item, options)
    except EnvironmentNeeded as needed:
        _ask_to_build(one, needed)
        return _once(session, one, item, replace(options, build=True))


def _named(text: str) -> tuple[str, str]:
    """Return NAME=VALUE as a pair."""
    name, equals, value = text.partition("=")
    if not equals or not value:
        raise Usage(_("--param is written NAME=VALUE, not “{text}”").format(text=text))
    return name.strip(), value.strip()


def _last_toolkit(session: Session) -> Path | None:
    """Return the toolkit chosen last while it is still there; else the runner looks for one."""
    last = Path(session.settings.cuda) if session.settings.cuda else None
    return last if last is not None and last.is_dir() else None


def _ask_to_build(one: Check, needed: Any) -> None:
    packages = ", ".join(needed.packages.requires) or needed.packages.python
    if not voice.can_ask():
        raise CheckError(
            _(
                "{name} needs an environment with {packages}: about {size} MB, to build "
                "{time}. Add --yes to build it, or name a Python that has them: --python EXE."
            ).format(name=one.name, packages=packages, size=needed.size_mb, time=needed.takes)
        )
    question = _(
        "{name} needs an environment with {packages}: about {size} MB, to build {time}. "
        "Build it now?"
    )
    asked = question.format(
        name=one.name, packages=packages, size=needed.size_mb, time=needed.takes
    )
    if not voice.ask(asked, default=True):
        raise CheckError(_("Not built, nothing run. To use a Python that has them: --python EXE."))


def _once(session: Session, one: Check, item: str | None, options: RunOptions) -> Run:
    from reader import runner

    bar = voice.Progress()

    def show(progress: RunProgress) -> None:
        if progress.line is not None and session.verbose:
            bar.line(progress.line)
        bar.step(step_word(progress.step))
        bar.show(progress.done, progress.total, progress.message or step_word(progress.step))

    try:
        with interruptible("check", show) as task:
            return runner.run_check(
                session.store_path, one.name, item=item, options=options, task=task, progress=show
            )
    finally:
        bar.clear()


def step_word(step: str) -> str:
    """Return what a run is doing in the language in use."""
    words = {
        "environment": _("preparing the environment"),
        "preflight": _("looking at this machine"),
        "control": _("running the negative control"),
        "measure": _("measuring"),
        "judge": _("judging"),
    }
    return words.get(step, step)


COMMANDS = (check,)
