"""A scaled product whose result is the scale itself: ones by thirty-seconds, thirty-two deep."""

import triton
import triton.language as tl


@triton.jit
def left(value, scale, other, out, form: tl.constexpr, packed: tl.constexpr):
    rows, deep, few = tl.arange(0, 256), tl.arange(0, 32), tl.arange(0, 16)
    width = tl.arange(0, 32 // packed)
    a = tl.load(value + rows[:, None] * (32 // packed) + width[None, :])
    b = tl.load(other + deep[:, None] * 16 + few[None, :])
    scales = tl.load(scale + rows[:, None] + tl.arange(0, 1)[None, :])
    tl.store(
        out + rows[:, None] * 16 + few[None, :], tl.dot_scaled(a, scales, form, b, None, "bf16")
    )


@triton.jit
def right(value, scale, other, out, form: tl.constexpr, packed: tl.constexpr):
    columns, deep, few = tl.arange(0, 256), tl.arange(0, 32), tl.arange(0, 16)
    width = tl.arange(0, 32 // packed)
    a = tl.load(other + few[:, None] * 32 + deep[None, :])
    b = tl.load(value + columns[None, :] * (32 // packed) + width[:, None])
    scales = tl.load(scale + columns[:, None] + tl.arange(0, 1)[None, :])
    tl.store(
        out + few[:, None] * 256 + columns[None, :], tl.dot_scaled(a, None, "bf16", b, scales, form)
    )
