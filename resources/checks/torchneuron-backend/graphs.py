"""What TorchDynamo and AOTAutograd hand to a back end: graphs forward and backward, on the CPU."""

from __future__ import annotations

import json
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd


def main() -> dict[str, Any]:
    """Compile a small model for a back end that only records, and compare its numbers."""
    seen: dict[str, list[str]] = {"forward": [], "backward": []}

    def record(side: str) -> Any:
        def compiler(graph: Any, _example: Any) -> Any:
            seen[side] += [str(node.target) for node in graph.graph.nodes if node.op != "output"]
            return graph.forward

        return compiler

    backend = aot_autograd(fw_compiler=record("forward"), bw_compiler=record("backward"))
    torch.manual_seed(7)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
    x = torch.randn(3, 8)
    model(x).sum().backward()
    wanted = [each.grad.clone() for each in model.parameters() if each.grad is not None]
    model.zero_grad()
    out = torch.compile(model, backend=backend, fullgraph=True)(x)
    out.sum().backward()
    found = [each.grad for each in model.parameters()]
    pairs = list(zip(found, wanted))  # noqa: B905 — Python 3.9
    return {
        "forward": sum("aten" in each for each in seen["forward"]),
        "backward": sum("aten" in each for each in seen["backward"]),
        "gradients": len(wanted),
        "gradients_right": sum(
            a is not None and bool(torch.allclose(a, b, rtol=1e-5, atol=1e-6)) for a, b in pairs
        ),
        "targets": sorted({each for each in seen["forward"] if "aten" in each}),
    }


if __name__ == "__main__":
    print(json.dumps(main()))
