"""This machine and this store: what stands, what is missing, and what to do about it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from reader import __version__
from reader.cli import environments, voice
from reader.cli.check import known_checks
from reader.cli.options import json_option
from reader.cli.session import Session, pass_session
from reader.cli.surroundings import Surroundings
from reader.errors import Expected
from reader.language import _


@click.command(
    help=_("This machine: toolkits, interpreters, GPUs, what each check needs; the store.")
)
@json_option
@pass_session
def doctor(session: Session, as_json: bool) -> int:
    """Look at everything; exit 1 where the store is not whole."""
    document = examine(session)
    if as_json:
        voice.document(document)
    else:
        voice.say(*lines_of(document))
    return 0 if document["store"]["ok"] else 1


def examine(session: Session) -> dict[str, Any]:
    """Return all that is known of this machine and this store."""
    around = Surroundings.look(session)
    machine = asdict(around.machine)
    machine["overrides"] = dict(around.machine.overrides)
    for gpu, found in zip(machine["gpus"], around.machine.gpus, strict=True):
        gpu["details"] = dict(found.details)
    return {
        "version": __version__,
        "machine": machine,
        "gpus": machine["gpus"],
        "driver": around.machine.driver,
        "toolkits": [
            {
                "root": str(each.root),
                "version": each.version,
                "release": each.release,
                "tools": dict(each.tools),
                "origin": each.origin,
            }
            for each in around.toolkits
        ],
        "broken_toolkits": [{"root": root, "why": why} for root, why in around.broken],
        "interpreters": [
            {"path": each.path, "version": each.version, "origin": each.origin}
            for each in around.interpreters
        ],
        "environments": environments.documents(),
        "checks": [around.document(each, None) for each in known_checks(session)],
        "store": _store(session),
        "keyring": _keyring(),
        "fonts": _fonts(),
    }


def _store(session: Session) -> dict[str, Any]:
    try:
        with session.store() as store:
            faults = list(store.check())
    except Expected as error:
        faults = [str(error)]
    size = session.store_path.stat().st_size if session.store_path.exists() else 0
    return {"path": str(session.store_path), "ok": not faults, "faults": faults, "bytes": size}


def _keyring() -> dict[str, Any]:
    """Say which keyring holds secrets; none is a normal state on machines without a desktop."""
    from reader import credentials

    backend = credentials.backend()
    why = None if backend else _("no keyring; secrets come from the environment")
    return {"usable": backend is not None, "backend": backend, "why": why}


def _fonts() -> dict[str, Any]:
    """Say whether a font with Han characters is there; None where it cannot be told."""
    if sys.platform != "linux":
        return {"han": True}
    if shutil.which("fc-list") is None:
        return {"han": None}
    asked = subprocess.run(
        ["fc-list", ":lang=zh", "family"], capture_output=True, text=True, timeout=20, check=False
    )
    return {"han": bool(asked.stdout.strip())}


def lines_of(document: dict[str, Any]) -> Iterator[str]:
    """Return the examination as text."""
    machine = document["machine"]
    yield voice.paint(f"Readproof {document['version']}", "bold")
    yield f"{machine['system']} · {machine['cpu']} · {_('{n} cores').format(n=machine['cores'])}"
    yield from _hardware(document)
    yield from _programs(document)
    yield ""
    yield voice.paint(_("checks"), "bold")
    for check in document["checks"]:
        yield from _check(check)
    yield ""
    yield from _rest(document)


def _hardware(document: dict[str, Any]) -> Iterator[str]:
    for gpu in document["gpus"]:
        yield f"GPU {gpu['name']} · cc {gpu['compute_capability']} · {gpu['memory_mb']} MB"
    if not document["gpus"]:
        why = document["machine"]["no_gpu_reason"] or ""
        yield _("no GPU: what can be shown without one is shown, the rest waits") + (
            f" ({_(why)})" if why else ""
        )
    if document["driver"]:
        yield _("driver {version}").format(version=document["driver"])


def _programs(document: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield voice.paint(_("CUDA toolkits"), "bold")
    for each in document["toolkits"]:
        tools = ", ".join(each["tools"])
        yield f"  {each['version']}  {each['root']}  ({each['origin']}; {tools})"
    for each in document["broken_toolkits"]:
        yield f"  ! {each['root']}: {each['why']}"
    if not document["toolkits"]:
        yield "  " + _("none found; name one with --cuda DIR")
    yield ""
    yield voice.paint(_("interpreters"), "bold")
    for each in document["interpreters"]:
        yield f"  {each['version']}  {each['path']}  ({each['origin']})"
    for each in document["environments"]:
        packages, size = ", ".join(each["packages"]), each["bytes"] / 1e6
        yield f"  {each['python']}  {each['folder']}  ({packages}; {size:.0f} MB)"


def _check(check: dict[str, Any]) -> Iterator[str]:
    here = sum(each["here"] for each in check["claims"])
    state = (
        _("environment ready")
        if check["environment"]["present"]
        else _("environment to build, about {size} MB").format(size=check["environment"]["size_mb"])
    )
    count = _("{here} of {all} claims can be shown here").format(
        here=here, all=len(check["claims"])
    )
    yield f"  {check['id']}: {count} · {state}"
    for each in check["claims"]:
        if not each["here"]:
            yield f"    ○ {each['text']} ({each['why_not']})"


def _rest(document: dict[str, Any]) -> Iterator[str]:
    store, keyring, fonts = document["store"], document["keyring"], document["fonts"]
    good = _("whole") if store["ok"] else _("NOT whole")
    yield _("store") + f": {store['path']} · {store['bytes'] / 1e6:.1f} MB · {good}"
    yield from (f"  ! {fault}" for fault in store["faults"])
    yield _("keyring") + f": {keyring['backend'] if keyring['usable'] else keyring['why']}"
    if fonts["han"] is False:
        yield _("No font with Han characters: install fonts-noto-cjk or the like.")


COMMANDS = (doctor,)
