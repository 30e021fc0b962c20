"""Try what TorchNeuron stands on: PrivateUse1, torch.accelerator, Dynamo and AOTAutograd."""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from readproof_harness import Check

CLAIMS = ("round_trip", "accelerator", "rename_once", "graphs")
PACKAGE, LEAST = "torch-neuronx", (2, 14)


def main() -> None:
    """Measure in processes of their own, and look for a Trainium."""
    with Check() as check:
        trainium(check, Path(check.chosen.get("root", "/")).expanduser())
        said = check.run([sys.executable, "-c", "import torch; print(torch.__version__)"], 120)
        if said.returncode:
            for claim in CLAIMS:
                check.obstacle(claim, "import_failed", package="torch", said=said.stderr[-300:])
            return
        version = said.stdout.strip()
        check.package("torch", version)
        check.measure("torch_version", version)
        check.step("control", 0, 2)
        planted = process(check, "backend.py", "fault")
        if isinstance(planted, str):
            fail(check, CLAIMS[:3], planted)
        else:
            own_process(check, planted)
        graphs(check)


def process(check: Check, script: str, *words: str) -> dict[str, Any] | str:
    """Run a script of ours in this Python: its document, or what it said instead."""
    words = ("-W", "ignore", str(check.folder / script), *words)
    ended = check.run([sys.executable, *words], seconds=180)
    try:
        found = json.loads(ended.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        return (ended.stderr.strip() or f"exit {ended.returncode}")[-300:]
    return found if isinstance(found, dict) and not ended.returncode else ended.stderr[-300:]


def fail(check: Check, claims: tuple[str, ...], said: str) -> None:
    """Say that a process ended without a document."""
    for claim in claims:
        if "_setup_privateuseone_for_python_backend" in said or "'_acc'" in said:
            check.obstacle(claim, "option_absent", tool="torch", option="PrivateUse1 in Python")
        else:
            check.obstacle(claim, "tool_failed", tool="torch", said=said)


def own_process(check: Check, planted: dict[str, Any]) -> None:
    """Report the back end with a fault, which is the control, then the one without."""
    found = process(check, "backend.py")
    if isinstance(found, str):
        fail(check, CLAIMS[:3], found)
        return
    report(check, planted, found)


def report(check: Check, planted: dict[str, Any], found: dict[str, Any]) -> None:
    """Turn what the two processes found into measurements."""
    check.measure("unknown_refused", bool(planted["before"]))
    check.measure("missing_refused", bool(planted.get("missing")))
    check.measure("faulty_returned", planted.get("returned", -1))
    check.control_done()
    check.step("measure", 1, 2, "round_trip")
    check.measure("registered", found["registered"])
    check.measure("register_ms", 1000 * found.get("seconds", 0.0))
    check.measure("returned", found.get("returned", 0))
    calls = found.get("calls", {})
    check.measure("operations", sum(name in calls for name in ("add.Tensor", "mul.Tensor", "mm")))
    check.measure("accelerator_name", found.get("accelerator") or "–")
    check.measure("accelerator_seen", found.get("accelerator") == "readproof")
    check.measure("second_rename_refused", bool(found.get("again")))
    for name, count in sorted(calls.items()):
        check.case("round_trip", name, calls=count)
    if found.get("said"):
        check.log(found["said"])


def graphs(check: Check) -> None:
    """Report the graphs that a back end of torch.compile is handed."""
    check.step("measure", 2, 2, "graphs")
    found = process(check, "graphs.py")
    if isinstance(found, str):
        check.obstacle("graphs", "tool_failed", tool="torch.compile", said=found)
        return
    check.measure("forward_operations", found["forward"])
    check.measure("backward_operations", found["backward"])
    check.measure("gradients", found["gradients"])
    check.measure("gradients_right", found["gradients_right"])
    for target in found["targets"]:
        check.case("graphs", target)


def release(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version."""
    numbers = []
    for part in version.split("+")[0].split(".")[:2]:
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def importing(check: Check) -> str:
    """Return what importing the package says, empty where it imports."""
    ended = check.run([sys.executable, "-W", "ignore", "-c", "import torch_neuronx"], seconds=120)
    return (ended.stderr.strip().splitlines() or ["–"])[-1][-200:] if ended.returncode else ""


def handed(check: Check) -> Any:
    """Return what a test hands in for a Trainium."""
    return check.device.run("neuron", lambda: None)


def trainium(check: Check, root: Path) -> None:
    """Look for devices and for the real package; only then is there anything to try."""
    devices = sorted(root.glob("dev/neuron[0-9]*"))
    try:
        version = metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        version = ""
    genuine = release(version) >= LEAST
    said = importing(check) if version else ""
    check.measure("neuron_devices", len(devices))
    check.measure("neuron_installed", bool(version))
    check.measure("neuron_version", version or "–")
    check.measure("neuron_genuine", genuine)
    check.measure("neuron_said", said or "–")
    check.measure("neuron_ready", bool(devices) and genuine)
    if not devices or not genuine:
        return
    found: Any = process(check, "neuron.py") if not check.device.simulated else handed(check)
    if not isinstance(found, dict):
        check.obstacle("trainium", "device_failed", said=found or "no result")
        return
    check.package(PACKAGE, version)
    check.measure("neuron_device", str(found["device"]))
    check.measure("neuron_returned", found["device"] == "neuron" and found["returned"])


if __name__ == "__main__":
    main()
