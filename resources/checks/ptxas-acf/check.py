"""Look at ptxas's Advanced Control Files: who knows them, who refuses them, who carries them."""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from assembler import SINCE, Assembled, Ptxas, every
from readproof_harness import Check

CLAIMS = ("option_since", "canary", "helion_carries", "spills", "version_lock", "elsewhere")
GENERATIONS = 6


def main() -> None:
    """Measure by every ptxas at hand, then Helion and CompileIQ in processes of their own."""
    with Check() as check:
        found = every(check)
        for each in found:
            check.tool(f"ptxas {each.name}", each.path, each.name)
        for name in ("compileiq", "helion", "triton", "torch"):
            try:
                check.package(name, metadata.version(name))
            except metadata.PackageNotFoundError:
                continue
        able = [each for each in found if each.has_option]
        control(check, found)
        if not found:
            for claim in ("option_since", "canary", "spills", "version_lock", "elsewhere"):
                check.obstacle(claim, "tool_missing", tool="ptxas")
        else:
            versions(check, found)
            canary(check, able)
        helion(check)
        best = search(check, able)
        own_file(check, able, best)


def control(check: Check, found: list[Ptxas]) -> None:
    """The kernel has to spill without controls, by every ptxas, and not at 255 registers."""
    check.step("control", 0, 1)
    built = [each.assemble(check.archs[0], check.scratch / "control.cubin") for each in found]
    check.measure("assemblers", len(found))
    check.measure("spilling", sum(each.good and each.spills > 0 for each in built))
    for each, said in zip(found, built):  # noqa: B905 — Python 3.9
        check.case("spills", f"ptxas {each.name}", spills=said.spills, registers=said.registers)
    check.control_done()


def versions(check: Check, found: list[Ptxas]) -> None:
    """Compare which releases know the option with what is known of it."""
    newer = [each for each in found if each.release >= SINCE]
    older = [each for each in found if each.release < SINCE]
    check.measure("newer", len(newer))
    check.measure("newer_with", sum(each.has_option for each in newer))
    check.measure("older", len(older))
    check.measure("older_with", sum(each.has_option for each in older))
    check.measure("with_option", ", ".join(each.name for each in found if each.has_option) or "–")
    check.measure(
        "without_option", ", ".join(each.name for each in found if not each.has_option) or "–"
    )
    for each in found:
        check.case("option_since", str(each.path), release=each.name, option=each.has_option)


def canary(check: Check, able: list[Ptxas]) -> None:
    """Hand every ptxas with the option files that are none of its own: each has to be refused."""
    if not able:
        check.obstacle("canary", "option_absent", tool="ptxas", option="--apply-controls")
        return
    files = {
        "words": b"not a control file\n",
        "empty": b"",
        "zeros": bytes(4096),
        "ptx": (check.folder / "spilling.ptx").read_bytes(),
        "missing": None,
    }
    tried = refused = 0
    said = "–"
    for each in able:
        plain = each.assemble(check.archs[0], check.scratch / "canary.cubin")
        if not plain.good:  # then a refusal would tell nothing
            check.obstacle("canary", "tool_failed", tool="ptxas", said=plain.fatal or "–")
            return
        for name, content in files.items():
            file = check.scratch / f"{name}.acf"
            if content is not None:
                file.write_bytes(content)
            got = each.assemble(check.archs[0], check.scratch / "canary.cubin", file)
            tried += 1
            refused += got.refused
            said = got.fatal if name == "words" else said
            check.case("canary", f"ptxas {each.name} {name}", status=got.status, said=got.fatal)
    check.measure("bogus_tried", tried)
    check.measure("bogus_refused", refused)
    check.measure("bogus_said", said)


def document(check: Check, script: str, *words: str, **env: str) -> dict[str, Any] | str:
    """Run a script of ours in this Python: its document, or what it said instead."""
    argv = [sys.executable, "-W", "ignore", str(check.folder / script), *words]
    ended = check.run(argv, seconds=240, env=env)
    try:
        found = json.loads(ended.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        found = None
    if ended.returncode or not isinstance(found, dict):
        lines = (ended.stderr.strip() or f"exit {ended.returncode}").splitlines()
        return lines[-1][-300:]
    return found


def helion(check: Check) -> None:
    """Report whether Helion's generated code carries the file."""
    check.step("measure", 0, 2, "helion_carries")
    found = document(check, "carrying.py", HELION_AUTOTUNE_SEARCH_ACF="one.acf,two.acf")
    if isinstance(found, str):
        code = "import_failed" if "ModuleNotFound" in found or "ImportError" in found else ""
        if code:
            check.obstacle("helion_carries", code, package="helion", said=found)
        else:
            check.obstacle("helion_carries", "tool_failed", tool="helion", said=found)
        return
    check.measure("helion_cases", found["cases"])
    check.measure("helion_carried", found["carried"])
    check.measure("helion_plain", found["plain_carried"])
    check.measure("helion_files", ", ".join(found["files"]) or "–")
    check.measure("helion_parsed", found["files"] == ["one.acf", "two.acf"])
    check.artefact("helion.py", found["code"])


def search(check: Check, able: list[Ptxas]) -> Path | None:
    """Report what a short CompileIQ search makes of the spills; return its best file."""
    if not able:
        check.obstacle("spills", "option_absent", tool="ptxas", option="--apply-controls")
        return None
    check.step("measure", 1, 2, "spills")
    newest = able[-1]
    words = [str(newest.path), check.archs[0], str(check.folder / "spilling.ptx")]
    env = {}
    if "search_spaces" in check.chosen:
        env["CIQ_SEARCH_SPACES_DIR"] = str(Path(check.chosen["search_spaces"]).expanduser())
    found = document(
        check, "searching.py", *words, str(check.scratch), newest.name, str(GENERATIONS), **env
    )
    if isinstance(found, str):
        check.obstacle("spills", "tool_failed", tool="compileiq", said=found)
        return None
    check.case("spills", "known search", best=found["known"])
    if not found["space"]:
        check.log(found["said"])
        wanted = "CompileIQ search space (--param search_spaces=DIR)"
        check.obstacle("spills", "tool_missing", tool=wanted)
        return None
    for name in ("before", "after", "candidates", "taken"):
        check.measure(f"search_{name}", found[name])
    check.measure("search_space", found["space"])
    best = check.scratch / "best.acf"
    if not best.exists():
        return None
    check.artefact("best.acf", best.read_bytes())
    return best


def own_file(check: Check, able: list[Ptxas], best: Path | None) -> None:
    """Hand a file that one ptxas takes to the others: the user's own, else the search's."""
    named = check.chosen.get("acf")
    file = Path(named).expanduser() if named else best
    if file is None or not file.is_file():
        for claim in ("version_lock", "elsewhere"):
            check.obstacle(claim, "tool_missing", tool="ACF (--param acf=FILE)")
        return
    arch, out = check.archs[0], check.scratch / "own.cubin"
    tried = [(each, each.assemble(arch, out), each.assemble(arch, out, file)) for each in able]
    taken = [each for each in tried if each[2].good]
    for each, plain, got in tried:
        case(check, each, plain, got)
    check.measure("acf_taken", len(taken))
    check.measure("acf_tried", len(tried))
    check.measure("acf_taken_by", ", ".join(each[0].name for each in taken) or "–")
    if taken:
        _ptxas, plain, got = taken[-1]
        check.measure("acf_spills_before", plain.spills)
        check.measure("acf_spills_after", got.spills)
        check.measure("acf_registers_before", plain.registers)
        check.measure("acf_registers_after", got.registers)
    else:
        check.obstacle(
            "elsewhere", "tool_failed", tool="ptxas", said=tried[-1][2].fatal if tried else "–"
        )


def case(check: Check, ptxas: Ptxas, plain: Assembled, got: Assembled) -> None:
    """Keep what one ptxas made of the file."""
    check.case(
        "version_lock",
        f"ptxas {ptxas.name}",
        status=got.status,
        said=got.fatal,
        spills_before=plain.spills,
        spills_after=got.spills,
    )


if __name__ == "__main__":
    main()
