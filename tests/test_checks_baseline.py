"""machine-baseline: figures of a GPU handed in, and its driver's calls on one that is made up."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reader.checks import races
from reader.model import VerdictKind as V
from tests.test_checks_scripts import handed, modules, parameters, verdicts

__all__ = ["handed"]

NAME = "machine-baseline"
A_GPU = [{"name": "a GPU", "compute_capability": "9.0"}]
GOOD = {"bandwidth": 3900.0, "tflops": 51.0, "launch": 2.1, "doubled": 1.98}


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(races, "of_control", lambda _leg, _threshold: {"doubled_ratio": 2.0})
    with modules(NAME, tmp_path) as folder:
        found: Any = importlib.import_module("check")
        found.folder = folder
        yield found


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ({"figures": GOOD}, V.CONFIRMED),
        ({"figures": GOOD | {"doubled": 1.0}}, V.INCONCLUSIVE),  # the work was never done
        ({"figures": GOOD | {"tflops": 0.0}}, V.INCONCLUSIVE),
        ({"figures": {}}, V.COULD_NOT_RUN),
        ({}, V.COULD_NOT_RUN),
    ],
)
def test_figures_of_a_gpu_are_believed_where_twice_the_work_takes_twice_as_long(
    tmp_path: Path, script: Any, handed: Any, results: dict[str, Any], expected: V
) -> None:
    handed(results)
    check = script.Check(parameters(NAME, script.folder, tmp_path, gpus=A_GPU))
    script.on_gpu(check)
    check.control_done()
    check.finish()
    assert verdicts(NAME, tmp_path, {})["gpu_figures"] is expected


class MadeUp:
    """A driver whose events tell what was asked for between them."""

    def __init__(self) -> None:
        self.spent = 0.0  # milliseconds
        self.marks: list[float] = []

    def __getattr__(self, name: str) -> Any:
        """Return a call that ends well; those that matter are written out below."""
        return lambda *_arguments: 0

    def cuDeviceGetAttribute(self, value: Any, which: int, _device: Any) -> int:  # noqa: N802
        value._obj.value = 132 if which == 16 else 0
        return 0

    def cuEventRecord(self, _event: Any, _stream: Any) -> int:  # noqa: N802
        self.marks.append(self.spent)
        return 0

    def cuEventElapsedTime(self, value: Any, _start: Any, _stop: Any) -> int:  # noqa: N802
        value._obj.value = self.marks[-1] - self.marks[-2]
        return 0

    def cuMemcpyDtoDAsync_v2(self, *_arguments: Any) -> int:  # noqa: N802
        self.spent += 0.25
        return 0

    def cuLaunchKernel(self, _kernel: Any, *arguments: Any) -> int:  # noqa: N802
        self.spent += 0.002
        places = arguments[-2]
        if places is not None:
            self.spent += ctypes.cast(places[1], ctypes.POINTER(ctypes.c_uint32))[0] / 1000
        return 0


def test_the_driver_is_asked_between_events(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = importlib.import_module("gpu")
    real, made_up = gpu.Driver, MadeUp()
    monkeypatch.setattr(gpu, "Driver", lambda: real(made_up))
    found = gpu.measured(SimpleNamespace(state=lambda: {"load": 0.1}))
    assert found["bandwidth"] == pytest.approx(2 * gpu.COPY / 0.25e-3 / 1e9, rel=1e-3)
    assert found["launch"] == pytest.approx(2.0, rel=1e-3)
    assert found["doubled"] == pytest.approx(2.0, rel=1e-2)
    done = 2 * gpu.PER_ROUND * gpu.STEPS * 132 * gpu.PER_PROCESSOR * gpu.THREADS
    assert found["tflops"] == pytest.approx(done / (gpu.STEPS * 1e-6) / 1e12, rel=1e-2)


def test_a_driver_that_refuses_is_said(script: Any) -> None:
    gpu = importlib.import_module("gpu")
    refusing = SimpleNamespace(cuInit=lambda _flags: 100)
    with pytest.raises(gpu.DriverError, match="cuInit: 100"):
        gpu.Driver(refusing)
    text = gpu.ptx()
    assert text.count("fma.rn.f32") == gpu.PER_ROUND
    assert text.count("{") == text.count("}") == 2
