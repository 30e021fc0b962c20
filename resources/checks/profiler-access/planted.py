"""Machines and answers of ncu whose meaning is known: the control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attempt import Said

if TYPE_CHECKING:
    from pathlib import Path

NOBODY, ROOT = "CapEff:\t0000000000000000\n", "CapEff:\t000001ffffffffff\n"
STATUS, PARAMS = "proc/self/status", "proc/driver/nvidia/params"
OPTION = "NVreg_RestrictProfilingToAdminUsers"
# name: (its files, whether it forbids profiling, what modprobe.d keeps)
TREES = {
    "closed": ({STATUS: NOBODY, PARAMS: "RmProfilingAdminOnly: 1\n"}, True, -1),
    "open": ({STATUS: NOBODY, PARAMS: "EnableMSI: 1\nRmProfilingAdminOnly: 0\n"}, False, -1),
    "root": ({STATUS: ROOT, PARAMS: "RmProfilingAdminOnly: 1\n"}, False, -1),
    "root_of_its_own": (
        {
            STATUS: ROOT,
            PARAMS: "RmProfilingAdminOnly: 1\n",
            "proc/self/uid_map": "         0       1000          1\n",
        },
        True,
        -1,
    ),
    "almost": ({STATUS: NOBODY, PARAMS: "XRmProfilingAdminOnly: 1\n"}, False, -1),
    "commented": (
        {
            STATUS: NOBODY,
            PARAMS: "RmProfilingAdminOnly: 1\n",
            "etc/modprobe.d/a.conf": f"# options nvidia {OPTION}=0\noptions nvidiafb {OPTION}=0\n",
        },
        True,
        -1,
    ),
    "last_word": (
        {
            STATUS: NOBODY,
            PARAMS: "RmProfilingAdminOnly: 0\n",
            "etc/modprobe.d/a.conf": f"options nvidia {OPTION}=1\n",
            "usr/lib/modprobe.d/b.conf": f"options nvidia NVreg_EnableMSI=1 {OPTION}=0\n",
            "usr/lib/modprobe.d/a.conf": f"options nvidia {OPTION}=7\n",
        },
        False,
        0,
    ),
}
HEAD = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
GOOD = (
    f'==PROF== Profiling "moves"\n{HEAD}'
    '"0","moves(float4)","Memory Throughput","%","91.2"\n'
    '"0","moves(float4)","Memory Throughput","Tbyte/second","4.1"\n'
    '"0","moves(float4)","Compute (SM) Throughput","%","9.5"\n'
)
ANSWERS = {
    GOOD: "counters",
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission": "denied",
    "==ERROR== No kernels were profiled.": "neither",
    HEAD: "neither",
}


def answer(said: Said) -> str:
    """Return what an answer of ncu amounts to."""
    if said.denied:
        return "denied"
    return "counters" if said.counters else "neither"


def tree(folder: Path, files: dict[str, str]) -> Path:
    """Write a machine's files under `folder` and return it."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    return folder
