"""`check.toml` → Check: every value read by hand, every fault named by file, line and field."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from reader import settings
from reader.checks import folder as check_folder
from reader.checks import races
from reader.checks.fields import Table
from reader.checks.folder import trust, trusted
from reader.checks.lines import Lines
from reader.errors import ManifestError
from reader.language import _
from reader.model import (
    Check,
    Claim,
    Evidence,
    Limits,
    Matches,
    Needs,
    Packages,
    Parameter,
    Race,
    Side,
    Text,
    VerdictKind,
)

__all__ = ["load", "load_all", "trust", "trusted"]

SCHEMA = 1
SCRIPT = "check.py"
MANIFEST = "check.toml"
MAX_BYTES = 256 * 1024
# name → least, most
_BOUNDS = {
    "seconds": (1, 7200),
    "memory_mb": (64, 1024 * 1024),
    "disk_mb": (1, 200 * 1024),
    "artefacts_mb": (0, 256),
}
_NO_PACKAGES = Packages()
_OWN_WORDS = ("claim", "condition", "leg", "true", "false")


def load(folder: Path, *, bundled: bool = True) -> Check:
    """Read and validate the check in `folder`.

    Raises ManifestError with a sentence that names file, line and field.
    """
    folder = Path(folder)
    file = folder / MANIFEST
    raw, lines = _read(file)
    top = Table(raw, (), file, lines)
    if not (folder / SCRIPT).is_file():
        raise ManifestError(
            _("{file}: there is no {script} beside it").format(file=file, script=SCRIPT)
        )
    check = _check(top, folder, bundled)
    if check.name != folder.name:
        top.refuse("name", _("it has to be the folder's name, {name}").format(name=folder.name))
    return check


@lru_cache(maxsize=128)
def _parsed(text: str) -> tuple[dict[str, Any], Lines]:
    """Return a manifest's tables and where they stand; a Table only reads them.

    Every run, report and look at the machine loads all checks: a tenth of a second each time, in
    which the window has to share the interpreter.
    """
    return tomllib.loads(text), Lines(text)


def _read(file: Path) -> tuple[dict[str, Any], Lines]:
    try:
        if file.exists() and not file.is_file():  # a pipe would never end
            raise ManifestError(_("{path}: only plain files belong in a check").format(path=file))
        if file.stat().st_size > MAX_BYTES:
            raise ManifestError(
                _("{file}: a manifest has at most {kb} KB").format(file=file, kb=MAX_BYTES // 1024)
            )
        text = file.read_text(encoding="utf-8")
        return _parsed(text)
    except FileNotFoundError as error:
        raise ManifestError(
            _("{file}: there is no such file; a check is a folder with check.toml").format(
                file=file
            )
        ) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ManifestError(
            _("{file}: it cannot be read as TOML: {why}").format(file=file, why=error)
        ) from error


def _check(top: Table, folder: Path, bundled: bool) -> Check:
    if top.integer("schema", least=0) != SCHEMA:
        top.refuse("schema", _("only schema {n} is known here").format(n=SCHEMA))
    measures = _measures(top)
    packages, sides = _environments(top, folder)
    each_toolkit = top.flag("each_toolkit")
    if sides and each_toolkit:
        top.refuse("each_toolkit", _("a check with [[legs]] has its legs already"))
    plain = tuple(name for name, _unit in measures)
    known = (*plain, *(f"{side.name}.{name}" for side in sides for name in plain))
    control = top.table("control")
    stems = control.words("races", r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
    control_threshold = control.number("threshold", least=0.001, most=1.0, default=0.02)
    control_conditions = control.conditions("expect", (*plain, *races.names(stems)))
    if not control_conditions:
        control.refuse("expect", _("a check needs a negative control: at least one condition"))
    control_text = control.text("text")
    control.done()
    check = Check(
        name=top.word("name", r"[a-z0-9][a-z0-9-]{0,63}"),
        title=top.text("title"),
        summary=top.text("summary"),
        claims=_claims(top, known),
        control=control_conditions,
        control_text=control_text,
        packages=packages,
        limits=_limits(top.table("limits", optional=True)),
        matches=_matches(top.table("matches", optional=True)),
        archs=top.words("archs", r"sm_[0-9]{2,3}[af]?"),
        measures=measures,
        folder=folder,
        hash=check_folder.content_hash(folder),
        bundled=bundled,
        sides=sides,
        each_toolkit=each_toolkit,
        parameters=_parameters(top.table("parameters", optional=True)),
        control_threshold=control_threshold,
    )
    top.done()
    return check


def _parameters(table: Table) -> tuple[Parameter, ...]:
    found = []
    for name in table.names:
        if not name.isidentifier() or not name.isascii():
            table.refuse(name, _("a parameter is named by letters, digits and underscores"))
        one = table.table(name)
        found.append(Parameter(name, one.text("text"), one.flag("function")))
        one.done()
    return tuple(found)


def _measures(top: Table) -> tuple[tuple[str, str], ...]:
    table = top.table("measures")
    for name in table.names:
        if not name.isidentifier() or not name.isascii() or name in _OWN_WORDS:
            table.refuse(name, _("a measurement is named by letters, digits and underscores"))
    measures = tuple((name, table.string(name, empty=True, most=40)) for name in table.names)
    table.done()
    if not measures:
        top.refuse("measures", _("a check has to declare what it measures"))
    return measures


def _claims(top: Table, known: tuple[str, ...]) -> tuple[Claim, ...]:
    claims: list[Claim] = []
    for table in top.tables("claims"):
        claim = _claim(table, known)
        if claim.id in (each.id for each in claims):
            table.refuse("id", _("{id} is there twice").format(id=claim.id))
        claims.append(claim)
        table.done()
    if not claims:
        top.refuse("claims", _("a check has to decide at least one claim"))
    return tuple(claims)


def _claim(table: Table, known: tuple[str, ...]) -> Claim:
    kinds = [kind.value for kind in Evidence if kind is not Evidence.NONE]
    race = _race(table.table("race")) if "race" in table.names else None
    if race is not None:
        known = (*known, *races.OF_A_CLAIM)
    claim = Claim(
        race=race,
        id=table.word("id", r"[a-z0-9][a-z0-9_-]{0,63}"),
        kind=Evidence(table.choice("kind", kinds)),
        text=table.text("text"),
        method=table.text("method"),
        expected=table.text("expected"),
        needs=_needs(table.table("needs", optional=True)),
        applies=table.conditions("applies", known),
        confirm=table.conditions("confirm", known),
        refute=table.conditions("refute", known),
        because=_because(table.table("because", optional=True), known),
        shows=table.words("shows", r"[A-Za-z_][A-Za-z0-9_]*"),
        shown_on_gpu=table.string("shown_on_gpu", empty=True, default="", most=200) or None,
    )
    if not claim.confirm and race is None:
        table.refuse("confirm", _("say what has to hold for the claim to be confirmed"))
    for name in claim.shows:
        if name not in known:
            table.refuse("shows", _("{name} is not in [measures]").format(name=name))
    return claim


def _race(table: Table) -> Race:
    race = Race(
        threshold=table.number("threshold", least=0.001, most=1.0),
        expects=table.choice("expects", ("faster", "slower", "same", "different")),
        by=table.number("by", least=1.0, most=1e6, default=1.0),
    )
    if race.by != 1.0 and race.expects in ("same", "different"):
        table.refuse("by", _("what takes the same time takes it once"))
    table.done()
    return race


def _needs(table: Table) -> Needs:
    needs = Needs(
        gpus=table.integer("gpus", least=0, most=64, default=0),
        compute_capability=table.word("compute_capability", r"[0-9]{1,2}\.[0-9]", optional=True)
        or None,
        toolkit=table.word("toolkit", r"([0-9]{1,2}(\.[0-9]{1,2})?)?", optional=True)
        if "toolkit" in table.names
        else None,
        tools=table.words("tools", r"[A-Za-z0-9][A-Za-z0-9_+.-]{0,39}"),
    )
    table.done()
    return needs


def _because(table: Table, known: tuple[str, ...]) -> tuple[tuple[VerdictKind, Text], ...]:
    texts = []
    for name in table.names:
        if name not in ("confirmed", "refuted", "inconclusive", "not_applicable"):
            table.refuse(name, _("only verdicts that were decided have a sentence of their own"))
        texts.append((VerdictKind(name), table.template(name, known)))
    table.done()
    return tuple(texts)


def _environments(top: Table, folder: Path) -> tuple[Packages, tuple[Side, ...]]:
    """Return the check's environment and its sides; with sides, the first is their sum."""
    common = _packages(top.table("environment", optional=True), folder)
    tables = top.tables("legs") if "legs" in top.names else []
    sides: list[Side] = []
    for table in tables:
        name = table.word("name", r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
        if name in (side.name for side in sides):
            table.refuse("name", _("{id} is there twice").format(id=name))
        sides.append(Side(name, _packages(table, folder, common)))
    if len(sides) == 1:
        top.refuse("legs", _("one leg compares nothing; write [environment] alone"))
    if not sides:
        return common, ()
    distinct = tuple(dict.fromkeys(side.packages for side in sides))
    requires = dict.fromkeys(each for packages in distinct for each in packages.requires)
    summed = sum(packages.size_mb for packages in distinct)
    return Packages(common.python, tuple(requires), None, summed, ()), tuple(sides)


def _packages(table: Table, folder: Path, base: Packages = _NO_PACKAGES) -> Packages:
    """Return what an environment holds; what a leg does not say is as in [environment]."""
    imports = table.words("imports", r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
    packages = Packages(
        python=table.specifier("python", default=base.python),
        requires=table.requirements("requires") or base.requires,
        lock=table.file("lock", folder) or base.lock,
        size_mb=table.integer("size_mb", least=0, most=100_000, default=base.size_mb),
        import_names=imports or base.import_names,
        lighter=table.file("lighter", folder) or base.lighter,
        accepts=table.accepted("accepts") or base.accepts,
    )
    table.done()
    return packages


def _limits(table: Table) -> Limits:
    defaults = Limits()
    values = {
        name: table.integer(name, least=least, most=most, default=getattr(defaults, name))
        for name, (least, most) in _BOUNDS.items()
    }
    table.done()
    return Limits(**values)


def _matches(table: Table) -> Matches:
    matches = Matches(
        urls=table.words("urls", r"https?://[^\s<>\"'`]{1,500}"),
        projects=table.words("projects", r"[A-Za-z0-9][A-Za-z0-9_./-]{0,99}(@[A-Za-z0-9_.+-]+)?"),
        words=table.strings("words", most=100),
    )
    table.done()
    return matches


def load_all(extra_folders: Iterable[Path | str] = ()) -> tuple[list[Check], list[ManifestError]]:
    """Return every check that reads well, by name, and what is wrong with the others.

    Beside the bundled ones: each folder is a check of the user's own or holds some.
    """
    checks: dict[str, Check] = {}
    faults: list[ManifestError] = []
    for folder, bundled in _folders(extra_folders):
        try:
            check = load(folder, bundled=bundled)
            if check.name in checks:
                raise ManifestError(
                    _("{folder}: there is a check named {name} already; rename this one").format(
                        folder=folder, name=check.name
                    )
                )
            checks[check.name] = check
        except ManifestError as error:
            error.folder = folder
            faults.append(error)
    return sorted(checks.values(), key=lambda check: check.name), faults


def _folders(extra: Iterable[Path | str]) -> Iterable[tuple[Path, bool]]:
    yield from ((folder, True) for folder in _inside(settings.resource_path("checks")))
    for each in extra:
        folder = Path(each).expanduser()
        if (folder / MANIFEST).exists():
            yield folder, False
        else:
            yield from ((inner, False) for inner in _inside(folder))


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if (each / MANIFEST).exists())
    except OSError:
        return []
