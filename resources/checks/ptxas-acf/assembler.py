"""ptxas of several releases: which know --apply-controls, and what they do with a file of it."""

from __future__ import annotations

import importlib.util
import re
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readproof_harness import Check

OPTION = "--apply-controls"
SINCE = (13, 3)  # the first release that is known to have it
LIMIT = "-maxrregcount=32"


class Ptxas:
    """One ptxas: where it is, its release, whether its help names the option."""

    def __init__(self, check: Check, path: Path) -> None:
        self.check, self.path = check, path
        said = check.run([path, "--version"], seconds=60).stdout
        found = re.search(r"release (\d+)\.(\d+)", said)
        self.release = (int(found[1]), int(found[2])) if found else (0, 0)
        self.has_option = OPTION in check.run([path, "--help"], seconds=60).stdout

    @property
    def name(self) -> str:
        """Return the release as people write it."""
        return ".".join(map(str, self.release))

    def assemble(self, arch: str, out: Path, controls: Path | None = None) -> Assembled:
        """Assemble the kernel that spills, with a control file or without."""
        source = self.check.folder / "spilling.ptx"
        words: list[str | Path] = [self.path, f"-arch={arch}", "-v", LIMIT, source, "-o", out]
        if controls is not None:
            words += [OPTION, controls]
        ended = self.check.run(words, seconds=120)
        return Assembled(ended.returncode, ended.stdout + ended.stderr)


class Assembled:
    """What one run of ptxas said."""

    def __init__(self, status: int, said: str) -> None:
        self.status = status
        self.fatal = next((line for line in said.splitlines() if "fatal" in line), "")
        stores = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", said)
        used = re.search(r"Used (\d+) registers", said)
        self.spills = int(stores[1]) + int(stores[2]) if stores else -1
        self.registers = int(used[1]) if used else -1

    @property
    def good(self) -> bool:
        """Whether a kernel came of it."""
        return self.status == 0 and self.registers > 0

    @property
    def refused(self) -> bool:
        """Whether it ended with ptxas's own words rather than otherwise."""
        return self.status != 0 and bool(self.fatal)


def every(check: Check) -> list[Ptxas]:
    """Return the ptxas of the packages, of Triton and of the user's toolkit, by release."""
    paths = []
    for name, places in (
        ("nvidia", ("cu*/bin/ptxas",)),
        ("triton", ("backends/nvidia/bin/ptxas", "backends/nvidia/bin/ptxas-blackwell")),
    ):
        spec = importlib.util.find_spec(name)
        folders = list(spec.submodule_search_locations or []) if spec else []
        for folder in folders or [str(Path(sysconfig.get_path("purelib"), name))]:
            for place in places:
                paths += sorted(Path(folder).glob(place))
    if check.toolkit and check.toolkit.get("ptxas"):
        paths.append(Path(check.toolkit["ptxas"]))
    found = [Ptxas(check, path) for path in dict.fromkeys(paths)]
    return sorted((each for each in found if each.release > (0, 0)), key=lambda p: p.release)
