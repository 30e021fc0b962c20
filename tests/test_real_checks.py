"""The bundled checks in their real environments: as they are, with a false program, and broken.

A false program is the installed package with a few lines changed (tests/falsified.py); the check,
its expected values and its conditions stay as they are.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from reader import runner, settings
from reader.checks import judge, machine, manifest
from reader.checks.process import LegPlan, run_leg
from reader.model import Gpu, Interpreter, Run, Toolkit, VerdictKind
from tests import falsified
from tests.records import pythons_of
from tests.toolkit import toolkit_folder

pytestmark = pytest.mark.real

CONFIRMED = VerdictKind.CONFIRMED
REFUTED = VerdictKind.REFUTED
NOT_APPLICABLE = VerdictKind.NOT_APPLICABLE
COULD_NOT_RUN = VerdictKind.COULD_NOT_RUN


def python_of(name: str) -> str:
    """Return the Python of a check's managed environment, built where it is not there yet."""
    return pythons_of(name)[0]


def run(
    tmp_path: Path,
    name: str,
    python: str | tuple[str, ...],
    *,
    cuda: Path | None = None,
    archs: Sequence[str] = (),
    parameters: Sequence[tuple[str, str]] = (),
) -> dict[str, VerdictKind]:
    """Run a check as the command line would and return its verdicts; print the figures."""
    options = runner.RunOptions(
        cuda=cuda or toolkit_folder(),
        python=python,
        archs=tuple(archs),
        parameters=tuple(parameters),
        check_folders=(),
    )
    done = runner.run_check(tmp_path / "store.db", name, options=options)
    show(done)
    return {verdict.claim: verdict.verdict for verdict in done.verdicts}


def show(done: Run) -> None:
    """Print what a run gave, for whoever reads the log of CI."""
    for leg in done.legs:
        print(f"{done.check}: {leg.seconds} s, {leg.fault or 'no fault'}")
        print("  ", {name: value for name, value in leg.measured.items() if value is not None})
    for verdict in done.verdicts:
        params = dict(verdict.reason.params)
        why = params.get("condition", params)
        print(f"   {verdict.claim}: {verdict.verdict.value} ({verdict.reason.code}: {why})")


def false_python(
    tmp_path: Path, python: str, package: str, changes: dict[str, list[tuple[str, str]]]
) -> str:
    """Return an interpreter for which `package` is the real one with lines changed."""
    folder = tmp_path / "false"
    falsified.overlay(falsified.site_of(python) / package, folder / package, changes)
    return falsified.interpreter(python, tmp_path / "venv", folder)


def expect(found: dict[str, VerdictKind], wanted: dict[str, VerdictKind]) -> None:
    """Compare the verdicts of the named claims."""
    assert {claim: found[claim] for claim in wanted} == wanted


def broken_toolkit(tmp_path: Path, tool: str, script: str) -> Path:
    """Return a toolkit whose `tool` says its version like the real one and then does `script`."""
    real = toolkit_folder()
    folder = tmp_path / "toolkit"
    (folder / "bin").mkdir(parents=True)
    for each in (real / "bin").iterdir():
        if each.name != tool:
            (folder / "bin" / each.name).symlink_to(each)
    for each in real.iterdir():
        if each.name != "bin":
            (folder / each.name).symlink_to(each)
    program = folder / "bin" / tool
    program.write_text(
        f'#!/bin/sh\nreal={real}/bin/{tool}\ncase "$*" in *--version*) exec "$real" "$@";; esac\n'
        f"{script}\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    return folder


def tools_without(tmp_path: Path, *left_out: str) -> str:
    """Return a PATH that has the system's programs but for some."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for base in ("/usr/bin", "/bin"):
        for each in Path(base).iterdir():
            target = folder / each.name
            if each.name not in left_out and not target.exists():
                target.symlink_to(each)
    return str(folder)


def leg_without_package(name: str) -> dict[str, str]:
    """Run a check's script in a Python that has not its packages; return its obstacles."""
    check = manifest.load(settings.resource_path("checks") / name)
    bare = Interpreter(path=sys.executable, version="3", origin="asked")
    leg = run_leg(LegPlan(check=check, interpreter=bare, machine=machine.describe()))
    assert leg.fault is None
    verdicts = {verdict.verdict for verdict in judge.judge(check, [leg])}
    assert verdicts <= {COULD_NOT_RUN, NOT_APPLICABLE}, verdicts
    return {claim: obstacle["code"] for claim, obstacle in leg.obstacles.items()}


# ── tvm-device-guard ───────────────────────────────────────────────────────────────────────────

GUARD = "tvm-device-guard"
HEADER = "include/tvm/ffi/extra/cuda/device_guard.h"


@pytest.fixture(scope="module")
def guard() -> str:
    return python_of(GUARD)


def test_guard_as_it_is(tmp_path: Path, guard: str) -> None:
    found = run(tmp_path, GUARD, guard)
    assert found == {
        "restores": CONFIRMED,
        "exceptions": CONFIRMED,
        "nested_threads": CONFIRMED,
        "self_switch": REFUTED,
        "gpu_cases": COULD_NOT_RUN,
        "gpu_releases": COULD_NOT_RUN,
    }


def test_guard_that_does_not_restore(tmp_path: Path, guard: str) -> None:
    restore = "TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(original_device_index_));"
    python = false_python(tmp_path, guard, "tvm_ffi", {HEADER: [(restore, "")]})
    expect(
        run(tmp_path, GUARD, python),
        {"restores": REFUTED, "exceptions": REFUTED, "nested_threads": REFUTED},
    )


def test_guard_that_always_restores(tmp_path: Path, guard: str) -> None:
    condition = "if (original_device_index_ != target_device_index_) {"
    python = false_python(tmp_path, guard, "tvm_ffi", {HEADER: [(condition, "{")]})
    expect(run(tmp_path, GUARD, python), {"restores": CONFIRMED, "self_switch": CONFIRMED})


def test_guard_without_its_header(tmp_path: Path, guard: str) -> None:
    python = false_python(tmp_path, guard, "tvm_ffi", {HEADER: [("", "")]})
    (tmp_path / "false" / "tvm_ffi" / HEADER).unlink()
    expect(run(tmp_path, GUARD, python), {"restores": NOT_APPLICABLE})


@pytest.mark.parametrize("how", ["missing", "failing", "header"])
def test_guard_in_a_broken_environment(
    tmp_path: Path, guard: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuda = toolkit_folder()
    if how == "header":
        struct = "struct CUDADeviceGuard {"
        guard = false_python(tmp_path, guard, "tvm_ffi", {HEADER: [(struct, "#error broken\n")]})
    else:
        path = tools_without(tmp_path, "g++")
        monkeypatch.setenv("PATH", path)
        if how == "failing":
            (Path(path) / "g++").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
            (Path(path) / "g++").chmod(0o755)
    assert set(run(tmp_path, GUARD, guard, cuda=cuda).values()) == {COULD_NOT_RUN}


@pytest.mark.parametrize("restores", [True, False])
def test_guard_gpu_code_on_the_simulated_runtime(
    tmp_path: Path, guard: str, restores: bool
) -> None:
    """What runs on two GPUs, built by an nvcc that is g++ with the simulated runtime."""
    if not restores:
        restore = "TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(original_device_index_));"
        guard = false_python(tmp_path, guard, "tvm_ffi", {HEADER: [(restore, "")]})
    check = manifest.load(settings.resource_path("checks") / GUARD)
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(f'#!/bin/sh\nexec g++ -pthread -I {check.folder}/simulated "$@"\n')
    nvcc.chmod(0o755)
    gpu = Gpu(name="simulated", compute_capability="9.0", memory_mb=1, uuid_hash="")
    here = dataclasses.replace(machine.describe(), gpus=(gpu, gpu))
    kit = Toolkit(tmp_path, "13.0", "13.0.88", (("nvcc", str(nvcc)),), "asked")
    python = Interpreter(path=guard, version="3", origin="asked")
    leg = run_leg(LegPlan(check=check, interpreter=python, machine=here, toolkit=kit))
    found = {verdict.claim: verdict.verdict for verdict in judge.judge(check, [leg])}
    wanted = CONFIRMED if restores else REFUTED
    expect(found, {"gpu_cases": wanted, "gpu_releases": wanted})


def test_guard_without_its_package(tmp_path: Path) -> None:
    codes = leg_without_package(GUARD)
    assert set(codes.values()) == {"import_failed"}


# ── triton-sched4reg ───────────────────────────────────────────────────────────────────────────

SCHED = "triton-sched4reg"
COMPILER = "backends/nvidia/compiler.py"
PASSED = "sched4reg=opt.sched4reg)"
FIELD = "sched4reg: bool = False"


@pytest.fixture(scope="module")
def triton() -> str:
    return python_of(SCHED)


def test_sched4reg_as_it_is(tmp_path: Path, triton: str) -> None:
    found = run(tmp_path, SCHED, triton)
    assert found == {
        "option_per_kernel": CONFIRMED,
        "ptx_differs": CONFIRMED,
        "same_opcodes": CONFIRMED,
        "isolation": CONFIRMED,
        "registers": CONFIRMED,
        "registers_toolkit": CONFIRMED,
        "gpu_correct": COULD_NOT_RUN,
        "gpu_latency": COULD_NOT_RUN,
    }


def test_sched4reg_that_is_ignored(tmp_path: Path, triton: str) -> None:
    changes = {COMPILER: [(PASSED, "sched4reg=False)")]}
    python = false_python(tmp_path, triton, "triton", changes)
    expect(
        run(tmp_path, SCHED, python, archs=["sm_90"]),
        {
            "ptx_differs": REFUTED,
            "registers": REFUTED,
            "registers_toolkit": REFUTED,
            "same_opcodes": VerdictKind.INCONCLUSIVE,
            "isolation": VerdictKind.INCONCLUSIVE,
        },
    )


def test_sched4reg_that_is_on_by_default_and_adds_code(tmp_path: Path, triton: str) -> None:
    more = (
        f"{PASSED}\n"
        '        if opt.sched4reg: ret = ret.replace("\\tret;", "\\tmembar.gl;\\n\\tret;")'
    )
    changes = {COMPILER: [(PASSED, more), (FIELD, "sched4reg: bool = True")]}
    python = false_python(tmp_path, triton, "triton", changes)
    expect(
        run(tmp_path, SCHED, python, archs=["sm_90"]),
        {"option_per_kernel": REFUTED, "ptx_differs": CONFIRMED, "same_opcodes": REFUTED},
    )


def test_sched4reg_that_leaks_between_threads(tmp_path: Path, triton: str) -> None:
    ptxas = "def get_ptxas(arch: int)"
    leak = (
        "sched4reg=opt.sched4reg ^ (threading.current_thread() is not threading.main_thread()"
        " and next(_LEAKING) % 5 == 0))"
    )
    changes = {
        COMPILER: [
            ("import functools\n", "import functools, itertools, threading\n"),
            (ptxas, f"_LEAKING = itertools.count()\n\n\n{ptxas}"),
            (PASSED, leak),
        ]
    }
    python = false_python(tmp_path, triton, "triton", changes)
    expect(
        run(tmp_path, SCHED, python, archs=["sm_90"]),
        {"isolation": REFUTED, "ptx_differs": CONFIRMED, "option_per_kernel": CONFIRMED},
    )


def test_sched4reg_in_an_older_triton(tmp_path: Path, triton: str) -> None:
    changes = {COMPILER: [(f"    {FIELD}\n", ""), (PASSED, "sched4reg=False)")]}
    python = false_python(tmp_path, triton, "triton", changes)
    found = run(tmp_path, SCHED, python, archs=["sm_90"])
    assert set(found.values()) <= {NOT_APPLICABLE, COULD_NOT_RUN}
    assert found["ptx_differs"] is NOT_APPLICABLE


def test_sched4reg_with_a_ptxas_that_fails(tmp_path: Path, triton: str) -> None:
    cuda = broken_toolkit(tmp_path, "ptxas", "exit 1")
    expect(
        run(tmp_path, SCHED, triton, cuda=cuda, archs=["sm_90"]),
        {"registers_toolkit": COULD_NOT_RUN, "registers": CONFIRMED, "ptx_differs": CONFIRMED},
    )


def test_sched4reg_with_a_ptxas_that_is_too_old(tmp_path: Path, triton: str) -> None:
    old = 'echo "Unsupported .version 9.0; current version is 8.0" >&2; exit 255'
    cuda = broken_toolkit(tmp_path, "ptxas", old)
    options = runner.RunOptions(cuda=cuda, python=triton, archs=("sm_90",), check_folders=())
    done = runner.run_check(tmp_path / "store.db", SCHED, options=options)
    (verdict,) = (each for each in done.verdicts if each.claim == "registers_toolkit")
    assert (verdict.verdict, verdict.reason.code) == (COULD_NOT_RUN, "not_supported")


def test_sched4reg_without_its_package(tmp_path: Path) -> None:
    codes = leg_without_package(SCHED)
    assert set(codes.values()) == {"import_failed"}


# ── triton-39-atomics ─────────────────────────────────────────────────────────────────────────

ATOMICS = "triton-39-atomics"
RETURNED = "        return ret\n\n    def make_cubin("


@pytest.fixture(scope="module")
def tritons() -> tuple[str, ...]:
    return tuple(pythons_of(ATOMICS))


def emitting(code: str) -> dict[str, list[tuple[str, str]]]:
    """Return the change that lets Triton's last word on PTX pass through `code`."""
    return {COMPILER: [(RETURNED, f"        {code}\n{RETURNED}")]}


def test_atomics_as_they_are(tmp_path: Path, tritons: tuple[str, ...]) -> None:
    assert run(tmp_path, ATOMICS, tritons) == {
        "barrier_before": CONFIRMED,
        "barrier_after": CONFIRMED,
        "relaxed_free": CONFIRMED,
        "default_changed": REFUTED,  # 3.8 had it already
        "calls_new": CONFIRMED,
        "call_defaults": CONFIRMED,
    }


def test_atomics_of_a_new_triton_without_barriers(tmp_path: Path, tritons: tuple[str, ...]) -> None:
    code = (
        r'ret = re.sub(r"bar\.sync[^\n]*\n((?:[^\n]*\n){0,4}?[^\n]*\.(?:release|acq_rel))",'
        r' r"\1", ret)'
    )
    python = false_python(tmp_path, tritons[1], "triton", emitting(code))
    expect(
        run(tmp_path, ATOMICS, (tritons[0], python), archs=["sm_90"]),
        {"barrier_before": REFUTED, "barrier_after": CONFIRMED, "relaxed_free": CONFIRMED},
    )


def test_atomics_of_a_new_triton_with_barriers_after_relaxed_alone(
    tmp_path: Path, tritons: tuple[str, ...]
) -> None:
    code = (
        r'ret = re.sub(r"(\n[^\n]*(?:red|atom)\.[^\n]*\.relaxed[^\n]*)",'
        r' r"\1\n\tbar.sync 0;", ret) if ".relaxed" in ret else'
        r' re.sub(r"(acq[^\n]*\n(?:[^\n]*\n){0,3}?)\s*bar\.sync[^\n]*", r"\1", ret)'
    )
    python = false_python(tmp_path, tritons[1], "triton", emitting(code))
    expect(
        run(tmp_path, ATOMICS, (tritons[0], python), archs=["sm_90"]),
        {"barrier_after": REFUTED, "relaxed_free": REFUTED, "barrier_before": CONFIRMED},
    )


def test_atomics_of_an_old_triton_that_had_it_all(tmp_path: Path, tritons: tuple[str, ...]) -> None:
    changes = emitting(
        r'ret = re.sub(r"(\n[^\n]*(?:red|atom)\.[^\n]*\.(?:release|acq_rel|acquire)[^\n]*)",'
        r' r"\n\tbar.sync 0;\1\n\tbar.sync 0;", ret)'
    )
    changes["language/__init__.py"] = [("    atomic_add,\n", "    atomic_add,\n    atomic_poll,\n")]
    decorator = '@_tensor_member_fn\n@builtin\n@_add_atomic_docstr("add")'
    planted = f"def atomic_poll(*_all, **_named):\n    pass\n\n\n{decorator}"
    changes["language/core.py"] = [(decorator, planted)]
    python = false_python(tmp_path, tritons[0], "triton", changes)
    expect(
        run(tmp_path, ATOMICS, (python, tritons[1]), archs=["sm_90"]),
        {"barrier_before": REFUTED, "barrier_after": REFUTED, "calls_new": REFUTED},
    )


def test_atomics_with_other_defaults(tmp_path: Path, tritons: tuple[str, ...]) -> None:
    semantic = "language/semantic.py"
    plain = "sem = ir.MEM_SEMANTIC.ACQUIRE_RELEASE\n        if sem_option:"
    old = false_python(
        tmp_path / "old",
        tritons[0],
        "triton",
        {semantic: [(plain, plain.replace("ACQUIRE_RELEASE", "RELAXED"))]},
    )
    load = "default=ir.MEM_SEMANTIC.ACQUIRE)"
    new = false_python(
        tmp_path / "new",
        tritons[1],
        "triton",
        {semantic: [(load, load.replace("ACQUIRE", "RELAXED"))]},
    )
    expect(
        run(tmp_path, ATOMICS, (old, new), archs=["sm_90"]),
        {"default_changed": CONFIRMED, "call_defaults": REFUTED, "barrier_before": CONFIRMED},
    )


def test_atomics_control_that_fails(tmp_path: Path, tritons: tuple[str, ...]) -> None:
    """Barriers that cannot be seen in one leg make every claim inconclusive that needs it."""
    none = r'ret = re.sub(r"\n\s*bar\.sync[^\n]*", "", ret)'
    python = false_python(tmp_path, tritons[1], "triton", emitting(none))
    found = run(tmp_path, ATOMICS, (tritons[0], python), archs=["sm_90"])
    assert set(found.values()) == {VerdictKind.INCONCLUSIVE}


def test_atomics_where_one_triton_does_not_compile(
    tmp_path: Path, tritons: tuple[str, ...]
) -> None:
    python = false_python(
        tmp_path, tritons[1], "triton", emitting('raise RuntimeError("no back end")')
    )
    found = run(tmp_path, ATOMICS, (tritons[0], python), archs=["sm_90"])
    assert set(found.values()) <= {COULD_NOT_RUN, VerdictKind.INCONCLUSIVE}
    assert found["barrier_before"] is COULD_NOT_RUN


def test_atomics_without_their_package(tmp_path: Path) -> None:
    codes = leg_without_package(ATOMICS)
    assert set(codes.values()) == {"import_failed"}


# ── tvm-required-block-size ────────────────────────────────────────────────────────────────────

BLOCK = "tvm-required-block-size"
BUILD = "tirx/build.py"
SPLIT = "    target_str2target = {}\n"


@pytest.fixture(scope="module")
def tvm() -> str:
    return python_of(BLOCK)


def pip_toolkit(python: str) -> Path:
    """Return the toolkit in a check's own environment."""
    (root,) = (falsified.site_of(python) / "nvidia").glob("cu*")
    return root


def test_block_size_as_it_is(tmp_path: Path, tvm: str) -> None:
    found = run(tmp_path, BLOCK, tvm, cuda=toolkit_folder(machine=False))
    assert found == {
        "source": CONFIRMED,
        "metadata": CONFIRMED,
        "reqntid": CONFIRMED,
        "reqntid_pip": CONFIRMED,
        "sm80_refused": CONFIRMED,
        "cuda13": NOT_APPLICABLE,
        "tvm_exclusive": REFUTED,
        "nvcc_exclusive": CONFIRMED,  # CUDA 13.0
        "nvcc_exclusive_pip": REFUTED,
        "wrong_block": COULD_NOT_RUN,
        "grid_divisible": COULD_NOT_RUN,
    }


def test_block_size_with_another_toolkit_of_the_users(tmp_path: Path, tvm: str) -> None:
    expect(
        run(tmp_path, BLOCK, tvm, cuda=pip_toolkit(tvm)),
        {"reqntid": CONFIRMED, "nvcc_exclusive": REFUTED},
    )


def test_block_size_that_codegen_drops(tmp_path: Path, tvm: str) -> None:
    drop = (
        "    for gv, f in device_mod.functions.items():\n"
        '        f = f.without_attr("tirx.required_block_size")\n'
        '        kept = [p for p in f.attrs["tirx.kernel_launch_params"] if "required" not in p]\n'
        '        device_mod[gv] = f.with_attr("tirx.kernel_launch_params", kept)\n'
    )
    python = false_python(tmp_path, tvm, "tvm", {BUILD: [(SPLIT, drop + SPLIT)]})
    expect(
        run(tmp_path, BLOCK, python),
        {"source": REFUTED, "metadata": REFUTED, "reqntid": REFUTED, "reqntid_pip": REFUTED},
    )


def test_block_size_that_tvm_refuses_to_combine(tmp_path: Path, tvm: str) -> None:
    refuse = (
        "    for f in device_mod.functions.values():\n"
        '        if "tirx.required_block_size" in f.attrs and (\n'
        '            "tirx.launch_bounds_min_blocks_per_sm" in f.attrs\n'
        "        ):\n"
        '            raise ValueError("tirx.required_block_size cannot be combined")\n'
    )
    python = false_python(tmp_path, tvm, "tvm", {BUILD: [(SPLIT, refuse + SPLIT)]})
    expect(
        run(tmp_path, BLOCK, python),
        {"tvm_exclusive": CONFIRMED, "source": CONFIRMED, "nvcc_exclusive": COULD_NOT_RUN},
    )


def test_block_size_with_an_nvcc_that_takes_sm_80(tmp_path: Path, tvm: str) -> None:
    script = 'set -- $(printf "%s\\n" "$@" | sed s/-arch=sm_80/-arch=sm_90/)\nexec "$real" "$@"'
    cuda = broken_toolkit(tmp_path, "nvcc", script)
    expect(run(tmp_path, BLOCK, tvm, cuda=cuda), {"sm80_refused": REFUTED, "reqntid": CONFIRMED})


def test_block_size_with_a_toolkit_before_13(tmp_path: Path, tvm: str) -> None:
    refuse = 'echo "error: __block_size__ is undefined" >&2; exit 1'
    look = f'case "$f" in *.cu) grep -q __block_size__ "$f" && {{ {refuse}; }};; esac'
    script = f'for f in "$@"; do {look}; done\nexec "$real" "$@"'
    cuda = broken_toolkit(tmp_path, "nvcc", script)
    nvcc = cuda / "bin" / "nvcc"
    old = "echo 'Cuda compilation tools, release 12.9, V12.9.86'; exit 0"
    text = nvcc.read_text(encoding="utf-8").replace('exec "$real" "$@";;', f"{old};;")
    nvcc.write_text(text, encoding="utf-8")
    expect(
        run(tmp_path, BLOCK, tvm, cuda=cuda),
        {"cuda13": CONFIRMED, "reqntid": COULD_NOT_RUN, "reqntid_pip": CONFIRMED},
    )


@pytest.mark.parametrize("script", ["exit 1", "sleep 600"], ids=["fails", "hangs"])
def test_block_size_with_a_broken_nvcc(tmp_path: Path, tvm: str, script: str) -> None:
    cuda = broken_toolkit(tmp_path, "nvcc", script)
    expect(
        run(tmp_path, BLOCK, tvm, cuda=cuda),
        {
            "reqntid": COULD_NOT_RUN,
            "nvcc_exclusive": COULD_NOT_RUN,
            "source": CONFIRMED,
            "reqntid_pip": CONFIRMED,
        },
    )


def test_block_size_without_its_package(tmp_path: Path) -> None:
    codes = leg_without_package(BLOCK)
    assert set(codes.values()) <= {"import_failed", "tool_missing"}
