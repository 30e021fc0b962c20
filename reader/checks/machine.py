"""This computer at one moment: CPU, memory, load, GPUs as the driver tells, what overrides it."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil

from reader.checks.process import overrides
from reader.model import Gpu, Machine

# Why no GPU can be used; msgids, shown through language at the time.
NO_DRIVER = "no NVIDIA driver is installed"
NO_DEVICE = "the driver sees no GPU"
HIDDEN = "CUDA_VISIBLE_DEVICES hides every GPU"


def describe() -> Machine:
    """Return the machine as it is now; no GPU is a normal state with its reason."""
    gpus, driver, why = _gpus()
    return Machine(
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        cpu=_cpu(),
        cores=psutil.cpu_count() or 1,
        memory_mb=psutil.virtual_memory().total // 1024 // 1024,
        load=round(psutil.getloadavg()[0], 2),
        gpus=gpus,
        driver=driver,
        no_gpu_reason=why,
        overrides=tuple(overrides(os.environ).items()),
    )


def as_record(machine: Machine) -> dict[str, Any]:
    """Return the machine as plain JSON, for a run to keep."""
    record = asdict(machine)
    record["overrides"] = dict(machine.overrides)
    for gpu, kept in zip(machine.gpus, record["gpus"], strict=True):
        kept["details"] = dict(gpu.details)
    return record


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n"):
            if line.lower().startswith(("model name", "hardware")):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _gpus() -> tuple[tuple[Gpu, ...], str | None, str | None]:
    """Return the visible GPUs, the driver's version, and why there is no GPU."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        known = (pynvml.NVMLError_LibraryNotFound, pynvml.NVMLError_DriverNotLoaded)
        return (), None, NO_DRIVER if isinstance(error, known) else str(error)
    try:
        driver = str(pynvml.nvmlSystemGetDriverVersion())
        count = pynvml.nvmlDeviceGetCount()
        gpus = [
            (uuid, _gpu(pynvml, handle, uuid))
            for handle in map(pynvml.nvmlDeviceGetHandleByIndex, range(count))
            for uuid in [str(pynvml.nvmlDeviceGetUUID(handle))]
        ]
        if not gpus:
            return (), driver, NO_DEVICE
        seen = visible(gpus, os.environ)
        return seen, driver, None if seen else HIDDEN
    except pynvml.NVMLError as error:
        return (), None, str(error)
    finally:
        pynvml.nvmlShutdown()


def visible(gpus: list[tuple[str, Gpu]], environment: Mapping[str, str]) -> tuple[Gpu, ...]:
    """Return what CUDA_VISIBLE_DEVICES leaves of (uuid, GPU), in its order."""
    wanted = environment.get("CUDA_VISIBLE_DEVICES")
    if wanted is None:
        return tuple(gpu for _uuid, gpu in gpus)
    seen = []
    for word in wanted.split(","):
        name = word.strip()
        if name.isdigit() and int(name) < len(gpus):
            seen.append(gpus[int(name)][1])
        elif name.startswith(("GPU-", "MIG-")):
            seen.extend(gpu for uuid, gpu in gpus if uuid.startswith(name))
        else:
            break  # CUDA itself stops at the first it does not know
    return tuple(seen)


def _gpu(nvml: Any, handle: Any, uuid: str) -> Gpu:
    major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
    return Gpu(
        name=str(nvml.nvmlDeviceGetName(handle)),
        compute_capability=f"{major}.{minor}",
        memory_mb=int(nvml.nvmlDeviceGetMemoryInfo(handle).total) // 1024 // 1024,
        uuid_hash=hashlib.sha256(uuid.encode()).hexdigest()[:16],
        details=_details(nvml, handle),
    )


def _details(nvml: Any, handle: Any) -> tuple[tuple[str, Any], ...]:
    """Return what this GPU tells of itself; what it does not support is left out."""
    questions: dict[str, Callable[[], Any]] = {
        "power_limit_w": lambda: nvml.nvmlDeviceGetPowerManagementLimit(handle) / 1000,
        "clock_sm_mhz": lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM),
        "clock_memory_mhz": lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM),
        "throttle_reasons": lambda: nvml.nvmlDeviceGetCurrentClocksEventReasons(handle),
        "temperature_c": lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
        "ecc": lambda: bool(nvml.nvmlDeviceGetEccMode(handle)[0]),
        "mig": lambda: bool(nvml.nvmlDeviceGetMigMode(handle)[0]),
    }
    answers = []
    for name, ask in questions.items():
        try:
            answers.append((name, ask()))
        except (nvml.NVMLError, AttributeError):
            continue
    return tuple(answers)
