"""The bundled checks without their packages: manifests, locks, and the GPU code on handed results.

The scripts' modules are imported as a leg imports them: their folder first, the harness beside.
"""

from __future__ import annotations

import importlib
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reader import settings
from reader.checks import harness, judge, manifest, result
from reader.model import Check, Leg, VerdictKind
from tests.shared import need_shared

FOLDER = settings.resource_path("checks")
NAMES = (
    "batch-invariance",
    "machine-baseline",
    "cutile-codegen",
    "iree-313",
    "mlir-static-memory-planner",
    "kernel-benchmark",
    "pipelink-lto",
    "profiler-access",
    "ptxas-acf",
    "torchneuron-backend",
    "triton-39-atomics",
    "triton-39-batched-dot",
    "triton-39-division",
    "triton-39-e8m0",
    "triton-39-nested-loops",
    "triton-sched4reg",
    "tvm-device-guard",
    "tvm-required-block-size",
)
NO_GPU = (
    "iree-313",  # compilation, and a run on the CPU
    "mlir-static-memory-planner",  # one pass over IR
    "ptxas-acf",  # what is asked of it is code
    "torchneuron-backend",  # its device is no GPU
    "triton-39-atomics",  # all of it is read off PTX
    "triton-39-e8m0",  # the interpreter's
    "triton-39-nested-loops",  # the compiler's own time
)
CONFIRMED = VerdictKind.CONFIRMED
REFUTED = VerdictKind.REFUTED
INCONCLUSIVE = VerdictKind.INCONCLUSIVE
COULD_NOT_RUN = VerdictKind.COULD_NOT_RUN


def load(name: str) -> Check:
    return manifest.load(FOLDER / name)


@contextmanager
def modules(name: str, tmp_path: Path) -> Iterator[Path]:
    """Make a check's modules importable, as they are inside a leg; forget them afterwards."""
    folder = tmp_path / "check"
    shutil.copytree(FOLDER / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(str(harness.__file__), folder / "readproof_harness.py")
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield folder
    finally:
        sys.path.remove(str(folder))
        for module in set(sys.modules) - before:
            origin = getattr(sys.modules[module], "__file__", None)
            if origin and Path(origin).is_relative_to(folder):
                del sys.modules[module]


def parameters(name: str, folder: Path, tmp_path: Path, **more: Any) -> dict[str, Any]:
    check = load(name)
    (tmp_path / "artefacts").mkdir(exist_ok=True)
    return {
        "check": name,
        "hash": check.hash,
        "archs": list(check.archs),
        "toolkit": {"root": "/cuda", "version": "13.0", "release": "13.0.88", "nvcc": "nvcc"},
        "gpus": [],
        "claims": [claim.id for claim in check.claims],
        "seed": 0,
        "folder": str(folder),
        "scratch": str(tmp_path),
        "result": str(tmp_path / "result.json"),
        "samples": str(tmp_path / "samples.jsonl"),
        "artefacts": str(tmp_path / "artefacts"),
    } | more


def verdicts(name: str, tmp_path: Path, control: dict[str, Any]) -> dict[str, VerdictKind]:
    """Judge the result file, with a control that behaved."""
    check = load(name)
    found = result.read(tmp_path / "result.json", check)
    leg = Leg(
        name="main",
        environment={},
        toolkit=None,
        target="",
        measured=found["measured"] | control,
        cases=tuple(found["cases"]),
        log="",
        command=(),
        exit_status=0,
        seconds=1.0,
        obstacles=found["obstacles"],
    )
    return {verdict.claim: verdict.verdict for verdict in judge.judge(check, [leg])}


@pytest.fixture
def handed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that hands in what a GPU would have given."""

    def hand(results: dict[str, Any]) -> None:
        file = tmp_path / "device.json"
        file.write_text(json.dumps(results), encoding="utf-8")
        monkeypatch.setenv("READPROOF_DEVICE_RESULTS", str(file))

    return hand


# ── manifests and files ────────────────────────────────────────────────────────────────────────


def test_all_bundled_checks_load() -> None:
    checks, faults = manifest.load_all()
    assert not faults
    assert {check.name for check in checks} >= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_manifest_says_everything_twice_and_claims_nothing_on_a_gpu(name: str) -> None:
    check = load(name)
    for claim in check.claims:
        told = dict(claim.because)
        assert CONFIRMED in told
        assert REFUTED in told or not claim.refute
        assert claim.shown_on_gpu is None
        for text in (claim.text, claim.method, claim.expected, *told.values()):
            assert re.search(r"[\u4e00-\u9fff]", text.zh), text.zh
            assert not re.search(r"[\u4e00-\u9fff]", text.en), text.en
    assert any(claim.needs.gpus for claim in check.claims) is (name not in NO_GPU)
    assert any(not claim.needs.gpus for claim in check.claims)


@pytest.mark.parametrize("name", NAMES)
def test_every_measurement_is_declared_and_used(name: str) -> None:
    check = load(name)
    script = "".join(path.read_text(encoding="utf-8") for path in (FOLDER / name).glob("*.py"))
    named = set(re.findall(r'\.measure\(\s*"([a-z0-9_]+)"', script))
    assert named <= dict(check.measures).keys()
    text = (FOLDER / name / "check.toml").read_text(encoding="utf-8")
    for measurement, _unit in check.measures:
        assert len(re.findall(rf"\b{measurement}\b", text)) > 1, f"{measurement} is never used"


@pytest.mark.parametrize("name", NAMES)
def test_sources_are_known_addresses(name: str) -> None:
    known = need_shared("facts", "sources.md").read_text(encoding="utf-8")
    assert all(url in known for url in load(name).matches.urls)


@pytest.mark.parametrize(
    "lock",
    [*sorted(FOLDER.glob("*/*.lock")), Path("tests/toolkit.lock")],
    ids=lambda each: each.name,
)
def test_locks_pin_by_hash_and_name_no_address(lock: Path) -> None:
    text = (Path(__file__).parents[1] / lock).read_text(encoding="utf-8")
    pins = re.findall(r"^[a-z0-9-]+==\S+", text, re.MULTILINE)
    blocks = text.replace("\\\n", " ").strip().splitlines()
    assert len(pins) == len(blocks)
    assert all("--hash=sha256:" in block for block in blocks)
    assert "://" not in text
    if lock.is_absolute():
        check = load(lock.parent.name)
        every = (check.packages, *(side.packages for side in check.sides))
        (wanted,) = {each.requires for each in every if lock.name in (each.lock, each.lighter)}
        # A build of an index of its own has a local version: torch==2.13.0+cpu.
        assert set(wanted) <= {pin.split(" ")[0].split("+")[0] for pin in pins}


def test_one_environment_serves_both_checks_of_triton_39() -> None:
    from reader.checks.environment import install_key

    sched, atomics = load("triton-sched4reg"), load("triton-39-atomics")
    keys = [install_key(side.packages, atomics.folder) for side in atomics.sides]
    assert keys[1] == install_key(sched.packages, sched.folder)
    assert len(set(keys)) == 2


ATOMICS_PTX = [
    # what stands there, (barrier right before, right after), how the first access is ordered
    ("st.global.b32 [%a], %r;\nbar.sync 0;\n@%p atom.global.gpu.acq_rel.add.u32 %r, [%a], 1;\n"
     "bar.sync 0;", (True, True), "acq_rel"),
    ("st.global.b32 [%a], %r;\nred.global.gpu.relaxed.add.u32 [%a], 1;", (False, False), "relaxed"),
    ("bar.sync 0;\nld.shared.b32 %r, [%s];\natom.global.gpu.release.exch.b32 %r, [%a], 1;",
     (False, False), "release"),
    ("ld.relaxed.gpu.global.b32 %r, [%a];\nfence.acquire.gpu;\nbar.sync 0;", (False, True),
     "acquire"),
    ("bar.sync 0;\nfence.acq_rel.gpu;\nst.relaxed.gpu.global.b32 [%a], %r;", (True, False),
     "release"),
    ("ld.relaxed.gpu.global.b32 %r, [%a];\nld.relaxed.gpu.global.b32 %r, [%a];\n"
     "fence.acquire.gpu;", (False, False), "acquire"),  # a loop that polls
    ("bar.warp.sync -1;\n// bar.sync 0;\natom.global.gpu.relaxed.add.u32 %r, [%a], 1;",
     (False, False), "relaxed"),
    ("st.global.b32 [%a], %r;\nbar.sync 0;", (False, False), ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "barriers", "order"), ATOMICS_PTX)
def test_atomics_read_ptx(
    text: str, barriers: tuple[bool, bool], order: str, tmp_path: Path
) -> None:
    with modules("triton-39-atomics", tmp_path):
        ptx = importlib.import_module("ptx")
        assert ptx.around(text) == barriers
        assert ptx.ordered(text) == order


@pytest.mark.parametrize("name", NAMES)
def test_scripts_are_typed(name: str, tmp_path: Path) -> None:
    """Each folder by itself: every check has a check.py, and the harness lies beside it."""
    with modules(name, tmp_path) as folder:
        files = sorted(str(path) for path in folder.glob("*.py") if path.stem != harness.__name__)
        config = tmp_path / "mypy.ini"
        # The packages are not here, and kernel languages are Python in form only.
        config.write_text(
            "[mypy]\nstrict = True\ndisable_error_code = import-not-found, import-untyped\n"
            "[mypy-kernels.*]\nignore_errors = True\n",
            encoding="utf-8",
        )
        words = [sys.executable, "-m", "mypy", "--config-file", str(config)]
        words += ["--cache-dir", str(tmp_path / "cache"), *files]
        said = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr


# ── the driver's part, on a libcuda that computes on the host ──────────────────────────────────

SIMULATED = Path(__file__).parent / "data" / "simulated_cuda.cc"
ON_DRIVER = """
import json, sys
from types import SimpleNamespace
import gpu
built = SimpleNamespace(cubin=b"cubin", shared=65536, threads=128)
found = {name: gpu.count_wrong(name, built, 7) for name in ("layernorm", "matmul", "products")}
times = gpu.time_samples("layernorm", {"false": built, "again": built, "true": built}, 7)
found["rounds"] = {name: len(each) for name, each in times.items()}
print(json.dumps(found))
"""
LAUNCHES = """
import json
from types import SimpleNamespace
from pathlib import Path
import launching
check = SimpleNamespace(scratch=Path("."), run=lambda words, seconds: (
    Path(words[-1]).write_bytes(b"cubin"), SimpleNamespace(returncode=0))[1])
print(json.dumps(launching.launch_blocks(check, "nvcc", "sm_90", "")))
"""


def on_simulated_driver(name: str, code: str, tmp_path: Path, fault: bool) -> Any:
    """Run code inside a check's folder in a process of its own that finds the simulated libcuda."""
    if shutil.which("g++") is None:
        pytest.skip("there is no g++ on this machine")
    library = tmp_path / "libcuda.so.1"
    words = ["g++", "-O2", "-shared", "-fPIC", str(SIMULATED), "-o", str(library)]
    subprocess.run(words, check=True)
    with modules(name, tmp_path) as folder:
        said = subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder,
            env={"LD_LIBRARY_PATH": str(tmp_path)} | ({"SIMULATED_FAULT": "1"} if fault else {}),
            capture_output=True,
            text=True,
            check=False,
        )
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


@pytest.mark.parametrize("fault", [False, True])
def test_sched4reg_driver_code(tmp_path: Path, fault: bool) -> None:
    found = on_simulated_driver("triton-sched4reg", ON_DRIVER, tmp_path, fault)
    for name, elements in (("layernorm", 16384), ("matmul", 16384), ("products", 12288)):
        assert found[name]["elements"] == elements
        assert (found[name]["wrong"] > elements / 4) is fault, found[name]
        assert fault or found[name]["wrong"] == 0
    assert found["rounds"] == {"false": 60, "again": 60, "true": 60}


@pytest.mark.parametrize("fault", [False, True])
def test_block_size_driver_code(tmp_path: Path, fault: bool) -> None:
    found = on_simulated_driver("tvm-required-block-size", LAUNCHES, tmp_path, fault)
    wrong = 0 if fault else 1
    assert found == {"128": 0, "64": wrong, "127": wrong, "256": wrong}


# ── triton-sched4reg ───────────────────────────────────────────────────────────────────────────

SCHED = "triton-sched4reg"
SCHED_CONTROL = {
    "option_present": True,
    "equal_options_different": 0,
    "planted_leaks": 4,
    "planted_leaks_found": 4,
}


def sched_on_gpu(tmp_path: Path) -> dict[str, VerdictKind]:
    """Run the GPU part on handed results with stand-ins for compiled kernels."""
    with modules(SCHED, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(SCHED, folder, tmp_path))
        built = SimpleNamespace()
        compiler = SimpleNamespace(build=lambda *_args: built)
        script.on_gpu(check, compiler)
        check.finish()
    return verdicts(SCHED, tmp_path, SCHED_CONTROL)


def device_results(wrong: int, on: float, off: float, again: float) -> dict[str, Any]:
    spread = [0.98, 0.99, 1.0, 1.01, 1.02] * 12
    kernels = ("layernorm", "matmul", "products")
    return {
        f"wrong_{kernel}_{label}": {"elements": 100, "wrong": wrong}
        for kernel in kernels
        for label in ("false", "true")
    } | {
        "latency": {
            "false": [off * x for x in spread],
            "again": [again * x for x in spread],
            "true": [on * x for x in spread],
        }
    }


@pytest.mark.parametrize(
    ("wrong", "on", "correct", "latency"),
    [(0, 8.0, CONFIRMED, CONFIRMED), (3, 10.0, REFUTED, REFUTED)],
)
def test_sched4reg_gpu_claims(
    tmp_path: Path,
    handed: Any,
    wrong: int,
    on: float,
    correct: VerdictKind,
    latency: VerdictKind,
) -> None:
    handed(device_results(wrong, on, 10.0, 10.005))
    found = sched_on_gpu(tmp_path)
    assert (found["gpu_correct"], found["gpu_latency"]) == (correct, latency)


def test_sched4reg_small_difference_is_inconclusive(tmp_path: Path, handed: Any) -> None:
    results = device_results(0, 10.0, 10.0, 10.0)
    dice = random.Random(1)
    results["latency"]["true"] = [dice.gauss(10.0, 0.6) for _round in range(60)]
    results["latency"]["again"] = [10.0 * x for x in [0.999, 1.0, 1.001] * 20]
    results["latency"]["false"] = [10.0 * x for x in [0.999, 1.0, 1.001] * 20]
    handed(results)
    assert sched_on_gpu(tmp_path)["gpu_latency"] is INCONCLUSIVE


def test_sched4reg_device_that_gives_nothing(tmp_path: Path, handed: Any) -> None:
    handed({})
    found = sched_on_gpu(tmp_path)
    assert (found["gpu_correct"], found["gpu_latency"]) == (COULD_NOT_RUN, COULD_NOT_RUN)


def test_sched4reg_without_a_gpu(tmp_path: Path) -> None:
    found = sched_on_gpu(tmp_path)
    assert (found["gpu_correct"], found["gpu_latency"]) == (COULD_NOT_RUN, COULD_NOT_RUN)


def test_sched4reg_leak_detector_counts_leaks_and_strays(tmp_path: Path) -> None:
    with modules(SCHED, tmp_path):
        script = importlib.import_module("check")
        reference = {False: "a", True: "b"}
        built = [(False, "a"), (True, "a"), (False, "b"), (True, "c"), (True, "b")]
        assert script.leaks(built, reference) == (2, 1)
        order = script.alternate(lambda n, policy: f"{n}{policy}", 24)
        assert [text for _policy, text in order] == [f"{n}{bool(n % 2)}" for n in range(24)]


def test_sched4reg_reads_ptxas_and_opcodes(tmp_path: Path) -> None:
    with modules(SCHED, tmp_path):
        used = importlib.import_module("resources_used")
        compiling = importlib.import_module("compiling")
        usage = used.Usage(
            "ptxas info    : Function properties for k\n"
            "    0 bytes stack frame, 36 bytes spill stores, 24 bytes spill loads\n"
            "ptxas info    : Used 93 registers, used 1 barriers\n"
        )
        assert (usage.registers, usage.spilled) == (93, 60)
        with pytest.raises(ValueError, match="fatal"):
            used.Usage("ptxas fatal : no such option")
        # 128 threads: 64 registers fill half of an sm_90, 56 let one more block in
        assert used.occupancy(90, 64, 128, 0) == 50
        assert used.occupancy(90, 56, 128, 0) == 56
        assert used.occupancy(90, 32, 128, 100 * 1024) == 12  # shared memory: two blocks
        assert used.occupancy(99, 32, 128, 0) is None
        first = "\tadd.s32 \t%r1, %r2, 1;\n@%p1 bra \t$L1;\n\tret;\n// add.s32 in a comment\n"
        second = "@%p1 bra \t$L1;\n\tret;\n\tadd.s32 \t%r1, %r2, 1;\n"
        assert compiling.opcodes(first) == compiling.opcodes(second)
        assert compiling.opcodes(first) == {"add.s32": 1, "bra": 1, "ret": 1}


def test_sched4reg_references_are_right(tmp_path: Path) -> None:
    """The float64 references against values known by other means."""
    with modules(SCHED, tmp_path):
        gpu = importlib.import_module("gpu")
        layer = gpu.Problem("layernorm", 0)
        assert len(layer.reference) == len(layer.out) == 8 * 2048
        assert layer.wrong(layer.out) > 0.9 * len(layer.out)  # zeros are wrong
        whole = gpu.Problem("products", 0)
        x, y = whole.inputs
        want = (x[0] * y[0] + 2**31) % 2**32 - 2**31
        assert whole.reference[0] == want
        assert len(whole.reference) == len(whole.out)


# ── tvm-required-block-size ────────────────────────────────────────────────────────────────────

BLOCK = "tvm-required-block-size"
BLOCK_CONTROL = {
    "plain_block_size": 0,
    "plain_launch_bounds": True,
    "plain_reqntid": 0,
    "plain_maxntid": 1,
    "plain_compiled": 1,
}


def block_on_gpu(tmp_path: Path) -> dict[str, VerdictKind]:
    with modules(BLOCK, tmp_path) as folder:
        launching = importlib.import_module("launching")
        check = harness.Check(parameters(BLOCK, folder, tmp_path))
        nvcc = SimpleNamespace(path="nvcc", broken=None)
        launching.on_gpu(check, None, {"block": ""}, [nvcc])
        check.finish()
    return verdicts(BLOCK, tmp_path, BLOCK_CONTROL)


GOOD_GRIDS = {
    "8": "",
    "7": "each logical block-grid dimension to be divisible by its compile-time cluster dimension",
}


@pytest.mark.parametrize(
    ("blocks", "grids", "wanted"),
    [
        ({"128": 0, "64": 1, "256": 1}, GOOD_GRIDS, (CONFIRMED, CONFIRMED)),
        ({"128": 0, "64": 0, "256": 1}, {"8": "", "7": ""}, (REFUTED, REFUTED)),
        ({"128": 0, "64": 1}, {"8": "", "7": "illegal address"}, (CONFIRMED, REFUTED)),
        ({"128": 1, "64": 1}, {"8": "no memory", **GOOD_GRIDS}, (INCONCLUSIVE, CONFIRMED)),
        ({"obstacle": "nvcc"}, {"8": "no", "7": GOOD_GRIDS["7"]}, (COULD_NOT_RUN, INCONCLUSIVE)),
    ],
)
def test_block_size_gpu_claims(
    tmp_path: Path,
    handed: Any,
    blocks: dict[str, Any],
    grids: dict[str, str],
    wanted: tuple[VerdictKind, VerdictKind],
) -> None:
    handed({"blocks": blocks, "grids": grids})
    found = block_on_gpu(tmp_path)
    assert (found["wrong_block"], found["grid_divisible"]) == wanted


def test_block_size_without_a_gpu(tmp_path: Path) -> None:
    found = block_on_gpu(tmp_path)
    assert (found["wrong_block"], found["grid_divisible"]) == (COULD_NOT_RUN, COULD_NOT_RUN)


# ── tvm-device-guard ───────────────────────────────────────────────────────────────────────────

GUARD = "tvm-device-guard"
KEPT = "\n".join(f"{name} 1 0 0 1" for name in "abcdefghi") + "\nself_switch 1 1 1 0\n"
MOVED = KEPT.replace("e 1 0 0 1", "e 1 0 0 0")
RELEASED = "tensor 1 1 1\nstream 1 1 1\npooled_ipc 1 1 1\n"
LEFT = "tensor 1 0 1\nstream 1 0 1\npooled_ipc 1 0 1\n"


@pytest.mark.parametrize(
    ("cases", "guarded", "bare", "wanted"),
    [
        (KEPT, RELEASED, LEFT, (CONFIRMED, CONFIRMED)),
        (MOVED, LEFT, LEFT, (REFUTED, REFUTED)),
        (KEPT, RELEASED, RELEASED, (CONFIRMED, INCONCLUSIVE)),
        ({"code": "tool_failed", "tool": "nvcc"}, None, None, (COULD_NOT_RUN, COULD_NOT_RUN)),
    ],
)
def test_guard_gpu_claims(
    tmp_path: Path,
    handed: Any,
    cases: Any,
    guarded: str | None,
    bare: str | None,
    wanted: tuple[VerdictKind, VerdictKind],
) -> None:
    handed({"cases": cases, "releases_guarded": guarded, "releases_bare": bare})
    with modules(GUARD, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(GUARD, folder, tmp_path))
        script.on_gpu(check, None)
        check.finish()
    found = verdicts(GUARD, tmp_path, {"header_present": True, "bare_moved": 8})
    assert (found["gpu_cases"], found["gpu_releases"]) == wanted


def test_guard_control_fails_without_a_guard(tmp_path: Path) -> None:
    """The bare variant by g++ alone: eight of ten cases leave the thread elsewhere."""
    if shutil.which("g++") is None:
        pytest.skip("there is no g++ on this machine")
    with modules(GUARD, tmp_path) as folder:
        script = importlib.import_module("check")
        check = harness.Check(parameters(GUARD, folder, tmp_path))
        compiler = ["g++", "-I", str(folder / "simulated"), "-pthread"]
        rows = script.cases(check, "bare", compiler, None)
    assert rows is not None
    assert [row.name for row in rows if row.kept] == ["same_device", "invalid_index"]
