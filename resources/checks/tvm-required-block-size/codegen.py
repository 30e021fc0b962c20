"""TVM's code generation as this check uses it: CUDA source, launch metadata, refusals."""

from __future__ import annotations

import re
from typing import Any

REQUIRED = {"tirx.required_block_size": 1}
FLAG = "tirx.use_required_block_dimension"
# what the source says cannot stand beside it
RIVALS = {
    "max_registers": {"tirx.max_registers": 64},
    "min_blocks_per_sm": {"tirx.launch_bounds_min_blocks_per_sm": 2},
    "max_blocks_per_cluster": {
        "tirx.launch_bounds_min_blocks_per_sm": 2,
        "tirx.launch_bounds_max_blocks_per_cluster": 2,
    },
}


class Tvm:
    """The installed tvm; the host side is C, so that no LLVM and no driver is needed."""

    def __init__(self) -> None:
        import kernels.scaled
        import tvm
        import tvm.tirx
        import tvm_ffi

        self._tvm = tvm
        self._scaled: Any = kernels.scaled
        self._captured: list[str] = []
        self.version = str(tvm.__version__)
        self.ffi_version = str(tvm_ffi.__version__)

        # Where a driver is, TVM compiles at once: the source is what is wanted here.
        def keep_source(code: str) -> bytes:
            self._captured.append(str(code))
            return b"// not compiled"

        self._keep_source = keep_source
        self._compiler = tvm.get_global_func("tvm_callback_cuda_compile", allow_missing=True)

    def target(self, arch: str) -> Any:
        """Return the CUDA target with a C host."""
        return self._tvm.target.Target({"kind": "cuda", "arch": arch, "host": {"kind": "c"}})

    def source(self, shape: str, attributes: dict[str, int]) -> str:
        """Return the generated CUDA source; raises what TVM raises."""
        import tvm_ffi

        self._captured.clear()
        tvm_ffi.register_global_func("tvm_callback_cuda_compile", self._keep_source, override=True)
        module = self._scaled.module(shape, attributes)
        try:
            built = self._tvm.tirx.build(module, target=self.target("sm_90"))
        except Exception:
            if not self._captured:
                raise
        if self._captured:
            return self._captured[-1]
        return str(built.imports[0].inspect_source("cuda"))

    def launch(self, shape: str, attributes: dict[str, int]) -> tuple[list[str], int]:
        """Return the kernel's launch parameters and how many values the host passes for them."""
        from tvm.tirx.build import split_host_device_mods

        target = self.target("sm_90")
        module = self._tvm.tirx.transform.BindTarget(target)(self._scaled.module(shape, attributes))
        pipeline, _host, _device = self._tvm.tirx.get_default_tir_pipeline(target)
        host, devices = split_host_device_mods(pipeline(module))
        (device,) = devices.values()
        (kernel,) = device.functions.values()
        named = [str(each) for each in kernel.attrs["tirx.kernel_launch_params"]]
        call = re.search(r'"main_kernel", (.*?), launch_params=', host.script())
        if call is None:
            raise ValueError("the host does not call main_kernel")
        return named, len(call.group(1).split(", ")) - 2  # two buffers come first

    def runnable(self, shape: str, grid: int, arch: str) -> Any:
        """Build for the GPU that is here with TVM's own compiler call-back."""
        import tvm_ffi

        tvm_ffi.register_global_func("tvm_callback_cuda_compile", self._compiler, override=True)
        module = self._scaled.module(shape, REQUIRED, grid)
        return self._tvm.compile(module, target=self.target(arch))

    def arrays(self) -> tuple[Any, Any]:
        """Return an input of ones and an output on GPU 0."""
        import numpy

        device = self._tvm.cuda(0)
        ones = numpy.ones(1024, dtype="float32")
        return self._tvm.runtime.tensor(ones, device), self._tvm.runtime.tensor(ones * 0, device)
