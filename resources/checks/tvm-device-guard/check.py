"""Run TVM's CUDADeviceGuard through ten scopes and report where the thread stands after each."""

from __future__ import annotations

import importlib
from pathlib import Path

from readproof_harness import Check

GROUPS = {
    "restores": ("switch", "same_device", "sequence", "body_switches"),
    "exceptions": ("exception", "invalid_index"),
    "nested_threads": ("nested", "nested_same", "threads"),
    "self_switch": ("self_switch",),
}
ON_GPU = ("gpu_cases", "gpu_releases")
HEADER = Path("tvm", "ffi", "extra", "cuda", "device_guard.h")


class Package:
    """The installed tvm_ffi: where its headers and its library lie."""

    def __init__(self) -> None:
        ffi = importlib.import_module("tvm_ffi")
        libinfo = importlib.import_module("tvm_ffi.libinfo")
        self.version = str(ffi.__version__)
        self.include = Path(libinfo.find_include_path())
        self.library = Path(libinfo.find_libtvm_ffi())
        self.dlpack = Path(libinfo.find_dlpack_include_path())


class Row:
    """One case as the program printed it."""

    def __init__(self, line: str) -> None:
        self.name, *numbers = line.split()
        self.before, self.wanted, self.inside, self.after = (int(each) for each in numbers)

    @property
    def kept(self) -> bool:
        """Whether the scope saw the right device and left the thread where it was."""
        return self.inside == self.wanted and self.after == self.before


def main() -> None:
    """Measure what this machine can, and say what kept it from the rest."""
    with Check() as check:
        try:
            package = Package()
        except Exception as error:
            for claim in (*GROUPS, *ON_GPU):
                check.obstacle(claim, "import_failed", package="tvm_ffi", said=str(error)[:300])
            return
        check.package("apache-tvm-ffi", package.version)
        present = (package.include / HEADER).is_file()
        check.measure("header_present", present)
        if present:
            check.artefact("device_guard.h", (package.include / HEADER).read_bytes())
            simulated(check, package)
            on_gpu(check, package)


def simulated(check: Check, package: Package) -> None:
    """Run both variants against the simulated runtime: the bare one is the control."""
    for name in ("cases.cc", "guards.h"):
        check.artefact(name, (check.folder / name).read_bytes())
    host = ["g++", "-I", str(check.folder / "simulated"), "-pthread"]
    check.step("control", 0, 2)
    bare = cases(check, "bare", host, None)
    if bare is None:
        return
    check.step("measure", 1, 2)
    guarded = cases(check, "guard", host, package)
    if guarded is None:
        return
    check.measure("bare_moved", sum(not row.kept for row in bare))
    check.control_done()
    for claim, names in GROUPS.items():
        rows = [row for row in guarded if row.name in names]
        check.measure(f"{claim}_cases", len(rows))
        check.measure(f"{claim}_kept", sum(row.kept for row in rows))
        record(check, claim, rows)
        if claim == "self_switch" and rows:
            check.measure("self_switch_before", rows[0].before)
            check.measure("self_switch_after", rows[0].after)
    version = check.run(["g++", "-dumpfullversion"], seconds=20)
    check.tool("g++", "g++", version.stdout.strip())
    check.step("measure", 2, 2)


def record(check: Check, claim: str, rows: list[Row]) -> None:
    """Keep the rows behind a claim."""
    for row in rows:
        check.case(
            claim,
            row.name,
            before=row.before,
            inside_wanted=row.wanted,
            inside=row.inside,
            after=row.after,
        )


def cases(
    check: Check, variant: str, compiler: list[str], package: Package | None
) -> list[Row] | None:
    """Return the ten rows of a variant, or None when it could not be built or run."""
    said = output(check, f"cases_{variant}", compiler, "cases.cc", package)
    if isinstance(said, str):
        check.artefact(f"cases.{variant}.txt", said)
        return [Row(line) for line in said.splitlines()]
    for claim in GROUPS:
        check.obstacle(claim, **said)
    return None


def output(
    check: Check, name: str, compiler: list[str], source: str, package: Package | None
) -> str | dict[str, str]:
    """Build and run a program: what it printed, or the obstacle."""
    program = check.scratch / name
    words = [*compiler, "-std=c++17", str(check.folder / source), "-o", str(program)]
    if package is not None:
        words += ["-DREADPROOF_GUARD_HEADER", "-I", str(package.include)]
        words += ["-I", str(package.dlpack), str(package.library)]
        words += ["-Xlinker", "-rpath", "-Xlinker", str(package.library.parent)]
    built = check.run(words, seconds=60)
    if built.returncode == 127:
        return {"code": "tool_missing", "tool": compiler[0]}
    if built.returncode:
        return {
            "code": "tool_failed",
            "tool": compiler[0],
            "said": first_error(built.stderr) or f"exit {built.returncode}",
        }
    ran = check.run([program], seconds=60)
    if ran.returncode:
        return {
            "code": "tool_failed",
            "tool": name,
            "said": f"{ran.returncode} {ran.stderr[-300:]}",
        }
    return str(ran.stdout)


def first_error(said: str) -> str:
    """Return what a compiler said from its first error on, else its last words."""
    at = said.find("error")
    return said[max(0, at - 80) :][:300].strip() if at >= 0 else said.strip()[-300:]


def on_gpu(check: Check, package: Package) -> None:
    """The same ten cases, and three releases, against the real runtime on two GPUs."""
    if not check.device.available or not check.toolkit:
        for claim in ON_GPU:
            check.obstacle(claim, "gpu_missing", needed=2, found=len(check.device.gpus))
        return
    check.step("gpu")
    nvcc = [check.toolkit.get("nvcc", "nvcc")]
    check.tool("nvcc", nvcc[0], check.toolkit.get("release", ""))
    text = check.device.run("cases", output, check, "gpu_cases", nvcc, "cases.cc", package)
    if isinstance(text, str):
        rows = [Row(line) for line in text.splitlines()]
        tried = [row for row in rows if row.name != "self_switch"]
        check.measure("gpu_cases_run", len(tried))
        check.measure("gpu_cases_kept", sum(row.kept for row in tried))
        record(check, "gpu_cases", rows)
    else:
        check.obstacle("gpu_cases", **(text or {"code": "device_failed"}))
    releases(check, nvcc, package)


def releases(check: Check, nvcc: list[str], package: Package) -> None:
    """Count the releases that leave the thread on cuda:1, guarded and bare."""
    for variant, used in (("guarded", package), ("bare", None)):
        key = f"releases_{variant}"
        text = check.device.run(key, output, check, key, nvcc, "release.cc", used)
        if not isinstance(text, str):
            check.obstacle("gpu_releases", **(text or {"code": "device_failed"}))
            return
        rows = [line.split() for line in text.splitlines()]
        kept = sum(before == after and accepted == "1" for _, before, after, accepted in rows)
        check.measure(f"gpu_{key}", len(rows))
        check.measure(f"gpu_{key}_kept", kept)
        for name, before, after, accepted in rows:
            values = {"before": int(before), "after": int(after), "accepted": accepted == "1"}
            check.case("gpu_releases", f"{variant} {name}", **values)


if __name__ == "__main__":
    main()
