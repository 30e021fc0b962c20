"""cuTile's compiler without a GPU: kernels, their signatures, cubins."""

from __future__ import annotations

import io
from typing import Any

SIZES = {"matmul_64": (64, 64, 64), "matmul_128": (128, 128, 64), "chunk_state": (64, 64, 64)}


class Compiler:
    """The installed cuda-tile; raises what its import raises."""

    def __init__(self) -> None:
        import cuda.tile as ct
        from cuda.tile import compilation
        from kernels import tiles

        self._ct, self._compilation, self._tiles = ct, compilation, tiles

    def _array(self, dtype: Any) -> Any:
        """Return what is known of an array: rows one behind the other, all in steps of 16."""
        return self._compilation.ArrayConstraint(
            dtype,
            2,
            index_dtype=self._ct.int32,
            stride_lower_bound_incl=0,
            alias_groups=(),
            may_alias_internally=False,
            stride_constant=(None, 1),
            stride_divisible_by=(16, 1),
            shape_divisible_by=(16, 16),
            base_addr_divisible_by=16,
        )

    def cubin(self, name: str, arch: str) -> bytes:
        """Compile one case for a target."""
        half, single = self._ct.float16, self._ct.float32
        kernel = getattr(self._tiles, name.partition("_")[0] if "matmul" in name else name)
        kinds = [half, half, single, single] if name == "chunk_state" else [half] * 3
        sizes = SIZES.get(name, (64, 64, 64))
        signature = self._compilation.KernelSignature(
            [*(self._array(kind) for kind in kinds), *sizes],
            self._compilation.CallingConvention.cutile_python_v1(),
        )
        out = io.BytesIO()
        self._compilation.export_kernel(
            kernel, [signature], out, gpu_code=arch, output_format="cubin"
        )
        return out.getvalue()
