"""Whether Helion's code carries a control file to ptxas, on no GPU; prints one JSON document."""

from __future__ import annotations

import json
from typing import Any

import helion
import torch
from kernels.adding import added

ACF = "/nowhere/readproof.acf"
CARRIED = f"ptx_options='--apply-controls {ACF}'"


def main() -> dict[str, Any]:
    """Generate Triton code on CPU and meta tensors, with a control file and without."""
    found: dict[str, Any] = {"cases": 0, "carried": 0, "plain_carried": 0, "code": ""}
    for device in ("cpu", "meta"):
        bound = added.bind((torch.empty(256, device=device), torch.empty(256, device=device)))
        code = bound.to_triton_code(helion.Config(block_sizes=[64], advanced_controls_file=ACF))
        plain = bound.to_triton_code(helion.Config(block_sizes=[64]))
        found["cases"] += 1
        found["carried"] += CARRIED in code
        found["plain_carried"] += "apply-controls" in plain
        found["code"] = code
    settings = helion.Settings()
    return found | {"files": list(settings.autotune_search_acf)}


if __name__ == "__main__":
    print(json.dumps(main()))
