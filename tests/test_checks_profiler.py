"""profiler-access on machines made of files, and its GPU part on handed answers of ncu."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from reader.checks import harness
from reader.model import VerdictKind
from tests.test_checks_scripts import handed, modules, parameters, verdicts

__all__ = ["handed"]  # a fixture

NAME = "profiler-access"
CONFIRMED = VerdictKind.CONFIRMED
REFUTED = VerdictKind.REFUTED
NOT_APPLICABLE = VerdictKind.NOT_APPLICABLE
COULD_NOT_RUN = VerdictKind.COULD_NOT_RUN

CLOSED, OPEN = "RmProfilingAdminOnly: 1\n", "RmProfilingAdminOnly: 0\n"
NOBODY, ROOT = "CapEff:\t0000000000000000\n", "CapEff:\t000001ffffffffff\n"
PARAMS, STATUS = "proc/driver/nvidia/params", "proc/self/status"
CONF = "etc/modprobe.d/nvidia.conf"
SET = "options nvidia NVreg_RestrictProfilingToAdminUsers="
NCU = "opt/nvidia/nsight-compute/2026.3.0/ncu"
SAYS = "#!/bin/sh\necho 'NVIDIA (R) Nsight Compute'\necho 'Version 2026.3.0.0 (build 1)'\n"
HEAD = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
COUNTED = HEAD + "".join(
    f'"0","{kernel}(int)","{metric}","%","{value}"\n'
    for kernel, memory, compute in (("moves", 92.5, 8.1), ("computes", 2.0, 97.0))
    for metric, value in (("Memory Throughput", memory), ("Compute (SM) Throughput", compute))
)
DENIED = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters"


def run(tmp_path: Path, files: dict[str, str], **more: Any) -> dict[str, VerdictKind]:
    """Run the whole script over a machine made of files and judge what it measured."""
    root = tmp_path / "machine"
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
        file.chmod(0o755)
    with modules(NAME, tmp_path) as folder:
        script = importlib.import_module("check")
        given = parameters(NAME, folder, tmp_path, chosen={"root": str(root)}, **more)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(script, "Check", lambda: harness.Check(given))
            script.main()
    return verdicts(NAME, tmp_path, {})


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({PARAMS: CLOSED, STATUS: NOBODY}, {"permitted": REFUTED, "stays": NOT_APPLICABLE}),
        ({PARAMS: CLOSED, STATUS: ROOT}, {"permitted": CONFIRMED}),
        ({PARAMS: OPEN, STATUS: NOBODY, CONF: SET + "0"},
         {"permitted": CONFIRMED, "stays": CONFIRMED, "container_open": NOT_APPLICABLE}),
        ({PARAMS: CLOSED, STATUS: NOBODY, CONF: SET + "0"},
         {"permitted": REFUTED, "stays": REFUTED}),
        ({PARAMS: CLOSED, STATUS: NOBODY, ".dockerenv": ""}, {"container_open": REFUTED}),
        ({PARAMS: CLOSED, STATUS: ROOT, "proc/self/uid_map": "0 1000 1\n",
          "run/.containerenv": ""}, {"permitted": REFUTED, "container_open": REFUTED}),
        ({PARAMS: OPEN, STATUS: NOBODY, "proc/1/cgroup": "0::/kubepods/pod1\n"},
         {"container_open": CONFIRMED}),
        ({PARAMS: CLOSED, STATUS: NOBODY, "proc/sys/kernel/osrelease": "5.15-microsoft-WSL2"},
         {"permitted": NOT_APPLICABLE}),
        ({}, {"ncu_installed": REFUTED, "permitted": NOT_APPLICABLE, "counters": COULD_NOT_RUN}),
        ({NCU: SAYS}, {"ncu_installed": CONFIRMED}),
        ({NCU: "#!/bin/sh\nexit 1\n"}, {"ncu_installed": COULD_NOT_RUN}),
        ({NCU: "not a program", "usr/bin/ncu": SAYS}, {"ncu_installed": CONFIRMED}),
    ],
)  # fmt: skip
def test_a_machine_of_files(
    files: dict[str, str], expected: dict[str, VerdictKind], tmp_path: Path
) -> None:
    found = run(tmp_path, files)
    assert {claim: found[claim] for claim in expected} == expected


def timed(small: float, full: float, said: str = COUNTED) -> dict[str, Any]:
    seconds = {"bare": 1.0, "small": small, "basic": 2.0, "full": full}
    return {
        "seconds": {name: [each] * 3 for name, each in seconds.items()},
        "said": {"small": said, "basic": COUNTED, "full": COUNTED},
    }  # fmt: skip


OTHER = COUNTED.replace("92.5", "2.5")


@pytest.mark.parametrize(
    ("params", "said", "sets", "expected"),
    [
        (OPEN, COUNTED, timed(1.5, 6.0), (CONFIRMED, CONFIRMED, CONFIRMED, CONFIRMED)),
        (OPEN, COUNTED, timed(3.0, 2.0, OTHER), (CONFIRMED, CONFIRMED, REFUTED, REFUTED)),
        (OPEN, COUNTED, timed(2.0, 2.1),
         (CONFIRMED, CONFIRMED, VerdictKind.INCONCLUSIVE, CONFIRMED)),
        (CLOSED, DENIED, {}, (REFUTED, CONFIRMED, COULD_NOT_RUN, COULD_NOT_RUN)),
        (OPEN, DENIED, {}, (REFUTED, REFUTED, COULD_NOT_RUN, COULD_NOT_RUN)),
        (OPEN, "==ERROR== libnvidia-ml.so is missing", {}, (COULD_NOT_RUN,) * 4),
    ],
)  # fmt: skip
def test_the_attempt_settles_it(
    params: str,
    said: str,
    sets: dict[str, Any],
    expected: tuple[VerdictKind, ...],
    tmp_path: Path,
    handed: Any,
) -> None:
    handed({"attempt": {"exit": 0, "said": said, "seconds": 1.0}, "sets": sets})
    found = run(tmp_path, {PARAMS: params, STATUS: NOBODY, NCU: SAYS})
    claims = ("counters", "foretold", "dearer", "smallest")
    assert tuple(found[claim] for claim in claims) == expected


def test_the_program_under_ncu_is_told_how_it_fares(tmp_path: Path) -> None:
    """The code for a GPU, with an ncu and an nvcc that are scripts."""
    nvcc, ncu = tmp_path / "nvcc", tmp_path / "ncu"
    nvcc.write_text('#!/bin/sh\nprintf "#!/bin/sh\\n" >"$4"\nchmod +x "$4"\n')
    ncu.write_text(f"#!/bin/sh\ncat <<'END'\n{COUNTED}END\n")
    for each in (nvcc, ncu):
        each.chmod(0o755)
    with modules(NAME, tmp_path) as folder:
        attempt = importlib.import_module("attempt")
        check = harness.Check(parameters(NAME, folder, tmp_path, toolkit={"nvcc": str(nvcc)}))
        program = attempt.build(check)
        found = attempt.sets(check, str(ncu), str(program))
        assert {len(each) for each in found["seconds"].values()} == {attempt.ROUNDS}
        said = attempt.Said(found["said"]["small"])
        assert said.limiters == {"moves": "memory", "computes": "compute"}


def test_a_planted_machine_that_is_misread_decides_nothing(tmp_path: Path) -> None:
    run(tmp_path, {PARAMS: OPEN, STATUS: NOBODY})
    found = verdicts(NAME, tmp_path, {"planted_right": 10})
    assert found["permitted"] is VerdictKind.INCONCLUSIVE
