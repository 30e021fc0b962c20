"""Toolkits of every layout, by fake ones that are real programs; a broken one is said, not used."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import pynvml
import pytest

from reader.checks import machine, toolkit
from reader.errors import ToolkitError
from tests.checks_here import small

NVCC = """#!/bin/sh
echo 'nvcc: NVIDIA (R) Cuda compiler driver'
echo 'Cuda compilation tools, release {release}, V{build}'
"""


def a_toolkit(
    root: Path, build: str = "13.0.88", tools: tuple[str, ...] = ("nvcc", "ptxas")
) -> Path:
    (root / "bin").mkdir(parents=True)
    for tool in tools:
        program(root / "bin" / tool, NVCC.format(release=build.rsplit(".", 1)[0], build=build))
    return root


def program(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)
    return file


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No toolkit of the machine's is seen."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(toolkit, "_system", list)


def test_path_environment_and_extra_each_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = a_toolkit(tmp_path / "cuda-13.0"), a_toolkit(tmp_path / "cuda-13.5", "13.5.37")
    (tmp_path / "cuda").symlink_to(one)
    monkeypatch.setenv("PATH", f"{tmp_path / 'cuda' / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("CUDA_HOME", str(one))
    monkeypatch.setenv("CUDA_PATH", str(two))
    found = toolkit.find([one])
    assert sorted((each.version, each.release) for each in found) == [
        ("13.0", "13.0.88"),
        ("13.5", "13.5.37"),
    ]


def test_a_wrapper_leads_to_the_real_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = a_toolkit(tmp_path / "cuda-13.0")
    wrapper = program(tmp_path / "usr" / "bin" / "nvcc", f'#!/bin/sh\nexec {real}/bin/nvcc "$@"\n')
    monkeypatch.setenv("PATH", f"{wrapper.parent}:/usr/bin:/bin")
    (found,) = toolkit.find()
    assert found.root.resolve() == real.resolve()
    assert dict(found.tools)["ptxas"] == str(real / "bin" / "ptxas")


def test_ptxas_alone_is_a_toolkit_too(tmp_path: Path) -> None:
    assert toolkit.at(a_toolkit(tmp_path / "c", tools=("ptxas",))).version == "13.0"


@pytest.mark.parametrize("inside", ["", "bin", "bin/nvcc"])
def test_a_person_names_any_part_of_it(tmp_path: Path, inside: str) -> None:
    root = a_toolkit(tmp_path / "cuda")
    assert toolkit.at(root / inside).root.resolve() == root.resolve()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#!/bin/sh\necho out of order >&2\nexit 1\n", "status 1"),
        ("#!/bin/sh\necho hello\n", "version"),
        ("#!/nowhere/sh\n", "started"),
    ],
)
def test_a_broken_one_is_said(tmp_path: Path, text: str, said: str) -> None:
    root = tmp_path / "cuda"
    program(root / "bin" / "nvcc", text)
    with pytest.raises(ToolkitError, match=said):
        toolkit.at(root)
    usable, broken = toolkit.survey([root])
    assert not usable
    assert said in broken[0].why


def test_one_that_hangs_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolkit, "SECONDS", 0.3, raising=False)
    monkeypatch.setattr(toolkit, "ASK_SECONDS", 0.3, raising=False)
    program(tmp_path / "cuda" / "bin" / "nvcc", "#!/bin/sh\nsleep 60\n")
    with pytest.raises(ToolkitError, match="no answer"):
        toolkit.at(tmp_path / "cuda")


def test_nothing_there_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(ToolkitError, match="bin/nvcc"):
        toolkit.at(tmp_path / "none")
    with pytest.raises(ToolkitError, match="no nvcc"):
        toolkit.at(tmp_path)


def test_the_one_that_meets_most_is_chosen(tmp_path: Path) -> None:
    small_one = toolkit.at(a_toolkit(tmp_path / "a", tools=("ptxas",)))
    whole = toolkit.at(a_toolkit(tmp_path / "b"))
    assert toolkit.choose([], small("confirms")) is None
    assert toolkit.choose([small_one, whole], small("confirms")) is small_one
    from reader.checks import manifest

    (guard,) = [c for c in manifest.load_all()[0] if c.name == "tvm-required-block-size"]
    assert toolkit.choose([small_one, whole], guard) is whole


def refuse(code: int) -> Any:
    def call(*_given: object) -> None:
        raise pynvml.NVMLError(code)

    return call


def test_no_driver_is_a_normal_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pynvml, "nvmlInit", refuse(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND))
    here = machine.describe()
    assert here.gpus == ()
    assert here.driver is None
    assert here.no_gpu_reason
    assert here.cores >= 1


def test_gpus_are_described_and_their_uuid_is_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One GPU of a simulated driver that knows no MIG and no clocks."""
    answers: dict[str, Any] = {
        "nvmlInit": lambda: None,
        "nvmlShutdown": lambda: None,
        "nvmlSystemGetDriverVersion": lambda: "600.1",
        "nvmlDeviceGetCount": lambda: 1,
        "nvmlDeviceGetHandleByIndex": lambda index: f"handle {index}",
        "nvmlDeviceGetUUID": lambda _handle: "GPU-secret-0001",
        "nvmlDeviceGetName": lambda _handle: "H100 PCIe",
        "nvmlDeviceGetCudaComputeCapability": lambda _handle: (9, 0),
        "nvmlDeviceGetMemoryInfo": lambda _handle: types.SimpleNamespace(total=80 << 30),
        "nvmlDeviceGetPowerManagementLimit": lambda _handle: 350_000,
        "nvmlDeviceGetClockInfo": refuse(pynvml.NVML_ERROR_NOT_SUPPORTED),
        "nvmlDeviceGetCurrentClocksEventReasons": lambda _handle: 0,
        "nvmlDeviceGetTemperature": lambda _handle, _sensor: 41,
        "nvmlDeviceGetEccMode": lambda _handle: [1, 1],
        "nvmlDeviceGetMigMode": refuse(pynvml.NVML_ERROR_NOT_SUPPORTED),
    }
    for name, answer in answers.items():
        monkeypatch.setattr(pynvml, name, answer)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    here = machine.describe()
    (gpu,) = here.gpus
    assert (gpu.name, gpu.compute_capability, gpu.memory_mb) == ("H100 PCIe", "9.0", 81920)
    details = dict(gpu.details)
    assert details["power_limit_w"] == 350
    assert details["ecc"] is True
    assert "secret" not in str(machine.as_record(here))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert machine.describe().gpus == ()
