"""Checks of one's own: check new, check test, check trust."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reader.cli import voice
from reader.cli.check import check
from reader.cli.options import json_option
from reader.cli.session import Session, pass_session
from reader.errors import CheckError, Usage
from reader.language import _, language
from reader.model import Check, Evidence, Item
from reader.report.words import sentence, verdict_word

if TYPE_CHECKING:
    from reader.checks.skeleton import Stated
    from reader.checks.trial import Case, Tried

MOST_SHOWN = 200_000  # bytes of one file; a larger one is data, and its name and size stand above


@check.command(
    "new", help=_("Write a check of your own that works, or with --item a draft of an item.")
)
@click.argument("name", required=False)
@click.option("--item", metavar="ID", help=_("Draft it from this item and its claims."))
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help=_("The folder of your checks; it is remembered."),
)
@json_option
@pass_session
def new(
    session: Session, name: str | None, item: str | None, into: Path | None, as_json: bool
) -> None:
    """Write the files, trust them as they were written, and remember the folder."""
    from reader.checks import manifest, skeleton

    if item is not None:
        story = _item(session, item)
        name = name or skeleton.name_of(story)
        files = skeleton.draft(_sound(name), story, _stated(story))
    elif name is not None:
        files = skeleton.example(_sound(name))
    else:
        raise Usage(_("Give the check a name, or an item to draft it from: --item ID."))
    folder = (into or _own_folder(session)).expanduser().absolute() / name
    _write(folder, files)
    one = manifest.load(folder, bundled=False)
    manifest.trust(one)  # what we wrote ourselves; every edit asks again
    _remember(session, folder)
    if as_json:
        claims = [{"id": c.id, "kind": c.kind.value, "text": c.text.en} for c in one.claims]
        voice.document({"name": name, "folder": str(folder), "files": [*files], "claims": claims})
        return
    voice.say(str(folder), *(f"  {each}" for each in files))
    voice.note(_("Put it to the test with: {command}").format(command=_call("test", folder)))


def _call(verb: str, folder: Path) -> str:
    path = str(folder)
    return f"readproof check {verb} " + (f'"{path}"' if " " in path else path)


def _item(session: Session, item: str) -> Item:
    with session.store(starter=True) as store:
        story = store.library.get(item)
    if not isinstance(story, Item):
        raise Usage(_("A check is drafted from an item, such as i3; {id} is none.").format(id=item))
    return story


def _sound(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", name):
        raise Usage(
            _("{name}: a check is named by small letters, digits and hyphens").format(name=name)
        )
    return name


def _stated(item: Item) -> list[Stated]:
    """Return the item's claims as a draft takes them, each sentence once."""
    from reader import claims
    from reader.checks.skeleton import Stated

    kinds = {
        claims.Kind.PERFORMANCE: Evidence.KERNEL,
        claims.Kind.CORRECTNESS: Evidence.REGRESSION,
        claims.Kind.CODEGEN: Evidence.CODEGEN,
        claims.Kind.BEHAVIOUR: Evidence.PROPERTY,
    }
    found = {each.text: each for each in claims.of_item(item) if each.field != "why"}
    return [
        Stated(each.text, kinds[each.kind], claims.holds_for(each.conditions, language()))
        for each in found.values()
    ]


def _own_folder(session: Session) -> Path:
    """Return the first folder that holds checks of the user's, else one beside their data."""
    from reader import settings
    from reader.checks import manifest

    for each in session.settings.check_folders:
        folder = Path(each).expanduser()
        if folder.is_dir() and not (folder / manifest.MANIFEST).exists():
            return folder
    return settings.data_folder() / "checks"


def _write(folder: Path, files: dict[str, str]) -> None:
    if folder.exists():
        raise CheckError(
            _("{folder} is there already; nothing was written. Choose another name.").format(
                folder=folder
            )
        )
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def _remember(session: Session, folder: Path) -> None:
    from reader import settings

    known = session.settings.check_folders
    if str(folder) not in known and str(folder.parent) not in known:
        wanted = replace(session.settings, check_folders=(*known, str(folder.parent)))
        settings.save(session.config_path, wanted)


@check.command("test", help=_("Run a check of your own true, false and broken; say what it lacks."))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--python", type=click.Path(path_type=Path), metavar="EXE", help=_("The Python."))
@click.option("--cuda", type=click.Path(path_type=Path), metavar="DIR", help=_("The toolkit."))
@click.option("--yes", is_flag=True, help=_("Build its environment without asking."))
@json_option
@pass_session
def test(session: Session, folder: Path, yes: bool, as_json: bool, **o: Any) -> int:
    """Exit 1 where a case gave another verdict, or something is lacking."""
    from reader import runner
    from reader.checks import manifest, trial

    one = manifest.load(folder.absolute(), bundled=False)
    if not manifest.trusted(one):
        raise CheckError(
            _("{name} is your own and not trusted yet. Read it, then: {command}").format(
                name=one.name, command=_call("trust", one.folder)
            )
        )
    written = trial.cases(one)
    options = runner.RunOptions(
        cuda=o["cuda"], python=o["python"], build=yes, check_folders=session.settings.check_folders
    )
    done = []
    for tried in runner.try_check(one, options):
        done.append(tried)
        if not as_json:
            _say(one, tried)
    lacking = trial.lacks(one, written)
    if as_json:
        voice.document({"cases": [_document(one, each) for each in done], "lacks": lacking})
    for each in () if as_json else lacking:
        voice.say("  " + voice.paint(_("lacks:"), "bold") + f" {each}")
    sound = not lacking and not any(each.wrong for each in done)
    if sound and not as_json:
        voice.note(_("It says each of its verdicts when it should."))
    return 0 if sound else 1


def _case_name(case: Case) -> str:
    names = {
        "true": _("as it stands"),
        "false": _("made false"),
        "control": _("its control broken"),
        "broken": _("its script broken"),
    }
    return names[case.name]


def _say(one: Check, tried: Tried) -> None:
    voice.say(voice.paint(_case_name(tried.case), "bold"))
    expect = dict(tried.case.expect)
    for verdict in tried.verdicts:
        wanted = expect.get(verdict.claim)
        line = f"  {voice.glyph(verdict.verdict)} {verdict.claim}: {verdict_word(verdict.verdict)}"
        if verdict.claim in tried.wrong and wanted is not None:
            line += " · " + _("expected: {verdict}").format(verdict=verdict_word(wanted))
            line += f" ({sentence(verdict.reason, one)})"
        elif verdict.claim in tried.unseen:
            line += f" ({sentence(verdict.reason, one)})"
        voice.say(line)
    if tried.wrong and tried.log:
        voice.note(*tried.log.splitlines()[-5:])


def _document(one: Check, tried: Tried) -> dict[str, Any]:
    expect = dict(tried.case.expect)
    return {
        "case": tried.case.name,
        "wrong": list(tried.wrong),
        "claims": [
            {
                "id": each.claim,
                "verdict": each.verdict.value,
                "expected": expect[each.claim].value if each.claim in expect else None,
                "reason": sentence(each.reason, one, language()),
            }
            for each in tried.verdicts
        ],
    }


@check.command("trust", help=_("Trust a check of your own, exactly as it stands now."))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--yes", is_flag=True, help=_("Do not ask."))
@pass_session
def trust(session: Session, folder: Path, yes: bool) -> None:
    """Show a check's hash and files, ask, and remember that its very content may run."""
    from reader import settings
    from reader.checks import manifest

    one = manifest.load(folder.absolute(), bundled=False)
    files = sorted(each for each in one.folder.rglob("*") if each.is_file())
    voice.say(f"{one.name}  sha256 {one.hash}")
    voice.say(*(f"  {each.relative_to(one.folder)}  {each.stat().st_size}" for each in files))
    if not yes:
        if not voice.can_ask():
            raise CheckError(_("Read its files, then say so with --yes."))
        _show(files, one.folder)
        if not voice.ask(_("It will run as you, with your rights. Trust it?"), default=False):
            raise CheckError(_("Not trusted."))
    manifest.trust(one)
    folders = session.settings.check_folders
    if str(one.folder) not in folders:
        wanted = replace(session.settings, check_folders=(*folders, str(one.folder)))
        settings.save(session.config_path, wanted)
    voice.note(
        _("Trusted: {name}. Run it with: {command}").format(
            name=one.name, command=f"readproof check run {one.name}"
        )
    )


def _show(files: Sequence[Path], folder: Path) -> None:
    """Print the text of a check's files: what one is asked to trust."""
    for each in files:
        if each.stat().st_size <= MOST_SHOWN and "__pycache__" not in each.parts:
            voice.say("", voice.paint(f"── {each.relative_to(folder)}", "bold"))
            voice.say(*each.read_text(encoding="utf-8", errors="replace").splitlines())


COMMANDS: tuple[click.Command, ...] = ()  # all belong to the group of checks
