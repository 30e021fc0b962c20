"""What of a machine decides about profiling, read from the files under its root; runs nothing."""

from __future__ import annotations

import os
import re
from pathlib import Path

SYS_ADMIN, PERFMON = 21, 38  # bits of CapEff, capabilities(7)
PARAMS = "proc/driver/nvidia/params"
OPTION = "NVreg_RestrictProfilingToAdminUsers"
# Where packages and the installers of the toolkit and of Nsight Compute put it.
PLACES = (
    "usr/local/bin/ncu",
    "usr/bin/ncu",
    "usr/local/cuda*/bin/ncu",
    "opt/nvidia/nsight-compute/*/ncu",
    "usr/local/NVIDIA-Nsight-Compute*/ncu",
    "opt/nvidia/hpc_sdk/*/*/profilers/Nsight_Compute/ncu",
)
MODPROBE = ("etc/modprobe.d", "run/modprobe.d", "usr/local/lib/modprobe.d", "usr/lib/modprobe.d")


class Setting:
    """The settings of one machine, or of a tree of files that stands for one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        params = text(root / PARAMS)
        self.driver = bool(params) or (root / "proc/driver/nvidia/version").is_file()
        self.admin_only = number(params, r"RmProfilingAdminOnly")
        self.kept, self.kept_in = modprobe(root)
        held = capabilities(text(root / "proc/self/status"))
        # The driver asks for the capability outside: root of a namespace of its own has it not.
        outside = initial(text(root / "proc/self/uid_map"))
        self.sys_admin = outside and bool(held >> SYS_ADMIN & 1)
        self.perfmon = outside and bool(held >> PERFMON & 1)
        kernel = text(root / "proc/sys/kernel/osrelease") + text(root / "proc/version")
        self.wsl = "microsoft" in kernel.lower()
        self.container = container(root)

    @property
    def forbids(self) -> str:
        """Name what keeps this process from the counters; empty where nothing does."""
        if self.wsl or self.admin_only != 1 or self.sys_admin:
            return ""
        return f"RmProfilingAdminOnly: 1 ({self.root / PARAMS})"

    @property
    def change(self) -> str:
        """Say what to change where something forbids it: in words of the machine itself."""
        if self.wsl:
            return "NVIDIA Control Panel › Developer › Manage GPU Performance Counters"
        return f"options nvidia {OPTION}=0 → /etc/modprobe.d/nvidia-profiling.conf"


def text(file: Path) -> str:
    """Return a file's text, empty where it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def number(params: str, name: str) -> int:
    """Return the value of `name: 1`, -1 where the driver does not say it."""
    found = re.search(rf"^{name}:\s*(\d+)\s*$", params, re.MULTILINE)
    return int(found.group(1)) if found else -1


def modprobe(root: Path) -> tuple[int, str]:
    """Return what the next load of the module is told, and by which file; -1 where by none.

    Files of the same name are read once, from the first folder; in name order the last word wins.
    """
    files: dict[str, Path] = {}
    for folder in MODPROBE:
        for each in sorted((root / folder).glob("*.conf")):
            files.setdefault(each.name, each)
    value, where = -1, ""
    line = re.compile(rf"^\s*options\s+nvidia\s.*\b{OPTION}=(\d+)", re.MULTILINE)
    for name in sorted(files):
        for found in line.findall(text(files[name])):
            value, where = int(found), str(files[name])
    return value, where


def capabilities(status: str) -> int:
    """Return the effective capabilities in /proc/self/status as bits."""
    found = re.search(r"^CapEff:\s*([0-9a-fA-F]+)", status, re.MULTILINE)
    return int(found.group(1), 16) if found else 0


def initial(uid_map: str) -> bool:
    """Return whether the process is in the machine's own user namespace, as uid_map says."""
    return not uid_map.strip() or uid_map.split() == ["0", "0", str(2**32 - 1)]


def container(root: Path) -> str:
    """Name the kind of container, empty outside of one."""
    for file, kind in ((".dockerenv", "docker"), ("run/.containerenv", "podman")):
        if (root / file).exists():
            return kind
    named = re.search(r"^container=(\S+)", text(root / "proc/1/environ").replace("\0", "\n"), re.M)
    if named:
        return named.group(1)
    groups = text(root / "proc/1/cgroup")
    for kind in ("kubepods", "docker", "libpod", "lxc"):
        if kind in groups:
            return kind
    return ""


def profilers(root: Path, path: str = "") -> list[Path]:
    """Return every ncu, that of PATH first, each file once."""
    found = [Path(folder, "ncu") for folder in path.split(os.pathsep) if folder]
    for place in PLACES:
        found += sorted(root.glob(place), reverse=True)  # the newest release first
    once: dict[Path, Path] = {}
    for each in found:
        if each.is_file():
            once.setdefault(each.resolve(), each)
    return list(once.values())


def version(said: str) -> str:
    """Return the version in the words of `ncu --version`, empty where there is none."""
    found = re.search(r"^Version\s+(\d+(?:\.\d+)+)", said, re.MULTILINE)
    return found.group(1) if found else ""
