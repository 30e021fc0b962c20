"""Launches on a GPU: a block of the wrong size, and a grid that clusters do not divide."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codegen import Tvm
    from readproof_harness import Check

DIVISIBLE = "divisible by its compile-time cluster dimension"


def on_gpu(check: Check, tvm: Tvm, sources: dict[str, str], compilers: list[Any]) -> None:
    """Report how right and wrong launches end."""
    usable = [nvcc for nvcc in compilers if not nvcc.broken]
    if not check.device.available or not usable:
        for claim in ("wrong_block", "grid_divisible"):
            check.obstacle(claim, "gpu_missing", needed=1, found=len(check.device.gpus))
        return
    check.step("gpu")
    found = check.device.gpus[0]["compute_capability"] if check.device.gpus else "9.0"
    arch = "sm_" + found.replace(".", "")
    nvcc = usable[0].path
    try:
        ended = check.device.run("blocks", launch_blocks, check, nvcc, arch, sources["block"])
    except Exception as error:
        ended = {"obstacle": str(error)[-300:]}
    if ended and "obstacle" not in ended:
        check.measure("right_block_status", ended["128"])
        check.measure("wrong_blocks", len(ended) - 1)
        accepted = sum(status == 0 for threads, status in ended.items() if threads != "128")
        check.measure("wrong_blocks_accepted", accepted)
        for threads, status in ended.items():
            check.case("wrong_block", f"{threads} threads", status=status)
    else:
        said = (ended or {}).get("obstacle", "no result")
        check.obstacle("wrong_block", "device_failed", said=said)
    try:
        grids = check.device.run("grids", launch_grids, tvm, nvcc, arch)
    except Exception as error:
        check.obstacle("grid_divisible", "device_failed", said=str(error)[-300:])
        return
    if grids is None:
        check.obstacle("grid_divisible", "device_failed", said="no result")
        return
    check.measure("even_grid_ran", grids["8"] == "")
    check.measure("odd_grid_refused", grids["7"] != "")
    check.measure("odd_grid_explained", DIVISIBLE in grids["7"])
    for grid, said in grids.items():
        check.case("grid_divisible", f"{grid} blocks", said=said[-300:])


def launch_blocks(check: Check, nvcc: str, arch: str, source: str) -> dict[str, Any]:
    """Launch with 128 threads and with other numbers; return the driver's status of each."""
    file, cubin = check.scratch / "gpu.cu", check.scratch / "gpu.cubin"
    file.write_text(source, encoding="utf-8")
    words = [nvcc, "-std=c++17", "-w", f"-arch={arch}", "-cubin", str(file), "-o", str(cubin)]
    built = check.run(words, seconds=120)
    if built.returncode:
        return {"obstacle": built.stderr[-300:]}
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name: str, *args: Any) -> None:
        status = getattr(cuda, name)(*args)
        if status:
            raise OSError(f"{name}: {status}")

    device, context = ctypes.c_int(), ctypes.c_void_p()
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), Path(cubin).read_bytes())
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"main_kernel")
    buffers = [ctypes.c_uint64(), ctypes.c_uint64()]
    for buffer in buffers:
        call("cuMemAlloc_v2", ctypes.byref(buffer), ctypes.c_size_t(4096))
    pointers = (ctypes.c_void_p * 2)(
        *(ctypes.cast(ctypes.byref(each), ctypes.c_void_p) for each in buffers)
    )
    ended = {}
    for threads in (128, 64, 127, 256):
        shape = (1, 1, 1, threads, 1, 1)
        status = cuda.cuLaunchKernel(kernel, *shape, 0, None, pointers, None)
        ended[str(threads)] = status or cuda.cuCtxSynchronize()
    return ended


def launch_grids(tvm: Tvm, nvcc: str, arch: str) -> dict[str, str]:
    """Run the clustered kernel over 8 and 7 blocks through TVM; return what TVM said."""
    os.environ["TVM_CUDA_COMPILE_MODE"] = "nvcc"
    os.environ["CUDA_PATH"] = str(Path(nvcc).parents[1])
    os.environ["PATH"] = f"{Path(nvcc).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    said = {}
    for grid in (8, 7):
        module = tvm.runnable("cluster", grid, arch)
        try:
            module["main"](*tvm.arrays())
            said[str(grid)] = ""
        except Exception as error:
            said[str(grid)] = str(error) or type(error).__name__
    return said
