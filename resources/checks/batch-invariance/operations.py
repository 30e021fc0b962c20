"""Operations whose rows should not know of each other, and whether they do: bit for bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F  # noqa: N812 — its name everywhere

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FULL = 64
TRIES = 4  # a difference that is the batch's is there each time
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63)
DTYPES = ("float32", "float16", "bfloat16")
WIDE, HEADS, HEAD, PAST = 512, 4, 64, 128
MATMULS = ("mm", "linear", "addmm", "bmm")
ATTENTION = ("attention_decode", "attention_prefill")
REDUCTIONS = (
    "softmax", "log_softmax", "logsumexp", "layer_norm", "rms_norm", "group_norm", "sum", "mean",
)  # fmt: skip
OPERATIONS = (*MATMULS, *ATTENTION, *REDUCTIONS)

Case = "tuple[Callable[..., Any], list[Any]]"


def case(name: str, dtype: str, device: str = "cpu", seed: int = 0) -> Any:
    """Return the operation and its batched inputs; weights are bound, their rows are no batch."""
    dice = torch.Generator(device="cpu").manual_seed(seed)

    def random(*shape: int) -> Any:
        made = torch.randn(*shape, generator=dice, dtype=torch.float32)
        return made.to(device=device, dtype=getattr(torch, dtype))

    if name in MATMULS:
        return _matmul(name, random)
    if name in ATTENTION:
        tokens = 1 if name == "attention_decode" else 16
        q = random(FULL, HEADS, tokens, HEAD)
        k, v = random(FULL, HEADS, PAST, HEAD), random(FULL, HEADS, PAST, HEAD)
        return F.scaled_dot_product_attention, [q, k, v]
    return _reduction(name, random), [random(FULL, WIDE)]


def _matmul(name: str, random: Callable[..., Any]) -> Any:
    if name == "bmm":
        weight = random(FULL, WIDE, 64)
        return torch.bmm, [random(FULL, 8, WIDE), weight]
    weight, bias = random(WIDE, WIDE), random(WIDE)
    calls = {
        "mm": lambda x: torch.mm(x, weight),
        "linear": lambda x: F.linear(x, weight, bias),
        "addmm": lambda x: torch.addmm(bias, x, weight),
    }
    return calls[name], [random(FULL, WIDE)]


def _reduction(name: str, random: Callable[..., Any]) -> Callable[[Any], Any]:
    weight, bias = random(WIDE), random(WIDE)
    calls: dict[str, Callable[[Any], Any]] = {
        "softmax": lambda x: F.softmax(x, dim=-1),
        "log_softmax": lambda x: F.log_softmax(x, dim=-1),
        "logsumexp": lambda x: torch.logsumexp(x, dim=-1),
        "layer_norm": lambda x: F.layer_norm(x, (WIDE,), weight, bias),
        "rms_norm": lambda x: F.rms_norm(x, (WIDE,), weight),
        "group_norm": lambda x: F.group_norm(x, 8, weight, bias),
        "sum": lambda x: x.sum(dim=-1),
        "mean": lambda x: x.mean(dim=-1),
    }
    return calls[name]


def violations(
    call: Callable[..., Any],
    given: Sequence[Any],
    full: int = FULL,
    unsteady: list[int] | None = None,
) -> list[int]:
    """Return the batch sizes at which rows are not what they are in the full batch, bit for bit.

    Inputs whose first dimension is the full batch are cut, all others are given as they are. What
    differs only sometimes is due to where the memory lies, not to the batch: `unsteady` gets it.
    """
    found = []
    for size in (each for each in SIZES if each < full):
        differing = 0
        for _try in range(TRIES):
            differing += not _same(call, given, size, full)
            if not differing:
                break
        if differing == TRIES:
            found.append(size)
        elif differing and unsteady is not None:
            unsteady.append(size)
    return found


def _same(call: Callable[..., Any], given: Sequence[Any], size: int, full: int) -> bool:
    whole = _outputs(call(*given))
    cut = [each[:size] if _batched(each, full) else each for each in given]
    parts = _outputs(call(*cut))
    return len(parts) == len(whole) and all(
        torch.equal(bits(part), bits(one[:size])) for part, one in zip(parts, whole)
    )


def repeats(call: Callable[..., Any], given: Sequence[Any], times: int = 3) -> bool:
    """Say whether the same call gives other bits another time."""
    first = _outputs(call(*given))
    return any(
        not torch.equal(bits(one), bits(other))
        for _time in range(times)
        for one, other in zip(first, _outputs(call(*given)))
    )


def bits(value: Any) -> Any:
    """Return a tensor's bits, so that NaN equals itself and -0 is not 0."""
    kinds = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return value.contiguous().view(kinds[value.element_size()])


def _outputs(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _batched(value: Any, full: int) -> bool:
    return hasattr(value, "shape") and len(value.shape) > 0 and value.shape[0] == full


def survey(device: str, seed: int, step: Callable[[int, int], None]) -> list[dict[str, Any]]:
    """Return a row for each operation and kind of number: sizes that violate, or why not tried."""
    wanted = [(name, dtype) for name in OPERATIONS for dtype in DTYPES]
    rows = []
    with torch.no_grad():
        for done, (name, dtype) in enumerate(wanted):
            step(done, len(wanted))
            row: dict[str, Any] = {"operation": name, "dtype": dtype}
            try:
                call, given = case(name, dtype, device, seed)
                unsteady: list[int] = []
                row["sizes"] = violations(call, given, unsteady=unsteady)
                row["unsteady"] = unsteady
                row["repeats_differ"] = repeats(call, given)
            except (RuntimeError, NotImplementedError, AttributeError) as error:
                row["said"] = f"{type(error).__name__}: {error}"[:200]
            rows.append(row)
    return rows
