"""A tensor to a Trainium and back, in a process of its own; prints one JSON document."""

from __future__ import annotations

import json
from typing import Any


def main() -> dict[str, Any]:
    """Import TorchNeuron, make the round trip, and say what came back."""
    import torch
    import torch_neuronx  # noqa: F401 — it registers the device

    a = torch.arange(64, dtype=torch.float32).reshape(8, 8)
    x = a.to("neuron")
    returned = (x + x).cpu()
    return {"device": x.device.type, "returned": bool(torch.equal(returned, a + a))}


if __name__ == "__main__":
    print(json.dumps(main()))
